"""How far each row may be built on: a grade from A to F, by one rule, from the findings about it."""

from collections.abc import Mapping

import pandas as pd

# Repeated, repeats agree, writes acknowledged; repeated; a single run; contradicted by another row; impossible.
GRADES = ("A", "B", "C", "D", "F")
# Nothing is built on these.
DOUBTFUL = ("D", "F")
# A row whose own figures contradict each other.
IMPOSSIBLE = frozenset({"little_law", "invalid_run"})
# Rules that set a row's own CPU figure against its throughput: one of the two is wrong, which lowers it by a step.
LOWERED = frozenset({"cpu_contradiction"})
# Rules that set one row against another: one of the two is wrong, and nobody can say which.
CONTRADICTED = frozenset({"superlinear_threads", "little_family", "noise"})
_BELOW = {"A": "B", "B": "C", "C": "D"}
_GRAVE = ("error", "warning")
_CELL = ["dataset", "outcome", "workload", "spec", "threads"]


def grades(runs: pd.DataFrame, findings: pd.DataFrame) -> pd.Series:
    """The grade of each run, by run_id.

    F: its own figures contradict each other (Little's law, a run that is not valid). D: another row contradicts it.
    C: a single run that nothing contradicts. B: repeated, but its writes were not acknowledged, or nobody says whether
    they were. A: repeated, acknowledged, and no check warns of it. A CPU figure that contradicts the throughput takes
    a step down, to D at most.

    Parameters
        runs: the runs table. findings: the findings about it.
    """
    impossible, contradicted, lowered = (_named(findings, rules) for rules in (IMPOSSIBLE, CONTRADICTED, LOWERED))
    size = runs.groupby(_CELL, dropna=False)["run_id"].transform("size")
    unknown = runs["write_concern"].isin(["", "0"]) & (runs["read_fraction"] != 1)
    grade = pd.Series("A", index=runs.index).mask(unknown, "B").mask(size < 2, "C")
    grade = grade.mask(runs["run_id"].isin(lowered), grade.map(_BELOW))
    grade = grade.mask(runs["run_id"].isin(contradicted), "D").mask(runs["run_id"].isin(impossible), "F")
    return pd.Series(grade.to_numpy(), index=runs["run_id"].to_numpy(), dtype="str")


def worst(grades_by_run: Mapping[str, str], run_ids: list[str]) -> str:
    """The lowest grade among some runs; empty where none of them has one."""
    return max((grades_by_run[i] for i in run_ids if i in grades_by_run), default="", key=GRADES.index)


def _named(findings: pd.DataFrame, rules: frozenset[str]) -> set[str]:
    grave = findings[findings["rule"].isin(rules) & findings["severity"].isin(_GRAVE)]
    return {run_id for ids in grave["run_ids"] for run_id in ids.split()}
