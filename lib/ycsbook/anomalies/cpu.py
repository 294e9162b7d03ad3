"""CPU, threads and throughput that contradict each other."""

from collections.abc import Iterator

import numpy as np

from ycsbook.anomalies import wording
from ycsbook.anomalies.comparing import doubts, evidence_of, thread_row
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.family import Family
from ycsbook.anomalies.multiplicity import holm
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.limits import CPU_FULL, TOO_MUCH, rises
from ycsbook.scaling.pairs import pooled_error, ratios
from ycsbook.scaling.points import KIND
from ycsbook.units import US_PER_S

SUPERLINEAR_ALARMS = 0.0001
_REPEAT = "repeat both thread counts, interleaved, and record the server's CPU from inside it"


@rule(
    cannot_know="whether the CPU was measured over another time, on another machine or in another unit, or the lower "
    "throughput is the wrong one",
    source="a server whose CPU is full does no more for more clients, but for batching",
    defaults={"cpu": CPU_FULL},
)
def cpu_contradiction(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """A CPU at least 95 % busy, and yet at least 25 % more throughput with twice the threads on the same spec.

    `cpu`: from which share it counts as full. With repeats the interval must lie above 10 %. Pairs that gain more
    than the threads grew are superlinear_threads'.
    """
    found = evidence.pairs
    ratio, octaves = (found[c].to_numpy(float) for c in ("ratio", "octaves"))
    full = evidence.cells["cpu_utilisation"].reindex(found["low"]).to_numpy(float) >= settings["cpu"]
    gains = rises(ratio, found["conf_low"].to_numpy(float), octaves) & (ratio <= TOO_MUCH * 2**octaves)
    for pair, first, second in _pairs(evidence, full & gains):
        yield _finding(
            "warning", pair, first, second,
            f"the server's CPU is {100 * first['cpu_utilisation']:.0f} % busy at {first['threads']:g} threads, and "
            f"yet {second['threads']:g} threads give",
        )  # fmt: skip


@rule(
    budget=SUPERLINEAR_ALARMS,
    cannot_know="which of the two rows is wrong: the lower one may have been measured cold, or on a busy machine",
    source="a closed loop of N threads does at most N / R, and R does not fall with N; with repeats a one-sided t test "
    "on ln X with pooled variance, Holm (1979) over all pairs",
    defaults={"budget": SUPERLINEAR_ALARMS, "margin": TOO_MUCH},
)
def superlinear_threads(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """More than twice the throughput with twice the threads, which a closed loop does not give.

    Without repeats a warning beyond `margin` times the growth of the threads, a note up to that. With repeats a
    warning beyond chance as well: `budget` is that of a whole clean sweep.
    """
    found, n = evidence.pairs, evidence.cells["n"]
    growth = 2.0 ** found["octaves"]
    if not (found["ratio"] > growth).any():
        return
    sure = found["conf_low"].isna()
    for kind, part in found[~sure].groupby(list(KIND)):
        noise = evidence.noise[kind]
        error = pooled_error(noise, n[part["low"]], n[part["high"]])
        short = np.log(growth[part.index] / part["ratio"])
        sure[part.index] = holm(ratios(short, error, np.full(len(part), noise.df)).p_falls, settings["budget"])
    for pair, first, second in _pairs(evidence, (sure & (found["ratio"] > growth)).to_numpy()):
        far = pair["ratio"] > settings["margin"] * 2 ** pair["octaves"]
        yield _finding(
            "warning" if far else "note", pair, first, second,
            f"{second['threads']:g} threads give {pair['ratio']:.2f} times the throughput of {first['threads']:g}, "
            "more than the threads grew:",
        )  # fmt: skip


@rule(
    cannot_know="whether throughput, CPU or the number of cores is wrong",
    source="median and 1.4826 times the median absolute deviation of ln CPU time: Hampel (1974), JASA 69, 383-393",
    defaults={"deviations": 3.5, "rows": 8, "least_sd": 0.05},
)
def cpu_per_operation(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """CPU time of one operation (cores x utilisation / throughput) out of family in its dataset and workload.

    More than `deviations` robust standard deviations of its logarithm from the median of at least `rows` cells; the
    standard deviation is taken to be at least `least_sd`. Effect: over the median, minus 1.
    """
    busy = evidence.cells["cores"] * evidence.cells["cpu_utilisation"]
    if not (busy > 0).any():
        return
    cells = evidence.cells[busy > 0]
    cells = cells.assign(log_cpu=np.log(busy[cells.index]) - cells["log_y"])
    for _, part in cells.groupby([*KIND, "workload"], sort=True):
        if len(part) < settings["rows"]:
            continue
        family = Family.of(part["log_cpu"].to_numpy(), settings["least_sd"])
        deviations = family.deviations(part["log_cpu"])
        for row in part.assign(z=deviations)[deviations.abs() > settings["deviations"]].to_dict("records"):
            yield Finding(
                "note", row["dataset"], row["run_ids"],
                f"{wording.cell(row)}: an operation took "
                f"{US_PER_S * np.exp(row['log_cpu']):.0f} µs of CPU, against {US_PER_S * np.exp(family.median):.0f} µs "
                f"in the median of {len(part)} cells ({abs(row['z']):.1f} robust standard deviations)",
                _REPEAT, "single", float(np.expm1(row["log_cpu"] - family.median)), cause=_cause(row),
            )  # fmt: skip


def _pairs(evidence: Evidence, chosen: np.ndarray) -> Iterator[tuple[dict, dict, dict]]:
    """The chosen pairs of neighbouring thread counts, each with its two cells."""
    cells = evidence.cells
    for pair in evidence.pairs[chosen].to_dict("records") if chosen.any() else ():
        yield pair, cells.loc[pair["low"]].to_dict(), cells.loc[pair["high"]].to_dict()


def _cause(cell: dict) -> str:
    return f"{cell['workload']} on {cell['spec']}: CPU, threads and throughput contradict each other"


def _finding(severity: str, pair: dict, first: dict, second: dict, says: str) -> Finding:
    effect, low, high = (pair[c] - 1 for c in ("ratio", "conf_low", "conf_high"))
    interval = "" if np.isnan(low) else f"; 95 % interval {wording.change(low)} to {wording.change(high)}"
    return Finding(
        severity, first["dataset"], (*first["run_ids"], *second["run_ids"]),
        f"{wording.spec(first)}, {wording.mix(first)}: {says} {wording.ops(second['log_y'])} instead of "
        f"{wording.ops(first['log_y'])} ops/s ({wording.change(effect)}{interval})"
        f"{doubts((first, second), thread_row)}",
        _REPEAT, evidence_of(low), effect, low, high, cause=_cause(first),
    )  # fmt: skip
