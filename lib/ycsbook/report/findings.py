"""The findings of a report: those with one cause as one, the gravest first, each with what to do next; and the
configurations over earlier occasions, with the changes that are shown."""

import shlex
from dataclasses import replace
from functools import partial
from itertools import groupby

import numpy as np
import pandas as pd

from ycsbook.anomalies import grouped
from ycsbook.anomalies.registry import lead, without_others
from ycsbook.facts import Fact, fact
from ycsbook.messages import fact_of
from ycsbook.messages.formats import number
from ycsbook.plots import measured as plot
from ycsbook.report.blocks import Findings, Flag, Items, Section, Text
from ycsbook.report.rows import ReportRows
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables, dicts
from ycsbook.verdicts import Outcome

# Findings that are said with what to do; more than these nobody reads at once.
FIRST = 10
# Rules of two specs, which both are to run again.
_OF_TWO_SPECS = frozenset({"more_cores_slower", "more_ram_slower"})
# Rules that more runs answer; of the others one reads the rows.
RUN_AGAIN = _OF_TWO_SPECS | {
    "change_point", "cpu_contradiction", "cpu_per_operation", "degradation", "noise", "sawtooth", "scaling_outlier",
    "stall", "superlinear_threads", "tail", "thread_regression", "write_latency_outliers",
}  # fmt: skip
LEAST_REPEATS = 3
# The size of a finding in the table, and what messages call it.
_FIGURES = {"effect": "effect", "conf_low": "low", "conf_high": "high"}
_CELL = ["workload", "spec", "threads"]


def section(rows: ReportRows, findings: pd.DataFrame, params_file: str = "") -> Section:
    """The gravest findings with what to do, those of one rule and severity together; the others, and notes beside
    graver ones, folded, in a line each. `params_file`: as commands name it, of a sweep without one its tables; the
    usual one if empty."""
    text = rows.text
    if findings.empty:
        return Section(text("findings"), "findings", (Text(text("findings-none")),))
    groups = grouped(findings)
    if groups["evidence"].nunique() == 1:
        # Said of each it would say nothing.
        groups = groups.assign(evidence="")
    count = text("findings-count", n=len(groups))
    params_file = params_file or f"params/{rows.sweep.name}.yml"
    parts = [dicts(part) for _, part in groups.groupby(["rule", "severity", "evidence"], sort=False)]
    grave = sum(part[0]["severity"] != "note" for part in parts)
    at_once = min(grave or len(parts), FIRST)
    blocks = [Text(count, "note"), Findings(tuple(_together(rows, part, params_file) for part in parts[:at_once]))]
    if flags := tuple(flag(rows, row, brief=True) for part in parts[at_once:] for row in part):
        blocks.append(Section(text("findings-others"), "findings-others", (Findings(flags, brief=True),), folded=True))
    return Section(text("findings"), "findings", tuple(blocks))


def _together(rows: ReportRows, part: list[dict], params_file: str) -> Flag:
    shared = {name: part[0][name] if len({row[name] for row in part}) == 1 else None for name in _CELL}
    alike = tuple(flag(rows, row, brief=True).sentence for row in part[1:])
    speaks = flag(rows, part[0], brief=part[0]["severity"] == "notice")
    return replace(speaks, command=command(rows, {**part[0], **shared}, params_file), alike=alike)


def every(rows: ReportRows, findings: pd.DataFrame) -> Section:
    """Each finding in a line of its own, also those with the same cause."""
    flags = tuple(flag(rows, row, brief=True) for row in dicts(findings))
    return Section(rows.text("findings-every", n=len(flags)), "findings-every", (Findings(flags, brief=True),))


def command(rows: ReportRows, row: dict, params_file: str) -> str:
    """The command to type next: the runs of a finding, a row of the findings frame, once more, or its rows."""
    sweep = rows.sweep
    if row["rule"] not in RUN_AGAIN or not sweep.planned:
        return shlex.join(["ycsbook", "anomalies", params_file, "--rule", row["rule"], "--all"])
    planned = {"spec": [s.name for s in sweep.specs], "workload": [w.name for w in sweep.workloads],
               "threads": [*map(float, sweep.threads)]}  # fmt: skip
    if row["rule"] in _OF_TWO_SPECS:
        del planned["spec"]
    only = ",".join(f"{name}={number(row[name]) if name == 'threads' else row[name]}"
                    for name, values in planned.items() if row[name] in values)  # fmt: skip
    repeats = max(LEAST_REPEATS, 2 * sweep.repeats if row["evidence"] == "repeats" else sweep.repeats)
    chosen = ["--only", only] if only else []
    return shlex.join(["ycsbook", "run", params_file, *chosen, "--repeat", str(repeats)])


def flag(rows: ReportRows, row: dict, *, brief: bool = False) -> Flag:
    """The block of one row of the findings frame; `brief`: without what other rules saw of the same."""
    message = fact_of(row, "message")
    # A message that names the effect itself need not be followed by it, nor by a figure whose error nobody knows.
    values = lead(message).values
    unnamed = [row[column] for column, name in _FIGURES.items() if values.get(name) is None]
    figures = [row[column] for column in _FIGURES]
    effect = "" if np.isnan(unnamed).all() or np.isnan(figures).any() else rows.effect(*figures)
    text = rows.say(without_others(message) if brief else message)
    return Flag(row["severity"], row["rule"], text, effect, row["evidence"], rows.say(fact_of(row, "advice")))


def history(rows: ReportRows, earlier: Tables | None, findings: pd.DataFrame) -> Section | None:
    """A picture of all configurations over time and a line about each change; None without two days of them."""
    if earlier is None:
        return None
    frame = history_course(rows, earlier)
    if frame["day"].nunique() < 2:
        return None
    changes = [fact_of(row, "message") for row in dicts(findings[findings["rule"] == "change_point"])]
    in_order = sorted(changes, key=_started_at)
    by_day = {day: list(group) for day, group in groupby(in_order, lambda change: _started_at(change)[:10])}
    days = {day: max((float(c.values["effect"]) for c in group), key=abs) for day, group in by_day.items()}
    largest = max(changes, key=lambda change: abs(change.values["effect"]), default=None)
    title = fact("history-title", days=frame["day"].nunique(), n=len(changes),
                 effect=largest and largest.values["effect"], day=largest and _started_at(largest)[:10])  # fmt: skip
    panel = rows.panel("history", "history", title, partial(plot.course, frame=frame, changes=days), height=3.9)
    figure = rows.figure("history", [panel], frame, n=frame[_CELL].drop_duplicates().shape[0])
    lines = []
    for day, group in by_day.items():
        # In how many configurations, by how much, and whether it came with a version.
        effects = [float(change.values["effect"]) for change in group]
        versions = {(str(c.values["version_before"]), str(c.values["version"])) for c in group
                    if c.values["versions"] == "changed"}  # fmt: skip
        before, version = versions.pop() if len(versions) == 1 else (None, None)
        low, high = min(effects), max(effects)
        line = fact("history-day", n=len(group), low=low, high=high, alike=round(low, 2) == round(high, 2),
                    before=before, version=version)  # fmt: skip
        lines.append((day, rows.say(line)))
    block = Items(tuple(lines)) if lines else Text(rows.text("history-no-change"))
    return Section(rows.text("history"), "history", (figure, block))


def _started_at(change: Fact) -> str:
    return str(change.values["started_at"])


def history_course(rows: ReportRows, earlier: Tables) -> pd.DataFrame:
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
