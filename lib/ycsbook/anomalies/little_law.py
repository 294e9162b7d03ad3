"""Rows whose throughput, latency, threads and mix cannot all be right."""

from collections.abc import Iterator

import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.ingest.log.closed_loop import MAX_UTILISATION

IMPOSSIBLE, SUSPECT, ROUNDING = 1.10, MAX_UTILISATION, 1.001
_ADVICE = (
    "check throughput, latencies, thread count and mix against the log; until then do not build on this row. "
    "Averaging unequal repeats explains an excess of cv² only"
)


@rule(
    cannot_know="which of throughput, latency, thread count and mix is wrong; means over unequal repeats give up to "
    "1 + cv² without any of them being wrong (1.05 takes a spread of 22 %)",
    source="Little (1961), A proof for the queuing formula L = lambda W: in a closed loop N = X (R + Z), Z >= 0, so "
    "U = X R / N cannot exceed 1",
    defaults={"error": IMPOSSIBLE, "warning": SUSPECT, "note": ROUNDING},
)
def little_law(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """U above `error` is an error, above `warning` a warning, above `note` one note per dataset. Effect: U - 1."""
    rows = evidence.runs[evidence.runs["utilisation"] > settings["note"]]
    if rows.empty:
        return
    for row in rows[rows["utilisation"] > settings["warning"]].to_dict("records"):
        yield Finding(
            "error" if row["utilisation"] > settings["error"] else "warning", row["dataset"], (row["run_id"],),
            f"{wording.cell(row)}: throughput x latency / "
            f"threads = {row['utilisation']:.2f}, more than the {row['threads']:g} threads can do; throughput, "
            "latency, thread count or mix is wrong, and the row alone cannot say which",
            _ADVICE, "single", effect=row["utilisation"] - 1, cause=cause(row["workload"]),
        )  # fmt: skip
    for dataset, part in evidence.by_dataset(rows[rows["utilisation"] <= settings["warning"]]):
        yield _near(dataset, part, settings["warning"])


def cause(workload: str) -> str:
    """What rows of one workload that break Little's law share: a table that was written down wrongly."""
    return f"{workload}: throughput, latency and threads do not agree"


def _near(dataset: str, part: pd.DataFrame, limit: float) -> Finding:
    worst = part.loc[part["utilisation"].idxmax()]
    return Finding(
        "note", dataset, tuple(part["run_id"]),
        f"{wording.count(len(part), 'row')} slightly above Little's law (throughput x latency / threads between 1 and "
        f"{limit:g}; highest {worst['utilisation']:.3f}: {wording.cell(worst)}), as means of unequal repeats give",
        "nothing, unless the rows are single runs", "single",
        effect=float(worst["utilisation"] - 1),
    )  # fmt: skip
