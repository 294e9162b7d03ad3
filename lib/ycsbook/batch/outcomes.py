"""What became of the reports of a batch, and the page it ends in: each with its answer and links."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from ycsbook import messages, params, paths
from ycsbook.errors import YcsbookError
from ycsbook.report import InShort, html, markdown
from ycsbook.store import atomic

_HTML, _MARKDOWN = "batch.html", "batch.md"


@dataclass(frozen=True)
class ReportResult:
    """Where a report is, what it says first, and the ids of its runs that were unsuccessful."""

    html: Path
    markdown: Path
    notebooks: Path
    tables: Path
    in_short: InShort
    unsuccessful: tuple[str, ...]

    def as_dict(self) -> dict:
        return {key: str(value) if isinstance(value, Path) else value for key, value in asdict(self).items()}


@dataclass(frozen=True)
class ReportOutcome:
    """What became of one params file: its report, or why there is none."""

    params_file: Path
    result: ReportResult | None
    reason: str = ""


@dataclass(frozen=True)
class Entry:
    """One report of the batch: its links are relative to the page."""

    title: str
    reason: str
    verdict: str
    links: tuple[tuple[str, str], ...]


def write_page(outcomes: Sequence[ReportOutcome], folder: Path) -> Path:
    """Write batch.html and batch.md into a folder; returns the former. The same outcomes give the same bytes.

    Raises
        StoreError: the folder cannot be written.
    """
    entries = [_entry(outcome, folder) for outcome in outcomes]
    made = sum(outcome.result is not None for outcome in outcomes)
    counted = messages.text("batch-made", made=made, reports=len(outcomes))
    page = html.render("batch.html.j2", title=messages.text("batch-title"), counted=counted, entries=entries)
    atomic.write_text(folder / _MARKDOWN, _markdown(entries, counted))
    atomic.write_text(folder / _HTML, page)
    return folder / _HTML


def clear_page(folder: Path) -> None:
    """Take the page of an earlier batch away: a batch that is stopped must not leave it as its own."""
    for name in (_HTML, _MARKDOWN):
        (folder / name).unlink(missing_ok=True)


def _entry(outcome: ReportOutcome, folder: Path) -> Entry:
    result = outcome.result
    if result is None:
        # A page that is published names no place of this machine.
        return Entry(_title(outcome.params_file), outcome.reason.replace(f"{paths.REPOSITORY}/", ""), "", ())
    places = (("HTML", result.html), ("Markdown", result.markdown), ("notebooks", result.notebooks))
    links = tuple((name, quote(Path(os.path.relpath(path, folder)).as_posix())) for name, path in places)
    reason = messages.text("batch-unsuccessful", runs=len(result.unsuccessful)) if result.unsuccessful else ""
    return Entry(_title(outcome.params_file), reason, result.in_short.verdict, links)


def _title(params_file: Path) -> str:
    try:
        sweep = params.load(params_file)
    except YcsbookError:
        return params_file.name
    return sweep.title or sweep.name


def _markdown(entries: Sequence[Entry], counted: str) -> str:
    lines = [f"# {messages.text('batch-title')}", "", counted]
    for entry in entries:
        lines += ["", f"## {markdown.escape(entry.title)}", ""]
        lines += [f"**{markdown.escape(entry.reason)}**", ""] if entry.reason else []
        lines += [markdown.escape(entry.verdict), ""] if entry.verdict else []
        lines += [" · ".join(f"[{name}]({address})" for name, address in entry.links)] if entry.links else []
    return "\n".join(lines) + "\n"
