"""What RAM brings, for what to buy, in sentences, of rows not in doubt."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import ends, number
from ycsbook.report.more_threads import CLEARLY
from ycsbook.report.rows import ReportRows
from ycsbook.scaling.cells import Noise, run_noise
from ycsbook.scaling.growth import Growth
from ycsbook.scaling.steps import MUCH_BY_RAM, cores_and_ram_effects, ram_steps, several_families
from ycsbook.units import BYTES_PER_GIB

# Mixes of which the same is said are named one by one up to so many.
NAMED_MIXES = 2
# Steps of RAM named one by one.
NAMED = 4
# From one size of RAM to the next, at two core counts at least: more than any growth, so that it decides.
CLIFF = 2.0
# A step of RAM brings something from this factor on; and so large a share of all series is nearly all.
BRINGS, NEARLY_ALL = 1.1, 0.8


@dataclass
class BuyingRam:
    """rows: of the report. sound: those not in doubt, with `y`. growth: of each series; of a workload the last one is
    reported. findings: about all rows. is_capped: whether something else than the servers, as their client or too few
    threads, limits what the largest do: then no share of the most is told."""

    rows: ReportRows
    sound: pd.DataFrame
    growth: list[Growth]
    findings: pd.DataFrame
    is_capped: bool = False

    @cached_property
    def cells(self) -> dict[str, pd.DataFrame]:
        return self.cells_of(self.sound[self.sound["cores"] > 0])

    def cells_of(self, known: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """By workload, where several of these specs were measured, a row for each spec and thread count with the
        geometric mean of its `n` repeats, ops/s."""
        # Pages that print no threads have cells all the same.
        by_cell = np.log(known["y"]).groupby([known[c] for c in ("workload", "spec", "threads")], dropna=False)
        mean = np.exp(by_cell.transform("mean"))
        rows = known.assign(y=mean, n=by_cell.transform("size")).drop_duplicates(["workload", "spec", "threads"])
        by_workload = {workload: rows[rows["workload"] == workload] for workload in self.rows.workloads}
        return {workload: cells for workload, cells in by_workload.items() if cells["spec"].nunique() > 1}

    @cached_property
    def noise(self) -> Noise:
        return run_noise(self.sound)

    @cached_property
    def mixes(self) -> dict[str, Fact]:
        return names.mixes(self.sound)

    def ram_facts(self) -> Iterator[Fact]:
        """What RAM brings at the same cores: on the whole where both vary apart, else of the pairs there are."""
        best = {growth.workload: growth.threads for growth in self.growth}
        planes = [of for of in cores_and_ram_effects(self.sound) if best.get(of.workload) == of.threads]
        effects = {name: [(getattr(of, name), self.mixes[of.workload]) for of in planes] for name in ("cores", "ram")}
        if len(planes) > NAMED_MIXES:
            (cores, _), (ram, _) = (zip(*of, strict=True) for of in effects.values())
            yield fact("short-apart-range", n=len(planes), cores_low=min(cores), cores_high=max(cores),
                       ram_low=min(ram), ram_high=max(ram))  # fmt: skip
        elif planes:
            parts = {name: [fact("short-effect", factor=by, mix=mix) for by, mix in of] for name, of in effects.items()}
            yield fact("short-buy-first", **parts)
        if planes:
            yield from self._most_by_ram()
        # Of several families the servers differ in more than RAM.
        if planes or several_families(self.sound):
            return
        for (cores, low, high), here in islice(self._ram_steps.groupby(["cores", "ram_from", "ram_to"]), NAMED):
            yield fact("short-ram-step", cores=cores, ram=low, ram_to=high, unit=self.rows.ram_unit,
                       **ends(here["factor"] - 1))  # fmt: skip

    def _cliffs(self) -> Iterator[Fact]:
        """The step of RAM, at equal cores and threads, that multiplies throughput by CLIFF at most core counts, or
        several times at the only one; or at one where it is always so from the least RAM, or the data are known to fit
        in the cache on one side only."""
        steps = self._ram_steps[self._ram_steps["factor"] >= CLIFF]
        places = steps.groupby(["ram_from", "ram_to"], sort=False)
        (ram, ram_to), here = max(places, key=lambda place: place[1]["cores"].nunique(), default=((0, 0), steps))
        cores, least, most = sorted(here["cores"].unique()), here["factor"].min(), here["factor"].max()
        several = len(cores) >= min(2, self.sound["cores"].nunique())
        of_step = self._ram_steps["ram_from"].eq(ram) & self._ram_steps["ram_to"].eq(ram_to)
        from_least = ram == self.sound["ram_gib"].min() and of_step.sum() == len(here)
        if len(here) > 1 and (several or from_least or self._is_crossed(ram, ram_to)):
            # The mixes in the order of the range.
            mixes = here.groupby("workload")["factor"].max().sort_values().index
            yield fact("short-verdict-ram", cores=[number(c) for c in cores], ram=ram, ram_to=ram_to,
                       unit=self.rows.ram_unit, mixes=[self.mixes[w] for w in mixes],
                       least=None if most < 1.05 * least else least, most=most, enough=False)  # fmt: skip

    @cached_property
    def ram_decides(self) -> list[Fact]:
        """The RAM that decides, if any: at equal cores, by one step or up to some size; else the size that data of a
        known size outgrow: each core does CLIFF times less with it than with the next size, on no more cores, of which
        more would do less each."""
        return list(self._cliffs()) or list(self._enough()) or self._outgrown()

    def _enough(self) -> Iterator[Fact]:
        """The size of RAM up to which throughput grows and beyond which it does not, where that is the same for nearly
        all mixes and threads at two core counts or more."""
        steps = self._ram_steps.sort_values("ram_from")
        series = [part for _, part in steps.groupby(["workload", "threads", "cores"], dropna=False) if len(part) > 1]
        grown: dict[tuple[float, float], list[tuple[float, str, float]]] = {}
        for part in series:
            brings = np.flatnonzero(part["factor"] >= BRINGS)
            if len(brings) and brings[-1] == len(brings) - 1 < len(part) - 1:
                ends_at = part["ram_from"].iloc[0], part["ram_to"].iloc[brings[-1]]
                factor = float(part["factor"].iloc[: len(brings)].prod())
                grown.setdefault(ends_at, []).append((factor, part["workload"].iloc[0], part["cores"].iloc[0]))
        (ram, ram_to), here = max(grown.items(), key=lambda place: len(place[1]), default=((0, 0), []))
        cores = sorted({at for _, _, at in here})
        if len(here) >= NEARLY_ALL * len(series) and len(cores) > 1 and min(here)[0] >= MUCH_BY_RAM:
            mixes = [self.mixes[workload] for workload in dict.fromkeys(workload for _, workload, _ in sorted(here))]
            least, most = min(here)[0], max(here)[0]
            yield fact("short-verdict-ram", cores=[number(c) for c in cores], ram=ram, ram_to=ram_to,
                       unit=self.rows.ram_unit, mixes=mixes, least=None if most < 1.05 * least else least, most=most,
                       enough=True)  # fmt: skip

    @cached_property
    def _ram_steps(self) -> pd.DataFrame:
        return ram_steps(self.sound)

    def _is_crossed(self, ram: float, ram_to: float) -> bool:
        """Whether the data fit in the larger RAM only: MongoDB's own cache takes half, the system's what is left."""
        return ram < 2 * self.rows.data_gib + 1 and self.rows.data_gib <= ram_to

    def _outgrown(self) -> list[Fact]:
        data_gib, unit, steps = self.rows.data_gib, self.rows.ram_unit, {}
        at_equal_cores = set(zip(self._ram_steps["ram_from"], self._ram_steps["ram_to"], strict=True))
        for workload, cells in self.cells.items():
            best = cells.loc[cells.groupby("spec")["y"].idxmax()]
            by_ram = best.assign(each=np.log(best["y"] / best["cores"])).groupby("ram_gib")[["each", "cores"]].mean()
            for (ram, low), (ram_to, high) in pairwise(by_ram.iterrows()):
                comparable = low["cores"] <= high["cores"] and (ram, ram_to) not in at_equal_cores
                times = np.exp(high["each"] - low["each"])
                if comparable and times >= CLIFF and self._is_crossed(ram, ram_to):
                    steps.setdefault((ram, ram_to), {})[workload] = times
        data = data_gib if unit == "GiB" else data_gib * BYTES_PER_GIB / 1e9
        return [
            fact("short-verdict-outgrown", ram=ram, ram_to=ram_to, unit=unit, data=data,
                 mixes=[self.mixes[workload] for workload in sorted(times, key=times.get)], **ends(times.values()))
            for (ram, ram_to), times in sorted(steps.items(), key=lambda step: -len(step[1]))[:1]
        ]  # fmt: skip

    def _most_by_ram(self) -> Iterator[Fact]:
        """Where RAM brings most at the same cores, if that is much, and by more than noise much more than for another
        mix."""
        spans = ram_steps(self.sound, whole=True)
        if spans["factor"].max() >= MUCH_BY_RAM:
            most, place = spans.loc[spans["factor"].idxmax()], ["cores", "threads", "ram_from", "ram_to"]
            at_place = (spans[place].eq(most[place]) | spans[place].isna()).all(axis=1)
            here = spans[at_place].set_index("workload")["factor"].to_dict()
            least = min(here, key=here.get)
            if np.log(here[most.workload] / here[least]) < CLEARLY * np.sqrt(2 * self.noise.or_assumed.variance):
                return
            yield fact("short-ram-most", mix=self.mixes[most.workload], threads=most.threads, cores=most.cores,
                       ram=most.ram_from, ram_to=most.ram_to, unit=self.rows.ram_unit, factor=most.factor,
                       least_mix=self.mixes[least], least=here[least])  # fmt: skip
