"""How many threads are enough: the fewest at which specs do nearly the most, and what more of them cost in p99."""

from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np
import pandas as pd

from ycsbook import names, trust
from ycsbook.facts import Fact, fact
from ycsbook.scaling.cells import Noise
from ycsbook.tables import dicts
from ycsbook.units import US_PER_MS

# A gain worth a sentence: what is this close to the most is enough.
GAIN = 0.10
# So many threads are too few where they bring less than that by so many standard errors.
LESS = 1.5
# More threads are costly where operations take so many times as long.
COSTLY = 3.0
# Fewer threads that do so much are told where p99 is COSTLY times lower with them.
MOSTLY = 2 / 3


def enough_threads(
    points: pd.DataFrame, noise: Noise, mix: Callable[[str], Fact], rising: Collection[tuple[str, str]]
) -> Iterator[Fact]:
    """Of workloads with several thread counts: the fewest at which specs do nearly the most, by core counts. `points`,
    `noise` and `rising` as MoreThreads has them; `mix`: what a workload is called."""
    is_doubted = points["grade"].isin(trust.DOUBTFUL)
    # What was asked for and done says nothing of what more threads would do.
    sound = points[~is_doubted & points["threads"].notna() & ~points["throttled"]]
    doubted = points[is_doubted].groupby(["workload", "spec"])["threads"].min()
    mixes: dict[tuple[Fact, ...], list[Fact]] = {}
    fewer, share, costly, jumps = [], 1 - GAIN, [], []
    for workload, here in sound.groupby("workload", sort=False):
        still = {spec for of, spec in rising if of == workload}
        # Where all still rise, nobody knows the most.
        if here["threads"].nunique() < 3 or still >= set(here["spec"]):
            continue
        cells = np.log(here["y"]).groupby([here["spec"], here["threads"]]).agg(["mean", "size"])
        most = cells["mean"].groupby(level="spec").transform("max")
        # What single runs show to be less may be noise.
        reach = LESS * np.sqrt(2 * noise.or_assumed.variance / cells["size"])
        less = (cells["mean"] - most)[cells["mean"].groupby(level="spec").transform("size") > 1]
        # The fewest threads of each spec, as these are sorted.
        fewest = less[less + reach >= np.log(1 - GAIN)].reset_index("threads").groupby(level="spec").first()
        # Of a spec for which fewer threads may be enough, but their row is in doubt, nothing is known.
        fewest = fewest[[not doubted.get((workload, spec), np.inf) < n for spec, n in fewest["threads"].items()]]
        # Nor whether the most threads that were tried are enough.
        at_most = here.groupby("spec")["threads"].max()[fewest.index]
        fewest["open"] = fewest["threads"] == at_most
        # Beside servers of known cores nothing is said of one without, such as a serverless one.
        cores = here.drop_duplicates("spec").set_index("spec")["cores"]
        needs = fewest.groupby(cores if cores.notna().any() else cores.fillna(0)).max()
        of_cores = zip(needs.index, needs["threads"], needs["open"], strict=True)
        stretches = [list(part) for _, part in groupby(of_cores, key=itemgetter(1, 2))]
        # Of a spec with one thread count alone nothing is said.
        counts = points[points["workload"] == workload].groupby("spec")["threads"].nunique()
        is_whole = len(stretches) == 1 and bool((counts > 1).all())
        whole = "alone" if here["spec"].nunique() == 1 or here["cores"].isna().all() else "all"
        parts = tuple(
            fact("short-enough-at", threads=part[0][1], open=bool(part[0][2]), first=part[0][0], last=part[-1][0],
                 place=whole if is_whole or whole == "alone" else "one" if len(part) == 1 else "several")
            for part in stretches
        )  # fmt: skip
        if parts:
            mixes.setdefault(parts, []).append(mix(str(workload)))
            fewer.append(needs["threads"].max() < here["threads"].max() and not needs["open"].any())
            share = min(share, np.exp(fewest["mean"].min()))
            p99_us = here.groupby(["spec", "threads"])["p99_us"].median()
            low_ms, high_ms = (p99_us[list(n.items())].median() / US_PER_MS for n in (fewest["threads"], at_most))
            if high_ms >= COSTLY * low_ms:
                costly.append((high_ms / low_ms, low_ms, high_ms, mix(str(workload))))
            jumps += _jump(here, cells["mean"], fewest["threads"], p99_us)
    if mixes:
        n = points["workload"].nunique()
        of = "one" if n == 1 else "all" if len(mixes) == 1 and len(fewer) == n else "some"
        uses = [fact("short-verdict-use", mixes=named, parts=list(parts), of=of) for parts, named in mixes.items()]
        # Of several mixes the one whose operations wait longest for it.
        _, low_ms, high_ms, named = max(costly, key=itemgetter(0), default=(0.0, None, None, None))
        yield fact("short-enough", uses=uses, share=share, fewer=all(fewer), low_ms=low_ms, high_ms=high_ms,
                   costly=named if n > 1 else None)  # fmt: skip
        yield from jumps


def _jump(here: pd.DataFrame, log_y: pd.Series, enough: pd.Series, p99_us: pd.Series) -> Iterator[Fact]:
    """Of the largest spec where that is so: that p99 is COSTLY times lower with fewer threads than are enough, which do
    MOSTLY as much; of such counts the highest. log_y, p99_us: by spec and threads; enough: threads by spec."""
    if p99_us.isna().all():
        return
    specs = here[here["spec"].isin(enough.index)].drop_duplicates("spec")
    for row in dicts(specs.sort_values(["cores", "ram_gib"], ascending=False)):
        threads, y, us = enough[row["spec"]], np.exp(log_y[row["spec"]]), p99_us[row["spec"]]
        is_less = (us.index < threads) & (COSTLY * us <= us[threads]) & (y >= MOSTLY * y[threads])
        if is_less.any():
            fewer = us.index[is_less][-1]
            yield fact(
                "short-p99-jump", mix=names.mix(row), spec=names.spec_listed(row) if row["cores"] > 0 else None,
                threads=threads, fewer=fewer, share=y[fewer] / y[threads], high_ms=us[threads] / US_PER_MS,
                low_ms=us[fewer] / US_PER_MS,
            )  # fmt: skip
            return
