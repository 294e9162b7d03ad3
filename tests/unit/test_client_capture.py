"""What a client prints reaches the disk without secrets, however it comes, and a full disk is noticed."""

import contextlib
import errno
import itertools
import os
import signal
import subprocess
import sys
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.errors import StoreError
from ycsbook.params import Sweep, plan
from ycsbook.runner import session
from ycsbook.runner.client import LINE_BYTES, Capture, Redactor
from ycsbook.secrets import Secret

SECOND = {
    "name": "second", "server": {"kind": "mongod"}, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}],
    "workloads": ["a"], "threads": [1], "min_duration": "1s",
}  # fmt: skip
CANARY = "c4nary/p@ss w"
ENCODED = quote(CANARY, safe="")
URI = Secret(f"mongodb://anna:{ENCODED}@h1:27017,h2/db?authSource=admin")
FORMS = (CANARY, ENCODED, quote_plus(CANARY), ENCODED.lower(), quote(URI.reveal(), safe=""))


def passed(text: bytes, cuts=()) -> bytes:
    redactor, edges = Redactor([URI]), [0, *sorted(cuts), len(text)]
    return b"".join(redactor.feed(text[a:b]) for a, b in itertools.pairwise(edges)) + redactor.end()


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
@settings(max_examples=25)
def test_no_form_of_a_secret_passes_wherever_it_is_cut(form, data):
    text = f"new database url = mongodb://h/db\nauth {form} done\nlast {form}".encode()
    clean = passed(text, data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    assert clean == b"new database url = mongodb://h/db\nauth REDACTED done\nlast REDACTED" or form == FORMS[-1]
    assert not any(f.encode() in clean for f in FORMS)


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=6))
def test_text_without_secrets_passes_byte_by_byte(text, cuts):
    # What looks like a password goes: = and : and @ are what gives it away.
    text = text.translate(None, b"=:@")
    assert passed(text, [min(c, len(text)) for c in cuts]) == text


@given(st.integers(-40, 40), st.sampled_from([1000, 4096, 65536]))
@settings(max_examples=15, deadline=None)
def test_a_line_without_end_is_passed_on_in_bounded_pieces_and_no_secret_with_it(shift, chunk):
    line = b"x" * (LINE_BYTES + shift) + URI.reveal().encode() + b"y" * (2 * LINE_BYTES)
    redactor, clean, held = Redactor([URI]), b"", 0
    for start in range(0, len(line), chunk):
        clean += redactor.feed(line[start : start + chunk])
        held = max(held, start + chunk - len(clean))
    clean += redactor.end()
    assert held < 3 * LINE_BYTES
    assert not any(form.encode() in clean for form in FORMS) and b"REDACTED" in clean
    assert clean.count(b"x") >= LINE_BYTES + shift and clean.count(b"y") >= 2 * LINE_BYTES


def capture(tmp_path, script: str, heed=None, **more):
    """Run a shell script with its output captured; the two logs."""
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    with Capture(tmp_path, private, [URI], heed) as logs:
        with logs.stdout.open("wb") as out, logs.stderr.open("wb") as err:
            process = subprocess.Popen(["sh", "-c", script], stdout=out, stderr=err, stdin=subprocess.DEVNULL, **more)
        logs.begin()
        code = process.wait(60)
    assert list(private.iterdir()) == [] and code == 0
    return logs, (tmp_path / "run.out").read_bytes(), (tmp_path / "run.err").read_bytes()


def test_both_streams_go_to_their_files_and_one_is_heeded(tmp_path):
    heard = []
    script = f"printf 'to out\\n'; printf 'user anna:{ENCODED.replace('%', '%%')}@h\\nno end' >&2"
    logs, out, err = capture(tmp_path, script, heard.append)
    assert out == b"to out\n" and err == b"user REDACTED@h\nno end" and b"".join(heard) == err
    assert logs.error is None


def test_much_text_passes_whole(tmp_path):
    _, out, err = capture(tmp_path, "seq 200000; seq 100000 >&2")
    assert out.splitlines()[-1] == b"200000" and out.count(b"\n") == 200_000
    assert err.splitlines()[-1] == b"100000"


def test_a_full_disk_is_told_and_the_client_can_still_end(tmp_path):
    (tmp_path / "run.out").symlink_to("/dev/full")
    private = tmp_path / "private"
    private.mkdir()
    with Capture(tmp_path, private) as logs:
        with logs.stdout.open("wb") as out, logs.stderr.open("wb") as err:
            # More than a pipe holds: it would wait for ever if nobody read on.
            process = subprocess.Popen(["seq", "100000"], stdout=out, stderr=err)
        logs.begin()
        assert process.wait(60) == 0
    assert logs.error.errno == errno.ENOSPC


def test_a_pipe_that_somebody_keeps_open_is_left_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr("ycsbook.runner.client._END_LIMIT_S", 0.2)
    with Capture(tmp_path, tmp_path) as logs:
        keeping = os.open(logs.stderr, os.O_WRONLY)
        os.write(keeping, b"first\nsecond")
        logs.begin()
    os.close(keeping)
    assert (tmp_path / "run.err").read_bytes() == b"first\nsecond"


WRITER = """
import sys
from pathlib import Path
from ycsbook.runner.client import Capture
with Capture(Path(sys.argv[1]), Path(sys.argv[1])) as logs:
    print(logs.stdout, flush=True)
    out, err = open(logs.stdout, "wb", 0), open(logs.stderr, "wb", 0)
    logs.begin()
    sys.stdin.read()
"""


def test_whoever_writes_to_a_reader_that_was_killed_is_told(tmp_path):
    reader = subprocess.Popen(
        [sys.executable, "-c", WRITER, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    pipe = os.open(reader.stdout.readline().strip(), os.O_WRONLY)
    reader.send_signal(signal.SIGKILL)
    reader.communicate()
    with pytest.raises(BrokenPipeError):
        limit = time.monotonic() + 30
        while time.monotonic() < limit:
            os.write(pipe, b"x" * 4096)
    with contextlib.suppress(OSError):
        os.close(pipe)


def test_a_disk_without_room_is_refused_before_the_run(tmp_path):
    (run,) = plan(Sweep.model_validate(SECOND))
    session.require_room(tmp_path, run, 1)
    with pytest.raises(StoreError, match=r"MB are free, the next run asks for .* finished runs are kept"):
        session.require_room(tmp_path, run, 10**12)
    with pytest.raises(StoreError, match="cannot be looked at"):
        session.require_room(tmp_path / "missing", run, 1)
