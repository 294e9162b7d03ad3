"""The cost of `ycsbook ingest` beside that of others' ways of parsing the same files.

    make bench                                        everything: some minutes, 1.6 GB in the temporary folder
    make bench ARGS=--quick                           a tenth of it
    make bench ARGS="--only hdr small --json"

Every way runs in a fresh process, all ways of a comparison alternately, some rounds of them; figures are medians. CPU
seconds (user and system, of the process and its children) are the measure. Files are in the page cache. A missed target
is printed and is no failure; a command that fails or a figure that is not the corpus's own is one (exit code 1).
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from measure import Cost, Way, alternately, run

HERE = Path(__file__).parent
YCSBOOK = str(Path(sys.executable).with_name("ycsbook"))
# A part of the work is enough of the slow peers, and the rest is proportional.
PEER_SHARE = 10
# To its tables, as ours goes to ours; and what parses alone there.
TABLES, PARSER = "PerfKitBenchmarker's way to its CSVs", "PerfKitBenchmarker's parser alone"


@dataclass(frozen=True)
class Size:
    """How much of each corpus, and how many rounds."""

    logs: int
    big_mb: int
    intervals: int
    rounds: int


FULL = Size(10_000, 1_000, 30_000, 3)
QUICK = Size(1_000, 100, 3_000, 3)


@dataclass
class Report:
    """What was measured. A comparison is met when the figure is at least (or, `at_most`, at most) its target."""

    comparisons: list[dict] = field(default_factory=list)
    kept: list[dict] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def compare(self, what: str, figure: float, target: float, unit: str, how: str, *, at_most: bool = False) -> None:
        met = figure <= target if at_most else figure >= target
        self.comparisons.append(
            {"what": what, "figure": figure, "target": target, "at_most": at_most, "unit": unit, "met": met, "how": how}
        )

    def keep(self, who: str, rows: int, expected: int, note: str = "") -> None:
        self.kept.append({"who": who, "rows": rows, "expected": expected, "note": note})

    def check(self, what: str, got: object, expected: object) -> None:
        if got != expected:
            self.problems.append(f"{what}: got {got}, the corpus holds {expected}")


@dataclass(frozen=True)
class Corpus:
    """Where a corpus is, and what a reader must find in it: see corpus.py."""

    folder: Path
    facts: dict


@dataclass(frozen=True)
class Bench:
    """The folder for corpora and tables, the sizes, and where to report."""

    root: Path
    size: Size
    report: Report
    say: Callable[[str], None]

    def ours(self, what: Path, out: str, *more: str, fresh: bool = True) -> Way:
        """`ycsbook ingest`; `fresh`: into a folder without tables and without index."""
        to = self.root / "tables" / out
        clear = (lambda: shutil.rmtree(to, ignore_errors=True)) if fresh else (lambda: None)
        return Way((YCSBOOK, "ingest", str(what), "--out", str(to), *more), clear)

    def corpus(self, what: str, option: str, size: int) -> Corpus:
        """A corpus, made in a process of its own if it is not there, and read once, so that it is cached."""
        argv = (sys.executable, str(HERE / "corpus.py"), what, str(self.root), option, str(size))
        made = json.loads(run(argv).output)
        for path in Path(made["folder"]).rglob("*"):
            if path.is_file():
                with path.open("rb") as file:
                    while file.read(2**20):
                        pass
        return Corpus(Path(made["folder"]), made["facts"])

    def peer(self, way: str, *args: object) -> Way:
        return Way((sys.executable, str(HERE / "peers.py"), way, *map(str, args)))

    def run(self, ways: dict[str, Way]) -> dict[str, Cost]:
        costs = alternately(ways, self.size.rounds, self.say)
        self.report.problems += [f"{name}: the command failed" for name in ways if name not in costs]
        return costs

    def kept(self, out: str) -> dict:
        """What the tables of a way of ours hold; read elsewhere, so that this process stays small."""
        return json.loads(run((sys.executable, str(HERE / "kept.py"), str(self.root / "tables" / out))).output)


def small_logs(bench: Bench) -> None:
    """Many small logs: against a plain typed read and a peer, and a second time."""
    made = bench.corpus("logs", "--logs", bench.size.logs)
    costs = bench.run(
        {
            "plain polars": bench.peer("polars", made.folder),
            "ycsbook": bench.ours(made.folder, "logs"),
            "ycsbook again": bench.ours(made.folder, "logs", fresh=False),
            PARSER: bench.peer("pkb-parser", made.folder),
            TABLES: bench.peer("pkb", made.folder),
        }
    )
    ours, again = costs.get("ycsbook"), costs.get("ycsbook again")
    report, expected, size = bench.report, made.facts["rows"], f"{made.facts['runs']:,} logs"
    share = json.loads(run((sys.executable, str(HERE / "share.py"), str(made.folder))).output)
    for what, part in (("status lines", "status_bytes"), ("whole logs", "whole_bytes")):
        how = f"{share[part] / 1e6:.0f} of {share['bytes'] / 1e6:.0f} MB"
        report.compare(f"{size}, {what} read as columns", 100 * share[part] / share["bytes"], 95, "%", how)
    if ours and (plain := costs.get("plain polars")):
        how = f"CPU {ours.cpu_s:.2f} / {plain.cpu_s:.2f} s, both to Parquet"
        report.compare(f"{size}, a plain polars read", ours.cpu_s / plain.cpu_s, 1.5, "x", how, at_most=True)
    for name, least in ((TABLES, 8), (PARSER, 2)):
        if ours and (peer := costs.get(name)):
            how = f"CPU {peer.cpu_s:.2f} / {ours.cpu_s:.2f} s, ours to Parquet"
            report.compare(f"{size}, {name}", peer.cpu_s / ours.cpu_s, least, "x", how)
            kept = json.loads(peer.output)
            note = f"{kept['lost_files']} logs lost, {kept['summary_operations']:,} operations of summaries kept"
            report.keep(name, kept["rows"], expected, note)
    if again:
        how = f"wall {again.wall_s:.2f} s, start of the command included"
        report.compare(f"{size}, unchanged, CPU", again.cpu_s, 0.5, "s", how, at_most=True)
    if ours:
        kept = bench.kept("logs")
        report.keep("ycsbook", kept["rows"], expected)
        _check(report, "logs", kept, made)


def growth(bench: Bench) -> None:
    """CPU per further log, of many logs against few."""
    sizes = [bench.size.logs * k // 100 for k in (1, 30, 300)]
    made = [bench.corpus("logs", "--logs", n) for n in sizes]
    costs = bench.run({f"{n:,} logs": bench.ours(m.folder, f"logs-{n}") for n, m in zip(sizes, made, strict=True)})
    if len(costs) == len(sizes):
        few, some, many = (cost.cpu_s for cost in costs.values())
        per_log = (some - few) / (sizes[1] - sizes[0]), (many - some) / (sizes[2] - sizes[1])
        how = f"CPU {few:.2f}, {some:.2f}, {many:.2f} s of {', '.join(f'{n:,}' for n in sizes)}"
        what = f"a log more of {sizes[2]:,}, against one of {sizes[1]:,}"
        bench.report.compare(what, per_log[1] / per_log[0], 1.2, "x", how, at_most=True)


def big_log(bench: Bench) -> None:
    """One huge log: memory, and CPU against the peer's on a tenth of it."""
    made = bench.corpus("big", "--megabytes", bench.size.big_mb)
    part = bench.corpus("big", "--megabytes", bench.size.big_mb // PEER_SHARE)
    costs = bench.run(
        {"peer, big log": bench.peer("pkb-parser", part.folder), "ycsbook, big log": bench.ours(made.folder, "big")}
    )
    ours, peer = costs.get("ycsbook, big log"), costs.get("peer, big log")
    size = f"one log of {made.facts['bytes'] / 1e9:.1f} GB"
    if ours:
        how = "largest process"
        bench.report.compare(f"{size}, peak RSS", ours.rss_mb / 1000, 0.7, "GB", how, at_most=True)
        _check(bench.report, "big", bench.kept("big"), made)
    if ours and peer:
        scale = made.facts["bytes"] / part.facts["bytes"]
        how = (
            f"CPU {peer.cpu_s * scale:.1f} / {ours.cpu_s:.2f} s; the peer on a tenth ({peer.cpu_s:.2f} s, "
            f"{peer.rss_mb:.0f} MB), scaled by size"
        )
        bench.report.compare(f"{size}, {PARSER}", peer.cpu_s * scale / ours.cpu_s, 8, "x", how)


def hdr_files(bench: Bench) -> None:
    """.hdr intervals summed, against the PyPI package on a tenth of them."""
    made = bench.corpus("hdr", "--intervals", bench.size.intervals)
    part = max(1, made.facts["intervals"] // PEER_SHARE)
    name = "hdrhistogram (PyPI)"
    costs = bench.run(
        {name: bench.peer("hdr", made.folder, "--intervals", part), "ycsbook, hdr": bench.ours(made.folder, "hdr")}
    )
    ours, peer = costs.get("ycsbook, hdr"), costs.get(name)
    if ours:
        kept = bench.kept("hdr")
        bench.report.check("values in the merged histograms", kept["histogram_counts"], made.facts["counts"])
    if ours and peer:
        scale = made.facts["intervals"] / json.loads(peer.output)["intervals"]
        how = f"CPU {peer.cpu_s * scale:.1f} / {ours.cpu_s:.2f} s; the peer on {part:,} of them, scaled by number"
        what = f"{made.facts['intervals']:,} .hdr intervals, {name}"
        bench.report.compare(what, peer.cpu_s * scale / ours.cpu_s, 20, "x", how)


def one_small_log(bench: Bench) -> None:
    """The command on one log, start included."""
    made = bench.corpus("logs", "--logs", bench.size.logs)
    log = next(made.folder.rglob("*.log"))
    cost = bench.run({"one small log": bench.ours(log, "one")}).get("one small log")
    if cost:
        how = f"{log.stat().st_size / 1000:.0f} kB, wall {cost.wall_s:.2f} s"
        bench.report.compare("one small log, CPU", cost.cpu_s, 0.5, "s", how, at_most=True)


PARTS = {"small": small_logs, "growth": growth, "big": big_log, "hdr": hdr_files, "one": one_small_log}


def _check(report: Report, what: str, kept: dict, made: Corpus) -> None:
    report.check(f"{what}: rows of operations", kept["rows"], made.facts["rows"])
    report.check(f"{what}: operations", kept["operations"], made.facts["operations"])
    report.check(f"{what}: outcomes", kept["outcomes"], {"completed": made.facts["runs"]})
    report.check(f"{what}: contradictions", kept["warnings"].get("COUNTS_DISAGREE", 0), 0)


def table(report: Report) -> str:
    """The report as text."""
    lines = [f"{'':4} {'what':58} {'measured':>10} {'target':>9}  how"]
    for one in report.comparisons:
        sign = "<=" if one["at_most"] else ">="
        figure, target = f"{one['figure']:.2f} {one['unit']}", f"{sign} {one['target']:g} {one['unit']}"
        lines.append(f"{'ok' if one['met'] else 'MISS':4} {one['what']:58} {figure:>10} {target:>9}  {one['how']}")
    lines += ["", f"rows of operations kept, of {report.kept[0]['expected']:,}:"] if report.kept else []
    for one in report.kept:
        lost = one["expected"] - one["rows"]
        lines.append(f"     {one['who']:30} {one['rows']:>10,}  lost {lost:>7,}  {one['note']}")
    missed = [one["what"] for one in report.comparisons if not one["met"]]
    lines += ["", *(f"!!! TARGET MISSED: {what}" for what in missed), *(f"!!! WRONG: {p}" for p in report.problems)]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1,000 logs, 100 MB, 3,000 intervals")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "ycsbook-bench")
    args = parser.parse_args()
    size = QUICK if args.quick else FULL
    if args.rounds:
        size = Size(size.logs, size.big_mb, size.intervals, args.rounds)
    bench = Bench(args.folder, size, Report(), lambda text: print(text, file=sys.stderr, flush=True))
    for name in args.only:
        PARTS[name](bench)
    print(json.dumps(bench.report.__dict__, indent=1) if args.json else table(bench.report))
    return 1 if bench.report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
