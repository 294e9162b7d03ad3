"""What limits each point: the server, the number of client threads, something else, or nothing that can be told.

X R = N holds in every closed loop and by itself shows no limit. What limits a point shows only when the thread count
changes on one spec: x = X(N2) / X(N1). Thresholds are for a doubling of the threads; for o octaves, to the power o.
Decided before any law is fitted, from throughput, threads, latency and CPU alone.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

import numpy as np
import pandas as pd

from ycsbook.closed_loop import MAX_UTILISATION
from ycsbook.columns import CELL, KIND
from ycsbook.facts import Fact, fact, in_columns
from ycsbook.groups import numbers_of
from ycsbook.names import mix
from ycsbook.scaling.cells import SMALLEST_VARIANCE, Noise, cells, noise, with_utilisation
from ycsbook.scaling.pairs import BEYOND_ASSUMED, FLAT, RISING, Ratios, pairs, pooled_error, ratios, rises, stays
from ycsbook.tables import conform, empty

# So much above the growth of the threads is more than two single runs differ by at the noise that is assumed.
TOO_MUCH = 1 / (1 - BEYOND_ASSUMED)
CPU_FULL, CPU_FREE = 0.95, 0.90
# How many times the cores another spec needs to show that this one's server was the limit, and from which gain on it
# shows that against any other sign: a pool or a client that were the limit would hold it back as well.
BIGGER, MUCH_FASTER = 2.0, 1.5
# Throughput of all core counts, from the fewest to so many times as many, that differs by no more is flat.
FLAT_SWEEP, FLAT_SPAN = 1.15, 4.0
# Mixes that differ by so much at fewer cores, and from some core count on by no more than that.
MIXES_APART, MIXES_ALIKE = 1.25, 1.10
# So many pairs that rise on a full CPU show that the dataset's CPU column is not the database's CPU.
CONTRADICTIONS = 2
# Queueing is shown where so much of N / n, at most, is gained.
_QUEUEING = 0.8


class LimitKind(StrEnum):
    """What limits a point."""

    SERVER = "server"
    CONCURRENCY = "concurrency"
    ELSEWHERE = "elsewhere"
    RETROGRADE = "retrograde"
    CONTRADICTION = "contradiction"
    INCONSISTENT = "inconsistent"
    SUSPECT = "suspect"
    UNDECIDED = "undecided"
    SINGLE = "single"


# Points that no law should see. All other kinds but `server` are lower bounds of what the server can do.
LEFT_OUT = (LimitKind.SUSPECT, LimitKind.INCONSISTENT)

# Reasons of points that the client asked for no more.
HELD_TO_A_RATE = ("limit-held", "limit-throttled")
# Points of which nothing is known, or nothing that may be believed.
_UNKNOWN = (LimitKind.UNDECIDED, LimitKind.SINGLE, *LEFT_OUT)

_SHARED = (*KIND, "workload", "read_fraction", "spec", "cores", "ram_gib", "threads", "utilisation", "cpu_utilisation")


def limits(runs: pd.DataFrame, operations: pd.DataFrame | None = None) -> pd.DataFrame:
    """What limits each cell of a runs table.

    Parameters
        runs, operations: the tables of these names. Without operations Little's law cannot be tested.
    Returns
        The table `limits`, one row per cell (CELL) with a throughput: `observed`, in ops/s, the geometric mean of the
        repeats, from the column `y`. ratio, its 95 % interval, threads_from and threads_to are those of the pair that
        decided; `at_most`, in ops/s, what any number of threads would bring (_at_most).
    Examples
        >>> from ycsbook import paths
        >>> from ycsbook.ingest.published.published import read_published
        >>> table = read_published(paths.PUBLISHED / "qingcloud-4.0.3.csv")
        >>> limits(table.runs, table.operations)["limit_kind"].value_counts().to_dict()
        {'undecided': 31, 'server': 26, 'concurrency': 9, 'suspect': 6}
    """
    measured_cells = cells(with_utilisation(runs, empty("operations") if operations is None else operations))
    return judge(measured_cells, noise(measured_cells))


def judge(cells: pd.DataFrame, noise: Mapping[tuple[str, str], Noise]) -> pd.DataFrame:
    """What limits each of these cells: the table `limits`, with the rows and the index of `cells`.

    A cell that breaks Little's law is in no pair. Each other takes its upward pair of neighbouring thread counts, the
    highest one its downward pair; a pair that gains more than its threads spoils both its cells. The first line that
    holds decides: suspect, inconsistent, throttled, rising (not for the highest: more threads might bring more), flat,
    CPU full, undecided. A CPU column that CONTRADICTIONS pairs of a kind refute says nothing of the kind's other cells.
    cells, noise: as cells.cells and cells.noise give them."""
    tested = _Pairs(cells, noise)
    best, bigger = _bigger(cells, noise)
    decisions = _decisions(cells, tested, best, bigger)
    # Of each cell the first line that holds.
    how = np.argmax([holds for _, holds, _, _ in decisions], axis=0)
    kind = np.array([str(kind) for _, _, kind, _ in decisions], dtype=object)[how]
    change = _figures(tested)
    columns = {
        **change, "limit_kind": kind, "retrograde": ~np.isin(kind, LEFT_OUT) & tested("retrograde").astype(bool),
        "measured": kind == LimitKind.SERVER,
    }  # fmt: skip
    connections = cells[["pool_size", "in_flight"]].min(axis=1)
    held_back = cells["throttled"].to_numpy(bool) | (connections < cells["threads"]).to_numpy()
    columns["at_most"] = _at_most(cells, noise, ~np.isin(kind, LEFT_OUT) & ~held_back)
    figures = {
        "change": change,
        "fall": _figures(tested.below),
        "falls": {"falls": tested("retrograde").astype(bool)},
        "busy": {"cpu": cells["cpu_utilisation"].to_numpy(float)},
        "bigger": {
            "spec": cells["spec"].to_numpy()[best] if len(cells) else [], "best": bigger.ratio,
            "best_low": bigger.conf_low, "best_high": bigger.conf_high,
        },
        "pool": {"pool": cells["pool_size"].to_numpy(float)},
        "in_flight": {"calls": cells["in_flight"].to_numpy(float)},
        "utilisation": {"utilisation": cells["utilisation"].to_numpy(float)},
    }  # fmt: skip
    shared = cells[list(_SHARED)].assign(n_runs=cells["n"], y=cells["y_column"], observed=np.exp(cells["log_y"]))
    reasons = []
    for i, line in enumerate(how):
        name, _, _, parts = decisions[line]
        values = {key.removeprefix("conf_"): of[i] for part in parts.split() for key, of in figures[part].items()}
        reasons.append(in_columns("reason", fact(f"limit-{name}", **values)))
    return conform(shared.assign(**columns, **pd.DataFrame(reasons, index=cells.index)), "limits")


def _decisions(
    cells: pd.DataFrame, tested: "_Pairs", best: np.ndarray, bigger: Ratios
) -> list[tuple[str, np.ndarray, LimitKind, str]]:
    """The lines that decide, in order: the reason, of which cells it holds, the verdict, and what figures the reason
    gives (the message limit-...). best, bigger: as _bigger gives them."""
    cpu, pool = (cells[c].to_numpy(float) for c in ("cpu_utilisation", "pool_size"))
    paired, is_low = tested.own >= 0, tested.up >= 0
    refuted = is_low & tested("rises") & (cpu >= CPU_FULL) & ~tested("too_much")
    believed = ~tested.of_kinds(refuted, CONTRADICTIONS)
    full, free, has_cpu = believed & (cpu >= CPU_FULL), believed & (cpu < CPU_FREE), believed & ~np.isnan(cpu)
    flat, wide_enough = tested("flat"), pool >= tested("threads_to")
    saturated = flat & (wide_enough | tested.of_kinds(tested.sound))
    faster, as_fast = rises(bigger.ratio, bigger.conf_low), stays(bigger.ratio, bigger.conf_low, bigger.conf_high)
    # Something that comes with the size of the server: its disk, its network, a quota.
    much_faster = flat & faster & (bigger.ratio >= MUCH_FASTER)
    # A bigger spec that its threads hold back is no witness.
    held_back = saturated & as_fast & (is_low & tested("grows"))[best]
    few_in_flight = flat & (cells["in_flight"].to_numpy(float) < tested("threads_to"))
    ladder = numbers_of(cells, CELL[:-1])
    beside_broken = np.bincount(ladder, tested.broken)[ladder] > 0
    return [
        ("little", tested.broken.to_numpy(), LimitKind.SUSPECT, "utilisation"),
        ("too-much", tested("too_much"), LimitKind.INCONSISTENT, "change"),
        ("held", cells["held"].to_numpy(bool), LimitKind.ELSEWHERE, "utilisation"),
        ("throttled", cells["throttled"].to_numpy(bool), LimitKind.ELSEWHERE, ""),
        ("rises-full", refuted, LimitKind.CONTRADICTION, "change busy"),
        ("rises", is_low & tested("rises"), LimitKind.CONCURRENCY, "change"),
        ("grows-free", is_low & free & tested("grows"), LimitKind.CONCURRENCY, "change busy"),
        # With fewer threads the same server does clearly more, so this is not what it can do.
        ("fallen", tested.below("fallen").astype(bool), LimitKind.RETROGRADE, "fall"),
        ("flat-full", saturated & full, LimitKind.SERVER, "change falls busy"),
        ("bigger-idle", much_faster & free, LimitKind.SERVER, "change falls bigger busy"),
        ("bigger-much", much_faster, LimitKind.SERVER, "change falls bigger"),
        ("pool", flat & (pool < tested("threads_to")), LimitKind.CONCURRENCY, "change falls pool"),
        ("in-flight", few_in_flight, LimitKind.CONCURRENCY, "change falls in_flight"),
        ("flat-free", saturated & free, LimitKind.ELSEWHERE, "change falls busy"),
        ("flat-between", saturated & has_cpu, LimitKind.UNDECIDED, "change falls busy"),
        ("no-bigger", saturated & (best < 0), LimitKind.UNDECIDED, "change falls"),
        ("bigger-faster", saturated & faster, LimitKind.SERVER, "change falls bigger"),
        ("bigger-held", held_back, LimitKind.UNDECIDED, "change falls bigger"),
        ("bigger-same", saturated & as_fast, LimitKind.ELSEWHERE, "change falls bigger"),
        ("bigger-between", saturated, LimitKind.UNDECIDED, "change falls bigger"),
        ("full-pair", paired & full, LimitKind.SERVER, "change falls busy"),
        ("full", full, LimitKind.SERVER, "busy"),
        ("void", paired & flat, LimitKind.UNDECIDED, "change"),
        ("between", paired & is_low, LimitKind.UNDECIDED, "change"),
        ("top", paired, LimitKind.UNDECIDED, "change"),
        ("partner", beside_broken, LimitKind.UNDECIDED, ""),
        ("single", np.full(len(cells), True), LimitKind.SINGLE, ""),
    ]


def _figures(of: Callable[[str], np.ndarray]) -> dict[str, np.ndarray]:
    """The figures of each cell's pair of thread counts, by name."""
    names = ("threads_to", "ratio", "conf_low", "conf_high")
    return {"threads_from": of("threads"), **{name: of(name) for name in names}}


