"""Which rows a report is about, the figures it takes from them, and the language it speaks of them."""

from collections.abc import Callable, Iterable
from functools import cached_property, partial

import pandas as pd

from ycsbook import messages
from ycsbook.facts import Fact
from ycsbook.messages.formats import DASH, change, significant
from ycsbook.params.sweep import Sweep
from ycsbook.plots import style
from ycsbook.scaling import Analysis
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome

_WRITES = ("UPDATE", "INSERT")


class ReportRows:
    """The rows of a sweep's tables sorted into what counts, what is published and what was left out.

    `points` holds completed runs and published rows, with columns added: `y` and `y_column` (ops/s, the throughput
    the report is about, and where it comes from; see with_throughput), `ral_us` and `wal_us` (mean latencies),
    `label` (the spec for people).

    `text(key, ...)` says a message in the report's language, `drawn(key, ...)` in that of its pictures.

    Raises
        MessageError: there is no catalogue of the sweep's language.
    """

    def __init__(self, sweep: Sweep, tables: Tables):
        self.sweep, self.tables = sweep, tables
        self.lang = sweep.report.lang
        self.drawn_lang = style.drawn_language(self.lang)
        self.text = partial(messages.text, lang=self.lang)
        self.drawn = partial(messages.text, lang=self.drawn_lang)
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
        return (self.drawn if drawn else self.text)("report-workload", name=name, reads=self._shares.get(name))

    @cached_property
    def _shares(self) -> dict[str, float]:
        """The share of reads of each workload, where it is known."""
        known = self.points[self.points["read_fraction"].notna()].drop_duplicates("workload")
        return dict(zip(known["workload"], known["read_fraction"], strict=True))

    @property
    def server(self) -> str:
        """Server and version, as far as the rows say."""
        versions = sorted({v for v in self.points["server_version"] if v}) or [self.sweep.server.version]
        kind = {"mariadb": "MariaDB"}.get(self.sweep.server.kind, "MongoDB")
        topology = self.sweep.server.topology
        return self.text("report-server", kind=kind, versions=list(filter(None, versions)), topology=topology)

    @property
    def date(self) -> str:
        """When it was measured, or when the source says."""
        days = sorted({s[:10] for s in self.fitted["started_at"] if s})
        if days:
            return days[0] if len(days) == 1 else self.text("report-dates", first=days[0], last=days[-1])
        published = self.sweep.source.date if self.sweep.source else ""
        return published or self.text("report-date-unknown")

    def cores_ways(self, lang: str) -> list[str]:
        """How the cores of the measured runs were brought about, in a language; none where nobody says."""
        ways = self.measured["cores_enforced_by"].unique()
        return [messages.text("method-cores-way", lang, way=way) for way in ways if way]

    def rule(self, name: str) -> str:
        """What people call a rule; of a rule that is not here its own name."""
        return messages.title(name, self.lang)

    def say(self, what: Fact) -> str:
        """A fact in the report's language."""
        return messages.say(what, self.lang)

    def law(self, name: str) -> str:
        """What a law is called."""
        return self.text("law-name", law=name)

    def series(self, analysis: Analysis) -> Callable[[str], str]:
        """How the `group` of an analysis is called in the report's language."""
        return lambda group: self.say(analysis.series[group])

    def times(self, ratio: float) -> str:
        """A ratio: ×1.85."""
        return self.text("report-times", ratio=ratio)

    def percent(self, share: float) -> str:
        """A fraction in percent: 77 %."""
        return self.text("report-percent", share=share)

    def span(self, low: float, high: float) -> str:
        """An interval; a dash where neither end is known."""
        ends = {"low": significant(low), "high": significant(high)}
        return DASH if set(ends.values()) == {DASH} else self.text("report-span", **ends)

    def effect(self, value: float, low: float, high: float) -> str:
        """An effect, a fraction, with its interval: `−62 % (−64 % to −60 %)`; empty where it is not known."""
        texts = {"value": change(value), "low": change(low), "high": change(high)}
        if texts["value"] == DASH:
            return ""
        return texts["value"] if DASH in texts.values() else self.text("report-effect", **texts)

    def joined(self, mark: str, parts: Iterable[str]) -> str:
        """Texts, any number of any length, with what stands between them: commas, clauses or sentences."""
        return self.text(f"list-{mark}", rest="", last="").join(parts)

    def sentence(self, title: str) -> str:
        """The lines of a picture's title as a sentence: the first names what the others speak of."""
        first, *rest = title.splitlines()
        for line in rest:
            first = self.text("report-title-line", rest=first, last=line)
        return self.text("report-stop", text=first)

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
