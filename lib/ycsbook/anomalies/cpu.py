"""CPU, threads, connections and throughput that contradict each other."""

import math
from collections.abc import Iterator

import numpy as np

from ycsbook import names
from ycsbook.anomalies import little_law
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import families_of
from ycsbook.anomalies.invalid_run import carries
from ycsbook.anomalies.registry import Finding, Thresholds, evidence_of, rule
from ycsbook.columns import CELL, KIND
from ycsbook.facts import fact
from ycsbook.scaling.limits import CPU_FULL, TOO_MUCH
from ycsbook.scaling.pairs import holm, pooled_error, ratios, rises
from ycsbook.tables import dicts
from ycsbook.units import US_PER_S
from ycsbook.verdicts import Outcome, Warn

SUPERLINEAR_ALARMS = 0.0001
_ADVICE = fact("cpu-advice")


@rule(
    cannot_know="whether the CPU was measured over another time, on another machine or in another unit, or the lower "
    "throughput is the wrong one",
    source="a server whose CPU is full does no more for more clients, but for batching",
    defaults={"cpu": CPU_FULL},
)
def cpu_contradiction(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A CPU at least 95 % busy, and yet at least 25 % more throughput with twice the threads on the same spec.

    `cpu`: from which share it counts as full. With repeats the interval must lie above 10 %. Pairs that gain more
    than the threads grew are superlinear_threads'.
    """
    pairs = evidence.pairs
    ratio, octaves = (pairs[c].to_numpy(float) for c in ("ratio", "octaves"))
    full = evidence.cells["cpu_utilisation"].reindex(pairs["low"]).to_numpy(float) >= settings["cpu"]
    gains = rises(ratio, pairs["conf_low"].to_numpy(float), octaves) & (ratio <= TOO_MUCH * 2**octaves)
    for pair, first, second in _pairs(evidence, full & gains):
        run_ids = (*first["run_ids"], *second["run_ids"])
        yield _finding(
            "cpu_contradiction", "warning", pair, first, second, run_ids=run_ids, cpu=first["cpu_utilisation"]
        )


@rule(
    budget=SUPERLINEAR_ALARMS,
    cannot_know="which of the two rows is wrong: the lower one may have been measured cold, or on a busy machine",
    source="a closed loop of N threads does at most N / R, and R does not fall with N; with repeats a one-sided t test "
    "on ln X with pooled variance, Holm (1979) over all pairs",
    defaults={"budget": SUPERLINEAR_ALARMS, "deviations": 3.0},
)
def superlinear_threads(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """More than twice the throughput with twice the threads, which a closed loop does not give.

    Without repeats a note beyond the assumed noise of two runs, a warning beyond `deviations` times that. With repeats
    a warning beyond chance: `budget` is that of a whole clean sweep. The finding is about both rows, or about the one
    that Little's law contradicts where it clears the other.
    """
    pairs, n = evidence.pairs, evidence.cells["n"]
    growth = 2.0 ** pairs["octaves"]
    single = pairs["conf_low"].isna()
    assumed = np.array([evidence.noise[kind].assumed for kind in zip(*(pairs[c] for c in KIND), strict=True)])
    beyond = np.log(pairs["ratio"] / growth) / (np.sqrt(2) * assumed)
    sure = single & (beyond > 1)
    for kind, part in pairs[~single].groupby(list(KIND)):
        noise = evidence.noise[kind]
        error = pooled_error(noise, n[part["low"]], n[part["high"]])
        short = np.log(growth[part.index] / part["ratio"])
        sure[part.index] = holm(ratios(short, error, np.full(len(part), noise.df)).p_falls) <= settings["budget"]
    warned = ~single | (beyond > settings["deviations"])
    sure &= pairs["ratio"] > growth
    for (pair, first, second), far in zip(_pairs(evidence, sure.to_numpy()), warned[sure], strict=True):
        wrong = evidence.blamed((*first["run_ids"], *second["run_ids"]))
        severity = "warning" if far else "note"
        yield _finding("superlinear_threads", severity, pair, first, second, run_ids=wrong, ratio=pair["ratio"])


@rule(
    cannot_know="whether throughput, CPU or the number of cores is wrong",
    source="median and 1.4826 times the median absolute deviation of ln CPU time: Hampel (1974), JASA 69, 383-393",
    defaults={"deviations": 3.5, "rows": 8, "least_sd": 0.05},
)
def cpu_per_operation(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """CPU time of one operation (cores x utilisation / throughput) out of family in its dataset and workload.

    More than `deviations` robust standard deviations of its logarithm from the median of at least `rows` cells; the
    standard deviation is taken to be at least `least_sd`. Effect: over the median, minus 1.
    """
    busy = evidence.cells["cores"] * evidence.cells["cpu_utilisation"]
    cells = evidence.cells[busy > 0]
    cells = cells.assign(log_cpu=np.log(busy[cells.index]) - cells["log_y"])
    for family, part in families_of(cells, [*KIND, "workload"], "log_cpu", settings["rows"], settings["least_sd"]):
        for row in dicts(part[part["z"].abs() > settings["deviations"]]):
            yield Finding(
                "note", row["dataset"], row["run_ids"],
                fact("cpu_per_operation", cell=names.cell(row), cpu_us=US_PER_S * np.exp(row["log_cpu"]),
                     usual_us=US_PER_S * np.exp(family.median), n=len(part), deviations=abs(row["z"])),
                effect=float(np.expm1(row["log_cpu"] - family.median)), cause=_cause(row), advice=_ADVICE,
            )  # fmt: skip


@rule(
    cannot_know="what the limit was: too few threads, the client, the network, the pool, the disk or a lock; a lock or "
    "one busy core hides in the mean over all cores. Without a CPU column it says nothing.",
    defaults={"cpu": 0.90},
)
def not_saturated(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Specs whose server was busy below `cpu` at the highest thread count measured; once per dataset.

    Not those that reached their target throughput, as nothing more was asked of them, nor those whose server was busier
    with fewer threads: more threads are not what they lack.
    """
    cells = evidence.cells
    cells = cells[cells["cpu_utilisation"].notna() & cells["threads"].notna()]
    of_spec = cells.groupby(CELL[:-1], dropna=False)
    cells = cells.assign(busiest=of_spec["cpu_utilisation"].transform("max"))
    top = cells[(cells["threads"] == of_spec["threads"].transform("max")) & ~cells["throttled"]]
    for dataset, part, least in evidence.worst_of(top[top["busiest"] < settings["cpu"]], -top["cpu_utilisation"]):
        total = len(evidence.alike(top, part))
        yield Finding(
            "note", dataset, part["run_ids"].sum(),
            fact("not_saturated", n=len(part), configurations=fact("configurations", n=total),
                 **names.listed("names", map(names.spec_and_mix_listed, dicts(part))),
                 cell=names.cell(least), cpu=least["cpu_utilisation"]),
            effect=float(least["cpu_utilisation"] - 1), cause="not saturated",
        )  # fmt: skip


def _pairs(evidence: Evidence, chosen: np.ndarray) -> Iterator[tuple[dict, dict, dict]]:
    cells = evidence.cells
    for pair in dicts(evidence.pairs[chosen]):
        yield pair, cells.loc[pair["low"]].to_dict(), cells.loc[pair["high"]].to_dict()


def _cause(cell: dict) -> str:
    return f"{cell['workload']} on {cell['spec']}: CPU, threads and throughput contradict each other"


def _finding(
    key: str, severity: str, pair: dict, first: dict, second: dict, *, run_ids: tuple[str, ...], **values: float
) -> Finding:
    effect, low, high = (pair[c] - 1 for c in ("ratio", "conf_low", "conf_high"))
    doubt = names.doubts((first, second), "doubt-threads")
    return Finding(
        severity, first["dataset"], run_ids,
        fact(key, at=names.spec_and_mix(first), threads=first["threads"], threads_to=second["threads"],
             first=np.exp(first["log_y"]), second=np.exp(second["log_y"]), effect=effect, low=low, high=high,
             doubt=doubt, **values),
        evidence_of(low), effect, low, high, cause=little_law.cause(first["workload"]) if doubt else _cause(first),
        advice=little_law.ADVICE if doubt else _ADVICE,
    )  # fmt: skip


@rule(
    cannot_know="the pool's size where neither log nor source says it; then the driver's default is assumed. Writes, "
    "and reads above the lowest latency, need connections as well, so that more are missing than it says; "
    "where the mix is unknown it says nothing.",
    source="Little's law for the connections: reads in flight = reads per second x time a read holds its connection.",
    defaults={"default_pool": 100},
)
def pool(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Reads in flight at the lowest read latency (each run's own, or the lowest mean of a published workload) beyond
    the connections of the pool (the driver's `default_pool` where nothing is said), with more threads than those;
    runs whose log shows a pool smaller than their threads; and as many calls under way at all larger thread counts."""
    everything = evidence.tables.runs
    for dataset, part in evidence.by_dataset(everything[carries(everything, Warn.POOL_BELOW_THREADS)]):
        counts = sorted(set(part["threads"].dropna()))
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("pool-recorded", n=len(part), runs=evidence.total(everything, part),
                 **names.listed("threads", counts) if counts else {"threads": None, "threads_more": 0}),
            cause="pool",
        )  # fmt: skip
    cells = evidence.cells[evidence.cells["pool_size"].isna()]
    for dataset, part in evidence.by_dataset(cells[cells["in_flight"] < cells["threads"]]):
        counts = sorted({int(threads) for threads in part["threads"]})
        yield Finding(
            "notice", dataset, part["run_ids"].sum(),
            fact("pool-shown", calls=part["in_flight"].iloc[0], **names.listed("threads", counts)), cause="pool",
        )  # fmt: skip
    runs = evidence.runs
    size = runs["pool_size"].fillna(settings["default_pool"])
    small = carries(runs, Warn.POOL_BELOW_THREADS)
    reads = evidence.tables.operations
    reads = reads[reads["operation"] == "READ"].drop_duplicates("run_id").set_index("run_id")
    lowest_us = runs["run_id"].map(reads["min_us"]).astype(float)
    least_us = runs.groupby([*KIND, "workload"])["read_us"].transform("min")
    lowest_us = lowest_us.where(runs["outcome"] != Outcome.PUBLISHED, least_us)
    busy = runs["throughput_ops_s"] * runs["read_fraction"] * lowest_us / 1e6
    # More than the threads is no fact of the pool: little_law says that such a row is wrong.
    busy = busy.clip(upper=runs["threads"])
    for row in dicts(runs.assign(busy=busy, size=size)[(busy > size) & (runs["threads"] > size) & ~small]):
        yield Finding(
            "notice", row["dataset"], (row["run_id"],),
            fact("pool", cell=names.cell(row), busy=row["busy"], size=row["size"],
                 recorded=not math.isnan(row["pool_size"])),
            effect=row["busy"] / row["size"] - 1, cause="pool",
        )  # fmt: skip
