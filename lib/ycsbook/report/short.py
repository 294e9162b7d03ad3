"""In short: what a reader should take from the rows, one plain sentence each.

What was measured, where it is one spec; how throughput grows and where it stops; what more threads do; which rows not
to build on; what to buy; what nobody knows. Everything follows from the measured cells, none of it from a law.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import pandas as pd

from ycsbook import names
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import ends, gathered
from ycsbook.report import doubt
from ycsbook.report.blocks import InShort
from ycsbook.report.buying import Buying
from ycsbook.report.head_rows import MANY, NEARLY, HeadRows
from ycsbook.scaling.growth import LEAST_LEVELS, PROPORTIONAL, Growth, leaps, per_doubling, with_more_threads
from ycsbook.scaling.growth_facts import average, idle_steps, in_service, over_mixes, plateau, with_ram
from ycsbook.scaling.limits import CPU_FREE, HELD_TO_A_RATE, flat_sweeps, shared_ceilings
from ycsbook.scaling.points import OWN_THREADS
from ycsbook.scaling.steps import ram_rises
from ycsbook.tables import dicts

# A factor whose interval is wider than this (high / low) is given as the interval.
WIDE = 1.5
# Twice the RAM that brings so much is told with what twice the cores bring.
RAM_TELLS = 1.25
# Steps by more than cores can give, named in the verdict.
NAMED_LEAPS = 2
# A mix that does so many times what another stops at is not held up by what both share.
CLEARS = 1.5
# The head has no more sentences than this.
MOST_SAID = 6
# What it leaves to the lines below if there are more, what decides least first; and in which of these it is told then,
# empty if it is anyhow.
SPARE = {
    "short-costly": "", "short-verdict-half": "", "short-verdict-nearly-even": "", "short-verdict-no-gain": "threads",
    "short-verdict-causes": "doubt", "short-verdict-ram": "buy", "short-verdict-outgrown": "buy",
    "short-verdict-unknown": "", "short-verdict-unproven": "threads", "short-money": "buy", "short-verdict-even": "",
    "short-verdict-slower": "buy", "short-leap": "cores", "short-verdict-busy": "doubt", "short-beside": "measured",
    "short-early": "", "short-verdict-lengths": "doubt", "short-verdict-check": "buy", "short-verdict-buy": "",
}  # fmt: skip


@dataclass
class Short(HeadRows):
    """The sentences of a report's head, as facts, from its headline rows and their findings."""

    # What it does against the other data sets of its source.
    beside: Fact | None = None
    # The cores at which a law that is claimed has its peak, by workload and threads.
    peaks: Callable[[], Mapping[tuple[str, float], float]] = dict

    @cached_property
    def buying(self) -> Buying:
        """What to buy, of the rows not in doubt. What a client asks for, and no more, says nothing of that."""
        is_held = self.limited["reason_key"].isin(HELD_TO_A_RATE)
        return self._buying(self.sound[~self.sound["workload"].isin(self.limited.loc[is_held, "workload"])])

    def _buying(self, rows: pd.DataFrame) -> Buying:
        of_the_apart = [growth for growth in self.main.values() if (growth.workload, growth.threads) in self.apart]
        is_capped = bool(self._shared) or any(tied.values["busy"] is not None for tied in self._tied)
        growth = [*sorted(self.growth, key=lambda g: g.last.ops_s), *of_the_apart]
        return Buying(self.rows, rows, growth, self.findings, is_capped=is_capped)

    def facts(self) -> dict[str, list[Fact]]:
        below = [verdict for verdict in self.verdicts if verdict not in self.head]
        parts = {
            "measured": self.at_best(),
            "cores": self._growths(),
            "threads": self.more_threads.facts,
            "doubt": [*doubt.facts(self), *self._otherwise()],
            "buy": self.buying.facts(),
            "unknown": self._unknown(),
        }
        parts = {about: [*part, *(v for v in below if SPARE.get(v.key) == about)] for about, part in parts.items()}
        return {about: sentences for about, sentences in parts.items() if sentences}

    @cached_property
    def answer(self) -> InShort:
        """What the report says first; without any points or throughputs, that there are none."""
        if self.rows.points.empty:
            return InShort(self.rows.text("opening-no-points", **doubt.why_none_completed(self.findings)))
        if self.points.empty:
            return InShort(self.rows.text("opening-no-throughput" if self.rows.has_figures else "opening-no-figures"))
        say, text = self.rows.say, self.rows.text
        points, sections = tuple(map(say, self.head)), self.facts().items()
        lines = tuple((text("short-about", about=about), "\n".join(map(say, facts))) for about, facts in sections)
        return InShort(self.rows.joined("sentences", points), lines, points)

    @cached_property
    def head(self) -> list[Fact]:
        """The verdicts that decide most, in their order: MOST_SAID at most, but all of those that are not in SPARE."""
        spare = sorted((v for v in self.verdicts[::-1] if v.key in SPARE), key=lambda v: [*SPARE].index(v.key))
        left_out = spare[: max(len(self.verdicts) - MOST_SAID, 0)]
        return [verdict for verdict in self.verdicts if verdict not in left_out]

    @cached_property
    def verdicts(self) -> list[Fact]:
        """What is to be said first: which spec, which thread count, which rows not; nothing that is not clear."""
        return list(self._verdicts())

    def _verdicts(self) -> Iterator[Fact]:
        yield from [self.beside] if self.beside else ()
        yield from doubt.verdicts(self)
        series = [self.trusted(growth) for growth in self.main.values()]
        if len(series) > MANY:
            yield from (sentence for sentence in self.buying.facts() if sentence.key == "short-apart-range")
            yield over_mixes(series, self.mix, ram=self.ram_adds())
        else:
            yield from map(self._times, series)
        yield from self._leaps[False][:NAMED_LEAPS]
        yield from self._tied
        yield from self.at_best_verdict()
        yield from self.ranks()
        yield from self._shared or self._ceilings()
        yield from self.buying.verdicts()
        yield from self.more_threads.verdict()
        yield from doubt.not_to_build_on(self)
        yield from doubt.causes(self.findings)
        yield from doubt.unknown(self._gaps)

    def _times(self, growth: Growth) -> Fact:
        """From what to what throughput goes, and by what twice the cores multiply it: where it bends, on either side;
        else between what. Where that is not known well, the throughput at the bend stands for it; that at the peak
        before a fall. Where RAM varies apart, what each of the two brings."""
        mix, apart = self.mix(growth.workload), self.apart.get((growth.workload, growth.threads))
        apart = apart if apart and apart.ram >= RAM_TELLS else None
        first, *inner, last = self.levels(growth)
        is_unknown = growth.high / growth.low > WIDE or growth.low <= 1 <= growth.high
        wide, vague = is_unknown and not apart, growth.is_vague and not apart
        at = growth.turn if growth.turn in inner and not apart else None
        middle = at if wide or growth.upper < 1 else None
        ends = {"low": growth.low, "high": growth.high} if wide and not vague else {"low": None, "high": None}
        if growth.is_flat and growth.workload in self._held:
            return self._held[growth.workload]
        if growth.is_flat:
            return fact("short-verdict-flat", mix=mix, threads=growth.threads, first=first.cores, first_ops=first.ops_s,
                        last=last.cores, last_ops=last.ops_s, few=self._has_one_count(growth.workload),
                        open=len(self._in_service(growth)) > 0,
                        **self._clearing(growth.workload, last.cores, last.ops_s))  # fmt: skip
        # Both parts from end to end, so that they multiply up to what is told.
        return fact("short-verdict-times", several=growth.is_averaged, mix=mix, threads=growth.threads,
                    first=first.cores, first_ops=first.ops_s, last=last.cores, last_ops=last.ops_s,
                    middle_ops=middle and middle.ops_s, factor=apart.cores if apart else growth.factor,
                    more_ram=apart and apart.ram, ram=with_ram([growth], self.ram_adds()), few=bool(vague), **ends,
                    bend=at and at.cores, lower=at and per_doubling(first, at), upper=at and per_doubling(at, last),
                    peak=self.peaks().get((growth.workload, growth.threads)) if growth.upper < 1 else None,
                    later=bool(middle and growth.upper >= 1), **idle_steps(growth))  # fmt: skip

    @cached_property
    def _shared(self) -> list[Fact]:
        """What all mixes stop at, whose servers differ: their client, or another thing that they share."""
        return [*shared_ceilings(self.limited).values()]

    @cached_property
    def _held(self) -> dict[str, Fact]:
        held = [(key[-1], of) for key, of in flat_sweeps(self.limited).items() if of.key == "limits-held"]
        return {workload: fact("short-verdict-held", **of.values) for workload, of in held}

    @cached_property
    def _tied(self) -> list[Fact]:
        """That threads rise with the cores, where nothing shows the servers to be the limit: growth tests no cores. How
        busy they are at most, where that is known."""
        own = [growth.workload for growth in self.main.values() if growth.threads == OWN_THREADS]
        here = self.sound[self.sound["workload"].isin(own)]
        by_cores = here.groupby("cores")["threads"].mean()
        busy = here["cpu_utilisation"].max()
        rises = len(by_cores) > 1 and by_cores.is_monotonic_increasing and by_cores.nunique() > 1
        return [fact("short-verdict-tied", busy=busy)] if rises and not busy >= CPU_FREE else []

    def _ceilings(self) -> Iterator[Fact]:
        """Workloads of one throughput from some spec on, at any threads, and how busy the servers are, if they are
        not."""
        for growth in map(self.trusted, self.main.values()):
            if not growth.stops or growth.falls or growth.is_flat or with_more_threads(growth, self.growth):
                continue
            levels = [level for level in growth.levels if level.cores >= growth.stops.cores]
            # The fewest cores from which on it hardly differs.
            ops = [level.ops_s for level in levels]
            alike = 1 + max(NEARLY, *(growth.noise.reach * sqrt(level.share) for level in levels))
            at = next(i for i in range(len(ops)) if max(ops[i:]) <= alike * min(ops[i:]))
            mix, first, top = self.mix(growth.workload), levels[at].cores, ops[at:]
            here = self.sound[(self.sound["workload"] == growth.workload) & (self.sound["cores"] >= first)]
            busy = here["cpu_utilisation"].max()
            if here.loc[here["cores"] > first, "throttled"].all():
                continue
            if growth.last.cores >= 2 * first and (len(top) >= LEAST_LEVELS or busy < CPU_FREE):
                ceiling = fact("short-verdict-ceiling", mix=mix, cores=first, ops=max(top),
                               busy=busy if busy < CPU_FREE else None, few=self._has_one_count(growth.workload),
                               **self._clearing(growth.workload, first, max(top)))  # fmt: skip
                yield from self._in_service(growth) or [ceiling]

    def _clearing(self, workload: str, cores: float, ops_s: float) -> dict[str, object]:
        """The mix that does most from so many cores on, and how much, where that clears the client and the network."""
        others = self.sound[(self.sound["workload"] != workload) & (self.sound["cores"] >= cores)]
        others = dicts(others[others["y"] > CLEARS * ops_s].nlargest(1, "y"))
        most = others[0] if others else None
        return {"other": most and self.mix(most["workload"]), "other_ops": most and most["y"]}

    def _in_service(self, growth: Growth) -> list[Fact]:
        """That even the most threads of the largest servers, which may have had fewer than others, may be too few."""
        last = [g for g in self.growth if (g.workload, g.last.cores) == (growth.workload, growth.last.cores)]
        return [*in_service(last[-1], self.mix(growth.workload), self.growth)] if last else []

    def _has_one_count(self, workload: str) -> bool:
        return self.points.loc[self.points["workload"] == workload, "threads"].nunique() == 1

    @cached_property
    def _leaps(self) -> dict[bool, list[Fact]]:
        """The steps by more than cores can give, by whether too little RAM explains them, which is told with it."""
        by_ram = [mix for ram in self.buying.ram_decides for mix in ram.values["mixes"]]
        series = [(self.mix(growth.workload), self.trusted(growth)) for growth in self.main.values()]
        steps = gathered(
            ((mix in by_ram, a.cores, b.cores), (mix, b.ops_s / a.ops_s)) for mix, g in series for a, b in leaps(g)
        )
        leaps_by_ram: dict[bool, list[Fact]] = {True: [], False: []}
        for (is_by_ram, first, cores), of in steps.items():
            mixes, times = zip(*of, strict=True)
            leaps_by_ram[is_by_ram].append(fact("short-leap", mixes=mixes, first=first, cores=cores, **ends(times)))
        return leaps_by_ram

    def _otherwise(self) -> Iterator[Fact]:
        for of_all in self.main.values():
            sound = self.trusted(of_all)
            if sound.low > of_all.factor or sound.high < of_all.factor:
                yield fact("short-otherwise-growth", mix=self.mix(of_all.workload), threads=of_all.threads,
                           factor=sound.factor, of_all=of_all.factor)  # fmt: skip
        yield from self.buying.told_otherwise(self._buying(self.points))

    def _growths(self) -> Iterator[Fact]:
        if not self.growth:
            return
        workloads = self.main if len(self.main) <= MANY else [self.growth[0].workload]
        for workload in workloads:
            told_of = self.trusted(self.main[workload])
            yield average(told_of, self.mix(workload), levels=self.levels(told_of), ram=self.ram_adds(),
                          first_mix=workload == self.growth[0].workload)  # fmt: skip
        yield from [*self._leaps[True], *self._leaps[False][NAMED_LEAPS:]]
        leaping = {mix for leap in (*self._leaps[True], *self._leaps[False]) for mix in leap.values["mixes"]}
        steep = []
        for workload in workloads:
            series, mix = self.trusted(self.main[workload]), self.mix(workload)
            if series.low > PROPORTIONAL:
                steep.append((None, mix))
            elif (turn := series.turn) and series.part(series.first, turn).low > PROPORTIONAL and mix not in leaping:
                steep.append((turn.cores, mix))
        yield from (fact("short-steep", mixes=mixes, cores=cores) for cores, mixes in gathered(steep).items())
        if holds := ram_rises(self.points) and self.rows.first_that_holds_the_data(self.points):
            yield fact("short-ram-rises", holds=holds)
        for workload, main in self.main.items():
            if not main.is_flat:
                yield from self._plateaus(workload)

    def _plateaus(self, workload: str) -> Iterator[Fact]:
        """Where the series of a workload grow no more; several with too few threads in one sentence."""
        # A stretch without growth is told of all rows, an end of growth of those not in doubt.
        series = [g if g.flat else self.trusted(g) for g in self.growth if g.workload == workload]
        # What falls at some thread count alone is no matter of cores.
        if not self.trusted(self.main[workload]).falls:
            series = [g for g in series if not g.falls]
        few = [g for g in series if g.stops and not g.falls and with_more_threads(g, self.growth)]
        if len(few) > 1:
            more = with_more_threads(few[-1], self.growth)
            ends = [(g.threads, g.stops.cores, g.stops.ops_s) for g in few[::-1]]
            of = [fact("short-too-few-at", threads=threads, cores=cores, ops=ops) for threads, cores, ops in ends]
            yield fact("short-too-few", mix=self.mix(workload), **names.listed("of", of, MANY), more=more.threads,
                       more_ops=more.last.ops_s, last=more.last.cores)  # fmt: skip
        for growth in series:
            if len(few) < 2 or growth not in few:
                more = with_more_threads(growth, self.growth)
                yield from plateau(growth, self.mix(workload), more, doubted=self.rests_on_doubted_rows(growth),
                                   least_us=self.least_us(growth))  # fmt: skip

    @cached_property
    def _gaps(self) -> list[Fact]:
        return doubt.gaps(self)

    def _unknown(self) -> Iterator[Fact]:
        facts, parts = self.more_threads.facts, [*self._gaps]
        if self.more_threads.rising or any(f.key == "short-gains" or f.values.get("fewer") is False for f in facts):
            parts.append(fact("short-unknown-more", threads=self.points["threads"].max()))
        if parts:
            yield fact("short-unknown", parts=parts)
