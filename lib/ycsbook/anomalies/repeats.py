"""Repeats of one configuration that disagree, one by one or with the passing of the sweep."""

from collections.abc import Iterator

import numpy as np
from scipy import stats

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.cells import CELL

SPREAD = 0.10
DRIFT_NOTE, DRIFT_WARNING = 0.05, 0.10
# Two-sided level at which a drift over the sweep counts as seen.
DRIFT_LEVEL = 0.003


@rule
def repeat_spread(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Configurations whose repeats vary by more than 10 % (standard deviation of ln X), once per dataset."""
    cells = evidence.cells.assign(spread=np.sqrt(evidence.cells["variance"]))
    for dataset, part in evidence.by_dataset(cells[cells["spread"] > SPREAD]):
        worst = part.loc[part["spread"].idxmax()]
        repeated = int((evidence.alike(cells, part)["n"] > 1).sum())
        yield Finding(
            "warning", dataset, tuple(r for ids in part["run_ids"] for r in ids),
            f"repeats vary by more than {100 * SPREAD:.0f} % in {len(part)} of "
            f"{wording.count(repeated, 'configuration')}, most at {wording.spec(worst)}, {wording.mix(worst)}, "
            f"{wording.threads(worst['threads'])}: {100 * worst['spread']:.0f} % over {worst['n']} repeats",
            "look for other load on the machine, run longer, and repeat more often", "repeats",
        )  # fmt: skip


@rule
def sweep_drift(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """The last round of interleaved repeats faster or slower than the first over all configurations."""
    runs = evidence.runs[(evidence.runs["y"] > 0) & evidence.runs["repeat"].notna()]
    for dataset, part in evidence.by_dataset(runs):
        table = part.assign(log_y=np.log(part["y"])).pivot_table(index=CELL, columns="repeat", values="log_y")
        if table.shape[1] < 2:
            continue
        rounds = table.columns
        change = (table[rounds[-1]] - table[rounds[0]]).dropna()
        if len(change) < 3:
            continue
        mean, error = float(change.mean()), float(change.std(ddof=1) / np.sqrt(len(change)))
        df = len(change) - 1
        if abs(mean) < np.log1p(DRIFT_NOTE) or abs(mean) < stats.t.ppf(1 - DRIFT_LEVEL / 2, df) * error:
            continue
        reach = float(stats.t.ppf(0.975, df)) * error
        effect, low, high = (float(np.expm1(v)) for v in (mean, mean - reach, mean + reach))
        yield Finding(
            "warning" if abs(effect) >= DRIFT_WARNING else "note", dataset, tuple(part["run_id"]),
            f"over {wording.count(len(change), 'configuration')} the last round of repeats was "
            f"{wording.change(effect)} ({wording.change(low)} to {wording.change(high)}) against the first: the "
            "machine or the server drifted",
            "repeat on a quiet machine; interleaved repeats keep such a drift out of comparisons between specs",
            "repeats", effect, low, high,
        )  # fmt: skip
