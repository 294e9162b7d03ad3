"""What the harness costs the benchmark: throughput, CPU of the runner, time per run, and the start of the command.

    make bench                                               everything: about 45 minutes for this part
    .venv/bin/python tests/bench/bench_harness.py --quick    about five
    .venv/bin/python tests/bench/bench_harness.py --only start cost --json

pairs: `ycsbook run` against the bare java command of its manifest, alternately, on one private mongod whose cores are
    the limit. The centre of the pairs' ratios, with the interval that belongs to Wilcoxon's signed ranks.
    Beside it the same for operations per CPU second of the server, which other work on the machine moves little.
sweep: wall time of params/local.yml over what its runs take, --quick: one repeat.
cost: CPU time of runner and guard themselves per second of a run, beside a private mongod that is sampled too.
each: wall time that one more run of a sweep takes, beyond that of the bare command.
start: CPU time of the command beyond that of a bare Python.

CPU seconds hardly move on a machine that does other things, wall time does. A missed target is printed and is no
failure; a run that fails, or a server that is not the limit, is one (exit code 1).
"""

import argparse
import contextlib
import csv
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from bench_ingest import YCSBOOK, Report, table
from measure import Way, alternately, run

from ycsbook import paths
from ycsbook.params import load
from ycsbook.processes import Guard
from ycsbook.servers import kind
from ycsbook.servers.mongodb import MongoCounters
from ycsbook.units import MS_PER_S

# Less of a core makes runs scatter by 10 %, as the kernel deals CPU time out in tenths of a second.
CORES = 0.5
PAUSE_S = 2.0
URI_ENV = "YCSBOOK_BENCH_URI"
_OVERALL = re.compile(r"^\[OVERALL\], (Throughput\(ops/sec\)|RunTime\(ms\)), ([0-9.]+)", re.MULTILINE)
PARAMS = """\
name: harness
title: What the harness costs
server: {{kind: {kind}}}
specs:
  - {{name: small, cores: {cores}, ram_gib: 0.25{uri_env}}}
workloads: [b]
threads: [4]
records: 1000
{ends}
repeats: {repeats}
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx256m]
"""


@dataclass(frozen=True)
class Size:
    """Pairs and their length; the length of the run whose CPU time is watched; runs more, and how often that."""

    pairs: int
    pair_s: int
    watched_s: int
    more_runs: int
    rounds: int


FULL = Size(80, 8, 30, 10, 5)
QUICK = Size(4, 4, 10, 5, 3)


