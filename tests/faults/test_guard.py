"""However a run ends, nothing of it is left: processes of every kind, CPU groups, secret files."""

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from ycsbook import paths, processes
from ycsbook.commands import doctor
from ycsbook.errors import ServerBusyError, ToolError
from ycsbook.params import load
from ycsbook.processes import Guard
from ycsbook.runner import sweep
from ycsbook.store import lock
from ycsbook.store.runs import RunStore

WITHIN_S = 5.0

# A run: a child, a grandchild that left its session and ignores TERM, a stopped child, a folder, a secret.
RUNNER = """
import os, signal, sys, time
from pathlib import Path
from ycsbook.processes import Guard

work, ending = Path(sys.argv[1]), sys.argv[2]
DEAF = '''
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGINT, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    open(sys.argv[1], "w").write(str(os.getpid()))
time.sleep(300)
'''
with Guard() as guard:
    plain = guard.start(["sleep", "300"])
    deaf = guard.start([sys.executable, "-c", DEAF, str(work / "grandchild")], grace_s=0.2)
    stopped = guard.start(["sleep", "300"])
    os.kill(stopped.pid, signal.SIGSTOP)
    for name in ("group", "tree"):
        (work / name).mkdir()
    (work / "secret").write_text("canary")
    (work / "tree" / "data").write_text("x")
    guard.remove_at_end(work / "group")
    guard.remove_at_end(work / "secret")
    guard.remove_at_end(work / "tree", tree=True)
    while not (work / "grandchild").exists() or not (work / "grandchild").read_text():
        time.sleep(0.01)
    pids = [guard.pid, plain.pid, deaf.pid, stopped.pid, int((work / "grandchild").read_text())]
    if ending == "fork" and os.fork() == 0:
        time.sleep(30)  # keeps the socket to the guard open
        os._exit(0)
    if ending.startswith("stopped"):
        os.kill(guard.pid, signal.SIGSTOP)
    print(*pids, flush=True)
    if ending == "error":
        raise ValueError("the run failed")
    if ending not in ("normal", "stopped_guard"):
        time.sleep(300)
"""


def alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text[text.rindex(")") + 2] not in "ZX"


