"""A study's report: its notebooks in order, with progress, and where everything is afterwards; or many reports, each
in a process forked from one that has loaded everything, so many at a time, and the page that links them."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from ycsbook import messages, params, paths
from ycsbook.batch import notebook_page, tasks
from ycsbook.batch.execute import execute
from ycsbook.errors import ParamsError, YcsbookError
from ycsbook.params import PlannedRun
from ycsbook.report import InShort, html, markdown
from ycsbook.runner import progress, sweep
from ycsbook.secrets import uri_from_env
from ycsbook.store import atomic
from ycsbook.study import Study
from ycsbook.verdicts import Outcome

STAGES = ("10_run", "20_ingest", "30_scaling", "40_anomalies", "90_report")
_PAGE, _PAGE_MARKDOWN = "batch.html", "batch.md"


@dataclass(frozen=True)
class ReportResult:
    """Where a report is, what it says first, and the ids of its runs that were unsuccessful."""

    html: Path
    markdown: Path
    notebooks: Path
    tables: Path
    in_short: InShort
    unsuccessful: tuple[str, ...]


@dataclass(frozen=True)
class ReportOutcome:
    """What became of one params file: its report, or why there is none."""

    params_file: Path
    result: ReportResult | None
    reason: str = ""

    @property
    def state(self) -> str:
        """done, partly (some runs were unsuccessful) or failed."""
        return "failed" if self.result is None else "partly" if self.result.unsuccessful else "done"

    def as_dict(self) -> dict:
        result = asdict(self.result) if self.result else {}
        return {"params": self.params_file, "state": self.state, "reason": self.reason, **result}


def report(study: Study, *, quiet: bool = False, force: bool = False) -> ReportResult:
    """Run the study's notebooks 10 to 90, unless nothing has changed since, and say where everything is. Raises the
    error of a stage that failed, and without `force` ParamsError where the folder holds the results of another
    params file."""
    if not force and (other := study.made_from()):
        raise ParamsError(
            f"{study.params_file}: has the name {study.sweep.name!r} as {other}, whose report is in {study.folder}; "
            "each report needs its own, or replace that one with --force"
        )
    available, _ = sweep.planned_runs(study.sweep)
    pending = [run for run in available if not study.store.is_completed(run.run_id)]
    # The pages of the notebooks are the last thing that a report leaves.
    pages = [study.folder / "notebooks" / f"{stage}.html" for stage in STAGES]
    if force or pending or not study.is_reported() or not all(page.is_file() for page in pages):
        tasks.load()
        for notebook in _executed(study, pending, quiet):
            notebook_page.export(notebook)
    elif not quiet:
        print("nothing has changed since the last report; --force makes it again", file=sys.stderr)
    study.look_again()
    return ReportResult(
        html=study.folder / "report.html",
        markdown=study.folder / "report.md",
        notebooks=study.folder / "notebooks",
        tables=study.tables_folder,
        in_short=study.in_short(),
        unsuccessful=tuple(m["run_id"] for m in study.manifests if m["outcome"] != Outcome.COMPLETED),
    )


def many(
    params_files: Sequence[Path],
    store: Path,
    *,
    jobs: int = 1,
    force: bool = False,
    on_end: Callable[[ReportOutcome], None] = lambda outcome: None,
) -> list[ReportOutcome]:
    """Make the reports of params files, in their order, so many at a time; one that fails does not stop the others.
    Sweeps that still have runs to make take turns: two at once would disturb each other's figures. `on_end` is
    called with each as soon as it is done."""
    outcomes: dict[Path, ReportOutcome] = {}
    for outcome in _refused(params_files):
        outcomes[outcome.params_file] = outcome
        on_end(outcome)
    files = [path for path in dict.fromkeys(params_files) if path not in outcomes]

    def take(place: int, task: tasks.Task) -> None:
        try:
            outcome = ReportOutcome(files[place], task.result())
        except YcsbookError as e:
            outcome = ReportOutcome(files[place], None, str(e))
        outcomes[outcome.params_file] = outcome
        on_end(outcome)

    tasks.load()
    tasks.several([(path.name, _report, path, store, force) for path in files], jobs, take)
    return [outcomes[path] for path in dict.fromkeys(params_files)]


def _refused(params_files: Sequence[Path]) -> Iterator[ReportOutcome]:
    """Params files that cannot be read, or would overwrite the report of another, each with the reason."""
    names: dict[str, Path] = {}
    for path in dict.fromkeys(params_files):
        try:
            name = params.load(path).name
            if name in names:
                raise ParamsError(f"{path}: has the name {name!r} as {names[name]}; each report needs its own")
            names[name] = path
        except YcsbookError as e:
            yield ReportOutcome(path, None, str(e))


def _report(params_file: Path, store: Path, force: bool) -> ReportResult:
    return report(Study(params_file, store=store), quiet=True, force=force)


def _executed(study: Study, pending: list[PlannedRun], quiet: bool) -> list[Path]:
    """The stages' notebooks, executed one after another."""
    uris = (uri_from_env(spec.uri_env) for spec in study.sweep.specs if spec.uri_env)
    # The addresses that a notebook may come to see.
    secrets = [uri for uri in uris if uri is not None]
    parameters = {"params": str(paths.inside(study.params_file)), "store": str(paths.inside(study.store.root))}
    executed = []
    for stage in STAGES:
        if not quiet:
            print(f"notebook   {stage}", file=sys.stderr, flush=True)
        # The first stage makes runs.
        measures = pending and stage == STAGES[0]
        beside = _measuring(study, pending, quiet) if measures else tasks.loading_more()
        target = study.folder / "notebooks" / f"{stage}.ipynb"
        executed.append(execute(paths.NOTEBOOKS / f"{stage}.ipynb", target, parameters, secrets, beside))
    return executed