def decided(kinds: pd.Series) -> pd.Series:
    """Whether it is known what limits each point (bool), from its limit_kind."""
    return ~kinds.isin(_UNKNOWN)


def counted(points: pd.DataFrame) -> Fact:
    """The number of points with each limit in a table `limits`, and of pairs where more threads do less."""
    kinds = points["limit_kind"].value_counts()
    pair = ["dataset", "outcome", "workload", "spec", "threads_from", "threads_to"]
    return fact(
        "limits-counted", n=len(points), slower=len(points.loc[points["retrograde"], pair].drop_duplicates()),
        kinds=[fact("limits-count", n=n, kind=fact("limits-kind", kind=k, retrograde=False)) for k, n in kinds.items()],
    )  # fmt: skip


def flat_sweeps(points: pd.DataFrame) -> dict[tuple[str, str, str], Fact]:
    """A fact for each workload whose throughput neither cores nor threads change, by KIND and workload: no level of
    three core counts or more, over two doublings at least, differs from another by more than FLAT_SWEEP, and none of
    the threads. points: a table `limits`."""
    sweeps = {}
    for key, part in points[~points["limit_kind"].isin(LEFT_OUT)].groupby([*KIND, "workload"]):
        logs = np.log(part["observed"])
        by_cores, by_threads = (logs.groupby(part[c]).mean() for c in ("cores", "threads"))
        first, last = by_cores.index.min(), by_cores.index.max()
        if len(by_cores) < 3 or last < FLAT_SPAN * first:
            continue
        if all(levels.max() - levels.min() <= np.log(FLAT_SWEEP) for levels in (by_cores, by_threads)):
            values = {"mix": mix(part.iloc[0]), "first": first, "cores": last, "ops": float(np.exp(logs.mean()))}
            if part["reason_key"].eq("limit-held").all():
                sweeps[key] = fact("limits-held", **values, used=part["utilisation"].max())
            else:
                sweeps[key] = fact("limits-flat", **values, times=last / first, counts=len(by_threads))
    return sweeps


