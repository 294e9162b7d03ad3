"""The pictures of the panels (throughput over cores, latency over throughput, throughput over time), whose points are
runs, and their words.

Among widgets a picture is matplotlib's canvas for notebooks (ipympl), with buttons to zoom, pan and save: a point says
what it is (mplcursors), and a click on it chooses its run. Elsewhere, as in exported pages, it is an SVG.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from math import nan

import numpy as np
import pandas as pd
from matplotlib.backend_bases import MouseButton, MouseEvent
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ycsbook import closed_loop, messages, names, units
from ycsbook.anomalies import Settings
from ycsbook.anomalies.evidence import course
from ycsbook.facts import Fact, fact
from ycsbook.operations import NOT_OPERATIONS
from ycsbook.plots import measured, scaling, style
from ycsbook.report import pictures
from ycsbook.report.results import stalled
from ycsbook.scaling import Analysis
from ycsbook.scaling.analysis import judged, lower_bounds
from ycsbook.scaling.claims import CLAIMED
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables, dicts

ALL = "all"
BEST = "best"
"""Instead of a law: in each group the law that is claimed, and none where none is."""
# Inches.
_HEIGHT, _SERIES_HEIGHT, _WIDTH = 4.6, 3.6, 8.4
_KEYS = ["group", "workload", "threads", "outcome", "law"]
_VALUES = ("fitted", "conf_low", "conf_high")
_RADIUS, _BESIDE = 6.0, 10.0
_ROOT = re.compile(r"<svg\b")
# Pictures of one page must not share ids: a clip of the one would be looked for in the other, which may be hidden.
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_WORDS = {
    "bbox": {"boxstyle": "round,pad=0.5", "facecolor": style.PAPER, "edgecolor": style.MUTED, "linewidth": 0.7},
    "size": 8.5, "color": style.INK, "multialignment": "left",
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A point of a picture: its run, its place in the units of the axes, and what it says, line by line."""

    run_id: str
    x: float
    y: float
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RunPicture:
    """A picture with one axes and its points. `alt` says what it shows."""

    picture: Figure
    marks: tuple[Mark, ...]
    alt: str

    def pin(self, run_ids: Collection[str]) -> None:
        """Ring the points of these runs; the first of them says its words, always."""
        axes, marks = self.picture.axes[0], [mark for mark in self.marks if mark.run_id in run_ids]
        if marks:
            axes.add_line(_points(marks, color=style.INK, fillstyle="none", markeredgewidth=1.4))
            at = axes.transAxes.inverted().transform(axes.transData.transform((marks[0].x, marks[0].y)))
            offset = np.where(at < 0.5, _BESIDE, -_BESIDE)
            axes.annotate(
                "\n".join(marks[0].lines), (marks[0].x, marks[0].y), offset, textcoords="offset points",
                ha="left" if at[0] < 0.5 else "right", va="bottom" if at[1] < 0.5 else "top", annotation_clip=True,
                zorder=9, **_WORDS,
            )  # fmt: skip

    def canvas(self, clicked: Callable[[str], None]) -> "Canvas":  # noqa: F821 (its module takes long to load)
        """The picture as a widget; `clicked` is called with the run of a point that is clicked."""
        import mplcursors
        from ipympl.backend_nbagg import Canvas, FigureManager

        canvas = Canvas(self.picture)
        FigureManager(canvas, 0)
        canvas.header_visible = canvas.footer_visible = False
        canvas.toolbar_position = "top"
        self.picture.set_facecolor(style.PAPER)
        # Pointed at and clicked are these, which nobody sees: what is drawn has a shape for each kind of server.
        points = self.picture.axes[0].add_line(_points(self.marks, alpha=0))
        words = {**_WORDS, "family": self.picture.cjk or None}
        cursor = mplcursors.cursor(points, hover=mplcursors.HoverMode.Transient, annotation_kwargs=words)
        cursor.connect("add", lambda chosen: chosen.annotation.set_text("\n".join(self.marks[chosen.index].lines)))

        def on_leave(_event: MouseEvent) -> None:
            for chosen in cursor.selections:
                cursor.remove_selection(chosen)

        def on_click(event: MouseEvent) -> None:
            # While the mouse zooms or pans it chooses nothing.
            is_choosing = event.button == MouseButton.LEFT and not canvas.toolbar.mode
            if is_choosing and (mark := self._at(points, event)):
                clicked(mark.run_id)

        canvas.mpl_connect("figure_leave_event", on_leave)
        canvas.mpl_connect("button_press_event", on_click)
        return canvas

    def svg(self, place: str = "alone") -> str:
        """The picture as SVG on white; `place`: a slug that no other picture of the page has."""
        svg = _ROOT.sub(f'<svg role="img" aria-label="{escape(self.alt)}"', pictures.svg(self.picture), 1)
        return _ID.sub(rf"\g<1>{place}-", pictures.on_paper(svg))

    def _at(self, points: Line2D, event: MouseEvent) -> Mark | None:
        is_over, over = points.contains(event)
        if not is_over:
            return None
        pixels = points.axes.transData.transform(points.get_xydata()[over["ind"]])
        return self.marks[over["ind"][np.hypot(*(pixels - (event.x, event.y)).T).argmin()]]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.svg(), "text/plain": self.alt}


