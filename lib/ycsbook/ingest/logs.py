"""From what was found to rows: opens files, reads them by their format, and adds the rows of each run.

Small YCSB logs are read many at a time, their status lines by one call of the fast reader. Both ways of reading give
the same; what is odd in any way is read line by line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook.errors import RunLogError
from ycsbook.facts import Fact, fact, from_json
from ycsbook.ingest import beside, readers
from ycsbook.ingest.files import identity
from ycsbook.ingest.files.sources import PACKED, Source
from ycsbook.ingest.finding import detect
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.finding.detect import IngestItem, Kind
from ycsbook.ingest.finding.names import histogram
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import hdr, ycsb, ycsb_batch
from ycsbook.ingest.results import BATCH_BYTES, BATCH_LOGS, LOOSE, Result
from ycsbook.ingest.runs import manifest, regular
from ycsbook.ingest.runs.clients import Merged, merge
from ycsbook.ingest.runs.rows import Histogram, Rows
from ycsbook.ingest.runs.runs import EVIDENCE, RunEvidence, add_run, overruled_by
from ycsbook.secrets import redact
from ycsbook.verdicts import Outcome

if TYPE_CHECKING:
    from ycsbook.ingest.published.published import PublishedRows

# Logs up to this size are read whole, until a batch is full.
SMALL_BYTES = 4 * 1024 * 1024
# How a log of YCSB begins; what begins otherwise is looked at more closely.
_BEGINS = re.compile(
    rb"\s{0,8}(?:Command line: |YCSB Client \d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} \d+ sec: |\[\w{1,80}\], "
    rb"|\S{0,200}\bjava [^\n]*\bycsb\.Client )"
)
_JSON_ENDS = (b"]", b"}")


@dataclass
class _Log:
    """The files of one process, being read. Small ones wait with their content for the batch to fill."""

    found: IngestItem
    contents: list[bytes] = field(default_factory=list)
    digest: str = ""


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
        self._annotations, self._format = annotations, format
        self._ids = identity.Ids(taken)
        self.rows = Rows()
        self.results: list[Result] = []
        # Histograms that a command line named are not read again as loose ones.
        self._used = {Path(path).resolve() for path in used}
        self._using: list[Path] = []

    def read(self, items: Iterable[IngestItem]) -> Iterator[tuple[Rows, list[Result]]]:
        """Read everything, a batch at a time: the rows of the batch and what each thing gave."""
        batch: list[_Log] = []
        size = 0
        for item in items:
            if item.kind in LOOSE:
                # Whose they are is known when all logs before them have been read.
                self._many(batch)
                batch = []
                self._one(item)
            elif not self._is_small(item):
                self._one(item)
                size += BATCH_BYTES // 4
            elif (log := self._opened(item)) is not None:
                batch.append(log)
                size += sum(map(len, log.contents))
            if size >= BATCH_BYTES or len(batch) >= BATCH_LOGS:
                self._many(batch)
                batch, size = [], 0
                yield self._taken()
        self._many(batch)
        yield self._taken()

    def _taken(self) -> tuple[Rows, list[Result]]:
        rows, results = self.rows, self.results
        self.rows, self.results = Rows(), []
        return rows, results

    # -- many small logs at once

    def _is_small(self, item: IngestItem) -> bool:
        if item.kind != Kind.LOG or self._format not in ("", ycsb.FORMAT):
            return False
        files = item.stats[: len(item.files)]
        return sum(s.size for s in files) <= SMALL_BYTES and not any(s.path.endswith(PACKED) for s in files)

    def _opened(self, item: IngestItem) -> _Log | None:
        try:
            contents = [Source(path).content(2 * SMALL_BYTES) for path in item.files]
        except RunLogError as e:
            self.results.append(Result(item, rejected=(e,)))
            return None
        digest = identity.digest_of_contents(contents)
        if self._format or all(map(_is_plain_log, contents)) or self._is_ycsb(item, contents):
            return _Log(item, contents, digest)
        self._one(item, digest)
        return None

    def _is_ycsb(self, item: IngestItem, contents: Sequence[bytes]) -> bool:
        formats = (
            readers.format_of(content[: readers.PAGE_SNIFF_BYTES], content[-readers.SNIFF_BYTES :], Source(path).name)
            for path, content in zip(item.files, contents, strict=True)
        )
        return _first_format(formats) == ycsb.FORMAT

    def _many(self, batch: list[_Log]) -> None:
        """Read a batch of YCSB logs, the status lines of all of them at once."""
        splits = iter(ycsb_batch.read([ycsb_batch.split(content) for log in batch for content in log.contents]))
        parts = [[next(splits) for _ in log.contents] for log in batch]
        candidates = [
            None if log.found.hdr or log.found.raw else regular.candidate(log.found.files, log.contents, own)
            for log, own in zip(batch, parts, strict=True)
        ]
        beyond_doubt = iter(regular.read([each for each in candidates if each]))
        rows_of: dict[int, tuple[regular.Alike, list[regular.Chosen]]] = {}
        for log, own, candidate in zip(batch, parts, candidates, strict=True):
            alike_row = next(beyond_doubt) if candidate else None
            said = self._annotations.columns(log.found.files[0]) if alike_row else {}
            if alike_row and said.keys().isdisjoint(EVIDENCE):
                alike, row = alike_row
                run_id = self._ids.unique(identity.run_id(log.found.name, log.digest))
                rows_of.setdefault(id(alike), (alike, []))[1].append(regular.Chosen(row, run_id, said))
                self._done(log.found, ycsb.FORMAT, [run_id], warnings=(alike.warnings[row],))
                continue
            streams = [ycsb.Stream(str(path)) for path in log.found.files]
            for stream, content, part in zip(streams, log.contents, own, strict=True):
                if part:
                    ycsb_batch.feed_part(stream, part)
                else:
                    stream.feed(content)
            self._add_logs(log.found, ycsb.runs_of(streams), log.digest)
        for alike, logs in rows_of.values():
            alike.add_to(self.rows, logs)

    # -- one thing

    def _one(self, item: IngestItem, digest: str = "") -> None:
        try:
            match item.kind:
                case Kind.LOG:
                    self._log(item, digest)
                case Kind.STORED:
                    self._stored(item)
                case Kind.CLIENTS:
                    self._clients(item)
                case Kind.HDR:
                    self._loose(item, {p: "hdr" for p in item.files})
                case Kind.RAW:
                    self._loose(item, {p: "raw" for p in item.files})
                case Kind.PUBLISHED:
                    self._table(item)
                case Kind.PAGE:
                    self._page(item)
        except RunLogError as e:
            self.results.append(Result(item, rejected=(e,)))

    def _log(self, item: IngestItem, digest: str) -> None:
        name, logs = self._parsed(item)
        if name == readers.PAGE:
            self._page(item)
        elif name == readers.RAW:
            self._loose(item, {p: "raw" for p in item.files})
        elif logs:
            self._add_logs(item, logs, digest or identity.digest_of(item.files))
        else:
            self.results.append(Result(item))

    def _parsed(self, item: IngestItem) -> tuple[str, list[RunLog]]:
        """The format of a log and its runs; no runs where it was found in a folder and is no log."""
        sources = [Source(path) for path in item.files]
        name = self._format or _first_format(map(_format_of, sources))
        if name in (readers.PAGE, readers.RAW):
            return name, []
        if not name:
            empty = not any(source.head(1) for source in sources)
            if not (item.explicit or empty):
                return "", []
            name = ycsb.FORMAT
        if name == ycsb.FORMAT:
            return name, ycsb.parse(sources, feed=ycsb_batch.feed)
        return name, readers.parse(name, sources)

    def _add_logs(self, item: IngestItem, logs: Sequence[RunLog], digest: str) -> None:
        said = self._annotations.columns(item.files[0])
        base = identity.run_id(item.name, digest)
        ids = []
        found = self._beside(item, logs)
        for log, histograms in zip(logs, found.per_run, strict=True):
            ids.append(self._ids.unique(base))
            add_run(self.rows, RunEvidence(ids[-1], log, said, histograms, source=str(item.files[0])))
        overruled = overruled_by(self.rows.runs[-len(logs) :], said)
        self._done(
            item, logs[0].format, ids, found.rejected, remarks=[f"{item.files[0]}: {told}" for told in overruled]
        )

    def _clients(self, item: IngestItem) -> None:
        try:
            merged, histograms, digest, rejected = self._merged(item)
        except RunLogError as refusal:
            # What their names said was wrong, or one of them is no log: each is a run of its own.
            before = len(self.results)
            for client in item.clients:
                self._one(client)
            own, self.results[before:] = self.results[before:], []
            self.results.append(_together(item, own, str(refusal)))
            return
        run_id = self._ids.unique(identity.run_id(item.name, digest))
        said = self._annotations.columns(item.clients[0].files[0])
        evidence = RunEvidence(run_id, merged.log, said, histograms, known=merged.verdict, warnings=merged.warnings)
        add_run(self.rows, evidence)
        self._done(item, merged.log.format, [run_id], rejected)

    def _merged(
        self, item: IngestItem, facts: Mapping | None = None
    ) -> tuple[Merged, dict[str, Histogram], str, list[RunLogError]]:
        """The run that several clients made, its histograms, a digest of all its logs, and what could not be read."""
        logs, histograms, files = [], [], []
        rejected: list[RunLogError] = []
        digests: dict[str, Path] = {}
        for client in item.clients:
            _, runs = self._parsed(client)
            first, digest = client.files[0], identity.digest_of(client.files)
            if digest in digests:
                raise RunLogError(
                    first, None, f"is the same log as {digests[digest]}, so they are no clients of one run"
                )
            digests[digest] = first
            if len(runs) != 1:
                raise RunLogError(client.files[0], None, f"holds {len(runs)} runs; a client of a run has one")
            logs += runs
            found = self._beside(client, runs)
            histograms += found.per_run
            rejected += found.rejected
            files += client.files
        # Sums need the buckets, also of what was measured to the microsecond.
        in_buckets = [{name: beside.in_buckets(h) for name, h in found.items()} for found in histograms]
        merged = merge(logs, in_buckets, manifest.clocks_ahead_s(facts or {}, len(logs)))
        together = {
            name: replace(h, source=", ".join(found[name].source for found in histograms if name in found))
            for name, h in merged.histograms.items()
        }
        return merged, together, identity.digest_of(files), rejected

    def _stored(self, item: IngestItem) -> None:
        folder = item.files[0]
        facts = manifest.load(folder)
        merged = None
        if item.clients:
            merged, histograms, digest, rejected = self._merged(item, facts)
            log = merged.log
        else:
            files = [folder / name for name in detect.STREAMS if (folder / name).is_file()]
            log, digest, rejected = _only(ycsb.parse([Source(f) for f in files], feed=ycsb_batch.feed), files), "", []
            found = self._beside(item, [log])
            [histograms], rejected = found.per_run, found.rejected
        run_id = manifest.run_columns(facts)["run_id"] or identity.run_id(
            folder.name, digest or identity.digest_of(files)
        )
        run_id = self._ids.unique(run_id)
        evidence = RunEvidence(
            run_id,
            log,
            self._annotations.columns(folder / detect.MANIFEST),
            histograms,
            facts,
            folder,
            source=str(folder),
            changed=manifest.changed(facts, folder),
            known=merged.verdict if merged else None,
            warnings=merged.warnings if merged else (),
        )
        rejected += add_run(self.rows, evidence)
        self._done(item, log.format, [run_id], rejected)

    def _table(self, item: IngestItem) -> None:
        from ycsbook.ingest.published import published

        self._published(item, published.rows(item.files[0].absolute()))

    def _page(self, item: IngestItem) -> None:
        # Only here: most archives have none, and what reads them takes long to load.
        from ycsbook.ingest.published import page

        self._published(item, *page.read(Source(item.files[0])))

    def _published(self, item: IngestItem, found: "PublishedRows", rejected: Sequence[RunLogError] = ()) -> None:
        runs, operations = found
        renamed = {}
        said = self._annotations.columns(item.files[0])
        for row in runs:
            row |= {k: v for k, v in said.items() if row.get(k) in (None, "")}
            renamed[row["run_id"]] = row["run_id"] = self._ids.unique(row["run_id"])
        self.rows.add_published(runs, [{**o, "run_id": renamed.get(o["run_id"], o["run_id"])} for o in operations])
        self._done(item, runs[0]["format"] if runs else "", list(renamed.values()), rejected)

    def _loose(self, item: IngestItem, files: dict[Path, str]) -> None:
        """Distributions without the log of their run: exact latencies, and a run that nobody knows the rate of."""
        files = {path: kind for path, kind in files.items() if path.resolve() not in self._used}
        if not files:
            return
        found: dict[str, Histogram] = {}
        for path, kind in files.items():
            if kind == "raw":
                found |= beside.raw_runs(path)[-1]
            else:
                found[histogram(path.name)[1] or path.stem] = Histogram(hdr.read(path), str(path))
        run_id = self._ids.unique(identity.run_id(item.name, identity.digest_of(tuple(files))))
        kind = next(iter(files.values()))
        evidence = RunEvidence(
            run_id, RunLog(format=kind), self._annotations.columns(item.files[0]), found, source=str(item.files[0])
        )
        add_run(self.rows, evidence)
        self._done(item, kind, [run_id])

    def _beside(self, item: IngestItem, logs: Sequence[RunLog]) -> beside.Beside:
        found = beside.of(item, logs)
        self._using += found.used
        return found

    def _done(
        self,
        item: IngestItem,
        format: str,
        run_ids: list[str],
        rejected: Sequence[RunLogError] = (),
        *,
        warnings: tuple[str, ...] | None = None,
        remarks: Sequence[str] = (),
    ) -> None:
        """Note what a thing gave. `warnings`: of runs that are completed and whose rows are added later."""
        runs = self.rows.runs[-len(run_ids) :] if warnings is None else ()
        self.results.append(
            Result(
                item,
                tuple(run_ids),
                format,
                tuple(rejected),
                (*self._annotations.remarks(_told_by(item)), *remarks),
                outcomes=tuple(run["outcome"] for run in runs) or (Outcome.COMPLETED.value,),
                warnings=warnings or tuple(run["warnings"] for run in runs),
                used=tuple(self._using),
                unfinished=tuple(
                    _unfinished(run, _told_by(item))
                    for run in runs
                    if run["outcome"] in (Outcome.FAILED, Outcome.INCOMPLETE)
                ),
            )
        )
        self._used |= {path.resolve() for path in self._using}
        self._using = []


def _together(item: IngestItem, results: Sequence[Result], remark: str) -> Result:
    """What several things gave, as one's."""
    joined = {
        name: tuple(value for result in results for value in getattr(result, name))
        for name in ("run_ids", "rejected", "remarks", "outcomes", "warnings", "used", "unfinished")
    }
    joined["remarks"] = (remark, *joined["remarks"])
    return Result(item, format=next((r.format for r in results if r.format), ""), **joined)


