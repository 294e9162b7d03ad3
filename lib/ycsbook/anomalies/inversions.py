"""Bigger servers that are slower: more cores and no less RAM, or more RAM at equal cores.

With repeats Holm's procedure over all pairs compared keeps the chance of a false warning at FALSE_ALARMS for each
rule and dataset; single rows are flagged from a loss of 9 % and warned about from 25 %, because a vendor's specs may
differ in more than their label says. What this cannot know: whether the specs share hardware, storage and network.
"""

from collections.abc import Callable, Iterator

import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.comparing import SINGLE_RATIO, Comparison, compare, within_budget
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.points import KIND

FALSE_ALARMS = 0.001
WARN_RATIO = 0.75
_ADVICE = "repeat both specs, interleaved, on the same day, with the same data and client; compare their storage"


@rule
def more_cores_slower(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """A spec with more cores and at least the RAM, yet less throughput at the same threads."""
    yield from _inversions(evidence, lambda a, b: b["cores"] > a["cores"] and not b["ram_gib"] < a["ram_gib"])


@rule
def more_ram_slower(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """A spec with more RAM at equal cores, yet less throughput at the same threads."""
    yield from _inversions(evidence, lambda a, b: b["cores"] == a["cores"] and b["ram_gib"] > a["ram_gib"])


def _inversions(evidence: Evidence, bigger: Callable[[dict, dict], bool]) -> Iterator[Finding]:
    for kind, cells in evidence.cells.groupby(list(KIND), sort=True):
        groups = [part.to_dict("records") for _, part in cells.groupby(["workload", "threads"], dropna=False)]
        pairs = [(a, b) for group in groups for b in group for a in group if bigger(a, b)]
        compared = [compare(a, b, evidence.noise[kind]) for a, b in pairs]
        flagged = [
            (a, b, found)
            for (a, b), found, sure in zip(pairs, compared, within_budget(compared, FALSE_ALARMS), strict=True)
            if sure or (not found.repeated and found.ratio < SINGLE_RATIO)
        ]
        yield from _worst_of_each(flagged)


def _worst_of_each(flagged: list[tuple[dict, dict, Comparison]]) -> Iterator[Finding]:
    """One finding per slower spec, against the smaller spec that beats it most."""
    table = pd.DataFrame(
        [{"slow": i, "cell": (b["workload"], b["threads"], b["spec"]), "ratio": f.ratio}
         for i, (_, b, f) in enumerate(flagged)]
    )  # fmt: skip
    if table.empty:
        return
    for _, group in table.groupby("cell", sort=False):
        small, big, found = flagged[int(group.loc[group["ratio"].idxmin(), "slow"])]
        others = f", and {wording.count(len(group) - 1, 'other smaller spec')} too" if len(group) > 1 else ""
        yield Finding(
            "warning" if found.repeated or found.ratio < WARN_RATIO else "note",
            big["dataset"], (*small["run_ids"], *big["run_ids"]),
            f"{wording.spec(big)}, {wording.mix(big)}, {wording.threads(big['threads'])}: {wording.ops(big['log_y'])} "
            f"ops/s, {wording.change(found.ratio - 1)} against the smaller {wording.spec(small)} "
            f"({wording.ops(small['log_y'])} ops/s){others}",
            _ADVICE, found.evidence, found.ratio - 1, found.low - 1, found.high - 1,
        )  # fmt: skip
