"""Orders that nothing explains: bigger servers that are slower, with more cores and no less RAM or more RAM at equal
cores; specs each of whose cores does less than on a smaller server and on a larger one; and mixes that are faster than
another on one server and slower on the next."""

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies import little_law
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.neighbours import between
from ycsbook.anomalies.registry import BEYOND_DOUBT, SINGLE_LOSS, Finding, Thresholds, evidence_of, rule
from ycsbook.columns import KIND
from ycsbook.facts import fact
from ycsbook.scaling.cells import Noise
from ycsbook.scaling.pairs import Compared, beyond, compared, lost
from ycsbook.scaling.points import at_own_threads
from ycsbook.tables import dicts

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
        slower = pd.DataFrame({**tested._asdict(), "small": small, "big": big})[flagged]
        # Of each slower spec the smaller one that beats it most.
        for _, pairs in slower.groupby("big"):
            pair = pairs.loc[pairs["ratio"].idxmin()]
            first, second = (cells.iloc[int(pair[of])].to_dict() for of in ("small", "big"))
            effect, low, high = (float(pair[of]) - 1 for of in ("ratio", "conf_low", "conf_high"))
            severity = "notice" if -effect >= beyond(evidence.noise[kind].assumed) else "note"
            doubt = names.doubts((first, second), "doubt-spec")
            yield Finding(
                "warning" if not np.isnan(low) or -effect >= settings["single_warning"] else severity,
                second["dataset"], (*first["run_ids"], *second["run_ids"]),
                fact("inversion", cell=names.cell(second), second=np.exp(second["log_y"]), effect=effect,
                     smaller=names.spec(first), first=np.exp(first["log_y"]), others=len(pairs) - 1, doubt=doubt),
                evidence_of(low), effect, low, high,
                workload=second["workload"], spec=second["spec"], threads=second["threads"],
                cause=little_law.cause(second["workload"]) if doubt else "",
                advice=little_law.ADVICE if doubt else _ADVICE,
            )  # fmt: skip


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
    is_read_update = [names.is_read_update(row) for row in dicts(cells[["workload", "read_fraction"]])]
    plain = cells[np.array(is_read_update, dtype=bool)]
    size = [*KIND, "cores", "threads"]
    plain = plain[(plain["cores"] > 0) & (plain.groupby(size, dropna=False)["spec"].transform("nunique") > 1)]
    for (*kind, _, _), part in plain.groupby(size, dropna=False):
        by_reads = sorted(part.groupby("workload"), key=lambda mix: mix[1]["read_fraction"].mean())
        for (_, fewer), (_, more) in combinations(by_reads, 2):
            specs = pd.Index(fewer["spec"]).intersection(more["spec"])
            of_shared_specs = (mix.set_index("spec", drop=False).loc[specs] for mix in (fewer, more))
            yield from _change_places(*of_shared_specs, evidence.noise[tuple(kind)], -np.log1p(-settings["change"]))


def _change_places(fewer: pd.DataFrame, more: pd.DataFrame, noise: Noise, least: float) -> Iterator[Finding]:
    """fewer, more: the cells of two mixes, of the same specs. least: what counts as slower or faster, ln X."""
    gain = (more["log_y"] - fewer["log_y"]).to_numpy()
    if len(gain) < 2 or gain.max() < least:
        return
    variance = noise.or_assumed.variance * (1 / fewer["n"] + 1 / more["n"]).to_numpy()
    fastest = int(gain.argmax())
    apart = gain[fastest] - gain > _MIX_DEVIATIONS * np.sqrt(variance + variance[fastest])
    of_fewer, of_more = dicts(fewer), dicts(more)
    for i in np.flatnonzero(apart & (gain <= -least)):
        low, high = (abs(mix[fastest]["log_y"] - mix[i]["log_y"]) for mix in (of_fewer, of_more))
        odd = of_more[i] if high > low else of_fewer[i]
        yield Finding(
            "notice", odd["dataset"], odd["run_ids"],
            fact("mix_order", at=names.spec_and_threads(of_more[i]), mix=names.mix(of_more[i]),
                 fewer=names.mix(of_fewer[i]), ops=np.exp(of_more[i]["log_y"]), fewer_ops=np.exp(of_fewer[i]["log_y"]),
                 ratio=np.exp(gain[i]), other=names.spec(of_more[fastest]), other_ratio=np.exp(gain[fastest])),
            "repeats" if noise.df else "single", float(np.expm1(gain[i])), spec=odd["spec"], threads=odd["threads"],
            cause=f"mix_order {of_fewer[i]['workload']} {of_more[i]['workload']}",
        )  # fmt: skip