def _points(marks: Collection[Mark], **options: object) -> Line2D:
    xs, ys = [mark.x for mark in marks], [mark.y for mark in marks]
    # Within reach of the mouse, so wide that a point need not be hit in the middle.
    return Line2D(xs, ys, linestyle="", marker="o", markersize=2 * _RADIUS, pickradius=_RADIUS, zorder=8, **options)


def scaling_of(
    tables: Tables, analysis: Analysis, *, workload: str, threads: float | str = ALL, law: str = BEST,
    flagged: dict[str, int] | None = None, grades: Mapping[str, str] | None = None, lang: str = "en",
) -> RunPicture:  # fmt: skip
    """Throughput over cores of a workload, with one law or each group's claimed one (BEST), one thread count or ALL.
    `flagged`: run id to rank, 0 the worst: ringed. `grades`: by run id; those in doubt are hollow."""
    language = Language(lang)
    runs = _graded(with_throughput(tables.runs), grades)
    points = chosen(runs[runs["y"].notna() & runs["cores"].gt(0)], workload, threads)
    drawn = chosen(curves(analysis, law), workload, threads)
    # What is refused is not drawn, and not announced.
    laws = sorted(set(drawn["law"]))
    of_drawn = analysis.glance.merge(drawn[["group", "law"]].drop_duplicates())["verdict_key"] == CLAIMED
    claimed = "all" if of_drawn.all() else "some" if of_drawn.any() else "none"
    mix = _mix(points, workload)
    if len(drawn):
        bounds = lower_bounds(judged(points, analysis.limits))
        points = points.assign(bound=bounds.reindex(points.index, fill_value=False))
    with style.one_meaning(tables.runs["threads"]), style.picture(_HEIGHT, _WIDTH) as (picture, axes):
        if len(points):
            title = language.drawn("explore-workload-law", mix=mix, claimed=claimed, **_named_laws(laws))
            law_name = language.drawn("explore-laws", **_named_laws(laws)) if len(drawn) else ""
            more = {"flagged": flagged, "law": law_name, "title": title, "lang": language.drawn_lang}
            scaling.facet(axes, points, drawn, **more)
    marks = _marks(points, "cores", "y", language.of_runs(tables))
    alt = language.text("explore-scaling-alt", mix=mix, runs=len(points), **_named_laws(laws))
    return RunPicture(picture, marks, alt)


def curves(analysis: Analysis, law: str) -> pd.DataFrame:
    """The curves of a law, or of each group's law where one is claimed, with the columns of fit_curves.

    The analysis draws the law shown first and the USL at many places; another law is known at the cores that were
    measured, which is enough for a line between them.
    """
    all_curves = analysis.curves
    if law == BEST:
        return all_curves.merge(analysis.choices.loc[analysis.choices["verdict_key"] == CLAIMED, _KEYS], on=_KEYS)
    of_law = all_curves[all_curves["law"].eq(law)]
    at_points = analysis.augment[analysis.augment["law"].eq(law) & ~analysis.augment["group"].isin(of_law["group"])]
    columns = [*_KEYS, "cores", *_VALUES, "extrapolated"]
    if at_points.empty:
        return of_law[columns]
    fitted = at_points.groupby([*_KEYS, "cores"], as_index=False, dropna=False)[list(_VALUES)].mean()
    # All laws of a group are fitted to the same points: beyond these stand lower bounds.
    inside = all_curves[~all_curves["extrapolated"].astype(bool)].groupby("group")["cores"].agg(["min", "max"])
    low, high = (fitted["group"].map(inside[end]) for end in ("min", "max"))
    fitted["extrapolated"] = fitted["cores"].lt(low * 0.999) | fitted["cores"].gt(high * 1.001)
    return pd.concat([part[columns] for part in (of_law, fitted) if len(part)], ignore_index=True)


