"""Latency over throughput, a point for each run and operation."""

from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter

from ycsbook.explore import words
from ycsbook.explore.hover import Hovered, Mark
from ycsbook.plots import style
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables

_HEIGHT, _WIDTH = 4.6, 8.4
_MARKERS = "osD^vP"


def throughput_latency(tables: Tables, *, workload: str = "", lang: str = "en") -> Hovered:
    """Mean latency over throughput, one point per run and kind of operation; both axes logarithmic.

    In a closed loop throughput x mean latency = threads: a dashed line for each thread count, on which the mean over
    all operations lies when the client does nothing but wait for the server.

    Parameters
        tables: at least runs and operations.
        workload: of this workload only; empty: of all.
        lang: en or zh.
    """
    language = words.of(lang)
    runs = with_throughput(tables.runs)
    runs = runs[runs["y"].gt(0) & (runs["workload"].eq(workload) if workload else True)]
    timed = tables.operations[~tables.operations["operation"].isin(words.NOT_ASKED)]
    means = timed[timed["mean_us"].gt(0)]
    frame = means[["run_id", "operation", "mean_us"]].merge(runs, on="run_id")
    said = {row["run_id"]: row for row in runs.to_dict("records")}
    latencies = words.latencies(tables.operations)
    colours = style.thread_colours(frame["threads"])
    kinds = dict(zip(sorted(frame["operation"].unique()), _MARKERS, strict=False))
    with style.theme():
        picture, axes = style.panel(height=_HEIGHT, width=_WIDTH)
        axes.set(
            xscale="log", yscale="log", xlabel=language.drawn["throughput_axis"], ylabel=language.drawn["latency_axis"]
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
        style.title(axes, language.workload(workload, drawn=True))
        style.legend(picture, [*style.thread_handles(frame["threads"], language.words), *_operations(kinds)])
    marks = tuple(
        Mark(run_id, y, mean, (operation.lower(), *language.lines(said[run_id], latencies.get(run_id, {}))))
        for run_id, y, mean, operation in zip(
            frame["run_id"], frame["y"], frame["mean_us"], frame["operation"], strict=True
        )
    )
    return Hovered(picture, marks, language.texts["latency_alt"])


def _operations(kinds: dict[str, str]) -> list[Line2D]:
    return [
        Line2D([], [], color=style.MUTED, marker=marker, linestyle="none", label=name.lower())
        for name, marker in kinds.items()
    ]
