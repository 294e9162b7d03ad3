"""What the commands that a publisher prints imply, beside what the page says."""

import re
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.units import duration
from ycsbook.verdicts import Outcome

# What YCSB's file workloads/workloada sets, for both counts, where no command overrides it.
WORKLOADA = 1000
_COUNT = re.compile(r"\b(operationcount|recordcount)=(\d{1,15})\b")
_NEXT = "ask the publisher for the counts and the run times; until then take caches and warm-up for unsettled"


@rule(
    cannot_know="whether the printed command is the one that was run: pages print an example and change the counts.",
    source="run time = operations / throughput; YCSB's workloads/workloada has 1,000 records and operations.",
    defaults={"seconds": 60.0},
)
def settings_implausible(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Published rows that would have lasted less than `seconds` by the operation count of the printed command, or of
    YCSB's own workload file where the command has none."""
    runs = evidence.runs[evidence.runs["outcome"] == Outcome.PUBLISHED]
    for dataset, part in runs.groupby("dataset", sort=True):
        said = evidence.documents.get(dataset, {}).get("environment", {})
        if "run_options" not in said or not part["throughput_ops_s"].notna().any():
            continue
        counts = {name: int(n) for name, n in _COUNT.findall(said["run_options"])}
        times = counts.get("operationcount", WORKLOADA) / part["throughput_ops_s"].dropna()
        if times.min() >= settings["seconds"]:
            continue
        yield Finding(
            "warning", str(dataset), tuple(part["run_id"]), _message(counts, said, times), _NEXT, "published",
            cause="printed counts",
        )  # fmt: skip


def _message(counts: Mapping[str, int], said: Mapping[str, str], times: pd.Series) -> str:
    if "operationcount" in counts:
        short = int((times < 1).sum())
        quick = f"{short} of the {len(times)} rows last less than 1 s and " if short else ""
        text = (
            f"the page prints operationcount={counts['operationcount']}: at the printed throughput {quick}"
            f"the longest lasts {_time(times.max())}"
        )
        asked = said.get("duration")
        return text + (f"; the same page asks for “{asked}”" if asked else "")
    lacks = "operation" if "recordcount" in counts else "record or operation"
    text = (
        f"the page prints no {lacks} count: YCSB's workloada then means {WORKLOADA:,} operations, at the printed "
        f"throughput {_time(times.min())} to {_time(times.max())} a run"
    )
    data = said.get("data")
    if "recordcount" not in counts and data:
        text += f", over {WORKLOADA:,} records; the page speaks of “{data}”"
    return text


def _time(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 1 else duration(float(np.round(seconds)))
