"""Columns in the names of folders and files, by a pattern such as `{spec}/{threads}/run.log`."""

import re
from collections.abc import Iterator
from pathlib import Path

from ycsbook.errors import ParamsError, shown
from ycsbook.ingest.files.endings import PACKED
from ycsbook.ingest.finding.annotation_columns import NUMBERS, WHOLE, Columns, check_name, completed, value
from ycsbook.secrets import redact

MAX_PATTERN = 500
_TOKEN = re.compile(r"\{([^{}/]{0,64})\}|(\*)|([^{}*/]+)")
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)


class PathPattern:
    """A pattern for the last parts of a path: literal text, `{column}` fields, and `*` or `{}` for anything.

    A field stands for at least one character, and never for a `/`.
    """

    def __init__(self, text: str):
        """Read a pattern.

        Raises
            ParamsError: no pattern, unknown or repeated fields, fields with nothing between them, `..`.
        """
        self.text = text
        self._where = f"--pattern {shown(redact(text))}"
        if not text or len(text) > MAX_PATTERN or not text.isprintable():
            raise ParamsError(
                f"{self._where}: expected such as '{{spec}}/{{threads}}/run.log', {MAX_PATTERN} characters"
            )
        parts = text.removeprefix("./").split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise ParamsError(f"{self._where}: expected names between single slashes: the end of a path, no . or ..")
        self._parts = [self._tokens(part) for part in parts]
        names = [name for part in self._parts for name, literal in part if name and not literal]
        for name in names:
            if names.count(name) > 1:
                raise ParamsError(f"{self._where}: {{{name}}} stands twice")

    def columns(self, path: Path) -> Columns | None:
        """The columns that a path names; None where it is not as the pattern says.

        Raises
            ParamsError: what stands at a field is not what its column holds.
        """
        parts = path.as_posix().split("/")[-len(self._parts) :]
        if len(parts) < len(self._parts):
            return None
        texts = self._match(parts)
        if texts is None and path.suffix in PACKED:
            texts = self._match([*parts[:-1], path.stem])
        if texts is None:
            return None
        where = f"{path}: {self._where}"
        return completed({name: value(name, text, where) for name, text in texts.items()}, where)

    def _match(self, parts: list[str]) -> dict[str, str] | None:
        texts: dict[str, str] = {}
        for tokens, part in zip(self._parts, parts, strict=True):
            here = _match(tokens, part)
            if here is None:
                return None
            texts |= here
        return texts

    def _tokens(self, part: str) -> list[tuple[str, str]]:
        """The name of a field ("" for anything) and "", or "" and literal text."""
        tokens: list[tuple[str, str]] = []
        position = 0
        while match := _TOKEN.match(part, position):
            if match[3] is None and tokens and not tokens[-1][1]:
                raise ParamsError(
                    f"{self._where}: in {shown(part)} nothing says where one field ends and the next begins"
                )
            name = match[1].strip() if match[1] else ""
            tokens.append((check_name(name, self._where) if name else "", match[3] or ""))
            position = match.end()
        if position < len(part):
            raise ParamsError(f"{self._where}: a brace in {shown(part)} has no partner; fields are such as {{threads}}")
        return tokens


def _match(tokens: list[tuple[str, str]], text: str) -> dict[str, str] | None:
    """What stands at each named field; numbers as long, text as short as possible.

    Each token is tried once at each place, so that hostile names cost no more than their length squared.
    """
    dead: set[tuple[int, int]] = set()

    def at(i: int, position: int) -> dict[str, str] | None:
        if i == len(tokens):
            return {} if position == len(text) else None
        if (i, position) in dead:
            return None
        name, literal = tokens[i]
        for end in _ends(name, literal, text, position):
            if (rest := at(i + 1, end)) is not None:
                return {name: text[position:end], **rest} if name else rest
        dead.add((i, position))
        return None

    return at(0, 0)


def _ends(name: str, literal: str, text: str, position: int) -> Iterator[int]:
    if literal:
        if text.startswith(literal, position):
            yield position + len(literal)
    elif name in NUMBERS:
        if match := (_WHOLE if name in WHOLE else _NUMBER).match(text, position):
            yield from range(match.end(), position, -1)
    else:
        yield from range(position + 1, len(text) + 1)
