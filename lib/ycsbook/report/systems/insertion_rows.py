"""Runs that insert, with the columns that iibench's reports have: ours, and those read from iibench's own output."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook import units
from ycsbook.anomalies import checkpoints
from ycsbook.anomalies.checkpoints import Coincidence
from ycsbook.anomalies.evidence import RunSeries, series
from ycsbook.anomalies.stall import stretches
from ycsbook.tables import Tables

_QUERIES = ("QUERY", "SCAN", "READ")
# Samples that cover less than this share of a run's time are no sum of it.
_COVERED = 0.9


@dataclass(frozen=True, eq=False)
class Insertion:
    """One run that inserts.

    Parameters
        run: its row of `runs`; operations, intervals, samples: its rows of these tables.
        course: its inserts over time; None: not known.
    """

    run: dict
    operations: pd.DataFrame
    intervals: pd.DataFrame
    samples: pd.DataFrame
    course: RunSeries | None

    @property
    def together(self) -> float:
        """The documents of one INSERT."""
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
        """Documents inserted per second."""
        if not math.isnan(self.documents / self.seconds):
            return self.documents / self.seconds
        inserts = (self.operations["operation"] == "INSERT").any()
        return self.run["throughput_ops_s"] if inserts else math.nan

    @property
    def qps(self) -> float:
        """Queries per second beside them; NaN: none, or not said."""
        asked = self.operations[self.operations["operation"].isin(_QUERIES)]
        counts = asked["count"] if asked["count"].notna().any() else self._of_intervals(_QUERIES, "operations")
        if len(asked) and len(asked) == len(self.operations) and not counts.notna().any():
            return self.run["throughput_ops_s"]
        return float(counts.sum(min_count=1)) / self.seconds

    def longest_us(self, operations: Sequence[str]) -> float:
        """The longest answer to one of these operations."""
        said = self.operations.loc[self.operations["operation"].isin(operations), "max_us"]
        return float(pd.concat([said, self._of_intervals(operations, "max_us")]).max())

    def per_document(self, column: str) -> float:
        """What a column of rates in `samples` comes to for each document."""
        known = self.samples[self.samples[column].notna()]
        whole = known["interval_s"].sum() >= _COVERED * self.seconds
        return float((known[column] * known["interval_s"]).sum()) / self.documents if whole else math.nan

    @cached_property
    def stalls(self) -> list[tuple[float, float]]:
        """When nothing, or next to nothing, was inserted: from and to, s."""
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

    def row(self) -> dict[str, object]:
        """Its row of the table."""
        return {
            "run_id": self.run["run_id"],
            "indexes": self.run["indexes"],
            "documents": self.documents,
            "seconds": self.seconds,
            "ips": self.ips,
            "qps": self.qps,
            "max_insert_ms": self.longest_us(("INSERT",)) / units.US_PER_MS,
            "max_query_ms": self.longest_us(_QUERIES) / units.US_PER_MS,
            "cpu_us": self.per_document("server_cpu_cores") * units.US_PER_S,
            "written_bytes": self.per_document("written_bytes_s"),
            "data_gib": self.run["data_bytes"] / units.BYTES_PER_GIB,
            "index_gib": self.run["index_bytes"] / units.BYTES_PER_GIB,
            "stall_s": self.longest_stall_s,
            "slowest_ips": self.slowest_ips,
        }

    def _of_intervals(self, operations: Sequence[str], column: str) -> pd.Series:
        return self.intervals.loc[self.intervals["operation"].isin(operations), column]


def insertions(runs: pd.DataFrame, tables: Tables) -> list[Insertion]:
    """Those runs, in order, with what the tables hold of each.

    Parameters
        runs: rows of `runs` with `warmup_s`, as cells.usable or ReportRows give them.
    """
    courses = {course.run["run_id"]: course for course in series(runs, tables.intervals, "INSERT")}
    known = [getattr(tables, name) for name in ("operations", "intervals", "samples")]
    by_run = [dict(iter(table.groupby("run_id", observed=True))) for table in known]
    return [
        Insertion(
            run,
            *(own.get(run["run_id"], table.iloc[:0]) for own, table in zip(by_run, known, strict=True)),
            course=courses.get(run["run_id"]),
        )
        for run in runs.to_dict("records")
    ]


def table(made: Sequence[Insertion]) -> pd.DataFrame:
    """A row for each run: documents, seconds, ips (documents/s), qps (queries/s), the longest answers (ms); for each
    document the server's CPU time (us) and what it wrote (bytes); sizes (GiB), the longest stall (s) and the slowest
    interval (documents/s). NaN: not known."""
    return pd.DataFrame([insertion.row() for insertion in made])


def geometric(values: Sequence[float]) -> float:
    """The geometric mean of what is known."""
    known = np.array([value for value in values if value > 0])
    return float(np.exp(np.log(known).mean())) if len(known) else math.nan
