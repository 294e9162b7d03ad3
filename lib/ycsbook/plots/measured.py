"""What only measured runs have: latency percentiles, and pictures over time: throughput second by second with warm-up
and stalls, documents inserted, what a failover answered in each second, and throughput over days."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ycsbook.messages import text
from ycsbook.messages.formats import percent
from ycsbook.plots import style

# More lines than that cannot be told apart, and make a page heavy.
MAX_LINES = 40
# Beyond so many in a picture the lines say enough, and dots would be most of a page.
MAX_DOTS = 200


def over_time(
    axes: Axes,
    frame: pd.DataFrame,
    *,
    warmup_s: float = float("nan"),
    stalls: Sequence[tuple[float, float]] = (),
    title: str = "",
    lang: str = "en",
) -> Axes:
    """Draw each run's throughput over time, the warm-up that was left out shaded and the stalls marked; of more than 40
    runs the median and the band from the lowest to the highest. `frame`: `run_id`, `name` (of the spec), `cores`,
    `threads`, `elapsed_s`, `throughput_ops_s`; `warmup_s`: NaN: none known, or several; `stalls`: from and to, s."""
    end = frame["elapsed_s"].max()
    if warmup_s > 0:
        axes.axvspan(0, warmup_s, color=style.GRID, alpha=0.55, linewidth=0, zorder=0)
        _above(axes, 0, text("plot-warmup", lang), style.MUTED, side="left", offset=4)
    for place, (start, stop) in enumerate(sorted(stalls)):
        axes.axvspan(start, stop, color=style.FLAG, alpha=0.16, linewidth=0, zorder=0)
        if place == 0:
            _above(axes, (start + stop) / 2, text("plot-stalled", lang), style.FLAG)
    if frame["run_id"].nunique() > MAX_LINES:
        _band(axes, frame)
    else:
        _lines(axes, frame)
    axes.set_xlim(0, end * 1.14)
    style.ops_ticks(axes)
    return style.labelled(axes, title, lang, x="plot-time", y="plot-throughput")


def _above(axes: Axes, at: float, name: str, colour: str, *, side: str = "center", offset: float = 0) -> None:
    place = {"xycoords": axes.get_xaxis_transform(), "ha": side, "va": "top"}
    style.name_beside(axes, name, (at, 0.985), colour, (offset, 0), **place)


def _lines(axes: Axes, frame: pd.DataFrame) -> None:
    colours, depths = style.thread_colours(frame["threads"]), _depths(frame)
    for (_, name, threads), run in frame.sort_values("elapsed_s").groupby(["run_id", "name", "threads"]):
        axes.plot(
            run["elapsed_s"], run["throughput_ops_s"], color=colours[float(threads)], alpha=depths[name], linewidth=1.2,
            marker="o" if len(frame) <= MAX_DOTS else None, markersize=2.6,
        )  # fmt: skip
    # Each name stands where its own longest run ends, above a name that would be in its place.
    ends = frame.sort_values("elapsed_s").groupby("name")[["elapsed_s", "throughput_ops_s"]].last()
    apart, lower = 0.06 * frame["throughput_ops_s"].max(), -np.inf
    for name, at_s, ops_s in ends.sort_values("throughput_ops_s").itertuples():
        lower = max(ops_s, lower + apart)
        style.name_beside(axes, name, (at_s, lower))


def _depths(frame: pd.DataFrame) -> dict[str, float]:
    specs = frame.sort_values("cores")["name"].drop_duplicates()
    return {name: 0.35 + 0.65 * place / len(specs) for place, name in enumerate(specs, 1)}


def _band(axes: Axes, frame: pd.DataFrame) -> None:
    for threads, runs in frame.groupby("threads"):
        colour = style.thread_colours(frame["threads"])[float(threads)]
        # Runs tell at slightly different moments: whole seconds, at most 120 places.
        width = max(1.0, np.ceil(runs["elapsed_s"].max() / 120))
        at = (runs["elapsed_s"] / width).round() * width
        by_time = runs.groupby(at)["throughput_ops_s"].agg(["min", "median", "max"])
        axes.fill_between(by_time.index, by_time["min"], by_time["max"], color=colour, alpha=0.15, linewidth=0)
        axes.plot(by_time.index, by_time["median"], color=colour, linewidth=1.6)


def percentiles(axes: Axes, frame: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw latency (log) over percentile, whose axis counts nines, a line per spec and thread count. `frame`: `name`
    (of the spec), `cores`, `threads`, `percentile` (0 to 100, below 100) and `latency_us`."""
    frame = frame[(frame["percentile"] < 100) & (frame["latency_us"] > 0)]
    colours, depths = style.thread_colours(frame["threads"]), _depths(frame)
    ends = []
    for (threads, name), line in frame.sort_values("percentile").groupby(["threads", "name"], dropna=False):
        colour = colours.get(threads, style.STEEL)
        axes.plot(
            nines(line["percentile"]), line["latency_us"], color=colour, alpha=depths[name],
            linewidth=1.6, marker="o", markersize=3.5,
        )  # fmt: skip
        ends.append((line["latency_us"].iloc[-1], name, colour, nines(line["percentile"]).iloc[-1]))
    ticks = sorted(set(frame["percentile"]))
    style.ops_log(axes, "y", frame["latency_us"].to_numpy(float), style.milliseconds)
    axes.set_xticks(list(nines(pd.Series(ticks))), [f"{p:g}" for p in ticks])
    axes.grid(which="minor", axis="y", visible=False)
    style.labelled(axes, title, lang, x="plot-percentile", y="plot-latency")
    axes.margins(x=0.04)
    style.legend(axes.figure, style.thread_handles(frame["threads"], lang))
    if ends:
        axes.set_xlim(right=max(end[3] for end in ends) + 0.55)
        # Only the slowest and the fastest line are named: the depth of the colour orders the rest.
        for latency, name, colour, at in (max(ends), min(ends)):
            style.name_beside(axes, name, (at, latency), colour)
    return axes


