"""Orders that nothing explains: bigger servers that are slower, with more cores and no less RAM or more RAM at equal
cores, and mixes that are faster than another on one server and slower on the next."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies import little_law
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import BEYOND_DOUBT, SINGLE_LOSS, Finding, Thresholds, evidence_of, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import Noise
from ycsbook.scaling.pairs import Compared, beyond, compared, lost
from ycsbook.scaling.points import KIND

ALARMS = 0.0004
_ADVICE = fact("inversion-advice")
_MIX_DEVIATIONS = 3
_GRADED = {
    "budget": ALARMS,
    "cannot_know": "whether the specs share hardware, storage and network: their labels may hide more than they say; "
    "and without repeats, whether a loss of less than half is more than a run that stalled",
    "source": "one-sided t test on ln X with the variance pooled over the sweep, Holm (1979) over all pairs of specs; "
    "and averaged over how unequal the cells' noise may be (Smyth 2004, Welch 1947)",
    "defaults": {"budget": ALARMS, "single_loss": SINGLE_LOSS, "single_warning": BEYOND_DOUBT},
}


@rule(**_GRADED)
def more_cores_slower(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec with more cores and at least the RAM, yet less throughput at the same threads.

    `budget`: chance of any warning in a clean sweep with repeats. Without repeats a loss of at least `single_loss` is
    a note, beyond the noise that is assumed a notice, from `single_warning` a warning.
    """
    yield from _inversions(evidence, settings, lambda cores, ram: (cores > cores.T) & ~(ram < ram.T))


@rule(**_GRADED)
def more_ram_slower(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec with more RAM at equal cores, yet less throughput at the same threads; graded as more_cores_slower."""
    yield from _inversions(evidence, settings, lambda cores, ram: (cores == cores.T) & (ram > ram.T))


Bigger = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _inversions(evidence: Evidence, settings: Thresholds, bigger: Bigger) -> Iterator[Finding]:
    """`bigger` gives, of cores and RAM as rows, a matrix: whether the column's spec is the bigger one of two."""
    for kind, cells in evidence.compared.groupby(list(KIND), sort=True):
        group = cells.groupby(["workload", "threads"], dropna=False).ngroup().to_numpy()
        cores, ram = (cells[c].to_numpy(float)[np.newaxis, :] for c in ("cores", "ram_gib"))
        small, big = np.nonzero(bigger(cores, ram) & (group == group[:, np.newaxis]))
        tested = compared(cells, small, big, evidence.noise[kind])
        unknown = np.isnan(tested.p_falls)
        single_losses = 1 - tested.ratio >= settings["single_loss"]
        flagged = np.where(unknown, single_losses, lost(tested, settings["budget"]))
        slower = Compared(*(values[flagged] for values in tested))
        graded = {**settings, "notable": beyond(evidence.noise[kind].assumed)}
        yield from _worst_of_each(cells, small[flagged], big[flagged], slower, graded)


def _worst_of_each(
    cells: pd.DataFrame, small: np.ndarray, big: np.ndarray, slower: Compared, settings: Thresholds
) -> Iterator[Finding]:
    """One finding per slower spec, against the smaller spec that beats it most. `small`, `big`: positions of cells."""
    for slow in np.unique(big):
        against = np.flatnonzero(big == slow)
        i = against[np.argmin(slower.ratio[against])]
        first, second = (cells.iloc[at[i]].to_dict() for at in (small, big))
        effect, low, high = (float(v[i]) - 1 for v in slower[:3])
        doubt = names.doubts((first, second), "doubt-spec")
        yield Finding(
            _severity(-effect, settings) if np.isnan(low) else "warning",
            second["dataset"], (*first["run_ids"], *second["run_ids"]),
            fact("inversion", cell=names.cell(second), second=np.exp(second["log_y"]), effect=effect,
                 smaller=names.spec(first), first=np.exp(first["log_y"]), others=len(against) - 1,
                 doubt=doubt),
            evidence_of(low), effect, low, high,
            workload=second["workload"], spec=second["spec"], threads=second["threads"],
            cause=little_law.cause(second["workload"]) if doubt else "", advice=little_law.ADVICE if doubt else _ADVICE,
        )  # fmt: skip


def _severity(loss: float, settings: Thresholds) -> str:
    """Of one run against one run, where nothing tells the noise."""
    if loss >= settings["single_warning"]:
        return "warning"
    return "notice" if loss >= settings["notable"] else "note"


@rule(
    cannot_know="which of the rows is wrong, or whether the data fit in the cache of one server only. Writes that "
    "nobody acknowledges cost the client little, and may make the mix with more of them the faster one everywhere",
    source="an update reads its document before it changes it; three standard deviations of a difference of four "
    "means of ln X, by the repeats or the assumed noise",
    defaults={"change": 0.2},
)
def mix_order(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A mix of reads and updates slower by at least `change` than one with fewer reads, and faster by as much on
    another server of the same cores, with the same threads. A notice, about the mix that differs more between the two
    servers."""
    cells = evidence.compared
    known = [names.is_read_update(row) for row in cells[["workload", "read_fraction"]].to_dict("records")]
    plain = cells[np.array(known, dtype=bool)]
    for (*kind, _, _), part in plain.groupby([*KIND, "cores", "threads"]):
        by_reads = sorted(part.groupby("workload"), key=lambda mix: mix[1]["read_fraction"].mean())
        for (_, fewer), (_, more) in combinations(by_reads, 2):
            both = fewer.merge(more, on="spec", suffixes=("_fewer", "_more"))
            yield from _change_places(both, evidence.noise[tuple(kind)], -np.log1p(-settings["change"]))


def _change_places(both: pd.DataFrame, noise: Noise, least: float) -> Iterator[Finding]:
    """both: of each spec the cells of two mixes, fewer reads first. least: what counts as slower or faster, ln X."""
    gain = (both["log_y_more"] - both["log_y_fewer"]).to_numpy()
    if len(both) < 2 or gain.max() < least:
        return
    variance = noise.or_assumed.variance * (1 / both["n_fewer"] + 1 / both["n_more"])
    fastest = int(gain.argmax())
    apart = gain[fastest] - gain > _MIX_DEVIATIONS * np.sqrt(variance + variance[fastest])
    other = _mix(both, fastest, "more")
    for i in np.flatnonzero(apart & (gain <= -least)):
        fewer, more = (_mix(both, i, side) for side in ("fewer", "more"))
        steps = both.iloc[fastest][["log_y_fewer", "log_y_more"]] - both.iloc[i][["log_y_fewer", "log_y_more"]]
        odd = more if abs(steps["log_y_more"]) > abs(steps["log_y_fewer"]) else fewer
        yield Finding(
            "notice", odd["dataset"], odd["run_ids"],
            fact("mix_order", at=names.spec_and_threads(more), mix=names.mix(more), fewer=names.mix(fewer),
                 ops=np.exp(more["log_y"]), fewer_ops=np.exp(fewer["log_y"]), ratio=np.exp(gain[i]),
                 other=names.spec(other), other_ratio=np.exp(gain[fastest])),
            "repeats" if noise.df else "single", float(np.expm1(gain[i])),
            spec=more["spec"], threads=more["threads"], cause=f"mix_order {fewer['workload']} {more['workload']}",
        )  # fmt: skip


def _mix(both: pd.DataFrame, i: int, side: str) -> dict:
    """The cell of one mix of the i-th spec."""
    row = both.iloc[i]
    end = f"_{side}"
    return {"spec": row["spec"]} | {name.removesuffix(end): row[name] for name in row.index if name.endswith(end)}
