"""A study's report: its notebooks in order, with progress, and where everything is afterwards; many reports, each in a
process forked from one that has loaded everything, so many at a time, and the page that links them; or several systems
measured one after the other and told in one report (docs/systems.md)."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import quote

from ycsbook import messages, params, paths, provenance
from ycsbook.batch import notebook_page, tasks
from ycsbook.batch.execute import execute
from ycsbook.errors import ParamsError, ToolError, YcsbookError, one_line
from ycsbook.params import PlannedRun
from ycsbook.report import InShort, Written, html, write
from ycsbook.report.blocks import Items, Report, Section, Text
from ycsbook.report.build import answer_blocks
from ycsbook.runner import progress, sweep
from ycsbook.secrets import uri_from_env
from ycsbook.servers import kind
from ycsbook.store import atomic
from ycsbook.study import Study
from ycsbook.verdicts import Outcome

STAGES = ("10_run", "20_ingest", "30_scaling", "40_anomalies", "90_report")
_PAGE = "batch.html"
SYSTEMS = "systems"
# What every report ends with; one page of several systems says it once, or in each system's own report.
_OF_EACH = frozenset({"findings", "method", "provenance", "rejected"})
# Of YCSB's own mixes the first screen is enough here: it holds the pictures of growth and threads.
_BEYOND = frozenset({"results", "capacity", "threads", "growth", "scaling", "limits", "marginals", "latency", "time"})


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
    error of a stage that failed, and without `force` ParamsError where another params file has made that folder."""
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
    params_files: Sequence[Path], store: Path, *, jobs: int, force: bool, on_end: Callable[[ReportOutcome], None]
) -> list[ReportOutcome]:
    """Make the reports of params files, so many at a time; one that fails stops no other. Sweeps with runs to make take
    turns, not to disturb each other. `on_end` is called with each when it is done."""
    outcomes: dict[Path, ReportOutcome] = {}

    def ended(path: Path, result: ReportResult | None, reason: str = "") -> None:
        outcomes[path] = ReportOutcome(path, result, reason)
        on_end(outcomes[path])

    names: dict[str, Path] = {}
    for path in dict.fromkeys(params_files):
        try:
            name = params.load(path).name
            if name in names:
                raise ParamsError(f"{path}: has the name {name!r} as {names[name]}; each report needs its own")
            names[name] = path
        except YcsbookError as e:
            ended(path, None, str(e))
    files = list(names.values())

    def take(place: int, task: tasks.Task) -> None:
        try:
            ended(files[place], task.result())
        except YcsbookError as e:
            ended(files[place], None, str(e))

    tasks.load()
    tasks.several([(path.name, _report, path, store, force) for path in files], jobs, take)
    return [outcomes[path] for path in dict.fromkeys(params_files)]


def _report(params_file: Path, store: Path, force: bool) -> ReportResult:
    return report(Study(params_file, store=store), quiet=True, force=force)


def _executed(study: Study, pending: list[PlannedRun], quiet: bool) -> list[Path]:
    uris = (uri_from_env(spec.uri_env) for spec in study.sweep.specs if spec.uri_env)
    # The addresses that a notebook may come to see.
    secrets = [uri for uri in uris if uri is not None]
    parameters = {"params": str(paths.inside(study.params_file)), "store": str(paths.inside(study.store.root))}
    executed = []
    for stage in STAGES:
        if not quiet:
            print(f"notebook   {stage}", file=sys.stderr, flush=True)
        beside = _measuring(study, pending, quiet) if pending and stage == STAGES[0] else None
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
    """Write batch.html into a folder, always the same bytes, and return it. Raises StoreError."""
    title = messages.text("batch-title")
    n_made = sum(outcome.result is not None for outcome in outcomes)
    counted = messages.text("batch-made", made=n_made, reports=len(outcomes))
    entries = [_entry(outcome, folder) for outcome in outcomes]
    page = html.render("batch.html.j2", title=title, counted=counted, entries=entries)
    atomic.write_text(folder / _PAGE, page)
    return folder / _PAGE