def _unfinished(run: Mapping, file: Path) -> Fact:
    """That a run did not complete, and why."""
    source = redact(run["source"] or str(file))
    reason = from_json(run["reason_key"], run["reason_values"]) if run["reason_key"] else None
    if reason is None and run["stop_reason"]:
        reason = fact(f"stop-{run['stop_reason']}")
    return fact("run-unfinished", source=source, outcome=run["outcome"], reason=reason or "")


def _told_by(item: IngestItem) -> Path:
    """The file whose name and folder tell of the run."""
    return (item.files or item.clients[0].files)[0]


def _is_plain_log(content: bytes) -> bool:
    """Whether a beginning and an end can only be those of YCSB's text, or there is nothing."""
    return not content or (_BEGINS.match(content) is not None and not content[-8:].rstrip().endswith(_JSON_ENDS))


def _format_of(source: Source) -> str:
    head, tail = source.head(readers.PAGE_SNIFF_BYTES), source.tail(readers.SNIFF_BYTES)
    return readers.format_of(head, tail, source.name)


def _first_format(formats: Iterable[str]) -> str:
    return next(filter(None, formats), "")


def _only(logs: Sequence[RunLog], files: Sequence[Path]) -> RunLog:
    if len(logs) > 1:
        raise RunLogError(files[0], None, f"holds {len(logs)} runs; a run folder holds one")
    return logs[0] if logs else RunLog()