def nines(percentile: pd.Series) -> pd.Series:
    """Percentiles as the number of nines: 90 is 1, 99 is 2."""
    return -np.log10(1 - percentile / 100)


# Beyond so many the line says enough, and dots would be most of a page.
MAX_INSERT_DOTS = 120


def inserts(
    axes: Axes,
    frame: pd.DataFrame,
    *,
    checkpoints: Sequence[tuple[float, float]] = (),
    stalls: Sequence[tuple[float, float]] = (),
    title: str = "",
    lang: str = "en",
) -> Axes:
    """Draw the documents inserted per second of one run: checkpoints shaded, slow seconds ringed, stalls marked.
    `frame`: `elapsed_s`, `ips` (documents/s), `slow` (bool), by time; `checkpoints`, `stalls`: from and to, s."""
    for start, end in checkpoints:
        # At least as wide as can be seen.
        axes.axvspan(start, max(end, start + frame["elapsed_s"].max() / 200), color=style.STEEL, alpha=0.3, linewidth=0)
    for start, end in stalls:
        axes.axvspan(start, end, color=style.FLAG, alpha=0.25, linewidth=0)
    marker = "o" if len(frame) <= MAX_INSERT_DOTS else None
    axes.plot(frame["elapsed_s"], frame["ips"], color=style.BLUE, linewidth=1.2, marker=marker, markersize=2.6)
    handles = [style.entry(text("plot-inserted", lang), color=style.BLUE, linewidth=1.2)]
    if checkpoints:
        handles.append(Patch(facecolor=style.STEEL, alpha=0.3, label=text("plot-checkpoint", lang)))
    slow = frame[frame["slow"]]
    if len(slow):
        handles.append(style.dot(text("plot-slow-second", lang), style.FLAG, fillstyle="none"))
    if stalls:
        handles.append(Patch(facecolor=style.FLAG, alpha=0.25, label=text("plot-stalled", lang)))
    style.legend(axes.figure, handles)
    axes.plot(slow["elapsed_s"], slow["ips"], "o", color=style.FLAG, fillstyle="none", markersize=7)
    axes.set_xlim(0, frame["elapsed_s"].max() * 1.02)
    style.ops_ticks(axes)
    return style.labelled(axes, title, lang, x="plot-time", y="plot-inserts")


# From below: what stays, what is gone although nobody was told, what was reported as failed.
_PARTS = {"kept": style.BLUE, "lost": style.ORANGE, "failed": style.OCHRE}


