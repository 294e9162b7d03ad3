"""What to buy, in sentences: the most for each core and for the money, and what RAM brings, of rows not in doubt."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.facts import Fact, fact
from ycsbook.messages import fact_of
from ycsbook.messages.formats import ends, gathered
from ycsbook.report.buying_ram import NAMED_MIXES, BuyingRam
from ycsbook.scaling.cells import with_fewest_threads
from ycsbook.scaling.growth import PROPORTIONAL
from ycsbook.scaling.pairs import ratios
from ycsbook.scaling.steps import MILLION
from ycsbook.tables import dicts
from ycsbook.units import SECONDS_PER_HOUR, US_PER_MS

# A share that is not called half.
CLEARLY_MORE = 0.6
# Specs that do so much less for each core, or not even that, do nearly as much.
LITTLE_LESS = 0.15
# Specs named that do as much for each core, within the noise; and of the verdict those that do half of the most.
ALIKE = MANY = 3
# Specs that are slower than a smaller one, named in the verdict.
NAMED_SLOWER = 2
# A larger spec that does so much less than the one to buy puts that in doubt, be it by a single run.
CHECK = 0.25


class Buying(BuyingRam):
    """What to buy, and before it, how much RAM it takes."""

    @cached_property
    def best(self) -> dict[str, tuple[pd.Series, pd.Series]]:
        """By workload the cell with the most throughput per core, of some that repeats do not tell apart that of the
        most cores and the least RAM, with the fewest threads that do as much, as operations wait least there; and the
        cell with the most throughput."""
        best = {}
        for workload, (most_per_core, top) in self.most.items():
            tells_apart = self.noise.df and workload not in self._even
            alike = self._as_good(workload) if tells_apart else [most_per_core]
            largest = max(alike, key=lambda cell: (cell["cores"], -np.nan_to_num(cell["ram_gib"]), cell["y"]))
            best[workload] = with_fewest_threads(self.cells[workload], largest, self.noise.reach), top
        return best

    @cached_property
    def most(self) -> dict[str, tuple[pd.Series, pd.Series]]:
        """By workload the cell with the most throughput per core, and the cell with the most throughput."""
        return {
            workload: (cells.loc[(cells["y"] / cells["cores"]).idxmax()], cells.loc[cells["y"].idxmax()])
            for workload, cells in self.cells.items()
        }

    @cached_property
    def _even(self) -> list[str]:
        """Workloads whose cores do as much on every spec, within the noise, and may grow in proportion."""
        # With fewer threads growth may bend where these are too few, which says nothing of the cores; of single runs
        # one series shows little.
        series = {g.workload: g for g in self.growth}.values() if self.noise.df else self.growth
        bent = {g.workload for g in series if g.low > PROPORTIONAL or g.high < PROPORTIONAL}
        straight = {w: cells for w, cells in self.cells.items() if w not in bent}
        return [w for w, cells in straight.items() if len(self._as_good(w)) == cells["spec"].nunique()]

    @cached_property
    def half(self) -> dict[str, pd.Series]:
        """By workload of which only the smallest specs do most for each core, as they mostly do: the smallest spec that
        does half of the most, if it is not the one that does the most."""
        small = {}
        if self.is_capped:
            return small
        for workload, (best, top) in self.best.items():
            cells = self.cells[workload]
            if workload not in self._even and best["cores"] == cells["cores"].min() and best["y"] < top["y"] / 2:
                enough = cells[cells["y"] >= top["y"] / 2]
                first = enough.sort_values(["cores", "ram_gib", "y"], ascending=[True, True, False]).iloc[0]
                if first["spec"] != top["spec"]:
                    small[workload] = with_fewest_threads(enough, first, self.noise.reach)
        return small

    def _share(self, workload: str) -> float:
        return self.half[workload]["y"] / self.most[workload][1]["y"]

    @cached_property
    def _nearly_even(self) -> dict[str, float]:
        """By workload whose specs all do nearly as much for each core, and not as much: how much less, as a share, one
        does at most. Then which does most says little, and half of the most takes about half of the cores."""
        per_core = {w: (of["y"] / of["cores"]).groupby(of["spec"]).max() for w, of in self.cells.items()}
        less = {w: 1 - each.min() / each.max() for w, each in per_core.items() if w not in self._even}
        return {workload: share for workload, share in less.items() if share <= LITTLE_LESS}

    def verdicts(self) -> Iterator[Fact]:
        """What to buy, in a sentence or two; before them, how much RAM it takes where that decides."""
        yield from self.ram_decides
        yield from self._for_the_money()
        yield from self._slower()
        if self.is_capped:
            return
        # Where more cores bring nothing that is said already.
        flat = {g.workload for g in self.growth if g.is_flat}
        elsewhere = {*self._even, *self._nearly_even, *self.half, *flat}
        best = {w: cell for w, (cell, _) in self.best.items() if w not in elsewhere}
        if best:
            alike = [self.mixes[workload] for workload in best if len(self._as_good(workload)) > 1]
            is_most = all(cell["spec"] == self.most[workload][0]["spec"] for workload, cell in best.items())
            yield fact("short-verdict-buy", is_most=is_most, alike=len(alike) > 0,
                       some=len(alike) < len(best), alike_mixes=alike,
                       **names.listed("specs", self.specs(best), 2))  # fmt: skip
        # Half of the most for one mix may be all of it for another.
        for is_half in (False, True):
            told_half = {w: cell for w, cell in self.half.items() if w not in self._nearly_even}
            if half := {w: cell for w, cell in told_half.items() if (self._share(w) < CLEARLY_MORE) == is_half}:
                yield fact("short-verdict-half", share=min(map(self._share, half)), half=is_half,
                           **names.listed("specs", self.specs(half), MANY))  # fmt: skip
        if self._even:
            yield fact("short-verdict-even", mixes=[self.mixes[workload] for workload in self._even])
        if nearly := self._nearly_even:
            yield fact("short-verdict-nearly-even", mixes=[self.mixes[w] for w in nearly], less=max(nearly.values()))

    def specs(self, cells: dict[str, pd.Series]) -> list[Fact]:
        """The specs of these cells with their mixes, that of most mixes first."""
        mixes = gathered((names.spec_listed(cell), self.mixes[workload]) for workload, cell in cells.items())
        ordered = sorted(mixes.items(), key=lambda named: -len(named[1]))
        return [fact("short-verdict-spec", spec=spec, mixes=of) for spec, of in ordered]

    def told_otherwise(self, of_all: "Buying") -> Iterator[Fact]:
        """What would give most for each core if the rows in doubt, which are among those of `of_all`, were right, where
        that is none of the specs that do as much without them."""
        best = {w: cell for w, (cell, _) in of_all.most.items() if w in self.most and w not in of_all._even}
        as_good = {workload: [cell["spec"] for cell in self._as_good(workload)] for workload in best}
        if other := {workload: cell for workload, cell in best.items() if cell["spec"] not in as_good[workload]}:
            yield fact("short-otherwise-buy", specs=of_all.specs(other))

    def facts(self) -> Iterator[Fact]:
        if self._even:
            mixes, priced = [self.mixes[workload] for workload in self._even], bool(self.rows.sweep.prices)
            yield fact("short-buy-even", mixes=mixes, assumed=self._assumed, priced=priced)
        best = {workload: cell for workload, (cell, _) in self.best.items() if workload not in self._even}
        chosen = gathered(((names.spec(cell), str(cell["threads"])), workload) for workload, cell in best.items())
        for (spec, _), workloads in chosen.items():
            if len(workloads) > NAMED_MIXES:
                yield self._several(spec, workloads)
                continue
            for workload in workloads:
                yield self._most_for_each_core(workload)
                if (cell := self.half.get(workload)) is not None:
                    share = self._share(workload)
                    yield fact("short-buy-half", spec=names.spec(cell), threads=cell["threads"], ops=cell["y"],
                               share=share, half=share < CLEARLY_MORE)  # fmt: skip
        yield from self.ram_facts()

    def _most_for_each_core(self, workload: str) -> Fact:
        (best, top), as_good = self.best[workload], self._as_good(workload)
        each = best["y"] / best["cores"]
        return fact(
            "short-buy", mix=self.mixes[workload], spec=names.spec(best), threads=best["threads"], ops=best["y"],
            top=None if self.is_capped or best["spec"] == top["spec"] else names.spec(top), top_ops=top["y"],
            share=best["y"] / top["y"],
            read_ms=best["ral_us"] / US_PER_MS, is_most=self._is_most(workload),
            # Each at the threads that bring it most, against the row that is quoted.
            **self._alike([
                fact("short-spec-at", cell=names.spec_listed(cell), change=cell["y"] / cell["cores"] / each - 1,
                     threads=None if cell["threads"] == best["threads"] else cell["threads"])
                for cell in as_good
                if cell["spec"] != best["spec"]
            ]),
        )  # fmt: skip

    def _is_most(self, workload: str) -> bool:
        """Whether no cell does more for each core than that of `best`, be it within the noise."""
        best, most = self.best[workload][0], self.most[workload][0]
        return bool(best["y"] / best["cores"] == most["y"] / most["cores"])

    def _alike(self, specs: list[Fact]) -> dict[str, object]:
        """Of specs that may do as much for each core: alike, None without any; alike_more: how many are not named;
        reach: how much less may be noise; assumed: see _assumed."""
        listed = names.listed("alike", specs, ALIKE) if specs else {"alike": None, "alike_more": 0}
        return {**listed, "assumed": self._assumed, "reach": self.noise.reach}

    @property
    def _assumed(self) -> float | None:
        """The noise of a run that is assumed where nothing was repeated or printed, ln X; else None."""
        return None if self.noise.df else self.noise.assumed

    def _as_good(self, workload: str) -> list[pd.Series]:
        """The cell with the most throughput per core, and those of other specs that may do as much: the 95 %
        interval of their best ratio to it includes 1. By cores and RAM."""
        cells, (most, _) = self.cells[workload], self.most[workload]
        per_core = np.log(cells["y"] / cells["cores"])
        others = cells.loc[per_core.groupby(cells["spec"]).idxmax()]
        others = others[others["spec"] != most["spec"]]
        variance, df, _ = self.noise.or_assumed
        error = np.sqrt(variance * (1 / others["n"] + 1 / most["n"]))
        ratio = ratios(per_core[others.index] - per_core.max(), error, np.full(len(others), df))
        alike = [most, *(cell for _, cell in others[ratio.conf_high >= 1].iterrows())]
        return sorted(alike, key=lambda cell: (cell["cores"], cell["ram_gib"]))

    def _several(self, spec: Fact, workloads: list[str]) -> Fact:
        """The cell with the most throughput per core, where that of several workloads is the same."""
        pairs = [self.best[workload] for workload in workloads]
        shares = [round(best["y"] / top["y"], 2) for best, top in pairs]
        as_good = [{cell["spec"]: names.spec_listed(cell) for cell in self._as_good(w)} for w in workloads]
        alike = [named for key, named in as_good[0].items()
                 if key != pairs[0][0]["spec"] and all(key in others for others in as_good)]  # fmt: skip
        return fact("short-buy-several", mixes=[self.mixes[workload] for workload in workloads], spec=spec,
                    threads=pairs[0][0]["threads"], is_most=all(map(self._is_most, workloads)),
                    **ends(shares), **self._alike(alike))  # fmt: skip

    def _for_the_money(self) -> Iterator[Fact]:
        if not self.rows.sweep.prices:
            return
        price = self.sound["spec"].map(self.rows.sweep.prices.get).astype(float)
        best = [
            with_fewest_threads(priced, priced.loc[(priced["y"] / priced["price"]).idxmax()], self.noise.reach)
            for priced in self.cells_of(self.sound.assign(price=price)[price.notna()]).values()
        ]
        for cells in gathered(((cell["spec"], str(cell["threads"])), cell) for cell in best).values():
            millions = sorted(cell["price"] / cell["y"] / SECONDS_PER_HOUR * MILLION for cell in cells)
            yield fact(
                "short-money", mixes=[self.mixes[cell["workload"]] for cell in cells], spec=names.spec(cells[0]),
                threads=cells[0]["threads"], price=cells[0]["price"], currency=self.rows.sweep.currency or None,
                least=millions[0] if len(cells) > 1 else None, million=millions[-1],
            )  # fmt: skip

    def _slower(self) -> Iterator[Fact]:
        """Specs that do clearly less than a smaller one, then those below the specs beside them, and by how much."""
        rule, warned = self.findings["rule"], self.findings["severity"] == "warning"
        larger = rule.isin(["more_cores_slower", "more_ram_slower"])
        runs = set(self.sound["run_id"])
        sound = np.array([runs.issuperset(ids.split()) for ids in self.findings["run_ids"]], bool)
        tried = self.sound.groupby(["spec", "workload"])["threads"].nunique(dropna=False)
        losses: dict[tuple[Fact, Fact], list[tuple[float, str]]] = {}
        for (spec, workload), lost in self.findings[larger & warned & sound].groupby(["spec", "workload"]):
            # One thread count of three is rather a run that went wrong.
            for finding in dicts(lost) if 2 * len(lost) >= tried[spec, workload] else ():
                slower = names.spec_listed(self.sound[self.sound["spec"] == spec].iloc[0])
                smaller = fact_of(finding, "message").values["smaller"]
                losses.setdefault((slower, smaller), []).append((-finding["effect"], workload))
        for (spec, smaller), of in sorted(losses.items(), key=lambda named: -max(named[1])[0])[:NAMED_SLOWER]:
            mixes = [self.mixes[workload] for workload in dict.fromkeys(workload for _, workload in of)]
            yield fact("short-verdict-slower", spec=spec, smaller=smaller, mixes=mixes,
                       some=len(mixes) < len(self.mixes), **ends([effect for effect, _ in of]))  # fmt: skip
        best = [names.spec(cell) for cell, _ in self.best.values()]
        single = self.findings[larger & ~warned & sound & self.findings["effect"].le(-CHECK)]
        for finding in dicts(single.sort_values("effect")):
            if (to_buy := fact_of(finding, "message").values["smaller"]) in best:
                slower = names.spec_listed(self.sound[self.sound["spec"] == finding["spec"]].iloc[0])
                yield fact("short-verdict-check", spec=to_buy, slower=slower, share=-finding["effect"],
                           mix=self.mixes[finding["workload"]])  # fmt: skip
                break
        for finding in dicts(self.findings[rule == "dip"].head(NAMED_SLOWER)):
            dip = fact_of(finding, "message").values
            yield fact("short-verdict-slower", spec=dip["spec"], smaller=None, some=dip["some"], mixes=dip["mixes"],
                       least=dip["least"], most=dip["most"])  # fmt: skip