def clear_page(folder: Path) -> None:
    """Take the page of an earlier batch away: a batch that is stopped must not leave it as its own."""
    (folder / _PAGE).unlink(missing_ok=True)


def _entry(outcome: ReportOutcome, folder: Path) -> dict:
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


@dataclass(frozen=True)
class MeasuredSystems:
    """The joint report; what was left out and why; the systems that failed or hold unsuccessful runs."""

    written: Written
    report: Report
    left_out: tuple[tuple[str, str], ...]
    failed: tuple[str, ...]


def measured_systems(
    params_files: Sequence[Path],
    *,
    store: Path = paths.RUNS,
    folder: Path | None = None,
    on_begin: Callable[[str], None] = lambda name: None,
) -> MeasuredSystems:
    """Make the runs that are missing, each system's report, and the joint one in `folder` (by default output/systems).
    What lacks a program is left out; what fails is, too, and named in `failed`. What is measured is kept. Raises
    ParamsError where two files have one name, or one is wrong; YcsbookError where nothing at all could be measured."""
    studies = [Study(path, store=store) for path in params_files]
    names = [study.sweep.name for study in studies]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParamsError(f"the name {twice[0]!r} stands in two params files; each system needs its own")
    reports: list[tuple[str, Report]] = []
    left_out: list[tuple[str, str]] = []
    failed: list[str] = []
    for study in studies:
        name = provenance.short(study.params_file)
        on_begin(name)
        try:
            study.run_rows()
        except YcsbookError as e:
            left_out.append((name, one_line(str(e))))
            failed += [] if isinstance(e, ToolError) and not study.manifests else [name]
            if not any(m["phase"] == "run" and m["outcome"] == Outcome.COMPLETED for m in study.manifests):
                continue
        try:
            report = study.report()
            study.write_report(report)
        except YcsbookError as e:
            left_out.append((name, one_line(str(e))))
            failed.append(name)
            continue
        reports.append((f"ycsbook report {name}", report))
        left_out += [(name, one_line(f"spec {spec}: {why}")) for spec, why in kind.absent(study.sweep).items()]
        failed += [name] if any(m["outcome"] != Outcome.COMPLETED for m in study.manifests) else []
    if not reports:
        raise YcsbookError(f"no system could be measured: {'; '.join(f'{name}: {why}' for name, why in left_out)}")
    joint = _together(reports, left_out)
    return MeasuredSystems(write(joint, folder or paths.OUTPUT / SYSTEMS), joint, tuple(left_out), tuple(failed))


def _together(reports: Sequence[tuple[str, Report]], left_out: Sequence[tuple[str, str]]) -> Report:
    """One report of several, each with the command that makes it; `left_out`: what was not measured, and why."""
    first = [(report.title, report.in_short.verdict) for _, report in reports]
    first += [(messages.text("together-left-out"), f"{name}: {why}") for name, why in left_out]
    sections = [Section(messages.text("short"), "finding", (Items(tuple(first)),), "en")]
    sections += [_system(report, messages.text("together-more", command=command)) for command, report in reports]
    # The machine is the same for all.
    _, of_first = reports[0]
    sections += [replace(section, folded=True) for section in of_first.sections if section.anchor == "environment"]
    title, facts = messages.text("together-title"), (messages.text("together-systems"), str(len(reports)))
    in_short = InShort(messages.text("together-verdict", n=len(reports), left_out=len(left_out)), tuple(first))
    front_matter = (("slug", SYSTEMS), ("lang", "en"))
    return Report(title, SYSTEMS, "en", (facts, *of_first.facts[2:3]), tuple(sections), front_matter, in_short)


def _system(report: Report, more: str) -> Section:
    blocks = list(answer_blocks(report.in_short))
    for section in report.sections:
        if section.anchor == "finding":
            blocks += section.figures()
        elif section.anchor not in _OF_EACH | _BEYOND | {"environment"}:
            blocks.append(replace(section, anchor=f"{report.slug}-{section.anchor}"))
    return Section(report.title, report.slug, (*blocks, Text(more, "note")), report.lang)
