"""What logs and pages themselves say of their runs: the warnings of reading, how runs ended, and what the commands that
a publisher prints imply."""

import re
from collections.abc import Iterator, Mapping

import pandas as pd

from ycsbook import names, units
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import Fact, fact, from_json
from ycsbook.ingest.log.table_columns import PRICE, is_measured
from ycsbook.scaling.repeats import FAILED_SHARE, failed_share
from ycsbook.tables import dicts
from ycsbook.verdicts import Outcome, Warn

# Warnings about which another rule says more.
_OWN_RULE = {Warn.UNACKED_WRITES, Warn.LITTLE_LAW, Warn.POOL_BELOW_THREADS, Warn.HOST_SPEED_CHANGED}
# What the logs show that is no doubt about the figures themselves.
_NOTES = {
    Warn.DERIVED, Warn.P95_IS_P90, Warn.UNIT_LABEL_WRONG, Warn.WORKLOAD_INFERRED, Warn.SETTINGS_INFERRED,
    Warn.OPERATION_UNKNOWN,
}  # fmt: skip
_OF_MEASURED = {Warn.SHORT_RUN, Warn.BATCHED_LATENCY}
_SHORT_S = 1200.0
# Within so many seconds not even the client has started up.
MOMENT_S = 1.0
_MILLISECONDS = re.compile(r"([\d.]+) ?ms\b")
_NO_REASONS = {"reasons": None, "reasons_more": 0}
# YCSB checks its clock between operations, so a run may end a little early.
_PLAN_MET = 0.995
# Beyond this no rounding of a printed figure explains a difference.
_ROUNDED = 0.001


def carries(runs: pd.DataFrame, warning: Warn) -> pd.Series:
    return runs["warnings"].str.split().map(lambda names: warning.value in names).astype(bool)


