"""Rows whose throughput, latency, threads and mix cannot all be right."""

from collections.abc import Iterator

import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.closed_loop import MAX_UTILISATION
from ycsbook.facts import fact

IMPOSSIBLE, SUSPECT, ROUNDING = 1.10, MAX_UTILISATION, 1.001


@rule(
    cannot_know="which of throughput, latency, thread count and mix is wrong; means over unequal repeats give up to "
    "1 + cv² without any of them being wrong (1.05 takes a spread of 22 %)",
    source="Little (1961), A proof for the queuing formula L = lambda W: in a closed loop N = X (R + Z), Z >= 0, so "
    "U = X R / N cannot exceed 1",
    defaults={"error": IMPOSSIBLE, "warning": SUSPECT, "note": ROUNDING},
)
def little_law(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """U above `error` is an error, above `warning` a warning, above `note` one note per dataset. Effect: U - 1."""
    rows = evidence.runs[evidence.runs["utilisation"] > settings["note"]]
    if rows.empty:
        return
    for row in rows[rows["utilisation"] > settings["warning"]].to_dict("records"):
        yield Finding(
            "error" if row["utilisation"] > settings["error"] else "warning", row["dataset"], (row["run_id"],),
            fact("little_law", cell=names.cell(row), utilisation=row["utilisation"], threads=row["threads"]),
            effect=row["utilisation"] - 1, cause=cause(row["workload"]),
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
        fact("little_law-near", rows=fact("rows", n=len(part)), limit=limit, utilisation=worst["utilisation"],
             cell=names.cell(worst)),
        effect=float(worst["utilisation"] - 1),
    )  # fmt: skip
