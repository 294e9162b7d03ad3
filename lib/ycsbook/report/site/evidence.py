"""The evidence of a published report, kept beside it: its tables as CSV, its params file, its environment. From these
alone the page can be made again, wherever the docs tree is."""

import gzip
import hashlib
import io
import math
import tempfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd
import yaml
from pydantic import TypeAdapter, ValidationError

from ycsbook import anomalies, documents, opening, params, paths, scaling, tables
from ycsbook.columns import SCHEMAS
from ycsbook.errors import PublishError, shown
from ycsbook.glossary import GLOSSARY
from ycsbook.params.sweep import Sweep
from ycsbook.report import build, markdown, vendor
from ycsbook.report.blocks import FORMULA, Report
from ycsbook.report.site import tree
from ycsbook.report.site.tree import Site
from ycsbook.secrets import redact
from ycsbook.store import atomic, parquet
from ycsbook.tables import Tables

FOLDER = "evidence"
PARAMS, ENVIRONMENT, REJECTED = "params.yml", "environment.json", "rejected.json"
# Histograms are in no page: their percentiles are.
_TABLES = ("runs", "operations", "percentiles", "intervals", "samples", "failovers")
# Larger tables are compressed; smaller ones show in a diff.
_MAX_PLAIN = 500_000


@dataclass(frozen=True, eq=False)
class PublishedEvidence:
    """A sweep, its tables, its environment, what could not be read, and what publishers say beside their figures."""

    sweep: Sweep
    tables: Tables
    environment: dict[str, dict[str, str]]
    rejected: tuple[tuple[str, str], ...]
    documents: dict[str, dict]

    @cached_property
    def analysis(self) -> scaling.Analysis:
        return scaling.analyse(self.tables.runs, self.tables.operations)

    @cached_property
    def findings(self) -> pd.DataFrame:
        settings = anomalies.Settings.of(self.sweep.anomalies, planned_s=self.sweep.min_duration)
        return anomalies.find(self.tables, settings=settings, documents=self.documents)

    @cached_property
    def report(self) -> Report:
        return build(self.sweep, self.tables, self.analysis, self.findings, self.environment, rejected=self.rejected)

    @cached_property
    def page(self) -> str:
        return markdown.page(self.report)

    @property
    def deviations(self) -> list[str]:
        """The differences between its page in a vendor's shape and what the vendor printed."""
        return vendor.deviations(self.sweep, self.tables, self.findings)

    def vendor_page(self, profile: str, site: Site) -> str:
        text = vendor.page(self.sweep, self.tables, profile, self.environment, documents=self.documents)
        return tree.vendor_page(text, self.sweep.title or self.sweep.name, site)


def files(report: Path) -> dict[str, bytes]:
    """The evidence of a report's folder by its name beside a published page. Raises PublishError where the folder lacks
    its tables, or they are those of another params file; StoreError where a table cannot be read."""
    folder = report / "tables"
    atomic.settle(folder)
    needed = [folder / name for name in ("runs.parquet", "inputs.json", PARAMS, ENVIRONMENT)]
    if missing := [path.name for path in needed if not path.is_file()]:
        absent = ", ".join(missing)
        raise PublishError(f"{folder}: holds no {absent}; make the report again with 'ycsbook report PARAMS'")
    inputs = _json(folder / "inputs.json")
    settings = tree.content(folder / PARAMS)
    if hashlib.sha256(settings).hexdigest() not in inputs.values():
        raise PublishError(f"{folder / PARAMS}: is not the params file of these tables; make the report again")
    files = {PARAMS: redact(settings.decode("utf-8")).encode(), ENVIRONMENT: _redacted(folder / ENVIRONMENT)}
    if (folder / REJECTED).is_file():
        files[REJECTED] = _redacted(folder / REJECTED)
    measured = parquet.read(folder)
    for name in _TABLES:
        frame = getattr(measured, name)
        if not frame.empty or name == "runs":
            texts = {c: frame[c].map(_guarded) for c in frame.columns if GLOSSARY[c][0] == "str"}
            content = frame.assign(**texts).to_csv(index=False, lineterminator="\n").encode()
            plain = len(content) <= _MAX_PLAIN
            files[f"{name}.csv" if plain else f"{name}.csv.gz"] = content if plain else gzip.compress(content, mtime=0)
    files |= _published(yaml.safe_load(settings), inputs)
    return {f"{FOLDER}/{name}": content for name, content in files.items()}