def wait_until(condition, within_s: float = WITHIN_S) -> bool:
    limit = time.monotonic() + within_s
    while time.monotonic() < limit:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def start_runner(folder: Path, ending: str) -> tuple[subprocess.Popen, list[int]]:
    runner = subprocess.Popen(
        [sys.executable, "-c", RUNNER, str(folder), ending],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    return runner, [int(pid) for pid in runner.stdout.readline().split()]


ENDINGS = {
    "normal": lambda runner: None,
    "error": lambda runner: None,
    "kill": lambda runner: runner.kill(),
    "kill_group": lambda runner: os.killpg(runner.pid, signal.SIGKILL),
    "ctrl_c": lambda runner: os.killpg(runner.pid, signal.SIGINT),
    "terminate": lambda runner: runner.terminate(),
    "fork": lambda runner: runner.kill(),
    "stopped_guard": lambda runner: None,
    "stopped_guard_kill": lambda runner: runner.kill(),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_left(tmp_path, ending):
    runner, pids = start_runner(tmp_path, ending)
    with runner:
        try:
            assert len(pids) == 5
            assert ending in ("normal", "error", "stopped_guard") or all(alive(pid) for pid in pids)
            ENDINGS[ending](runner)
            assert wait_until(lambda: not any(alive(pid) for pid in pids)), [p for p in pids if alive(p)]
            assert not any((tmp_path / name).exists() for name in ("group", "secret", "tree"))
        finally:
            if alive(runner.pid):
                os.killpg(runner.pid, signal.SIGKILL)
            elif ending == "fork":
                os.killpg(runner.pid, signal.SIGKILL)  # the fork is still in the runner's group


def test_children_end_with_a_killed_guard():
    guard = Guard()
    child = guard.start(["sleep", "300"])
    os.kill(guard.pid, signal.SIGKILL)
    assert wait_until(lambda: not alive(child.pid))
    with pytest.raises(ToolError, match="does not answer"):
        child.poll()
    with pytest.raises(ToolError, match="ended with code -9"):
        guard.close()


def stopped(pid: int) -> bool:
    text = Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2] == "T"


def test_a_stopped_guard_goes_on_when_it_is_asked(monkeypatch):
    monkeypatch.setattr("ycsbook.processes.PROMPT_S", 0.2)
    with Guard() as guard:
        child = guard.start(["sleep", "300"])
        os.kill(guard.pid, signal.SIGSTOP)
        assert wait_until(lambda: stopped(guard.pid))
        assert child.poll() is None
        assert guard.start(["sh", "-c", "exit 7"]).wait(WITHIN_S) == 7
    assert not alive(child.pid)


def test_a_guard_that_stays_stopped_is_ended_with_all_its_children(monkeypatch, tmp_path):
    """As one that a debugger holds: it is continued in vain."""
    monkeypatch.setattr("ycsbook.processes.PROMPT_S", 0.1)
    monkeypatch.setattr("ycsbook.processes.ANSWER_LIMIT_S", 0.2)
    monkeypatch.setattr("ycsbook.processes.Guard._continue", lambda guard: None)
    guard = Guard()
    child = guard.start(["sh", "-c", "setsid sleep 300 & echo $! > detached; wait; sleep 300"], cwd=tmp_path)
    assert wait_until(lambda: (tmp_path / "detached").exists() and (tmp_path / "detached").read_text())
    detached = int((tmp_path / "detached").read_text())
    os.kill(guard.pid, signal.SIGSTOP)
    with pytest.raises(ToolError, match="does not answer") as error:
        child.poll()
    assert "\n" not in str(error.value)
    with pytest.raises(ToolError, match="ended with code -9"):
        guard.close()
    assert wait_until(lambda: not alive(child.pid) and not alive(detached))


ABANDONED = """
import fcntl, os, signal, sys
lock = open(sys.argv[2], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_guard_that_was_stopped_after_its_runner_is_named_by_doctor_and_ended_by_the_next_run(tmp_path, monkeypatch):
    script, store, runner = tmp_path / "processes" / "guard_main.py", tmp_path / "store", subprocess.Popen(["true"])
    runner.wait()
    script.parent.mkdir()
    store.mkdir()
    script.write_text(ABANDONED)
    argv = [sys.executable, "-S", "-E", "-u", script, str(runner.pid), store / ".lock"]
    with subprocess.Popen(argv) as guard:
        try:
            assert wait_until(lambda: stopped(guard.pid))
            with pytest.raises(ServerBusyError), lock.exclusive(store):
                pass
            assert guard.pid in processes.abandoned()
            (said,) = doctor._abandoned()
            assert said.fix == f"kill -CONT {guard.pid}" and "\n" not in said.found
            made = []
            asked = load(paths.REPOSITORY / "params" / "local.yml")
            planned = [SimpleNamespace(run_id="r", spec=asked.specs[0], threads=1, sweep=asked)]
            monkeypatch.setattr(sweep, "planned_runs", lambda *_: (planned, []))
            monkeypatch.setattr(sweep, "require_clients", lambda _: None)
            monkeypatch.setattr(sweep, "_make_runs", lambda *_: made.append(1))
            sweep.run(asked, RunStore(store))
            assert made and guard.wait(0) == 0 and doctor._abandoned() == []
        finally:
            guard.kill()


def test_guard_outlives_signals_meant_for_the_runner():
    with Guard() as guard:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(guard.pid, number)
        assert guard.start(["true"]).wait(WITHIN_S) == 0


def test_exit_codes():
    with Guard() as guard:
        assert guard.start(["sh", "-c", "exit 7"]).wait(WITHIN_S) == 7
        killed = guard.start(["sleep", "300"])
        assert killed.poll() is None
        os.kill(killed.pid, signal.SIGKILL)
        assert killed.wait(WITHIN_S) == -signal.SIGKILL
        assert guard.start(["sleep", "300"]).stop() == -signal.SIGTERM
        running = guard.start(["sleep", "300"], grace_s=0)
        with pytest.raises(TimeoutError, match="sleep"):
            running.wait(0.05)
    assert running.poll() == running.stop() == -signal.SIGKILL


def test_signals_of_a_child_are_the_defaults():
    with Guard() as guard:
        assert guard.start(["sh", "-c", "kill -INT $$; exit 0"]).wait(WITHIN_S) == -signal.SIGINT
        assert guard.start(["sh", "-c", "kill -HUP $$; exit 0"]).wait(WITHIN_S) == -signal.SIGHUP


def test_stop_ends_the_whole_tree(tmp_path):
    script = "trap '' TERM; sleep 300 & setsid sleep 300 & echo $! > detached; echo ready > up; wait; wait; sleep 300"
    with Guard() as guard:
        child = guard.start(["sh", "-c", script], cwd=tmp_path)
        assert wait_until((tmp_path / "up").exists)
        detached = int((tmp_path / "detached").read_text())
        assert child.stop(0.1) == -signal.SIGKILL
        assert not alive(detached)


def test_stop_ends_what_an_exited_process_left(tmp_path):
    with Guard() as guard:
        child = guard.start(["sh", "-c", "sleep 300 & echo $! > left"], cwd=tmp_path)
        assert child.wait(WITHIN_S) == 0
        left = int((tmp_path / "left").read_text())
        assert alive(left)
        assert child.stop() == 0
        assert not alive(left)


def test_output_environment_and_folder(tmp_path):
    out, err = tmp_path / "out", tmp_path / "err"
    out.write_text("before\n")
    with Guard() as guard:
        script = 'echo "$GREETING"; pwd; cat; echo wrong >&2'
        argv = ["/bin/sh", "-c", script]
        env = {"GREETING": "grüß dich", "PATH": os.environ["PATH"]}
        assert guard.start(argv, stdout=out, stderr=err, cwd=tmp_path, env=env, mode=0o600).wait(WITHIN_S) == 0
        assert guard.start(["sh", "-c", "echo a; echo b >&2"], stdout=out, stderr=out).wait(WITHIN_S) == 0
    assert out.read_text() == f"before\ngrüß dich\n{tmp_path}\na\nb\n"
    assert err.read_text() == "wrong\n"
    assert stat.S_IMODE(err.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("argv", "stdout", "cwd", "said"),
    [
        (["no-such-program-of-ours"], None, None, "no-such-program-of-ours: cannot be started: No such file"),
        (["/etc/passwd"], None, None, "/etc/passwd: cannot be started: Permission denied"),
        (["true"], Path("/no/such/folder/log"), None, r"true: cannot be started: .*\(/no/such/folder/log\)"),
        (["true"], None, Path("/no/such/folder"), r"true: cannot be started: .*\(/no/such/folder\)"),
    ],
)
def test_start_failure_is_an_error(argv, stdout, cwd, said):
    with Guard() as guard:
        with pytest.raises(ToolError, match=said):
            guard.start(argv, stdout=stdout, cwd=cwd)
        assert guard.start(["true"]).wait(WITHIN_S) == 0


def test_a_pipe_whose_reader_is_gone_holds_nothing_up(tmp_path):
    """A runner killed between its request and the child's start would otherwise leave a guard that waits for ever."""
    os.mkfifo(tmp_path / "pipe")
    with Guard() as guard:
        with pytest.raises(ToolError, match=r"cannot be started: No such device or address \(.*/pipe\)"):
            guard.start(["true"], stdout=tmp_path / "pipe")
        assert guard.start(["true"]).wait(WITHIN_S) == 0


def test_a_pipe_is_written_to_as_one_that_waits_for_its_reader(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    told = "import os; print(os.get_blocking(1))"
    with os.fdopen(reader) as pipe, Guard() as guard:
        assert guard.start([sys.executable, "-c", told], stdout=tmp_path / "pipe").wait(WITHIN_S) == 0
        assert pipe.read() == "True\n"


def test_an_interrupted_end_ends_everything_all_the_same(monkeypatch):
    def interrupted(**_):
        raise KeyboardInterrupt

    guard = Guard()
    child = guard.start(["sleep", "300"])
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(guard._talk, "shutdown", interrupted)
        guard.close()
    assert guard._process.wait(WITHIN_S) == 0 and not alive(child.pid)
    guard._talk.shutdown()


def test_a_full_folder_is_not_removed_without_tree(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "result").write_text("x")
    with Guard() as guard:
        guard.remove_at_end(tmp_path / "folder")
    assert (tmp_path / "folder" / "result").exists()


def test_from_many_threads_at_once():
    codes = {}

    def one(n: int) -> None:
        codes[n] = guard.start(["sh", "-c", f"exit {n}"]).wait(10 * WITHIN_S)

    with Guard() as guard:
        threads = [threading.Thread(target=one, args=(n,)) for n in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert codes == {n: n for n in range(12)}


def test_keep_open_holds_a_lock_until_the_last_child_is_gone(tmp_path):
    import fcntl

    def take() -> int:
        descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor

    held = take()
    with Guard(keep_open=[held]) as guard:
        child = guard.start(["sleep", "300"])
        os.close(held)
        with pytest.raises(BlockingIOError):
            os.close(take())
    assert not alive(child.pid)
    os.close(take())


def test_closed_guard_refuses_to_start():
    guard = Guard()
    guard.close()
    guard.close()
    with pytest.raises(ToolError, match="closed"):
        guard.start(["true"])
