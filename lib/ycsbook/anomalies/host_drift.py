"""The machine changed while it was measured: by its own probe, or from the first round of repeats to the last."""

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtrit

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import CELL
from ycsbook.verdicts import HOST_SPEED_TOLERANCE, Warn

# Fewer configurations in both rounds say nothing about a round.
LEAST_CELLS = 3


@rule(
    cannot_know="what slowed the host; a change that came and went between two probes, or that hit all repeats of a "
    "configuration alike, is not seen.",
    source="a probe of the host's own speed before and after each run; t test over the configurations' differences "
    "between the first and the last round of interleaved repeats.",
    defaults={"speed": HOST_SPEED_TOLERANCE, "rounds": 0.05, "level": 0.003},
)
def host_drift(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """The host's speed, probed around a run, moved by more than `speed`: a warning. The last round of repeats differs
    from the first by at least `rounds` over all configurations, at the two-sided `level`: a notice."""
    runs = evidence.runs
    for dataset, part in evidence.by_dataset(runs[(runs["host_speed"] - 1).abs() > settings["speed"]]):
        probed = int(evidence.alike(runs, part)["host_speed"].notna().sum())
        worst = part.loc[(part["host_speed"] - 1).abs().idxmax()]
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("host_drift", tolerance=settings["speed"], n=len(part), runs=fact("runs", n=probed),
                 effect=worst["host_speed"] - 1, cell=names.cell(worst)),
            effect=float(worst["host_speed"] - 1), cause="host", advice=Warn.HOST_SPEED_CHANGED.advice,
        )  # fmt: skip
    yield from _rounds(evidence, settings)


def _rounds(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    runs = evidence.runs[(evidence.runs["y"] > 0) & evidence.runs["repeat"].notna()]
    for dataset, part in evidence.by_dataset(runs):
        if part["repeat"].nunique() < 2:
            continue
        table = part.assign(log_y=np.log(part["y"])).pivot_table(index=CELL, columns="repeat", values="log_y")
        change = (table.iloc[:, -1] - table.iloc[:, 0]).dropna()
        df = len(change) - 1
        if len(change) < LEAST_CELLS:
            continue
        mean, error = float(change.mean()), float(change.std(ddof=1) / np.sqrt(len(change)))
        if abs(np.expm1(mean)) < settings["rounds"] or abs(mean) < stdtrit(df, 1 - settings["level"] / 2) * error:
            continue
        reach = float(stdtrit(df, 0.975)) * error
        effect, low, high = (float(np.expm1(v)) for v in (mean, mean - reach, mean + reach))
        yield Finding(
            "notice", dataset, tuple(part["run_id"]),
            fact("host_drift-rounds", configurations=fact("configurations", n=len(change)), effect=effect, low=low,
                 high=high),
            "repeats", effect, low, high, cause="host",
        )  # fmt: skip
