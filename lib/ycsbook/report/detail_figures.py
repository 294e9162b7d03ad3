"""The figures of the details: what more threads change, throughput per core, latency against throughput, the share of
the threads' time that is accounted for, and CPU time per operation; each from the rows that the report speaks about."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from ycsbook import closed_loop, trust, units
from ycsbook.plots import closed_loop as plot
from ycsbook.plots import scaling, style, threads
from ycsbook.report.blocks import Figure, Panel
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short

# A change beyond this is a colour of its own in the heat map, and counts in its title.
LITTLE = 0.10
# More specs than this are a table, not a picture.
MOST = 40
_KEPT = ["run_id", "workload", "spec", "cores", "ram_gib", "threads", "outcome", "grade"]


@dataclass(frozen=True)
class _Kind:
    """A kind of panel: its name, the column it shows, what draws points with a title, their legend, and the values of
    the message NAME-title of some points, in a picture or not."""

    name: str
    shown: str
    draw: Callable[..., object]
    legend: Callable[..., None]
    values: Callable[[pd.DataFrame, bool], dict[str, object]]


def changes(rows: ReportRows, short: Short) -> Figure | None:
    """A heat map of specs and workloads: what the most threads change against the fewest; None without such pairs."""
    pairs = short.changes
    if pairs.empty:
        return None
    far = np.log1p(pairs["change"]).abs().groupby(pairs["spec"]).max().nlargest(MOST, keep="all").index[:MOST]
    drawn = pairs[pairs["spec"].isin(far)]
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
    with style.theme():
        picture, axes = style.panel(height=1.2 + 0.25 * len(table))
        threads.heat_map(axes, table, doubtful, title=rows.drawn("heat-title", **values), lang=rows.drawn_lang)
        threads.heat_map_legend(picture, doubtful, lang=rows.drawn_lang)
    finding = rows.sentence(rows.text("heat-title", **values))
    panel = Panel(picture, "heat", rows.text("heat-alt", finding=finding))
    frame = drawn[["workload", "spec", "threads_low", "threads_high", "low", "high", "change", "grade"]]
    return Figure((panel,), rows.text("heat-caption", **rows.caption, n=pairs["spec"].nunique()), frame)


def per_core(rows: ReportRows, short: Short) -> Figure | None:
    """Throughput per core over cores, a panel per workload."""
    points = short.points[short.points["cores"] > 0]

    def values(here: pd.DataFrame, drawn: bool) -> dict[str, object]:
        sound = here[~here["grade"].isin(trust.DOUBTFUL)]
        best = (here if sound.empty else sound).nlargest(1, "per_core").iloc[0]
        names = rows.drawn_names if drawn else rows.names
        return {"threads": best["threads"], "ops": best["per_core"], "spec": names[best["spec"]]}

    draw = partial(scaling.facet, y="per_core", per_core=True)
    kind = _Kind("per-core", "per_core", draw, scaling.legend, values)
    return _figure(rows, kind, points.assign(per_core=points["y"] / points["cores"]))


def latency(rows: ReportRows, short: Short) -> Figure | None:
    """Mean latency against throughput, a panel per workload; None where no mean latency is known."""

    def values(here: pd.DataFrame, drawn: bool) -> dict[str, object]:
        used, most = here["utilisation"], closed_loop.MAX_UTILISATION
        return {"total": len(here), "above": int((used > most).sum()), "near": int(used.between(2 - most, most).sum())}

    kind = _Kind("loop", "latency_us", plot.latency_throughput, partial(plot.legend, line="ceiling"), values)
    return _figure(rows, kind, _with_utilisation(rows, short))


def utilisation(rows: ReportRows, short: Short) -> Figure | None:
    """Throughput x latency / threads of every row, a panel per workload; None where no mean latency is known."""
    points = _with_utilisation(rows, short)

    def values(here: pd.DataFrame, drawn: bool) -> dict[str, object]:
        limit = closed_loop.MAX_UTILISATION
        return {"n": int((here["utilisation"] > limit).sum()), "total": len(here), "limit": limit}

    kind = _Kind("utilisation", "utilisation", plot.utilisation, partial(plot.legend, line="limit"), values)
    return _figure(rows, kind, points[points["cores"] > 0])


def cpu(rows: ReportRows, short: Short) -> Figure | None:
    """The server's CPU time per operation, a panel per workload; None where its CPU is not known."""
    points = short.points
    cpu_us = points["cores"] * points["cpu_utilisation"] / points["y"] * units.US_PER_S

    def values(here: pd.DataFrame, drawn: bool) -> dict[str, object]:
        return {"low": here["cpu_us"].min(), "high": here["cpu_us"].max()}

    kind = _Kind("cpu", "cpu_us", plot.cpu_per_operation, plot.legend, values)
    return _figure(rows, kind, points.assign(cpu_us=cpu_us)[cpu_us > 0])


def _figure(rows: ReportRows, kind: _Kind, points: pd.DataFrame) -> Figure | None:
    """A panel per workload that has points, as NAME-1 and so on; its texts are the messages NAME-alt, NAME-caption."""

    def title(here: pd.DataFrame, *, drawn: bool) -> str:
        text, workload = rows.drawn if drawn else rows.text, rows.workload(here["workload"].iloc[0])
        return text(f"{kind.name}-title", workload=workload, **kind.values(here, drawn))

    panels = []
    for place, workload in enumerate(rows.workloads, 1):
        here = points[points["workload"] == workload]
        if here.empty:
            continue
        with style.theme():
            picture, axes = style.panel(height=3.8)
            kind.draw(axes, here, title=title(here, drawn=True), lang=rows.drawn_lang)
            kind.legend(picture, here, lang=rows.drawn_lang)
        alt = rows.text(f"{kind.name}-alt", finding=rows.sentence(title(here, drawn=False)))
        panels.append(Panel(picture, f"{kind.name}-{place}", alt))
    if not panels:
        return None
    caption = rows.text(f"{kind.name}-caption", **rows.caption, n=len(points))
    return Figure(tuple(panels), caption, points[[*_KEPT, "y", kind.shown]])


def _with_utilisation(rows: ReportRows, short: Short) -> pd.DataFrame:
    """The rows spoken about with U = X R / N, and the mean latency R; those without are left out. `y` is the whole
    run's throughput, as R is its latency."""
    points = closed_loop.with_latency(short.points, rows.tables.operations)
    points = points.assign(y=points["throughput_ops_s"])
    return points[(points["latency_us"] > 0) & (points["y"] > 0)]
