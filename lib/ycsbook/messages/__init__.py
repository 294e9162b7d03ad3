"""Every sentence that people read, in one catalogue per language: a fact goes in, a sentence comes out.

`say(fact, lang)` says a fact, `text(key, lang, ...)` is the same for a key and its values. The catalogue of a language
is the folder of its name here: files in the syntax of Project Fluent (https://projectfluent.org), one per topic. A
third language is a third folder with the same files, and its name in params/sections.py. A key `stall.brief` is the
attribute `.brief` of the message `stall`, its short form; of a message without one the whole.

Another package brings messages of its own, for its rules, by an entry point of the group `ycsbook.messages`: a module
in whose folder there is a folder per language. A language that it does not have is answered in English.

Fluent, of the libraries for this, because one message may depend on several numbers and choices at once and is still
read by a translator as a sentence. How values stand in a message:

    text            as it is; long ones are cut
    number          through a function of `formats`, or as it is; chosen by with its plural category or its value
    missing figure  the word missing, to choose by: { $low -> [missing] {""} *[other] ... }
    true and false  the words true and false, to choose by
    fact            its own sentence, in the same language
    list            through COMMAS, AND, OR, CLAUSES or SENTENCES of `formats`, which join its members
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook.errors import MessageError
from ycsbook.facts import Fact, Value, fact, from_json

if TYPE_CHECKING:
    import pandas as pd
    from fluent.runtime import FluentBundle

_HERE = Path(__file__).parent
# A message begins at the start of a line; whatever belongs to it is indented.
_ENTRY = re.compile(r"^(-?[a-zA-Z][\w-]*) *=", re.MULTILINE)
_END = re.compile(r"^(?=[#a-zA-Z-])", re.MULTILINE)
# What a message names of others: { other } and { -term }.
_NAMED = re.compile(r"\{\s*(-?[a-z][\w-]*)")
# What cannot stand in a key.
_NO_KEY = re.compile(r"[^a-zA-Z0-9_]+")
# Fluent refuses a value of more than 2,500 characters.
_LONGEST = 2_000


def languages() -> tuple[str, ...]:
    return tuple(sorted(folder.name for folder in _HERE.iterdir() if any(folder.glob("*.ftl"))))


@lru_cache(maxsize=8192)
def say(statement: Fact, lang: str = "en") -> str:
    """The sentence of a fact in a language.

    Raises
        MessageError: no such key or language, or a value that the message names is missing: names key and file.
    Examples
        >>> say(fact("cell", cores=1, ram_gib=2.0, ram_unit="GiB", spec="", reads=None, workload="a", threads=1))
        '1 core, 2 GiB, workload a, 1 thread'
    """
    return _catalogue(lang).filled_in(statement)


def text(key: str, lang: str = "en", **values: object) -> str:
    return say(fact(key, **values), lang)


def named(kind: str, name: str, lang: str = "en") -> str:
    """The title of a name, from the message KIND-NAME; without such a message the name itself."""
    key = f"{kind}-{_NO_KEY.sub('-', name).strip('-')}"
    return text(key, lang) if key in _catalogue(lang).entries else name


def keys(lang: str = "en") -> dict[str, Path]:
    """Every key of a language with the file that holds its message; terms (-name), which are parts of them, too."""
    return {key: file for key, (file, _) in _catalogue(lang).entries.items()}


def prepare(lang: str = "en") -> None:
    """Read every message of a language now, before processes are forked."""
    for key in keys(lang):
        _catalogue(lang).parse(key)


@dataclass(frozen=True)
class _Catalogue:
    """The messages of a language by key, with their files; parsed when first needed, as all of them take long."""

    lang: str
    entries: dict[str, tuple[Path, str]]
    bundle: "FluentBundle"
    parsed: set[str] = field(default_factory=set)

    def filled_in(self, statement: Fact) -> str:
        if statement.key == "sentences":
            # Fluent refuses texts that are longer than a paragraph.
            between = self.filled_in(fact("list-sentences", rest="", last=""))
            return between.join(str(self._argument(part)) for part in statement.values["parts"])
        key, _, attribute = statement.key.partition(".")
        self.parse(key)
        message = self.bundle.get_message(key)
        # Of a message without a short form the whole is the short form.
        pattern = message.attributes.get(attribute, message.value)
        values = {name: self._argument(value) for name, value in statement.values.items()}
        sentence, errors = self.bundle.format_pattern(pattern, values)
        if errors:
            value_names = ", ".join(statement.values) or "none"
            raise MessageError(
                f"{self.entries[key][0]}: {statement.key}: {errors[0]}; the values given are {value_names}"
            )
        return str(sentence)

    def parse(self, key: str) -> None:
        """Read a message and those it names. MessageError: there is none, or it is not in the syntax of Fluent."""
        if key in self.parsed:
            return
        if key not in self.entries:
            raise MessageError(
                f"{_HERE / self.lang}: there is no message {key!r}; write it there, in every language, or install "
                "the package again whose rule or reader says it"
            )
        from fluent.runtime import FluentResource
        from fluent.syntax import ast

        file, source = self.entries[key]
        resource = FluentResource(source)
        for part in resource.body:
            if isinstance(part, ast.Junk):
                raise MessageError(f"{file}: {key}: {part.annotations[0].message}")
        self.bundle.add_resource(resource)
        self.parsed.add(key)
        for other in _NAMED.findall(source):
            self.parse(other)

    def _argument(self, value: Value) -> object:
        # Of Fluent, as below.
        from ycsbook.messages.formats import MISSING, Members

        match value:
            case None:
                return MISSING
            case bool():
                return str(value).lower()
            case Fact():
                return _cut(say(value, self.lang))
            case tuple():
                return Members([str(self._argument(member)) for member in value])
            case str():
                return _cut(value)
        return value


@cache
def _catalogue(lang: str) -> _Catalogue:
    if lang not in languages():
        raise MessageError(f"{_HERE}: there is no language {lang!r}; the languages are {', '.join(languages())}")
    # Only when something is to be said: they take longer to load than most commands take to answer.
    from fluent.runtime import FluentBundle

    from ycsbook.messages import formats

    entries: dict[str, tuple[Path, str]] = {}
    # Besides ours those of the packages that name themselves as an entry point.
    added = (find_spec(entry.module) for entry in entry_points(group="ycsbook.messages"))
    for folder in (_HERE, *(Path(spec.origin).parent for spec in added if spec and spec.origin)):
        for file in sorted((folder / lang).glob("*.ftl")) or sorted((folder / "en").glob("*.ftl")):
            source = file.read_text("utf-8")
            for start in _ENTRY.finditer(source):
                key = start[1]
                if key in entries:
                    raise MessageError(f"{file}: {key}: the same key stands in {entries[key][0]}")
                end = _END.search(source, start.end())
                entries[key] = (file, source[start.start() : end.start() if end else None])
    bundle = FluentBundle([lang], functions=formats.functions(partial(text, lang=lang)), use_isolating=False)
    return _Catalogue(lang, entries, bundle)


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


# The column for the English sentence of a fact, where it is not called as the fact is.
_SENTENCES = {"advice": "next_step"}


def fact_of(row: Mapping, name: str) -> Fact:
    """The fact that a row of a table holds in its columns NAME_key and NAME_values."""
    return from_json(str(row[f"{name}_key"]), str(row[f"{name}_values"]))


def facts_of(table: "pd.DataFrame", name: str) -> list[Fact]:
    pairs = zip(table[f"{name}_key"], table[f"{name}_values"], strict=True)
    return [from_json(key, values) for key, values in pairs]


def worded(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table with its facts as English sentences in the columns for people, which no program reads."""
    # Not needed to say a fact, and slow to load.
    import pandas as pd

    sentences = {}
    for name in (c.removesuffix("_key") for c in table.columns if c.endswith("_key")):
        texts = [say(content) if content.key else "" for content in facts_of(table, name)]
        sentences[_SENTENCES.get(name, name)] = pd.Series(texts, index=table.index, dtype=table[f"{name}_key"].dtype)
    return table.assign(**sentences)
