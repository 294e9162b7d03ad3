"""Whether what is concluded is true, by simulation: growth, laws, limits, capacity, comparisons, warm-up, changes.

    make bench                                             everything: about two hours of CPU for this part
    .venv/bin/python tests/bench/bench_truth.py --quick    a tenth of it
    .venv/bin/python tests/bench/bench_truth.py --only laws steady --json

Every simulation knows its truth, and is judged by the functions that reports and commands call. Seeds are fixed. A
missed target is printed and is no failure; an exception that is not one of ours is one (exit code 1).
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product

import numpy as np
import pandas as pd
from bench_alarms import Line, table
from clean_sweeps import NOISES, PLANTED, Sweeps

from ycsbook.anomalies import RULES, Evidence
from ycsbook.anomalies.change_point import splits
from ycsbook.anomalies.evidence import RunSeries
from ycsbook.anomalies.over_time import rise
from ycsbook.comparing import compare
from ycsbook.ingest.runs.steady import steady_state
from ycsbook.scaling import analyse, limits
from ycsbook.scaling.capacity import smallest
from ycsbook.scaling.claims import CLAIMED
from ycsbook.scaling.fitting import Choice, select
from ycsbook.scaling.growth import growths
from ycsbook.tables import Tables, from_rows

SEED, N, QUICK_N = 20261122, 400, 40
CORES = np.array([1.0, 2, 4, 8, 16, 32])
GIB_PER_CORE = (2, 4, 8)
AT_MOST, AT_LEAST = True, False


def sweep(random: np.random.Generator, truth, *, cores=CORES, ram=GIB_PER_CORE, threads=(100.0,), repeats=3, noise=0.03,
          scatter=0.0, effects=None) -> tuple[pd.DataFrame, np.ndarray]:  # fmt: skip
    """A runs table, and each run's expected ln X. truth: of cores and threads, ops/s; scatter: of ln X between specs;
    effects: of the specs, drawn if None."""
    shapes = list(product(cores, ram))
    effects = random.normal(0, scatter, len(shapes)) if effects is None else effects
    expected = [np.log(truth(c, n)) + effects[i] for i, (c, _) in enumerate(shapes) for n in threads]
    names = [(c, c * g, n) for c, g in shapes for n in threads]
    rows = [
        {"run_id": f"{c:g}c{g:g}g-{n:g}-{r}", "dataset": "d", "spec": f"{c:g}c{g:g}g", "cores": c, "ram_gib": g,
         "workload": "a", "read_fraction": 0.5, "threads": n, "repeat": r + 1.0, "phase": "run", "outcome": "completed",
         "write_concern": "1", "goodput_ops_s": float(np.exp(log_x + random.normal(0, noise)))}
        for r in range(repeats) for (c, g, n), log_x in zip(names, expected, strict=True)
    ]  # fmt: skip
    return from_rows(rows, "runs"), np.tile(expected, repeats)


def growth(n: int, seed: int) -> Iterator[Line]:
    """The headline: growth per doubling of these specs, at all noises and scatters."""
    random, held, widths = np.random.default_rng(seed), {}, []
    for noise, scatter in product((0.03, 0.1, 0.2), (0.0, 0.05, 0.1, 0.2)):
        inside = 0
        for _ in range(n):
            runs, expected = sweep(random, lambda c, _: 9000 * c**0.85, noise=noise, scatter=scatter)
            found = growths(runs.assign(y=runs["goodput_ops_s"]))[0]
            truth = 2 ** np.polyfit(np.log2(runs["cores"]) * np.log(2), expected, 1)[0]
            inside += found.low <= truth <= found.high
            if noise == 0.2:
                widths.append(found.high / found.low)
        held[noise, scatter] = 100 * inside / n
    how = f"{n:,} sweeps of 18 specs x 3 repeats each: noise 3, 10, 20 % x scatter of specs 0, 5, 10, 20 %"
    stray = 300 * np.sqrt(0.95 * 0.05 / n)
    yield Line(
        "growth of these specs, lowest coverage of 12", min(held.values()), 95 - max(2, stray), AT_LEAST, "%", how
    )
    yield Line(
        "growth of these specs, highest coverage of 12", max(held.values()), 95 + max(2, stray), AT_MOST, "%", how
    )
    yield Line("growth, median width at 20 % noise (high / low)", float(np.median(widths)), 1.3, AT_MOST, "x", how)


def _points(random, truth, cores, noise: float) -> pd.DataFrame:
    """Points of one series whose limits are known: no number of threads bends them."""
    cores = np.asarray(cores, float)
    y = np.exp(np.log([truth(c) for c in cores]) + random.normal(0, noise, len(cores)))
    return pd.DataFrame({"spec": [f"{c:g}c-{i}" for i, c in enumerate(cores)], "cores": cores, "y": y})


def _claims(choice: Choice, law: str) -> bool:
    return choice.verdict.key == CLAIMED and choice.law == law


SIX, EIGHTEEN = CORES, np.repeat(CORES, 3)


def _usl(peak: float, sigma: float = 0.02):
    kappa = (1 - sigma) / peak**2
    return lambda c: 9000 * c / (1 + sigma * (c - 1) + kappa * c * (c - 1))


TRUTHS = {
    "proportional": lambda c: 9000 * c, "p^0.8": lambda c: 9000 * c**0.8,
    "Amdahl, 5 %": lambda c: 9000 * c / (0.95 + 0.05 * c),
    "peak at 18": _usl(18), "peak at 60": _usl(60), "steps": lambda c: 9000 * (1 if c < 4 else 4 if c < 16 else 16),
    "flat": lambda c: 9000.0,
}  # fmt: skip


def laws(n: int, seed: int) -> Iterator[Line]:
    """What is claimed of a law, and whether the interval that is drawn holds the truth."""
    random = np.random.default_rng(seed + 1)
    counts = {(size, noise): [(SIX, EIGHTEEN)[size == 18], noise] for size in (6, 18) for noise in (0.03, 0.1)}
    choices = {
        (name, size, noise): [select(_points(random, truth, cores, noise), y="y", places=CORES) for _ in range(n)]
        for name, truth in TRUTHS.items() for (size, noise), (cores, _) in counts.items()
    }  # fmt: skip

    def most(name: str, said) -> float:
        return max(100 * np.mean([said(c) for c in of]) for (truth, *_), of in choices.items() if truth == name)

    how = f"the worst of 6 and 18 points x 3 and 10 % noise, {n:,} series each"
    growing = ("linear", "power", "amdahl", "usl")
    yield Line("flat data of which growth is claimed", most("flat", lambda c: any(_claims(c, law) for law in growing)),
               5, AT_MOST, "%", how)  # fmt: skip
    yield Line(
        "a step-shaped truth called proportional", most("steps", lambda c: _claims(c, "linear")), 5, AT_MOST, "%", how
    )
    yield Line("p^0.8 called proportional", most("p^0.8", lambda c: _claims(c, "linear")), 10, AT_MOST, "%", how)
    peaks = 100 * np.mean([_claims(c, "usl") for c in choices["peak at 18", 6, 0.03]])
    yield Line(
        "a peak at 18 of 32 cores that is claimed", peaks, 85, AT_LEAST, "%", f"6 points, 3 % noise, {n:,} series"
    )
    held, drawn, narrow = {}, 0, []
    for (name, size, noise), of in choices.items():
        truth = np.array([TRUTHS[name](c) for c in CORES])
        shown = [c.curve(CORES) for c in of if c.law]
        drawn += len(shown)
        if name != "steps" and len(shown) >= n / 4:
            inside = [
                ((c["conf_low"] <= truth * (1 + 1e-9)) & (c["conf_high"] >= truth * (1 - 1e-9))).to_numpy()
                for c in shown
            ]
            held[name, size, noise] = 100 * np.mean(inside, axis=0)
            narrow.append(np.median([(c["conf_high"] / c["conf_low"]).median() for c in shown]))
    lowest = min(held, key=lambda key: held[key].min())
    how = f"{len(held)} truths, sizes and noises, steps apart; {drawn:,} curves drawn of {n * len(choices):,} series"
    yield Line(
        "interval of the law shown, coverage on average", float(np.mean(list(held.values()))), 93, AT_LEAST, "%", how
    )
    yield Line(
        "interval of the law shown, lowest at any place", float(held[lowest].min()), 90, AT_LEAST, "%", f"{lowest}"
    )
    yield Line(
        "interval of the law shown, median width (high / low)", float(np.median(narrow)), None, AT_MOST, "x", how
    )


def any_table(n: int, seed: int) -> Iterator[Line]:
    """No table may stop the analysis."""
    random, failed, why = np.random.default_rng(seed + 2), 0, set()
    for _ in range(5 * n):
        exponent, cores = (
            random.uniform(-1, 1.5),
            np.sort(random.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, 32], random.integers(1, 8))),
        )
        runs, _ = sweep(random, lambda c, t, e=exponent: 9000 * c**e * (t / 100) ** 0.2, cores=cores, ram=(4,),
                        threads=(100.0, 200.0)[: random.integers(1, 3)], repeats=random.integers(1, 4),
                        noise=random.choice([0.0, 0.03, 0.2]))  # fmt: skip
        try:
            analyse(runs)
        except Exception as error:  # noqa: BLE001 any exception is what is looked for
            failed += 1
            why.add(f"{type(error).__name__}: {error}")
    yield Line("tables that stop the analysis", failed, 0, AT_MOST, "of them",
               f"{5 * n:,} tables with growth from p^-1 to p^1.5 {sorted(why)[:3] or ''}")  # fmt: skip


def itself(n: int, seed: int) -> Iterator[Line]:
    """A comparison of a thing with itself, without and with an effect of the occasion."""
    for occasion, target in ((0.0, 6), (0.03, 8)):
        random, named = np.random.default_rng(seed + 3), 0
        for _ in range(n):
            effects = random.normal(0, 0.05, 18)
            a, b = (
                sweep(random, lambda c, _, o=o: 9000 * c**0.85 * np.exp(o), effects=effects)[0]
                for o in random.normal(0, occasion, 2)
            )
            rows = compare(Tables(runs=a), Tables(runs=b.assign(dataset="e")))
            named += bool(rows["verdict_key"].isin(["compare-higher", "compare-lower", "compare-depends"]).any())
        how = f"{n:,} pairs of sweeps of 18 specs x 3 repeats, an occasion's effect of {100 * occasion:.0f} %"
        yield Line(
            f"a difference from itself, occasion {100 * occasion:.0f} %", 100 * named / n, target, AT_MOST, "%", how
        )


def changes(n: int, seed: int) -> Iterator[Line]:
    """Change points in a history that only wanders; they cost little, so that few simulations are many histories."""
    random, false, found, histories = np.random.default_rng(seed + 4), 0, 0, 5 * n
    for i in range(histories):
        noise = 0.03 * random.normal(size=40)
        walk = np.empty(40)
        walk[0] = noise[0] / np.sqrt(1 - 0.36)
        for k in range(1, 40):
            walk[k] = 0.6 * walk[k - 1] + noise[k]
        false += bool(splits(walk, level=0.05, seed=i))
        found += bool(splits(walk + np.where(np.arange(40) < 20, 0, np.log(0.8)), level=0.05, seed=i))
    how = f"{histories:,} histories of 40 runs, AR(0.6), 3 % from run to run"
    yield Line("change points where nothing changed", 100 * false / histories, 10, AT_MOST, "%", how)
    yield Line("a loss of 20 % that is found", 100 * found / histories, None, AT_LEAST, "%", how)


def steady(n: int, seed: int) -> Iterator[Line]:
    """Throughput without its warm-up: ramps of half the throughput over a share of the run."""
    random = np.random.default_rng(seed + 5)
    for shape, intervals in product(("straight", "exponential"), (12, 60, 120)):
        bias = []
        for _ in range(n):
            share = random.uniform(0.02, 1 / 6)
            at = (np.arange(intervals) + 0.5) / intervals
            lost = np.clip(1 - at / share, 0, 1) if shape == "straight" else np.exp(-4.6 * at / share)
            rate = 10_000 * (1 - 0.5 * lost) * np.exp(random.normal(0, 0.03, intervals))
            bias.append(
                steady_state(10 * rate, np.full(intervals, 10.0), 10.0 * np.arange(1, intervals + 1)).steady_ops_s
            )
        off = 100 * abs(float(np.mean(bias)) / 10_000 - 1)
        yield Line(f"bias of steady throughput, {shape} ramp, {intervals} intervals", off, 1, AT_MOST, "%",
                   f"{n:,} runs, ramps of 2 to 17 % of the run")  # fmt: skip


def settled(n: int, seed: int) -> Iterator[Line]:
    """Ramps of half the throughput: those longer than a third of the run had not settled, those up to a sixth had."""
    random = np.random.default_rng(seed + 10)
    for word, low, high, kind, target in (("longer than a third of the run", 1 / 3, 1, AT_LEAST, 90),
                                          ("up to a sixth", 0.02, 1 / 6, AT_MOST, 1)):  # fmt: skip
        found = 0
        for _ in range(n):
            at, share = (np.arange(120) + 0.5) / 120, random.uniform(low, high)
            rate = 10_000 * np.clip(0.5 + 0.5 * at / share, None, 1) * np.exp(random.normal(0, 0.03, 120))
            length, end = np.full(120, 10.0), 10.0 * np.arange(1, 121)
            run = {"warmup_s": steady_state(10 * rate, length, end).warmup_s}
            found += rise(RunSeries(run, end, length, rate), RULES["not_settled"].defaults) > 0
        yield Line(f"not settled, ramps {word}", 100 * found / n, target, kind, "%", f"{n:,} runs of 120 intervals")


def server(n: int, seed: int) -> Iterator[Line]:
    """Points called limited by their server, behind a closed loop with a ceiling."""
    random, right, called, points = np.random.default_rng(seed + 6), 0, 0, 0
    for _ in range(n):
        per_core, idle_s, exponent = random.uniform(3000, 20_000), random.uniform(5e-4, 3e-3), random.uniform(0.6, 1.0)

        def delivered(c, t, own=per_core, floor=idle_s, e=exponent):
            return ((own * c**e) ** -8 + (t / floor) ** -8) ** (-1 / 8)

        runs, expected = sweep(random, delivered, ram=(4,), threads=(100.0, 200.0), repeats=random.choice([1, 3]))
        found = limits(runs)
        most = per_core * found["cores"] ** exponent
        truth = np.exp(pd.Series(expected, index=runs["run_id"]).groupby(level=0).first())
        cell = found["spec"] + "-" + found["threads"].map("{:g}".format) + "-0"
        said = (found["limit_kind"] == "server").to_numpy()
        right += int((truth.reindex(cell).to_numpy() >= 0.9 * most.to_numpy())[said].sum())
        called, points = called + int(said.sum()), points + len(found)
    how = f"{called:,} of {points:,} points of {n:,} sweeps, 6 specs x 2 thread counts, 1 or 3 repeats"
    yield Line("verdicts 'server' at 0.9 of the server's maximum", 100 * right / max(called, 1), 99, AT_LEAST, "%", how)


def losses(n: int, seed: int) -> Iterator[Line]:
    """Warnings of throughput lost, in sweeps that lost none and in sweeps with one spec that loses 13 %."""
    rules = ("thread_regression", "more_cores_slower", "more_ram_slower")
    # Shares of half a per cent are not known from fewer.
    n *= 3
    for repeats, noise in product((1, 3), NOISES):
        of, random, warned = Sweeps.of(repeats, 1.0), np.random.default_rng(seed + 8), 0
        for _ in range(n):
            evidence = Evidence(of.draw(random, 0.0, noise))
            warned += any(f.severity == "warning" for rule in rules for f in RULES[rule](evidence))
        target = 1.5 if noise == "unequal" else 0.5
        yield Line(f"false losses, {noise}, {'one run' if repeats == 1 else '3 repeats'}", 100 * warned / n, target,
                   AT_MOST, "%", f"{n:,} sweeps of 18 specs x 2 threads")  # fmt: skip
    for noise in ("normal", "drift of 10 %", "one slow round"):
        of, random, seen = Sweeps.of(3, 1.0), np.random.default_rng(seed + 9), 0
        for _ in range(n):
            found = RULES["thread_regression"](Evidence(of.draw(random, 0.13, noise)))
            seen += any(f.severity == "warning" and f.run_ids[0].startswith(f"{PLANTED}-") for f in found)
        yield Line(f"a loss of 13 % that is warned of, {noise}", 100 * seen / n, 90, AT_LEAST, "%",
                   f"{n:,} sweeps, 3 repeats, one spec of 18 loses")  # fmt: skip


def sizing(n: int, seed: int) -> Iterator[Line]:
    """The probability that a measured spec carries a load again, against how often it does. Loads are near what some
    spec showed, where this is in doubt: of loads anywhere most bins would hold too few to tell."""
    random, said, true = np.random.default_rng(seed + 7), [], []
    n *= 5
    for _ in range(n):
        noise = random.choice([0.03, 0.08])
        runs, expected = sweep(random, lambda c, _: 9000 * c**0.85, ram=(4,), noise=noise, scatter=0.1)
        cells = pd.Series(expected, index=runs["spec"]).groupby(level=0).first()
        shown = np.log(runs["goodput_ops_s"]).groupby(runs["spec"]).mean()
        qps = float(np.exp(random.choice(shown.to_numpy()) + random.normal(0, 0.05)))
        rows = smallest(runs, limits(runs), qps=qps, workload="a")
        again = np.exp(cells.reindex(rows["spec"]).to_numpy() + random.normal(0, noise, len(rows)))
        said, true = [*said, *rows["again"]], [*true, *(again >= qps)]
    p, hit = np.clip(np.array(said, float), 1e-6, 1 - 1e-6), np.array(true, float)
    how = f"{len(p):,} specs of {n:,} sweeps, effects of the specs 10 %, noise 3 or 8 %, 3 repeats"
    yield Line(
        "capacity, log loss", float(-np.mean(hit * np.log(p) + (1 - hit) * np.log(1 - p))), 0.2, AT_MOST, "", how
    )
    place = np.digitize(p, [0.1, 0.3, 0.5, 0.7, 0.9])
    off = {i: 100 * abs(p[place == i].mean() - hit[place == i].mean()) for i in range(6) if (place == i).sum() >= 30}
    yield Line("capacity, worst bin of six: said against seen", max(off.values()), 5, AT_MOST, "points", how)


PARTS = {
    "growth": growth, "laws": laws, "tables": any_table, "itself": itself, "changes": changes, "steady": steady,
    "settled": settled, "server": server, "losses": losses,
    "sizing": sizing,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_N} simulations of each kind, not {N}")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--simulations", type=int, help="how many of each kind")
    parser.add_argument("--draw", type=int, default=0, help="another draw than the usual, such as 1, 2, ...")
    args = parser.parse_args()
    n = args.simulations or (QUICK_N if args.quick else N)
    lines = [line for name in args.only for line in PARTS[name](n, SEED + 1000 * args.draw)]
    if args.json:
        print(json.dumps([{**asdict(line), "met": bool(line.met)} for line in lines], indent=1, default=float))
    else:
        print(table(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
