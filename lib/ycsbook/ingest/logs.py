"""From what was found to rows: opens files, reads them by their format, and adds the rows of each run."""

from collections.abc import Iterable, Iterator, Sequence

from ycsbook.errors import RunLogError
from ycsbook.ingest import batches, beside, parsing, readers, several
from ycsbook.ingest.batches import SmallLog
from ycsbook.ingest.files import identity
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.finding.detect import IngestItem, Kind
from ycsbook.ingest.finding.names import histogram
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.output import Output, Result
from ycsbook.ingest.readers import hdr, ycsb
from ycsbook.ingest.runs.rows import Histogram, Rows
from ycsbook.ingest.runs.runs import RunEvidence, add_run, overruled_by

# Bytes of logs that are read before their rows are handed over, about.
BATCH_BYTES, BATCH_LOGS = 16 * 1024 * 1024, 2_000


class Reader:
    """Reads found things into rows.

    Parameters
        annotations: what the user adds to the files.
        format: read every log as this, whatever it looks like; empty: told by its content.
        used: histograms that other runs have already.
        taken: ids that other runs have already.
    """

    def __init__(
        self, annotations: Annotations, format: str = "", *, used: Iterable[str] = (), taken: Iterable[str] = ()
    ):
        self._output = Output(annotations, used, taken)
        self._format = format

    def read(self, items: Iterable[IngestItem]) -> Iterator[tuple[Rows, list[Result]]]:
        """Read everything, a batch at a time: the rows of the batch and what each thing gave."""
        batch: list[SmallLog] = []
        size = 0
        for item in items:
            if item.kind.is_loose:
                # Whose they are is known when all logs before them have been read.
                self._add_batch(batch)
                batch = []
                self._add(item)
            elif self._format not in ("", ycsb.FORMAT) or not batches.is_small(item):
                self._add(item)
                size += BATCH_BYTES // 4
            elif (log := self._opened(item)) is not None:
                batch.append(log)
                size += log.size
            if size >= BATCH_BYTES or len(batch) >= BATCH_LOGS:
                self._add_batch(batch)
                batch, size = [], 0
                yield self._output.take()
        self._add_batch(batch)
        yield self._output.take()

    def _opened(self, item: IngestItem) -> SmallLog | None:
        """A small log for the batch; None of what is no log of YCSB, which is read at once."""
        try:
            log = batches.opened(item)
        except RunLogError as e:
            self._output.rejected(item, e)
            return None
        if self._format or log.is_ycsb:
            return log
        self._add(item, log.digest)
        return None

    def _add_batch(self, batch: Sequence[SmallLog]) -> None:
        batches.add(self._output, batch, self._add_logs)

    def _add(self, item: IngestItem, digest: str = "") -> None:
        """Read one thing; `digest`: of its files, where it is known."""
        try:
            match item.kind:
                case Kind.LOG:
                    self._add_log(item, digest)
                case Kind.STORED:
                    several.add_stored(self._output, item, self._format)
                case Kind.CLIENTS:
                    self._add_clients(item)
                case Kind.HDR | Kind.RAW:
                    self._add_loose(item)
                case Kind.PUBLISHED:
                    self._add_table(item)
                case Kind.PAGE:
                    self._add_page(item)
        except RunLogError as e:
            self._output.rejected(item, e)

    def _add_log(self, item: IngestItem, digest: str) -> None:
        format, logs = parsing.runs(item, self._format)
        if format == readers.PAGE:
            self._add_page(item)
        elif format == readers.RAW:
            self._add_loose(item)
        elif logs:
            self._add_logs(item, logs, digest or identity.digest_of(item.files))
        else:
            self._output.results.append(Result(item))

    def _add_logs(self, item: IngestItem, logs: Sequence[RunLog], digest: str) -> None:
        """Add each run of a log."""
        output, source = self._output, str(item.files[0])
        columns = output.user_columns(item.files[0])
        base_id = identity.run_id(item.name, digest)
        distributions = output.beside(item, logs)
        ids = []
        for log, histograms in zip(logs, distributions.per_run, strict=True):
            ids.append(output.unique_id(base_id))
            add_run(output.rows, RunEvidence(ids[-1], log, columns, histograms, source=source))
        remarks = [f"{source}: {remark}" for remark in overruled_by(output.rows.runs[-len(logs) :], columns)]
        output.done(item, logs[0].format, ids, distributions.rejected, remarks=remarks)

    def _add_clients(self, item: IngestItem) -> None:
        try:
            several.add_clients(self._output, item, self._format)
        except RunLogError as refusal:
            # What their names said was wrong, or one of them is no log: each is a run of its own.
            before = len(self._output.results)
            for client in item.clients:
                self._add(client)
            self._output.join_results(item, before, str(refusal))

    def _add_loose(self, item: IngestItem) -> None:
        """Add histograms or raw measurements without their log: exact latencies of a run whose rate nobody knows."""
        output = self._output
        files = [path for path in item.files if output.is_free(path)]
        if not files:
            return
        format = readers.HDR if item.kind == Kind.HDR else readers.RAW
        found: dict[str, Histogram] = {}
        for path in files:
            if format == readers.HDR:
                found[histogram(path.name)[1] or path.stem] = Histogram(hdr.read(path), str(path))
            else:
                found |= beside.raw_runs(path)[-1]  # of several runs in a file the last
        run_id = output.run_id(item.name, identity.digest_of(files))
        columns = output.user_columns(item.first_file)
        add_run(output.rows, RunEvidence(run_id, RunLog(format=format), columns, found, source=str(item.first_file)))
        output.done(item, format, [run_id])

    # Only in these: most archives have no published tables, and what reads them takes long to load.

    def _add_table(self, item: IngestItem) -> None:
        from ycsbook.ingest.published import published

        self._output.add_published(item, *published.rows(item.files[0].absolute()))

    def _add_page(self, item: IngestItem) -> None:
        from ycsbook.ingest.published import page

        (runs, operations), rejected = page.read(Source(item.files[0]))
        self._output.add_published(item, runs, operations, rejected)