def shared_ceilings(points: pd.DataFrame) -> dict[tuple[str, str], Fact]:
    """A fact for each KIND whose mixes, which differ at fewer cores, all stop at one throughput from some core count
    on, at any thread count: what they share is the limit, and not the servers. points: a table `limits`."""
    ceilings = {}
    sound = points[~points["limit_kind"].isin(LEFT_OUT) & ~points["reason_key"].isin(HELD_TO_A_RATE)]
    for key, part in sound[sound["cores"] > 0].groupby(list(KIND)):
        logs = np.log(part["observed"])
        by_mix = logs.groupby([part["cores"], part["workload"]]).mean().unstack()
        apart = (by_mix.max(axis=1) - by_mix.min(axis=1)).cummax()
        for first in by_mix.index[1:]:
            top = part["cores"] >= first
            levels = [logs[top].groupby(part.loc[top, c]).mean() for c in ("cores", "threads", "workload")]
            alike = all(level.max() - level.min() <= np.log(MIXES_ALIKE) for level in levels)
            is_wide = len(levels[2]) > 1 and by_mix.index[-1] >= 2 * first
            if alike and is_wide and apart[by_mix.index < first].iloc[-1] >= np.log(MIXES_APART):
                where = key[0] if points["dataset"].nunique() > 1 else None
                ceilings[key] = fact("limits-shared", where=where, cores=first, ops=float(np.exp(logs[top].mean())),
                                     n=len(levels[2]), threads=len(levels[1]))  # fmt: skip
                break
    return ceilings


