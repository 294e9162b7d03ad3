"""The section of a report about the CRUD experiment: the speed of each operation and how many times as fast one is as
another, what makes it slow, what threads and settings do, and the figures of 2010 (mongotest) and 2012."""

import math
from collections.abc import Iterator
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook import units
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import DASH, fixed, number, three_digits
from ycsbook.operations import NOT_OPERATIONS
from ycsbook.plots import systems as plot
from ycsbook.report.blocks import Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.systems import Experiment, mongotest, seed
from ycsbook.scaling.cells import ASSUMED_NOISE, run_noise, student_t

SEED = "crud-2012-queries"
# The operation that each chart of the document of 2012 is of.
_CHARTS = {"primary_key": "find-key", "index": "find-index"}
# So many are told by a sentence, and need no picture.
_FEW = 3
_SETTINGS = ("indexes", "write_concern")
# Pairs of which the second is told as a multiple of the first, with what that is about.
_PAIRS = (
    ("pattern", "find-pattern", "find-key"), ("prefix", "find-pattern", "find-prefix"),
    ("order", "find-sorted", "find-compound"), ("keys", "insert-one", "insert-increasing"),
)  # fmt: skip
# The same, where an operation of the second kind concerns `batch_size` records.
_TOGETHER = (("update-key", "update-many"), ("insert-one", "insert-many"), ("delete-key", "delete-many"))

_WRITES = {"insert-one", "insert-increasing", "insert-many", "update-key", "update-many", "delete-key", "delete-many"}
MONGOTEST_SEED = "mongotest-2010"
# Its operations: what they are called by the table of the document and by the experiment.
_IN_SEED = {"INSERT": "insert-one", "UPDATE": "update-key", "READ": "find-key"}
# What tells cells apart besides operation and spec; `plain` cells are those of the first of each.
SETTINGS = ("records", "indexes", "write_concern", "threads")
KEYS = ("operation", *SETTINGS, "spec")
# Two single runs differ by less, |ln|, than what is told of them.
_SINGLE_RUNS = 3 * math.sqrt(2) * ASSUMED_NOISE


class SpeedRatio(NamedTuple):
    """How many times as fast one cell is as another, with its 95 % interval; NaN where nothing was repeated."""

    factor: float
    low: float
    high: float

    @property
    def is_shown(self) -> bool:
        """Whether the two differ: by the interval, or where nothing was repeated by more than a run may vary."""
        if math.isnan(self.low):
            return abs(math.log(self.factor)) > _SINGLE_RUNS
        return self.low > 1 or self.high < 1


def with_operation(rows: ReportRows) -> pd.DataFrame:
    """The measured runs with the operation that they made, its count of good ones, mean latency and 99th percentile."""
    made = rows.tables.operations
    made = made[~made["operation"].isin(NOT_OPERATIONS)][["run_id", "operation", "ok", "mean_us"]]
    tail = rows.tables.percentiles.rename(columns={"latency_us": "p99_us"})
    tail = tail.loc[tail["percentile"] == 99, ["run_id", "operation", "p99_us"]]
    made = made.merge(tail, on=["run_id", "operation"], how="left")
    runs = rows.measured.drop(columns="p99_us").merge(made, on="run_id")
    return runs.assign(operation=runs["operation"].str.lower().str.replace("_", "-"))