def answers(axes: Axes, seconds: pd.DataFrame, events: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw a bar for each second of a run: writes that were acknowledged and stayed, that were acknowledged and lost,
    that failed. Grey: a member was away; a line: the others had a new primary. `seconds`: `elapsed_s` (end of the
    second), `acknowledged`, `lost`, `failed` (writes); `events`: as in the table failovers."""
    seconds = seconds.assign(kept=seconds["acknowledged"] - seconds["lost"])
    bottom, at = np.zeros(len(seconds)), seconds["elapsed_s"].to_numpy() - 0.5
    for part, colour in _PARTS.items():
        axes.bar(at, seconds[part].to_numpy(), 0.9, bottom=bottom, color=colour, linewidth=0, zorder=2)
        bottom += seconds[part].to_numpy()
    high = 1.2 * max(bottom.max(initial=0.0), 1.0)
    for role in ("secondary", "primary"):
        mine = events[events["role"] == role].set_index("event")["elapsed_s"]
        if "struck" in mine.index:
            start, end = mine["struck"], mine.get("back", at.max(initial=0.0))
            axes.axvspan(start, end, facecolor=style.GRID, linewidth=0, zorder=0)
            label = style.plain(text("failover-role", lang, role=role))
            axes.text((start + end) / 2, 0.97 * high, label, ha="center", va="top", fontsize=8, color=style.MUTED)
    for elapsed_s in events.loc[events["event"] == "elected", "elapsed_s"]:
        axes.axvline(elapsed_s, color=style.PURPLE, linewidth=1.4, zorder=3)
    axes.set_ylim(0, high)
    style.ops_ticks(axes)
    axes.grid(axis="x", visible=False)
    colours = {**_PARTS, "away": style.GRID}
    parts = [Patch(color=colour, label=text("plot-failover-part", lang, part=part)) for part, colour in colours.items()]
    elected = style.entry(text("plot-failover-part", lang, part="elected"), color=style.PURPLE, linewidth=1.4)
    style.legend(axes.figure, [*parts, elected])
    return style.labelled(axes, title, lang, x="plot-failover-elapsed", y="plot-failover-writes")


_MOST_LABELS = 8


def course(axes: Axes, frame: pd.DataFrame, changes: Mapping[str, float], *, title: str = "", lang: str = "en") -> Axes:
    """Draw a thin line for each configuration, a thick one for their mean, and an upright one where it changed.
    `frame`: `day` (as text), `workload`, `spec`, `threads`, `relative` (> 0; 1: as in the mean of all days);
    `changes`: by day by how much (-0.1: a tenth was lost)."""
    days = sorted(set(frame["day"]))
    day_index = {day: place for place, day in enumerate(days)}
    for _, cell in frame.groupby(["workload", "spec", "threads"], dropna=False):
        at = cell["day"].map(day_index)
        axes.plot(at, cell["relative"], color=style.STEEL, alpha=0.45, linewidth=0.9, marker="o", markersize=2.4)
    mean = np.exp(np.log(frame["relative"]).groupby(frame["day"]).mean()).reindex(days)
    axes.plot(range(len(days)), mean.to_numpy(), color=style.BLUE, linewidth=2.2, marker="o", markersize=5, zorder=3)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.9), max(high, 1.1))
    for day, effect in changes.items():
        axes.axvline(day_index[day] - 0.5, color=style.FLAG, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{effect:+.0%}".replace("-", "−"), (day_index[day] - 0.5, 1), xycoords=("data", "axes fraction"),
            xytext=(4, -12), textcoords="offset points", color=style.FLAG, fontsize=9,
        )  # fmt: skip
    labelled = range(0, len(days), -(-len(days) // _MOST_LABELS))
    # The year stands in the caption's date.
    axes.set_xticks(list(labelled), [days[place][5:] for place in labelled])
    axes.yaxis.set_major_formatter(lambda value, _: percent(value))
    axes.grid(axis="x", visible=False)
    entries = [
        style.entry(text("plot-all-together", lang), color=style.BLUE, linewidth=2.2, marker="o"),
        style.entry(
            text("plot-one-cell", lang), color=style.STEEL, alpha=0.6, linewidth=0.9, marker="o", markersize=2.4
        ),
    ]
    if changes:
        entries.append(style.entry(text("plot-change", lang), color=style.FLAG, linestyle=(0, (4, 3))))
    style.legend(axes.figure, entries)
    return style.labelled(axes, title, lang, x="plot-day", y="plot-relative")
