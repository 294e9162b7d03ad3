"""How far each row may be built on: a grade from A to F, by one rule, from the findings about it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from ycsbook import anomalies
from ycsbook.anomalies.invalid_run import MOMENT_S
from ycsbook.anomalies.little_law import LATENCY_UNIT
from ycsbook.columns import CELL, KIND, THROUGHPUTS
from ycsbook.groups import group_maxima, numbers_of
from ycsbook.names import mixes
from ycsbook.scaling.capacity import smallest
from ycsbook.scaling.points import usable, with_throughput
from ycsbook.scaling.repeats import FAILED_SHARE, failed_share, spec_or_run_id, unlike_repeats
from ycsbook.tables import Tables
from ycsbook.units import MS_PER_S
from ycsbook.verdicts import Warn

# Repeated, acknowledged; repeated; a single or a short run; contradicted by another row; impossible.
GRADES = ("A", "B", "C", "D", "F")
# Nothing is built on these.
DOUBTFUL = ("D", "F")
# Rules about a row whose own figures contradict each other. What logs warn of counts by its cause.
_IMPOSSIBLE = {"little_law", Warn.COUNTS_DISAGREE, Warn.OPERATIONS_FAILED, Warn.CORES_NOT_ENFORCED}
# Other programs competed for the CPU: the run is slower than it would be alone, though nothing contradicts it.
CROWDED = {"busy_host"}
# Rules that set one row against another: one of the two is wrong, and nobody can say which. Logs that end early, or
# whose clock or workload is in doubt, are no better.
_CONTRADICTED = {
    "superlinear_threads", "little_family", "copied_rows", "swapped_rows", "wrong_digits", "lone_row", "early_rounds",
    "noise", "at_once", "dip", "spec_label", "slow_stretch", Warn.TRUNCATED, Warn.CLOCK_STEPPED,
    Warn.WORKLOAD_CONTRADICTED,
}  # fmt: skip
# The rules that decide a grade.
_GRADING = _CONTRADICTED | CROWDED | {
    "little_law", "cpu_contradiction", "invalid_run", "not_settled", "settings_implausible", "mix_order", "two_levels",
}  # fmt: skip
_BELOW = {"A": "B", "B": "C", "C": "D"}
_GRAVE = ("error", "warning")


def grades(runs: pd.DataFrame, findings: pd.DataFrame) -> pd.Series:
    """The grade of each run, by run_id.

    F: its own figures contradict each other (Little's law, counts that do not add up, failed operations, cores that
    were not enforced). D: other rows contradict it, its repeats are of two levels, another mix changes places with it,
    it had not settled, it counts as a repeat of a run at the same time, it lasted less than a second, or its log ends
    early or has a clock or workload in doubt. C: a single run that nothing contradicts. B: repeated, but its writes
    were not acknowledged, or nobody says whether they were. A: repeated, acknowledged, and no rule named here warns of
    it. A CPU figure that contradicts the throughput takes a step down, to D at most. A run shorter than 20 minutes that
    no plan asked for is C at best, and so is one whose client and server had to wait for other work on their machine. A
    run whose operations failed is no repeat of those whose did not, nor a short run of much longer ones, nor one that
    was held to another rate, nor a copy. runs: the runs table. findings: the findings about it."""
    # A latency in another unit says nothing against the throughput.
    findings = findings[~findings["cause"].str.endswith(LATENCY_UNIT)]
    # A CPU figure and a throughput that contradict each other; too short for caches and checkpoints to settle.
    impossible, contradicted, lowered, short = (
        runs_warned_of(findings, rules)
        for rules in (_IMPOSSIBLE, _CONTRADICTED, {"cpu_contradiction"}, CROWDED | {Warn.SHORT_RUN})
    )
    in_doubt = {"mix_order", "noise", "two_levels"}
    contradicted |= runs_warned_of(findings, in_doubt, ("notice",)) | unsettled(runs, findings)
    counted = ~unlike_repeats(runs) & ~runs["run_id"].isin(runs_warned_of(findings, {"early_rounds"}))
    cell, kind = numbers_of(runs, [*CELL, "target_ops_s"]), numbers_of(runs, KIND)
    figures = runs[list(THROUGHPUTS)].to_numpy(float).T
    differs = np.any([group_maxima(of, cell) > -group_maxima(-of, cell) for of in figures], axis=0)[cell]
    # Where all repeats are equal to the last digit they are copies, and count as one.
    size = np.where(np.bincount(kind, differs)[kind] > 0, np.bincount(cell, counted)[cell], 1)
    unknown = runs["write_concern"].isin(["", "0"]) & (runs["read_fraction"] != 1)
    grade = pd.Series("A", index=runs.index).mask(unknown, "B").mask((size < 2) | runs["run_id"].isin(short), "C")
    grade = grade.mask(runs["run_id"].isin(lowered), grade.map(_BELOW))
    grade = grade.mask(runs["run_id"].isin(contradicted), "D").mask(runs["run_id"].isin(impossible), "F")
    return pd.Series(grade.to_numpy(), index=runs["run_id"].to_numpy(), dtype="str")


def unsettled(runs: pd.DataFrame, findings: pd.DataFrame) -> set[str]:
    """The runs that ended while they warmed up, or in less than MOMENT_S: too low. Parameters as for `grades`."""
    moments = set(runs.loc[runs["runtime_ms"] < MOMENT_S * MS_PER_S, "run_id"])
    momentary = runs_warned_of(findings, {Warn.SHORT_RUN}) & moments
    implausible = runs_warned_of(findings, {"settings_implausible"}, ("error",))
    return momentary | implausible | runs_warned_of(findings, {"not_settled"})


def failed(runs: pd.DataFrame, findings: pd.DataFrame) -> pd.Series:
    """Which runs (bool) failed: more than FAILED_SHARE of their operations, or nothing graver is known of them."""
    warned, otherwise_warned = (
        runs["run_id"].isin(runs_warned_of(findings, rules))
        for rules in ({Warn.OPERATIONS_FAILED}, _IMPOSSIBLE - {Warn.OPERATIONS_FAILED})
    )
    return warned & ((failed_share(runs) > FAILED_SHARE) | ~otherwise_warned)


def of_runs(tables: Tables, settings: anomalies.Settings | None = None) -> pd.Series:
    """The grade of each run with a throughput, by run_id, by what the rules say of the tables with these settings."""
    settings = settings or anomalies.Settings()
    others = {name for name in anomalies.RULES if name not in _GRADING}
    settings = replace(settings, off_rules=settings.off_rules | others)
    return grades(usable(tables.runs), anomalies.find(tables, settings=settings))


def of_cells(cells: pd.DataFrame, runs: pd.DataFrame, grades_by_run: pd.Series) -> pd.Series:
    """The lowest grade of the runs behind each row of a table with the columns of CELL; empty where there is none."""
    graded = with_throughput(runs).assign(grade=lambda rows: rows["run_id"].map(grades_by_run))
    # Some tables call a server that nobody names by its run.
    graded = pd.concat([graded, graded.assign(spec=spec_or_run_id(graded))])
    lowest = graded.groupby(CELL, dropna=False)["grade"].max().reset_index()
    return cells[CELL].merge(lowest, on=CELL, how="left")["grade"].astype("str").fillna("").set_axis(cells.index)


def doubts(cells: pd.DataFrame, runs: pd.DataFrame, grades_by_run: pd.Series) -> pd.DataFrame:
    """What to show of a table as in `of_cells`: `doubted`, whether a row is in doubt, and `mark`, its grade then."""
    grades = of_cells(cells, runs, grades_by_run)
    doubted = grades.isin(DOUBTFUL)
    return pd.DataFrame({"doubted": doubted, "mark": (" (" + grades + ")").where(doubted, "")})


def capacity(
    runs: pd.DataFrame, limits: pd.DataFrame, grades_by_run: pd.Series, *, workload: str | None, **goals: object
) -> pd.DataFrame:
    """scaling.capacity.smallest with laws of sound runs, and which specs are in doubt: `doubted`, `mark` (as `doubts`).
    workload: its name or mix, such as 50:50; None or empty: each. goals: what else `smallest` takes."""
    called = {f"{mix.values['reads']}:{mix.values['writes']}": name for name, mix in mixes(runs).items()}
    doubtful = grades_by_run.index[grades_by_run.isin(DOUBTFUL)]
    capacities = smallest(runs, limits, workload=called.get(workload, workload) or None, doubted=doubtful, **goals)
    return capacities.assign(**doubts(capacities, runs, grades_by_run))


def worst(grades_by_run: Mapping[str, str], run_ids: Iterable[str]) -> str:
    """The lowest grade among some runs; empty where none of them has one."""
    return max((grades_by_run[i] for i in run_ids if i in grades_by_run), default="", key=GRADES.index)


def runs_warned_of(findings: pd.DataFrame, rules: set[str], severities: tuple[str, ...] = _GRAVE) -> set[str]:
    rows = zip(*(findings[name].tolist() for name in ("rule", "cause", "severity", "run_ids")), strict=True)
    return {
        run_id
        for name, cause, severity, ids in rows
        if severity in severities and (cause.upper() if name == "invalid_run" else name) in rules
        for run_id in ids.split()
    }
