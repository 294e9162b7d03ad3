"""Which rows a report is about, the figures it takes from them, and the language it speaks of them."""

from functools import cached_property

import pandas as pd

from ycsbook.params.sweep import Sweep
from ycsbook.plots import style
from ycsbook.plots import words as plot_words
from ycsbook.report import numbers, strings
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome

_WRITES = ("UPDATE", "INSERT")


class Rows:
    """The rows of a sweep's tables sorted into what counts, what is published and what was left out.

    `points` holds completed runs and published rows, with columns added: `y` and `y_column` (ops/s, the throughput
    the report is about, and where it comes from; see with_throughput), `ral_us` and `wal_us` (mean latencies),
    `label` (the spec for people).
    """

    def __init__(self, sweep: Sweep, tables: Tables):
        self.sweep, self.tables = sweep, tables
        self.lang = sweep.report.lang
        self.t = strings.texts(self.lang)
        # What stands in pictures: English where no font here has the language's letters.
        self.words = plot_words.of(self.lang)
        self.drawn = self.t if style.shows(self.t["kicker"]) else strings.texts("en")
        points = with_throughput(tables.runs)
        points["label"] = points["spec_label"].where(points["spec_label"] != "", points["spec"])
        points["ral_us"] = _mean_latency(points, tables.operations, ("READ",))
        points["wal_us"] = _mean_latency(points, tables.operations, _WRITES)
        self.points = points.sort_values(["workload", "cores", "ram_gib", "threads", "repeat"]).reset_index(drop=True)
        self.left_out = tables.runs[~tables.runs["outcome"].isin([Outcome.COMPLETED, Outcome.PUBLISHED])]

    @cached_property
    def published(self) -> pd.DataFrame:
        return self.points[self.points["outcome"] == Outcome.PUBLISHED]

    @cached_property
    def measured(self) -> pd.DataFrame:
        return self.points[self.points["outcome"] == Outcome.COMPLETED]

    @cached_property
    def fitted(self) -> pd.DataFrame:
        """What the report speaks about: measured runs where there are any, else the published rows."""
        return headline(self.points)

    @property
    def both(self) -> bool:
        """Whether measured runs and published rows stand side by side."""
        return not (self.measured.empty or self.published.empty)

    @property
    def workloads(self) -> list[str]:
        """Workloads in the sweep's order, then any others."""
        present = set(self.points["workload"])
        order = [w.name for w in self.sweep.workloads if w.name in present]
        return order + sorted(present - set(order))

    def workload_title(self, name: str, *, drawn: bool = False) -> str:
        """`Workload a, 50 % reads`; `drawn` in a picture."""
        t = self.drawn if drawn else self.t
        if name not in self._shares:
            return t["workload_title"].format(name=name)
        return t["workload_reads"].format(name=name, share=numbers.share(self._shares[name]))

    @cached_property
    def _shares(self) -> dict[str, float]:
        """The share of reads of each workload, where it is known."""
        known = self.points[self.points["read_fraction"].notna()].drop_duplicates("workload")
        return dict(zip(known["workload"], known["read_fraction"], strict=True))

    @property
    def server(self) -> str:
        """Server and version, as far as the rows say."""
        versions = sorted({v for v in self.points["server_version"] if v})
        kind = {"mariadb": "MariaDB"}.get(self.sweep.server.kind, "MongoDB")
        name = f"{kind} {self.t['list_and'].join(versions) or self.sweep.server.version}".strip()
        return self.t["replica_set"].format(server=name) if self.sweep.server.topology == "replica_set" else name

    @property
    def date(self) -> str:
        """When it was measured, or when the source says."""
        days = sorted({s[:10] for s in self.fitted["started_at"] if s})
        if days:
            return days[0] if len(days) == 1 else self.t["date_range"].format(first=days[0], last=days[-1])
        return self.sweep.source.date if self.sweep.source and self.sweep.source.date else self.t["date_unknown"]

    def said(self, text: str) -> str:
        """A sentence of the tables, which are in English, in the report's language."""
        from ycsbook.report import translation

        return translation.said(text, self.lang)

    def span(self, low: float, high: float) -> str:
        """An interval; a dash where neither end is known."""
        ends = {"low": numbers.plain(low), "high": numbers.plain(high)}
        return numbers.MISSING if set(ends.values()) == {numbers.MISSING} else self.t["span"].format(**ends)

    def effect(self, value: float, low: float, high: float) -> str:
        """An effect, a fraction, with its interval: `−62 % (−64 % to −60 %)`; empty where it is not known."""
        told = {"value": numbers.change(value), "low": numbers.change(low), "high": numbers.change(high)}
        if told["value"] == numbers.MISSING:
            return ""
        return told["value"] if numbers.MISSING in told.values() else self.t["effect"].format(**told)

    @property
    def caption(self) -> dict[str, str]:
        """What each caption names: dataset, server and date."""
        return {"dataset": self.sweep.title or self.sweep.name, "server": self.server, "date": self.date}


def headline(points: pd.DataFrame) -> pd.DataFrame:
    """The measured ones of these points where there are any, else all, which are published."""
    measured = points[points["outcome"] == Outcome.COMPLETED]
    return points if measured.empty else measured


def _mean_latency(runs: pd.DataFrame, operations: pd.DataFrame, names: tuple[str, ...]) -> pd.Series:
    """Mean latency per run over the named operations, weighted by count; a published row has one of each."""
    rows = operations[operations["operation"].isin(names) & operations["mean_us"].notna()]
    weights = rows["count"].fillna(1.0).clip(lower=1.0)
    sums = (rows["mean_us"] * weights).groupby(rows["run_id"]).sum() / weights.groupby(rows["run_id"]).sum()
    return runs["run_id"].map(sums).astype("float64")
