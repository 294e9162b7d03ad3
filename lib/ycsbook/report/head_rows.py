"""What the head of a report speaks of: its rows with their grades, and how each series of them grows."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ycsbook import closed_loop, names, trust
from ycsbook.anomalies.little_law import LATENCY_UNIT
from ycsbook.facts import Fact
from ycsbook.report.more_threads import MoreThreads
from ycsbook.report.rows import ReportRows
from ycsbook.scaling.growth import Growth, Level, at_best_threads, growths
from ycsbook.scaling.growth_facts import ram_adds
from ycsbook.scaling.limits import limits
from ycsbook.scaling.steps import Apart, cores_and_ram_effects

# Of so many thread counts each spec has its own best.
LADDER = 4
# Series that reach less than the most by no more than this share reach as much: the one with fewer threads is told.
NEARLY = 0.05


@dataclass
class HeadRows:
    """The rows of a report and the findings about them, and what follows from both before anything is said."""

    rows: ReportRows
    findings: pd.DataFrame

    @cached_property
    def points(self) -> pd.DataFrame:
        """The rows spoken about, each with its grade; latencies in another unit are unknown."""
        known = self.rows.fitted[self.rows.fitted["y"] > 0]
        odd = self.findings[self.findings["cause"].str.endswith(LATENCY_UNIT)]
        in_unit = ~known["run_id"].isin(" ".join(odd["run_ids"]).split())
        timed = {name: known[name].where(in_unit) for name in ("ral_us", "wal_us", "all_us", "p99_us")}
        return known.assign(grade=known["run_id"].map(self.grades), **timed)

    @cached_property
    def timed(self) -> pd.DataFrame:
        """The rows spoken about with U = X R / N, and the mean latency R; those without are left out. `y` is the whole
        run's throughput, as R is its latency."""
        points = closed_loop.with_latency(self.points, self.rows.tables.operations)
        points = points.assign(y=points["throughput_ops_s"])
        return points[(points["latency_us"] > 0) & (points["y"] > 0)]

    @cached_property
    def grades(self) -> pd.Series:
        """The grade of each run of the report, by run_id."""
        return trust.grades(pd.concat([self.rows.points, self.rows.set_aside, self.rows.loads]), self.findings)

    @cached_property
    def growth(self) -> list[Growth]:
        """How each series grows, in the order of the sweep's workloads."""
        order = {name: i for i, name in enumerate(self.rows.workloads)}
        return sorted(growths(self.points), key=lambda g: (order[g.workload], g.threads))

    @property
    def doubted(self) -> list[str]:
        """The runs in doubt."""
        return self.grades.index[self.grades.isin(trust.DOUBTFUL)].tolist()

    @cached_property
    def sound(self) -> pd.DataFrame:
        """The rows spoken about that are not in doubt."""
        return self.points[~self.points["run_id"].isin(self.doubted)]

    def _growth_without(self, *grades: str) -> list[Growth]:
        """How each series grows without the rows of these grades; empty where none is."""
        rows = self.points[~self.points["grade"].isin(grades)]
        return growths(rows) + growths(at_best_threads(rows)) if len(rows) < len(self.points) else []

    @cached_property
    def sound_growth(self) -> list[Growth]:
        """How each series grows without the rows in doubt; empty where none is."""
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
        """What more threads do to each spec."""
        return MoreThreads(self.points, self.findings, self.grades)

    @property
    def changes(self) -> pd.DataFrame:
        """What more threads do to each spec, as MoreThreads.changes gives it."""
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
        """What limits the rows not in doubt, as limits.limits gives it."""
        return limits(self.sound, self.rows.tables.operations)

    @cached_property
    def _mixes(self) -> dict[str, Fact]:
        of_each = self.points.drop_duplicates("workload").to_dict("records")
        return {row["workload"]: names.mix(row) for row in of_each}

    def mix(self, workload: str) -> Fact:
        """What a workload is called."""
        return self._mixes[workload]

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
        timed = self.timed
        return timed.loc[growth.is_of(timed) & (timed["grade"] != "F"), "latency_us"].min()

    def rests_on_doubted_rows(self, growth: Growth) -> bool:
        """Whether rows in doubt are among those of the stretch in which a series grows no more, or is flat."""
        first, last = (growth.stops, growth.last) if growth.stops else growth.flat or (None, None)
        if first is None:
            return False
        here = self.points[growth.is_of(self.points)]
        here = here[here["cores"].between(first.cores, last.cores)]
        return bool(here["grade"].isin(trust.DOUBTFUL).any())

    @cached_property
    def apart(self) -> dict[tuple[str, float], Apart]:
        """What cores and RAM bring apart, by workload and threads; empty where they rise together."""
        return {(effect.workload, effect.threads): effect for effect in cores_and_ram_effects(self.sound)}

    def ram_adds(self) -> bool:
        """Whether RAM rises with the cores, so that growth is by both."""
        return ram_adds(self.main.values(), self.points, self.apart.values())
