"""What the readers of other load generators' text share: a run while its lines go by, and summaries of operations."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ycsbook.ingest.files.textlog import MAX_ERRORS, shortened
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status_series import StatusSeries
from ycsbook.operations import DATABASE_OPERATIONS, OK

# More runs than any file holds; lines beyond belong to the last one.
MAX_RUNS = 10_000
ERROR = "ERROR"


@dataclass
class TextRun:
    """One run of a text log while its lines go by; `truncated`: a line was cut."""

    format: str
    source: str
    command_line: str = ""
    version: str = ""
    columns: dict[str, float | str] = field(default_factory=dict)
    errors: dict[str, None] = field(default_factory=dict)
    truncated: bool = False
    series: StatusSeries = field(default_factory=StatusSeries)

    def note_error(self, text: str) -> None:
        """Keep a line that names an error, one of the first few."""
        if len(self.errors) < MAX_ERRORS:
            self.errors.setdefault(shortened(text))

    def head(self, *, truncated: bool | None = None) -> RunLog:
        """All but the final figures."""
        series = self.series.close()
        return RunLog(
            format=self.format,
            version=self.version,
            command_line=self.command_line,
            columns=self.columns,
            errors=tuple(self.errors),
            truncated=self.truncated if truncated is None else truncated,
            series=series,
            status_source=self.source if series.lines else "",
            source=self.source,
        )


def with_failures(operation: str, good: Summary | None, failed: Summary | None, *, ok_code: str = OK) -> list[Summary]:
    """The summary of an operation, and after it that of its failed calls where there are any.

    An operation of the database has both in its return codes.
    """
    summary = replace(good, operation=operation) if good else Summary(operation, 0.0, source=failed.source)
    if operation in DATABASE_OPERATIONS:
        counts = ((ok_code, good), (ERROR, failed))
        summary = replace(summary, return_codes=tuple((code, int(calls.count)) for code, calls in counts if calls))
    return [summary, replace(failed, operation=f"{operation}-FAILED")] if failed else [summary]


def counted(
    operation: str, succeeded: int, failed: int = 0, *, error_code: str = ERROR, source: str = "", **latencies: object
) -> Summary:
    """The summary of an operation of which only the successes and failures are counted.

    Parameters
        latencies: fields of Summary, in us, where they are known.
    """
    codes = ((OK, succeeded), *([(error_code, failed)] if failed else []))
    return Summary(operation, float(succeeded), return_codes=codes, source=source, **latencies)


def or_empty(logs: Sequence[RunLog], format: str, source: object = "") -> list[RunLog]:
    """The logs; where there are none, one that is empty."""
    return list(logs) or [RunLog(format=format, source=str(source))]