DIP_BUDGET = 0.0001
# Where a core of the larger neighbour does so many times as much as one of the smaller, that one may be what is slow:
# the data may fit in the RAM of the larger one only.
_STEEP = 1.1


@rule(
    budget=DIP_BUDGET,
    cannot_know="why: a slow host, another kind of machine or disk, or RAM that the data just do not fit in",
    source="in every law a core does no more on a larger server than on a smaller one; one-sided t tests on ln X "
    "against both neighbours, of which the weaker counts (Berger 1982), by Holm (1979) over all specs",
    defaults={"loss": 0.25, "alone": BEYOND_DOUBT, "level": 0.01},
)
def dip(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec each of whose cores does less than those of the next smaller spec and of the next larger one, and that
    does at least `loss` less than the line between the two, in most of its mixes and thread counts: a notice where
    several show it, or one beyond the noise of its repeats at `level`, or without repeats one that loses `alone`; a
    warning where several show it and repeats prove it within the budget. In fewer mixes where repeats prove it of each
    of several thread counts.

    Neighbours have no more RAM below and no less above. Effect: the least of the losses.
    """
    cells = at_own_threads(evidence.compared)
    clear = [not evidence.contradicted(ids) for ids in cells["run_ids"]]
    for kind, part in cells[(cells["cores"] > 0) & np.array(clear, dtype=bool)].groupby(list(KIND), sort=True):
        small, middle, large = between(part)
        per_core = part.assign(log_y=part["log_y"] - np.log(part["cores"]))
        noise = evidence.noise[kind]
        tested = Compared(*map(np.maximum, *(compared(per_core, of, middle, noise) for of in (small, large))))
        log_y, cores = part["log_y"].to_numpy(float), np.log(part["cores"].to_numpy(float))
        slope = (log_y[large] - log_y[small]) / (cores[large] - cores[small])
        loss = -np.expm1(log_y[middle] - log_y[small] - slope * (cores[middle] - cores[small]))
        unknown = np.isnan(tested.p_falls)
        is_lower = np.where(unknown, tested.ratio <= 1 - beyond(noise.assumed), lost(tested, settings["level"]))
        steep = (slope - 1) * (cores[large] - cores[small]) > np.log(_STEEP)
        rows = part.iloc[middle].assign(
            small=small, large=large, loss=loss, known=~unknown, sure=lost(tested, DIP_BUDGET),
            dips=is_lower & (loss >= settings["loss"]) & ~steep,
        )  # fmt: skip
        for _, of_spec in rows[rows["spec"].isin(rows.loc[rows["dips"], "spec"])].groupby("spec"):
            low, by_mix = of_spec[of_spec["dips"]], of_spec.groupby("workload")
            if 2 * len(low) < len(of_spec):
                # Of several thread counts of a mix all, and each beyond chance.
                whole = (of_spec["dips"] & of_spec["sure"]).groupby(of_spec["workload"]).transform("all")
                low = of_spec[whole & (by_mix["threads"].transform("size") > 1)]
            if low.empty:
                continue
            first, least, most = low.iloc[0], float(low["loss"].min()), float(low["loss"].max())
            if len(low) < 2 and not first["known"] and least < settings["alone"]:
                continue
            smaller, larger = (names.spec_listed(part.iloc[int(first[of])].to_dict()) for of in ("small", "large"))
            some = low["workload"].nunique() < by_mix.ngroups
            yield Finding(
                "warning" if len(low) > 1 and low["sure"].any() else "notice", first["dataset"], low["run_ids"].sum(),
                fact("dip", spec=names.spec_listed(first.to_dict()), smaller=smaller, larger=larger, n=len(low),
                     total=len(of_spec), least=least if round(least, 2) < round(most, 2) else None, most=most,
                     some=some, mixes=[*names.mixes(low).values()] if some else []),
                "repeats" if low["known"].all() else "single", -least, spec=first["spec"],
            )  # fmt: skip