@rule(
    cannot_know="what a log leaves out; a run without warnings is not thereby right. Whether a short run was meant is "
    "known only where the plan is.",
    source="the warnings of the runs table, each explained in docs/ingest.md.",
    defaults={"failed_share": FAILED_SHARE, "planned_s": _SHORT_S},
)
def invalid_run(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Runs that did not complete, and every warning of the logs, with all its runs, once per dataset.

    Operations that failed are an error from `failed_share` of a run, cores that were not enforced always. A run
    shorter than 20 min is a warning, unless the plan asked for runs of `planned_s`, which it reached: then a note.
    """
    yield from _not_completed(evidence)
    runs = evidence.tables.runs
    # What also tells of some.
    unenforced, failing = runs["cores_enforced_by"] == "none", runs["failed_operations"] > 0
    also_shown_by = {Warn.CORES_NOT_ENFORCED: unenforced, Warn.OPERATIONS_FAILED: failing}
    raised = set(" ".join(runs["warnings"]).split()) | {warning.value for warning in also_shown_by}
    for warning in Warn:
        if warning in _OWN_RULE or warning.value not in raised:
            continue
        # A load is never called short, so it is not among those that could be; and of its latencies nothing is said.
        could = runs[runs["phase"] != "load"] if warning in _OF_MEASURED else runs
        for dataset, part in evidence.by_dataset(could[carries(could, warning) | also_shown_by.get(warning, False)]):
            total = evidence.counted(part, len(evidence.alike(could, part)))
            shared = {"where": evidence.where(dataset), "n": len(part), "runs": total}
            severity, message, effect = _judged(warning, part, shared, settings)
            yield Finding(
                severity, dataset, tuple(part["run_id"]), message, effect=effect, cause=warning.value.lower(),
                advice=warning.advice,
            )  # fmt: skip


def _not_completed(evidence: Evidence) -> Iterator[Finding]:
    runs = evidence.tables.runs
    for dataset, part in evidence.by_dataset(runs[runs["outcome"].isin([Outcome.FAILED, Outcome.INCOMPLETE])]):
        total = len(evidence.alike(runs, part))
        stops = [fact(f"stop-{reason}") for reason in sorted({r for r in part["stop_reason"] if r})]
        reasons = stops or _reasons(part)
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("invalid_run-not_completed", where=evidence.where(dataset), n=len(part),
                 runs=evidence.counted(part, total), **names.listed("reasons", reasons) if reasons else _NO_REASONS,
                 **names.listed("run_ids", part["run_id"])),
            cause="not completed",
        )  # fmt: skip


def _reasons(runs: pd.DataFrame) -> list[Fact]:
    pairs = set(zip(runs["reason_key"], runs["reason_values"], strict=True))
    return [from_json(key, values) for key, values in sorted(pairs) if key]


def _edited(runs: pd.DataFrame) -> pd.Series | None:
    """The run whose operations are furthest from throughput x run time, if further than rounding brings them."""
    behind = runs["throughput_ops_s"] * runs["runtime_ms"] / 1000
    is_known = ~(runs["clients"] > 1) & (runs["operations"] > 0) & (behind > 0)
    off = (behind / runs["operations"] - 1).abs().where(is_known)
    return None if not off.max() > _ROUNDED else runs.assign(behind=behind).loc[off.idxmax()]


def _judged(
    warning: Warn, part: pd.DataFrame, shared: dict[str, object], settings: Thresholds
) -> tuple[str, Fact, float]:
    """Severity, message and effect of a warning that these runs carry; shared: values of every message."""
    nothing = float("nan")
    key = f"invalid_run-{warning.value.lower()}"
    match warning:
        case Warn.OPERATIONS_FAILED:
            share = failed_share(part)
            worst = float(share.max())
            row = part.loc[share.idxmax()] if share.notna().any() else None
            most = {} if row is None else {"cell": names.cell(row), "operations": row["operations"]}
            severity = "error" if worst > settings["failed_share"] else "warning"
            return severity, fact(key, **shared, **({"cell": None} | most), share=worst), -worst
        case Warn.SHORT_RUN:
            times = part["runtime_ms"] / 1000
            asked = settings["planned_s"] < _SHORT_S and (times >= _PLAN_MET * settings["planned_s"]).all()
            message = fact(key, **shared, shortest_s=times.min(), planned=bool(asked))
            return "note" if asked else "warning", message, nothing
        case Warn.CORES_NOT_ENFORCED:
            specs = names.listed("specs", map(names.spec, dicts(part)))
            return "error", fact(key, where=shared["where"], **specs), nothing
        case Warn.COLUMNS_UNREAD:
            columns = list(dict.fromkeys(name for reason in _reasons(part) for name in reason.values["columns"]))
            unread = fact("columns-unread", columns=columns, n=len(columns))
            doubt = any(is_measured(column) and not PRICE.search(column) for column in columns)
            return "warning" if doubt else "note", fact(key, **shared, what=unread), nothing
        case Warn.COUNTS_DISAGREE if (row := _edited(part)) is not None:
            figures = {"behind": row["behind"], "operations": row["operations"], "run_id": row["run_id"]}
            return "warning", fact(key, **shared, **figures), row["behind"] / row["operations"] - 1
        case _:
            first = names.listed("run_ids", part["run_id"], 3)
            message = fact("invalid_run-warned", **shared, warning=warning.called, **first)
            return "note" if warning in _NOTES else "warning", message, nothing


# What YCSB's file workloads/workloada sets, for both counts, where no command overrides it.
WORKLOADA = 1000
# A page that says so prints the count of an example, and is not to be held to it.
_ADJUSTED = re.compile(r"调整|adjust", re.IGNORECASE)
_COUNT = re.compile(r"\b(operationcount|recordcount)=(\d{1,15})\b")


@rule(
    cannot_know="whether the printed command is the one that was run: pages print an example and change the counts.",
    source="run time = operations / throughput; YCSB's workloads/workloada has 1,000 records and operations.",
    defaults={"seconds": 60.0},
)
def settings_implausible(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Published rows that would have lasted less than `seconds` by the operation count of the printed command, or of
    YCSB's own workload file where the command has none; an error where all lasted less than a second by a count that
    no other duration stands beside, or by the run time that is printed."""
    runs = evidence.runs[evidence.runs["outcome"] == Outcome.PUBLISHED]
    for dataset, part in runs.groupby("dataset", sort=True):
        printed = evidence.documents.get(dataset, {}).get("environment", {})
        if "run_options" not in printed or not part["throughput_ops_s"].notna().any():
            continue
        counts = {name: int(n) for name, n in _COUNT.findall(printed["run_options"])}
        times = counts.get("operationcount", WORKLOADA) / part["throughput_ops_s"].dropna()
        if times.min() >= settings["seconds"]:
            continue
        severity, message = _implied(counts, printed, times)
        yield Finding(
            severity, str(dataset), tuple(part["run_id"]), message, "published", cause="printed counts",
            advice=fact("settings_implausible-advice"),
        )  # fmt: skip


def _implied(counts: Mapping[str, int], printed: Mapping[str, str], times: pd.Series) -> tuple[str, Fact]:
    """Severity and message of what the counts imply; times: of the runs, in s."""
    asked = printed.get("duration")
    if "operationcount" in counts:
        operations = str(counts["operationcount"])
        # A page that says it adjusts the count is not accused.
        if _ADJUSTED.search(asked or ""):
            return "note", fact("settings_implausible-example", operations=operations, words=asked)
        return "error" if times.max() < MOMENT_S and not asked else "warning", fact(
            "settings_implausible", operations=operations, short=int((times < MOMENT_S).sum()), rows=len(times),
            longest_s=times.max(), asked=asked,
        )  # fmt: skip
    stated = _MILLISECONDS.match(asked or "")
    if stated and abs(float(stated[1]) / units.MS_PER_S / times.max() - 1) <= _ROUNDED:
        severity = "error" if times.max() < MOMENT_S else "warning"
        return severity, fact("settings_implausible-stated", count=WORKLOADA, longest_s=times.max())
    has_records = "recordcount" in counts
    return "warning", fact(
        "settings_implausible-default", lacks="operation" if has_records else "both", count=WORKLOADA,
        longest_s=times.max(), data=None if has_records else printed.get("data") or None,
    )  # fmt: skip
