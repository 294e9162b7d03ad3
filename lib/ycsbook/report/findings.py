"""The findings of a report: those with one cause as one, the gravest first, each with what to do next."""

import shlex
from dataclasses import replace

import numpy as np
import pandas as pd

from ycsbook.anomalies import grouped
from ycsbook.anomalies.grouping import lead, with_titles, without_others
from ycsbook.messages import fact_of
from ycsbook.messages.formats import number
from ycsbook.report.blocks import Findings, Flag, Section, Text
from ycsbook.report.rows import ReportRows

# Findings that are said with what to do; more than these nobody reads at once.
FIRST = 10
# Rules that more runs answer; of the others one reads the rows.
_RUN_AGAIN = frozenset(
    {"change_point", "cpu_contradiction", "cpu_per_operation", "degradation", "inversion", "noise", "sawtooth",
     "scaling_outlier", "stall", "superlinear_threads", "tail", "thread_regression", "write_latency_outliers"}
)  # fmt: skip
LEAST_REPEATS = 3
# The size of a finding in the table, and what messages call it.
_FIGURES = {"effect": "effect", "conf_low": "low", "conf_high": "high"}


def section(rows: ReportRows, findings: pd.DataFrame, params_file: str = "") -> Section:
    """The gravest findings with what to do, grouped by cause; the others folded, in a line each.

    Parameters
        findings: the findings table.
        params_file: as commands name it, of a sweep without one its tables; the usual one if empty.
    """
    text = rows.text
    if findings.empty:
        return Section(text("findings"), "findings", (Text(text("findings-none")),))
    shown = grouped(findings)
    if shown["evidence"].nunique() == 1:
        # Said of each it would say nothing.
        shown = shown.assign(evidence="")
    shown = shown.to_dict("records")
    count = text("findings-count", n=len(shown))
    params_file = params_file or f"params/{rows.sweep.name}.yml"
    first = tuple(replace(flag(rows, row), command=command(rows, row, params_file)) for row in shown[:FIRST])
    blocks = [Text(count, "note"), Findings(first)]
    if others := tuple(flag(rows, row, brief=True) for row in shown[FIRST:]):
        blocks.append(Section(text("findings-others"), "findings-others", (Findings(others, brief=True),), folded=True))
    return Section(text("findings"), "findings", tuple(blocks))


def every(rows: ReportRows, findings: pd.DataFrame) -> Section:
    """Each finding by itself, in a line, also those with one cause."""
    flags = tuple(flag(rows, row, brief=True) for row in findings.to_dict("records"))
    return Section(rows.text("findings-every", n=len(flags)), "findings-every", (Findings(flags, brief=True),))


def command(rows: ReportRows, row: dict, params_file: str) -> str:
    """What to type next: the runs of a finding once more, or its rows.

    Parameters
        row: of the findings frame. params_file: of the sweep.
    """
    sweep = rows.sweep
    if row["rule"] not in _RUN_AGAIN or not sweep.planned:
        return shlex.join(["ycsbook", "anomalies", params_file, "--rule", row["rule"], "--all"])
    planned = {"spec": [s.name for s in sweep.specs], "workload": [w.name for w in sweep.workloads],
               "threads": [*map(float, sweep.threads)]}  # fmt: skip
    only = ",".join(f"{name}={number(row[name]) if name == 'threads' else row[name]}"
                    for name, values in planned.items() if row[name] in values)  # fmt: skip
    repeats = max(LEAST_REPEATS, 2 * sweep.repeats if row["evidence"] == "repeats" else sweep.repeats)
    chosen = ["--only", only] if only else []
    return shlex.join(["ycsbook", "run", params_file, *chosen, "--repeat", str(repeats)])


def flag(rows: ReportRows, row: dict, *, brief: bool = False) -> Flag:
    """The block of one row of the findings frame; `brief`: without what other rules saw of the same."""
    message = fact_of(row, "message")
    # A message that names the effect itself need not be followed by it.
    named = lead(message).values
    unnamed = [row[column] for column, name in _FIGURES.items() if named.get(name) is None]
    effect = "" if np.isnan(unnamed).all() else rows.effect(*(row[column] for column in _FIGURES))
    text = rows.say(without_others(message) if brief else with_titles(message))
    return Flag(row["severity"], row["rule"], text, effect, row["evidence"], rows.say(fact_of(row, "advice")))