def sentences(analysis: Analysis, *, workload: str, threads: float | str, law: str, lang: str = "en") -> list[str]:
    """A sentence for each group that is drawn: the analysis' own, or how well the chosen law fits."""
    sentences_drawn, text = [], Language(lang).text
    rows = analysis.choices if law == BEST else analysis.glance[analysis.glance["law"].eq(law)]
    column = "sentence" if law == BEST else "verdict"
    for row in dicts(chosen(rows, workload, threads)):
        series, sentence = analysis.series[row["group"]], messages.fact_of(row, column)
        if law == BEST or not row["converged"]:
            sentences_drawn.append(text("report-of-series", series=series, text=sentence))
        else:
            how_well = {"scatter": row["residual_se"], "verdict": sentence}
            sentences_drawn.append(text("explore-law-fits", group=series, **how_well, **_named_laws([law])))
    return sentences_drawn


def chosen(frame: pd.DataFrame, workload: str, threads: float | str) -> pd.DataFrame:
    rows = frame[frame["workload"].eq(workload)]
    return rows if threads == ALL else rows[rows["threads"] == threads]


def throughput_latency(
    tables: Tables, *, workload: str = "", grades: Mapping[str, str] | None = None, lang: str = "en"
) -> RunPicture:
    """Mean latency over throughput of one workload or all, one point per run; both axes logarithmic. A dashed line for
    each thread count shows throughput x mean latency = threads: a run lies on it when the client does nothing but
    wait for the server, and none can lie beyond."""
    language = Language(lang)
    runs = _graded(closed_loop.with_latency(with_throughput(tables.runs), tables.operations), grades)
    runs = runs.assign(y=runs["throughput_ops_s"], y_column="throughput_ops_s")
    runs = runs[runs["latency_us"].gt(0) & runs["y"].gt(0) & (runs["workload"].eq(workload) if workload else True)]
    with style.one_meaning(tables.runs["threads"]), style.picture(_HEIGHT, _WIDTH) as (picture, axes):
        title = language.drawn("explore-workload-title", mix=_mix(runs, workload) if workload else None)
        scaling.latency_throughput(axes, runs, title=title, lang=language.drawn_lang)
    marks = _marks(runs, "y", "latency_us", language.of_runs(tables))
    return RunPicture(picture, marks, language.text("explore-latency-alt"))


def series_of(
    tables: Tables, run_ids: Collection[str], *, title: str = "", alt_title: str = "", lang: str = "en"
) -> RunPicture | None:
    """The throughput of some runs over time, warm-up shaded and stalls marked; None where none has a series, as of rows
    of vendors, who publish means only. `alt_title`: the title for those who do not see it, where it differs."""
    language = Language(lang)
    throughputs = course(tables.intervals[tables.intervals["run_id"].isin(run_ids)])
    if throughputs.empty:
        return None
    runs = tables.runs[tables.runs["run_id"].isin(throughputs["run_id"])]
    frame = throughputs[["run_id", "elapsed_s", "throughput_ops_s"]].merge(
        runs[["run_id", "workload", "spec", "spec_label", "cores", "threads", "warmup_s"]], on="run_id"
    )
    frame["name"] = [style.spec_name(a, b) for a, b in zip(frame["spec_label"], frame["spec"], strict=True)]
    stalls = [span for spans in stalled(runs, tables.intervals, Settings()).values() for span in spans]
    with style.one_meaning(tables.runs["threads"]), style.picture(_SERIES_HEIGHT, _WIDTH) as (picture, axes):
        measured.over_time(
            axes, frame, warmup_s=frame["warmup_s"].max(), stalls=sorted(stalls), title=title, lang=language.drawn_lang
        )
        style.legend(picture, style.thread_handles(frame["threads"], language.drawn_lang))
    marks = _marks(frame, "elapsed_s", "throughput_ops_s", language.moment)
    alt = language.text("explore-series-alt", runs=frame["run_id"].nunique(), title=alt_title or title)
    return RunPicture(picture, marks, alt.strip())


