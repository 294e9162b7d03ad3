"""Run the notebooks of a study with papermill, one after another, each in a fresh kernel."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from ycsbook import paths
from ycsbook.errors import ParamsError, PublishError, StoreError, YcsbookError, shown

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
    """Execute one notebook with these parameters and write it, whole or not at all.

    What an earlier execution left under the same name goes first: results of other inputs beside new ones mislead.

    Raises
        ParamsError: the notebook declares no such parameter.
        YcsbookError: what the notebook's own call raised, as one line.
        PublishError: it failed otherwise, or its kernel died; the executed part is kept as <name>.failed.ipynb.
        StoreError: the folder cannot be written.
    """
    import papermill
    from nbclient.exceptions import DeadKernelError

    _check_parameters(notebook, parameters)
    partial = target.with_name(f".{target.stem}.partial.ipynb")
    failed = target.with_name(f"{target.stem}.failed.ipynb")
    final = failed
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for stale in (target, target.with_suffix(".html"), failed, partial):
            stale.unlink(missing_ok=True)
        papermill.execute_notebook(
            _literal(notebook),
            _literal(partial),
            parameters=parameters,
            kernel_name="python3",
            cwd=str(paths.REPOSITORY),
            progress_bar=False,
            # What goes wrong in a cell is in the notebook; the kernel's own log would only litter the terminal.
            extra_arguments=["--IPKernelApp.log_level=50"],
        )
        # Only now: papermill's own marks also call a notebook ended whose kernel was killed.
        final = target
    except papermill.PapermillExecutionError as e:
        if e.ename in {cls.__name__ for cls in _all_errors()}:
            raise YcsbookError(" ".join(str(e.evalue).splitlines())) from None
        raise PublishError(f"{notebook.name}: {e.ename}: {shown(e.evalue)}; the executed part is {failed}") from None
    except DeadKernelError:
        raise PublishError(
            f"{notebook.name}: its kernel was killed, perhaps for want of memory; the executed part is {failed}"
        ) from None
    except OSError as e:
        raise StoreError(f"{target}: cannot be written: {e.strerror or e}; check owner, mode and free space") from e
    finally:
        if partial.exists():
            _close(partial, final)
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

    declared = papermill.inspect_notebook(_literal(notebook))
    for name in parameters:
        if name not in declared:
            raise ParamsError(f"{notebook.name}: no parameter {shown(name)}, expected one of {', '.join(declared)}")


def _close(partial: Path, final: Path) -> None:
    """Give an executed notebook its final name, and take this machine's places out of it."""
    import nbformat

    from ycsbook.store import atomic

    try:
        notebook = nbformat.read(partial, as_version=4)
    except ValueError:  # cut while it was being written
        partial.replace(final)
        return
    atomic.write_text(final, nbformat.writes(_without_places(notebook)) + "\n")
    partial.unlink()


def _without_places(value: object) -> object:
    """The notebook's content with the repository's and the home folder's paths shortened, wherever they show."""
    if isinstance(value, str):
        for place, instead in ((paths.REPOSITORY, ""), (Path.home(), "~/")):
            if place != Path(place.anchor):
                # Not inside a word or base64 data; terminal colours (..m) may stand right before a path.
                found = rf"(?:(?<![\w+])|(?<=\dm)){re.escape(str(place))}(?:/|(?![\w.-]))"
                value = re.sub(found, lambda match, short=instead: short, value)
        return value
    if isinstance(value, dict):
        for key in value:
            value[key] = _without_places(value[key])
    elif isinstance(value, list):
        value[:] = [_without_places(item) for item in value]
    return value


def _literal(path: Path) -> str:
    """The path as papermill takes it, which fills in {names}."""
    return str(path).replace("{", "{{").replace("}", "}}")


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
