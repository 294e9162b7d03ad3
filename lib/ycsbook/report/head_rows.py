"""What the head of a report speaks of: its rows with their grades, how each series of them grows, and what was measured
at best where no growth can be spoken of."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook import closed_loop, names, trust
from ycsbook.anomalies.little_law import LATENCY_UNIT
from ycsbook.facts import Fact, fact
from ycsbook.report.more_threads import MoreThreads
from ycsbook.report.rows import ReportRows
from ycsbook.scaling.cells import with_fewest_threads
from ycsbook.scaling.growth import Growth, Level, at_best_threads, growths
from ycsbook.scaling.growth_facts import ram_adds
from ycsbook.scaling.limits import limits
from ycsbook.scaling.steps import Apart, cores_and_ram_effects
from ycsbook.tables import dicts
from ycsbook.units import US_PER_MS

# Each of so many mixes is named; of more the least and the most.
MANY = 3
# Of so many thread counts each spec has its own best.
LADDER = 4
# Series that reach less than the most by no more than this share reach as much: the one with fewer threads is told.
NEARLY = 0.05
# A run whose warm-up takes more than this share of its throughput is told with what the whole run did.
WARMUP_TELLS = 0.05
# What does less by no more than this with fewer threads does as much.
LITTLE = 0.05


@dataclass
class HeadRows:
    """The rows of a report and the findings about them, and what follows from both before anything is said."""

    rows: ReportRows
    findings: pd.DataFrame

    @cached_property
    def points(self) -> pd.DataFrame:
        """The rows spoken about, each with its grade; latencies in another unit are unknown."""
        rows = self.rows.fitted[self.rows.fitted["y"] > 0]
        odd = self.findings[self.findings["cause"].str.endswith(LATENCY_UNIT)]
        in_unit = ~rows["run_id"].isin(" ".join(odd["run_ids"]).split())
        timed = {name: rows[name].where(in_unit) for name in ("ral_us", "wal_us", "all_us", "p99_us")}
        return rows.assign(grade=rows["run_id"].map(self.grades), **timed)

    @cached_property
    def timed(self) -> pd.DataFrame:
        """The rows spoken about with U = X R / N, and the mean latency R; those without are left out. `y` is the whole
        run's throughput, as R is its latency."""
        points = closed_loop.with_latency(self.points, self.rows.tables.operations)
        points = points.assign(y=points["throughput_ops_s"])
        return points[(points["latency_us"] > 0) & (points["y"] > 0)]

    @cached_property
    def grades(self) -> pd.Series:
        return trust.grades(pd.concat([self.rows.points, self.rows.set_aside, self.rows.loads]), self.findings)

    @cached_property
    def growth(self) -> list[Growth]:
        return sorted(growths(self.points), key=lambda g: (self.rows.workloads.index(g.workload), g.threads))

    @property
    def doubted(self) -> list[str]:
        return self.grades.index[self.grades.isin(trust.DOUBTFUL)].tolist()

    @cached_property
    def sound(self) -> pd.DataFrame:
        return self.points[~self.points["run_id"].isin(self.doubted)]

    def _growth_without(self, *grades: str) -> list[Growth]:
        """How each series grows without the rows of these grades; empty where none is."""
        rows = self.points[~self.points["grade"].isin(grades)]
        return growths(rows) + growths(at_best_threads(rows)) if len(rows) < len(self.points) else []

    @cached_property
    def sound_growth(self) -> list[Growth]:
        return self._growth_without(*trust.DOUBTFUL)

    @cached_property
    def _possible_growth(self) -> list[Growth]:
        return self._growth_without("F")

    def trusted(self, growth: Growth) -> Growth:
        """The growth of a series without its rows in doubt, where enough points are left, else without the impossible
        ones, if that leaves two core counts; else of all."""
        return growth.trusted(self._possible_growth, least=2).trusted(self.sound_growth)

    @cached_property
    def more_threads(self) -> MoreThreads:
        return MoreThreads(self.points, self.findings, self.grades)

    @property
    def changes(self) -> pd.DataFrame:
        return self.more_threads.changes

    def levels(self, growth: Growth) -> list[Level]:
        """The core counts of which the head tells: of averages not those of which one of several specs is not in
        doubt, unless too few are left."""
        if not growth.is_averaged:
            return list(growth.levels)
        specs = self.points[self.points["workload"] == growth.workload].groupby("cores")["spec"].nunique()
        whole = [level for level in growth.levels if level.specs > 1 or specs[level.cores] == 1]
        return whole if len(whole) > 1 else list(growth.levels)

    @cached_property
    def limited(self) -> pd.DataFrame:
        return limits(self.sound, self.rows.tables.operations)

    def mix(self, workload: str) -> Fact:
        return names.mix(self.points[self.points["workload"] == workload].iloc[0])

    @cached_property
    def main(self) -> dict[str, Growth]:
        """By workload the series that reaches most, of those that reach nearly as much rather one without its rows in
        doubt, with the fewest threads; where specs lose by more threads, each at its best thread count."""
        sound = self.sound_growth
        reached = {g: max(level.ops_s for level in self.trusted(g).levels) for g in self.growth}
        main = {}
        for workload in self.rows.workloads:
            series = [growth for growth in self.growth if growth.workload == workload]
            nearly = [growth for growth in series if reached[growth] >= (1 - NEARLY) * max(map(reached.get, series))]
            if nearly:
                main[workload] = min(nearly, key=lambda g: (bool(sound) and self.trusted(g) not in sound, g.threads))
        lost = self.changes[self.changes["warned"] & (self.changes["grade"] != "F")]
        counts = self.sound.groupby("workload")["threads"].nunique()
        losing = self.points["workload"].isin([*lost["workload"], *counts.index[counts >= LADDER]])
        return main | {growth.workload: growth for growth in growths(at_best_threads(self.points[losing]))}

    def least_us(self, growth: Growth) -> float:
        """The lowest mean latency among the possible rows of a series, µs; NaN where none is known."""
        return self.timed.loc[growth.is_of(self.timed) & (self.timed["grade"] != "F"), "latency_us"].min()

    def rests_on_doubted_rows(self, growth: Growth) -> bool:
        """Whether rows in doubt are among those of the stretch in which a series grows no more, or is flat."""
        stretch = (growth.stops, growth.last) if growth.stops else growth.flat
        if not stretch:
            return False
        here = growth.is_of(self.points) & self.points["cores"].between(*(level.cores for level in stretch))
        return bool(self.points.loc[here, "grade"].isin(trust.DOUBTFUL).any())

    @cached_property
    def apart(self) -> dict[tuple[str, float], Apart]:
        """What cores and RAM bring apart, by workload and threads; empty where they rise together."""
        return {(effect.workload, effect.threads): effect for effect in cores_and_ram_effects(self.sound)}

    def ram_adds(self) -> bool:
        """Whether RAM rises with the cores, so that growth is by both."""
        return ram_adds(self.main.values(), self.points, self.apart.values())

    @cached_property
    def best(self) -> list[pd.Series]:
        """The best of each workload's possible rows where no growth is spoken of, those not in doubt first, with the
        means of its repeats; of what one spec does with several thread counts, but for noise and LITTLE, that with the
        fewest."""
        if self.growth:
            return []
        possible = _with_means_of_repeats(self.points[self.points["grade"] != "F"])
        possible = possible.assign(is_doubted=possible["grade"].isin(trust.DOUBTFUL))
        share, best = min(self.more_threads.noise.reach, LITTLE), []
        for _, _, here in self.rows.by_workload(possible):
            first = here.sort_values(["is_doubted", "y"], ascending=[True, False], kind="stable").iloc[0]
            # Of rates that were asked for the same.
            targets = here["target_ops_s"].fillna(0).eq(np.nan_to_num(first["target_ops_s"]))
            alike = here[targets & here["is_doubted"].eq(first["is_doubted"])]
            best.append(with_fewest_threads(alike, first, share))
        return best

    def at_best_verdict(self) -> Iterator[Fact]:
        """The best of each workload, or of many the least and the most of these."""
        if len(self.best) > MANY:
            least, *_, most = sorted(self.best, key=lambda row: row["y"])
            yield fact("short-verdict-best", several=True, least=least["y"], least_mix=names.mix(least),
                       most=most["y"], most_mix=names.mix(most))  # fmt: skip
        elif self.best:
            yield fact("short-verdict-best", several=False, of=self._best_listed())

    def ranks(self) -> Iterator[Fact]:
        """How far behind the best the other servers are whose cores nobody knows, of each workload. Rates that were
        asked for have no ranks."""
        latency_us = self.points["run_id"].map(self.timed.set_index("run_id")["latency_us"])
        has_rank = self.points["cores"].isna() & ~self.points["throttled"] & (self.points["grade"] != "F")
        points = self.points.assign(latency_us=latency_us)[has_rank]
        for row in self.best[:MANY]:
            means = _with_means_of_repeats(points[points["workload"] == row["workload"]])
            best_of_specs = dicts(means.sort_values("y", ascending=False).drop_duplicates("spec"))
            # Each at the fewest threads that do as much, as the best, so that latencies can be compared.
            ranked = [with_fewest_threads(means, of, LITTLE) for of in best_of_specs]
            behind = [
                fact("short-behind", spec=names.spec(other), ops=other["y"], change=other["y"] / row["y"] - 1,
                     latency_ms=other["latency_us"] / US_PER_MS)
                for other in ranked
                if other["spec"] != row["spec"]
            ]  # fmt: skip
            own = [other for other in ranked if other["spec"] == row["spec"]]
            if behind and own:
                yield fact("short-ranks", mix=names.mix(row), spec=names.spec(row),
                           latency_ms=own[0]["latency_us"] / US_PER_MS, **names.listed("behind", behind))  # fmt: skip

    def at_best(self) -> Iterator[Fact]:
        if len(self.best) > MANY:
            yield fact("short-alone-many", of=self._best_listed())
            return
        for row in self.best:
            early_s = row["warmup_s"] if row["throughput_ops_s"] < (1 - WARMUP_TELLS) * row["y"] else None
            yield fact(
                "short-alone", mix=names.mix(row), threads=row["threads"], ops=row["y"],
                spec=names.spec(row) if row["cores"] > 0 else self._of_several(row),
                alone=(self.points["workload"] == row["workload"]).sum() == 1, at_least=self._may_do_more(row),
                early_s=early_s, whole=row["throughput_ops_s"], read_ms=row["ral_us"] / US_PER_MS,
                write_ms=row["wal_us"] / US_PER_MS,
            )  # fmt: skip

    def _best_listed(self) -> list[Fact]:
        return [
            fact("short-best", mix=names.mix(row), threads=row["threads"], ops=row["y"], spec=self._of_several(row),
                 at_least=self._may_do_more(row))
            for row in self.best
        ]  # fmt: skip

    def _may_do_more(self, row: pd.Series) -> bool:
        """Whether more threads, or a higher rate to be asked for, may bring more."""
        return bool(row["throttled"]) or (row["workload"], row["spec"]) in self.more_threads.rising

    def _of_several(self, row: pd.Series) -> Fact | None:
        """The spec of a row whose cores nobody knows, if several were measured: nothing else names it."""
        return None if row["cores"] > 0 or self.points["spec"].nunique() < 2 else names.spec(row)


def _with_means_of_repeats(points: pd.DataFrame) -> pd.DataFrame:
    """The points, each with the means of its repeats, those in doubt apart: the best run alone would be a lucky one."""
    keys = [points[name] for name in ("workload", "spec", "threads", "target_ops_s")]
    cells = [*keys, points["grade"].isin(trust.DOUBTFUL)]
    figures = points.columns.intersection(["throughput_ops_s", "ral_us", "wal_us", "warmup_s", "latency_us"])
    means = points[figures].groupby(cells, dropna=False).transform("mean")
    log_y = np.log(points["y"])
    # As a factor: of a single run its figure stays as it is, to the last digit.
    return points.assign(**means, y=points["y"] * np.exp(log_y.groupby(cells, dropna=False).transform("mean") - log_y))
