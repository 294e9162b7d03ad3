"""Logs of YCSB that leave out what commands like to know."""

from pathlib import Path

from ycsbook.ingest import archive


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
