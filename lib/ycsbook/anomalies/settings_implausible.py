"""What the commands that a publisher prints imply, beside what the page says."""

import re
from collections.abc import Iterator, Mapping

import pandas as pd

from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import Fact, fact
from ycsbook.verdicts import Outcome

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
    YCSB's own workload file where the command has none."""
    runs = evidence.runs[evidence.runs["outcome"] == Outcome.PUBLISHED]
    for dataset, part in runs.groupby("dataset", sort=True):
        printed = evidence.documents.get(dataset, {}).get("environment", {})
        if "run_options" not in printed or not part["throughput_ops_s"].notna().any():
            continue
        counts = {name: int(n) for name, n in _COUNT.findall(printed["run_options"])}
        times = counts.get("operationcount", WORKLOADA) / part["throughput_ops_s"].dropna()
        if times.min() >= settings["seconds"]:
            continue
        severity, message = _judged(counts, printed, times)
        yield Finding(
            severity, str(dataset), tuple(part["run_id"]), message, "published", cause="printed counts",
            advice=fact("settings_implausible-advice"),
        )  # fmt: skip


def _judged(counts: Mapping[str, int], printed: Mapping[str, str], times: pd.Series) -> tuple[str, Fact]:
    """Severity and message of what the counts imply; times: of the runs, in s."""
    asked = printed.get("duration")
    if "operationcount" in counts:
        operations = str(counts["operationcount"])
        # A page that says it adjusts the count is not accused.
        if _ADJUSTED.search(asked or ""):
            return "note", fact("settings_implausible-example", operations=operations, words=asked)
        return "warning", fact(
            "settings_implausible", operations=operations, short=int((times < 1).sum()), rows=len(times),
            longest_s=times.max(), asked=asked,
        )  # fmt: skip
    has_records = "recordcount" in counts
    return "warning", fact(
        "settings_implausible-default", lacks="operation" if has_records else "both", count=WORKLOADA,
        longest_s=times.max(), data=None if has_records else printed.get("data") or None,
    )  # fmt: skip
