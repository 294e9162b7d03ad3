"""What must hold of tables whatever the files were: no figure that cannot be, none of an unusable run, none that
contradicts another without a warning. Written from the meaning of the columns, apart from the code that makes them.
"""

import math
from itertools import pairwise

from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome, Warn

FIGURES = ("throughput_ops_s", "goodput_ops_s", "steady_ops_s")
# Warnings that say of a run that its figures contradict each other or are not what they are called.
DOUBTS = {str(w) for w in (Warn.COUNTS_DISAGREE, Warn.LITTLE_LAW, Warn.CLOCK_STEPPED, Warn.DERIVED)}
# Every latency is there: exact, whatever became of the run.
EXACT = ("hdr", "raw")
YCSB_TOLERANCE = 1e-5
# The others print their rates and run times in three or four digits.
ROUNDED_TOLERANCE = 0.02


def contradictions(tables: Tables) -> list[str]:
    """Everything that cannot be, one sentence each."""
    found = []
    operations = {run: rows for run, rows in tables.operations.groupby("run_id")}
    percentiles = {run: rows for run, rows in tables.percentiles.groupby("run_id")}
    for row in tables.runs.to_dict("records"):
        found += [f"{row['run_id']}: {said}" for said in _of_run(row, operations.get(row["run_id"]))]
        if row["outcome"] == Outcome.INCOMPLETE and row["run_id"] in operations:
            printed = _not_exact(operations[row["run_id"]], percentiles.get(row["run_id"]))
            found += [f"{row['run_id']}: incomplete, but it has {name}" for name in printed]
        if row["run_id"] in percentiles and not _names(row) & DOUBTS:
            found += [f"{row['run_id']}: {said}" for said in _of_percentiles(percentiles[row["run_id"]])]
    return found + _of_intervals(tables) + _of_references(tables)


def _of_run(row: dict, operations) -> list[str]:
    wrong = [f"{k} is {v}" for k, v in row.items() if isinstance(v, float) and math.isinf(v)]
    if row["outcome"] not in list(Outcome):
        wrong.append(f"outcome {row['outcome']!r}")
    unknown = _names(row) - {str(w) for w in Warn}
    wrong += [f"warning {name!r}" for name in sorted(unknown)]
    if row["outcome"] == Outcome.INCOMPLETE:
        return wrong + [f"incomplete, but {name} is {row[name]:g}" for name in FIGURES if not math.isnan(row[name])]
    blank = row["outcome"] == Outcome.PUBLISHED and math.isnan(row["throughput_ops_s"])
    if not (row["throughput_ops_s"] >= 0 or blank):
        wrong.append(f"throughput {row['throughput_ops_s']}")
    # Counts may be one operation off.
    most = row["throughput_ops_s"] * (1 + YCSB_TOLERANCE) + 1000 / row["runtime_ms"]
    if row["goodput_ops_s"] > most and not _names(row) & DOUBTS:
        wrong.append(f"goodput {row['goodput_ops_s']} above throughput {row['throughput_ops_s']}")
    if row["failed_operations"] > row["operations"]:
        wrong.append(f"{row['failed_operations']} of {row['operations']} operations failed")
    if row["outcome"] == Outcome.COMPLETED:
        wrong += _of_completed(row, operations)
    return wrong


def _not_exact(operations, percentiles) -> list[str]:
    """The operations with a figure that does not come from all latencies."""
    sources = None if percentiles is None else percentiles[percentiles["percentile_source"].isin(EXACT)]
    exact = set() if sources is None else set(sources["operation"])
    return sorted(set(operations[operations["count"] != 0]["operation"]) - exact)


def _of_completed(row: dict, operations) -> list[str]:
    # A summary that somebody cut out has a throughput, and the counts that stand beside it, if any.
    if "EXCERPT" in _names(row) and not (row["runtime_ms"] > 0 and row["operations"] > 0):
        return [] if row["throughput_ops_s"] >= 0 else [f"an excerpt with throughput {row['throughput_ops_s']}"]
    if not (row["runtime_ms"] > 0 and row["operations"] > 0):
        return [f"completed with {row['operations']} operations in {row['runtime_ms']} ms"]
    if _names(row) & DOUBTS:
        return []
    wrong = []
    behind = row["throughput_ops_s"] * row["runtime_ms"] / 1000
    tolerance = YCSB_TOLERANCE if row["format"].startswith("ycsb") else ROUNDED_TOLERANCE
    # YCSB leaves failed inserts of a load out of its throughput.
    counts = (row["operations"], row["operations"] - row["failed_operations"])
    if all(abs(behind - n) > max(1.5, tolerance * n) for n in counts):
        wrong.append(f"{behind:g} operations behind the throughput, {row['operations']:g} counted, no warning")
    for one in operations.to_dict("records") if operations is not None else ():
        if any(one[k] < 0 for k in ("count", "ok", "errors", "min_us", "mean_us", "max_us")):
            wrong.append(f"{one['operation']}: a negative figure: {one}")
        # The mean is rounded, the other two are whole.
        if one["min_us"] > one["mean_us"] + 1 or one["mean_us"] > one["max_us"] + 1 or one["min_us"] > one["max_us"]:
            wrong.append(f"{one['operation']}: min, mean and max out of order: {one}")
    return wrong


def _of_percentiles(rows) -> list[str]:
    wrong = []
    for name, group in rows.groupby("operation"):
        values = group.sort_values("percentile")["latency_us"].tolist()
        if any(not 0 <= v < math.inf for v in values):
            wrong.append(f"{name}: percentiles {values}")
        elif group["percentile_source"].isin(EXACT).all() and any(a > b for a, b in pairwise(values)):
            wrong.append(f"{name}: percentiles that fall: {values}")
    return wrong


def _of_intervals(tables: Tables) -> list[str]:
    wrong, rows = [], tables.intervals
    for column in ("interval_s", "operations", "throughput_ops_s", "mean_us", "max_us"):
        values = rows[column]
        if ((values < 0) | (values.abs() == math.inf)).any():
            wrong.append(f"intervals: {column} negative or infinite")
    if (rows["interval_s"] <= 0).any():
        wrong.append("intervals without length")
    return wrong


def _of_references(tables: Tables) -> list[str]:
    known = set(tables.runs["run_id"])
    wrong = [] if len(known) == len(tables.runs) else ["two runs of one id"]
    for name in ("operations", "percentiles", "intervals", "histograms"):
        strangers = set(getattr(tables, name)["run_id"]) - known
        wrong += [f"{name}: no run {run}" for run in sorted(strangers)]
    return wrong


def _names(row: dict) -> set[str]:
    said = row["warnings"]
    return set(said.split() if isinstance(said, str) else said)
