"""Pictures for looking around in a notebook: a throughput-latency map, and a scaling plot chosen by widgets."""

import pandas as pd
import seaborn as sns

from ycsbook.plots import scaling, style
from ycsbook.report.blocks import Figure, Panel
from ycsbook.scaling import Analysis
from ycsbook.scaling.points import usable, with_throughput
from ycsbook.tables import Tables

ALL = "all"
_HEIGHT, _WIDTH = 4.8, 8.0


def throughput_latency(tables: Tables) -> Figure:
    """Mean latency over throughput, one point per run and kind of operation; both axes logarithmic.

    In a closed loop throughput x latency = threads, so each thread count falls on a line of its own.
    """
    runs = with_throughput(tables.runs)
    means = tables.operations[tables.operations["operation"].isin(["READ", "UPDATE"])]
    frame = means.merge(runs[["run_id", "spec", "workload", "threads", "y"]], on="run_id")
    with style.theme():
        picture, axes = style.panel(height=_HEIGHT, width=_WIDTH)
        sns.scatterplot(
            frame, x="y", y="mean_us", hue="threads", style="operation", palette=style.thread_colours(frame["threads"]),
            alpha=0.8, s=45, ax=axes,
        )  # fmt: skip
        axes.set(xscale="log", yscale="log", xlabel="throughput (ops/s)", ylabel="mean latency (us)")
        sns.move_legend(axes, "center left", bbox_to_anchor=(1.01, 0.5))
        style.title(axes, "Throughput and latency of every run")
    return _shown(picture, "throughput-latency", "Mean latency over throughput, a point per run and operation.", frame)


def scaling_of(tables: Tables, analysis: Analysis, *, workload: str, threads: float | str, law: str) -> Figure:
    """Throughput over cores for one workload, one law, and one or all thread counts."""
    runs = with_throughput(tables.runs)
    points = _chosen(runs[runs["workload"] == workload], threads)
    drawn = analysis.curves["workload"].eq(workload) & analysis.curves["law"].eq(law)
    title = f"Workload {workload}, {law} law"
    with style.theme():
        picture, axes = style.panel(height=_HEIGHT, width=_WIDTH)
        scaling.facet(axes, points, _chosen(analysis.curves[drawn], threads), y="y", title=title)
        scaling.legend(picture, points, law=f"{law} law")
    return _shown(picture, "scaling", f"Throughput over cores: {title}.", points)


def chooser(tables: Tables, analysis: Analysis):
    """Widgets for workload, threads and law above the plot they change."""
    import ipywidgets
    from IPython.display import display

    def draw(workload: str, threads: float | str, law: str) -> None:
        display(scaling_of(tables, analysis, workload=workload, threads=threads, law=law))

    runs = usable(tables.runs)
    return ipywidgets.interactive(
        draw,
        workload=sorted(runs["workload"].unique()),
        threads=[(ALL, ALL), *((f"{t:g}", t) for t in sorted(runs["threads"].unique()))],
        law=sorted(analysis.curves["law"].unique()),
    )


def _chosen(frame: pd.DataFrame, threads: float | str) -> pd.DataFrame:
    return frame if threads == ALL else frame[frame["threads"] == threads]


def _shown(picture, name: str, caption: str, frame: pd.DataFrame) -> Figure:
    return Figure((Panel(picture, name, caption),), caption, frame)
