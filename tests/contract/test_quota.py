"""Every way of limiting the CPU that this machine has: does it hold what it says, and does it leave no trace?"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from ycsbook.errors import ToolError
from ycsbook.processes import Guard
from ycsbook.servers import quota

MEASURE_S = 0.6
TOLERANCE = 0.15
ATTEMPTS = 3
BURN = """
import hashlib, threading
block = bytes(1 << 20)
def burn():
    while True:
        hashlib.sha256(block).digest()
for _ in range(2):
    threading.Thread(target=burn).start()
"""


@pytest.fixture
def guard():
    with Guard() as guard:
        yield guard


@pytest.fixture
def burner(guard):
    return guard.start([sys.executable, "-c", BURN], grace_s=0).pid


def ways_here(guard: Guard, pid: int) -> list[str]:
    found = []
    for way in quota.WAYS[:-1]:
        try:
            quota.choose(guard, pid, [way]).close()
        except ToolError:
            continue
        found.append(way)
    return found


def cores_used(pid: int) -> float:
    process = psutil.Process(pid)
    before, begin = process.cpu_times(), time.monotonic()
    time.sleep(MEASURE_S)
    after, end = process.cpu_times(), time.monotonic()
    return (after.user + after.system - before.user - before.system) / (end - begin)


def check_holds(chosen: quota.Quota, cores: float) -> None:
    """The limit is not passed, and reached as soon as the machine has that much to give."""
    seen = []
    for _ in range(ATTEMPTS):
        chosen.set_cores(cores)
        used = cores_used(chosen.pid)
        chosen.set_cores(None)
        if abs(used / cores - 1) <= TOLERANCE:
            return
        available = cores_used(chosen.pid)
        if used < cores and available < cores * (1 + TOLERANCE):
            return  # the machine is busy with other work
        seen.append(f"{used:.2f} of {available:.2f}")
    pytest.fail(f"{chosen.name}: limited to {cores} cores, used {', '.join(seen)} to be had")


def check_frees(pid: int, throttle: Callable[[], object], free: Callable[[], object]) -> None:
    """A process has more than twice as much after `free` as after `throttle`, on a machine that others load as well."""
    seen = []
    for _ in range(ATTEMPTS):
        throttle()
        throttled = cores_used(pid)
        free()
        freed = cores_used(pid)
        if freed > 2 * throttled:
            return
        seen.append(f"{throttled:.3f}, then {freed:.3f}")
    pytest.fail(f"cores used throttled and free: {'; '.join(seen)}")


def groups(owner: int) -> list[Path]:
    return [p for p in Path("/sys/fs/cgroup").glob(f"**/{quota.PREFIX}{owner}-*") if p.is_dir()]


def memberships(pid: int) -> str:
    return Path(f"/proc/{pid}/cgroup").read_text()


def test_each_way_holds_its_limit_and_is_gone_afterwards(guard, burner):
    ways = ways_here(guard, burner)
    home = memberships(burner)
    assert "duty_cycle" in ways
    for way in ways:
        with quota.choose(guard, burner, [way]) as chosen:
            assert chosen.name == way
            for cores in (0.25, 1.0):
                check_holds(chosen, cores)
            check_frees(burner, lambda: chosen.set_cores(0.05), lambda: chosen.set_cores(None))
        assert groups(os.getpid()) == []
        assert memberships(burner) == home


def test_the_first_way_that_works_is_chosen(guard, burner):
    ways = ways_here(guard, burner)
    with quota.choose(guard, burner) as chosen:
        assert chosen.name == ways[0]
        assert list(chosen.refused) == list(quota.WAYS[: quota.WAYS.index(ways[0])])
        assert all(chosen.refused.values())


def test_none_records_without_enforcing(guard, burner):
    with quota.choose(guard, burner, ["none"]) as chosen:
        chosen.set_cores(0.25)
        assert chosen.name == "none"


def test_no_way_is_an_error_that_says_why(guard):
    ended = guard.start(["true"])
    ended.wait(5)
    with pytest.raises(ToolError, match=f"cannot limit process {ended.pid} here .*duty_cycle: "):
        quota.choose(guard, ended.pid, ["cgroup1", "duty_cycle"])
    assert groups(os.getpid()) == []


@pytest.mark.parametrize("cores", [10_000, 0, -1])
def test_cores_that_cannot_be_had_are_refused(guard, burner, cores):
    with quota.choose(guard, burner) as chosen, pytest.raises(ToolError, match=f"asks for {cores}, this machine has"):
        chosen.set_cores(cores)


def test_a_process_that_ends_meanwhile_is_no_error_at_close(guard, burner):
    for way in [*ways_here(guard, burner), "none"]:
        target = guard.start(["sleep", "300"], grace_s=0)
        chosen = quota.choose(guard, target.pid, [way])
        chosen.set_cores(0.5)
        target.stop()
        chosen.close()
    assert groups(os.getpid()) == []


def test_a_stopped_duty_cycle_leaves_the_process_running(guard, burner):
    with quota.choose(guard, burner, ["duty_cycle"]) as chosen:
        chosen.set_cores(0.05)
        time.sleep(0.2)
    assert psutil.Process(burner).status() != psutil.STATUS_STOPPED


WITHOUT_PIDFD = "import os, runpy, sys; del os.pidfd_open; runpy.run_path(sys.argv.pop(1), run_name='__main__')"


def test_a_python_built_for_an_old_kernel_keeps_the_budget_too(guard, burner):
    script = str(Path(quota.__file__).with_name("duty_cycle_main.py"))
    argv = [sys.executable, "-c", WITHOUT_PIDFD, script, str(burner), "0.05", "20"]
    helpers = []

    def free():
        assert helpers[-1].poll() is None
        helpers[-1].stop()
        os.kill(burner, signal.SIGCONT)

    check_frees(burner, lambda: helpers.append(guard.start(argv, grace_s=0)), free)


def test_stale_groups_are_removed_and_living_ones_kept(guard, burner):
    ended = guard.start(["true"])
    ended.wait(5)
    with quota.choose(guard, burner) as chosen:
        mine = groups(os.getpid())
        stale = [folder.with_name(f"{quota.PREFIX}{ended.pid}-1") for folder in mine]
        for folder in stale:
            folder.mkdir()
        assert chosen.name.startswith("cgroup") == bool(mine)
        assert sorted(quota.remove_stale()) == sorted(stale)
        assert groups(os.getpid()) == mine


KILLED_RUNNER = """
import sys, time
from ycsbook.processes import Guard
from ycsbook.servers import quota
guard = Guard()
target = guard.start(["sleep", "300"], grace_s=0)
quota.choose(guard, target.pid, [sys.argv[1]]).set_cores(0.5)
print(target.pid, flush=True)
time.sleep(300)
"""


def test_a_killed_runner_leaves_no_group(guard, burner):
    for way in ways_here(guard, burner):
        with subprocess.Popen([sys.executable, "-c", KILLED_RUNNER, way], stdout=subprocess.PIPE, text=True) as runner:
            target = int(runner.stdout.readline())
            assert bool(groups(runner.pid)) == way.startswith("cgroup")
            os.kill(runner.pid, signal.SIGKILL)
        limit = time.monotonic() + 5
        while (psutil.pid_exists(target) or groups(runner.pid)) and time.monotonic() < limit:
            time.sleep(0.02)
        assert not psutil.pid_exists(target) and groups(runner.pid) == []
