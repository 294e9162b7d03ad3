"""One client process and what may go wrong with it: fakes that print, real guards, real limits, real kills."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

CANARY = "c4nary/p@ss"
ENCODED = "c4nary%2Fp%40ss"
# Carries out one fake client as a session does, and says how it ended. The fake is a shell script; $0 is its
# properties file.
RUNNER = f"""
import resource, sys
from pathlib import Path
from ycsbook.errors import YcsbookError
from ycsbook.processes import Guard
from ycsbook.runner import client
from ycsbook.runner.command import Command, properties_text
from ycsbook.secrets import Secret

folder, script, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
(folder / "run").mkdir()
uri = Secret("mongodb://anna:{ENCODED}@127.0.0.1:1/db")
built = Command(
    ("sh", "-c", script, "{{properties}}"), properties_text({{"mongodb.url": uri.reveal()}}),
    {{"PATH": "/usr/bin:/bin"}}, "sh", folder / "run" / "hdr", (uri,),
)
with Guard() as guard:
    guard.remove_at_end(folder / "private", tree=True)
    (folder / "private").mkdir(mode=0o700)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        print("ended:", client.execute(guard, built, partial=folder / "run", secrets=folder / "private"), flush=True)
    except YcsbookError as e:
        print("error:", type(e).__name__, e, flush=True)
"""
# As the stock binding does, which prints its whole URL, and once more as libraries do.
TELLTALE = f"""
while :; do
    echo "new database url = mongodb://anna:{ENCODED}@127.0.0.1:1/db"; cat "$0"
    printf 'com.mongodb.X: {CANARY.replace("%", "%%")} in c4na' >&2; sleep 0.01; printf 'ry%%2Fp%%40ss again\\n' >&2
done
"""


def start(folder: Path, script: str, limit: int = 0) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", RUNNER, folder, script, str(limit)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip


def end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def until(what, limit_s=60):
    limit = time.monotonic() + limit_s
    while not (value := what()):
        assert time.monotonic() < limit, f"waited {limit_s} s in vain"
        time.sleep(0.02)
    return value


def hits(folder: Path) -> list[Path]:
    forms = [CANARY.encode(), ENCODED.encode(), rb"c4nary\u"]
    return [p for p in folder.rglob("*") if p.is_file() and any(form in p.read_bytes() for form in forms)]


def printed(folder: Path, name: str) -> bytes:
    path = folder / "run" / name
    return path.read_bytes() if path.is_file() else b""


def test_a_client_that_prints_its_password_never_gets_it_onto_the_disk_even_when_the_runner_is_killed(tmp_path):
    process = start(tmp_path, TELLTALE)
    try:
        until(lambda: printed(tmp_path, "run.err").count(b"\n") > 20 and printed(tmp_path, "run.out"))
        # While it runs: only the properties file, which is its owner's alone, holds it.
        places = hits(tmp_path)
        assert [(p.parent.name, p.stat().st_mode & 0o777) for p in places] == [("private", 0o600)]
        below = psutil.Process(process.pid).children(recursive=True)
        (fake,) = [p for p in below if p.name() == "sh" and p.ppid() == below[0].pid]
        os.kill(process.pid, signal.SIGKILL)  # the runner alone, not its group
        until(lambda: not fake.is_running() or fake.status() == psutil.STATUS_ZOMBIE, 10)
        until(lambda: not (tmp_path / "private").exists(), 10)
    finally:
        end(process)
    assert hits(tmp_path) == []
    assert b"new database url = REDACTED\n" in printed(tmp_path, "run.out")
    assert b"com.mongodb.X: REDACTED in REDACTED again\n" in printed(tmp_path, "run.err")


@pytest.mark.parametrize("stream", ["1", "2"])
def test_no_room_for_a_log_ends_the_client_with_the_reason(tmp_path, stream):
    process = start(tmp_path, f"while :; do echo 0123456789012345678901234567890123456789 >&{stream}; done", 65536)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        end(process)
    assert (out, err) == ("ended: disk_full\n", "")
    # Kept as far as there was room.
    sizes = sorted(p.stat().st_size for p in (tmp_path / "run").glob("run.*"))
    assert sizes == [0, 65536]
    assert not (tmp_path / "private").exists()


def test_no_room_for_the_samples_ends_the_client_too(tmp_path):
    (tmp_path / "run").mkdir()
    script = RUNNER.replace('(folder / "run").mkdir()', "")
    (tmp_path / "run" / "samples.csv").symlink_to("/dev/full")
    process = subprocess.Popen(
        [sys.executable, "-c", script, tmp_path, "sleep 60", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=50)
    finally:
        end(process)
    assert (out, err) == ("ended: disk_full\n", "")


def test_a_client_that_exits_by_itself_was_not_ended_whatever_its_exit_code(tmp_path):
    process = start(tmp_path, "exit 3")
    try:
        out, _ = process.communicate(timeout=60)
    finally:
        end(process)
    assert out == "ended: None\n"
