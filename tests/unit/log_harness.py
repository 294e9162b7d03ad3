"""What every reader of a load generator's text must bear: a cut at every byte, and bytes that are no log."""

import math
from pathlib import Path
from types import ModuleType

from hypothesis import strategies as st

from ycsbook.errors import RunLogError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.runlog import RunLog

HOSTILE = (
    b"",
    b"\n",
    b"\0" * 4096,
    b"\xff\xfe" + "READ   - Takes(s)".encode("utf-16-le"),
    b"[" * 100_000,
    b'[{"Operation":' * 5_000,
    b"A" * 300_000 + b"\nafter\n",
    b"Total thread:" + b"9" * 70_000,
    bytes(range(256)) * 40,
)
NOT_OURS = (
    b"YCSB Client 0.17.0\n[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 10.0\n[READ], Operations, 10\n",
    b"2023-05-06 10:26:26:218 10 sec: 38662 operations; 3866.2 current ops/sec; [READ: Count=19410, Max=562687]\n",
    b"spec,threads,throughput_ops_s\n2c4g,100,5000\n",
    b"# MongoDB results\n\nWe ran the total insert benchmark and the run finished, takes long. Total thread: many.\n",
    b"<html><body><p>summary = good</p></body></html>\n",
    b"",
)


def parsed(reader: ModuleType, folder: Path, *contents: bytes | str) -> list[RunLog]:
    sources = []
    for i, content in enumerate(contents):
        path = folder / f"log{i}.txt"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        sources.append(Source(path, f"log{i}"))
    return reader.parse(sources)


def one(reader: ModuleType, folder: Path, content: bytes | str) -> RunLog:
    (log,) = parsed(reader, folder, content)
    return log


def figures(log: RunLog) -> tuple:
    return tuple(map(repr, (log.throughput_ops_s, log.runtime_ms, log.summaries)))


def rows(log: RunLog, operation: str) -> list[tuple[float, float, float]]:
    """elapsed_s, operations and mean_us of the intervals of an operation."""
    found = []
    for block in log.series.blocks():
        for i, name in enumerate(block.name.tolist()):
            if block.names[name] == operation:
                found.append(tuple(float(c[i]) for c in (block.elapsed_s, block.operations, block.mean_us)))
    return found


def cut_everywhere(reader: ModuleType, folder: Path, content: str, *, step: int = 1) -> None:
    """Nothing raises, and a log that was cut gives the figures of the whole one or none."""
    whole = [figures(log) for log in parsed(reader, folder, content)]
    raw = content.encode()
    for size in range(0, len(raw), step):
        for log, wanted in zip(parsed(reader, folder, raw[:size]), whole, strict=False):
            if log.overall_count:
                assert figures(log) == wanted, raw[:size][-200:]
            else:
                assert math.isnan(log.throughput_ops_s) and not log.summaries, raw[:size][-200:]


def bears(reader: ModuleType, folder: Path, content: bytes) -> None:
    """Bytes of any kind give runs or a RunLogError, and `recognises` an answer."""
    assert reader.recognises(content[: 64 * 1024]) in (True, False)
    try:
        logs = parsed(reader, folder, content)
    except RunLogError:
        return
    assert logs
    for log in logs:
        assert log.format == reader.FORMAT
        assert list(log.series.blocks()) is not None


def mutations(content: str) -> st.SearchStrategy[bytes]:
    """The content with a stretch replaced by other bytes."""
    raw = content.encode()
    other = st.one_of(st.binary(max_size=40), st.sampled_from([b"\0", b"\n", b"-1", b"9" * 30, b"NaN", b",", b"\xff"]))

    def replaced(at: int, length: int, by: bytes) -> bytes:
        return raw[:at] + by + raw[at + length :]

    return st.builds(replaced, st.integers(0, len(raw)), st.integers(0, 60), other)
