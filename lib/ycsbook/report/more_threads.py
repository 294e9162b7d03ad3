"""What more client threads do to each spec, in sentences: losses by name, gains, and how many threads are enough."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import numpy as np
import pandas as pd

from ycsbook import names, trust
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import number
from ycsbook.scaling.growth import thread_changes

# Specs named in a sentence; the others are counted.
NAMED = 4
# A gain worth a sentence. What is this close to the most is enough.
GAIN = 0.10
# So many of the largest specs must gain before that is said of them.
LEAST_GAINING = 3
# Specs that lose no more than this hold nothing against a thread count that brings most of them a gain.
LITTLE_LOSS = 0.05
# Losses up to this are small; larger ones that no rule warns of are not shown, and not excluded either.
UNCLEAR = 0.10
# An operation that takes so many times the CPU time tells why throughput falls.
MORE_CPU = 1.2


@dataclass
class MoreThreads:
    """points: the rows spoken about, each with its grade. findings: about them. grades: of all runs, by run_id."""

    points: pd.DataFrame
    findings: pd.DataFrame
    grades: pd.Series

    @cached_property
    def changes(self) -> pd.DataFrame:
        """What more threads do to each spec, with the grade of either side, and whether a loss was warned of
        or noticed."""
        changes = thread_changes(self.points)
        sides = [[ids.split() for ids in changes[side]] for side in ("ids_low", "ids_high")]
        # Also a loss between two thread counts that are both above the one compared.
        beyond = [self._runs_beyond(row) for row in changes.to_dict("records")]
        falls = changes["change"].to_numpy(float) < 0
        warned, noticed = (
            np.array([any(ids & runs for ids in self._losses(severities)) for runs in beyond], bool) & falls
            for severities in (("error", "warning"), ("notice",))
        )
        return changes.assign(
            grade=[trust.worst(self.grades, low + high) for low, high in zip(*sides, strict=True)],
            grade_low=[trust.worst(self.grades, runs) for runs in sides[0]],
            grade_high=[trust.worst(self.grades, runs) for runs in sides[1]],
            warned=warned,
            noticed=noticed & ~warned,
        )

    def _losses(self, severities: tuple[str, ...]) -> list[frozenset[str]]:
        """The runs of each finding of one spec's loss."""
        losses = self.findings[
            self.findings["message_key"].eq("thread_regression") & self.findings["severity"].isin(severities)
        ]
        return [frozenset(ids.split()) for ids in losses["run_ids"]]

    def _runs_beyond(self, change: dict) -> frozenset[str]:
        """The runs of the spec of a change with more threads than its lower side."""
        points = self.points
        here = (points["workload"] == change["workload"]) & (points["spec"] == change["spec"])
        return frozenset(points.loc[here & (points["threads"] > change["threads_low"]), "run_id"])

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The sentences."""
        return tuple(self._facts())

    def verdict(self) -> Iterator[Fact]:
        """How many threads to use, in a sentence; none where nothing is clear."""
        said = {f.key: f.values for f in self.facts}
        if "short-loss" in said:
            yield self._fewer_threads(said["short-loss"], said.get("short-gain", {}))
        elif enough := [f for f in self.facts if f.key == "short-enough"]:
            mixes: dict[tuple, list[Fact]] = {}
            for f in enough:
                mixes.setdefault(tuple(f.values["parts"]), []).append(f.values["mix"])
            uses = [fact("short-verdict-use", mixes=named, parts=list(parts)) for parts, named in mixes.items()]
            yield fact("short-verdict-enough", uses=uses, share=1 - GAIN)
        elif gains := said.get("short-gains"):
            # At the next smaller cores only rows in doubt may tell of a gain.
            doubted = {f.values["mix"]: f.values["first"] for f in self.facts if f.key == "short-gained-doubted"}
            at: dict[tuple, list[Fact]] = {}
            for gain in gains["gained"]:
                mix, first = gain.values["mix"], gain.values["first"]
                where = (doubted[mix], "doubted") if mix in doubted else (first, gain.values["place"])
                at.setdefault(where, []).append(mix)
            where = [
                fact("short-verdict-where", mixes=mixes, first=first, place=place)
                for (first, place), mixes in at.items()
            ]
            everywhere = all(place == "all" for _, place in at)
            yield fact("short-verdict-more", threads=gains["threads"], where=where, everywhere=everywhere)
        elif said.get("short-gain", {}).get("gained") and said["short-no-loss"]["size"] not in ("unclear", "noticed"):
            gain = said["short-gain"]
            yield fact("short-verdict-gain", threads=gain["threads"], most=gain["named_most"])
        elif "short-no-loss" in said and "short-gain" not in said:
            yield fact(
                "short-verdict-no-gain", threads=said["short-no-loss"]["threads"], low=said["short-no-loss"]["low"]
            )

    def _fewer_threads(self, loss: dict, gain: dict) -> Fact:
        # Little's law: of an impossible row the throughput is less than printed, or the threads were more.
        lost = self.changes[self.changes["warned"]]
        shown = lost[lost["grade"] != "F"]
        where = [
            fact("short-verdict-lost", mix=self._mix(str(workload)),
                 cores=[number(cores) for cores in sorted(group["cores"].unique())])
            for workload, group in lost.groupby("workload", sort=False)
        ]  # fmt: skip
        better = [change.values["cell"] for change in gain.get("gained", [])]
        return fact("short-verdict-fewer", threads=loss["low"], where=where, high=loss["threads"],
                    least=-shown["change"].max(), most=-shown["change"].min(), gain=GAIN, better=better,
                    any=len(better) > 0, better_more=gain.get("gained_more", 0))  # fmt: skip

    def _facts(self) -> Iterator[Fact]:
        changes = self.changes
        if changes.empty:
            return
        lows, high = changes["threads_low"].unique(), changes["threads_high"].max()
        low = lows[0] if len(lows) == 1 else None
        possible = changes[changes["grade"] != "F"]
        losses, others = possible[possible["warned"]], changes[~changes["warned"]]
        if len(losses):
            lost = [self._lost(group) for _, group in losses.groupby("workload", sort=False)]
            yield fact("short-loss", low=low, threads=high, lost=lost)
            yield from self._cpu_of_losses(losses)
            for row in changes[changes["warned"] & (changes["grade"] == "F")].head(NAMED).to_dict("records"):
                yield fact("short-loss-doubted", cell=self._named(row), change=row["change"])
        elif len(possible):
            most = max(-possible["change"].min(), 0.0)
            noticed = possible[possible["noticed"]]
            # A loss that size would be warned of, if it were not lost in the noise.
            size = "noticed" if len(noticed) else "unclear" if most > UNCLEAR else "small" if most > 0 else "none"
            less = noticed if len(noticed) else possible[possible["change"] < -UNCLEAR]
            less = less.sort_values("change").to_dict("records")
            named = [fact("short-spec-change", cell=self._named(row), change=row["change"]) for row in less]
            yield fact("short-no-loss", low=low, threads=high, most=most, size=size, **names.listed("less", named))
        yield from self._enough()
        yield from self._gains(possible, others, high)

    def _cpu_of_losses(self, losses: pd.DataFrame) -> Iterator[Fact]:
        """By what an operation takes more CPU time where throughput falls, if all that are known take clearly more, and
        nothing contradicts the CPU figures."""
        if self.findings["rule"].eq("cpu_contradiction").any():
            return
        cpu = self.points.set_index("run_id")["cpu_utilisation"]
        low, high = ([cpu.reindex(ids.split()).median() for ids in losses[side]] for side in ("ids_low", "ids_high"))
        # The same cores on both sides.
        more = (np.array(high) / losses["high"] / (np.array(low) / losses["low"])).dropna()
        if len(more) and more.min() >= MORE_CPU:
            yield fact("short-loss-cpu", least=more.min(), most=more.max(), one=len(more) == 1)

    def _enough(self) -> Iterator[Fact]:
        """Of workloads with several thread counts: the fewest at which specs do nearly the most, by core counts."""
        sound = self.points[~self.points["grade"].isin(trust.DOUBTFUL) & self.points["threads"].notna()]
        for workload, here in sound.groupby("workload", sort=False):
            if here["threads"].nunique() < 3:
                continue
            cells = np.log(here["y"]).groupby([here["spec"], here["threads"]]).mean()
            share = np.exp(cells - cells.groupby(level="spec").transform("max"))
            share = share[share.groupby(level="spec").transform("size") > 1]
            enough = share[share >= 1 - GAIN].reset_index().groupby("spec")["threads"].min()
            needs = enough.groupby(here.drop_duplicates("spec").set_index("spec")["cores"]).max()
            stretches = [list(part) for _, part in groupby(needs.items(), key=itemgetter(1))]
            alone = here["spec"].nunique() == 1
            parts = [
                fact("short-enough-at", threads=part[0][1], first=None if alone else part[0][0], last=part[-1][0],
                     place="all" if len(stretches) == 1 else "one" if len(part) == 1 else "several")
                for part in stretches
            ]  # fmt: skip
            if parts:
                yield fact("short-enough", mix=self._mix(str(workload)), parts=parts, share=1 - GAIN)

    def _gains(self, possible: pd.DataFrame, others: pd.DataFrame, high: float) -> Iterator[Fact]:
        """Where more threads help: by core counts where all large specs gain, else spec by spec."""
        sound = possible[~possible["grade"].isin(trust.DOUBTFUL)]
        gained = {name: gain for name, group in sound.groupby("workload", sort=False) if (gain := self._gained(group))}
        if gained:
            yield fact("short-gains", threads=high, gained=list(gained.values()))
            if fewer := [part for name, gain in gained.items() if (part := self._on_fewer(sound, name, gain))]:
                yield fact("short-gains-fewer", parts=fewer)
            for name, gain in gained.items():
                yield from self._gained_doubted(possible[possible["workload"] == name], sound, gain)
            return
        gaining = others[others["change"] > GAIN]
        doubted = gaining["grade"].isin(trust.DOUBTFUL)
        beyond = 1 + gaining["change"] > gaining["threads_high"] / gaining["threads_low"]
        named = [
            fact("short-spec-change", cell=self._named(row), change=row["change"])
            for row in gaining[~doubted].to_dict("records")
        ]
        if len(gaining):
            doubtful = gaining.loc[doubted, "change"]
            yield fact("short-gain", threads=high, any=len(named) > 0, **names.listed("gained", named, NAMED),
                       named_most=gaining.loc[~doubted, "change"].max(),
                       n=len(doubtful), least=doubtful.min(), most=doubtful.max(),
                       beyond=int((beyond & doubted).sum()))  # fmt: skip

    def _mix(self, workload: str) -> Fact:
        return names.mix(self.points[self.points["workload"] == workload].iloc[0])

    def _named(self, change: dict) -> Fact:
        """The spec and the mix of a change, for a list."""
        return names.spec_and_mix_listed(self.points[self.points["run_id"] == change["ids_low"].split()[0]].iloc[0])

    def _gained(self, changes: pd.DataFrame) -> Fact | None:
        """Of one workload: from which cores on every spec gains, or most do and none loses; else None."""
        least = changes.groupby("cores")["change"].min().sort_index(ascending=False)
        gaining = least[(least > GAIN).cummin()]
        mostly = changes["change"].median() > GAIN and changes["change"].min() >= -LITTLE_LOSS
        if mostly:
            half = changes.groupby("cores")["change"].median()
            large = changes[changes["cores"] >= half.index[half > GAIN].min()]
        else:
            large = changes[changes["cores"].isin(gaining.index)]
        if len(large) < LEAST_GAINING:
            return None
        first, last = large["cores"].min(), self.points["cores"].max()
        place = "all" if first == changes["cores"].min() else "one" if first == last else "from"
        return fact("short-gained", mix=self._mix(large["workload"].iloc[0]), first=first, place=place,
                    least=large["change"].min(), most=large["change"].max(), n=len(large), gain=GAIN,
                    gaining=int((large["change"] > GAIN).sum()))  # fmt: skip

    def _on_fewer(self, sound: pd.DataFrame, workload: str, gain: Fact) -> Fact | None:
        """What more threads do on fewer cores than those of `gain`; None where that is not known."""
        here = sound[(sound["workload"] == workload) & (sound["cores"] < gain.values["first"])]["change"]
        return None if here.empty else fact("short-range", mix=gain.values["mix"], least=here.min(), most=here.max())

    def _gained_doubted(self, possible: pd.DataFrame, sound: pd.DataFrame, gain: Fact) -> Iterator[Fact]:
        """The gain at the next smaller cores than those of `gain`, where only rows in doubt tell of it."""
        fewer = possible[possible["cores"] < gain.values["first"]]
        here = fewer[fewer["cores"] == fewer["cores"].max()]
        if len(here) and here["change"].min() > GAIN and not here.index.isin(sound.index).any():
            yield fact("short-gained-doubted", mix=gain.values["mix"], first=here["cores"].iloc[0],
                       least=here["change"].min(), most=here["change"].max())  # fmt: skip

    def _lost(self, losses: pd.DataFrame) -> Fact:
        """Of one workload: which specs lose throughput, and how much; of many the largest losses."""
        worst = losses.nsmallest(NAMED, "change").sort_values(["cores", "ram_gib"])
        specs = [
            fact("short-spec-change", cell=names.spec_listed(row), change=row["change"])
            for row in worst.assign(vendor=self.points["vendor"].iloc[0], run_id=worst["ids_low"]).to_dict("records")
        ]
        return fact("short-lost", mix=self._mix(losses["workload"].iloc[0]), specs=specs,
                    specs_more=len(losses) - len(specs))  # fmt: skip