@dataclass(frozen=True)
class Bench:
    """A folder of our own, the sizes, and where to report."""

    root: Path
    size: Size
    report: Report
    say: Callable[[str], None]

    def params(self, name: str, *, server: str, ends: str, repeats: int = 1) -> Path:
        """A params file of one spec, one workload and one number of threads."""
        uri_env = f", uri_env: {URI_ENV}" if server == "uri" else ""
        path = self.root / f"{name}.yml"
        path.write_text(PARAMS.format(kind=server, cores=CORES, uri_env=uri_env, ends=ends, repeats=repeats))
        return path

    def ycsbook(self, *arguments: object, uri: str = "") -> subprocess.Popen:
        """The command, started."""
        env = {**os.environ, **({URI_ENV: uri} if uri else {})}
        return subprocess.Popen(
            [YCSBOOK, *map(str, arguments)], env=env, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip

    def sweep(self, params: Path, store: Path, *options: object, uri: str = "") -> float:
        """Make the missing runs; how long the command took, s."""
        started = time.perf_counter()
        self.succeed(self.ycsbook("run", params, "--store", store, *options, uri=uri))
        return time.perf_counter() - started

    def succeed(self, process: subprocess.Popen) -> None:
        """Wait for a command; one that fails ends the benchmark."""
        _, said = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{shlex.join(map(str, process.args))}: exit code {process.returncode}: {said[-500:]}")


def pairs(bench: Bench) -> None:
    """Throughput through the harness over that of the bare command, pair by pair."""
    store, ends = bench.root / "pairs", f"min_duration: {bench.size.pair_s}s"
    params = bench.params("pairs", server="uri", ends=ends)
    made: dict[str, list[Ran]] = {"ours": [], "bare": []}
    with _server(bench) as target, MongoCounters(target.uri) as counters:
        uri = target.uri.reveal()
        bench.sweep(params, store, uri=uri)  # loads, and warms the server
        bare = Bare(bench.root / "bare", _manifest(store, 1)["command"], uri)
        bare.run()
        for number in range(bench.size.pairs):
            # What comes second in one pair comes first in the next.
            for way in ("ours", "bare") if number % 2 else ("bare", "ours"):
                # Through ycsbook a run begins seconds after the one before. The bare one waits as well, or the server
                # would still be at work for that one, on a fraction of a core.
                time.sleep(PAUSE_S)
                if way == "bare":
                    before_s = _cpu_s(counters)
                    log = bare.run()
                    used_s = _cpu_s(counters) - before_s
                else:
                    bench.sweep(params, store, "--repeat", number + 2, uri=uri)
                    folder = store / _manifest(store, number + 2)["run_id"]
                    log, used_s = folder / "run.out", _server_cpu_s(folder / "samples.csv")
                made[way].append(Ran.of(log, used_s))
            ours, alone = made["ours"][-1], made["bare"][-1]
            bench.say(
                f"pair {number + 1}: {ours.ops_s:,.0f} / {alone.ops_s:,.0f} ops/s = {ours.ops_s / alone.ops_s:.3f}"
            )
    for what, of in (("throughput", lambda ran: ran.ops_s), ("operations per server CPU second", Ran.per_cpu_s)):
        ratios = [of(ours) / of(alone) for ours, alone in zip(made["ours"], made["bare"], strict=True)]
        middle, low, high, level = centre(ratios)
        how = f"{middle:.3f}, {low:.3f} to {high:.3f} ({level:.0%}), {len(ratios)} pairs of {bench.size.pair_s} s"
        # Faster through ycsbook would be as wrong as slower: the interval's end that is farther from 1.
        apart = max(high, 1 / low)
        bench.report.compare(f"{what}, ycsbook run and bare, apart at most", apart, 1.02, "x", how, at_most=True)
    busy = statistics.median(100 * ran.cpu_s / ran.took_s / CORES for ran in made["bare"])
    if busy < 90:
        bench.report.problems.append(f"the server used {busy:.0f} % of its cores: it was not what limits the runs")


def sweep(bench: Bench) -> None:
    """The wall time of the default sweep over what its runs take by their own clocks, all else included: the start of
    the command and of the server, the load, 48 clients started, probes and hashes between, the growing report."""
    params = paths.REPOSITORY / "params" / "local.yml"
    # In a third of it start, load and end weigh three times as much.
    repeat, target = ((), 1.10) if bench.size is FULL else (("--repeat", 1), 1.20)
    store = bench.root / "sweep"
    took_s = bench.sweep(params, store, *repeat)
    logs = [path for path in store.glob("*/run.out") if "-load-" not in path.parent.name]
    runs_s = sum(Ran.of(path, math.nan).took_s for path in logs)
    how = f"{took_s:.0f} s for {len(logs)} runs of {runs_s:.0f} s in all"
    bench.report.compare("default sweep, wall time over its runs", took_s / runs_s, target, "x", how, at_most=True)


def cost(bench: Bench) -> None:
    """CPU time of the runner and its guard while the client runs, from one look at them to the last."""
    params = bench.params("cost", server="mongod", ends=f"min_duration: {bench.size.watched_s}s")
    store = bench.root / "cost"
    process = bench.ycsbook("run", params, "--store", store)
    seen: list[tuple[float, float]] = []
    while process.poll() is None:
        if _is_running(store) and not math.isnan(used_s := _own_cpu_s(process.pid)):
            seen.append((time.monotonic(), used_s))
        time.sleep(0.25)
    bench.succeed(process)
    # The first second belongs to the start, the last one to the end.
    within = [(at, used_s) for at, used_s in seen if seen[0][0] + 1 <= at <= seen[-1][0] - 1]
    (from_s, before), (to_s, after) = within[0], within[-1]
    share = 100 * (after - before) / (to_s - from_s)
    how = f"{after - before:.2f} s CPU in {to_s - from_s:.0f} s: watchdog, capture, samples, progress, guard"
    bench.report.compare("runner while a run goes on, of one core", share, 2, "%", how, at_most=True)


def each(bench: Bench) -> None:
    """The wall time of one more run in a sweep against that of the bare command: a run of 100 operations."""
    ends, more = "operations: 100", bench.size.more_runs
    few, many = (bench.params(f"each-{n}", server="mongod", ends=ends, repeats=n) for n in (1, 1 + more))
    beyond, alone_s = [], []
    with _server(bench) as target:
        uri, store = target.uri.reveal(), bench.root / "each"
        bench.sweep(bench.params("each", server="uri", ends=ends), store, uri=uri)
        bare = Bare(bench.root / "alone", _manifest(store, 1)["command"], uri)
        for number in range(bench.size.rounds):
            few_s = bench.sweep(few, bench.root / f"few-{number}")
            alone_s += [_wall_s(bare.run) for _ in range(more)]
            many_s = bench.sweep(many, bench.root / f"many-{number}")
            beyond.append((many_s - few_s) / more - statistics.median(alone_s[-more:]))
            bench.say(f"round {number + 1}: {many_s:.2f} s, {few_s:.2f} s, bare {alone_s[-1]:.2f} s")
    alone = statistics.median(alone_s)
    how = f"wall, median of {len(beyond)}; the bare command takes {alone:.2f} s; probes, judging, hashing, store"
    bench.report.compare(
        "one more run, beyond the bare command", statistics.median(beyond), 0.5, "s", how, at_most=True
    )


def start(bench: Bench) -> None:
    """CPU time of the command, beyond Python's own."""
    params, store = paths.REPOSITORY / "params" / "local.yml", bench.root / "start"
    ways = {
        "python": Way((sys.executable, "-c", "pass")),
        "--help": Way((YCSBOOK, "--help")),
        "status": Way((YCSBOOK, "status", str(params), "--store", str(store))),
        "run --dry-run": Way((YCSBOOK, "run", str(params), "--store", str(store), "--dry-run")),
    }
    run(ways["run --dry-run"].argv)  # once, so that everything is compiled and cached
    costs = alternately(ways, 3 * bench.size.rounds, bench.say)
    bench.report.problems += [f"{name}: the command failed" for name in ways if name not in costs]
    for name, target in (("--help", 0.15), ("status", 0.5), ("run --dry-run", 1.2)):
        if name in costs:
            beyond = costs[name].cpu_s - costs["python"].cpu_s
            how = f"CPU {costs[name].cpu_s:.3f} - {costs['python'].cpu_s:.3f} s"
            bench.report.compare(f"ycsbook {name}, beyond Python", beyond, target, "s", how, at_most=True)


@dataclass(frozen=True)
class Ran:
    """What one client did, and the CPU time that it cost the server."""

    ops_s: float
    took_s: float
    cpu_s: float

    @classmethod
    def of(cls, log: Path, cpu_s: float) -> "Ran":
        """From the summary that the client prints."""
        said = dict(_OVERALL.findall(log.read_text(encoding="utf-8")))
        return cls(float(said["Throughput(ops/sec)"]), float(said["RunTime(ms)"]) / MS_PER_S, cpu_s)

    def per_cpu_s(self) -> float:
        """Operations for a CPU second of the server."""
        return self.ops_s * self.took_s / self.cpu_s


class Bare:
    """The command of a manifest, as its reader would run it: in a folder with the repository's lib, without us."""

    def __init__(self, folder: Path, command: str, uri: str):
        (folder / "hdr").mkdir(parents=True)
        (folder / "lib").symlink_to(paths.REPOSITORY / "lib")
        properties = folder / "url.properties"
        properties.touch(0o600)
        properties.write_text(f"mongodb.url={uri}\n")
        self._folder, self._argv = folder, shlex.split(command, comments=True)

    def run(self) -> Path:
        """Run it to its end; what it printed."""
        out, err = self._folder / "run.out", self._folder / "run.err"
        with out.open("w") as stdout, err.open("w") as stderr:
            # A session of its own, as ours has: where CPU time is short, the kernel shares it out by session.
            subprocess.run(
                self._argv, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, check=True,
                start_new_session=True,
            )  # fmt: skip
        return out


def centre(ratios: list[float]) -> tuple[float, float, float, float]:
    """The centre of ratios whose logarithms scatter alike on both sides of it, as those of two ways in turn do.

    Returns
        centre, low, high, and the probability that the true one lies between: 95 %, less where there are under six.
    References
        Hollander and Wolfe (1999), Nonparametric Statistical Methods, 3.2 and 3.3: the median of the means of all pairs
        of values, and the interval that belongs to Wilcoxon's signed ranks.
    """
    logs, n = [math.log(ratio) for ratio in ratios], len(ratios)
    means = sorted((one + other) / 2 for at, one in enumerate(logs) for other in logs[at:])
    # In how many of the 2^n ways of signs the ranks with a plus add up to so much.
    ways = [1]
    for rank in range(1, n + 1):
        ways = [(ways[t] if t < len(ways) else 0) + (ways[t - rank] if t >= rank else 0)
                for t in range(len(ways) + rank)]  # fmt: skip
    below = [sum(ways[: t + 1]) / 2 ** (n - 1) for t in range(len(means) // 2)]
    # So many of the smallest and of the largest means are left out.
    out = max((t for t in range(len(below)) if below[t] <= 0.05), default=-1) + 1
    low, high = means[out - 1 if out else 0], means[len(means) - (out or 1)]
    level = 1 - below[out - 1] if out else 1 - 2.0 ** (1 - n)
    return math.exp(statistics.median(means)), math.exp(low), math.exp(high), level


@contextlib.contextmanager
def _server(bench: Bench) -> Iterator[kind.Target]:
    """A private mongod whose cores are limited."""
    sweep = load(bench.params("server", server="mongod", ends="min_duration: 1s"))
    folder = Path(tempfile.mkdtemp(dir=bench.root))
    with Guard() as guard:
        servers = kind.start(sweep, guard, folder)
        try:
            yield servers.prepare(sweep.specs[0])
        finally:
            servers.close()


def _wall_s(do: Callable[[], object]) -> float:
    started = time.perf_counter()
    do()
    return time.perf_counter() - started


def _manifest(store: Path, repeat: int) -> dict:
    """The manifest of one repeat."""
    for path in store.glob("*/manifest.json"):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest["phase"] == "run" and manifest["repeat"] == repeat:
            return manifest
    raise RuntimeError(f"{store}: holds no repeat {repeat}")


def _cpu_s(counters: MongoCounters) -> float:
    """CPU seconds of the server so far; one that is at its limit may need to be asked again."""
    for _ in range(20):
        if "cpu_s" in (told := counters.read()):
            return told["cpu_s"]
    raise RuntimeError("the server does not tell its CPU time")


def _server_cpu_s(samples: Path) -> float:
    """CPU seconds of the server from the client's start to its end."""
    with samples.open(encoding="ascii", newline="") as file:
        seen = [float(row["server_cpu_s"]) for row in csv.DictReader(file) if row["server_cpu_s"]]
    return seen[-1] - seen[0]


def _is_running(store: Path) -> bool:
    """Whether a client runs that is not loading: its samples are there as soon as it is."""
    return any("-load-" not in path.parent.name for path in store.glob("*.partial/samples.csv"))


def _own_cpu_s(pid: int) -> float:
    """CPU seconds of the runner and of its guard themselves, without their children; NaN: one of them is gone."""
    try:
        runner = psutil.Process(pid)
        guards = [child for child in runner.children() if any("guard_main" in part for part in child.cmdline())]
        times = [process.cpu_times() for process in (runner, *guards)]
    except psutil.NoSuchProcess:
        return math.nan
    return sum(one.user + one.system for one in times)


PARTS = {"start": start, "cost": cost, "each": each, "pairs": pairs, "sweep": sweep}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="4 pairs of 4 s, a run of 10 s, 3 rounds")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="ycsbook-harness-") as folder:
        size = QUICK if args.quick else FULL
        bench = Bench(Path(folder), size, report, lambda text: print(text, file=sys.stderr, flush=True))
        for name in args.only:
            PARTS[name](bench)
    print(json.dumps(report.__dict__, indent=1) if args.json else table(report))
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
