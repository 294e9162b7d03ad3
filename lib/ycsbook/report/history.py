"""The configurations of a sweep over earlier occasions, with the changes that are shown."""

import numpy as np
import pandas as pd

from ycsbook.facts import Fact, fact
from ycsbook.messages import fact_of
from ycsbook.plots import history as plot
from ycsbook.plots import style
from ycsbook.report.blocks import Figure, Items, Panel, Section, Text
from ycsbook.report.rows import ReportRows
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome

_CELL = ["workload", "spec", "threads"]


def section(rows: ReportRows, earlier: Tables | None, found: pd.DataFrame) -> Section | None:
    """A picture of all configurations over time and a line about each change; None without two days of them."""
    if earlier is None:
        return None
    frame = course(rows, earlier)
    if frame["day"].nunique() < 2:
        return None
    changes = [fact_of(row, "message") for row in found[found["rule"] == "change_point"].to_dict("records")]
    by_day: dict[str, list[Fact]] = {}
    for change in sorted(changes, key=lambda change: str(change.values["started_at"])):
        by_day.setdefault(str(change.values["started_at"])[:10], []).append(change)
    days = {day: min((float(c.values["effect"]) for c in own), key=lambda e: -abs(e)) for day, own in by_day.items()}
    title = _title(frame, changes)
    with style.theme():
        picture, axes = style.panel(height=3.9)
        plot.course(axes, frame, days, title=rows.drawn(title.key, **title.values), lang=rows.drawn_lang)
        style.legend(picture, plot.handles(bool(days), rows.drawn_lang))
    finding = rows.say(title)
    panel = Panel(picture, "history", rows.text("history-alt", finding=finding))
    caption = rows.text("history-caption", **rows.caption, n=frame[_CELL].drop_duplicates().shape[0])
    lines = tuple((day, rows.say(_changed(own))) for day, own in by_day.items())
    said = Items(lines) if lines else Text(rows.text("history-no-change"))
    return Section(rows.text("history"), "history", (Figure((panel,), caption, frame), said))


def course(rows: ReportRows, earlier: Tables) -> pd.DataFrame:
    """The sweep's configurations by day: day, workload, spec, threads, server_version (the day's last), relative
    (geometric mean of the day's throughput over that of all days)."""
    runs = pd.concat([earlier.runs, rows.tables.runs], ignore_index=True).drop_duplicates("run_id", keep="last")
    runs = runs[(runs["outcome"] == Outcome.COMPLETED) & (runs["started_at"] != "") & runs["target_ops_s"].isna()]
    # Of all occasions one throughput, or a change of column would look like one of the server.
    made = with_throughput(runs.assign(dataset="")) if len(runs) else runs.assign(y=np.nan)
    made = made[made["y"] > 0].merge(rows.measured[_CELL].drop_duplicates(), on=_CELL)
    made = made.assign(day=made["started_at"].str[:10], log_y=np.log(made["y"]))
    by_day = made.sort_values("started_at").groupby(["day", *_CELL], as_index=False)
    days = by_day.agg(log_y=("log_y", "mean"), server_version=("server_version", "last"))
    level = days.groupby(_CELL)["log_y"].transform("mean")
    return days.assign(relative=np.exp(days["log_y"] - level)).drop(columns="log_y")


def _changed(changes: list[Fact]) -> Fact:
    """What a day changed: in how many configurations, by how much, and whether it came with a version."""
    effects = [float(change.values["effect"]) for change in changes]
    versions = {(str(c.values["version_before"]), str(c.values["version"])) for c in changes
                if c.values["versions"] == "changed"}  # fmt: skip
    before, version = versions.pop() if len(versions) == 1 else (None, None)
    low, high = min(effects), max(effects)
    alike = round(low, 2) == round(high, 2)
    return fact("history-day", n=len(changes), low=low, high=high, alike=alike, before=before, version=version)


def _title(frame: pd.DataFrame, changes: list[Fact]) -> Fact:
    largest = max(changes, key=lambda change: abs(change.values["effect"]), default=None)
    return fact(
        "history-title", days=frame["day"].nunique(), n=len(changes),
        effect=largest and largest.values["effect"], day=largest and str(largest.values["started_at"])[:10],
    )  # fmt: skip
