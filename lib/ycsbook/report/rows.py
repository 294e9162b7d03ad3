"""Which rows a report is about, the figures it takes from them, and the language it speaks of them."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from math import isnan, nan

import pandas as pd

from ycsbook import messages, names
from ycsbook.closed_loop import mean_latency, with_latency
from ycsbook.facts import Fact, fact
from ycsbook.ingest.log.labels import shape, variant
from ycsbook.messages.formats import DASH, change, within
from ycsbook.operations import TOTAL, WRITES
from ycsbook.params.sweep import Sweep
from ycsbook.plots import style
from ycsbook.report.blocks import Column, Figure, Panel
from ycsbook.scaling import Analysis
from ycsbook.scaling.cells import is_throttled
from ycsbook.scaling.points import loads, slowest_p99_us, usable, with_throughput
from ycsbook.scaling.repeats import spec_or_run_id
from ycsbook.tables import Tables, dicts
from ycsbook.units import BYTES_PER_GIB
from ycsbook.verdicts import Outcome

# A spec's name that says its size and no more.
_SIZE = re.compile(r"[\d.]+c(?:[\d.]+g)?")
# A version that does not name its product, as `PostgreSQL 16` does.
_VERSION = re.compile(r"[vV]?\d")
# What a figure of single rows keeps of each, besides what it draws.
_KEPT = ["run_id", "workload", "spec", "cores", "ram_gib", "threads", "outcome", "grade", "y"]
# The operations of a planned workload, in the order in which its title names them.
_OPERATIONS = ("read", "update", "insert", "scan", "readmodifywrite")


class ReportRows:
    """The rows of a sweep's tables sorted into what counts, what is published and what was left out. `points` holds
    completed runs and published rows, with columns added: `y` and `y_column` (ops/s, the throughput the report is
    about, and where it comes from; see with_throughput), `ral_us`, `wal_us` and `all_us` (mean latencies), `p99_us`
    (the 99th percentile of the slowest operation), `label` (the spec as its vendor or params file spells it) and `name`
    (what the report calls it). `loads` are the same of loading beside runs. `set_aside` holds the runs whose operations
    failed beside repeats whose did not, and early rounds; they are `left_out` as well. `text(key, ...)` says a message
    in the report's language, `drawn(key, ...)` in that of its pictures; `say(fact)` and `drawn_say(fact)` say a fact.
    Raises MessageError: there is no catalogue of the sweep's language."""

    def __init__(self, sweep: Sweep, tables: Tables):
        self.sweep, self.tables = sweep, tables
        self.lang = sweep.report.lang
        self.drawn_lang = style.drawn_language(self.lang)
        self.text, self.say = (partial(write, lang=self.lang) for write in (messages.text, messages.say))
        self.drawn, self.drawn_say = (partial(write, lang=self.drawn_lang) for write in (messages.text, messages.say))
        # What a search asked for is no throughput that the server has.
        searched = tables.runs["target_ops_s"].notna() & sweep.search_rate
        points = with_throughput(tables.runs[~searched])
        done = usable(tables.runs[~searched])
        called = points.drop_duplicates("spec").set_index("spec")["called"]
        done["called"] = done["spec"].map(called).fillna("")
        self.set_aside = done[~done["run_id"].isin(points["run_id"])]
        self.points = self._with_names(points)
        self.searched = tables.runs[searched & (tables.runs["outcome"] == Outcome.COMPLETED)]
        counts = tables.runs["outcome"].isin([Outcome.COMPLETED, Outcome.PUBLISHED])
        self.left_out = tables.runs[~counts | tables.runs["run_id"].isin(self.set_aside["run_id"])]

    def _with_names(self, points: pd.DataFrame) -> pd.DataFrame:
        """Rows as points.with_throughput gives them, sorted, with what specs are called and with latencies."""
        # Runs of a server that nobody names are no repeats of one another.
        points["spec"] = spec_or_run_id(points)
        points["label"] = points["spec_label"].where(points["spec_label"] != "", points["spec"])
        points["name"] = points["label"].map(self._names(points, self.lang))
        for name, of in (("ral_us", ["READ"]), ("wal_us", WRITES), ("all_us", [TOTAL])):
            points[name] = points["run_id"].map(mean_latency(self.tables.operations, of)).astype(float)
        used = with_latency(points, self.tables.operations)["utilisation"]
        points["throttled"] = is_throttled(points, used)
        points["p99_us"] = points["run_id"].map(slowest_p99_us(self.tables.percentiles)).astype(float)
        return points.sort_values(["workload", "cores", "ram_gib", "threads", "repeat"]).reset_index(drop=True)

    @cached_property
    def loads(self) -> pd.DataFrame:
        rows = loads(self.tables.runs)
        return self._with_names(with_throughput(rows)) if len(rows) else self.points.head(0)

    @cached_property
    def published(self) -> pd.DataFrame:
        return self.points[self.points["outcome"] == Outcome.PUBLISHED]

    @cached_property
    def measured(self) -> pd.DataFrame:
        return self.points[self.points["outcome"] == Outcome.COMPLETED]

    @cached_property
    def fitted(self) -> pd.DataFrame:
        """The rows that the report is about: measured runs where there are any, else the published ones."""
        return headline(self.points)

    @property
    def has_figures(self) -> bool:
        """Whether any row has a throughput or a latency, by which it may be judged."""
        latencies = self.points[["ral_us", "wal_us", "all_us", "p99_us"]].notna().any(axis=None)
        return bool((self.points["y"] > 0).any() or latencies)

    @property
    def ram_unit(self) -> str:
        """GB as vendors write it, GiB where a row is our own."""
        return "GB" if (self.points["vendor"] != "").all() else "GiB"

    @property
    def both(self) -> bool:
        return not (self.measured.empty or self.published.empty)

    @property
    def workloads(self) -> list[str]:
        """Workloads in the sweep's order, then any others."""
        present = set(self.points["workload"])
        order = [w.name for w in self.sweep.workloads if w.name in present]
        return order + sorted(present - set(order))

    def by_workload(self, frame: pd.DataFrame) -> Iterator[tuple[int, str, pd.DataFrame]]:
        """The rows of each workload that has any: its place among all, from 1, its name and its rows."""
        for place, workload in enumerate(self.workloads, 1):
            if not (rows := frame[frame["workload"] == workload]).empty:
                yield place, workload, rows

    def workload_title(self, name: str) -> str:
        """`50 % reads, 50 % updates`, with the workload's name where that does not tell it apart."""
        return self.say(self.workload(name))

    def workload(self, name: str) -> Fact:
        shares = self._shares[name]
        alike = sum(other == shares for other in self._shares.values()) > 1
        parts = [fact("report-share", operation=operation, share=share) for operation, share in shares]
        if not shares:
            return fact("report-workload-unknown", name=name, named=bool(name))
        return fact("report-workload-named" if alike else "report-workload", name=name, shares=parts)

    @property
    def terms(self) -> str:
        """The explanations of the first mix, of mixes with a name, and of ops/s."""
        mixes = {workload: self.mix(workload) for workload in self.workloads if len(self._shares[workload]) > 1}
        first = next(iter(mixes), None)
        terms = [
            fact("short-term", mix=mix, shares=[fact("report-share", operation=o, share=s) for o, s in self._shares[w]])
            for w, mix in mixes.items()
            if w == first or mix.values["reads"] is None
        ]
        return self.text("short-terms", terms=terms, n=len(terms))

    def mix(self, workload: str) -> Fact:
        """The name of a workload in sentences: `50:50`."""
        return names.mix(self.points[self.points["workload"] == workload].iloc[0])

    @cached_property
    def _shares(self) -> dict[str, tuple[tuple[str, float], ...]]:
        """The operations of each workload with their shares: as planned, else reads and writes as far as known."""
        planned = {w.name: [(kind, getattr(w, kind)) for kind in _OPERATIONS] for w in self.sweep.workloads}
        shares: dict[str, tuple[tuple[str, float], ...]] = {}
        for workload, reads in self.points.groupby("workload")["read_fraction"].mean().items():
            reads_and_writes = [("read", reads), ("write", 1 - reads)] if not isnan(reads) else []
            operations = planned.get(workload, reads_and_writes)
            shares[str(workload)] = tuple((kind, share) for kind, share in operations if share > 0)
        return shares

    @cached_property
    def drawn_names(self) -> dict[str, str]:
        """The name of each spec in pictures, by its slug; never a long text."""
        by_label = self._names(self.points, self.drawn_lang)
        labels = dict(zip(self.points["spec"], self.points["label"], strict=True))
        return {spec: style.spec_name(by_label[label], spec) for spec, label in labels.items()}

    @cached_property
    def names(self) -> dict[str, str]:
        return dict(zip(self.points["spec"], self.points["name"], strict=True))

    @staticmethod
    def _names(points: pd.DataFrame, lang: str) -> dict[str, str]:
        """The name of each spec in a language, by its label: its shape, unless the label says more."""
        # The vendor's row first: its shape is in GB.
        rows = points[["vendor", "label", "called", "cores", "ram_gib", "spec", "run_id"]]
        rows = rows.sort_values("vendor", ascending=False, kind="stable").drop_duplicates("label")
        called = {}
        for row in dicts(rows):
            label, spec = row["label"], shape(row["label"])
            is_shape = spec and spec.label == label and (spec.cores, spec.ram_gib) == (row["cores"], row["ram_gib"])
            shaped = (is_shape and not variant(label)) or _SIZE.fullmatch(label)
            keeps = not shaped or (lang == "zh" and style.is_cjk(label))
            called[label] = label if keeps else messages.say(names.spec(row), lang)
        alike = pd.Series(called).duplicated(keep=False) if called else {}
        return {label: label if alike[label] else name for label, name in called.items()}

    @property
    def server(self) -> str:
        return self._server(self.sweep.server.topology)

    def _server(self, topology: str = "") -> str:
        versions = self._versions
        if not (self.product or versions):
            return self.text("report-server-unknown")
        return self.text("report-server", kind=self.product or None, versions=versions, topology=topology)

    @property
    def _versions(self) -> list[str]:
        versions = sorted({v for v in self.points["server_version"] if v}) or [self.sweep.server.version]
        bare = [version for version in versions if _VERSION.match(version)]
        if len(bare) < len(versions) and self.sweep.planned:
            # Beside a product that is named the other one is, too.
            versions = [f"MongoDB {version}" if version in bare else version for version in versions]
        return [version for version in versions if version]

    @property
    def product(self) -> str:
        """MongoDB or MariaDB; empty where a version names another product itself, or nobody says, as of logs alone."""
        if any(not _VERSION.match(version) for version in self._versions):
            return ""
        return "MongoDB" if self.sweep.planned or self.points["server_id"].ne("").any() else ""

    @property
    def date(self) -> str:
        return self.dated or self.text("report-date-unknown")

    @property
    def dated(self) -> str:
        """When it was measured, or when the source says; empty where neither does."""
        days = sorted({s[:10] for s in self.fitted["started_at"] if s})
        if days:
            return days[0] if len(days) == 1 else self.text("report-dates", first=days[0], last=days[-1])
        return self.sweep.source.date if self.sweep.source else ""

    @property
    def title(self) -> str:
        """The report's title: as the params file says, on a Chinese page not in English where the source's
        publisher, server and date say as much."""
        sweep = self.sweep
        title = sweep.title or sweep.name
        if self.lang != "zh" or style.is_cjk(title) or sweep.source is None:
            return title
        publisher = sweep.source.publisher or sweep.name
        return self.text("report-title", publisher=publisher, server=self._server(), date=self.dated or None)

    def cores_ways(self, lang: str) -> list[str]:
        """How the cores of the measured runs were brought about, in a language; none where nobody says."""
        ways = self.measured["cores_enforced_by"].unique()
        return [messages.text("method-cores-way", lang, way=way) for way in ways if way]

    def law(self, name: str) -> str:
        return self.text("law-name", law=name)

    def series(self, analysis: Analysis) -> Callable[[str], str]:
        return lambda group: self.say(self.series_fact(analysis, group))

    def series_fact(self, analysis: Analysis, group: str) -> Fact:
        series = analysis.series[group]
        parts = [self.mix(part) if part in self._shares else part for part in series.values["parts"]]
        return fact(series.key, **{**series.values, "parts": parts})

    def times(self, ratio: float, low: float = nan, high: float = nan) -> str:
        """A ratio, in as many digits as its interval allows: ×1.85."""
        return self.text("report-times", ratio=ratio, low=low, high=high)

    def percent(self, share: float) -> str:
        return self.text("report-percent", share=share)

    def span(self, low: float, high: float) -> str:
        """An interval; a dash where neither end is known, and one figure where both read the same."""
        ends = {"low": within(low, low, high), "high": within(high, low, high)}
        # A dash, or one figure that both ends read as.
        return ends["low"] if len(set(ends.values())) == 1 else self.text("report-span", **ends)

    def effect(self, value: float, low: float, high: float) -> str:
        """An effect, a fraction, with its interval: `−62 % (−64 % to −60 %)`; empty where it is not known."""
        texts = {"value": change(value), "low": change(low), "high": change(high)}
        if texts["value"] == DASH:
            return ""
        return texts["value"] if DASH in texts.values() else self.text("report-effect", **texts)

    def first_that_holds_the_data(self, points: pd.DataFrame) -> Fact | None:
        """The smallest spec whose default cache holds the data set; None if that is not known, or all do."""
        if not self.sweep.planned or self.product != "MongoDB":
            return None
        specs = points.drop_duplicates("spec").sort_values(["cores", "ram_gib"])
        holding = specs[specs["cache_gib"].fillna((specs["ram_gib"] - 1) / 2) >= self.data_gib]
        if holding.empty or len(holding) == len(specs):
            return None
        return fact("short-holds", spec=names.spec(holding.iloc[0]), data=self.data_gib * BYTES_PER_GIB / 1e9)

    @property
    def data_gib(self) -> float:
        """The size of the data in GiB, as measured or stated, else as planned; NaN where nobody says."""
        sweep, data_bytes = self.sweep, float(self.points["data_bytes"].median())
        planned = sweep.records * sweep.field_count * sweep.field_length if sweep.planned else nan
        return (planned if isnan(data_bytes) else data_bytes) / BYTES_PER_GIB

    def joined(self, mark: str, parts: Iterable[str]) -> str:
        """Texts, any number of any length, with what stands between them: commas, clauses or sentences."""
        return self.text(f"list-{mark}", rest="", last="").join(parts)

    def sentence(self, title: str) -> str:
        """The lines of a picture's title as a sentence: the first names what the others speak of."""
        first, *more = title.splitlines()
        if more:
            first = self.text("report-title-line", rest=first, last=self.joined("clauses", more))
        return self.text("report-stop", text=first)

    def panel(
        self, name: str, key: str, title: Fact | tuple[str, str], draw: Callable, *, height: float,
        **values: object,
    ) -> Panel:  # fmt: skip
        """A picture whose alternative text is the message KEY-alt of these values and the `finding`. Its title is a
        fact, or the text of one on the page and in the picture; `draw` draws on axes, given `title` and `lang`."""
        text, drawn = title if isinstance(title, tuple) else (self.say(title), self.drawn_say(title))
        with style.picture(height) as (picture, axes):
            draw(axes, title=drawn, lang=self.drawn_lang)
        return Panel(picture, name, self.text(f"{key}-alt", finding=self.sentence(text), **values))

    def figure(self, key: str, panels: Iterable[Panel], frame: pd.DataFrame, **values: object) -> Figure:
        """Panels and the data behind them, whose caption is the message KEY-caption of these values and `caption`."""
        return Figure(tuple(panels), self.text(f"{key}-caption", **self.caption, **values), frame)

    def figure_of_each(
        self, name: str, column: str, points: pd.DataFrame, *, draw: Callable, values: Callable, **shown: bool
    ) -> Figure | None:
        """A panel per workload that has points, as NAME-1 and so on, with the messages NAME-title, -alt and -caption;
        None where none has. column: the column that is drawn, by `draw`. values: of the title, from a panel's points
        and what specs are called. shown: what the caption explains, if it is there."""

        def panel(place: int, workload: str, rows: pd.DataFrame) -> Panel:
            title = tuple(
                text(f"{name}-title", workload=self.workload(workload), **values(rows, names))
                for text, names in ((self.text, self.names), (self.drawn, self.drawn_names))
            )
            return self.panel(f"{name}-{place}", name, title, partial(draw, points=rows), height=3.8)

        panels = [panel(*part) for part in self.by_workload(points)]
        return self.figure(name, panels, points[[*_KEPT, column]], n=len(points), **shown) if panels else None

    def columns(self, key: str, shows: Mapping[str, Callable], bars: Collection[str] = ()) -> tuple[Column, ...]:
        """Columns of a table that are headed by the message KEY of their names: how each prints its values, texts at
        the left; those in `bars` with a bar beneath."""
        return tuple(
            Column(name, self.text(key, column=name), show, "left" if show is str else "right", name * (name in bars))
            for name, show in shows.items()
        )

    @property
    def caption(self) -> dict[str, str]:
        return {"dataset": self.title, "server": self.server, "date": self.date}


def headline(points: pd.DataFrame) -> pd.DataFrame:
    """The measured ones of these points where there are any, else all, which are published."""
    measured = points[points["outcome"] == Outcome.COMPLETED]
    return points if measured.empty else measured
