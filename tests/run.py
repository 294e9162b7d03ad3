"""Runs pytest for `make test`: so many files at a time, and what failed beside real servers once more, alone.

`tests/run.py 3 -m "not matrix"`

Tests that start servers, browsers and kernels share two cores with each other, and a machine that others use can starve
any of them. Such a test is named, and decides by how it ends with nothing beside it. All other tests have one try.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Tests of a file share what they prepare, so a file stays with one of the processes. In the order of their folders: the
# long ones with servers come first, and many short ones at the end leave neither process idle.
PARALLEL = ("--dist", "loadfile", "--no-loadscope-reorder", "--durations=15", "--durations-min=2")
LIVE = ("tests/contract/", "tests/browser/", "tests/notebooks/", "tests/faults/")
# More failures than these are no accident of a busy machine.
MOST_AGAIN = 4


class Failures:
    """The tests that fail in a run, by their names."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.names.add(report.nodeid)


def run(at_once: str, arguments: list[str]) -> int:
    """Pytest's exit code with these arguments and so many files `at_once` (0: all passed), live tests tried twice."""
    failures = Failures()
    code = pytest.main(["-n", at_once, *PARALLEL, *arguments], plugins=[failures])
    names = sorted(failures.names)
    if code != pytest.ExitCode.TESTS_FAILED or len(names) > MOST_AGAIN or not all(n.startswith(LIVE) for n in names):
        return code
    print("\nfailed beside other tests, now alone:", *names, sep="\n  ", flush=True)
    files = sorted({name.partition("::")[0] for name in names})
    again = [sys.executable, "-m", "pytest", "--last-failed", *arguments, *files]
    return subprocess.run(again, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
