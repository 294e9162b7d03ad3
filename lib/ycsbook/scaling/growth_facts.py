"""What a series shows of growth with cores, as facts: the factor of a doubling, and where it ends."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import isfinite, isnan, nan, sqrt

import pandas as pd

from ycsbook import names
from ycsbook.facts import Fact, fact
from ycsbook.scaling.growth import FADING, LEVEL, STOPPED, VAGUE, Growth, Level, Stretch, per_doubling
from ycsbook.scaling.steps import Apart, ram_helps, ram_rises, several_families
from ycsbook.units import MS_PER_S, US_PER_MS, US_PER_S

# Throughput this close to what the threads can do at their lowest latency is limited by these.
NEAR_CEILING = 1.25
# Mixes whose growth turns, named where others' does not.
NAMED = 2
# Threads are nearly all in service where an operation takes at most so many times the least with fewer threads, so many
# times fewer at least.
NEARLY_IN_SERVICE, FAR_FEWER = 1.25, 1.5


def average(
    growth: Growth, mix: Fact, *, levels: Sequence[Level] = (), first_mix: bool = True, ram: bool = False
) -> Fact:
    """By what a doubling of cores multiplies throughput, and where that fades: by what on either side; of a series that
    levels or falls up to where, and what follows. Where the interval comes from repeats of these servers, what others
    of their sizes would give stands beside it. levels: those that the head tells, if not all. first_mix: of several,
    whether it is the first. ram: whether RAM rises with the cores."""
    named = {"mix": mix, "threads": growth.threads, "first": growth.first.cores}
    rising = with_ram([growth], ram)
    if (turn := growth.turn) and (upper := per_doubling(turn, growth.last)) < LEVEL:
        return fact("short-growth-turns", **named, ram=rising, lower=growth.rise, cores=turn.cores,
                    beyond="falls" if upper < 1 / LEVEL else "level", upper=upper, last=growth.last.cores,
                    **idle_steps(growth))  # fmt: skip
    if growth.is_vague:
        factor = growth.last.ops_s / growth.first.ops_s
        return fact("short-growth-vague", **named, cores=growth.last.cores, factor=factor)
    at = growth.bend
    ends = levels if at in levels[1:-1] else growth.levels
    lower, upper = (growth.part(ends[0], at), growth.part(at, ends[-1])) if at else (Stretch(nan, nan, nan),) * 2
    low, high = interval(growth.low, growth.high)
    # Around a bend the scatter is that of the curve.
    apart = growth.evidence == "repeats" and isfinite(growth.spec_high) and at is None
    # A scatter that holds anything says nothing.
    apart &= growth.spec_high <= VAGUE * growth.spec_low
    others_low, others_high = interval(growth.spec_low, growth.spec_high) if apart else (None, None)
    return fact(
        "short-growth", **named, factor=growth.factor, low=low, high=high, first_mix=first_mix, ram=rising,
        cores=growth.last.cores, bend=at and at.cores, start=ends[0].cores, lower=lower.factor, lower_low=lower.low,
        lower_high=lower.high, upper=upper.factor, upper_low=upper.low, upper_high=upper.high,
        assumed=None if growth.evidence == "repeats" else sqrt(growth.noise.variance),
        others_low=others_low, others_high=others_high, **idle_steps(growth),
    )  # fmt: skip


def idle_steps(growth: Growth) -> dict[str, object]:
    """idle: the steps to twice the cores or more that repeats show to bring nothing worth buying, where the next one
    does; idles: how many."""
    steps = pairwise(pairwise(growth.levels)) if growth.evidence == "repeats" and not growth.is_averaged else ()
    idle = [
        fact("short-idle", first=a.cores, last=b.cores)
        for (a, b), (_, c) in steps
        if b.cores >= 2 * a.cores and growth.part(a, b).high < STOPPED < per_doubling(b, c)
    ]
    return {"idle": idle, "idles": len(idle)}


def with_ram(series: Sequence[Growth], rises: bool) -> str:
    """What rises with the cores of these series: `twice` the RAM with twice the cores, `more` RAM, or `none`."""
    is_twice = not any(isnan(growth.ram_per_core) for growth in series)
    return "twice" if is_twice else "more" if rises else "none"


def ram_adds(series: Iterable[Growth], rows: pd.DataFrame, apart: Iterable[Apart]) -> bool:
    """Whether RAM rises with the cores, so that these series grow by both: twice the cores at equal RAM, as `apart` has
    it, bring less; where that is not known, whether the two cannot be told apart in the rows, as of several families,
    each of which has more RAM with more cores, or more of it is seen to bring much."""
    cores = {(effect.workload, effect.threads): effect.cores for effect in apart}
    known = [cores[of] / one.factor for one in series if (of := (one.workload, one.threads)) in cores]
    return max(known) < FADING if known else ram_rises(rows) or several_families(rows) or ram_helps(rows)


def over_mixes(series: Sequence[Growth], mix: Callable[[str], Fact], *, ram: bool) -> Fact:
    """Of many mixes, whose facts `mix` gives, the least and the most that a doubling brings up to where growth turns,
    and the most that it brings beyond, of which mixes if not of all; and what the largest servers do of either. ram:
    whether RAM rises with the cores."""
    least, *_, most = sorted(series, key=lambda growth: growth.rise)
    slowest, *_, fastest = sorted(series, key=lambda growth: growth.last.ops_s)
    same_cores = len({growth.last.cores for growth in series}) == 1
    turning = [growth for growth in series if growth.turn]
    ends = sorted({of(growth.turn.cores for growth in turning) for of in (min, max)}) if turning else []
    upper = max((per_doubling(growth.turn, growth.last) for growth in turning), default=None)
    return fact("short-verdict-range", ram=with_ram(series, ram), least=least.rise,
                least_mix=mix(least.workload), most=most.rise, most_mix=mix(most.workload),
                turns=[f"{cores:g}" for cores in ends], upper=upper,
                nothing=upper is not None and upper <= LEVEL,
                all=len(turning) == len(series), cores=fastest.last.cores if same_cores else None,
                slow_ops=slowest.last.ops_s, slow_mix=mix(slowest.workload), fast_ops=fastest.last.ops_s,
                fast_mix=mix(fastest.workload),
                **names.listed("mixes", (mix(growth.workload) for growth in turning), NAMED))  # fmt: skip


def interval(low: float, high: float) -> tuple[float | None, float | None]:
    """The ends of an interval; none where both read the same.

    Examples
        >>> interval(1.411, 1.414), interval(1.2, 1.6)
        ((None, None), (1.2, 1.6))
    """
    return (None, None) if f"{low:.3g}" == f"{high:.3g}" else (low, high)


def plateau(
    growth: Growth, mix: Fact, more: Growth | None = None, *, doubted: bool = False, least_us: float = nan
) -> Iterator[Fact]:
    """Where growth stops, or is flat in between; nothing where it does neither. more: the same workload with more
    threads, where these bring more on the most cores measured with them. doubted: whether rows in doubt are among those
    between which it is flat or falls. least_us: the lowest mean latency of the series, µs; NaN: not known."""
    named, last = {"mix": mix, "threads": growth.threads}, growth.last
    if (stop := growth.stops) and growth.falls:
        most = max(growth.levels, key=lambda level: level.ops_s)
        yield fact("short-falls", **named, cores=most.cores, ops=most.ops_s, last=last.cores, then=last.ops_s,
                   change=last.ops_s / most.ops_s - 1, doubted=doubted)  # fmt: skip
    elif stop and (more or growth.bend != stop):
        yield fact("short-stops", **named, cores=stop.cores, ops=stop.ops_s, last=last.cores, then=last.ops_s,
                   less=bool(last.ops_s < stop.ops_s), more=more and more.threads,
                   more_ops=more and more.last.ops_s, more_cores=more and more.last.cores,
                   **_ceiling(growth, least_us))  # fmt: skip
    elif growth.flat:
        start, end = growth.flat
        ops = sqrt(start.ops_s * end.ops_s)
        yield fact("short-flat", **named, ops=ops, first=start.cores, cores=end.cores, doubted=doubted)


def _ceiling(growth: Growth, least_us: float) -> dict[str, float | None]:
    """N / R, what the threads of a series do at the lowest mean latency, where it is about what was measured."""
    at_most = growth.threads / least_us * US_PER_S
    is_near = 1 / NEAR_CEILING <= at_most / growth.last.ops_s <= NEAR_CEILING
    return {"least_ms": least_us / US_PER_MS if is_near else None, "at_most": at_most if is_near else None}


def in_service(growth: Growth, mix: Fact, series: Iterable[Growth]) -> Iterator[Fact]:
    """Where operations wait hardly longer on the most cores than with far fewer threads: nearly all threads are in
    service there, and no server could do more with them. By N = X R, the time of N threads is N / X."""
    fewer = [one for one in series if one.kind == growth.kind and 0 < FAR_FEWER * one.threads <= growth.threads]
    times = [one.threads / level.ops_s for one in fewer for level in one.levels]
    if times and (takes := growth.threads / growth.last.ops_s) <= NEARLY_IN_SERVICE * min(times):
        yield fact("scaling-in-service", mix=mix, threads=growth.threads, cores=growth.last.cores, ms=MS_PER_S * takes,
                   least_ms=MS_PER_S * min(times))  # fmt: skip
