"""`make report`: a study's notebooks in order, with progress, and where to look afterwards."""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from ycsbook import anomalies, execute
from ycsbook.study import Study


@dataclass(frozen=True)
class Result:
    """Where a report is, and its main findings."""

    folder: Path
    html: Path
    markdown: Path
    notebooks: Path
    tables: Path
    main_findings: tuple[str, ...]

    def as_dict(self) -> dict:
        return {
            "html": str(self.html),
            "markdown": str(self.markdown),
            "notebooks": str(self.notebooks),
            "tables": str(self.tables),
            "main_findings": list(self.main_findings),
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


def report(study: Study, *, quiet: bool = False) -> Result:
    """Run the study's notebooks 10 to 90 and return where everything is.

    Raises
        YcsbookError: a stage failed; the message is that of the stage.
    """
    execute.quiet_frozen_modules()
    with contextlib.nullcontext() if quiet else _progress(study):
        executed = execute.run_stages(study.params_file, study.folder / "notebooks", _silent if quiet else _say)
        for notebook in executed:
            execute.export_html(notebook)
    fresh = Study(study.params_file, store=study.store.root)
    top = anomalies.main(fresh.findings())
    return Result(
        folder=study.folder,
        html=study.folder / "report.html",
        markdown=study.folder / "report.md",
        notebooks=study.folder / "notebooks",
        tables=study.tables_folder,
        main_findings=tuple(top["sentence"]),
    )


def _progress(study: Study):
    """The bar over the runs, where there are runs to make."""
    from ycsbook.runner import display, sweep

    if study.sweep.server.published:
        identity = study._identities()
        if not any(identity.values()):
            return contextlib.nullcontext()
    available, _ = sweep.planned_runs(study.sweep)
    todo = [r for r in available if not study.store.is_completed(r.run_id)]
    return display.shown(available, study.store) if todo else contextlib.nullcontext()


def _say(stage: str) -> None:
    print(f"notebook   {stage}", file=sys.stderr, flush=True)


def _silent(stage: str) -> None:
    pass
