"""How others parse the same files, written anew from reading what they do, to be measured beside ycsbook.

    python tests/bench/peers.py pkb PATH...            PerfKitBenchmarker's way, from logs to its tables
    python tests/bench/peers.py pkb-parser PATH...     its parser alone
    python tests/bench/peers.py polars PATH...         a plain typed read by polars, to Parquet
    python tests/bench/peers.py hdr PATH... [--intervals N]    the PyPI package hdrhistogram

Prints JSON: files read and lost, and what was kept. CLEANUP is left out of all counts of rows.

`pkb-parser` does the work of ParseResults in perfkitbenchmarker/linux_packages/ycsb_stats.py (2023), file by file, and
keeps no file's figures: the whole log as one string, its lines through StringIO; until the line `[OVERALL]` three
prefixes and one search per line, and in a status line one search per bracket, its pairs split and made a dict of floats
in ms; below it a search per line, csv.reader and groupby into one dict per operation. What that loses:
    - a status line whose second was seen before: the last interval of runs that end within a second of a status;
    - the whole log where a latency is `?` or the replacement character (a float is expected), and where there is
      no [OVERALL] line, which are the crashed runs;
    - in the summary every operation with a hyphen and the GC lines (only capital letters are names);
    - wall clocks, the cumulative counter, and status lines that come after the summary.

`pkb` does what follows there as well, for each log of one client as for those of several: CombineResults, which copies
the first client's result, and CreateSamples, which makes a series of each figure of each operation and writes all of
them, a line at a time, to one CSV for each operation. The samples themselves, their copies of the metadata and where
they are published are left out, in its favour.

`polars` is no peer but a yardstick: the least that a typed read of the status lines of regular logs to Parquet costs.
It knows no summaries, no runs and no other forms of lines.

`hdr` reads interval by interval and adds each to a sum. It reads encoding V2 only.
"""

import argparse
import copy
import csv
import io
import itertools
import json
import operator
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CLEANUP = "CLEANUP"


# -- PerfKitBenchmarker's way ------------------------------------------------------------------------------------------

_PKB_STATUS = r"(\d+) sec: \d+ operations; (\d+(\.\d+)?) current ops\/sec"
_PKB_BRACKET = r"\[(.+?): (.+?)\]"
_PKB_SUMMARY = r"^\[[A-Z]+\]"
_PKB_LATENCIES = ("Avg", "Max", "Min")


@dataclass
class Operation:
    """One operation of a status or of the summary."""

    name: str = ""
    buckets: list = field(default_factory=list)
    statistics: dict = field(default_factory=dict)


@dataclass
class Status:
    """One status line."""

    second: int
    ops_s: float
    operations: list = field(default_factory=list)


@dataclass
class Result:
    """One log."""

    version: str = ""
    command: str = ""
    series: dict = field(default_factory=dict)
    operations: dict = field(default_factory=dict)


def pkb(text: str) -> Result:
    """Parse one log; ValueError where that way gives up."""
    if "redis.clients.jedis.exceptions.JedisConnectionException" in text:
        raise ValueError("connection lost")
    result = Result()
    lines = io.StringIO(text)
    for raw in lines:
        line = raw.strip()
        if line.startswith("[OVERALL]"):
            break
        if line.startswith("YCSB Client 0."):
            result.version = line
        if line.startswith("Command line:"):
            result.command = line
        head = re.search(_PKB_STATUS, line)
        if head is not None:
            second, ops_s = int(head.group(1)), float(head.group(2))
            if second not in result.series:
                brackets = re.finditer(_PKB_BRACKET, line)
                result.series[second] = Status(second, ops_s, [_pkb_operation(b) for b in brackets])
    else:
        raise ValueError("no summary")
    kept = filter(lambda one: re.search(_PKB_SUMMARY, one) is not None, lines)
    rows = csv.reader(itertools.chain([line], kept))
    for bracketed, group in itertools.groupby(rows, operator.itemgetter(0)):
        name = bracketed[1:-1].lower()
        if name != "cleanup":
            result.operations[name] = _pkb_summary(name, group)
    return result


def _pkb_operation(bracket: re.Match) -> Operation:
    statistics = {}
    for pair in bracket.group(2).split(", "):
        key, text = pair.split("=")
        value = float(text) if text else 0.0
        if _pkb_is_latency(key):
            value /= 1000.0
        statistics[key] = float(value)
    return Operation(name=bracket.group(1).lower(), statistics=statistics)


def _pkb_is_latency(key: str) -> bool:
    return key.replace(".", "", 1).isdigit() or key in _PKB_LATENCIES


def _pkb_summary(name: str, rows: Iterator[list[str]]) -> Operation:
    one = Operation(name)
    for _, metric, text in rows:
        metric, text = metric.strip().removeprefix(">"), text.strip()  # noqa: PLW2901
        value = float(text) if "." in text or "nan" in text.lower() else int(text)
        if metric.isdigit():
            if value:
                one.buckets.append((int(metric), value))
            continue
        if "(us)" in metric:
            metric, value = metric.replace("(us)", "(ms)"), value / 1000.0  # noqa: PLW2901
        one.statistics[metric] = value
    return one


