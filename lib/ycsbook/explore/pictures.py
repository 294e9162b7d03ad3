"""The pictures of the panels: throughput over cores, latency over throughput, throughput over time."""

from collections.abc import Collection

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from ycsbook import messages
from ycsbook.anomalies import Settings
from ycsbook.anomalies.series import course, series
from ycsbook.anomalies.stall import stretches
from ycsbook.explore import words
from ycsbook.explore.hover import Hovered, Mark
from ycsbook.plots import measured, scaling, style
from ycsbook.scaling import Analysis
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables

ALL = "all"
BEST = "best"
"""Instead of a law: in each group the law that the analysis shows first."""
# Inches.
_HEIGHT, _SERIES_HEIGHT, _WIDTH = 4.6, 3.6, 8.4
_MARKERS = "osD^vP"
_KEYS = ["group", "workload", "threads", "outcome", "law"]
_VALUES = ("fitted", "conf_low", "conf_high")


def scaling_of(
    tables: Tables, analysis: Analysis, *, workload: str, threads: float | str = ALL, law: str = BEST,
    flagged: dict[str, int] | None = None, lang: str = "en",
) -> Hovered:  # fmt: skip
    """Throughput over cores for one workload, one law, and one or all thread counts.

    Parameters
        threads: a thread count, or ALL.
        law: a law's name, or BEST.
        flagged: run id to rank, 0 the worst: ringed and named.
        lang: of the words, such as en.
    """
    language = words.of(lang)
    runs = with_throughput(tables.runs)
    points = chosen(runs[runs["workload"].eq(workload) & runs["y"].notna() & runs["cores"].gt(0)], threads)
    drawn = curves(analysis, law)
    drawn = chosen(drawn[drawn["workload"].eq(workload)], threads)
    # What is refused is not drawn, and not announced.
    laws = _laws(analysis, workload, threads, law) if len(drawn) else []
    latencies = words.latencies(tables.operations)
    with style.theme():
        picture, axes = style.panel(height=_HEIGHT, width=_WIDTH)
        if len(points):
            heading = language.drawn("explore-workload-title", workload=workload or None)
            title = language.drawn("explore-workload-law", workload=heading, **words.laws(laws))
            scaling.facet(axes, points, drawn, y="y", flagged=flagged, title=title, lang=language.drawn_lang)
            law_name = language.drawn("explore-laws", **words.laws(laws)) if len(drawn) else ""
            scaling.legend(picture, points, law=law_name, flagged=bool(flagged), lang=language.drawn_lang)
    marks = tuple(
        Mark(row["run_id"], row["cores"], row["y"], language.lines(row, latencies.get(row["run_id"], {})))
        for row in points.to_dict("records")
    )
    alt = language.text("explore-scaling-alt", workload=workload, runs=len(points), **words.laws(laws))
    return Hovered(picture, marks, alt)


def curves(analysis: Analysis, law: str) -> pd.DataFrame:
    """The curves of a law, or of each group's law shown first, with the columns of fit_curves.

    The analysis draws the law shown first and the USL at many places; another law is known at the cores that were
    measured, which is enough for a line between them.
    """
    all_curves = analysis.curves
    if law == BEST:
        return all_curves.merge(analysis.choices[_KEYS], on=_KEYS)
    of_law = all_curves[all_curves["law"].eq(law)]
    others = analysis.augment[analysis.augment["law"].eq(law) & ~analysis.augment["group"].isin(of_law["group"])]
    columns = [*_KEYS, "cores", *_VALUES, "extrapolated"]
    if others.empty:
        return of_law[columns]
    places = others.groupby([*_KEYS, "cores"], as_index=False, dropna=False)[list(_VALUES)].mean()
    # All laws of a group are fitted to the same points: beyond these stand lower bounds.
    inside = all_curves[~all_curves["extrapolated"].astype(bool)].groupby("group")["cores"].agg(["min", "max"])
    low, high = (places["group"].map(inside[end]) for end in ("min", "max"))
    places["extrapolated"] = places["cores"].lt(low * 0.999) | places["cores"].gt(high * 1.001)
    return pd.concat([part[columns] for part in (of_law, places) if len(part)], ignore_index=True)


def _laws(analysis: Analysis, workload: str, threads: float | str, law: str) -> list[str]:
    """The names of what is drawn: the law, or those shown first."""
    if law != BEST:
        return [law]
    choices = chosen(analysis.choices[analysis.choices["workload"].eq(workload)], threads)
    return sorted(set(choices["law"]) - {""})


def sentences(analysis: Analysis, *, workload: str, threads: float | str, law: str, lang: str = "en") -> list[str]:
    """What may be said of each group that is drawn: the analysis' sentence, or how well the chosen law fits."""
    language = words.of(lang)
    text = language.text
    if law == BEST:
        rows = chosen(analysis.choices[analysis.choices["workload"].eq(workload)], threads)
        pairs = zip(rows["group"], messages.facts_of(rows, "sentence"), strict=True)
        return [text("report-of-series", series=analysis.series[group], text=sentence) for group, sentence in pairs]
    rows = analysis.glance[analysis.glance["workload"].eq(workload) & analysis.glance["law"].eq(law)]
    return [
        text(
            "explore-law-fits", group=analysis.series[row["group"]], scatter=row["residual_se"],
            verdict=messages.fact_of(row, "verdict"), **words.laws([law]),
        )
        if row["converged"]
        else text("report-of-series", series=analysis.series[row["group"]], text=messages.fact_of(row, "verdict"))
        for row in chosen(rows, threads).to_dict("records")
    ]  # fmt: skip