def of(contents: dict[str, bytes]) -> PublishedEvidence:
    """The evidence in these files, as it will be read beside the page. Raises as `read`."""
    with tempfile.TemporaryDirectory(prefix="ycsbook-") as folder:
        for name, content in contents.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        return read(Path(folder))


def published_inputs(report: Path) -> dict[str, str]:
    inputs = _json(report / "tables" / "inputs.json")
    return {path: digest for path, digest in inputs.items() if path.startswith("data/published/")}


def read(target: Path) -> PublishedEvidence:
    """The evidence beside a page. PublishError: a part is missing or not what it should be; ParamsError: its params."""
    folder = target / FOLDER
    frames = {}
    for name in _TABLES:
        path = next((p for p in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if p.is_file()), None)
        if path is not None:
            frames[name] = _frame(path, name)
    if "runs" not in frames:
        raise PublishError(f"{folder}: holds no runs.csv, so nothing can be derived; publish the report again")
    rejected = _json(folder / REJECTED, list[tuple[str, str]]) if (folder / REJECTED).is_file() else []
    return PublishedEvidence(
        sweep=params.load(folder.resolve() / PARAMS),
        tables=Tables(**frames),
        environment=_json(folder / ENVIRONMENT, dict[str, dict[str, str]]),
        rejected=tuple(rejected),
        documents=documents.within(folder),
    )


def _published(settings: dict, inputs: dict[str, str]) -> dict[str, bytes]:
    server = settings.get("server")
    source = settings.get("published") or (server.get("published") if isinstance(server, dict) else None)
    if not source:
        return {}
    table = paths.resolve(source)
    contents = {path.name: tree.content(path) for path in (table, table.with_suffix(".json"))}
    for name, content in contents.items():
        if hashlib.sha256(content).hexdigest() not in inputs.values():
            raise PublishError(f"{table.with_name(name)}: changed since the report was made; make the report again")
    return contents


def _frame(path: Path, table: str) -> pd.DataFrame:
    try:
        content = tree.content(path)
        plain = io.BytesIO(_inflated(content) if path.suffix == ".gz" else content)
        texts = pd.read_csv(plain, dtype=str, keep_default_na=False)
        frame = pd.DataFrame({c: texts[c].map(_VALUE[GLOSSARY[c][0]]) for c in SCHEMAS[table]})
        return tables.conform(frame, table)
    except (OSError, ValueError, KeyError, EOFError, zlib.error) as e:
        raise PublishError(f"{path}: cannot be read as the table {table}: {e}; publish the report again") from None


def _inflated(content: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
        plain = packed.read(opening.MAX_TABLE_BYTES + 1)
    if len(plain) > opening.MAX_TABLE_BYTES:
        raise ValueError(f"unpacks to more than {opening.MAX_TABLE_BYTES:,} bytes")
    return plain


def _guarded(text: str) -> str:
    text = redact(text)
    # What has one of its own gets another: one is taken away when it is read.
    return f"'{text}" if FORMULA.match(text) or text.startswith("'") else text


# Python's own reading gives the very number that was written, whatever pandas does.
_VALUE = {
    "str": lambda text: text.removeprefix("'"), "float64": lambda text: float(text) if text else math.nan,
    "bool": "True".__eq__,
}  # fmt: skip


def _redacted(path: Path) -> bytes:
    return redact(tree.text(path)).encode()


def _json(path: Path, schema: object = dict[str, str]) -> dict | list:
    try:
        return TypeAdapter(schema).validate_python(opening.json_content(path, root=path.parent))
    except ValidationError as e:
        place = ".".join(map(str, e.errors()[0]["loc"]))
        raise PublishError(f"{path}: {shown(place)}: {e.errors()[0]['msg']}; make the report again") from None
    except (OSError, ValueError) as e:
        raise PublishError(f"{path}: cannot be read as JSON: {e}; make the report again") from None
