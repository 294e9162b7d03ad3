"""Columns in the names of folders and files, by a pattern such as `{spec}/{threads}/run.log`."""

import re
from pathlib import Path

from ycsbook.errors import ParamsError, shown
from ycsbook.ingest.files.endings import PACKED
from ycsbook.ingest.finding.annotation_columns import NUMBERS, WHOLE, Columns, check_name, completed, value
from ycsbook.secrets import redact

MAX_PATTERN = 500
_TOKEN = re.compile(r"\{([^{}/]{0,64})\}|(\*)|([^{}*/]+)")
_WHOLE = r"\d{1,9}"
_NUMBER = rf"{_WHOLE}(?:\.{_WHOLE})?"


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
        self._parts = [re.compile(self._pattern(part), re.ASCII) for part in parts]
        names = [name for part in self._parts for name in part.groupindex]
        for name in names:
            if names.count(name) > 1:
                raise self._twice(name)

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
        matches = [pattern.fullmatch(part) for pattern, part in zip(self._parts, parts, strict=True)]
        return {k: v for match in matches for k, v in match.groupdict().items()} if all(matches) else None

    def _pattern(self, part: str) -> str:
        """One name's pattern as a regular expression: numbers as long, text as short as possible.

        What may be any text is looked for once with all that follows up to the next such field, and never again: as
        in a glob, the first place is as good as any, and hostile names cost no more than their length squared.
        """
        pieces = [""]
        position, after_field = 0, False
        names: list[str] = []
        while match := _TOKEN.match(part, position):
            is_field = match[3] is None
            if is_field and after_field:
                raise ParamsError(
                    f"{self._where}: in {shown(part)} nothing says where one field ends and the next begins"
                )
            name = check_name(match[1].strip(), self._where) if (match[1] or "").strip() else ""
            if name in names and name:
                raise self._twice(name)
            names.append(name)
            if not is_field:
                pieces[-1] += re.escape(match[3])
            elif name in NUMBERS:
                pieces[-1] += f"(?P<{name}>{_WHOLE if name in WHOLE else _NUMBER})"
            else:
                pieces.append(f"(?P<{name}>.+?)" if name else ".+?")
            position, after_field = match.end(), is_field
        if position < len(part):
            raise ParamsError(f"{self._where}: a brace in {shown(part)} has no partner; fields are such as {{threads}}")
        pieces[-1] += r"\Z"
        return pieces[0] + "".join(f"(?>{piece})" for piece in pieces[1:])

    def _twice(self, name: str) -> ParamsError:
        return ParamsError(f"{self._where}: {{{name}}} stands twice")
