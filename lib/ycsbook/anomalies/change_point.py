"""The same configuration measured again and again: where it became faster or slower, and with which version."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ycsbook.anomalies import wording
from ycsbook.anomalies.energy import seed_of, splits
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.points import with_throughput
from ycsbook.verdicts import Outcome

_CONFIGURATION = ["workload", "spec", "cores", "ram_gib", "threads", "write_concern", "topology", "target_ops_s"]
# Fewest runs on each side of a change.
LEAST = 5
# Below this squared error of ln X the runs agree to rounding.
_EXACT = 1e-24


@rule(
    cannot_know="why: whatever changed with the version changed too, and a version that came with another host looks "
    "the same. Fewer than ten runs with a start time, or fewer than five since the change, show nothing yet. The "
    "interval takes the place of the change for known, so it is a little too narrow.",
    source="E-divisive: Matteson and James (2014), J. Am. Stat. Assoc. 109; permutations seeded by the "
    "configuration's name, the level shared among the configurations.",
    defaults={"level": 0.05, "change": 0.02},
)
def change_point(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """A change of at least `change` in the history of a configuration, at a `level` shared among all configurations
    with enough runs, and the version with which it began."""
    histories = [(key, part) for key, part in _histories(evidence) if len(part) >= 2 * LEAST]
    for key, part in histories:
        log_y = np.log(part["y"].to_numpy(float))
        found = splits(log_y, level=settings["level"] / len(histories), least=LEAST, seed=seed_of(repr(key)))
        edges = [0, *(split.at for split in found), len(part)]
        for i, split in enumerate(found, 1):
            one = _finding(part, log_y, edges[i - 1], split.at, edges[i + 1])
            if abs(one.effect) >= settings["change"]:
                yield one


def _histories(evidence: Evidence) -> list[tuple[tuple, pd.DataFrame]]:
    """The runs of each configuration in order of time, with one throughput column for all of them."""
    runs = evidence.tables.runs
    if evidence.history is not None:
        runs = pd.concat([evidence.history.runs, runs], ignore_index=True).drop_duplicates("run_id", keep="last")
    runs = runs[(runs["started_at"] != "") & (runs["outcome"] == Outcome.COMPLETED) & (runs["spec"] != "")]
    # Of all datasets one throughput, or a change of column would look like one of the server.
    rows = with_throughput(runs.assign(own=runs["dataset"], dataset="")) if len(runs) else runs.assign(y=0.0)
    rows = rows[rows["y"] > 0].sort_values(["started_at", "run_id"])
    here = set(evidence.tables.runs["run_id"])
    grouped = rows.groupby(_CONFIGURATION, dropna=False, sort=True)
    return [(key, part) for key, part in grouped if part["run_id"].isin(here).any()]


def _finding(part: pd.DataFrame, log_y: np.ndarray, start: int, at: int, end: int) -> Finding:
    before, after = log_y[start:at], log_y[at:end]
    middle, reach = float(after.mean() - before.mean()), _reach(before, after)
    effect, low, high = (float(np.expm1(v)) for v in (middle, middle - reach, middle + reach))
    first = part.iloc[at]
    return Finding(
        "notice", str(part["own"].iloc[-1]), tuple(part["run_id"].iloc[start:end]),
        f"{wording.cell(first)}: throughput changed by "
        f"{wording.change(effect)} (95 % interval {wording.change(low)} to {wording.change(high)}) with the run of "
        f"{first['started_at']}, {at - start} runs before and {end - at} since; {_versions(part, start, at, end)}",
        "run both versions again on the same host, interleaved, and compare them with ycsbook compare", "repeats",
        effect, low, high, cause=f"change {first['server_version']}" if _changed(part, at) else "",
    )  # fmt: skip


def _reach(before: np.ndarray, after: np.ndarray) -> float:
    """Half the width of the 95 % interval of a difference of means, variances not taken for equal (Welch 1947)."""
    errors = np.array([part.var(ddof=1) / len(part) for part in (before, after)])
    if errors.sum() < _EXACT:
        return 0.0
    df = errors.sum() ** 2 / (errors**2 / [len(before) - 1, len(after) - 1]).sum()
    return float(stdtrit(df, 0.975) * np.sqrt(errors.sum()))


def _changed(part: pd.DataFrame, at: int) -> bool:
    versions = part["server_version"].iloc[at - 1 : at + 1]
    return versions.ne("").all() and versions.nunique() == 2


def _versions(part: pd.DataFrame, start: int, at: int, end: int) -> str:
    before, since = part["server_version"].iloc[at - 1], part["server_version"].iloc[at]
    if _changed(part, at):
        return f"it began with version {since} ({before} before)"
    known = sorted(set(part["server_version"].iloc[start:end]) - {""})
    if len(known) == 1:
        return f"the server's version is {known[0]} throughout"
    return f"the version was {since} then as before" if since else "the server's version is not recorded"
