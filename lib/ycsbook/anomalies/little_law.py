"""Rows whose throughput, latency, threads and mix cannot all be right.

A closed loop with N threads has N = X (R + Z), Z >= 0, so U = X R / N cannot exceed 1. What this cannot know: which
of the four figures is wrong. Means of unequal repeats give up to 1 + cv² (1.05 needs a spread of 22 %).
"""

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


@rule
def little_law(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """U above 1.10 is an error, above 1.05 a warning, above 1 one note per dataset."""
    rows = evidence.runs
    for row in rows[rows["utilisation"] > SUSPECT].to_dict("records"):
        yield Finding(
            "error" if row["utilisation"] > IMPOSSIBLE else "warning", row["dataset"], (row["run_id"],),
            f"{wording.spec(row)}, {wording.mix(row)}, {wording.threads(row['threads'])}: throughput x latency / "
            f"threads = {row['utilisation']:.2f}, more than the {row['threads']:g} threads can do; throughput, "
            "latency, thread count or mix is wrong, and the row alone cannot say which",
            _ADVICE, "single", effect=row["utilisation"] - 1,
        )  # fmt: skip
    near = rows[(rows["utilisation"] > ROUNDING) & (rows["utilisation"] <= SUSPECT)]
    for dataset, part in evidence.by_dataset(near):
        yield _near(dataset, part)


def _near(dataset: str, part: pd.DataFrame) -> Finding:
    worst = part.loc[part["utilisation"].idxmax()]
    return Finding(
        "note", dataset, tuple(part["run_id"]),
        f"{wording.count(len(part), 'row')} slightly above Little's law (throughput x latency / threads between 1 and "
        f"{SUSPECT:g}; highest {worst['utilisation']:.3f}: {wording.spec(worst)}, {wording.mix(worst)}, "
        f"{wording.threads(worst['threads'])}), as means of unequal repeats give",
        "nothing, unless the rows are single runs", "single",
        effect=float(worst["utilisation"] - 1),
    )  # fmt: skip
