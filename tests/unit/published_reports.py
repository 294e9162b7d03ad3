"""A report's folder as `ycsbook report` leaves it, of a small made-up sweep, without making runs."""

import hashlib
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml
from report_samples import ENVIRONMENT, local_tables

from ycsbook import params
from ycsbook.report import write
from ycsbook.report.site import evidence
from ycsbook.store import parquet
from ycsbook.tables import Tables

SETTINGS = {
    "name": "local", "title": "MongoDB on this machine", "server": {"kind": "mongod", "version": "6.0.5"},
    "specs": [{"name": f"{c:g}c", "cores": c, "ram_gib": c} for c in (0.25, 0.5, 0.75, 1.0)],
    "workloads": ["a", "b"], "threads": [4, 16], "min_duration": "5s", "repeats": 3,
}  # fmt: skip


def made(folder: Path, tables: Tables | None = None, **settings: object) -> Path:
    """The folder with tables, params file, environment and the report that follows from them."""
    inside = folder / "tables"
    inside.mkdir(parents=True)
    parquet.write(tables or local_tables(), inside)
    text = yaml.safe_dump(SETTINGS | settings, allow_unicode=True).encode()
    (inside / "params.yml").write_bytes(text)
    (inside / "environment.json").write_text(json.dumps(ENVIRONMENT))
    (inside / "inputs.json").write_text(json.dumps({"params/local.yml": hashlib.sha256(text).hexdigest()}))
    params.load(inside / "params.yml")
    write(evidence.of(evidence.files(folder)).report, folder)
    return folder


def copied(report: Path, to: Path) -> Path:
    """A copy of a report's folder, to be changed."""
    return Path(shutil.copytree(report, to))


def faster(tables: Tables, factor: float) -> Tables:
    """The same runs, each so much faster."""
    columns = ("throughput_ops_s", "goodput_ops_s", "steady_ops_s")
    runs = tables.runs.assign(**{c: tables.runs[c] * factor for c in columns}, started_at="2026-12-01T10:00:00Z")
    means = tables.operations.assign(mean_us=tables.operations["mean_us"] / factor)
    return Tables(runs, means, tables.percentiles, tables.intervals, tables.histograms, tables.samples)


def few(tables: Tables) -> Tables:
    """The runs of workload a with 16 threads."""
    ids = tables.runs.loc[tables.runs["workload"].eq("a") & tables.runs["threads"].eq(16), "run_id"]

    def of(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["run_id"].isin(ids)].reset_index(drop=True)

    return Tables(*(of(frame) for _, frame in tables.items()))


def remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive a report from the same evidence only once: fits and figures are what publishing takes its time for."""
    read = evidence.read

    def remembered(target: Path) -> evidence.PublishedEvidence:
        folder = target / evidence.FOLDER
        key = tuple((p.name, p.read_bytes()) for p in sorted(folder.glob("*")))
        if key not in _DERIVED:
            _DERIVED[key] = read(target)
        return _DERIVED[key]

    monkeypatch.setattr(evidence, "read", remembered)


_DERIVED: dict[tuple, evidence.PublishedEvidence] = {}
