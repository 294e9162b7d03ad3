"""What tests share: the folder `shared`, whose lack is said and never silent, and a server that all can measure."""

import gc
import os
import signal
from pathlib import Path

import hypothesis
import pytest

from ycsbook.tables import keep_texts_as_objects

VARIABLE = "YCSBOOK_SHARED"
LEFT_OUT = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    # How long one example takes says how busy the machine is.
    hypothesis.settings.register_profile("whenever", deadline=None)
    hypothesis.settings.load_profile("whenever")
    config.stash[LEFT_OUT] = 0
    # What a shell starts in the background ignores Ctrl-C, and so would all that tests start and interrupt.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = os.environ.get(VARIABLE)
    if folder and not Path(folder).is_dir():
        raise pytest.UsageError(f"{VARIABLE}={folder}: no such folder; name the folder of documents and samples")


def pytest_sessionstart() -> None:
    # As in the commands; those of a process of their own do it themselves.
    keep_texts_as_objects()


def pytest_collection_finish() -> None:
    # Modules and tests stay until the end: looking for what can go among them takes a twentieth of the time.
    gc.freeze()


def pytest_runtest_setup() -> None:
    # What is printed follows from no terminal: not from ours, nor from what the processes of a parallel run are told.
    os.environ.pop("COLUMNS", None)
    os.unsetenv("COLUMNS")  # which libraries set for the processes that tests start


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get(VARIABLE):
        return
    left_out = [item for item in items if item.get_closest_marker("shared")]
    if left_out:
        config.stash[LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("shared")]


def pytest_sessionfinish(session: pytest.Session) -> None:
    # Under xdist it is the workers that collect; each of them sees all tests.
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    node.config.stash[LEFT_OUT] = max(node.config.stash[LEFT_OUT], getattr(node, "workeroutput", {}).get("left_out", 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if count := config.stash[LEFT_OUT]:
        terminalreporter.write_line(
            f"NOT RUN: {count} tests that read the shared documents and samples, because {VARIABLE} is not set",
            red=True,
            bold=True,
        )


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared documents and samples; only for tests marked `shared`."""
    return Path(os.environ[VARIABLE])


@pytest.fixture(scope="session")
def private_mongod(tmp_path_factory):
    """A mongod for all tests of this process that neither stop nor freeze it; they clear what they put into it."""
    from ycsbook.processes import Guard
    from ycsbook.servers.mongod import Mongod

    with Guard() as guard, Mongod(guard, tmp_path_factory.mktemp("mongod"), cache_gib=0.25) as mongod:
        yield mongod