def chosen(frame: pd.DataFrame, threads: float | str) -> pd.DataFrame:
    """The rows of one thread count, or all."""
    return frame if threads == ALL else frame[frame["threads"] == threads]


def throughput_latency(tables: Tables, *, workload: str = "", lang: str = "en") -> Hovered:
    """Mean latency over throughput, one point per run and kind of operation; both axes logarithmic.

    In a closed loop throughput x mean latency = threads: a dashed line for each thread count, on which the mean over
    all operations lies when the client does nothing but wait for the server.

    Parameters
        tables: at least runs and operations.
        workload: of this workload only; empty: of all.
        lang: of the words, such as en.
    """
    language = words.of(lang)
    runs = with_throughput(tables.runs)
    runs = runs[runs["y"].gt(0) & (runs["workload"].eq(workload) if workload else True)]
    timed = tables.operations[~tables.operations["operation"].isin(words.NOT_ASKED)]
    means = timed[timed["mean_us"].gt(0)]
    frame = means[["run_id", "operation", "mean_us"]].merge(runs, on="run_id")
    by_id = {row["run_id"]: row for row in runs.to_dict("records")}
    latencies = words.latencies(tables.operations)
    colours = style.thread_colours(frame["threads"])
    kinds = dict(zip(sorted(frame["operation"].unique()), _MARKERS, strict=False))
    with style.theme():
        picture, axes = style.panel(height=_HEIGHT, width=_WIDTH)
        axes.set(
            xscale="log",
            yscale="log",
            xlabel=language.drawn("explore-throughput-axis"),
            ylabel=language.drawn("explore-latency-axis"),
        )
        for (threads, operation), part in frame.groupby(["threads", "operation"]):
            axes.plot(
                part["y"], part["mean_us"], linestyle="none", marker=kinds.get(operation, "o"), markersize=5.5,
                color=colours[float(threads)], alpha=0.75, markeredgecolor=style.PAPER, markeredgewidth=0.5,
            )  # fmt: skip
        ends = [frame["y"].min(), frame["y"].max()]
        for threads, colour in colours.items() if len(frame) else ():
            axes.plot(ends, [threads * 1e6 / y for y in ends], color=colour, linewidth=0.9, linestyle=(0, (4, 3)))
        for axis, shown in ((axes.xaxis, style.ops), (axes.yaxis, style.milliseconds)):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(lambda value, _, shown=shown: shown(value))
            axis.set_minor_formatter(NullFormatter())
        style.title(axes, language.drawn("explore-workload-title", workload=workload or None))
        style.legend(picture, [*style.thread_handles(frame["threads"], language.drawn_lang), *_operations(kinds)])
    marks = tuple(
        Mark(run_id, y, mean, (operation.lower(), *language.lines(by_id[run_id], latencies.get(run_id, {}))))
        for run_id, y, mean, operation in zip(
            frame["run_id"], frame["y"], frame["mean_us"], frame["operation"], strict=True
        )
    )
    return Hovered(picture, marks, language.text("explore-latency-alt"))


def _operations(kinds: dict[str, str]) -> list[Line2D]:
    return [
        Line2D([], [], color=style.MUTED, marker=marker, linestyle="none", label=name.lower())
        for name, marker in kinds.items()
    ]


def series_of(
    tables: Tables, run_ids: Collection[str], *, title: str = "", alt_title: str = "", lang: str = "en"
) -> Hovered | None:
    """The throughput of some runs over time, warm-up shaded and stalls marked; None where none has a series.

    Vendors publish means only: there is no series behind a published row.

    Parameters
        title: above the picture; alt_title: the same for those who do not see it, where it differs.
        lang: of the words, such as en.
    """
    language = words.of(lang)
    throughputs = course(tables.intervals[tables.intervals["run_id"].isin(run_ids)])
    if throughputs.empty:
        return None
    runs = tables.runs[tables.runs["run_id"].isin(throughputs["run_id"])]
    frame = throughputs[["run_id", "elapsed_s", "throughput_ops_s"]].merge(
        runs[["run_id", "workload", "spec", "spec_label", "cores", "threads", "warmup_s"]], on="run_id"
    )
    frame["name"] = [style.spec_name(a, b) for a, b in zip(frame["spec_label"], frame["spec"], strict=True)]
    settings = Settings()
    limits = {name: settings.threshold("stall", name) for name in ("share", "seconds")}
    stalls = [span for run_series in series(runs, tables.intervals) for span in stretches(run_series, **limits)]
    with style.theme():
        picture, axes = style.panel(height=_SERIES_HEIGHT, width=_WIDTH)
        measured.over_time(
            axes, frame, warmup_s=frame["warmup_s"].max(), stalls=sorted(stalls), title=title, lang=language.drawn_lang
        )
        style.legend(picture, style.thread_handles(frame["threads"], language.drawn_lang))
    marks = tuple(
        Mark(row["run_id"], row["elapsed_s"], row["throughput_ops_s"], language.moment(row))
        for row in frame.to_dict("records")
    )
    n = frame["run_id"].nunique()
    alt = language.text("explore-series-alt", runs=n, title=alt_title or title)
    return Hovered(picture, marks, alt.strip())
