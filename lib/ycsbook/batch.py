"""`make report`: a study's notebooks in order, with progress, and where to look afterwards."""

import contextlib
import fcntl
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ycsbook import anomalies, execute, paths
from ycsbook.errors import ParamsError
from ycsbook.kernels import preload
from ycsbook.params import PlannedRun
from ycsbook.runner import display
from ycsbook.secrets import Secret, uri_from_env
from ycsbook.study import Study
from ycsbook.verdicts import Outcome

# The stage that makes runs.
MEASURING = "10_run"


@dataclass(frozen=True)
class Result:
    """Where a report is, and its main findings."""

    folder: Path
    html: Path
    markdown: Path
    notebooks: Path
    tables: Path
    main_findings: tuple[str, ...]
    unsuccessful: tuple[str, ...]

    def as_dict(self) -> dict:
        return {
            "html": str(self.html),
            "markdown": str(self.markdown),
            "notebooks": str(self.notebooks),
            "tables": str(self.tables),
            "main_findings": list(self.main_findings),
            "unsuccessful": list(self.unsuccessful),
        }

    def __str__(self) -> str:
        lines = [
            f"report     {self.html}",
            f"markdown   {self.markdown}",
            f"notebooks  {self.notebooks}",
            f"tables     {self.tables}",
            "",
            "Main findings" if self.main_findings else "No findings.",
            *(f"{i}. {text}" for i, text in enumerate(self.main_findings, 1)),
        ]
        return "\n".join(lines)


def report(study: Study, *, quiet: bool = False, force: bool = False) -> Result:
    """Run the study's notebooks 10 to 90, unless nothing has changed since, and say where everything is.

    Raises
        ParamsError: the results in the folder are those of another params file of this name, and not force.
        YcsbookError: a stage failed; the message is that of the stage.
    """
    if not force and (other := study.made_from()):
        raise ParamsError(
            f"{study.params_file}: has the name {study.sweep.name!r} as {other}, whose report is in {study.folder}; "
            "each report needs its own, or replace that one with --force"
        )
    pending = _pending(study)
    if force or pending or not study.is_reported() or not _notebooks_are_shown(study):
        preload.load()
        stages = execute.run_stages(
            _parameters(study), study.folder / "notebooks", _stages(study, pending, quiet), _secrets(study)
        )
        from ycsbook.kernels import page

        for notebook in stages:
            page.export(notebook)
    elif not quiet:
        print("nothing has changed since the last report; --force makes it again", file=sys.stderr)
    done = Study(study.params_file, store=study.store.root)
    return Result(
        folder=done.folder,
        html=done.folder / "report.html",
        markdown=done.folder / "report.md",
        notebooks=done.folder / "notebooks",
        tables=done.tables_folder,
        main_findings=_main_findings(done),
        unsuccessful=tuple(m["run_id"] for m in done.manifests if m["outcome"] != Outcome.COMPLETED),
    )


def _stages(study: Study, pending: list[PlannedRun], quiet: bool) -> Callable[[str], AbstractContextManager]:
    """What is shown of each stage, and held while it goes on."""

    def on_stage(stage: str) -> AbstractContextManager:
        if not quiet:
            print(f"notebook   {stage}", file=sys.stderr, flush=True)
        return _measuring(study, pending, quiet) if pending and stage == MEASURING else contextlib.nullcontext()

    return on_stage


@contextlib.contextmanager
def _measuring(study: Study, pending: list[PlannedRun], quiet: bool) -> Iterator[None]:
    """One report at a time may measure: others of the same batch wait for it."""
    paths.OUTPUT.mkdir(parents=True, exist_ok=True)
    with (paths.OUTPUT / ".measuring").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with contextlib.nullcontext() if quiet else display.shown(pending, study.store):
            yield


def _secrets(study: Study) -> list[Secret]:
    """The addresses that a notebook may come to see."""
    found = (uri_from_env(spec.uri_env) for spec in study.sweep.specs if spec.uri_env)
    return [uri for uri in found if uri is not None]


def _main_findings(study: Study, n: int = 3) -> tuple[str, ...]:
    """What to know first: errors and warnings, then what the scaling laws say, then notes."""
    flags = anomalies.main(study.findings(), n)
    grave = flags["severity"] != "note"
    laws = [f"{c.group}: {c.verdict}. {c.sentence}" for c in study.analysis().choices.itertuples()]
    return (*flags.loc[grave, "message"], *laws, *flags.loc[~grave, "message"])[:n]


def _parameters(study: Study) -> dict[str, object]:
    return {"params": _relative(study.params_file), "store": _relative(study.store.root)}


def _relative(path: Path) -> str:
    """As seen from the repository where it is inside, so that an executed notebook names no place of this machine."""
    return str(path.relative_to(paths.REPOSITORY) if path.is_relative_to(paths.REPOSITORY) else path)


def _pending(study: Study) -> list[PlannedRun]:
    """The runs that are still to be made and can be made."""
    from ycsbook.runner import sweep

    available, _ = sweep.planned_runs(study.sweep)
    return [r for r in available if not study.store.is_completed(r.run_id)]


def _notebooks_are_shown(study: Study) -> bool:
    """Whether all executed notebooks are there as pages: the last thing that a report leaves."""
    return all((study.folder / "notebooks" / f"{stage}.html").is_file() for stage in execute.STAGES)
