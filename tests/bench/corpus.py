"""Seeded corpora for the benchmark, made once and used again.

    python tests/bench/corpus.py logs FOLDER [--logs 10000]       10,000 logs of 120 status lines, 430 MB, in the
                                                                  forms that real ones have (ycsb_text.FORMS)
    python tests/bench/corpus.py big FOLDER [--megabytes 1000]    one log of 1 GB with a status line per second
    python tests/bench/corpus.py hdr FOLDER [--intervals 30000]   .hdr files of 10 runs, with their logs

Each is a folder of its own inside FOLDER and, beside it, NAME.json with what a reader must find there: bytes, files,
status lines, rows of operations, counts. Prints both as JSON. A corpus that is there already, whole and of the same
parameters, is not made again.
"""

import argparse
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import ycsb_text

VERSION = 3
LINES = 120
LOGS_PER_FOLDER = 100
INTERVALS_S = (12, 15, 20, 30)
# Of 100 logs: one of a workload with READ-MODIFY-WRITE, one with failures, one with a stall.
ODD_LOGS = {17: ycsb_text.READ_MODIFY_WRITE, 42: ycsb_text.FAILURES, 71: ycsb_text.STALLS}
_BLOCK_LINES = 50_000


@dataclass(frozen=True)
class Corpus:
    """Where a corpus is, and what a reader must find in it."""

    folder: Path
    facts: dict


def logs(root: Path, n: int = 10_000, seed: int = 1) -> Corpus:
    """`n` small logs, 100 to a folder. `rows`: operations in status lines, CLEANUP left out."""
    return _made(root, f"logs-{n}-{seed}", lambda folder: _write_logs(folder, n, seed))


def big(root: Path, size: int = 1_000_000_000, seed: int = 1) -> Corpus:
    """One log of about `size` bytes."""
    return _made(root, f"big-{size}-{seed}", lambda folder: _write_big(folder / "big.log", size, seed))


def hdr(root: Path, intervals: int = 30_000, seed: int = 1) -> Corpus:
    """Ten runs, each with its log and two .hdr files, of `intervals` intervals together."""
    import hdr_text

    return _made(root, f"hdr-{intervals}-{seed}", lambda folder: hdr_text.write(folder, intervals, seed))


def _made(root: Path, name: str, write: Callable[[Path], dict]) -> Corpus:
    folder, facts_file = root / name, root / f"{name}.json"
    if facts_file.is_file() and folder.is_dir():
        facts = json.loads(facts_file.read_text())
        if facts["version"] == VERSION:
            return Corpus(folder, facts)
    facts_file.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    facts = write(folder)
    sizes = [p.stat().st_size for p in folder.rglob("*") if p.is_file()]
    facts = {"version": VERSION, "files": len(sizes), "runs": len(sizes), "bytes": sum(sizes), **facts}
    # Last, so that its presence says that all of it is there.
    draft = facts_file.with_suffix(".draft")
    draft.write_text(json.dumps(facts, indent=1) + "\n")
    os.replace(draft, facts_file)
    return Corpus(folder, facts)


def _write_logs(folder: Path, n: int, seed: int) -> dict:
    random = np.random.default_rng(seed)
    remaining = {s: ycsb_text.completions(LINES, s) for s in INTERVALS_S}
    rows = {"plain": 0, "odd": 0}
    operations = 0
    for i in range(n):
        interval_s = INTERVALS_S[i % len(INTERVALS_S)]
        run = ycsb_text.make_run(
            random, lines=LINES, kind=ODD_LOGS.get(i % 100, ycsb_text.PLAIN), interval_s=interval_s,
            start_ms=1_683_361_586_000 + i * 3_600_000 + int(random.integers(1000)),
        )  # fmt: skip
        if i % LOGS_PER_FOLDER == 0:
            at = folder / f"batch-{i // LOGS_PER_FOLDER:03d}"
            at.mkdir()
        form = ycsb_text.FORMS[int(random.integers(len(ycsb_text.FORMS)))]
        for ending, content in ycsb_text.dressed(ycsb_text.text(run, remaining[interval_s]), run, form).items():
            (at / f"bench-{i:05d}{ending}").write_bytes(content)
        rows["plain" if run.kind == ycsb_text.PLAIN else "odd"] += run.rows
        operations += int(run.done.sum())
    return {
        "runs": n,
        "status_lines": n * LINES,
        "rows": sum(rows.values()),
        "odd_rows": rows["odd"],
        "operations": operations,
    }


def _write_big(path: Path, size: int, seed: int) -> dict:
    random = np.random.default_rng(seed)
    start_ms, threads, before_ms, lines, rows = 1_683_361_586_000, 64, 0, 0, 0
    totals = ycsb_text.Totals()
    with path.open("w", encoding="utf-8") as file:
        while True:
            # The last block is shorter, by the bytes per line so far.
            line_bytes = file.tell() / lines if lines else 310
            n = min(_BLOCK_LINES, max(2, int((size - file.tell()) / line_bytes)))
            final = n < _BLOCK_LINES
            run = ycsb_text.make_run(
                random, lines=n, interval_s=1, start_ms=start_ms + before_ms, threads=threads, final=final
            )
            run = _continued(run, start_ms, before_ms, totals.done)
            if not lines:
                file.write(ycsb_text.head(run))
            file.write(ycsb_text.status(run, final=final, remaining=["63 days 5 hours"] * n))
            totals.add(run)
            lines, rows, before_ms = lines + n, rows + run.rows, before_ms + n * 1000
            if final:
                file.write(ycsb_text.summary(run, totals))
                return {"status_lines": lines, "rows": rows, "operations": totals.done}


def _continued(run: ycsb_text.Run, start_ms: int, before_ms: int, done: int) -> ycsb_text.Run:
    """The run as a later part of a longer one."""
    return ycsb_text.Run(
        **{**run.__dict__, "start_ms": start_ms, "before": done, "runtime_ms": run.runtime_ms + before_ms}
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("logs", "big", "hdr"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--logs", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=1_000)
    parser.add_argument("--intervals", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    match args.what:
        case "logs":
            made = logs(args.folder, args.logs, args.seed)
        case "big":
            made = big(args.folder, args.megabytes * 1_000_000, args.seed)
        case "hdr":
            made = hdr(args.folder, args.intervals, args.seed)
    print(json.dumps({"folder": str(made.folder), "facts": made.facts}))


if __name__ == "__main__":
    main()
