"""From what was found to rows: opens files, reads them by their format, and adds the rows of each run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ycsbook.errors import RunLogError
from ycsbook.ingest import exact_latencies, parsing, readers
from ycsbook.ingest.files import identity
from ycsbook.ingest.files.scan import MANIFEST, STREAMS
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.finding.detect import IngestItem, Kind
from ycsbook.ingest.finding.names import histogram
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.output import Output, Result
from ycsbook.ingest.readers import hdr, http_load, ycsb
from ycsbook.ingest.runs import manifest
from ycsbook.ingest.runs.clients import merge
from ycsbook.ingest.runs.rows import Histogram, Rows
from ycsbook.ingest.runs.runs import RunEvidence, add_run, overruled_by

# Bytes of logs that are read before their rows are handed over, about.
BATCH_BYTES, BATCH_LOGS = 16 * 1024 * 1024, 2_000

# A run without what its folder says of it, its digest, and what of it cannot be read.
_Run = tuple[RunEvidence, str, list[RunLogError]]


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
        batch: list[parsing.SmallLog] = []
        size = 0
        for item in items:
            if item.kind.is_loose:
                # Whose they are is known when all logs before them have been read.
                self._add_batch(batch)
                batch = []
                self._add(item)
            elif self._format not in ("", ycsb.FORMAT) or not parsing.is_small(item):
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

    def _opened(self, item: IngestItem) -> parsing.SmallLog | None:
        """A small log for the batch; None of what is no log of YCSB, which is read at once."""
        try:
            log = parsing.opened(item)
        except RunLogError as e:
            self._output.rejected(item, e)
            return None
        if self._format or log.is_ycsb:
            return log
        self._add(item, log.digest)
        return None

    def _add_batch(self, batch: Sequence[parsing.SmallLog]) -> None:
        parsing.add_batch(self._output, batch, self._add_logs)

    def _add(self, item: IngestItem, digest: str = "") -> None:
        """Read one thing; `digest`: of its files, where it is known."""
        try:
            match item.kind:
                case Kind.LOG:
                    self._add_log(item, digest)
                case Kind.STORED:
                    self._add_stored(item)
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
        if not self._format and logs[0].format == ycsb.FORMAT and (reason := parsing.not_ours(item.files, logs)):
            refusal = RunLogError(source, None, f"{reason}; --format {ycsb.FORMAT} reads it all the same")
            output.results.append(Result(item, rejected=(refusal,) if item.explicit else ()))
            return
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
            self._add_run_of_clients(item)
        except RunLogError as refusal:
            # What their names said was wrong, or one of them is no log: each is a run of its own.
            before = len(self._output.results)
            for client in item.clients:
                self._add(client)
            self._output.join_results(item, before, str(refusal))

    def _add_run_of_clients(self, item: IngestItem) -> None:
        """Add the run of several clients.

        Raises
            RunLogError: they are no clients of one run, or one of them is no log.
        """
        run, digest, rejected = _merged(self._output, item, self._format, {})
        run_id = self._output.run_id(item.name, digest)
        user_columns = self._output.user_columns(item.first_file)
        add_run(self._output.rows, replace(run, run_id=run_id, user_columns=user_columns, source=str(item.first_file)))
        self._output.done(item, run.log.format, [run_id], rejected)

    def _add_stored(self, item: IngestItem) -> None:
        """Add a run of the store.

        Raises
            RunLogError: its manifest or its logs cannot be read, or hold several runs.
        """
        folder = item.files[0]
        facts = manifest.load(folder)
        run, digest, rejected = (
            _merged(self._output, item, self._format, facts) if item.clients else _alone(self._output, item, facts)
        )
        run_id = self._output.unique_id(manifest.run_columns(facts)["run_id"] or identity.run_id(folder.name, digest))
        run = replace(
            run,
            run_id=run_id,
            user_columns=self._output.user_columns(folder / MANIFEST),
            facts=facts,
            folder=folder,
            source=str(folder),
            changed=manifest.changed(facts, folder),
        )
        self._output.done(item, run.log.format, [run_id], [*rejected, *add_run(self._output.rows, run)])

    def _add_loose(self, item: IngestItem) -> None:
        """Add histograms or raw measurements without their log: exact latencies of a run whose rate nobody knows."""
        output = self._output
        files = [path for path in item.files if output.is_free(path)]
        if not files:
            return
        format = readers.HDR if item.kind == Kind.HDR else readers.RAW
        distributions: dict[str, Histogram] = {}
        for path in files:
            if format == readers.HDR:
                distributions[histogram(path.name)[1] or path.stem] = Histogram(hdr.read(path), str(path))
            else:
                distributions |= exact_latencies.raw_runs(path)[-1]  # of several runs in a file the last
        run_id = output.run_id(item.name, identity.digest_of(files))
        columns = output.user_columns(item.first_file)
        source = str(item.first_file)
        add_run(output.rows, RunEvidence(run_id, RunLog(format=format), columns, distributions, source=source))
        output.done(item, format, [run_id])

    # Only in these: most archives have no published tables, and what reads them takes long to load.

    def _add_table(self, item: IngestItem) -> None:
        from ycsbook.ingest.published import published

        self._output.add_published(item, *published.rows(item.files[0].absolute()))

    def _add_page(self, item: IngestItem) -> None:
        from ycsbook.ingest.published import page

        (runs, operations), rejected = page.read(Source(item.files[0]))
        self._output.add_published(item, runs, operations, rejected)


def _alone(output: Output, item: IngestItem, facts: Mapping) -> _Run:
    """The run of one client, in its folder of the store; `facts`: its manifest."""
    folder = item.files[0]
    files = [folder / name for name in STREAMS if (folder / name).is_file()]
    if operation := manifest.over_http(facts):
        logs = http_load.parse_operation(folder / STREAMS[0], operation)
    else:
        logs = parsing.ycsb_runs(files) or [RunLog()]
    if len(logs) > 1:
        raise RunLogError(files[0], None, f"holds {len(logs)} runs; a run folder holds one")
    distributions = output.beside(item, logs)
    run = RunEvidence("", logs[0], histograms=distributions.per_run[0])
    return run, identity.digest_of(files), distributions.rejected


def _merged(output: Output, item: IngestItem, format: str, facts: Mapping) -> _Run:
    """The run that several clients made; `facts`: its manifest, if any."""
    logs, histograms, files = [], [], []
    rejected: list[RunLogError] = []
    first_files: dict[str, Path] = {}
    for client in item.clients:
        _, runs = parsing.runs(client, format)
        first, digest = client.files[0], identity.digest_of(client.files)
        if digest in first_files:
            raise RunLogError(
                first, None, f"is the same log as {first_files[digest]}, so they are no clients of one run"
            )
        first_files[digest] = first
        if len(runs) != 1:
            raise RunLogError(first, None, f"holds {len(runs)} runs; a client of a run has one")
        logs += runs
        distributions = output.beside(client, runs)
        histograms += distributions.per_run
        rejected += distributions.rejected
        files += client.files
    # Sums need the buckets, also of what was measured to the microsecond.
    in_buckets = [{name: exact_latencies.in_buckets(h) for name, h in of_client.items()} for of_client in histograms]
    merged = merge(logs, in_buckets, manifest.clocks_ahead_s(facts, len(logs)))
    together = {
        name: replace(h, source=", ".join(of_client[name].source for of_client in histograms if name in of_client))
        for name, h in merged.histograms.items()
    }
    run = RunEvidence("", merged.log, histograms=together, verdict=merged.verdict, warnings=merged.warnings)
    return run, identity.digest_of(files), rejected
