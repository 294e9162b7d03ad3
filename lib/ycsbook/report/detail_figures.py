"""The figures of the details: what more threads change, throughput per core, latency against throughput, the share of
the threads' time that is accounted for, and CPU time per operation; each from the rows that the report speaks about."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from ycsbook import closed_loop, trust, units
from ycsbook.facts import fact
from ycsbook.plots import scaling as plot
from ycsbook.plots import threads
from ycsbook.report.blocks import Figure, Panel
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short

# A change beyond this is a colour of its own in the heat map, and counts in its title.
LITTLE = 0.10
# More specs than this are a table, not a picture.
MOST = 40
_KEPT = ["run_id", "workload", "spec", "cores", "ram_gib", "threads", "outcome", "grade"]


def changes(rows: ReportRows, short: Short) -> Figure | None:
    """A heat map of specs and workloads: what the most threads change against the fewest; None without such pairs."""
    pairs = short.changes
    if pairs.empty:
        return None
    drawn = farthest(pairs)
    order = drawn.drop_duplicates("spec").sort_values(["cores", "ram_gib", "spec"])["spec"]
    workloads = [w for w in rows.workloads if (drawn["workload"] == w).any()]
    drawn = drawn.assign(doubtful=drawn["grade"].isin(trust.DOUBTFUL))
    table, doubtful = (
        drawn.pivot_table(index="spec", columns="workload", values=value, aggfunc="first").loc[order, workloads]
        for value in ("change", "doubtful")
    )
    doubtful = doubtful.notna() & doubtful.eq(True)
    table = table.set_axis([rows.drawn_names[spec] for spec in order])
    table.columns = [rows.drawn_say(rows.mix(workload)) for workload in workloads]
    values = {
        "low": pairs["threads_low"].min(), "threads": pairs["threads_high"].max(), "total": len(pairs),
        "loss": int((pairs["change"] < -LITTLE).sum()), "gain": int((pairs["change"] > LITTLE).sum()),
        "doubtful": int(pairs["grade"].isin(trust.DOUBTFUL).sum()),
    }  # fmt: skip
    panel = rows.panel(
        "heat", "heat", fact("heat-title", **values), partial(threads.heat_map, table=table, doubtful=doubtful),
        height=1.2 + 0.25 * len(table),
    )  # fmt: skip
    frame = drawn[["workload", "spec", "threads_low", "threads_high", "low", "high", "change", "grade"]]
    return Figure((panel,), rows.text("heat-caption", **rows.caption, n=pairs["spec"].nunique()), frame)


def farthest(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that a picture has room for: those of the specs that change most, in their order."""
    far = np.log1p(pairs["change"]).abs().groupby(pairs["spec"]).max().nlargest(MOST, keep="all").index[:MOST]
    return pairs[pairs["spec"].isin(far)]


def per_core(rows: ReportRows, short: Short) -> Figure | None:
    """Throughput per core over cores, a panel per workload."""

    def values(here: pd.DataFrame, names: dict[str, str]) -> dict[str, object]:
        sound = here[~here["grade"].isin(trust.DOUBTFUL)]
        best = (here if sound.empty else sound).nlargest(1, "per_core").iloc[0]
        return {"threads": best["threads"], "ops": best["per_core"], "spec": names[best["spec"]]}

    points = short.points[short.points["cores"] > 0]
    points = points.assign(per_core=points["y"] / points["cores"])
    draw = partial(plot.facet, per_core=True)
    return _figure(rows, "per-core", "per_core", points, draw=draw, values=values)


def latency(rows: ReportRows, short: Short) -> Figure | None:
    """Mean latency against throughput, a panel per workload; None where no mean latency is known."""

    def values(here: pd.DataFrame, _: dict[str, str]) -> dict[str, object]:
        used, most = here["utilisation"], closed_loop.MAX_UTILISATION
        return {"total": len(here), "above": int((used > most).sum()), "near": int(used.between(2 - most, most).sum())}

    points = _with_utilisation(rows, short)
    return _figure(rows, "loop", "latency_us", points, draw=plot.latency_throughput, values=values)


def utilisation(rows: ReportRows, short: Short) -> Figure | None:
    """Throughput x latency / threads of every row, a panel per workload; None where no mean latency is known."""

    def values(here: pd.DataFrame, _: dict[str, str]) -> dict[str, object]:
        limit = closed_loop.MAX_UTILISATION
        return {"n": int((here["utilisation"] > limit).sum()), "total": len(here), "limit": limit}

    points = _with_utilisation(rows, short).query("cores > 0")
    return _figure(rows, "utilisation", "utilisation", points, draw=plot.utilisation, values=values)


def cpu(rows: ReportRows, short: Short) -> Figure | None:
    """The server's CPU time per operation, a panel per workload; None where its CPU is not known."""
    points = short.points
    points = points.assign(cpu_us=points["cores"] * points["cpu_utilisation"] / points["y"] * units.US_PER_S)
    return _figure(
        rows, "cpu", "cpu_us", points[points["cpu_us"] > 0], draw=plot.cpu_per_operation,
        values=lambda here, _: {"low": here["cpu_us"].min(), "high": here["cpu_us"].max()},
    )  # fmt: skip


def _figure(
    rows: ReportRows, name: str, shown: str, points: pd.DataFrame, *, draw: Callable, values: Callable
) -> Figure | None:
    """A panel per workload that has points, as NAME-1 and so on; its texts are the messages NAME-title, -alt, -caption.

    Parameters
        shown: the column that is drawn, by `draw`.
        values: of the title, from a panel's points and what specs are called.
    """

    def panel(place: int, workload: str, here: pd.DataFrame) -> Panel:
        title = tuple(
            text(f"{name}-title", workload=rows.workload(workload), **values(here, names))
            for text, names in ((rows.text, rows.names), (rows.drawn, rows.drawn_names))
        )
        return rows.panel(f"{name}-{place}", name, title, partial(draw, points=here), height=3.8)

    if not (panels := tuple(panel(*part) for part in rows.by_workload(points))):
        return None
    caption = rows.text(f"{name}-caption", **rows.caption, n=len(points))
    return Figure(panels, caption, points[[*_KEPT, "y", shown]])


def _with_utilisation(rows: ReportRows, short: Short) -> pd.DataFrame:
    """The rows spoken about with U = X R / N, and the mean latency R; those without are left out. `y` is the whole
    run's throughput, as R is its latency."""
    points = closed_loop.with_latency(short.points, rows.tables.operations)
    points = points.assign(y=points["throughput_ops_s"])
    return points[(points["latency_us"] > 0) & (points["y"] > 0)]
