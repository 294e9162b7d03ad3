"""What reading has given so far: the rows, a result for each thing that was found, the ids and files that are taken."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import RunLogError
from ycsbook.facts import Fact, fact, from_json
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.runs.rows import Rows
from ycsbook.secrets import redact
from ycsbook.verdicts import Outcome

# Of a file's beginning and end, so many bytes make its digest.
DIGEST_BYTES = 2 * 1024
MAX_NAME = 96
_UNSUCCESSFUL = (Outcome.FAILED, Outcome.INCOMPLETE)


class Result(NamedTuple):
    """What one thing gave: its runs, its format, what could not be read of it, what the user should know, the
    histograms that it used or looked for where there was none, and why which of its runs did not complete."""

    item: IngestItem
    run_ids: tuple[str, ...] = ()
    format: str = ""
    rejected: tuple[RunLogError, ...] = ()
    remarks: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    used: tuple[Path, ...] = ()
    unfinished: tuple[Fact, ...] = ()


class Output:
    """Collects rows and results; `used`: histograms that other runs have already, `run_ids`: those of other runs."""

    def __init__(self, annotations: Annotations, used: Iterable[str], run_ids: Iterable[str]):
        self.rows = Rows()
        self.results: list[Result] = []
        self.annotations = annotations
        self._taken = set(run_ids)
        # Histograms that a command line named are not read again as loose ones.
        self.used = {Path(path).resolve() for path in used}

    def take(self) -> tuple[Rows, list[Result]]:
        rows, results = self.rows, self.results
        self.rows, self.results = Rows(), []
        return rows, results

    def unique_id(self, run_id: str) -> str:
        """The id, numbered where another run has it already."""
        name, n = run_id, 1
        while name in self._taken:
            n += 1
            name = f"{run_id}-{n}"
        self._taken.add(name)
        return name

    def add_published(
        self, item: IngestItem, rows: Iterable[list[dict]], rejected: Sequence[RunLogError] = (),
        remarks: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Add the rows of a published table or page: of runs, operations and percentiles."""
        (runs, operations, percentiles), ids = rows, {}
        columns = self.annotations.columns(item.files[0])
        for row in runs:
            row |= {name: value for name, value in columns.items() if row.get(name) in (None, "")}
            ids[row["run_id"]] = row["run_id"] = self.unique_id(row["run_id"])
        self.rows.runs += runs
        self.rows.operations += [row | {"run_id": ids[row["run_id"]]} for row in operations]
        self.rows.percentiles += [row | {"run_id": ids[row["run_id"]]} for row in percentiles]
        unread = dict.fromkeys(row["reason_values"] for row in runs if row.get("reason_values"))
        columns = (", ".join(from_json("", values).values["columns"]) for values in unread)
        remarks = [*remarks, *(f"{item.first_file}: columns that are not read: {names}" for names in columns)]
        self.done(item, runs[0]["format"] if runs else "", list(ids.values()), rejected, remarks=remarks)

    def done(
        self,
        item: IngestItem,
        format: str,
        run_ids: Sequence[str],
        rejected: Sequence[RunLogError] = (),
        *,
        used: Sequence[Path] = (),
        runs: Sequence[Mapping] | None = None,
        remarks: Sequence[str] = (),
    ) -> None:
        """Note what a thing gave. `used`: histograms, also missing ones; `runs`: its rows, where not the last added."""
        runs = self.rows.runs[-len(run_ids) :] if runs is None else runs
        self.results.append(
            Result(
                item,
                tuple(run_ids),
                format,
                tuple(rejected),
                (*self.annotations.remarks(item.first_file), *remarks),
                outcomes=tuple(run["outcome"] for run in runs),
                warnings=tuple(run["warnings"] for run in runs),
                used=tuple(used),
                unfinished=tuple(_unfinished(run, item) for run in runs if run["outcome"] in _UNSUCCESSFUL),
            )
        )
        self.used |= {path.resolve() for path in used}

    def join_results(self, item: IngestItem, since: int, remark: str) -> None:
        """Make one result of those from the index `since` on: they are what one thing gave."""
        results = self.results[since:]
        joined = {
            name: tuple(value for result in results for value in getattr(result, name))
            for name in ("run_ids", "rejected", "remarks", "outcomes", "warnings", "used", "unfinished")
        }
        joined["remarks"] = (remark, *joined["remarks"])
        format = next((result.format for result in results if result.format), "")
        self.results[since:] = [Result(item, format=format, **joined)]


def _unfinished(run: Mapping, item: IngestItem) -> Fact:
    reason: Fact | str = ""
    if run["reason_key"]:
        reason = from_json(run["reason_key"], run["reason_values"])
    elif run["stop_reason"]:
        reason = fact(f"stop-{run['stop_reason']}")
    source = redact(run["source"] or str(item.first_file))
    return fact("run-unfinished", source=source, outcome=run["outcome"], reason=reason)


def run_id(name: str, digest: str) -> str:
    """A readable id of a log, from its name and its digest; of a long name the end, which tells more than folders."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._")[-MAX_NAME:].strip("-._") or "log"
    return f"{slug}-{digest[:10]}"


def digest_in(run_id: str) -> str:
    """The part of a log's id that is alike for the same log under other names; empty where it is no log's id."""
    match = re.search(r"-([0-9a-f]{10})(-\d+)?$", run_id)
    return match[1] if match else ""


def digest_of(files: Sequence[Path]) -> str:
    """The digest of files that are not in memory. Raises RunLogError where one cannot be read."""
    return digest(Source(path).ends(DIGEST_BYTES) for path in files)


def digest(ends: Iterable[tuple[int, bytes, bytes]]) -> str:
    """One digest of files by size, beginning and end.

    The beginning holds the command line and the moment of the start, the end every figure of the summary."""
    total = hashlib.sha256()
    for size, head, tail in ends:
        total.update(b"%d %d " % (size, len(head)))
        total.update(head)
        total.update(tail)
    return total.hexdigest()
