"""A tree of documents: what its site calls pages and links, and the records by which edits and changes are told."""

import hashlib
import json
import math
import re
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ycsbook import messages, opening
from ycsbook.errors import PublishError, shown
from ycsbook.report import markdown
from ycsbook.store import atomic

Site = Literal["hugo", "sphinx", "plain"]
SITES: tuple[Site, ...] = ("hugo", "sphinx", "plain")
PAGE = "index.md"

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_TITLE = re.compile(r'^title: ("(?:[^"\\]|\\.)*")$', re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_HEAD = re.compile(r"\A(---\n.*?\n---\n)\s*# [^\n]*\n", re.DOTALL)
_AS_HTML = re.compile(rf"^\[[^\]\n]*\]\({re.escape(markdown.HTML)}\)\n\n", re.MULTILINE)
RECORD = ".ycsbook.json"
FORMAT = 2


@dataclass(frozen=True)
class Record:
    """One published page.

    Parameters
        site: hugo, sphinx or plain; empty where nothing was published.
        profile: of a vendor's page its profile.
        report: slug, title, lang, date, server and its main numbers.
        files: SHA-256 of each file by its name.
        published: SHA-256 of the vendors' tables it follows from, by their path in the repository.
        history: the report's main numbers as published before, oldest first.
        coming: SHA-256 of what a publication is writing, or was when it was cut, by the files' names.
    """

    site: str = ""
    profile: str = ""
    report: dict = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    published: dict[str, str] = field(default_factory=dict)
    history: list[dict] = field(default_factory=list)
    coming: dict[str, list[str]] = field(default_factory=dict)

    def is_ours(self, name: str, sha: str) -> bool:
        """Whether a file with this SHA-256 was published, or written by a publication that was cut."""
        return sha == self.files.get(name) or sha in self.coming.get(name, ())

    def write(self, target: Path) -> None:
        content = {"format": FORMAT, **asdict(self)}
        if not self.coming:
            del content["coming"]
        atomic.write_text(target / RECORD, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Planned:
    target: Path
    files: dict[str, bytes]
    record: Record
    before: Record

    @property
    def gone(self) -> list[str]:
        return sorted({*self.before.files, *self.before.coming} - {*self.files})

    def announce(self) -> None:
        """Say what will be written before anything is: the next publication knows it for ours should this be cut."""
        before, files = self.before, self.record.files.items()
        coming = {name: [*before.coming.get(name, ()), sha] for name, sha in files if not before.is_ours(name, sha)}
        if coming:
            replace(before, coming={**before.coming, **coming}).write(self.target)

    def write(self) -> None:
        """Write the page after what it shows, the record after all: cut in between, the next finds its own files."""
        for name in sorted(self.files, key=lambda name: name.endswith(PAGE)):
            atomic.write_bytes(self.target / name, self.files[name])
        atomic.remove(*(self.target / name for name in self.gone))
        self.record.write(self.target)


def read(target: Path) -> Record:
    """The record of a folder, empty where nothing was published; PublishError: it is damaged or cannot be read."""
    try:
        content = opening.json_content(target / RECORD, root=target)
    except FileNotFoundError:
        return Record()
    except OSError as e:
        raise PublishError(
            f"{target / RECORD}: cannot be read: {e.strerror or e}; expected a folder of a docs tree with its record"
        ) from None
    except ValueError:
        content = None
    if mistake := _mistake(content):
        raise PublishError(
            f"{target / RECORD}: is not a record of a published report: {mistake}; remove it, then use --force"
        )
    record = Record(**{part.name: content[part.name] for part in fields(Record) if part.name in content})
    # Names that lead out of the folder are none of ours.
    inside = {name: sha for name, sha in record.files.items() if opening.is_inside(target / name, target)}
    coming = {name: shas for name, shas in record.coming.items() if opening.is_inside(target / name, target)}
    return replace(record, files=inside, coming=coming)


def folders(to: Path, *, deep: int = 3) -> list[Path]:
    """The folders of published pages at or below a page, a tree or a folder of trees, so many levels `deep`."""
    folders = (path.parent for level in range(deep + 1) for path in to.glob("*/" * level + RECORD))
    # A folder with pages in it is a tree, whose record is that of its index.
    return [folder for folder in sorted(folders) if not any(folder.glob(f"*/{RECORD}"))]


def content(path: Path) -> bytes:
    """A published file, or what stands in its place; PublishError: no file, a link out of its folder, too large."""
    try:
        return opening.content(path, opening.MAX_TABLE_BYTES, root=path.parent)
    except OSError as e:
        raise PublishError(f"{path}: cannot be read: {e.strerror or e}; remove it and publish again") from None


def text(path: Path) -> str:
    """The same as UTF-8 text."""
    try:
        return content(path).decode("utf-8")
    except UnicodeDecodeError as e:
        raise PublishError(f"{path}: cannot be read as UTF-8 text: {e}; remove it and publish again") from None


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def page(text: str, site: Site) -> str:
    """The page for this site: Hugo's themes print the title themselves, and it takes no HTML file beside it."""
    return _AS_HTML.sub("", _HEAD.sub(r"\1", text, count=1), count=1) if site == "hugo" else text


def vendor_page(text: str, title: str, site: Site) -> str:
    """A vendor's page for this site. Only Hugo prints the title in its front matter; `title`: where that has none."""
    head = FRONT_MATTER.match(text)
    first = _HEADING.search(text)
    if site == "hugo" or head is None or (first and first[0] == "# "):
        return text
    own_title = _TITLE.search(head[0])
    return f"{head[0]}\n# {markdown.escape(json.loads(own_title[1]) if own_title else title)}\n{text[head.end() :]}"


def index_name(site: Site) -> str:
    """The file of an index: Hugo's sections have one of another name than its pages."""
    return "_index.md" if site == "hugo" else PAGE


def link(folder: str, site: Site) -> str:
    """The address of a published page, from the index: Hugo serves a page as a folder."""
    return f"{folder}/" if site == "hugo" else f"{folder}/{PAGE}"


def listing(titles: dict[str, str], site: Site) -> str:
    """What makes pages part of the site; `titles`: what a list calls each folder, empty: its own title."""
    if site != "sphinx":
        return ""
    entries = [
        f"{re.sub(r'[<>`]', '', title)} <{folder}/index>" if title else f"{folder}/index"
        for folder, title in sorted(titles.items())
    ]
    return "\n".join(["```{toctree}", ":hidden:", "", *entries, "```"])


# Of a name in a folder, in bytes; that of a path; and how many folders it leads through.
_MAX_NAME, _MAX_PATH, _MAX_PARTS = 255, 1000, 8


def _file_name(name: str) -> str:
    parts = PurePosixPath(name).parts
    sizes = [len(part.encode("utf-8", "replace")) for part in parts]
    is_short = 0 < len(parts) <= _MAX_PARTS and max(sizes) <= _MAX_NAME and len(name) <= _MAX_PATH
    if not (is_short and name.isprintable()):
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
    threads: _Count | None
    spec: str
    best_ops_s: _Figure
    factor: _Figure | None
    low: _Figure | None
    high: _Figure | None
    # Records of before lack some.
    growth_threads: Annotated[float, Field(ge=-1, lt=math.inf)] | None = None
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


class _RecordFile(_Strict):
    format: Literal[2]
    site: Literal["", "hugo", "sphinx", "plain"] = ""
    profile: Annotated[str, Field(pattern="^([a-z0-9][a-z0-9._-]{0,63})?$")] = ""
    report: _Report = None  # may be left out, but not be null
    files: dict[_File, str] = {}
    published: dict[_File, str] = {}
    history: list[_Published] = []
    coming: dict[_File, list[str]] = {}


def _mistake(content: object) -> str:
    """The first mistake in a record, with its place; empty: there is none."""
    if isinstance(content, dict) and content.get("report") == {}:  # of an index
        content = {name: part for name, part in content.items() if name != "report"}
    try:
        _RecordFile.model_validate(content)
    except ValidationError as e:
        first = e.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        return f"{shown(place)}: {first['msg']}" if place else "expected an object"
    return ""
