"""Many reports in one go: each in a process forked from one that has loaded everything, so many at a time."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ycsbook import params
from ycsbook.batch import preload, stages, tasks
from ycsbook.batch.outcomes import Outcome, Result
from ycsbook.errors import ParamsError, YcsbookError
from ycsbook.study import Study


def many(
    params_files: Sequence[Path],
    store: Path,
    *,
    jobs: int = 1,
    force: bool = False,
    on_end: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Make the reports of params files, in their order; one that fails does not stop the others.

    Sweeps that still have runs to make take turns: two at once would disturb each other's figures.

    Parameters
        jobs: how many at a time.
        on_end: called with each as soon as it is done.
    """
    outcomes: dict[Path, Outcome] = {}
    for outcome in _refused(params_files):
        outcomes[outcome.params_file] = outcome
        on_end(outcome)
    files = [path for path in dict.fromkeys(params_files) if path not in outcomes]

    def take(place: int, task: tasks.Task) -> None:
        try:
            outcome = Outcome(files[place], task.result())
        except YcsbookError as e:
            outcome = Outcome(files[place], None, str(e))
        outcomes[outcome.params_file] = outcome
        on_end(outcome)

    preload.load()
    tasks.several([(path.name, _report, path, store, force) for path in files], jobs, take)
    return [outcomes[path] for path in dict.fromkeys(params_files)]


def _refused(params_files: Sequence[Path]) -> Iterator[Outcome]:
    """Files that are none, and those that would write over another's report."""
    names: dict[str, Path] = {}
    for path in dict.fromkeys(params_files):
        try:
            name = params.load(path).name
            if name in names:
                raise ParamsError(f"{path}: has the name {name!r} as {names[name]}; each report needs its own")
            names[name] = path
        except YcsbookError as e:
            yield Outcome(path, None, str(e))


def _report(params_file: Path, store: Path, force: bool) -> Result:
    return stages.report(Study(params_file, store=store), quiet=True, force=force)