class CrudReport(Experiment):
    """The section about CRUD operations: the speed of each on each server, and that of 2010 and 2012.

    `frame`: a row per cell with KEYS, `name` (of the spec), `ops` (geometric mean, ops/s), `n` (runs), `mean_us`,
    `p99_us`, `cpu` (utilisation of the server); operations in the order of the experiment. `specs` in that of the
    sweep. `noise`: of a run.
    """

    key = "system-crud"

    def __init__(self, rows: ReportRows):
        super().__init__(rows)
        runs = with_operation(rows)
        self.noise = run_noise(runs)
        groups = runs.groupby(list(KEYS), dropna=False)
        frame = groups.agg(
            ops=("y", lambda y: float(np.exp(np.log(y).mean()))), n=("y", "size"), mean_us=("mean_us", "mean"),
            p99_us=("p99_us", "mean"), cpu=("cpu_utilisation", "mean"), name=("name", "first"),
        ).reset_index()  # fmt: skip
        self.specs = [spec.name for spec in rows.sweep.specs if spec.name in set(frame["spec"])]
        order = {"operation": rows.sweep.measures.operations, "spec": tuple(self.specs)}
        # As the experiment and the sweep list them; all else by its value.
        ranks = {name: {value: rank for rank, value in enumerate(values)} for name, values in order.items()}
        self.frame = frame.sort_values(list(KEYS), key=lambda c: c.map(ranks[c.name]) if c.name in ranks else c)
        self.together = rows.sweep.batch_size
        self.operations = list(dict.fromkeys(self.frame["operation"]))
        self.records, self.threads = self.values("records"), self.values("threads")
        self.first = self.specs[0]

    def values(self, setting: str) -> list:
        """The values of a setting, in order; of write concerns the usual one first."""
        return sorted(set(self.frame[setting].dropna()), key=lambda value: (value != "1", value))

    def plain(self, *free: str) -> pd.DataFrame:
        """The cells with the first value of every setting but those that are `free`."""
        is_plain = pd.Series(True, index=self.frame.index)
        for setting in set(SETTINGS) - set(free):
            if values := self.values(setting):
                is_plain &= self.frame[setting].eq(values[0])
        return self.frame[is_plain]

    def cell(self, operation: str, spec: str = "", **settings: object) -> pd.Series | None:
        """A cell by operation, spec (the first) and settings (else the first of each); None: not measured."""
        cells = self.plain(*settings)
        for key, value in {"operation": operation, "spec": spec or self.first, **settings}.items():
            cells = cells[cells[key] == value]
        return None if cells.empty else cells.iloc[0]

    def ratio(self, first: pd.Series | None, second: pd.Series | None, times: float = 1.0) -> SpeedRatio | None:
        """How many times as fast the second is; `times`: records of one of its operations for one of the first's. The
        interval is Student's, from the noise of a run pooled over all repeated cells (scaling.cells)."""
        if first is None or second is None:
            return None
        factor = second["ops"] * times / first["ops"]
        if not self.noise.df:
            return SpeedRatio(factor, math.nan, math.nan)
        error = math.sqrt(self.noise.variance * (1 / first["n"] + 1 / second["n"]))
        spread = math.exp(student_t(self.noise.df) * error)
        return SpeedRatio(factor, factor / spread, factor * spread)

    def _name(self, spec: str) -> str:
        return self.rows.names.get(spec, spec)

    def verdict(self) -> str:
        # What a setting costs comes first where a few operations were made to tell that.
        costs = " ".join(self.rows.say(cost) for _, cost in self._varied()) if self.is_of_settings else ""
        return costs or self.rows.say(self._gateways_cost() or self._fastest())

    @property
    def is_of_settings(self) -> bool:
        return len(self.operations) <= _FEW and any(len(self.values(name)) > 1 for name in _SETTINGS)

    def _gateways_cost(self) -> Fact | None:
        operation = "find-key" if "find-key" in self.operations else self.operations[0]
        gateways: list[Fact] = []
        driver = self.cell(operation)
        for spec in self.rows.sweep.specs:
            cell = self.cell(operation, spec.name)
            ratio = self.ratio(cell, driver)
            if spec.server and spec.server.gateway and ratio:
                gateways.append(fact("system-crud-gateway", name=cell["name"], ops=cell["ops"], factor=ratio.factor))
        if not gateways:
            return None
        return fact(
            "system-crud-gateways", name=driver["name"], operation=_operation(operation), threads=self.threads[0],
            ops=driver["ops"], parts=gateways,
        )  # fmt: skip

    def _fastest(self) -> Fact:
        cells = self.plain("threads")
        cells = cells[cells["spec"] == self.first]
        cells = cells[cells["threads"] == cells.loc[cells["ops"].idxmax(), "threads"]]
        fastest, slowest = cells.loc[cells["ops"].idxmax()], cells.loc[cells["ops"].idxmin()]
        return fact(
            "system-crud-verdict", name=fastest["name"], records=self.records[0], threads=fastest["threads"],
            fast=_operation(fastest["operation"]), fast_ops=fastest["ops"], slow=_operation(slowest["operation"]),
            slow_ops=slowest["ops"], alone=len(cells) == 1,
        )  # fmt: skip

    def lines(self) -> Iterator[tuple[str, Fact]]:
        most = self.records[-1]
        for spec in self.specs[1:]:
            if differences := self._between(self.first, spec, most):
                yield "servers", differences
        engines = {spec.server.engine for spec in self.rows.sweep.specs if spec.server}
        if "innodb" in engines and not set(self.operations).isdisjoint(_WRITES):
            yield "servers", fact("system-crud-durable")

        def ratio_of(operation: str, other: str, times: float = 1.0) -> SpeedRatio | None:
            return self.ratio(self.cell(operation, records=most), self.cell(other, records=most), times)

        for about, operation, other in _PAIRS:
            ratio = ratio_of(operation, other)
            if ratio and ratio.is_shown:
                yield about, fact(f"system-crud-{about}", records=most, **ratio._asdict())
        ratios = {operation: ratio_of(operation, other, self.together) for operation, other in _TOGETHER}
        together = [_part(operation, ratio) for operation, ratio in ratios.items() if ratio]
        if together:
            yield "together", fact("system-crud-together", together=self.together, parts=together)
        yield from self._growth()
        yield from self._threads()
        if self.is_of_settings:
            yield "fastest", self._fastest()
        else:
            yield from self._varied()
        if charts := self._seed_line():
            yield "seed", charts

    def _between(self, first: str, second: str, records: float) -> Fact | None:
        faster, slower, alike = [], [], []
        for operation in self.operations:
            ratio = self.ratio(*(self.cell(operation, spec, records=records) for spec in (second, first)))
            if ratio is None:
                continue
            if ratio.is_shown:
                (faster if ratio.factor > 1 else slower).append(_part(operation, ratio))
            else:
                alike.append(_operation(operation))
        if not (faster or slower or alike):
            return None
        return fact(
            "system-crud-between", one=self._name(first), other=self._name(second), records=records, faster=faster,
            n_faster=len(faster), slower=slower, n_slower=len(slower), alike=alike, n_alike=len(alike),
            single=self.noise.df == 0,
        )  # fmt: skip

    def _growth(self) -> Iterator[tuple[str, Fact]]:
        fewest, most = self.records[0], self.records[-1]
        beside = {name: self.ratio(self.cell(name), self.cell(name, records=most)) for name in self.operations}
        ratios = {operation: ratio for operation, ratio in beside.items() if ratio}
        operation = min(ratios, key=lambda name: ratios[name].factor, default="")
        if most > fewest and ratios[operation].is_shown and ratios[operation].factor < 1:
            values = {"times": most / fewest, **ratios[operation]._asdict()}
            yield "records", fact("system-crud-records", operation=_operation(operation), **values)

    def _threads(self) -> Iterator[tuple[str, Fact]]:
        if len(self.threads) < 2:
            return
        cells = self.plain("threads")
        cells = cells[cells["spec"] == self.first]
        for operation, ladder in cells.groupby("operation", sort=False):
            best, last = ladder.loc[ladder["ops"].idxmax()], ladder.iloc[-1]
            ratio = self.ratio(best, last)
            loses = best["threads"] < last["threads"] and ratio is not None and ratio.is_shown
            yield "threads", fact(
                "system-crud-threads", operation=_operation(str(operation)), threads=best["threads"], ops=best["ops"],
                one=ladder.iloc[0]["threads"], one_ops=ladder.iloc[0]["ops"], last=last["threads"] if loses else None,
                **(ratio if loses else SpeedRatio(1, math.nan, math.nan))._asdict(),
            )  # fmt: skip

    def _varied(self) -> Iterator[tuple[str, Fact]]:
        for setting in _SETTINGS:
            for value in self.values(setting)[1:]:
                changes, base = [], self.values(setting)[0]
                for operation in self.operations:
                    ratio = self.ratio(self.cell(operation), self.cell(operation, **{setting: value}))
                    if ratio and ratio.is_shown:
                        changes.append(fact("system-crud-part", operation=_operation(operation), factor=ratio.factor))
                values = {"setting": setting, "base": base, "value": value}
                yield setting, fact("system-crud-varied", **values, parts=changes, n=len(changes))

    def _seed_line(self) -> Fact | None:
        records = self.records[0]
        then = self.seed[(self.seed["engine"] == "mongo") & (self.seed["records"] == records)]
        charts = [
            fact("system-crud-seed-part", operation=_operation(operation), then=ops, now=now["ops"])
            for operation, ops in zip(then["operation"], then["ops"], strict=True)
            if (now := self.cell(operation)) is not None and self.threads == [10]
        ]
        return fact("system-crud-seed", records=records, parts=charts) if charts else None

    def sections(self) -> tuple[Section | None, ...]:
        sections = (self.overview(), self.over_threads(), self.beside_seed(), self.table())
        return *sections, mongotest.section(self.rows, with_operation(self.rows))

    def overview(self) -> Section | None:
        """Every operation of every server at the fewest and the most records; None where threads tell more."""
        cells = self.plain("records")
        extremes = cells[cells["records"].isin({self.records[0], self.records[-1]})]
        if len(self.threads) > 1 or len(extremes) < _FEW:
            return None
        frame = extremes[["operation", "records", "spec", "name", "ops"]].reset_index(drop=True)
        drawn = frame.assign(name=frame["spec"].map(self.rows.drawn_names))
        n = drawn["operation"].nunique()
        title, draw = fact("system-crud-overview-title", n=n), partial(plot.dots, cells=drawn)
        panel = self._panel("operations", "system-crud-overview", title, draw, height=1.6 + 0.24 * n, n=n)
        return Section(self.text("system-crud-overview"), "operations", (self._figure(panel, frame),))

    def over_threads(self) -> Section | None:
        """Throughput over client threads, a line per operation; None where there is one thread count."""
        cells = self.plain("threads")
        frame = cells.loc[cells["spec"] == self.first, ["operation", "threads", "ops"]].reset_index(drop=True)
        if len(self.threads) < 2:
            return None
        then = seed(MONGOTEST_SEED)
        then = then.assign(operation=then["operation"].map(_IN_SEED), ops=then["throughput_ops_s"])
        then = then.loc[then["operation"].isin(frame["operation"]), ["operation", "threads", "ops"]]
        names = {name: self.rows.drawn("system-crud-operation", operation=name) for name in frame["operation"]}
        old = self.rows.drawn("system-mongotest-2010")
        panel = self._panel(
            "threads", "system-crud-over-threads", fact("system-crud-over-threads", n=len(names)),
            partial(plot.lines, figures=frame, then=then, names=names, old=old), height=4.4, low=self.threads[0],
            high=self.threads[-1],
        )  # fmt: skip
        data = pd.concat([frame, then.assign(year=2010)], ignore_index=True)
        return Section(self.text("system-crud-by-threads"), "client-threads", (self._figure(panel, data),))

    def _panel(self, name: str, *of: object, **values: object) -> Panel:
        """A picture whose name is unlike those of other systems in the same report."""
        return self.rows.panel(f"{self.rows.sweep.name.replace('.', '-')}-{name}", *of, **values)

    def _figure(self, panel: Panel, frame: pd.DataFrame) -> Figure:
        return self.rows.figure("system-crud-overview", [panel], frame, n=int(self.frame["n"].sum()))

    @cached_property
    def seed(self) -> pd.DataFrame:
        """The charts of 2012: operation, engine, records, ops."""
        table = seed(SEED)
        return table.assign(operation=table["query"].map(_CHARTS), ops=table["throughput_ops_s"])

    def beside_seed(self) -> Section | None:
        """Bars of 2012 beside today's, a panel per chart of the document; None where its 10 threads were not made."""
        panels, frames = [], []
        cells = self.plain("records")
        if self.threads != [10]:
            return None
        for operation in _CHARTS.values():
            now = cells[cells["operation"] == operation]
            then = self.seed[self.seed["operation"] == operation]
            if now.empty:
                continue
            old = [self.rows.drawn("system-crud-then", engine=engine) for engine in then["engine"]]
            new = now["spec"].map(self.rows.drawn_names)
            columns = ["name", "records", "ops", "old"]
            bars_by_year = [then.assign(name=old, old=True)[columns], now.assign(name=new, old=False)[columns]]
            bars = pd.concat(bars_by_year, ignore_index=True)
            called = _operation(operation)
            title, draw = fact("system-crud-seed-title", operation=called, threads=10), partial(plot.bars, figures=bars)
            panel = self._panel(f"2012-{operation}", "system-crud-seed", title, draw, height=3.9, operation=called)
            panels.append(panel)
            frames.append(bars.assign(operation=operation))
        if not panels:
            return None
        figure = Figure(tuple(panels), self.text("system-crud-seed-caption"), pd.concat(frames, ignore_index=True))
        return Section(self.text("system-crud-then-and-now"), "then", (figure,))

    def table(self) -> Section:
        """A row per operation, records and what else was varied; each server's throughput and latency."""
        keys = ["operation", *(setting for setting in SETTINGS if len(self.values(setting)) > 1)]
        records = []
        for values, group in self.frame.groupby(keys, sort=False, dropna=False):
            record: dict[str, object] = dict(zip(keys, values, strict=True))
            by_spec = {spec: rows.iloc[0] for spec, rows in group.groupby("spec")}
            for place, spec in enumerate(self.specs):
                cell = by_spec.get(spec)
                record |= {f"ops{place}": math.nan if cell is None else cell["ops"]}
                record |= {f"p99{place}": math.nan if cell is None else cell["p99_us"] / units.US_PER_MS}
                if place:
                    ratio = self.ratio(cell, by_spec.get(self.first))
                    record[f"ratio{place}"] = self.text("system-crud-ratio", **ratio._asdict()) if ratio else DASH
            records.append(record)
        table = Table(pd.DataFrame(records), tuple(self._columns(keys)), group="operation")
        note = self.text("system-crud-note", together=self.together, single=self.noise.df == 0)
        return Section(self.text("system-crud-every"), "every", (Text(note, "note"), table), folded=True)

    def _columns(self, keys: list[str]) -> Iterator[Column]:
        formats = {"operation": str, "records": fixed, "indexes": number, "write_concern": str, "threads": number}
        yield from self.rows.columns("system-crud-column", {key: formats[key] for key in keys})
        for place, spec in enumerate(self.specs):
            name = self._name(spec)
            heading = self.text("system-crud-column-ops", name=name)
            yield Column(f"ops{place}", heading, three_digits, "right", bar=f"ops{place}")
            # Beside several servers there is no room for it.
            if len(self.specs) == 1:
                yield Column(f"p99{place}", self.text("system-crud-column-p99", name=name), three_digits, "right")
            if place:
                heading = self.text("system-crud-column-ratio", one=self._name(self.first), other=name)
                yield Column(f"ratio{place}", heading, align="right")


def _operation(name: str) -> Fact:
    return fact("system-crud-operation", operation=name)


def _part(operation: str, ratio: SpeedRatio) -> Fact:
    return fact("system-crud-part", operation=_operation(operation), factor=max(ratio.factor, 1 / ratio.factor))