@contextlib.contextmanager
def _measuring(study: Study, pending: list[PlannedRun], quiet: bool) -> Iterator[None]:
    """One report at a time may measure: others of the same batch wait for it."""
    paths.OUTPUT.mkdir(parents=True, exist_ok=True)
    with (paths.OUTPUT / ".measuring").open("a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with contextlib.nullcontext() if quiet else progress.shown(pending, study.store):
            yield


def write_page(outcomes: Sequence[ReportOutcome], folder: Path) -> Path:
    """Write batch.html and batch.md into a folder; returns the former. The same outcomes give the same bytes. Raises
    StoreError where the folder cannot be written."""
    title = messages.text("batch-title")
    n_made = sum(outcome.result is not None for outcome in outcomes)
    counted = messages.text("batch-made", made=n_made, reports=len(outcomes))
    entries = [_entry(outcome, folder) for outcome in outcomes]
    page = html.render("batch.html.j2", title=title, counted=counted, entries=entries)
    lines = [f"# {title}", "", counted]
    for entry in entries:
        lines += ["", f"## {markdown.escape(entry['title'])}", ""]
        lines += [f"**{markdown.escape(entry['reason'])}**", ""] if entry["reason"] else []
        lines += [markdown.escape(entry["verdict"]), ""] if entry["verdict"] else []
        lines += [" · ".join(f"[{name}]({address})" for name, address in entry["links"])] if entry["links"] else []
    atomic.write_text(folder / _PAGE_MARKDOWN, "\n".join(lines) + "\n")
    atomic.write_text(folder / _PAGE, page)
    return folder / _PAGE


def clear_page(folder: Path) -> None:
    """Take the page of an earlier batch away: a batch that is stopped must not leave it as its own."""
    for name in (_PAGE, _PAGE_MARKDOWN):
        (folder / name).unlink(missing_ok=True)


def _entry(outcome: ReportOutcome, folder: Path) -> dict:
    """What the page says of a report, and its links, relative to the page."""
    try:
        sweep_made = params.load(outcome.params_file)
        title = sweep_made.title or sweep_made.name
    except YcsbookError:
        title = outcome.params_file.name
    result = outcome.result
    if result is None:
        # A page that is published names no place of this machine.
        reason = outcome.reason.replace(f"{paths.REPOSITORY}/", "")
        return {"title": title, "reason": reason, "verdict": "", "links": ()}
    paths_by_name = (("HTML", result.html), ("Markdown", result.markdown), ("notebooks", result.notebooks))
    links = [(name, quote(Path(os.path.relpath(path, folder)).as_posix())) for name, path in paths_by_name]
    reason = messages.text("batch-unsuccessful", runs=len(result.unsuccessful)) if result.unsuccessful else ""
    return {"title": title, "reason": reason, "verdict": result.in_short.verdict, "links": links}
