"""What reading has given so far: the rows, a result for each thing that was found, the ids and files that are taken."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import RunLogError
from ycsbook.facts import Fact, fact, from_json
from ycsbook.ingest import exact_latencies
from ycsbook.ingest.files import identity
from ycsbook.ingest.finding.annotation_columns import Columns
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs.rows import Rows
from ycsbook.secrets import redact
from ycsbook.verdicts import Outcome

_UNSUCCESSFUL = (Outcome.FAILED, Outcome.INCOMPLETE)


class Result(NamedTuple):
    """What one thing gave: the ids, outcomes and warnings of its runs, its format, what could not be read of it, what
    the user should know, the histograms that it used or looked for where there was none, and why which of its runs did
    not complete."""

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
    """Collects rows and results.

    Parameters
        annotations: what the user adds to the files.
        used: histograms that other runs have already.
        taken: ids that other runs have already.
    """

    def __init__(self, annotations: Annotations, used: Iterable[str], taken: Iterable[str]):
        self.rows = Rows()
        self.results: list[Result] = []
        self._annotations = annotations
        self._taken = set(taken)
        # Histograms that a command line named are not read again as loose ones.
        self._used = {Path(path).resolve() for path in used}
        self._using: list[Path] = []

    def take(self) -> tuple[Rows, list[Result]]:
        """The rows and results since the last call."""
        rows, results = self.rows, self.results
        self.rows, self.results = Rows(), []
        return rows, results

    def run_id(self, name: str, digest: str) -> str:
        """A new id for the run of a log of this name."""
        return self.unique_id(identity.run_id(name, digest))

    def unique_id(self, wanted: str) -> str:
        """The id, numbered where another run has it already."""
        name, n = wanted, 1
        while name in self._taken:
            n += 1
            name = f"{wanted}-{n}"
        self._taken.add(name)
        return name

    def user_columns(self, path: Path) -> Columns:
        """What the user says of a log."""
        return self._annotations.columns(path)

    def beside(self, item: IngestItem, logs: Sequence[RunLog]) -> exact_latencies.Beside:
        """The exact distributions beside a log; their files are taken."""
        distributions = exact_latencies.of(item, logs)
        self._using += distributions.used
        return distributions

    def is_free(self, path: Path) -> bool:
        """Whether no log's command line named this file."""
        return path.resolve() not in self._used

    def add_published(
        self, item: IngestItem, runs: list[dict], operations: list[dict], rejected: Sequence[RunLogError] = ()
    ) -> None:
        """Add the rows of a published table or page."""
        ids = {}
        columns = self.user_columns(item.files[0])
        for row in runs:
            row |= {name: value for name, value in columns.items() if row.get(name) in (None, "")}
            ids[row["run_id"]] = row["run_id"] = self.unique_id(row["run_id"])
        self.rows.add_published(runs, [{**row, "run_id": ids[row["run_id"]]} for row in operations])
        self.done(item, runs[0]["format"] if runs else "", list(ids.values()), rejected)

    def rejected(self, item: IngestItem, error: RunLogError) -> None:
        """Note that a thing could not be read."""
        self.results.append(Result(item, rejected=(error,)))

    def done(
        self,
        item: IngestItem,
        format: str,
        run_ids: Sequence[str],
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
                (*self._annotations.remarks(item.first_file), *remarks),
                outcomes=tuple(run["outcome"] for run in runs) or (Outcome.COMPLETED.value,),
                warnings=warnings or tuple(run["warnings"] for run in runs),
                used=tuple(self._using),
                unfinished=tuple(_unfinished(run, item) for run in runs if run["outcome"] in _UNSUCCESSFUL),
            )
        )
        self._used |= {path.resolve() for path in self._using}
        self._using = []

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
    """That a run did not complete, and why."""
    reason: Fact | str = ""
    if run["reason_key"]:
        reason = from_json(run["reason_key"], run["reason_values"])
    elif run["stop_reason"]:
        reason = fact(f"stop-{run['stop_reason']}")
    source = redact(run["source"] or str(item.first_file))
    return fact("run-unfinished", source=source, outcome=run["outcome"], reason=reason)
