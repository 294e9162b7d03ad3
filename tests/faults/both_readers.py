"""The fast ways of reading logs of YCSB against the exact one, on mutated and joined logs: no difference.

    python tests/faults/both_readers.py --count 100000 [--seed 1]

A log that is read otherwise is kept in a file that the message names; exit code 1.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from unittest import mock

import log_samples
import pandas as pd
from mutations import mutated

from ycsbook.ingest.readers import ycsb_batch
from ycsbook.ingest.reading import read_with_rejects

BATCH = 200
_HEADS = (
    b"Command line: -db x -P workloads/workloadb -threads 16 -t\nYCSB Client 0.17.0\n\n",
    b"YCSB Client 0.17.0\n\nLoading workload...\nStarting test.\n",
    b"/usr/bin/java -cp x site.ycsb.Client -t -P workloads/workloadc -threads 4\n",
)


def regular_logs(random: Random) -> bytes:
    """A log beyond doubt: the same lines as others, with figures of its own."""
    threads, seconds, reads = random.choice((4, 8, 64)), random.choice((3, 30)), random.randrange(1, 90) * 100
    updates = random.choice((0, reads))
    total, workload = reads + updates, "ab"[not updates]
    lines = [f"Command line: -db site.ycsb.db.MongoDbClient -P workloads/workload{workload} -s -threads {threads} -t\n"]
    lines += ["YCSB Client 0.17.0\n\nLoading workload...\nStarting test.\n"]
    for second in range(seconds + 1):
        lines += [f"2026-11-21 08:00:{second:02d}:100 {second} sec: {total * second // seconds} operations; "]
        share = f" [READ: Count={reads // seconds}, Max=9000, Min=100, Avg=1200.0, 90=1500, 99=2500, 99.9=8000]"
        lines += [f"1 current ops/sec; est completion in 1 second{share} \n" if second else "est completion in 0 s \n"]
    lines += [f"[OVERALL], RunTime(ms), {seconds * 1000}\n[OVERALL], Throughput(ops/sec), {total / seconds}\n"]
    for name, count in (("READ", reads), ("CLEANUP", threads), ("UPDATE", updates)):
        if count:
            lines += [f"[{name}], Operations, {count}\n[{name}], AverageLatency(us), 1200.0\n"]
            lines += [f"[{name}], MinLatency(us), 90\n[{name}], MaxLatency(us), 9007\n"]
            lines += [f"[{name}], 95thPercentileLatency(us), 1700\n[{name}], 99thPercentileLatency(us), 2600\n"]
            lines += [f"[{name}], Return=OK, {count}\n"] * (name != "CLEANUP")
    return "".join(lines).encode()


def joined(random: Random, known: list[bytes]) -> bytes:
    """Logs one after the other in a file, as `>>` leaves them, each perhaps cut, a header perhaps in the gap."""
    parts = []
    for _ in range(random.choice((1, 2, 2, 2, 3))):
        log = regular_logs(random) if random.random() < 0.8 else random.choice(known)
        lines = log.splitlines(keepends=True)
        match random.randrange(5):
            case 0:
                lines = lines[: random.randrange(len(lines) + 1)]
            case 1:  # after its first status line
                first = next((i for i, line in enumerate(lines) if b" sec: " in line), 0)
                lines = lines[: first + random.choice((0, 1, 2))]
            case 2:
                del lines[: random.choice((1, 2, random.randrange(len(lines) + 1)))]
            case 3:
                at = random.randrange(len(lines) + 1)
                lines[at:at] = random.choice(_HEADS).splitlines(keepends=True)
        parts += [b"".join(lines)[: random.choice((None, None, None, -1, -20))]]
    return b"".join(parts)


def logs(random: Random) -> Iterator[bytes]:
    known = [*log_samples.ycsb(), *(regular_logs(random) for _ in range(10))]
    while True:
        log = joined(random, known) if random.random() < 0.6 else random.choice(known)
        log = mutated(log, random, known)[:60_000] if random.random() < 0.5 else log
        if len(log) > 3:  # no byte order mark alone
            yield log


def differences(contents: list[bytes]) -> list[int]:
    """Which of the logs are read otherwise by a fast way than line by line."""
    with tempfile.TemporaryDirectory(prefix="ycsbook-both-") as folder:
        for i, content in enumerate(contents):
            (Path(folder) / f"{_word(i)}.log").write_bytes(content)
        fast = _read(folder)
        with mock.patch("ycsbook.ingest.logs.SMALL_BYTES", -1):
            in_chunks = _read(folder)
        with mock.patch.object(ycsb_batch, "read", lambda splits: [None] * len(splits)):
            exact = _read(folder)
    if all(_same(way, exact) for way in (fast, in_chunks)):
        return []
    fast, in_chunks, exact = map(_by_log, (fast, in_chunks, exact))
    differing = {key for way in (fast, in_chunks) for key in exact if exact[key] != way.get(key)}
    return sorted(i for i in range(len(contents)) if _word(i) in differing)


def _read(folder: str) -> tuple[list[pd.DataFrame], list[str]]:
    tables, rejected = read_with_rejects([folder])
    frames = [frame.sort_values("run_id", kind="stable", ignore_index=True) for _, frame in tables.items()]
    return frames, sorted(map(str, rejected))


def _same(a: tuple, b: tuple) -> bool:
    return a[1] == b[1] and all(x.equals(y) for x, y in zip(a[0], b[0], strict=True))


def _by_log(found: tuple) -> dict[str, str]:
    """All that was read of each log, as text; without the ids, which follow from how much of a file was in memory."""
    frames, rejected = found
    texts: dict[str, str] = {}
    for error in rejected:
        key = Path(error.partition(":")[0]).stem
        texts[key] = texts.get(key, "") + error
    names = {row.run_id: Path(row.source.partition(":")[0]).stem for row in frames[0].itertuples()}
    for frame in frames:
        for run_id, rows in frame.groupby("run_id", sort=False):
            text = rows.drop(columns="run_id").to_csv(index=False, float_format="%.17g")
            texts[names[run_id]] = texts.get(names[run_id], "") + text
    return texts


def _word(n: int) -> str:
    return "log-" + "".join(chr(ord("a") + int(digit)) for digit in str(n))


def compare(count: int, seed: int) -> tuple[int, bytes | None]:
    """How many logs were read alike, and the first that was not."""
    endless, done = logs(Random(seed)), 0
    while done < count:
        batch = [next(endless) for _ in range(min(BATCH, count - done))]
        for i in differences(batch):
            if differences([batch[i]]):
                return done, batch[i]
            raise AssertionError(f"differs only beside others: seed {seed}, log {done + i}")
        done += len(batch)
    return done, None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    done, log = compare(args.count, args.seed)
    if log is None:
        print(f"{done:,} logs: no difference")
        return 0
    path = Path(tempfile.mkdtemp(prefix="ycsbook-both-")) / "kept.log"
    path.write_bytes(log)
    print(f"READ OTHERWISE: {path}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    pd.set_option("display.width", 200)
    sys.exit(main())
