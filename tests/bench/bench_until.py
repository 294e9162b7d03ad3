"""What `until` saves and how often it errs, on simulated servers, with fixed seeds.

    .venv/bin/python tests/bench/bench_until.py              200 sweeps of each kind: some minutes
    .venv/bin/python tests/bench/bench_until.py --quick      20 of each
    .venv/bin/python tests/bench/bench_until.py --json

The servers deliver what two vendors published and what this project's own sweep measured, with noise between runs. Each
sweep chooses its runs with `scaling.until.look`; the fixed matrix makes three of every cell. For `factor` the goal is
the interval that the fixed matrix reaches in the median. A missed target is printed and is no failure.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from math import exp, log, log2, sqrt

import numpy as np
import pandas as pd
from bench_alarms import Line

from ycsbook import paths
from ycsbook.ingest.published.published import read_published
from ycsbook.params import Sweep
from ycsbook.scaling.growth import growths
from ycsbook.scaling.until import HOLDS, LOST, CellName, Look, ends, every_cell, look

SWEEPS, QUICK_SWEEPS = 200, 20
SEED = 20261123
REPEATS = 3
REGRESSION = 0.10
# As a default sweep of this project measured them on two cores, ops/s: cores, then 4 and 16 threads of each mix.
LOCAL = {0.25: (1900, 1850, 2600, 2550), 0.5: (4300, 4250, 5900, 5900), 0.75: (6700, 6800, 9300, 9500),
         1.0: (8900, 9300, 12300, 12900)}  # fmt: skip


@dataclass(frozen=True)
class Servers:
    """What each cell delivers, ops/s, and the sweep that measures it."""

    name: str
    truth: dict[CellName, float]
    sweep: Sweep

    def with_goal(self, **goal: float) -> Sweep:
        return Sweep.model_validate(self.sweep.model_dump(exclude={"until"}) | {"until": {"goal": goal}})


def published(name: str) -> Servers:
    """A vendor's table as if it were true."""
    runs = read_published(paths.REPOSITORY / "data" / "published" / f"{name}.csv").runs
    runs = runs[runs["phase"] == "run"]
    truth = {
        CellName(w, s, int(t)): y
        for w, s, t, y in runs[["workload", "spec", "threads", "throughput_ops_s"]].itertuples(index=False)
    }
    shapes = runs.drop_duplicates("spec")[["spec", "cores", "ram_gib"]].itertuples(index=False)
    return Servers(name, truth, _sweep(name, shapes, truth))


def local() -> Servers:
    """This project's own default sweep."""
    truth = {
        CellName(w, f"{cores:g}c", t): float(y)
        for cores, ops in LOCAL.items()
        for (w, t), y in zip([("a", 4), ("a", 16), ("b", 4), ("b", 16)], ops, strict=True)
    }
    return Servers("local", truth, _sweep("local", [(f"{cores:g}c", cores, cores) for cores in LOCAL], truth))


def _sweep(name: str, shapes, truth: dict[CellName, float]) -> Sweep:
    workloads = [{"name": name, "read": reads, "update": 1 - reads} for name, reads in (("a", 0.5), ("b", 0.95))]
    return Sweep.model_validate({
        "name": name, "server": {"kind": "mongod"}, "repeats": REPEATS,
        "specs": [{"name": s, "cores": float(c), "ram_gib": float(r)} for s, c, r in shapes],
        "workloads": [w for w in workloads if w["name"] in {cell.workload for cell in truth}],
        "threads": sorted({cell.threads for cell in truth}),
    })  # fmt: skip


@dataclass(frozen=True)
class Noise:
    """Of ln X: the standard deviation between runs, how unequal it is between cells (of its logarithm), and what a
    round has in common."""

    run: float
    unequal: float = 0.0
    round: float = 0.0

    def __str__(self) -> str:
        departures = (", unequal between cells" * bool(self.unequal), ", rounds differ" * bool(self.round))
        return f"{self.run:.0%}{''.join(departures)}"


class Measuring:
    """The runs of one sweep, as they are made."""

    def __init__(self, servers: Servers, noise: Noise, random: np.random.Generator):
        self.servers, self.noise, self.random, self.rows = servers, noise, random, []
        self.scale = {cell: exp(noise.unequal * random.standard_normal()) for cell in servers.truth}
        self.rounds: dict[int, float] = {}
        self.specs = {spec.name: spec for spec in servers.sweep.specs}

    def make(self, cell: CellName) -> None:
        repeat = 1 + sum(row["cell"] == cell for row in self.rows)
        common = self.rounds.setdefault(repeat, self.noise.round * self.random.standard_normal())
        off = common + self.noise.run * self.scale[cell] * self.random.standard_normal()
        spec = self.specs[cell.spec]
        self.rows.append({
            "cell": cell, "dataset": "", "outcome": "completed", "workload": cell.workload, "spec": cell.spec,
            "cores": spec.cores, "ram_gib": spec.ram_gib, "threads": float(cell.threads), "repeat": repeat,
            "run_id": f"{len(self.rows)}", "y": self.servers.truth[cell] * exp(off),
        })  # fmt: skip

    @property
    def frame(self) -> pd.DataFrame:
        columns = ["dataset", "outcome", "workload", "spec", "cores", "ram_gib", "threads", "repeat", "run_id", "y"]
        return pd.DataFrame(self.rows, columns=columns)


def by_choice(sweep: Sweep, measuring: Measuring, most: int) -> Look:
    """Make runs as `look` asks for them, at most so many."""
    cells = [cell for cell in every_cell(sweep) if cell in measuring.servers.truth]
    while True:
        known = look(sweep, measuring.frame, cells)
        if not known.following or len(measuring.rows) >= most:
            return known
        for cell in known.following:
            measuring.make(cell)


