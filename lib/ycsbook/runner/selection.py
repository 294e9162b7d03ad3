"""Which of a sweep's runs to make: some of them, more repeats than planned, or all over again."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ycsbook.errors import ParamsError, shown
from ycsbook.params import VARIED, PlannedRun, Sweep


def _setting(name: str, run: PlannedRun) -> str | float:
    value = getattr(run.sweep, name)
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else value


# What a run can be chosen by, and what it then is.
_FIELDS: Mapping[str, Callable[[PlannedRun], str | float]] = {
    "spec": lambda run: run.spec.name,
    "cores": lambda run: run.spec.cores,
    "ram_gib": lambda run: run.spec.ram_gib,
    "workload": lambda run: run.workload.name,
    "threads": lambda run: run.threads,
    "repeat": lambda run: run.repeat,
    **{name: partial(_setting, name) for name in VARIED},
}


@dataclass(frozen=True)
class Selection:
    """`only`: conditions of which a run must meet one whole (none: every run is meant); `repeats`: instead of the
    params file's; `force`: make also what is completed, whose folder moves to quarantine."""

    only: tuple[tuple[tuple[str, frozenset[str]], ...], ...] = ()
    repeats: int | None = None
    force: bool = False

    @classmethod
    def parse(cls, only: str | Sequence[str] = (), repeats: int | None = None, force: bool = False) -> "Selection":
        """The selection that the command line's options describe; ParamsError: a condition that is none, or of what
        runs have not; repeats that are no number above 0."""
        if repeats is not None and (not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1):
            raise ParamsError(f"--repeat: got {shown(repeats)}, expected 1 or more")
        if not isinstance(force, bool):
            raise ParamsError(f"force: got {shown(force)}, expected true or false")
        only = [only] if isinstance(only, str) else only
        return cls(tuple(map(_conditions, only)), repeats, force)

    def of(self, sweep: Sweep) -> Sweep:
        return sweep if self.repeats is None else sweep.model_copy(update={"repeats": self.repeats})

    def chosen(self, planned: Iterable[PlannedRun]) -> list[PlannedRun]:
        """The selected runs, in their order; raises ParamsError for a condition that no planned run meets."""
        planned = list(planned)
        if not planned or not self.only:
            return planned
        for name, values in itertools.chain.from_iterable(self.only):
            planned_values = dict.fromkeys(_text(_FIELDS[name](run)) for run in planned)
            if unplanned := sorted(values - planned_values.keys()):
                raise ParamsError(
                    f"--only {name}={unplanned[0]}: no such run is planned; {name} is {' or '.join(planned_values)}"
                )
        for conditions in self.only:
            if not any(_meets(run, conditions) for run in planned):
                unmet = ",".join(f"{name}={'|'.join(sorted(values))}" for name, values in conditions)
                raise ParamsError(f"--only {unmet}: no planned run meets all of these; several --only add up")
        return [run for run in planned if any(_meets(run, conditions) for conditions in self.only)]


def _conditions(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    conditions = []
    for part in text.split(","):
        name, mark, values = (word.strip() for word in part.partition("="))
        if name not in _FIELDS or not mark or not all(word.strip() for word in values.split("|")):
            raise ParamsError(
                f"--only: got {shown(part)}, expected conditions such as cores=8,threads=100|200 "
                f"on {', '.join(_FIELDS)}"
            )
        if name in dict(conditions):
            raise ParamsError(f"--only: {name} stands twice in {shown(text)}; several values are written {name}=4|16")
        conditions.append((name, frozenset(_text(word.strip()) for word in values.split("|"))))
    return tuple(conditions)


def _meets(run: PlannedRun, conditions: Iterable[tuple[str, frozenset[str]]]) -> bool:
    return all(_text(_FIELDS[name](run)) in values for name, values in conditions)


def _text(value: str | float) -> str:
    """A value as text; a number in one spelling, so that 8, 8.0 and 08 are the same."""
    try:
        return f"{float(value):.12g}"
    except ValueError:
        return str(value)