class _Pairs:
    """The neighbouring thread counts of the cells that keep Little's law (those that do not are `broken`): `up` and
    `down` of every cell are positions of pairs, -1 for none. Called with a property it gives that of the pair that
    decides each cell (`own`); False or NaN without one. `sound`: how many pairs of each cell gain 25 % or more, and not
    too much. Where none of a kind does, the pool may be no larger than the fewest threads, and flat ones prove
    nothing."""

    def __init__(self, cells: pd.DataFrame, noise: Mapping[tuple[str, str], Noise]):
        self.broken = cells["utilisation"] > MAX_UTILISATION
        rungs = pairs(cells[~self.broken], noise)
        at = pd.Series(np.arange(len(cells)), index=cells.index)
        first, second = at.loc[rungs["low"]].to_numpy(), at.loc[rungs["high"]].to_numpy()
        names = ("threads", "threads_to", "octaves", "ratio", "conf_low", "conf_high")
        self._columns = {c: np.append(rungs[c].to_numpy(float), np.nan) for c in names}
        _, _, octaves, ratio, low, high = self._columns.values()
        has_interval = ~np.isnan(low)
        throttled = cells["throttled"].to_numpy(bool)
        self._columns |= {
            "too_much": np.where(has_interval, low > 2**octaves, ratio > TOO_MUCH * 2**octaves),
            "rises": rises(ratio, low, octaves),
            # A target throughput, not the server, may keep more threads from doing more.
            "flat": stays(ratio, low, high, octaves) & ~np.append(throttled[first] | throttled[second], False),
            "grows": np.where(has_interval, low, ratio) > FLAT**octaves,
            # Of single runs a loss beyond the noise that is assumed.
            "retrograde": np.where(has_interval, high < 1, ratio < 1 - BEYOND_ASSUMED),
            # As clearly as `rises` upwards.
            "fallen": (ratio <= RISING**-octaves) & (~has_interval | (high < FLAT**-octaves)),
        }
        self.up, self.down = np.full(len(cells), -1), np.full(len(cells), -1)
        self.up[first], self.down[second] = np.arange(len(rungs)), np.arange(len(rungs))
        bad = self._columns["too_much"]
        neighbour = np.where(self.up >= 0, self.up, self.down)
        self.own = np.where(bad[self.up], self.up, np.where(bad[self.down], self.down, neighbour))
        # Over several octaves as well: no pool of the smaller number of connections gives that much more.
        rising = (rises(ratio, low, np.minimum(octaves, 1.0)) & ~bad)[:-1]
        self.sound = np.bincount(first[rising], minlength=len(cells))
        self._kinds = numbers_of(cells, KIND)

    def __call__(self, name: str) -> np.ndarray:
        return self._columns[name][self.own]

    def below(self, name: str) -> np.ndarray:
        """A property of the pair of each cell and the next fewer threads; False or NaN without one."""
        return self._columns[name][self.down]

    def of_kinds(self, cells: np.ndarray, at_least: int = 1) -> np.ndarray:
        """For each cell, whether its kind has so many of these (numbers or bool, by cell)."""
        return (np.bincount(self._kinds, cells) >= at_least)[self._kinds]


