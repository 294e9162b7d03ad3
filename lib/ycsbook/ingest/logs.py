"""From what was found to rows: opens files, reads them by their format, and adds the rows of each run.

Small logs of YCSB wait for each other: the status lines of a batch are read by one call of the fast reader, and its
logs beyond doubt as columns. That gives the same as reading them one by one.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ycsbook.errors import DataError, RunLogError
from ycsbook.facts import fact
from ycsbook.ingest import output, parsing, readers
from ycsbook.ingest.files.scan import MANIFEST, PACKED, STREAMS
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding.detect import PAGE_SUFFIXES, IngestItem, Kind
from ycsbook.ingest.finding.names import histogram
from ycsbook.ingest.log.labels import counted, settings_of_path
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.output import Output, Result
from ycsbook.ingest.published import published
from ycsbook.ingest.readers import hdr, http_load, ycsb, ycsb_batch
from ycsbook.ingest.readers.text_runs import has_titles
from ycsbook.ingest.runs import clean_logs, manifest
from ycsbook.ingest.runs.checks import phase
from ycsbook.ingest.runs.clients import FILE, merge, of_one_run
from ycsbook.ingest.runs.rows import Histogram, Rows
from ycsbook.ingest.runs.runs import EVIDENCE, RunEvidence, add_run, overruled_by
from ycsbook.store.runs import altered

# Logs up to this size are read whole, until a batch is full.
SMALL_BYTES = 4 * 1024 * 1024
# A small log that waits: what was found, the content of its files, and their digest.
_SmallLog = tuple[IngestItem, list[bytes], str]
# Bytes of logs that are read before their rows are handed over, about.
BATCH_BYTES, BATCH_LOGS = 6 * 1024 * 1024, 2_000


# A run without what its folder says, the digest of its files, histograms it used or looked for, what is not read.
_Run = tuple[RunEvidence, str, list[Path], list[RunLogError]]


class Reader:
    """Reads the items that were found into rows of `output`; `format`: as this, whatever it looks like."""

    def __init__(self, output: Output, format: str = ""):
        self._output, self._format = output, format

    def read(self, items: Iterable[IngestItem]) -> Iterator[tuple[Rows, list[Result]]]:
        """Read everything, a batch at a time: the rows of the batch and what each thing gave."""
        batch: list[_SmallLog] = []
        size = 0
        for item in items:
            if item.kind.is_loose:
                # Whose they are is known when all logs before them have been read.
                self._add_batch(batch)
                batch = []
                self._add(item)
            elif self._format not in ("", ycsb.FORMAT) or not _is_small(item):
                self._add(item)
                size += BATCH_BYTES // 4
            elif (log := self._opened(item)) is not None:
                batch.append(log)
                size += sum(map(len, log[1]))
            if size >= BATCH_BYTES or len(batch) >= BATCH_LOGS:
                self._add_batch(batch)
                batch, size = [], 0
                yield self._output.take()
        self._add_batch(batch)
        yield self._output.take()

    def _opened(self, item: IngestItem) -> _SmallLog | None:
        try:
            contents = [Source(path).content(2 * SMALL_BYTES) for path in item.files]
        except RunLogError as e:
            self._output.results.append(Result(item, rejected=(e,)))
            return None
        digest = output.digest((len(c), c[: output.DIGEST_BYTES], c[-output.DIGEST_BYTES :]) for c in contents)
        if self._format or parsing.is_ycsb(item.files, contents):
            return item, contents, digest
        self._add(item, digest)
        return None

    def _add_batch(self, batch: Sequence[_SmallLog]) -> None:
        """Add the runs of small logs; those that are not beyond doubt from what the log says line by line."""
        splits = iter(ycsb_batch.read([ycsb_batch.split(content) for _, contents, _ in batch for content in contents]))
        candidates, of_logs = [], []
        for item, contents, _ in batch:
            parts, columns = [next(splits) for _ in contents], self._output.annotations.columns(item.files[0])
            is_alone = not (item.hdr or item.raw) and columns.keys().isdisjoint(EVIDENCE)
            candidates.append(clean_logs.candidate(item.files, contents, parts) if is_alone else None)
            of_logs.append((parts, columns))
        beyond_doubt = iter(clean_logs.read([candidate for candidate in candidates if candidate]))
        runs_by_block: dict[int, tuple[clean_logs.Alike, list[dict]]] = {}
        for (item, contents, digest), (parts, columns), candidate in zip(batch, of_logs, candidates, strict=True):
            if candidate and (block_row := next(beyond_doubt)):
                block, row = block_row
                run_id, source = self._run_id(item.name, digest), str(item.files[0])
                run = block.run(row, run_id, item.files[0], columns, item.place)
                runs_by_block.setdefault(id(block), (block, []))[1].append(run)
                remarks = [f"{source}: {remark}" for remark in overruled_by([run], columns, source)]
                self._output.done(item, ycsb.FORMAT, [run_id], runs=[run], remarks=remarks)
                continue
            streams = [ycsb.Stream(str(path)) for path in item.files]
            for stream, content, part in zip(streams, contents, parts, strict=True):
                if part:
                    stream.take_status(*part)
                else:
                    stream.feed(content)
            self._add_logs(item, ycsb.runs_of(streams), digest)
        for block, runs in runs_by_block.values():
            block.add_to(self._output.rows, runs)

    def _run_id(self, name: str, digest: str) -> str:
        return self._output.unique_id(output.run_id(name, digest))

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
                    self._output.add_published(item, published.rows(item.files[0].absolute()))
                case Kind.PAGE:
                    self._add_page(item)
                case Kind.OWN:
                    self._add_own(item)
        except RunLogError as e:
            self._output.results.append(Result(item, rejected=(e,)))

    def _add_log(self, item: IngestItem, digest: str) -> None:
        format, logs = parsing.runs(item, self._format)
        if format == readers.PAGE:
            self._add_page(item)
        elif format == readers.RAW:
            self._add_loose(item)
        elif logs:
            self._add_logs(item, logs, digest or output.digest_of(item.files))
        else:
            self._output.results.append(Result(item))

    def _add_logs(self, item: IngestItem, logs: Sequence[RunLog], digest: str) -> None:
        source, rows = str(item.files[0]), self._output.rows
        if not self._format and logs[0].format == ycsb.FORMAT and (reason := parsing.not_ours(item.files, logs)):
            refused = (RunLogError(source, None, reason),) if item.explicit else ()
            self._output.results.append(Result(item, rejected=refused))
            return
        columns = self._output.annotations.columns(item.files[0])
        logs, above = _with_words(item, logs)
        exact = parsing.exact_latencies(item, logs)
        groups = of_one_run(logs)
        searched = {log.printer: os.path.splitext(log.printer)[0] for log in logs if FILE.search(log.printer)}
        marks = counted(set(searched.values()))
        # Of several runs in one file nothing says that they are of one server, and none of what pages quote.
        is_alone = sum(phase(logs[i]) == "run" for i, *_ in groups) < 2 and not any(log.quoted for log in logs)
        place, ids, remarks = item.place if is_alone else "", [], []
        for at in groups:
            of_runs, remark = _together([logs[i] for i in at], [exact.per_run[i] for i in at])
            remarks += [f"{source}: {remark}"] if remark else []
            for run, i in zip(of_runs, at, strict=False):
                ids.append(self._run_id(item.name, digest))
                words = above[i] if len(of_runs) == len(at) else {}
                if stem := searched.get(logs[i].printer):
                    words = settings_of_path(stem) | words
                    place = os.path.join(item.place.partition(os.sep)[0], marks.get(stem, stem))
                of_file = {"user_columns": columns, "source": source, "place": place, "on_page": words}
                add_run(rows, replace(run, run_id=ids[-1], **of_file))
        remarks += [f"{source}: {remark}" for remark in overruled_by(rows.runs[-len(ids) :], columns, source)]
        if item.files[0].suffix in PAGE_SUFFIXES:
            from ycsbook.ingest.published import page

            read = {log.source.rpartition(":")[2] for log in logs}
            remarks += _not_read(item.files[0], logs[0].format) + page.tables_beside_logs(Source(item.files[0]), read)
        self._output.done(item, logs[0].format, ids, exact.rejected, used=exact.used, remarks=remarks)

    def _add_clients(self, item: IngestItem) -> None:
        try:
            run, digest, used, rejected = self._merged(item, {})
        except RunLogError as refusal:
            # What their names said was wrong, or one of them is no log: each is a run of its own.
            before = len(self._output.results)
            for client in item.clients:
                self._add(client)
            self._output.join_results(item, before, str(refusal))
            return
        run_id = self._run_id(item.name, digest)
        columns, source = self._output.annotations.columns(item.first_file), str(item.first_file)
        of_item = {"run_id": run_id, "user_columns": columns, "source": source, "place": item.place}
        add_run(self._output.rows, replace(run, **of_item))
        self._output.done(item, run.log.format, [run_id], rejected, used=used)

    def _add_stored(self, item: IngestItem) -> None:
        folder = item.files[0]
        facts = manifest.load(folder)
        run, digest, used, rejected = self._merged(item, facts) if item.clients else _of_one_client(item, facts)
        id_ = manifest.run_columns(facts)["run_id"] or output.run_id(folder.name, digest)
        run = replace(
            run,
            run_id=self._output.unique_id(id_),
            user_columns=self._output.annotations.columns(folder / MANIFEST),
            facts=facts,
            folder=folder,
            source=str(folder),
            changed=tuple(sorted(altered(facts, folder))),
        )
        rejected += add_run(self._output.rows, run)
        self._output.done(item, run.log.format, [run.run_id], rejected, used=used)

    def _merged(self, item: IngestItem, facts: Mapping) -> _Run:
        """The run that several clients made; `facts`: its manifest, if any. Raises RunLogError for what are none."""
        logs, histograms, files, used, rejected = [], [], [], [], []
        first_files: dict[str, Path] = {}
        for number, client in enumerate(item.clients):
            if not client.files:
                raise RunLogError(item.first_file, None, f"client {number} of {len(item.clients)} has no log")
            _, runs = parsing.runs(client, self._format)
            first, digest = client.files[0], output.digest_of(client.files)
            if digest in first_files:
                reason = f"is the same log as {first_files[digest]}, so they are no clients of one run"
                raise RunLogError(first, None, reason)
            first_files[digest] = first
            if len(runs) != 1:
                raise RunLogError(first, None, f"holds {len(runs)} runs; a client of a run has one")
            logs += runs
            exact = parsing.exact_latencies(client, runs)
            histograms += exact.per_run
            used += exact.used
            rejected += exact.rejected
            files += client.files
        merged = merge(logs, histograms, manifest.clocks_ahead_s(facts, len(logs)))
        together = {
            name: replace(h, source=", ".join(of_client[name].source for of_client in histograms if name in of_client))
            for name, h in merged.histograms.items()
        }
        return replace(merged, histograms=together), output.digest_of(files), used, rejected

    def _add_loose(self, item: IngestItem) -> None:
        """Add histograms or raw measurements without their log: exact latencies of a run whose rate nobody knows."""
        files = [path for path in item.files if path.resolve() not in self._output.used]
        if not files:
            return
        format = readers.HDR if item.kind == Kind.HDR else readers.RAW
        distributions: dict[str, Histogram] = {}
        for path in files:
            if format == readers.HDR:
                distributions[histogram(path.name)[1] or path.stem] = Histogram(hdr.read(path), str(path))
            else:
                distributions |= parsing.raw_runs(path)[-1]  # of several runs in a file the last
        run_id = self._run_id(item.name, output.digest_of(files))
        columns, source = self._output.annotations.columns(item.first_file), str(item.first_file)
        run = RunEvidence(run_id, RunLog(format=format), columns, distributions, source=source)
        add_run(self._output.rows, run)
        self._output.done(item, format, [run_id])

    def _add_page(self, item: IngestItem) -> None:
        # Only here, and below: most archives have no such tables, and what reads them takes long to load.
        from ycsbook.ingest.published import page

        threads = self._output.annotations.columns(item.files[0]).get("threads", "")
        source = Source(item.files[0])
        try:
            rows, rejected = page.read(source, f"{threads:g}" if threads else "")
        except RunLogError as e:
            if not (program := readers.other_program(source.head(readers.SNIFF_BYTES))):
                raise
            raise RunLogError(e.path, e.line, f"{e.reason}; what it holds of {program} is not read") from None
        self._output.add_published(
            item, rows, rejected, [*_not_read(item.files[0], readers.PAGE), *page.left_out(source)]
        )

    def _add_own(self, item: IngestItem) -> None:
        from ycsbook.ingest.published import own_csv

        try:
            tables, left_out = own_csv.tables_in(item.files[0])
        except DataError as e:
            raise RunLogError(item.files[0], None, "; ".join(e.args)) from None
        rows = (frame.to_dict("records") for frame in (tables.runs, tables.operations, tables.percentiles))
        self._output.add_published(item, rows, remarks=left_out)


def _not_read(document: Path, format: str) -> list[str]:
    """A remark for each other format that a document quotes and that is not read."""
    other_formats = readers.also_quoted(Source(document).head(readers.PAGE_SNIFF_BYTES), format)
    return [f"{document}: what it holds of {name} is not read; put it into a file of its own" for name in other_formats]


def _with_words(item: IngestItem, logs: Sequence[RunLog]) -> tuple[Sequence[RunLog], list[Mapping]]:
    """The logs, their phase from the page that quotes them if only it says it; its columns for each."""
    lines = [log.source.rpartition(":")[2] for log in logs]
    is_quoted = len(logs) > 1 or logs[0].quoted
    is_quoted |= logs[0].threads is None and has_titles(Source(item.files[0]).head(readers.SNIFF_BYTES))
    if len(item.files) > 1 or not is_quoted or not all(map(str.isdecimal, lines)):
        return logs, [{}] * len(logs)
    # Only here: most logs are quoted nowhere, and what reads pages takes longer to load than a small log to read.
    from ycsbook.ingest.published import page

    head = b"" if len({log.printer for log in logs}) > 1 else Source(item.files[0]).head(page.MAX_QUOTED_BYTES)
    commands = [log.command_line for log in logs]
    above = page.columns_of_logs(head.decode("utf-8", errors="replace"), [*map(int, lines)], commands)
    is_bare = [log.quoted and not (log.command_line or log.attempted) for log in logs]
    phases = [{"phase": of["phase"]} if bare and "phase" in of else {} for of, bare in zip(above, is_bare, strict=True)]
    return [replace(log, columns=of | log.columns) for log, of in zip(logs, phases, strict=True)], above


def _together(logs: Sequence[RunLog], histograms: Sequence[Mapping[str, Histogram]]) -> tuple[list[RunEvidence], str]:
    """The runs of one file, one where its printers are clients of one run, else one each; and a remark for the user."""
    apart = [RunEvidence("", log, histograms=of_client) for log, of_client in zip(logs, histograms, strict=True)]
    if len(logs) == 1:
        return apart, ""
    printers = f"{len(logs)} printers of this file, {logs[0].printer} and others,"
    try:
        merged = merge(logs, histograms)
    except RunLogError as refusal:
        return apart, refusal.reason
    if fact("reason-clients-without-clock") in merged.verdict.reasons:
        return apart, f"{printers} may be clients of one run, but no clock in their lines tells: each counts as a run"
    remark = f"{printers} worked at the same time by their clocks: they count as clients of one run"
    return [replace(merged, histograms={})], remark


def _is_small(item: IngestItem) -> bool:
    """Whether this is a log that may wait in memory for others."""
    files = item.stats[: len(item.files)]
    is_plain = item.kind == Kind.LOG and not any(file.path.endswith(PACKED) for file in files)
    return is_plain and sum(file.size for file in files) <= SMALL_BYTES


def _of_one_client(item: IngestItem, facts: Mapping) -> _Run:
    """The run of one client, in its folder of the store; `facts`: its manifest."""
    folder = item.files[0]
    files = [folder / name for name in STREAMS if (folder / name).is_file()]
    if operation := manifest.over_http(facts):
        logs = http_load.parse_operation(folder / STREAMS[0], operation)
    else:
        logs = parsing.ycsb_runs(files) or [RunLog()]
    if len(logs) > 1:
        raise RunLogError(files[0], None, f"holds {len(logs)} runs; a run folder holds one")
    exact = parsing.exact_latencies(item, logs)
    run = RunEvidence("", logs[0], histograms=exact.per_run[0])
    return run, output.digest_of(files), exact.used, exact.rejected
