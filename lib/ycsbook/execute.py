"""Run the notebooks of a study with papermill, one after another, each in a fresh kernel."""

import contextlib
import glob
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from ycsbook import notebook_parameters, paths
from ycsbook.errors import PublishError, StoreError, YcsbookError, one_line, shown
from ycsbook.kernels import apart, preload
from ycsbook.kernels.quick import imports
from ycsbook.secrets import Secret, redact

STAGES = ("10_run", "20_ingest", "30_scaling", "40_anomalies", "90_report")


# What goes wrong in a cell is in the notebook; the kernel's own log would only litter the terminal. Nor do these cells
# belong into the history of what somebody typed.
_ARGUMENTS = ["--IPKernelApp.log_level=50", "--HistoryManager.enabled=False"]


def run_stages(
    parameters: dict[str, object],
    folder: Path,
    on_stage: Callable[[str], AbstractContextManager],
    secrets: Sequence[Secret] = (),
) -> list[Path]:
    """Execute the stages' notebooks into `folder`, each in a process of its own; returns the executed notebooks.

    Parameters
        on_stage: called with each stage's name; what it gives is entered while the stage is executed.
    Raises
        YcsbookError: what a notebook's own call raised, as one line.
        PublishError: a notebook failed otherwise; the executed part is kept beside its name as .failed.ipynb.
    """
    executed = []
    for stage in STAGES:
        notebook, target = paths.NOTEBOOKS / f"{stage}.ipynb", folder / f"{stage}.ipynb"
        work = partial(execute, notebook, target, parameters, secrets, on_stage(stage))
        executed.append(apart.start(work, stage).result() if preload.can_fork() else work())
    return executed


def execute(
    notebook: Path,
    target: Path,
    parameters: dict[str, object],
    secrets: Sequence[Secret] = (),
    beside: AbstractContextManager | None = None,
) -> Path:
    """Execute one notebook with these parameters and write it, whole or not at all.

    What an earlier execution left under the same name goes first: results of other inputs beside new ones mislead.
    While it is being executed it stands as <name>.failed.ipynb, which says in its metadata that it did not end.

    Parameters
        secrets: kept out of what is written, beside every user:password@ of a URI.
        beside: entered while the notebook is executed, such as a display of its progress.
    Raises
        ParamsError: the notebook has no such parameter, or a value is not what its sidecar says.
        YcsbookError: what the notebook's own call raised, as one line.
        PublishError: it failed otherwise, or its kernel died; the executed part is kept as <name>.failed.ipynb.
        StoreError: the folder cannot be written.
    """
    # Before anything has a thread.
    embryo = _embryo()
    with imports():
        import papermill
        from nbclient.exceptions import DeadKernelError
    from ycsbook.kernels import saving

    parameters = notebook_parameters.check(notebook, parameters)
    failed = target.with_name(f"{target.stem}.failed.ipynb")
    output, final, state = saving.Saved(failed, secrets), failed, "failed"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # A write that was killed leaves its temporary file.
        cut = target.parent.glob(f".{glob.escape(failed.name)}.*")
        for stale in (target, target.with_suffix(".html"), failed, *cut):
            stale.unlink(missing_ok=True)
        with beside or contextlib.nullcontext():
            papermill.execute_notebook(
                _literal(notebook),
                None,
                parameters=parameters,
                engine_name=saving.ENGINE,
                kernel_name="python3",
                cwd=str(paths.REPOSITORY),
                progress_bar=False,
                extra_arguments=_ARGUMENTS,
                saved=output,
                **embryo,
            )
        # Only now: papermill's own marks also call a notebook ended whose kernel was killed.
        final, state = target, "completed"
    except papermill.PapermillExecutionError as e:
        said = redact(str(e.evalue), secrets)
        if e.ename in {cls.__name__ for cls in _all_errors()}:
            raise YcsbookError(" ".join(said.splitlines())) from None
        raise PublishError(f"{notebook.name}: {e.ename}: {shown(said)}; the executed part is {failed}") from None
    except DeadKernelError:
        raise PublishError(
            f"{notebook.name}: its kernel was killed, perhaps for want of memory; the executed part is {failed}"
        ) from None
    except RuntimeError as e:
        # What jupyter_client says of a kernel that never answered.
        raise PublishError(f"{notebook.name}: {one_line(str(e))}; the executed part is {failed}") from None
    except OSError as e:
        raise StoreError(f"{target}: cannot be written: {e.strerror or e}; check owner, mode and free space") from e
    finally:
        output.finish(final, state)
    return target


def _embryo() -> dict[str, object]:
    """What papermill needs for a kernel that is forked; nothing where a fork is not safe, so that one is started."""
    if not preload.can_fork():
        return {}
    from ycsbook.kernels import kernel

    return {"kernel_manager_class": kernel.manager(kernel.Embryo())}


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