def pkb_tables(parsed: Result, folder: Path) -> None:
    """The series of a result's copy, and its status lines appended to a CSV for each operation in `folder`."""
    combined = copy.deepcopy(parsed)
    series: dict = defaultdict(lambda: defaultdict(list))
    statuses = sorted(combined.series.items())
    for second, status in statuses:
        for one in status.operations:
            for statistic, value in one.statistics.items():
                series[one.name][statistic].append((second, value))
    columns = sorted({s for _, status in statuses for one in status.operations for s in one.statistics if _pkb_kept(s)})
    headed: list[str] = []
    for second, status in statuses:
        for one in status.operations:
            row = {name: value for name, value in one.statistics.items() if name in columns} | {"time": second}
            with (folder / f"{one.name}.csv").open("a+", newline="") as file:
                writer = csv.DictWriter(file, fieldnames=["time", *columns])
                if one.name not in headed:
                    writer.writeheader()
                    headed.append(one.name)
                writer.writerow(row)


def _pkb_kept(statistic: str) -> bool:
    return statistic == "Count" or _pkb_is_latency(statistic)


def count_pkb(text: str, folder: Path | None) -> dict:
    result = pkb(text)
    if folder is not None:
        pkb_tables(result, folder)
    rows = sum(o.name != CLEANUP.lower() for s in result.series.values() for o in s.operations)
    return {"status_lines": len(result.series), "rows": rows, "summary_operations": len(result.operations) - 1}


# -- the PyPI package --------------------------------------------------------------------------------------------------


def hdr(paths: list[Path], limit: int | None) -> dict:
    """Sum all intervals of each file, `limit` of them over all files."""
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    counts: dict[str, int] = {}
    intervals = 0
    for path in paths:
        total = HdrHistogram(1, 24 * 3600 * 1_000_000, 3)
        reader = HistogramLogReader(str(path), total)
        while (limit is None or intervals < limit) and (one := reader.get_next_interval_histogram()) is not None:
            total.add(one)
            intervals += 1
        name = path.stem.rsplit("_", 1)[1]
        counts[name] = counts.get(name, 0) + total.get_total_count()
    return {"intervals": intervals, "counts": counts}


# -- a plain typed polars read -----------------------------------------------------------------------------------------

_CSV = bytes.maketrans(b" =]:;[", b",,,,,\n")
_INTEGERS, _FLOATS = (3, 5, 6, 8, 9, 15, 18, 21, 24), (12, 20, 23)
_BATCH_BYTES = 16 * 2**20


def plain(paths: list[Path]) -> dict:
    """What polars needs for the status lines of regular logs: one typed read per batch, written as Parquet."""
    import polars as pl

    kinds = {**dict.fromkeys(_INTEGERS, pl.Int64), **dict.fromkeys(_FLOATS, pl.Float64)}
    schema = {str(i): kinds.get(i, pl.String) for i in range(25)}
    rows, batch, size = 0, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for i, path in enumerate(paths):
            batch.append(f"FILE,{i}\n".encode() + path.read_bytes())
            size += len(batch[-1])
            if size >= _BATCH_BYTES or path is paths[-1]:
                table = pl.read_csv(
                    b"," * 24 + b"\n" + b"".join(batch).translate(_CSV), has_header=False, schema=schema,
                    columns=[0, 1, 2, *sorted(kinds)], truncate_ragged_lines=True, ignore_errors=True, quote_char=None,
                )  # fmt: skip
                table = table.filter(pl.col("3").is_not_null() | pl.col("8").is_not_null())
                table.write_parquet(f"{folder}/{i}.parquet", compression="zstd", compression_level=1)
                rows, batch, size = rows + len(table), [], 0
    return {"rows": rows}


def logs(paths: list[Path], folder: Path | None) -> dict:
    """Parse every log, write its tables where there is a folder for them, and count what was kept of all of them."""
    kept = {"files": 0, "lost_files": 0, "status_lines": 0, "rows": 0, "summary_operations": 0}
    for path in paths:
        try:
            one = count_pkb(path.read_text(encoding="utf-8"), folder)
        except ValueError:
            kept["lost_files"] += 1
            continue
        kept["files"] += 1
        for name, n in one.items():
            kept[name] += n
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=("pkb", "pkb-parser", "polars", "hdr"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--intervals", type=int)
    args = parser.parse_args()
    suffixes = (".hdr",) if args.way == "hdr" else (".log", ".out", ".err")
    files = [f for p in args.paths for f in (sorted(p.rglob("*")) if p.is_dir() else [p])]
    paths = [f for f in files if f.suffix in suffixes or f in args.paths]
    match args.way:
        case "hdr":
            found = hdr(paths, args.intervals)
        case "polars":
            found = plain(paths)
        case "pkb":
            with tempfile.TemporaryDirectory() as folder:
                found = logs(paths, Path(folder))
        case _:
            found = logs(paths, None)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