def fixed(measuring: Measuring) -> pd.DataFrame:
    """Every cell REPEATS times."""
    for _ in range(REPEATS):
        for cell in measuring.servers.truth:
            measuring.make(cell)
    return measuring.frame


def width(rows: pd.DataFrame) -> float:
    """The widest interval of growth per doubling, as the share on either side."""
    return max(sqrt(g.high / g.low) - 1 for g in growths(rows))


@dataclass
class Counted:
    """Shares of the fixed matrix' runs, and of statements how many there were and how many were right."""

    runs: list[float] = field(default_factory=list)
    reached: int = 0
    right: int = 0
    said: int = 0
    wrong_sweeps: int = 0

    @property
    def median(self) -> float:
        return float(np.median(self.runs))


def repeat(servers: Servers, noise: Noise, n: int, goal: dict[str, float], judge: Callable[[Look], list[bool]]):
    """n sweeps by choice, each with its statements judged."""
    sweep, counted, most = servers.with_goal(**goal), Counted(), REPEATS * len(servers.truth)
    for i in range(n):
        measuring = Measuring(servers, noise, np.random.default_rng([SEED, i]))
        known = by_choice(sweep, measuring, most)
        statements = judge(known)
        counted.runs.append(len(measuring.rows) / most)
        counted.reached += known.reached
        counted.said += len(statements)
        counted.right += sum(statements)
        counted.wrong_sweeps += not all(statements)
    return counted


def factor(servers: Servers, noise: Noise, n: int) -> tuple[Counted, float]:
    """Growth to the interval that the fixed matrix reaches in the median."""
    widths = [width(fixed(Measuring(servers, noise, np.random.default_rng([SEED, 1, i])))) for i in range(min(n, 40))]
    goal = float(np.median(widths))
    few, many = ends(servers.sweep.specs)

    def judge(known: Look) -> list[bool]:
        right = []
        for g in known.growths:
            a, b = (servers.truth[CellName(g.workload, spec.name, int(g.threads))] for spec in (few, many))
            right.append(g.low <= exp(log(b / a) / log2(many.cores / few.cores)) <= g.high)
        return right

    return repeat(servers, noise, n, {"factor": min(max(goal, 0.001), 0.5)}, judge), goal


def regression(servers: Servers, noise: Noise, n: int) -> Counted:
    """Losses of a tenth with more threads: a loss that is none, or one that is said not to be there, is wrong."""

    def judge(known: Look) -> list[bool]:
        right = []
        for c in known.changes:
            ratio = servers.truth[CellName(c.workload, c.spec, c.threads_to)]
            ratio /= servers.truth[CellName(c.workload, c.spec, c.threads_from)]
            right += [ratio < 1] if c.verdict == LOST else [ratio > 1 - REGRESSION] if c.verdict == HOLDS else []
        return right

    return repeat(servers, noise, n, {"regression": REGRESSION}, judge)


def qps(servers: Servers, noise: Noise, n: int) -> Counted:
    """The smallest spec that delivers what a spec in the middle delivers at 93 %."""
    best = sorted(max(y for c, y in servers.truth.items() if c.spec == s.name) for s in servers.sweep.specs)
    goal = 0.93 * best[len(best) // 2]

    def judge(known: Look) -> list[bool]:
        right = []
        for s in known.supplies:
            of = {name: max(y for c, y in servers.truth.items() if c.spec == name and c.workload == s.workload)
                  for name in {s.enough, s.short} - {"", s.close}}  # fmt: skip
            right += [(y >= goal) == (name == s.enough) for name, y in of.items()]
        return right

    return repeat(servers, noise, n, {"qps": goal}, judge)


def lines(n: int) -> list[Line]:
    """Every figure beside its target."""
    found = []
    for servers in (published("qingcloud-4.0.3"), published("tencent-2020-08"), local()):
        for noise in (Noise(0.02), Noise(0.05), Noise(0.05, unequal=0.6), Noise(0.05, round=0.05)):
            at = f"{servers.name}, noise {noise}"
            counted, goal = factor(servers, noise, n)
            normal, how = not noise.unequal, f"{n} sweeps"
            small = len(servers.sweep.specs) < 6
            found += [
                Line(f"factor, {at}: of the fixed matrix' runs, median", 100 * counted.median, None if small else 50.0,
                     True, "%", f"{how}, goal {100 * goal:.1f} % on either side, reached by {counted.reached}"),
                Line(f"factor, {at}: intervals that hold the truth", 100 * counted.right / counted.said,
                     93.0 if normal else None, False, "%", f"{counted.said} intervals"),
            ]  # fmt: skip
            for name, counted in (("regression", regression(servers, noise, n)), ("qps", qps(servers, noise, n))):
                wrong = 100 * (1 - counted.right / max(counted.said, 1))
                found += [
                    Line(f"{name}, {at}: false decisions", wrong, 5.0, True, "%",
                         f"{counted.said} decisions; in {counted.wrong_sweeps} of {n} sweeps one or more"),
                    Line(f"{name}, {at}: of the fixed matrix' runs, median", 100 * counted.median, None, True, "%",
                         f"{how}, all decided in {counted.reached}"),
                ]  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SWEEPS} sweeps of each kind")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    started = time.monotonic()
    found = lines(QUICK_SWEEPS if asked.quick else SWEEPS)
    if asked.json:
        print(json.dumps([asdict(line) | {"met": line.met} for line in found], indent=1))
        return
    for line in found:
        target = (
            "" if line.target is None else f"{'at most' if line.at_most else 'at least'} {line.target:g} {line.unit}"
        )
        print(f"{'' if line.met else 'MISSED '}{line.what}: {line.figure:.1f} {line.unit} {target} ({line.how})")
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
