"""Commands run in processes of their own, alternately, with what each cost.

A child's peak memory is never less than what its parent had when it started it, so whoever measures must be small: this
module and its users import nothing heavy.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What one command, with all its children, cost. `rss_mb`: of its largest process."""

    cpu_s: float
    wall_s: float
    rss_mb: float
    output: str


class CommandFailed(Exception):
    """A measured command that did not succeed; its figures would mean nothing."""


@dataclass(frozen=True)
class Way:
    """A command, and what to do before it that does not count."""

    argv: tuple[str, ...]
    before: Callable[[], None] = lambda: None


def run(argv: tuple[str, ...]) -> Cost:
    """Run a command to its end.

    Raises
        CommandFailed: its exit code is not 0.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        # Compiled modules are kept, as they are wherever something is used more than once.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=kept)
        _, status, used = os.wait4(child.pid, 0)
        wall_s = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        if child.returncode:
            said = [line for line in err.read().decode(errors="replace").splitlines() if any(map(str.isalnum, line))]
            raise CommandFailed(f"{' '.join(argv)}: exit code {child.returncode}: {said[-1] if said else 'no message'}")
        text = out.read().decode()
    # Linux counts in KiB, macOS in bytes.
    rss_mb = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)
    return Cost(used.ru_utime + used.ru_stime, wall_s, rss_mb, text)


def alternately(ways: dict[str, Way], rounds: int, say: Callable[[str], None]) -> dict[str, Cost]:
    """The median cost of each way over some rounds; in a round each runs once, in the order given.

    A way that fails is said, left out and not tried again.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in ways}
    for number in range(1, rounds + 1):
        for name, way in ways.items():
            if name not in costs:
                continue
            way.before()
            try:
                cost = run(way.argv)
            except CommandFailed as e:
                say(f"FAILED  {name}: {e}")
                del costs[name]
                continue
            say(f"round {number}: {name}: {cost.cpu_s:.2f} s CPU, {cost.wall_s:.2f} s wall, {cost.rss_mb:.0f} MB")
            costs[name].append(cost)
    return {name: _median(of) for name, of in costs.items()}


def _median(costs: list[Cost]) -> Cost:
    figures = (statistics.median(getattr(c, name) for c in costs) for name in ("cpu_s", "wall_s", "rss_mb"))
    return Cost(*figures, costs[-1].output)
