"""What tables hold, for comparison with what a corpus holds: `python tests/bench/kept.py TABLES` prints JSON.

`rows`: operations per interval, without TOTAL and CLEANUP; `counts`: latencies per operation in the summaries;
`histogram_counts`: values in the merged histograms; `operations`: of all runs.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

NOT_OPERATIONS = ("TOTAL", "CLEANUP")


def kept(tables: Path) -> dict:
    intervals, runs = _column(tables, "intervals", "operation"), _table(tables, "runs")
    rows = {v["values"]: v["counts"] for v in pc.value_counts(intervals).to_pylist()}
    operations = _table(tables, "operations", ["operation", "count"])
    counts = Counter()
    for name, n in zip(operations["operation"].to_pylist(), operations["count"].to_pylist(), strict=True):
        counts[name] += int(n or 0)
    return {
        "rows": sum(n for name, n in rows.items() if name not in NOT_OPERATIONS),
        "rows_by_operation": rows,
        "counts": dict(counts),
        "histogram_counts": _histogram_counts(tables),
        "operations": int(pc.sum(runs["operations"]).as_py() or 0),
        "outcomes": dict(Counter(runs["outcome"].to_pylist())),
        "warnings": dict(Counter(name for text in runs["warnings"].to_pylist() for name in _names(text))),
    }


def _histogram_counts(tables: Path) -> dict[str, int]:
    table = _table(tables, "histograms")
    from ycsbook.ingest.readers import hdr

    counts = Counter()
    for name, text in zip(table["operation"].to_pylist(), table["histogram"].to_pylist(), strict=True):
        counts[name] += hdr.decode(text.encode() if isinstance(text, str) else text).count
    return dict(counts)


def _table(tables: Path, name: str, columns: list[str] | None = None):
    return pq.read_table(tables / f"{name}.parquet", columns=columns)


def _column(tables: Path, name: str, column: str):
    return _table(tables, name, [column])[column].cast("string")


def _names(text: str | list[str]) -> list[str]:
    return text.split() if isinstance(text, str) else text


if __name__ == "__main__":
    print(json.dumps(kept(Path(sys.argv[1]))))
