"""The section about runs that insert, ours and iibench's: how fast, when they stood still, and the test of 2015."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ycsbook import units
from ycsbook.anomalies import checkpoints
from ycsbook.anomalies.checkpoints import Coincidence
from ycsbook.anomalies.evidence import RunSeries, series
from ycsbook.anomalies.over_time import stretches
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import DASH, digits_at_most, fixed, number, three_digits
from ycsbook.plots import measured as plot
from ycsbook.report.blocks import Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.systems import Experiment, seed
from ycsbook.tables import dicts

SEED = "iibench-wiredtiger"
# Of the document of 2015; data/published holds them as its words.
_SEED_INDEXES = 1
FORMAT = "iibench"
# More pictures than that are not looked at; the table has all runs.
MAX_PANELS = 8
_S_PER_MIN = 60.0
_QUERIES = ("QUERY", "SCAN", "READ")
# Samples that cover less than this share of a run's time are no sum of it.
_COVERED = 0.9


@dataclass(frozen=True, eq=False)
class Insertion:
    """A run that inserts: its row and label, its rows of other tables, its inserts over time (None: not known)."""

    run: dict
    label: str
    operations: pd.DataFrame
    intervals: pd.DataFrame
    samples: pd.DataFrame
    course: RunSeries | None

    @property
    def together(self) -> float:
        size = self.run["batch_size"]
        return 1.0 if math.isnan(size) else size

    @property
    def seconds(self) -> float:
        return self.run["runtime_ms"] / units.MS_PER_S

    @cached_property
    def documents(self) -> float:
        counted = self.operations.loc[self.operations["operation"] == "INSERT", "count"]
        return float(counted.sum(min_count=1)) * self.together

    @property
    def ips(self) -> float:
        if not math.isnan(self.documents / self.seconds):
            return self.documents / self.seconds
        return self.run["throughput_ops_s"] if (self.operations["operation"] == "INSERT").any() else math.nan

    @property
    def qps(self) -> float:
        """Queries per second beside the inserts; NaN: none, or unknown."""
        queries = self.operations[self.operations["operation"].isin(_QUERIES)]
        counts = queries["count"] if queries["count"].notna().any() else self._of_intervals(_QUERIES, "operations")
        if len(queries) and len(queries) == len(self.operations) and not counts.notna().any():
            return self.run["throughput_ops_s"]
        return float(counts.sum(min_count=1)) / self.seconds

    def longest_us(self, operations: Sequence[str]) -> float:
        longest = self.operations.loc[self.operations["operation"].isin(operations), "max_us"]
        return float(pd.concat([longest, self._of_intervals(operations, "max_us")]).max())

    def per_document(self, column: str) -> float:
        """A column of rates in `samples` (per second), as an amount per document."""
        sampled = self.samples[self.samples[column].notna()]
        is_covered = sampled["interval_s"].sum() >= _COVERED * self.seconds
        return float((sampled[column] * sampled["interval_s"]).sum()) / self.documents if is_covered else math.nan

    @cached_property
    def stalls(self) -> list[tuple[float, float]]:
        """The spans in which next to nothing was inserted: from and to, s."""
        return stretches(self.course, checkpoints.STILL, 0.0) if self.course else []

    @property
    def longest_stall_s(self) -> float:
        return max((end - start for start, end in self.stalls), default=0.0) if self.course else math.nan

    @property
    def slowest_ips(self) -> float:
        """The documents per second of the slowest interval after the client's start."""
        if self.course is None:
            return math.nan
        rates = self.course.rate[checkpoints.has_begun(self.course)]
        return float(rates.min()) * self.together if len(rates) else math.nan

    @cached_property
    def checkpoints(self) -> list[tuple[float, float]]:
        return checkpoints.spans(self.samples) if len(self.samples) else []

    @cached_property
    def coincidence(self) -> Coincidence:
        return checkpoints.coincidence(self.course, self.checkpoints) if self.course else Coincidence()

    @cached_property
    def over_time(self) -> pd.DataFrame:
        """elapsed_s, ips and slow (bool) of each interval."""
        course = self.course
        return pd.DataFrame(
            {"elapsed_s": course.end_s, "ips": course.rate * self.together, "slow": checkpoints.slow(course)}
        )

    @cached_property
    def row(self) -> dict[str, float]:
        """Its row of the table: indexes, documents, ips (documents/s), qps (queries/s), the longest answers (ms); for
        each document the server's CPU time (us) and what it wrote (bytes); sizes (GiB). NaN: not known."""
        return {
            "indexes": self.run["indexes"],
            "documents": self.documents,
            "ips": self.ips,
            "qps": self.qps,
            "max_insert_ms": self.longest_us(("INSERT",)) / units.US_PER_MS,
            "max_query_ms": self.longest_us(_QUERIES) / units.US_PER_MS,
            "cpu_us": self.per_document("server_cpu_cores") * units.US_PER_S,
            "written_bytes": self.per_document("written_bytes_s"),
            "data_gib": self.run["data_bytes"] / units.BYTES_PER_GIB,
            "index_gib": self.run["index_bytes"] / units.BYTES_PER_GIB,
        }

    def _of_intervals(self, operations: Sequence[str], column: str) -> pd.Series:
        return self.intervals.loc[self.intervals["operation"].isin(operations), column]


