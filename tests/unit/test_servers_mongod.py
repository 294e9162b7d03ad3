"""Finding a mongod, sizing its cache, and reading why it ended."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import ToolError
from ycsbook.servers import mongod, private

LOG = """{"t":{"$date":"2024-01-01T00:00:00Z"},"s":"I","msg":"Build Info","attr":{"buildInfo":{"version":"6.0.5"}}}
{"s":"E","msg":"DBException in initAndListen, terminating","attr":{"error":"DBPathInUse: locked"}}
{"s":"I","msg":"Shutting down"}
{"s":"F","msg":"Fatal assertion","attr":{"msgid":40486}}
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LOG, "DBException in initAndListen, terminating: DBPathInUse: locked"),
        ('{"s":"F","msg":"Fatal assertion"}\n', "Fatal assertion"),
        ('{"s":"E","msg":"init","attr":{"error":{"code":2,"errmsg":"Unknown foo"}}}\n', "init: Unknown foo"),
        ("Error parsing command line: unrecognised option\ntry 'mongod --help' for more\n", "Error parsing command"),
        ('{"s":"I","msg":"fine"}\n', ""),
        ("", ""),
        ('[1]\n{"s":"E","msg":"half', '{"s":"E","msg":"half'),
        ('{"s":"E","attr":7}\nlibcurl.so.4: missing\n', "libcurl.so.4: missing"),
    ],
)
def test_log_reason(text, reason):
    found = mongod.log_reason(text)
    assert found.startswith(reason) and bool(found) == bool(reason)


@given(st.text())
def test_log_reason_takes_any_text(text):
    assert "\n" not in mongod.log_reason(text)


@given(st.floats(min_value=0.01, max_value=4096))
def test_cache_is_mongodbs_own_rule(ram_gib):
    cache = mongod.cache_for(ram_gib)
    assert cache >= mongod.MIN_CACHE_GIB
    assert cache == mongod.MIN_CACHE_GIB or cache * 2 + 1 == pytest.approx(ram_gib)


def test_too_little_space_is_refused():
    private.require_space(Path("/data"), private.MIN_FREE_BYTES)
    with pytest.raises(ToolError, match="/data: 100 MiB free, expected at least 400 MiB"):
        private.require_space(Path("/data"), 100 * 1024**2)


def executable(path: Path) -> Path:
    path.write_text("#!/bin/sh\necho 'db version v9.9.9'\n")
    path.chmod(0o755)
    return path


def test_mongod_bin_comes_before_path(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    on_path = executable(tmp_path / "bin" / "mongod")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("MONGOD_BIN", raising=False)
    assert mongod.find() == on_path
    chosen = executable(tmp_path / "mine")
    monkeypatch.setenv("MONGOD_BIN", str(chosen))
    assert mongod.find() == chosen
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert mongod.PROGRAM.version(chosen) == "9.9.9"


def test_a_wrong_mongod_bin_is_not_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("MONGOD_BIN", str(tmp_path / "none"))
    with pytest.raises(ToolError, match=r"MONGOD_BIN: got .*, expected the path of an executable mongod"):
        mongod.find()


def test_without_any_mongod_the_message_says_how_to_get_one(monkeypatch):
    monkeypatch.delenv("MONGOD_BIN", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(mongod, "_WHEELS", ())
    with pytest.raises(ToolError, match=r"mongod: not found; .*make live.*conda.*MONGOD_BIN.*kind: uri"):
        mongod.find()


def test_a_missing_library_is_named(tmp_path):
    broken = executable(tmp_path / "mongod")
    broken.write_text(
        "#!/bin/sh\necho 'mongod: error while loading shared libraries: libcurl.so.4: cannot open' >&2; exit 127\n"
    )
    with pytest.raises(ToolError, match=r"libcurl\.so\.4 is missing; on Debian and Ubuntu: apt-get install libcurl4"):
        mongod.PROGRAM.version(broken)
