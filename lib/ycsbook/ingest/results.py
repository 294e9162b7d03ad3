"""What reading gives of each thing that was found. Cheap to load, unlike what reads."""

from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import RunLogError
from ycsbook.facts import Fact
from ycsbook.ingest.finding.detect import IngestItem, Kind

# Bytes of logs that are read before their rows are handed over, about.
BATCH_BYTES, BATCH_LOGS = 16 * 1024 * 1024, 2_000
# Histograms and raw measurements that no log claims by its name; a command line may.
LOOSE = (Kind.HDR, Kind.RAW)


class Result(NamedTuple):
    """What one found thing gave: the ids, outcomes and warnings of its runs, its format, what could not be read of it,
    what the user should know, the histograms that it used or looked for where there was none, and why which of its runs
    did not complete."""

    found: IngestItem
    run_ids: tuple[str, ...] = ()
    format: str = ""
    rejected: tuple[RunLogError, ...] = ()
    remarks: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    used: tuple[Path, ...] = ()
    unfinished: tuple[Fact, ...] = ()
