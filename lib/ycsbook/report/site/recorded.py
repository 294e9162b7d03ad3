"""What the record of a published page may hold: its parts by name, and the type of each."""

import math
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ycsbook import messages
from ycsbook.errors import shown

# Of a name in a folder, in bytes; that of a path; and how many folders it leads through.
_MAX_NAME, _MAX_PATH, _MAX_PARTS = 255, 1000, 8


def _file_name(name: str) -> str:
    parts = PurePosixPath(name).parts
    sizes = [len(part.encode("utf-8", "replace")) for part in parts]
    if (
        not name.isprintable()
        or not parts
        or len(parts) > _MAX_PARTS
        or max(sizes) > _MAX_NAME
        or len(name) > _MAX_PATH
    ):
        raise ValueError("expected the name of a file")
    return name


def _language(name: str) -> str:
    if name not in messages.languages():
        raise ValueError(f"expected one of {', '.join(messages.languages())}")
    return name


_File = Annotated[str, AfterValidator(_file_name)]
_Figure = Annotated[float, Field(ge=0, lt=math.inf)]
_Count = Annotated[int, Field(ge=0, lt=10**15)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Numbers(_Strict):
    workload: str
    threads: _Count
    spec: str
    best_ops_s: _Figure
    factor: _Figure | None
    low: _Figure | None
    high: _Figure | None
    # Records of before lack some.
    mix: str = ""
    grade: str = ""
    per_core_ops_s: _Figure | None = None
    per_core_spec: str | None = None
    latency_us: _Figure | None = None
    levels: list[Annotated[list[_Figure], Field(min_length=2, max_length=2)]] = []
    doubtful: _Count = 0
    rows: _Count = 0


class _Published(_Strict):
    date: str
    numbers: list[_Numbers]
    server: str | None = None
    runs: _Count | None = None
    runs_sha256: str | None = None


class _Source(_Strict):
    publisher: str = ""
    url: str = ""


class _Report(_Published):
    slug: str
    title: str
    lang: Annotated[str, AfterValidator(_language)]
    source: _Source = _Source()
    deviations: list[str] = []


class _Record(_Strict):
    format: Literal[2]
    site: Literal["", "hugo", "sphinx", "plain"] = ""
    profile: Annotated[str, Field(pattern="^([a-z0-9][a-z0-9._-]{0,63})?$")] = ""
    report: _Report = None  # may be left out, but not be null
    files: dict[_File, str] = {}
    published: dict[_File, str] = {}
    history: list[_Published] = []
    coming: dict[_File, list[str]] = {}


def mistake(content: object) -> str:
    """What of a record is not as it should be, with its place; empty: nothing."""
    if isinstance(content, dict) and content.get("report") == {}:  # of an index
        content = {name: part for name, part in content.items() if name != "report"}
    try:
        _Record.model_validate(content)
    except ValidationError as e:
        first = e.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        return f"{shown(place)}: {first['msg']}" if place else "expected an object"
    return ""
