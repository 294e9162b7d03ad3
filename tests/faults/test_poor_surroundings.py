"""Few open files, no room for the last file, locales without Chinese, a library that is missing: one line or right
bytes, never a traceback."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("faults", "contract", "unit")]
import log_samples
import stand_in
import sweeping
from published_reports import few, made
from report_samples import local_tables

from ycsbook.processes import Guard
from ycsbook.report.site import publish
from ycsbook.servers.mongod import Mongod

TITLE, LABEL = "腾讯云数据库测试", "1核1GB"
PARAMS = f"""
name: poor
title: {TITLE}
server: {{kind: mongod}}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1, label: {LABEL}}}
workloads: [a]
threads: [2]
records: 200
min_duration: 1s
report: {{lang: zh}}
"""
LOCALES = {
    "C": {"LC_ALL": "C"},
    # As a locale of Latin letters has it, which not every machine has installed.
    "latin": {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "latin-1"},
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.fixture
def params(tmp_path):
    path = tmp_path / "poor.yml"
    path.write_text(PARAMS, encoding="utf-8")
    return path


def ycsbook(*arguments, limits=(), **environment):
    def in_child():
        for which, soft, hard in limits:
            resource.setrlimit(which, (soft, hard))

    argv, env = [sweeping.YCSBOOK, *arguments], {**os.environ, **environment}
    return subprocess.run(argv, capture_output=True, env=env, timeout=240, check=False, preexec_fn=in_child)


def one_line(done):
    text = done.stderr.decode("utf-8", "backslashreplace")
    assert done.returncode == 1 and "Traceback" not in text, text
    (line,) = [line for line in text.splitlines() if line.startswith("ycsbook: ")]
    return line


@pytest.mark.live
def test_too_few_open_files_are_told_in_one_line_before_anything_is_started(tmp_path, params):
    home = str(stand_in.install(tmp_path))
    few_files = (resource.RLIMIT_NOFILE, 64, 64)
    done = ycsbook("run", params, "--store", tmp_path / "runs", limits=[few_files], JAVA_HOME=home)
    assert "open files: at most 64 are allowed here, 4 threads need about" in one_line(done)
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.matrix
@pytest.mark.live
@pytest.mark.parametrize("locale", ["latin", "ascii"])
def test_a_sweep_is_made_with_few_open_files_at_first_and_in_any_locale(tmp_path, params, locale):
    home, store = str(stand_in.install(tmp_path)), tmp_path / "数据"
    few_at_first = (resource.RLIMIT_NOFILE, 64, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    done = ycsbook("run", params, "--store", store, limits=[few_at_first], JAVA_HOME=home, **LOCALES[locale])
    assert done.returncode == 0, done.stderr
    (written,) = [p.read_bytes() for p in store.glob("*-t2-*/manifest.json")]
    assert json.loads(written)["spec"]["label"] == LABEL and LABEL.encode() in written


def test_a_hundred_logs_are_read_with_few_open_files(tmp_path):
    for number in range(100):
        log = (log_samples.DATA / "11_auth_ok.out").read_text() + f"\n# {number}\n"
        (tmp_path / f"{number}.out").write_text(log)
    done = ycsbook("ingest", tmp_path, "--out", tmp_path / "tables", limits=[(resource.RLIMIT_NOFILE, 64, 64)])
    assert done.returncode == 0 and b"Traceback" not in done.stderr, done.stderr


@pytest.mark.matrix
@pytest.mark.parametrize("locale", LOCALES)
def test_a_terminal_without_chinese_shows_what_it_can(tmp_path, params, locale):
    shown = ycsbook("plan", params, "--store", tmp_path / "runs", **LOCALES[locale])
    assert shown.returncode == 0 and b"1 run: 0 done" in shown.stdout and b"Traceback" not in shown.stderr
    # In ASCII not even the name is understood that was given.
    name = {"C": "没有.yml", "latin": "\\u6ca1\\u6709.yml", "ascii": ".yml"}[locale]
    assert name in one_line(ycsbook("plan", tmp_path / "没有.yml", **LOCALES[locale]))


PUBLISHER = """
import sys
from pathlib import Path
from ycsbook.report.site import publish
publish(Path(sys.argv[1]), Path(sys.argv[2]), site="hugo")
"""


@pytest.mark.matrix
def test_a_chinese_report_is_published_as_the_same_bytes_in_any_locale(tmp_path):
    report = made(tmp_path / "local", few(local_tables()), title=TITLE, report={"lang": "zh"})
    publish(report, tmp_path / "here", site="hugo")
    argv = [sys.executable, "-c", PUBLISHER, report, tmp_path / "there"]
    env = {**os.environ, **LOCALES["ascii"]}
    done = subprocess.run(argv, capture_output=True, text=True, env=env, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    here, there = (
        {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        for root in (tmp_path / "here", tmp_path / "there")
    )
    assert here == there and TITLE.encode() in here["local/index.md"]


@pytest.mark.matrix
@pytest.mark.live
def test_no_room_for_the_last_file_of_a_run_is_told_in_one_line_and_what_was_measured_is_kept(tmp_path, params):
    home, store = str(stand_in.install(tmp_path)), tmp_path / "runs"
    # As on a full disk the logs just found room, and the manifest, the largest file and the last, does not.
    full = (resource.RLIMIT_FSIZE, 1500, 1500)
    params.write_text(
        PARAMS.replace("kind: mongod", "kind: uri").replace("label:", "uri_env: POOR_URI, label:"), "utf-8"
    )
    with Guard() as guard, Mongod(guard, tmp_path / "server", cache_gib=0.25) as server:
        uri = {"POOR_URI": server.uri}
        done = ycsbook("run", params, "--store", store, limits=[full], JAVA_HOME=home, **uri)
        assert "cannot be written: File too large" in one_line(done)
        (partial,) = store.glob("*.partial")
        logs = {path.name: path.read_bytes() for path in partial.iterdir() if path.is_file()}
        assert b"[OVERALL]" in logs["run.out"] and "manifest.json" not in logs
        assert ycsbook("run", params, "--store", store, JAVA_HOME=home, **uri).returncode == 0
    kept = [path.read_bytes() for path in store.glob("quarantine/*/run.out")]
    assert kept == [logs["run.out"]]


def test_a_library_that_the_system_lacks_is_named_in_one_line_and_other_import_errors_are_not_hidden(tmp_path):
    broken = tmp_path / "numpy.py"
    broken.write_text(
        'raise ImportError("...\\nError was: libstdc++.so.6: cannot open shared object file: No such file")'
    )
    broken_numpy = {"PYTHONPATH": str(tmp_path)}
    done = ycsbook("scaling", tmp_path, **broken_numpy)
    said = "ycsbook: the shared library libstdc++.so.6 is missing; on Debian and Ubuntu: apt-get install libstdc++6\n"
    assert (done.returncode, done.stderr.decode()) == (1, said)
    done = ycsbook("doctor", **broken_numpy)
    assert "the shared library libstdc++.so.6 is missing" in done.stdout.decode().replace("\n", " ")
    assert b"Traceback" not in done.stderr
    broken.write_text('raise ImportError("no such name")')
    done = ycsbook("scaling", tmp_path, **broken_numpy)
    assert b"no such name" in done.stderr and b"shared library" not in done.stderr
