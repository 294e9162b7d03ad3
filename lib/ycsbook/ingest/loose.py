"""Histograms and raw measurements without the log of their run: exact latencies of a run whose rate nobody knows."""

from pathlib import Path

from ycsbook.ingest import beside
from ycsbook.ingest.files import identity
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.finding.names import histogram
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.output import Output
from ycsbook.ingest.readers import hdr
from ycsbook.ingest.runs.rows import Histogram
from ycsbook.ingest.runs.runs import RunEvidence, add_run


def add_hdr(output: Output, item: IngestItem) -> None:
    """Add a run of .hdr files, one per operation, that no log has taken.

    Raises
        RunLogError: one of them cannot be read.
    """
    files = [path for path in item.files if output.is_free(path)]
    _add(output, item, files, "hdr", {histogram(path.name)[1] or path.stem: _distribution(path) for path in files})


def add_raw(output: Output, item: IngestItem) -> None:
    """Add a run of files of raw measurements, as add_hdr; of several runs in a file the last."""
    files = [path for path in item.files if output.is_free(path)]
    distributions: dict[str, Histogram] = {}
    for path in files:
        distributions |= beside.raw_runs(path)[-1]
    _add(output, item, files, "raw", distributions)


def _distribution(path: Path) -> Histogram:
    return Histogram(hdr.read(path), str(path))


def _add(output: Output, item: IngestItem, files: list[Path], format: str, distributions: dict[str, Histogram]) -> None:
    if not files:
        return
    run_id = output.run_id(item.name, identity.digest_of(files))
    columns = output.user_columns(item.files[0])
    evidence = RunEvidence(run_id, RunLog(format=format), columns, distributions, source=str(item.files[0]))
    add_run(output.rows, evidence)
    output.done(item, format, [run_id])
