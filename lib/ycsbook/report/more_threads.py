"""What more client threads do to each spec, in sentences: losses by name, gains, and how many threads are enough."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from ycsbook import names, trust
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import ends, gathered, number
from ycsbook.report.enough_threads import COSTLY, GAIN, enough_threads
from ycsbook.scaling.cells import Noise, run_noise
from ycsbook.scaling.limits import RISING
from ycsbook.scaling.pairs import steepest_fall, thread_changes
from ycsbook.tables import dicts
from ycsbook.units import US_PER_MS

# Specs named in a sentence; the others are counted.
NAMED = 4
# The least that is a gain, where it is shown.
LEAST_GAIN = 0.02
# And one that decides how many threads to use is more than so many standard deviations of the difference.
CLEARLY = 3
# So many of the largest specs must gain before that is said of them.
LEAST_GAINING = 3
# Specs that lose no more than this hold nothing against a thread count that brings most of them a gain.
LITTLE_LOSS = 0.05
# The head tells of so many groups of mixes how many threads are enough.
USES = 2
# A loss of single runs that the head tells though it is not proven, and how many it names.
LARGE, NAMED_UNPROVEN = 0.20, 2
# Losses up to this are small; larger ones that no rule warns of are not shown, and not excluded either.
UNCLEAR = 0.10
# A gain below this is no advice where operations take COSTLY times as long for it.
WORTH = 0.20
# An operation that takes so many times the CPU time tells why throughput falls.
MORE_CPU = 1.2
# What one pair cannot tell from noise is shown of several together beyond so many standard errors of their mean: the
# count that is compared with the most was chosen as the best of several, and the specs as those that gain.
TOGETHER = 3.5


@dataclass
class MoreThreads:
    """points: the rows spoken about, each with its grade. findings: about them. grades: of all runs, by run_id."""

    points: pd.DataFrame
    findings: pd.DataFrame
    grades: pd.Series

    @cached_property
    def changes(self) -> pd.DataFrame:
        """What more threads do to each spec, with the grade of either side, and whether a loss was warned of, or is
        noticed: by more than the assumed noise, or together with all others."""
        changes, judged = thread_changes(self.points), []
        losses = [frozenset(ids.split()) for ids in self._losses("error", "warning")["run_ids"]]
        alone = [frozenset(ids.split()) for ids in self._losses("notice")["run_ids"]]
        cells = self.points[["workload", "spec", "threads", "run_id"]].groupby(["workload", "spec"])
        worst = partial(trust.worst, self.grades)
        for row in changes.itertuples():
            low, high, beyond = row.ids_low.split(), row.ids_high.split(), set()
            pair = {*low, *high}
            # Also a loss between two thread counts that are both above the one compared, if the most still do less.
            if row.change < -LITTLE_LOSS:
                here = cells.get_group((row.workload, row.spec))
                beyond = set(here.loc[here["threads"] > row.threads_low, "run_id"])
            warned = row.change < 0 and any(ids <= pair or ids & beyond for ids in losses)
            noticed = not warned and any(ids <= pair for ids in alone)
            judged.append((worst(pair), worst(low), worst(high), warned, noticed))
        columns = ["grade", "grade_low", "grade_high", "warned", "noticed"]
        changes[columns] = pd.DataFrame(judged, columns=columns, index=changes.index)
        changes = changes.astype({"warned": bool, "noticed": bool})
        if not changes["warned"].any() and self._together(changes[changes["grade"] != "F"]):
            changes["noticed"] |= ~changes["grade"].isin(trust.DOUBTFUL)
        return changes

    @cached_property
    def rising(self) -> set[tuple[str, str]]:
        """Workload and spec of sound rows where the most threads still brought so much that more may bring more."""
        sound = self.changes[~self.changes["grade"].isin(trust.DOUBTFUL)]
        octaves = np.log2(sound["threads_high"] / sound["threads_low"])
        still = sound[1 + sound["change"] >= RISING**octaves]
        return set(zip(still["workload"], still["spec"], strict=True))

    def _losses(self, *severities: str) -> pd.DataFrame:
        is_loss = self.findings["message_key"].eq("thread_regression")
        return self.findings[is_loss & self.findings["severity"].isin(severities)]

    def _noticed(self, left_out: Collection[str] = "F") -> Iterator[Fact]:
        """The losses of single runs that more than the assumed noise explains, of rows spoken about that are possible,
        or have none of other grades, the largest first."""
        points = self.points.set_index("run_id")
        for row in dicts(self._losses("notice").sort_values("effect")):
            runs = row["run_ids"].split()
            if set(runs) <= set(points.index) and trust.worst(self.grades, runs) not in left_out:
                pair = points.loc[runs, "threads"]
                yield fact("short-spec-change-from", cell=names.spec_and_mix_listed(points.loc[runs[0]].to_dict()),
                           change=row["effect"], low=pair.min(), threads=pair.max())  # fmt: skip

    def _together(self, changes: pd.DataFrame) -> Fact | None:
        """What all specs and mixes lose, where each alone may be noise and all together are not; None where they do
        not. changes: of rows that are possible."""
        sound = changes[~changes["grade"].isin(trust.DOUBTFUL)]
        if len(sound) < 2 or sound["change"].max() >= 0:
            return None
        mean, error = self._mean(sound)
        if np.expm1(mean) > -LITTLE_LOSS or mean > -TOGETHER * error:
            return None
        return fact("short-together", n=len(sound), **ends(-sound["change"]),
                    low=_only(sound["threads_low"]), threads=_only(sound["threads_high"]))  # fmt: skip

    @cached_property
    def noise(self) -> Noise:
        return run_noise(self.points)

    def _variances(self, changes: pd.DataFrame) -> pd.Series:
        """Of the ln change of each spec; by the noise that is assumed where nothing was repeated."""
        runs = [changes[side].str.split().str.len() for side in ("ids_low", "ids_high")]
        return self.noise.or_assumed.variance * sum(1 / n for n in runs)

    def _mean(self, changes: pd.DataFrame) -> tuple[float, float]:
        return np.log1p(changes["change"]).mean(), np.sqrt(self._variances(changes).sum()) / max(len(changes), 1)

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(self._facts())

    def verdict(self) -> Iterator[Fact]:
        """How many threads to use, in a sentence; none where nothing is clear."""
        said = {f.key: f.values for f in self.facts}
        small = said.get("short-no-loss", {}).get("size") in ("none", "small")
        sound = self.changes[~self.changes["grade"].isin(trust.DOUBTFUL)]
        lost = sound[sound["warned"]]
        enough, together = said.get("short-enough"), said.get("short-together")
        if enough and len(lost) == len(self.changes):
            together = said["short-loss"] | ends(-lost["change"])
        if len(lost) and not together:
            yield self._fewer_threads(lost, said["short-loss"], said.get("short-gain", {}))
        elif enough or together:
            for use in enough["uses"][:USES] if enough else ():
                # Of several core counts the fewest, and the most that need other threads than these.
                parts = use.values["parts"]
                needs = [(part.values["threads"], part.values["open"]) for part in parts]
                apart = [part for part, need in zip(parts, needs, strict=True) if need != needs[0]]
                differing = fact(use.key, **use.values | {"parts": [parts[0], *apart[-1:]]})
                jumps = (f for f in self.facts if f.key == "short-p99-jump" and f.values["mix"] in use.values["mixes"])
                yield fact("short-verdict-enough", uses=[differing], share=enough["share"], jump=next(jumps, None))
            if together:
                points = self.points[~self.points["grade"].isin(trust.DOUBTFUL)]
                yield fact("short-verdict-together", **together, **steepest_fall(points, together))
        elif gains := said.get("short-gains"):
            gained = (gain.values for gain in gains["gained"])
            mixes_from = gathered(((of["first"], of["place"]), of["mix"]) for of in gained)
            where = [
                fact("short-verdict-where", mixes=mixes, first=first, place=place)
                for (first, place), mixes in mixes_from.items()
            ]
            # At the next smaller cores only rows in doubt may tell of a gain.
            on_all = all(place == "all" for _, place in mixes_from)
            is_open = bool(self.rising)
            yield fact("short-verdict-more", threads=gains["threads"], where=where, open=is_open,
                       everywhere="short-gained-doubted" in said or on_all, rising=is_open and on_all)  # fmt: skip
        elif small and (clear := said.get("short-gain", {}).get("clear")):
            everywhere = sound["change"].median() > GAIN and sound["change"].min() >= -LITTLE_LOSS
            yield fact("short-verdict-gain", threads=said["short-gain"]["threads"],
                       most=said["short-gain"]["clear_most"], everywhere=bool(everywhere), open=len(self.rising) > 0,
                       **names.listed("cells", clear, NAMED))  # fmt: skip
        elif "short-no-loss" in said and "short-costly" not in said and not said.get("short-gain", {}).get("any"):
            (mean, error), of = self._mean(sound), said["short-no-loss"]
            gains = np.expm1(np.log1p(sound["change"]).groupby(sound["workload"]).mean())
            yield fact("short-verdict-no-gain", threads=of["threads"], low=of["low"],
                       any=mean > max(TOGETHER * error, LEAST_GAIN), **ends(gains))  # fmt: skip
        yield from (f for f in self.facts if f.key == "short-costly")
        yield from self._unproven()

    def _unproven(self) -> Iterator[Fact]:
        """Large losses of single runs, the largest of each spec and mix: no alarm, as one run may have gone wrong."""
        noticed = [loss.values for loss in self._noticed(trust.DOUBTFUL)] if self.noise.df == 0 else []
        largest = [loss for at, loss in enumerate(noticed) if loss["cell"] not in (of["cell"] for of in noticed[:at])]
        if large := [loss for loss in largest if loss["change"] <= -LARGE]:
            threads = {loss["threads"] for loss in large}
            yield fact("short-verdict-unproven", threads=threads.pop() if len(threads) == 1 else None,
                       **ends(-loss["change"] for loss in large),
                       **names.listed("cells", [loss["cell"] for loss in large], NAMED_UNPROVEN))  # fmt: skip

    def _fewer_threads(self, lost: pd.DataFrame, loss: dict, gain: dict) -> Fact:
        pairs = self.changes["workload"].value_counts()
        mixes_at = []
        for workload, group in lost.groupby("workload", sort=False):
            place = "all" if len(group) == pairs[workload] > 1 else "cores" if all(group["cores"] > 0) else "specs"
            cores = map(number, sorted(group["cores"].unique())) if place == "cores" else ()
            specs = map(names.spec_listed, map(self._row, dicts(group))) if place == "specs" else ()
            mixes_at.append(((place, tuple(cores), tuple(specs)), self._mix(str(workload))))
        where = [
            fact("short-verdict-lost", mixes=mixes, place=place, cores=cores, **names.listed("specs", specs))
            for (place, cores, specs), mixes in gathered(mixes_at).items()
        ]
        # Gains that noise may explain are told below the head alone.
        better = [] if gain.get("noise") else [change.values["cell"] for change in gain.get("gained", [])]
        high = loss["threads"] if gain.get("threads", loss["threads"]) == loss["threads"] else None
        return fact("short-verdict-fewer", threads=loss["low"], where=where, high=high,
                    **ends(-lost["change"]), better=better,
                    any=len(better) > 0, better_more=gain.get("gained_more", 0))  # fmt: skip

    def _facts(self) -> Iterator[Fact]:
        changes = self.changes
        if changes.empty:
            return
        low = _only(changes["threads_low"])
        possible = changes[changes["grade"] != "F"]
        losses, others = possible[possible["warned"]], changes[~changes["warned"]]
        if len(losses):
            lost = []
            for workload, group in losses.groupby("workload", sort=False):
                # Of many specs the largest losses.
                worst = group.nsmallest(NAMED, "change").sort_values(["cores", "ram_gib"])
                specs = [
                    fact("short-spec-change", cell=names.spec_listed(self._row(change)), change=change["change"])
                    for change in dicts(worst)
                ]
                more = len(group) - len(specs)
                lost.append(fact("short-lost", mix=self._mix(str(workload)), specs=specs, specs_more=more))
            yield fact("short-loss", low=low, threads=_only(losses["threads_high"]), lost=lost)
            yield from self._cpu_of_losses(losses)
            doubted = changes[changes["warned"] & (changes["grade"] == "F")]
            yield from self._each(doubted.head(NAMED), "short-loss-doubted")
        elif together := self._together(possible):
            yield together
        elif len(sound := possible[~possible["grade"].isin(trust.DOUBTFUL)]):
            # A loss of a row in doubt is told with the other rows in doubt.
            most = max(-sound["change"].min(), 0.0)
            noticed, unclear = list(self._noticed()), sound[sound["change"] < -UNCLEAR].sort_values("change")
            # A loss that size would be warned of, if it were not lost in the noise.
            size = "noticed" if noticed else "unclear" if most > UNCLEAR else "small" if most > 0 else "none"
            yield fact("short-no-loss", low=low, threads=_only(changes["threads_high"]), most=most, size=size,
                       assumed=self.noise.df == 0, **names.listed("less", noticed or self._each(unclear)))  # fmt: skip
        yield from enough_threads(self.points, self.noise, self._mix, self.rising)
        costly = self._costly
        for (latency, threads), rows in costly.groupby(["latency", "threads_high"]):
            yield fact("short-costly", threads=threads, p99=latency == "p99_us", **ends(rows["change"]),
                       low_ms=rows["us_low"].median() / US_PER_MS, high_ms=rows["us_high"].median() / US_PER_MS,
                       mixes=[self._mix(workload) for workload in rows["workload"].unique()])  # fmt: skip
        yield from self._gains(possible.drop(index=costly.index), others.drop(index=costly.index))

    @cached_property
    def _costly(self) -> pd.DataFrame:
        """The gains of mixes that gain less than WORTH while p99, or the mean of reads, is COSTLY times as long,
        both in the median; with that `latency`, and `us_low` and `us_high`, what it is at either thread count."""
        gaining = self.changes[(self.changes["change"] > GAIN) & ~self.changes["grade"].isin(trust.DOUBTFUL)]
        parts = [gaining.iloc[:0].assign(latency="", us_low=0.0, us_high=0.0)]
        latencies = self.points[["run_id", "p99_us", "ral_us"]].set_index("run_id")
        for _, rows in gaining.groupby("workload", sort=False):
            for latency, us in latencies.items():
                low, high = ([us[ids.split()].mean() for ids in rows[side]] for side in ("ids_low", "ids_high"))
                timed = rows.assign(latency=latency, us_low=low, us_high=high)
                if rows["change"].median() < WORTH and (timed["us_high"] / timed["us_low"]).median() >= COSTLY:
                    parts.append(timed)
                    break
        return pd.concat(parts)

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
            yield fact("short-loss-cpu", **ends(more), one=len(more) == 1)

    def _gains(self, possible: pd.DataFrame, others: pd.DataFrame) -> Iterator[Fact]:
        """Where more threads help: by core counts where all large specs gain, else spec by spec."""
        sound = possible[~possible["grade"].isin(trust.DOUBTFUL)]
        gained = {name: gain for name, group in sound.groupby("workload", sort=False) if (gain := self._gained(group))}
        if gained:
            highs = sound.loc[sound["workload"].isin(gained), "threads_high"]
            yield fact("short-gains", threads=_only(highs), gained=list(gained.values()))
            below = [
                (gain.values["mix"], sound[(sound["workload"] == name) & (sound["cores"] < gain.values["first"])])
                for name, gain in gained.items()
            ]
            if fewer := [fact("short-range", mix=mix, **ends(of["change"])) for mix, of in below if len(of)]:
                yield fact("short-gains-fewer", parts=fewer)
            for name, gain in gained.items():
                yield from self._gained_doubted(possible[possible["workload"] == name], sound, gain)
            return
        gaining = others[others["change"] > GAIN]
        doubted = gaining["grade"].isin(trust.DOUBTFUL)
        sure = gaining[~doubted]
        if len(gaining):
            # More than the noise of their runs.
            is_clear = np.log1p(sure["change"]).to_numpy() > CLEARLY * np.sqrt(self._variances(sure)).to_numpy()
            doubtful = gaining.loc[doubted, "change"]
            yield fact("short-gain", threads=_only(gaining["threads_high"]), any=len(sure) > 0,
                       noise=not is_clear.any(), **names.listed("gained", self._each(sure), NAMED),
                       clear=self._by_spec(sure[is_clear]),
                       clear_most=sure.loc[is_clear, "change"].max(),
                       n=len(doubtful), gain=GAIN, **ends(doubtful))  # fmt: skip

    def _mix(self, workload: str) -> Fact:
        return names.mix(self.points[self.points["workload"] == workload].iloc[0])

    def _each(self, changes: pd.DataFrame, key: str = "short-spec-change") -> list[Fact]:
        """Each change with its spec and mix; the mix alone where no server is named."""
        rows = map(self._row, dicts(changes))
        cells = [names.mix(row) if self._is_alone(row) else names.spec_and_mix_listed(row) for row in rows]
        return [fact(key, cell=cell, change=of) for cell, of in zip(cells, changes["change"], strict=True)]

    def _by_spec(self, changes: pd.DataFrame) -> list[Fact]:
        """The specs of these changes with their mixes, if not all; the mixes alone where no server is named."""
        rows = map(self._row, dicts(changes))
        mixes = gathered((None if self._is_alone(row) else names.spec_listed(row), names.mix(row)) for row in rows)
        n = self.points["workload"].nunique()
        return [fact("short-spec-mixes", spec=spec, mixes=of, all=len(of) == n) for spec, of in mixes.items()]

    def _is_alone(self, row: pd.Series) -> bool:
        """Whether this is the only server, and nobody knows its cores."""
        return self.points["spec"].nunique() == 1 and not row["cores"] > 0

    def _row(self, change: dict) -> pd.Series:
        """A row of the spec and the mix of a change."""
        return self.points[self.points["run_id"] == change["ids_low"].split()[0]].iloc[0]

    def _gained(self, changes: pd.DataFrame) -> Fact | None:
        """Of one workload: from which cores on every spec gains, or most do and none loses; else None."""
        least = changes.groupby("cores")["change"].min().sort_index(ascending=False)
        gaining = least[(least > GAIN).cummin()]
        mostly = changes["change"].median() > GAIN and changes["change"].min() >= -LITTLE_LOSS
        half = changes.groupby("cores")["change"].median()
        is_large = changes["cores"] >= half.index[half > GAIN].min() if mostly else changes["cores"].isin(gaining.index)
        large = changes[is_large]
        mean, error = self._mean(large)
        if len(large) < LEAST_GAINING or mean < TOGETHER * error:
            return None
        first, last = large["cores"].min(), self.points["cores"].max()
        place = "all" if first == changes["cores"].min() else "one" if first == last else "from"
        return fact("short-gained", mix=self._mix(large["workload"].iloc[0]), first=first, place=place,
                    **ends(large["change"]), n=len(large), gain=GAIN,
                    gaining=int((large["change"] > GAIN).sum()))  # fmt: skip

    def _gained_doubted(self, possible: pd.DataFrame, sound: pd.DataFrame, gain: Fact) -> Iterator[Fact]:
        """The gain at the next smaller cores than those of `gain`, where only rows in doubt tell of it."""
        fewer = possible[possible["cores"] < gain.values["first"]]
        here = fewer[fewer["cores"] == fewer["cores"].max()]
        if len(here) and here["change"].min() > GAIN and not here.index.isin(sound.index).any():
            yield fact("short-gained-doubted", mix=gain.values["mix"], first=here["cores"].iloc[0],
                       **ends(here["change"]))  # fmt: skip


def _only(values: pd.Series) -> float | None:
    return values.iloc[0] if values.nunique() == 1 else None
