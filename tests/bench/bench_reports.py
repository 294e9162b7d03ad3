"""What reports cost: many notebooks at a time against papermill's own command line, one whole report, a large page.

    make bench                                            everything: about ten minutes of CPU for this part
    .venv/bin/python tests/bench/bench_reports.py --quick a third of the notebooks, once
    .venv/bin/python tests/bench/bench_reports.py --only one big --json

Notebooks: 90_report on a vendor's table whose tables, fits and findings are there, each into an output of its own, two
at a time; both ways alternately, medians of the rounds. Wall time is what a batch saves; CPU seconds, of all processes,
hold on a busy machine too. Both ways must leave the same reports, byte by byte.
One: `ycsbook report --force` on a vendor's table, its five notebooks and start included.
A missed target is printed and is no failure; a way that fails or leaves other reports is one (exit code 1).
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench_ingest import YCSBOOK, Bench, Report, table
from measure import Way, run
from report_ways import SOURCE, name

WAYS = str(Path(__file__).with_name("report_ways.py"))
RUNS = 1_000


@dataclass(frozen=True)
class Size:
    """Notebooks of a round, and rounds."""

    notebooks: int
    rounds: int


FULL = Size(24, 2)
QUICK = Size(6, 1)


def _way(what: str, bench: Bench, n: int) -> Way:
    return Way((sys.executable, WAYS, what, str(bench.root), str(n)))


def notebooks(bench: Bench) -> None:
    """The same notebooks, forked and started."""
    n = bench.size.notebooks
    costs = bench.run({"papermill": _way("papermill", bench, n), "ycsbook": _way("forked", bench, n)})
    if len(costs) < 2:
        return
    theirs, ours = costs["papermill"], costs["ycsbook"]
    what = f"{n} report notebooks, two at a time, papermill"
    how = f"wall {ours.wall_s:.1f} / {theirs.wall_s:.1f} s"
    bench.report.compare(f"{what}, time", ours.wall_s / theirs.wall_s, 1 / 3, "x", how, at_most=True)
    how = f"CPU {ours.cpu_s:.1f} / {theirs.cpu_s:.1f} s"
    bench.report.compare(f"{what}, CPU", ours.cpu_s / theirs.cpu_s, 1 / 3, "x", how, at_most=True)
    left = {way: json.loads(cost.output) for way, cost in costs.items()}
    for way in left:
        bench.report.check(f"{way}: notebooks completed", left[way]["completed"], n)
    bench.report.check("the reports' bytes", left["ycsbook"]["pages"], left["papermill"]["pages"])


def one_report(bench: Bench) -> None:
    """A whole report, as a person makes it."""
    argv = (YCSBOOK, "report", str(bench.root / f"{name(0)}.yml"), "--store", str(bench.root / "runs"), "--force")
    cost = bench.run({"report": Way(argv)}).get("report")
    if cost:
        how = f"wall {cost.wall_s:.1f} s, {cost.rss_mb:.0f} MB in its largest process"
        bench.report.compare(f"report of {SOURCE}, CPU", cost.cpu_s, 8, "s", how, at_most=True)


def big_page(bench: Bench) -> None:
    """The page of a report with very many runs."""
    cost = bench.run({"big page": _way("big", bench, RUNS)}).get("big page")
    if cost:
        made = json.loads(cost.output)
        how = f"CPU {made['cpu_s']:.1f} s to build and write it, with its pictures"
        what = f"report of {made['runs']:,} runs, HTML"
        bench.report.compare(what, made["bytes"] / 1e6, 5, "MB", how, at_most=True)


PARTS = {"notebooks": notebooks, "one": one_report, "big": big_page}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="6 notebooks, one round")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    size = QUICK if args.quick else FULL
    with tempfile.TemporaryDirectory(prefix="ycsbook-bench-") as folder:
        bench = Bench(Path(folder), size, Report(), lambda text: print(text, file=sys.stderr, flush=True))
        try:
            run(_way("prepare", bench, size.notebooks).argv)
            for part in args.only:
                PARTS[part](bench)
        finally:
            run(_way("clean", bench, size.notebooks).argv)
    print(json.dumps(bench.report.__dict__, indent=1) if args.json else table(bench.report))
    return 1 if bench.report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
