"""What the command `ycsbook ingest` is asked for, read from plain arguments.

An archive that has not changed is told in less time than the command line's own library takes to load, so the usual
arguments are understood here. All others, mistakes and questions for help among them, are left to that library.
"""

from collections.abc import Sequence

MAX_JOBS = 64
_TEXTS = {"-o": "out", "--out": "out", "--format": "format", "--pattern": "pattern", "-j": "jobs", "--jobs": "jobs"}
_FLAGS = {"-f": "force", "--force": "force", "--json": "as_json"}


class Order:
    """What to ingest, and how: the options of the command."""

    # No data class: its module takes longer to load than an unchanged archive to check.
    def __init__(
        self, sources: Sequence[str], out: str, *, format: str = "", sets: Sequence[str] = (), pattern: str = "",
        jobs: int = 1, force: bool = False, as_json: bool = False,
    ):  # fmt: skip
        self.sources, self.out, self.format, self.sets, self.pattern = sources, out, format, sets, pattern
        self.jobs, self.force, self.as_json = jobs, force, as_json

    @property
    def said(self) -> str:
        """What decides what the tables hold, besides the files."""
        return repr((list(self.sources), self.out, self.format, list(self.sets), self.pattern))


def parse(arguments: Sequence[str]) -> Order | None:
    """The order that these arguments give; None where they are anything but plain and right.

    Examples
        >>> parse(["logs", "-o", "tables", "--force"]).force, parse(["logs", "--help"])
        (True, None)
    """
    sources: list[str] = []
    sets: list[str] = []
    given: dict[str, object] = {}
    left = iter(arguments)
    for argument in left:
        if argument in _FLAGS:
            given[_FLAGS[argument]] = True
        elif argument in _TEXTS or argument == "--set":
            value = next(left, "-")
            if value.startswith("-"):
                return None
            if argument == "--set":
                sets.append(value)
            else:
                given[_TEXTS[argument]] = value
        elif argument.startswith("-") or not argument:
            return None
        else:
            sources.append(argument)
    jobs, out = str(given.pop("jobs", 1)), given.pop("out", "")
    if given.get("format") == "list" or not (sources and out and jobs.isdecimal() and 1 <= int(jobs) <= MAX_JOBS):
        return None
    return Order(sources, out, **given, sets=sets, jobs=int(jobs))
