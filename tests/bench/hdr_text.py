"""Runs with .hdr files, encoding V2: every interval a histogram, their sum and their logs consistent.

Some hundred distinct histograms make up all intervals, in a random order: encoding them is the slow part, and no
reader gains from their repetition.
"""

from pathlib import Path

import numpy as np
import ycsb_text

from ycsbook.ingest.readers.hdr_codec import Mapping, deflate

RUNS = 10
DISTINCT = 300
NAMES = ("READ", "UPDATE")
_HEADER = (
    "#[Logging for: {}]\n#[Histogram log format version 1.2]\n"
    "#[StartTime: {:.3f} (seconds since epoch), Sat May 06 08:26:26 UTC 2023]\n"
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
)


def write(folder: Path, intervals: int, seed: int) -> dict:
    """Ten runs in folders of their own; `counts`: all values per operation over all runs."""
    random = np.random.default_rng(seed)
    mapping = Mapping(3, 1)
    histograms = _histograms(random, mapping)
    per_file = intervals // (RUNS * len(NAMES))
    counts = dict.fromkeys(NAMES, 0)
    for i in range(RUNS):
        at = folder / f"run-{i}"
        at.mkdir()
        run = ycsb_text.make_run(random, lines=per_file, interval_s=1, threads=64)
        operations = {name: _write_hdr(at, name, run, histograms, random) for name in NAMES}
        done = sum(one.count for one in operations.values())
        length = np.diff(run.at_ms, prepend=run.start_ms) / 1000
        run = ycsb_text.Run(
            **{**run.__dict__, "operations": operations, "done": done, "rate_ops_s": np.round(done / length, 2)}
            | {"command": "-p measurementtype=hdrhistogram -p hdrhistogram.fileoutput=true "
               "-p hdrhistogram.output.path=bench_"}
        )  # fmt: skip
        (at / "bench.log").write_text(ycsb_text.text(run))
        for name, one in operations.items():
            counts[name] += one.total
    return {"intervals": per_file * RUNS * len(NAMES), "counts": counts}


def _histograms(random: np.random.Generator, mapping: Mapping) -> list[tuple[str, np.ndarray]]:
    """Texts, and count, highest, lowest, sum and the percentiles 90, 99, 99.9 and 99.99 of each."""
    made = []
    for _ in range(DISTINCT):
        values = random.lognormal(8, 0.6, int(random.integers(600, 1800))).astype(np.int64) + 50
        index = _index(values, mapping)
        stop = int(index.max()) + 1
        text = deflate(mapping, np.bincount(index, minlength=stop), int(values.max())).decode()
        tails = np.percentile(values, (90, 99, 99.9, 99.99))
        made.append((text, np.array([len(values), values.max(), values.min(), values.sum(), *tails])))
    return made


def _index(values: np.ndarray, mapping: Mapping) -> np.ndarray:
    """Where each value is counted: the last index that does not begin above it."""
    lows = mapping.low(np.arange(mapping.length))
    return np.searchsorted(lows, values, side="right") - 1


def _write_hdr(
    at: Path, name: str, run: ycsb_text.Run, histograms: list[tuple[str, np.ndarray]], random: np.random.Generator
) -> ycsb_text.Latencies:
    chosen = random.integers(0, len(histograms), len(run.at_ms))
    starts = (np.concatenate([[run.start_ms], run.at_ms[:-1]]) - run.start_ms) / 1000
    lengths = np.diff(run.at_ms, prepend=run.start_ms) / 1000
    with (at / f"bench_{name}.hdr").open("w") as file:
        file.write(_HEADER.format(name, run.start_ms / 1000))
        for start, length, which in zip(starts.tolist(), lengths.tolist(), chosen.tolist(), strict=True):
            text, figures = histograms[which]
            file.write(f"{start:.3f},{length:.3f},{figures[1] / 1e6:.3f},{text}\n")
    table = np.array([figures for _, figures in histograms])[chosen]
    count, highest, lowest, total, *tails = (table[:, i] for i in range(8))
    whole = [a.astype(np.int64) for a in (count, highest, lowest)]
    return ycsb_text.Latencies(*whole, np.round(total / count, 2), *(t.astype(np.int64) for t in tails))