def _graded(runs: pd.DataFrame, grades: Mapping[str, str] | None) -> pd.DataFrame:
    return runs.assign(grade=[(grades or {}).get(run_id, "") for run_id in runs["run_id"]])


def _marks(frame: pd.DataFrame, x: str, y: str, words: Callable[[dict], tuple[str, ...]]) -> tuple[Mark, ...]:
    return tuple(Mark(row["run_id"], row[x], row[y], words(row)) for row in dicts(frame))


class Language:
    """The messages in one language, and what they say of runs: `text(key, ...)`, or `say(fact)`, for a browser;
    `drawn(key, ...)` inside of a picture, in `drawn_lang`, English where no font here has the language's letters.
    Raises MessageError where there is no catalogue of that language."""

    def __init__(self, lang: str):
        self.lang, self.drawn_lang = lang, style.drawn_language(lang)
        self.text = partial(messages.text, lang=lang)
        self.drawn = partial(messages.text, lang=self.drawn_lang)
        self.say = partial(messages.say, lang=lang)

    def run(self, row: Mapping) -> str:
        run = self._shape(row)
        return run if pd.isna(row["y"]) else self.text("explore-run-line", run=run, value=row["y"])

    def lines(self, row: Mapping, latencies: Mapping[str, float]) -> tuple[str, ...]:
        """A point's words: the run, its throughput and where that comes from, its mean latencies (us), its id."""
        cpu = row["cpu_utilisation"]
        latencies_ms = {name.lower(): value / units.US_PER_MS for name, value in latencies.items()}
        means = self._listed(f"{name} {units.at_most(value, 3)} ms" for name, value in latencies_ms.items())
        return (
            self._shape(row),
            self.text("explore-throughput", value=row["y"], source=row["y_column"]),
            *([means] if means else []),
            *([self.text("explore-cpu", share=cpu)] if pd.notna(cpu) else []),
            *([self.text("explore-grade", grade=row["grade"])] if row["grade"] else []),
            row["run_id"],
        )

    def of_runs(self, tables: Tables) -> Callable[[dict], tuple[str, ...]]:
        timed = tables.operations[tables.operations["mean_us"].notna()]
        # What the client prints beside the operations of the workload is none of them.
        by_run = timed[~timed["operation"].isin(NOT_OPERATIONS)].groupby("run_id")
        latencies = {run_id: dict(zip(of["operation"], of["mean_us"], strict=True)) for run_id, of in by_run}
        return lambda row: self.lines(row, latencies.get(row["run_id"], {}))

    def moment(self, row: Mapping) -> tuple[str, ...]:
        value = self.text("explore-at", elapsed=row["elapsed_s"], value=row["throughput_ops_s"])
        return self._listed((style.spec_name(row["spec_label"], row["spec"]), self._threads(row))), value, row["run_id"]

    def _shape(self, row: Mapping) -> str:
        mix = self.say(names.mix(row)) if row["workload"] else ""
        repeat = self.text("explore-repeat", repeat=row["repeat"]) if row["repeat"] > 1 else ""
        spec = style.spec_name(row["spec_label"], row["spec"])
        return self._listed((spec, mix, self._threads(row), repeat))

    def _threads(self, row: Mapping) -> str:
        if pd.isna(row["threads"]):
            return self.text("explore-threads-unknown")
        return self.text("threads", threads=row["threads"])

    def _listed(self, parts: Iterable[str]) -> str:
        return self.text("list-commas", rest="", last="").join(filter(None, parts))


def _named_laws(laws: Iterable[str]) -> dict[str, object]:
    facts = [fact("law-name", law=name) for name in laws]
    return {"laws": facts, "n": len(facts)}


def _mix(runs: pd.DataFrame, workload: str) -> Fact:
    return names.mixes(runs).get(workload) or names.mix({"workload": workload, "read_fraction": nan})