def _bigger(cells: pd.DataFrame, noise: Mapping[tuple[str, str], Noise]) -> tuple[np.ndarray, Ratios]:
    """For each cell the position (-1: none) of the fastest bigger spec at its workload and threads, and the Ratios."""
    cores, ram, log_y, n = (cells[c].to_numpy(float) for c in ("cores", "ram_gib", "log_y", "n"))
    best = np.full(len(cells), -1)
    groups = numbers_of(cells, [*KIND, "workload", "threads"])
    for group in range(groups.max(initial=-1) + 1):
        at = np.flatnonzero(groups == group)
        larger = (cores[at] >= BIGGER * cores[at][:, None]) & (ram[at] >= ram[at][:, None])
        fastest = at[np.where(larger, log_y[at], -np.inf).argmax(axis=1)]
        best[at] = np.where(larger.any(axis=1), fastest, -1)
    error, df = np.full(len(cells), np.nan), np.zeros(len(cells))
    kinds = numbers_of(cells, KIND)
    for at in (np.flatnonzero(kinds == number) for number in range(kinds.max(initial=-1) + 1)):
        of = noise[tuple(cells[list(KIND)].iloc[at[0]])]
        error[at], df[at] = pooled_error(of, n[at], n[best[at]]), of.df
    return best, ratios(np.where(best >= 0, log_y[best] - log_y, np.nan), error, df)


def _at_most(cells: pd.DataFrame, noise: Mapping[tuple[str, str], Noise], sound: np.ndarray) -> np.ndarray:
    """The highest throughput that any number of threads could bring, limited by server, network and client.

    A further thread makes an operation wait for at most one operation more at the slowest place, which takes 1 / X_max.
    So R(N) - R(n) <= (N - n) / X_max for N > n threads, and with R + Z = N / X,
    X_max <= (N - n) / (N / X(N) - n / X(n)). From the fewest threads of a spec and workload and those that did most;
    with one thread it is tightest. The upper end of the ratio's 95 % interval is taken, by the noise that is assumed
    where nothing was repeated. NaN where no queueing is shown. sound: bool, which cells may be built on, (cells,).

    References
        Zahorjan et al. (1982), Balanced job bound analysis, Comm. ACM 25(2). It holds where an operation waits for
        those before it alone: not where a server takes less for each under load, as one that writes several at once.
    """
    bounds = np.full(len(cells), np.nan)
    threads, log_y, n_runs = (cells[c].to_numpy(float) for c in ("threads", "log_y", "n"))
    ladder, kinds = numbers_of(cells, CELL[:-1]), list(zip(*(cells[name] for name in KIND), strict=True))
    for at in (np.flatnonzero(ladder == number) for number in range(ladder.max(initial=-1) + 1)):
        rungs = at[sound[at] & (threads[at] > 0)]
        if len(rungs) < 2:
            continue
        few, most = rungs[threads[rungs].argmin()], rungs[log_y[rungs].argmax()]
        pooled = noise[kinds[few]].or_assumed
        error = np.sqrt(max(pooled.variance, SMALLEST_VARIANCE) * (1 / n_runs[few] + 1 / n_runs[most]))
        gain = float(ratios(log_y[most] - log_y[few], error, pooled.df).conf_high)
        if threads[few] * gain <= _QUEUEING * threads[most]:
            not_gained = threads[most] - threads[few] * gain
            bounds[at] = np.exp(log_y[most]) * (threads[most] - threads[few]) / not_gained
    return bounds
