"""Many reports in one go: each in a process forked from one that has loaded everything, so many at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ycsbook import batch, params
from ycsbook.errors import ParamsError, YcsbookError
from ycsbook.kernels import apart, preload
from ycsbook.study import Study


@dataclass(frozen=True)
class Outcome:
    """What became of one params file: its report, or why there is none."""

    params_file: Path
    result: batch.Result | None
    reason: str = ""


def reports(
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
        on_end: told of each as soon as it is done.
    """
    ended: dict[Path, Outcome] = {}
    for outcome in _refused(params_files):
        ended[outcome.params_file] = outcome
        on_end(outcome)
    preload.load()
    files = [path for path in dict.fromkeys(params_files) if path not in ended]

    def take(which: int, job: apart.Job) -> None:
        ended[files[which]] = outcome = _ended(files[which], job)
        on_end(outcome)

    apart.several([(partial(_report, path, store, force), path.name) for path in files], jobs, take)
    return [ended[path] for path in dict.fromkeys(params_files)]


def _report(params_file: Path, store: Path, force: bool) -> batch.Result:
    return batch.report(Study(params_file, store=store), quiet=True, force=force)


def _ended(params_file: Path, job: apart.Job) -> Outcome:
    try:
        return Outcome(params_file, job.result())
    except YcsbookError as e:
        return Outcome(params_file, None, str(e))


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
