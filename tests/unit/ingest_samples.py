"""Logs of YCSB that leave out what commands like to know, and histograms of latencies."""

from pathlib import Path

import numpy as np

from ycsbook.ingest import archive
from ycsbook.ingest.readers.hdr import YCSB_MAPPING, HdrLog


def two_folders(folder: Path) -> None:
    """The tables of two logs called alike, with a mix of nobody's, no threads and no command line."""
    for name, rate in (("mongo", 1000.0), ("postgres", 1300.0)):
        (folder / name).mkdir()
        lines = ["[OVERALL], RunTime(ms), 10000", f"[OVERALL], Throughput(ops/sec), {rate}"]
        for operation, share in (("READ", 0.7), ("UPDATE", 0.3)):
            count = int(10 * rate * share)
            lines += [f"[{operation}], Operations, {count}", f"[{operation}], AverageLatency(us), 900.0"]
            lines.append(f"[{operation}], Return=OK, {count}")
        (folder / name / "run.log").write_text("\n".join([*lines, ""]))
    archive.update([folder / "mongo", folder / "postgres"], folder / "tables")


def histogram_of(values_us: np.ndarray) -> HdrLog:
    """The histogram that YCSB would write of these latencies."""
    return HdrLog(YCSB_MAPPING, np.bincount(YCSB_MAPPING.index(values_us), minlength=YCSB_MAPPING.length))
