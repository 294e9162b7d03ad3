"""Run the notebooks of a study with papermill, one after another, each in a fresh kernel."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from ycsbook import paths
from ycsbook.errors import ParamsError, PublishError, YcsbookError, shown

STAGES = ("10_run", "20_ingest", "30_scaling", "40_anomalies", "90_report")

# What nbconvert's page would fetch from elsewhere when opened.
_REMOTE = re.compile(r'<script[^>]*\bsrc="https?://[^"]*"[^>]*>\s*</script>|<link[^>]*\bhref="https?://[^"]*"[^>]*>')


def run_stages(parameters: dict[str, object], folder: Path, on_stage: Callable[[str], None]) -> list[Path]:
    """Execute the stages' notebooks into `folder`; returns the executed notebooks.

    Raises
        YcsbookError: what a notebook's own call raised, as one line.
        PublishError: a notebook failed otherwise; the executed part is kept beside its name as .failed.ipynb.
    """
    executed = []
    for stage in STAGES:
        on_stage(stage)
        executed.append(execute(paths.NOTEBOOKS / f"{stage}.ipynb", folder / f"{stage}.ipynb", parameters))
    return executed


def execute(notebook: Path, target: Path, parameters: dict[str, object]) -> Path:
    """Execute one notebook with these parameters and write it, whole or not at all."""
    import papermill

    _check_parameters(notebook, parameters)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.stem}.partial.ipynb")
    failed = target.with_name(f"{target.stem}.failed.ipynb")
    failed.unlink(missing_ok=True)
    try:
        papermill.execute_notebook(
            str(notebook),
            str(partial),
            parameters=parameters,
            kernel_name="python3",
            cwd=str(paths.REPOSITORY),
            progress_bar=False,
            # What goes wrong in a cell is in the notebook; the kernel's own log would only litter the terminal.
            extra_arguments=["--IPKernelApp.log_level=50"],
        )
    except papermill.PapermillExecutionError as e:
        partial.replace(failed)
        if e.ename in {cls.__name__ for cls in _all_errors()}:
            raise YcsbookError(str(e.evalue)) from None
        raise PublishError(f"{notebook.name}: {e.ename}: {shown(e.evalue)}; the executed part is {failed}") from None
    finally:
        if partial.exists():
            partial.replace(failed) if not _is_whole(partial) else partial.replace(target)
    return target


def export_html(notebook: Path) -> Path:
    """The executed notebook as one HTML page beside it that fetches nothing when opened."""
    import nbformat
    from nbconvert import HTMLExporter

    from ycsbook.store import atomic

    exporter = HTMLExporter(sanitize_html=False, require_js_url="", mathjax_url="", exclude_input_prompt=True)
    exporter.exclude_output_prompt = True
    page, _ = exporter.from_notebook_node(nbformat.read(notebook, as_version=4))
    target = notebook.with_suffix(".html")
    atomic.write_text(target, _REMOTE.sub("", page))
    return target


def _check_parameters(notebook: Path, parameters: dict[str, object]) -> None:
    """Papermill executes parameter names: only those the notebook declares may be given."""
    import papermill

    declared = papermill.inspect_notebook(str(notebook))
    for name in parameters:
        if name not in declared:
            raise ParamsError(f"{notebook.name}: no parameter {shown(name)}, expected one of {', '.join(declared)}")


def _is_whole(notebook: Path) -> bool:
    import nbformat

    meta = nbformat.read(notebook, as_version=4).metadata.get("papermill", {})
    return meta.get("exception") is None and meta.get("end_time") is not None


def _all_errors() -> set[type]:
    found, todo = set(), [YcsbookError]
    while todo:
        cls = todo.pop()
        found.add(cls)
        todo += cls.__subclasses__()
    return found


def quiet_frozen_modules() -> None:
    """Debuggers' hints about frozen modules do not belong into a report's terminal output."""
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
