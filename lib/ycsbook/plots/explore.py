"""Pictures for looking around in a notebook: one throughput-latency map, and one chosen by widgets."""

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from ycsbook.plots import scaling, style
from ycsbook.scaling import Analysis
from ycsbook.scaling.points import throughput_column, usable
from ycsbook.tables import Tables

ALL = "all"


def throughput_latency(tables: Tables) -> Figure:
    """Mean latency over throughput, one point per run and kind of operation; both axes logarithmic.

    In a closed loop throughput x latency = threads, so each thread count falls on a line of its own.
    """
    means = tables.operations[tables.operations["operation"].isin(["READ", "UPDATE"])]
    runs = usable(tables.runs)
    y = throughput_column(runs)
    frame = means.merge(runs[["run_id", "spec", "workload", "threads", y]], on="run_id")
    palette = {threads: colour for threads, colour in style.thread_colours(frame["threads"]).items()}
    with style.theme():
        figure, axes = style.panel(height=4.8, width=8.0)
        sns.scatterplot(
            frame, x=y, y="mean_us", hue="threads", style="operation", size="workload", sizes=(40, 70),
            palette=palette, alpha=0.8, ax=axes,
        )  # fmt: skip
        axes.set(xscale="log", yscale="log", xlabel="throughput (ops/s)", ylabel="mean latency (us)")
        sns.move_legend(axes, "center left", bbox_to_anchor=(1.01, 0.5))
        style.title(axes, "Throughput and latency of every run")
    return figure


def scaling_of(tables: Tables, analysis: Analysis, *, workload: str, threads: float | str, law: str) -> Figure:
    """Throughput over cores for one workload, one law, and one or all thread counts."""
    runs = usable(tables.runs)
    points = _chosen(runs[runs["workload"] == workload], threads)
    curves = _chosen(
        analysis.curves[(analysis.curves["workload"] == workload) & (analysis.curves["law"] == law)], threads
    )
    with style.theme():
        figure, axes = style.panel(height=4.8, width=8.0)
        scaling.facet(axes, points, curves, y=throughput_column(runs), title=f"Workload {workload}, {law} law")
        scaling.legend(figure, points, law=law)
    return figure


def chooser(tables: Tables, analysis: Analysis):
    """Widgets for workload, threads and law above the plot they change."""
    import ipywidgets

    runs = usable(tables.runs)
    return ipywidgets.interactive(
        lambda workload, threads, law: scaling_of(tables, analysis, workload=workload, threads=threads, law=law),
        workload=sorted(runs["workload"].unique()),
        threads=[(f"{t:g}", t) for t in sorted(runs["threads"].unique())] + [(ALL, ALL)],
        law=sorted(analysis.curves["law"].unique()),
    )


def _chosen(frame: pd.DataFrame, threads: float | str) -> pd.DataFrame:
    return frame if threads == ALL else frame[frame["threads"] == threads]
