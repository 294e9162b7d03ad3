"""What a report says of the CRUD experiment: how fast each operation is, what makes it slow, and what was in 2012."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import stats

from ycsbook import units
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import DASH, digits_at_most, fixed, number
from ycsbook.operations import NOT_OPERATIONS
from ycsbook.params.experiments import CRUD
from ycsbook.plots import style
from ycsbook.plots import systems as plot
from ycsbook.report.blocks import Column, Figure, InShort, Panel, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.systems import seed
from ycsbook.scaling.variance import ASSUMED_NOISE, run_noise

SEED = "crud-2012-queries"
# The operation that each chart of the document of 2012 is of.
_CHARTS = {"primary_key": "find-key", "index": "find-index"}
_CELL = ["operation", "records", "indexes", "write_concern", "threads", "spec"]
# Two single runs differ by less, |ln|, than what is told of them.
_SINGLE_RUNS = 3 * math.sqrt(2) * ASSUMED_NOISE
# Pairs of which the second is told as a multiple of the first, with what that is about.
_PAIRS = (
    ("pattern", "find-pattern", "find-key"), ("prefix", "find-pattern", "find-prefix"),
    ("order", "find-sorted", "find-compound"), ("keys", "insert-one", "insert-increasing"),
)  # fmt: skip
# The same, where an operation of the second kind concerns `batch_size` records.
_TOGETHER = (("update-key", "update-many"), ("insert-one", "insert-many"), ("delete-key", "delete-many"))


def answer(rows: ReportRows) -> InShort:
    """What the report says first."""
    return _Crud(rows).answer


def sections(rows: ReportRows) -> tuple[Section, ...]:
    """Figures and tables of the operations, then those of 2012 beside them."""
    crud = _Crud(rows)
    return tuple(filter(None, (crud.overview(), crud.beside_seed(), crud.table())))


@dataclass(frozen=True)
class _Ratio:
    """How many times as fast the second of two cells is, with its 95 % interval where runs were repeated."""

    factor: float
    low: float
    high: float

    @property
    def is_shown(self) -> bool:
        """Whether the two differ: by the interval, or where nothing was repeated by more than a run may vary."""
        if math.isnan(self.low):
            return abs(math.log(self.factor)) > _SINGLE_RUNS
        return self.low > 1 or self.high < 1

    @property
    def values(self) -> dict[str, float | None]:
        known = not math.isnan(self.low)
        return {"factor": self.factor, "low": self.low if known else None, "high": self.high if known else None}


class _Crud:
    """The measured cells of the experiment and the noise of a run."""

    def __init__(self, rows: ReportRows):
        self.rows, self.text = rows, rows.text
        self.together = rows.sweep.batch_size
        runs = _with_operation(rows)
        self.noise = run_noise(runs)
        groups = runs.groupby(_CELL, dropna=False)
        self.cells = groups.agg(
            ops=("y", lambda y: float(np.exp(np.log(y).mean()))), n=("y", "size"), mean_us=("mean_us", "mean"),
            p99_us=("p99_us", "mean"), cpu=("cpu_utilisation", "mean"), name=("name", "first"),
        ).reset_index()  # fmt: skip
        order = {operation: place for place, operation in enumerate(CRUD.operations)}
        self.cells = self.cells.sort_values(_CELL, key=lambda c: c.map(order) if c.name == "operation" else c)
        self.specs = [spec.name for spec in rows.sweep.specs if spec.name in set(self.cells["spec"])]
        self.records = sorted(set(self.cells["records"]))

    # -- what is compared

    @cached_property
    def plain(self) -> pd.DataFrame:
        """The cells that differ in operation, records and spec alone: those of the first of what else was varied."""
        first = self.cells.iloc[0]
        same = [self.cells[c].eq(first[c]) | self.cells[c].isna() for c in ("indexes", "write_concern", "threads")]
        return self.cells[np.logical_and.reduce(same)]

    def cell(self, operation: str, records: float, spec: str) -> pd.Series | None:
        here = self.plain
        here = here[(here["operation"] == operation) & (here["records"] == records) & (here["spec"] == spec)]
        return None if here.empty else here.iloc[0]

    def ratio(self, first: pd.Series | None, second: pd.Series | None, times: float = 1.0) -> _Ratio | None:
        """How many times as fast the second is; `times`: records of one of its operations for one of the first's."""
        if first is None or second is None:
            return None
        factor = second["ops"] * times / first["ops"]
        if not self.noise.df:
            return _Ratio(factor, math.nan, math.nan)
        error = math.sqrt(self.noise.variance * (1 / first["n"] + 1 / second["n"]))
        spread = math.exp(float(stats.t.ppf(0.975, self.noise.df)) * error)
        return _Ratio(factor, factor / spread, factor * spread)

    # -- what is said first

    @property
    def answer(self) -> InShort:
        lines = [(self.text("system-crud-about", about=about), self._said(what)) for about, what in self._lines()]
        return InShort(self._said(self._verdict()), tuple(lines))

    def _said(self, what: Fact) -> str:
        return self.text(what.key, **what.values)

    def _verdict(self) -> Fact:
        few = self.records[0]
        here = self.plain[(self.plain["records"] == few) & (self.plain["spec"] == self.specs[0])]
        fastest, slowest = here.loc[here["ops"].idxmax()], here.loc[here["ops"].idxmin()]
        return fact(
            "system-crud-verdict", name=fastest["name"], records=few, fast=_operation(fastest["operation"]),
            fast_ops=fastest["ops"], slow=_operation(slowest["operation"]), slow_ops=slowest["ops"],
            alone=len(here) == 1,
        )  # fmt: skip

    def _lines(self) -> Iterator[tuple[str, Fact]]:
        few, many, first = self.records[0], self.records[-1], self.specs[0]
        for spec in self.specs[1:]:
            if said := self._between(first, spec, many):
                yield "servers", said
        for about, one, other in _PAIRS:
            ratio = self.ratio(self.cell(one, many, first), self.cell(other, many, first))
            if ratio and ratio.is_shown:
                yield about, fact(f"system-crud-{about}", records=many, **ratio.values)
        together = [
            _part(one, ratio)
            for one, other in _TOGETHER
            if (ratio := self.ratio(self.cell(one, many, first), self.cell(other, many, first), times=self.together))
        ]
        if together:
            yield "together", fact("system-crud-together", together=self.together, parts=together)
        if many > few:
            yield from self._growth(few, many, first)
        if said := self._seed_line(few, first):
            yield "seed", said

    def _between(self, one: str, other: str, records: float) -> Fact | None:
        """Which operations are faster on one server, and which on the other."""
        faster, slower, alike = [], [], []
        for operation in dict.fromkeys(self.plain["operation"]):
            ratio = self.ratio(self.cell(operation, records, other), self.cell(operation, records, one))
            if ratio is None:
                continue
            part = _part(operation, ratio)
            if ratio.is_shown:
                (faster if ratio.factor > 1 else slower).append(part)
            else:
                alike.append(_operation(operation))
        if not (faster or slower or alike):
            return None
        return fact(
            "system-crud-between", one=self._name(one), other=self._name(other), records=records, faster=faster,
            n_faster=len(faster), slower=slower, n_slower=len(slower), alike=alike, n_alike=len(alike),
            single=not self.noise.df,
        )  # fmt: skip

    def _growth(self, few: float, many: float, spec: str) -> Iterator[tuple[str, Fact]]:
        """What loses most with more records."""
        ratios = {
            operation: ratio
            for operation in dict.fromkeys(self.plain["operation"])
            if (ratio := self.ratio(self.cell(operation, few, spec), self.cell(operation, many, spec)))
        }
        operation = min(ratios, key=lambda name: ratios[name].factor, default="")
        if operation and ratios[operation].is_shown:
            values = {"times": many / few, **ratios[operation].values}
            yield (
                "records",
                fact("system-crud-records", operation=_operation(operation), name=self._name(spec), **values),
            )

    def _seed_line(self, few: float, spec: str) -> Fact | None:
        """The charts of the document of 2012 that have this number of records, beside today's figures."""
        then = self.seed[(self.seed["engine"] == "mongo") & (self.seed["records"] == few)].set_index("operation")["ops"]
        parts = [
            fact("system-crud-seed-part", operation=_operation(operation), then=ops, now=cell["ops"])
            for operation, ops in then.items()
            if (cell := self.cell(operation, few, spec)) is not None
        ]
        return fact("system-crud-seed", records=few, parts=parts) if parts else None

    def _name(self, spec: str) -> str:
        return self.rows.names.get(spec, spec)

    # -- figures and tables

    def overview(self) -> Section:
        """Every operation of every server at the fewest and the most records."""
        shown = self.plain[self.plain["records"].isin({self.records[0], self.records[-1]})]
        frame = shown[["operation", "records", "spec", "name", "ops"]].reset_index(drop=True)
        drawn = frame.assign(name=frame["spec"].map(self.rows.drawn_names))
        title = self.rows.drawn("system-crud-overview-title", n=drawn["operation"].nunique())
        with style.theme():
            picture, axes = style.panel(height=1.6 + 0.24 * drawn["operation"].nunique())
            plot.dots(axes, drawn, title=title, lang=self.rows.drawn_lang)
            style.legend(picture, plot.dot_handles(drawn, self.rows.drawn_lang))
        alt = self.text("system-crud-overview-alt", n=frame["operation"].nunique())
        caption = self.text("system-crud-overview-caption", **self.rows.caption, n=int(self.cells["n"].sum()))
        figure = Figure((Panel(picture, "crud-operations", alt),), caption, frame)
        return Section(self.text("system-crud-overview"), "crud", (figure,))

    @cached_property
    def seed(self) -> pd.DataFrame:
        """The charts of 2012: operation, engine, records, ops."""
        table = seed(SEED)
        return table.assign(operation=table["query"].map(_CHARTS), ops=table["throughput_ops_s"])

    def beside_seed(self) -> Section | None:
        """Bars of 2012 beside today's, a panel per chart of the document."""
        panels, frames = [], []
        threads = self.plain["threads"].iloc[0]
        for operation in _CHARTS.values():
            now = self.plain.loc[self.plain["operation"] == operation, ["spec", "name", "records", "ops"]]
            then = self.seed.loc[self.seed["operation"] == operation, ["engine", "records", "ops"]]
            if now.empty:
                continue
            old = [self.rows.drawn("system-crud-then", engine=engine) for engine in then["engine"]]
            bars = pd.concat([
                then.assign(name=old, old=True)[["name", "records", "ops", "old"]],
                now.assign(name=now["spec"].map(self.rows.drawn_names), old=False)[["name", "records", "ops", "old"]],
            ], ignore_index=True)  # fmt: skip
            with style.theme():
                picture, axes = style.panel(height=3.9)
                title = self.rows.drawn("system-crud-seed-title", operation=_operation(operation), threads=threads)
                plot.bars(axes, bars, title=title, lang=self.rows.drawn_lang)
                style.legend(picture, plot.bar_handles(bars))
            alt = self.text("system-crud-seed-alt", operation=_operation(operation))
            panels.append(Panel(picture, f"crud-2012-{operation}", alt))
            frames.append(bars.assign(operation=operation))
        if not panels:
            return None
        figure = Figure(tuple(panels), self.text("system-crud-seed-caption"), pd.concat(frames, ignore_index=True))
        return Section(self.text("system-crud-then-and-now"), "crud-2012", (figure,))

    def table(self) -> Section:
        """A row per operation, records and what else was varied; each server's throughput and latency."""
        keys = [
            key for key in _CELL if key != "spec" and (key in ("operation", "records") or self.cells[key].nunique() > 1)
        ]
        records = []
        for values, group in self.cells.groupby(keys, sort=False, dropna=False):
            record: dict[str, object] = dict(zip(keys, values, strict=True))
            by_spec = {spec: own.iloc[0] for spec, own in group.groupby("spec")}
            for place, spec in enumerate(self.specs):
                cell = by_spec.get(spec)
                record |= {f"ops{place}": math.nan if cell is None else cell["ops"]}
                record |= {f"p99{place}": math.nan if cell is None else cell["p99_us"] / units.US_PER_MS}
                if place:
                    ratio = self.ratio(cell, by_spec.get(self.specs[0]))
                    record[f"ratio{place}"] = DASH if ratio is None else self.text("system-crud-ratio", **ratio.values)
            records.append(record)
        shown = {"operation": str, "records": fixed, "indexes": number, "write_concern": str, "threads": number}
        columns = [
            Column(
                key, self.text("system-crud-column", column=key), shown[key], "left" if shown[key] is str else "right"
            )
            for key in keys
        ]
        for place, spec in enumerate(self.specs):
            name = self._name(spec)
            heading = self.text("system-crud-column-ops", name=name)
            columns.append(Column(f"ops{place}", heading, _at_most, "right", bar=f"ops{place}"))
            columns.append(Column(f"p99{place}", self.text("system-crud-column-p99", name=name), _at_most, "right"))
            if place:
                heading = self.text("system-crud-column-ratio", one=self._name(self.specs[0]), other=name)
                columns.append(Column(f"ratio{place}", heading, align="right"))
        notes = [Text(self.text("system-crud-note", together=self.together, single=not self.noise.df), "note")]
        table = Table(pd.DataFrame(records), tuple(columns), group="operation")
        return Section(self.text("system-crud-every"), "crud-every", (*notes, table), folded=True)


def _operation(name: str) -> Fact:
    return fact("system-crud-operation", operation=name)


def _part(operation: str, ratio: _Ratio) -> Fact:
    """How many times as fast the faster one is at an operation."""
    return fact("system-crud-part", operation=_operation(operation), factor=max(ratio.factor, 1 / ratio.factor))


def _at_most(value: float) -> str:
    return digits_at_most(value, digits=3)


def _with_operation(rows: ReportRows) -> pd.DataFrame:
    """The measured runs with the operation that they made, its mean latency and its 99th percentile."""
    made = rows.tables.operations
    made = made[~made["operation"].isin(NOT_OPERATIONS)][["run_id", "operation", "mean_us"]]
    tail = rows.tables.percentiles
    tail = tail.loc[tail["percentile"] == 99, ["run_id", "operation", "latency_us"]].rename(
        columns={"latency_us": "p99_us"}
    )
    runs = rows.measured.merge(made.merge(tail, on=["run_id", "operation"], how="left"), on="run_id")
    return runs.assign(operation=runs["operation"].str.lower().str.replace("_", "-"))
