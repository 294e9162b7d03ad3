"""Sections of reports about experiments: a module for each, `crud` with its class CrudReport(Experiment)."""

from functools import partial
from importlib import import_module

import pandas as pd

from ycsbook import paths, units
from ycsbook.facts import fact
from ycsbook.ingest.published.published import verified
from ycsbook.messages.formats import digits_at_most, three_digits
from ycsbook.params.experiments import YCSB
from ycsbook.plots import systems as plot
from ycsbook.report.blocks import Column, InShort, Section, Table, Text
from ycsbook.report.rows import ReportRows

# By column of `runs`, what a cell of the table is divided by.
_SHOWN = {
    "server_cpu_us_per_op": 1.0, "server_rss_peak_gib": 1.0, "written_bytes_per_op": 1.0, "read_bytes_per_op": 1.0,
    "network_bytes_per_op": 1.0, "data_bytes": units.BYTES_PER_MIB, "storage_bytes": units.BYTES_PER_MIB,
    "index_bytes": units.BYTES_PER_MIB,
}  # fmt: skip
_KEYS = ["cores", "ram_gib", "spec", "name", "workload", "threads"]


class Experiment:
    """What a report shows of an experiment; its messages begin with `key`. Each has `verdict()`, one or two sentences;
    `lines()`, facts with what they are about; `sections()`, None where there is nothing to show."""

    key: str

    def __init__(self, rows: ReportRows):
        self.rows, self.text = rows, rows.text

    @property
    def answer(self) -> InShort:
        lines = ((self.text(f"{self.key}-about", about=about), self.rows.say(line)) for about, line in self.lines())
        return InShort(self.verdict(), tuple(lines))


def of(rows: ReportRows) -> Experiment | None:
    """The report of a sweep's experiment; None for YCSB's own mixes, and where nothing was measured."""
    name = rows.sweep.experiment
    if name == YCSB or rows.measured.empty:
        return None
    return getattr(import_module(f"{__name__}.{name}"), f"{name.capitalize()}Report")(rows)


def seed(name: str) -> pd.DataFrame:
    """The figures of a document this project started from; RunLogError: the file is not the one made from it."""
    from io import BytesIO

    _, content = verified(paths.PUBLISHED / f"{name}.csv")
    return pd.read_csv(BytesIO(content))


def resources(rows: ReportRows) -> Section | None:
    """A table with a row per cell, and CPU time per operation as a picture; None where no server was sampled."""
    runs = rows.measured
    sampled = [column for column in _SHOWN if runs[column].notna().any()]
    if not sampled:
        return None
    cells = runs.groupby(_KEYS, dropna=False)[sampled].mean().reset_index()
    rank_by_spec = {spec.name: rank for rank, spec in enumerate(rows.sweep.specs)}
    cells = cells.sort_values("spec", key=lambda specs: specs.map(rank_by_spec), kind="stable").reset_index(drop=True)
    text = rows.text
    columns = [
        Column("name", text("column-spec")),
        Column("workload", text("column-workload")),
        Column("threads", text("column-threads"), digits_at_most, "right"),
    ]
    columns += rows.columns("system-resources-column", dict.fromkeys(sampled, three_digits), bars=sampled)
    for column in sampled:
        cells[column] /= _SHOWN[column]
    blocks = [Text(text("system-resources-note"), "note"), Table(cells, tuple(columns), group="name")]
    if "server_cpu_us_per_op" in sampled:
        busy = cells[cells["server_cpu_us_per_op"] > 0]
        drawn = busy.assign(name=busy["spec"].map(rows.drawn_names), y=busy["server_cpu_us_per_op"])
        n, name = drawn["workload"].nunique(), f"{rows.sweep.name.replace('.', '-')}-resources"
        title, draw = fact("system-resources-title"), partial(plot.costs, cells=drawn)
        panel = rows.panel(name, "system-resources", title, draw, height=1.6 + 0.24 * n, n=n)
        frame = busy[["name", "workload", "threads", "server_cpu_us_per_op"]]
        blocks.insert(0, rows.figure("system-resources", [panel], frame))
    return Section(text("system-resources"), "resources", tuple(blocks), folded=True)