def geometric(values: Sequence[float]) -> float:
    """The geometric mean of the values above 0; NaN where there are none."""
    positive = np.array([value for value in values if value > 0])
    return float(np.exp(np.log(positive).mean())) if len(positive) else math.nan


def logged(rows: ReportRows) -> Section | None:
    """Of runs that iibench itself made: the columns that its reports have."""
    runs = rows.measured[rows.measured["format"] == FORMAT]
    return None if runs.empty else InsertionReport(rows, runs).columns()


class InsertionReport(Experiment):
    """The section about runs that insert, each with a label that tells it from the others."""

    key = "system-insertion"

    def __init__(self, rows: ReportRows, runs: pd.DataFrame | None = None):
        super().__init__(rows)
        runs = rows.measured if runs is None else runs
        self._columns = partial(rows.columns, "system-insertion-column", bars=["ips"])
        courses = {course.run["run_id"]: course for course in series(runs, rows.tables.intervals, "INSERT")}
        tables = [getattr(rows.tables, name) for name in ("operations", "intervals", "samples")]
        parts = [(dict(iter(table.groupby("run_id", observed=True))), table.iloc[:0]) for table in tables]
        several, self.made = runs["name"].nunique() > 1, []
        for run in dicts(runs):
            setting = run["workload"].partition(", ")[2] if rows.sweep.experiment == "insertion" else run["workload"]
            # What was varied, with the server where there are several.
            label = rows.joined("commas", [run["name"], setting]) if several and setting else setting or run["name"]
            of_run = (by_run.get(run["run_id"], no_rows) for by_run, no_rows in parts)
            self.made.append(Insertion(run, label, *of_run, courses.get(run["run_id"])))
        self.together = checkpoints.together(insertion.coincidence for insertion in self.made)

    def _by_indexes(self) -> dict[float, list[Insertion]]:
        counts = sorted({count for insertion in self.made if not math.isnan(count := insertion.run["indexes"])})
        return {count: [insertion for insertion in self.made if insertion.run["indexes"] == count] for count in counts}

    def verdict(self) -> str:
        groups = self._by_indexes() or {math.nan: self.made}
        parts = [
            fact("system-insertion-rate", indexes=count, ips=geometric([insertion.ips for insertion in group]))
            for count, group in groups.items()
        ]
        documents = max(insertion.documents for insertion in self.made)
        return self.rows.say(fact("system-insertion-verdict", documents=documents, parts=parts))

    def lines(self) -> Iterator[tuple[str, Fact]]:
        if (courses := [insertion for insertion in self.made if insertion.course]) and (stall := self._stall(courses)):
            yield "stalls", stall
            yield "checkpoints", self._beside_checkpoints()
        longest_ms = pd.Series([insertion.row["max_insert_ms"] for insertion in self.made]).max()
        if not math.isnan(longest_ms):
            size = self.rows.sweep.batch_size
            yield "response", fact("system-insertion-response", together=size, ms=longest_ms)
        costs = [
            fact(
                "system-insertion-cost-part", indexes=count,
                cpu_us=geometric([insertion.row["cpu_us"] for insertion in group]),
                bytes=geometric([insertion.row["written_bytes"] for insertion in group]),
            )
            for count, group in self._by_indexes().items()
        ]  # fmt: skip
        if costs:
            yield "cost", fact("system-insertion-cost", parts=costs)
        yield "seed", self._seed_line()

    def _stall(self, courses: Sequence[Insertion]) -> Fact:
        longest = max(courses, key=lambda insertion: insertion.longest_stall_s)
        slowest = min(courses, key=lambda insertion: insertion.slowest_ips / (insertion.ips or math.nan))
        worst = longest if longest.longest_stall_s else slowest
        return fact(
            "system-insertion-stall", seconds=longest.longest_stall_s, label=worst.label,
            slowest=worst.slowest_ips, ips=worst.ips, share=worst.slowest_ips / worst.ips,
        )  # fmt: skip

    def _beside_checkpoints(self) -> Fact:
        together = self.together
        return fact(
            f"system-insertion-checkpoints-{together.verdict}", slow=together.slow, inside=together.inside,
            share=together.touched / together.intervals if together.intervals else math.nan, n=together.checkpoints,
            p=together.p, during=together.during,
        )  # fmt: skip

    def _seed_line(self) -> Fact:
        alike = [insertion for insertion in self.made if insertion.run["indexes"] == _SEED_INDEXES]
        then = [
            fact("system-insertion-then", version=row["server_version"], minutes=row["duration_min"], ips=row["ips"])
            for row in dicts(_seed())
        ]
        ips = geometric([insertion.ips for insertion in alike])
        return fact("system-insertion-seed", parts=then, ips=None if math.isnan(ips) else ips)

    def sections(self) -> tuple[Section | None, ...]:
        return self.over_time(), self.columns(), self.stalls(), self.beside_seed()

    def over_time(self) -> Section | None:
        drawn = [insertion for insertion in self.made if insertion.course and not insertion.run["repeat"] > 1]
        drawn, panels = drawn[:MAX_PANELS], []
        if not drawn:
            return None
        for place, insertion in enumerate(drawn, 1):
            intervals, longest_s = insertion.over_time, insertion.longest_stall_s
            slow = int(intervals["slow"].sum())
            title = fact("system-insertion-title", label=insertion.label, seconds=longest_s, slow=slow)
            draw = partial(plot.inserts, frame=intervals, checkpoints=insertion.checkpoints, stalls=insertion.stalls)
            panels.append(self.rows.panel(f"insertion-{place}", "system-insertion", title, draw, height=3.4))
        frame = pd.concat([made.over_time.assign(run_id=made.run["run_id"], label=made.label) for made in drawn])
        figure = self.rows.figure("system-insertion", panels, frame, n=len(drawn), more=len(self.made) - len(drawn))
        return Section(self.text("system-insertion-over-time"), "insertion", (figure,))

    def columns(self) -> Section:
        frame = pd.DataFrame([{"label": insertion.label, **insertion.row} for insertion in self.made])
        shows = {**dict.fromkeys(frame.drop(columns="indexes"), three_digits), "label": str, "documents": fixed}
        known_columns = {name: show for name, show in shows.items() if name == "label" or frame[name].notna().any()}
        note = Text(self.text("system-insertion-note", together=self.rows.sweep.batch_size), "note")
        blocks = (note, Table(frame, self._columns(known_columns)))
        return Section(self.text("system-insertion-columns"), "insertion-columns", blocks)

    def stalls(self) -> Section | None:
        """The longest stall of each run, and its slow seconds beside its checkpoints."""
        records = []
        for insertion in self.made:
            if insertion.course is None:
                continue
            beside = insertion.coincidence
            records.append({
                "label": insertion.label, "stall_s": insertion.longest_stall_s, "slowest_ips": insertion.slowest_ips,
                "slow": beside.slow, "inside": beside.inside, "checkpoints": beside.checkpoints,
                "share": beside.touched / beside.intervals if beside.intervals else math.nan,
                "p": DASH if beside.verdict not in ("shown", "not-shown") else digits_at_most(beside.p),
            })  # fmt: skip
        if not records:
            return None
        shows = {
            "label": str, "stall_s": three_digits, "slowest_ips": three_digits, "checkpoints": fixed,
            "share": self.rows.percent, "slow": fixed, "inside": fixed, "p": str,
        }  # fmt: skip
        how = {"below": checkpoints.BELOW, "around_s": checkpoints.AROUND_S}
        note = Text(self.text("system-insertion-stalls-note", **how), "note")
        finding, table = self._beside_checkpoints(), Table(pd.DataFrame(records), self._columns(shows))
        return Section(
            self.text("system-insertion-stalls"), "insertion-stalls", (Text(self.rows.say(finding)), table, note)
        )

    def beside_seed(self) -> Section:
        then = [
            {"label": self.text("system-insertion-then-name", version=row["server_version"]), "indexes": _SEED_INDEXES,
             "documents": row["records"], "seconds": row["duration_min"] * _S_PER_MIN, "ips": row["ips"],
             "stall": self.text("system-insertion-then-stall") if row["stall"] else DASH}
            for row in dicts(_seed())
        ]  # fmt: skip
        now = [
            {"label": self.rows.joined("commas", (
                 self.text("system-insertion-now-name", version=insertion.run["server_version"]), insertion.label
             )),
             "indexes": insertion.run["indexes"], "documents": insertion.documents, "seconds": insertion.seconds,
             "ips": insertion.ips, "stall": self.text("system-insertion-seconds", seconds=insertion.longest_stall_s)}
            for insertion in self.made
        ]  # fmt: skip
        shows = {
            "label": str, "indexes": number, "documents": fixed,
            "seconds": lambda seconds: self.text("system-insertion-duration", seconds=seconds),
            "ips": three_digits, "stall": str,
        }  # fmt: skip
        frame = pd.DataFrame([*then, *now])
        run = self.made[0].run
        note = Text(self.text("system-insertion-seed-note", cores=run["cores"], gib=run["cache_gib"]), "note")
        table = Table(frame, self._columns(shows))
        return Section(self.text("system-insertion-then-and-now"), "insertion-2015", (table, note))


def _seed() -> pd.DataFrame:
    """The runs of 2015, oldest version first, with `ips` computed from documents and minutes."""
    then = seed(SEED).fillna({"stall": ""})
    # A table of numbers alone makes one of 3.0.
    then["server_version"] = then["server_version"].map("{:.1f}".format)
    return then.assign(ips=then["records"] / (then["duration_min"] * _S_PER_MIN)).sort_values("server_version")
