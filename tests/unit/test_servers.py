"""Servers without one that runs: where CPU groups go, how a mongod is found and why it ended, and what a URI says."""

import itertools
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.errors import ToolError
from ycsbook.runner import sweep
from ycsbook.runner.generator import Generator
from ycsbook.secrets import Secret, uri_from_env
from ycsbook.servers import mongod, mongodb, private, quota
from ycsbook.servers.kind import Target
from ycsbook.servers.quota import MIN_QUOTA_US, PERIOD_US, group_folders, quota_us

V2_MOUNT = "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1_MOUNT = (
    "40 35 0:35 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
    "41 35 0:36 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct\n"
    "42 35 0:37 / /sys/fs/cgroup/cpuset rw shared:12 - cgroup cgroup rw,cpuset\n"
)
CONTAINER_MOUNT = "900 880 0:36 /docker/c0ffee /sys/fs/cgroup/cpu ro,nosuid master:11 - cgroup cgroup rw,cpu\n"


@pytest.mark.parametrize(
    ("mounts", "membership", "version", "expected"),
    [
        (V2_MOUNT, "0::/user.slice/session-1.scope\n", 2, ("/sys/fs/cgroup", "user.slice/session-1.scope")),
        (V2_MOUNT, "0::/\n", 2, ("/sys/fs/cgroup", "")),
        (V1_MOUNT, "5:cpu,cpuacct:/a/b\n3:cpuset:/c\n0::/d\n", 1, ("/sys/fs/cgroup/cpu,cpuacct", "a/b")),
        (CONTAINER_MOUNT, "5:cpu:/docker/c0ffee/x\n", 1, ("/sys/fs/cgroup/cpu", "x")),
        (CONTAINER_MOUNT, "5:cpu:/docker/c0ffee\n", 1, ("/sys/fs/cgroup/cpu", "")),
        (CONTAINER_MOUNT, "5:cpu:/docker/c0ffee2\n", 1, ("/sys/fs/cgroup/cpu", "")),
        (V2_MOUNT, "0::/\n", 1, None),
        (V1_MOUNT, "5:cpu,cpuacct:/\n", 2, None),
        (V1_MOUNT, "3:cpuset:/c\n", 1, None),
        ("", "0::/\n", 2, None),
    ],
)
def test_group_folders_go_from_the_own_group_up_to_the_mount(mounts, membership, version, expected):
    folders = group_folders(mounts, membership, version)
    assert ([*folders[:1], *folders[-1:]] or None) == (expected and [Path(*expected), Path(expected[0])])
    assert all(folder.parent == above for folder, above in itertools.pairwise(folders))


@given(st.floats(min_value=0.01, max_value=512))
def test_quota_is_the_cores_and_never_below_what_the_kernel_takes(cores):
    quota_, period = quota_us(cores)
    assert quota_ >= MIN_QUOTA_US
    assert quota_ / period == pytest.approx(cores, rel=1e-3)
    assert period == PERIOD_US or cores < 0.1


@pytest.mark.parametrize("cores", [0, -1, float("nan"), float("inf"), 2.01])
def test_cores_out_of_reach(cores):
    with pytest.raises(ToolError):
        quota.check_cores(cores, usable=2)


@given(st.floats(min_value=0, max_value=2, exclude_min=True))
def test_cores_within_reach(cores):
    quota.check_cores(cores, usable=2)


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
@settings(max_examples=30)
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


URI = "mongodb://anna:s3cr3t@db.example:27017/bench"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file with a URI that only we can read, named by MY_URI_FILE."""
    path = tmp_path / "uri"
    path.write_text(f"{URI}\n")
    path.chmod(0o600)
    monkeypatch.delenv("MY_URI", raising=False)
    monkeypatch.setenv("MY_URI_FILE", str(path))
    return path


def refused(said: str) -> str:
    with pytest.raises(ToolError, match=said) as caught:
        uri_from_env("MY_URI")
    assert "s3cr3t" not in str(caught.value)
    return str(caught.value)


def test_a_uri_from_a_file(file):
    assert uri_from_env("MY_URI").reveal() == URI


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o601])
def test_a_file_that_others_may_use_is_refused(file, mode):
    file.chmod(mode)
    assert f"chmod 600 {file}" in refused(f"named by MY_URI_FILE.*others may read it .mode {mode:04o}., expected 0600")


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_file_of_ones_own_will_do(file, mode):
    file.chmod(mode)
    assert uri_from_env("MY_URI").reveal() == URI


def test_a_variable_and_a_file_contradict_each_other(file, monkeypatch):
    monkeypatch.setenv("MY_URI", URI)
    refused("MY_URI and MY_URI_FILE are both set; unset one")


def test_files_that_hold_no_uri(file):
    file.write_text(f"{URI} {URI}")
    refused("named by MY_URI_FILE.*expected mongodb://")
    file.write_bytes(b"\xff" * 100_000)
    refused("expected mongodb://")
    file.unlink()
    refused("cannot be read: No such file or directory; check the path")
    file.mkdir(mode=0o700)
    refused("cannot be read: Is a directory")
    file.rmdir()
    os.mkfifo(file, 0o600)
    refused("is not a regular file; check the path")


@pytest.mark.parametrize(
    ("uri", "verified"),
    [
        ("mongodb://h/", None),
        ("mongodb://h/?tls=false", None),
        ("mongodb://h/?ssl=true", True),
        ("mongodb://h/?tls=true", True),
        ("mongodb://h/?TLS=true&TlsCaFile=/ca.pem", True),
        ("mongodb://h/?tlsCAFile=/ca.pem", True),
        ("mongodb+srv://h.example/", True),
        ("mongodb+srv://h.example/?tls=false", None),
        ("mongodb+srv://h.example/?tlsInsecure=true", False),
        ("mongodb://h/?tls=true&tlsInsecure=true", False),
        ("mongodb://h/?tls=true;tlsAllowInvalidCertificates=true", False),
        ("mongodb://h/?tls=true&tlsAllowInvalidHostnames=true", False),
        ("mongodb://h/?ssl=true&sslInvalidHostNameAllowed=true", False),
        ("mongodb://h/?tls=true&tlsInsecure=false", True),
    ],
)
def test_whether_a_uri_asks_for_verification(uri, verified):
    assert mongodb.tls_verified(Secret(uri)) is verified


@given(st.text())
def test_any_text_has_options(text):
    assert all(name == name.lower() for name in mongodb.uri_options(Secret(text)))
    assert mongodb.tls_verified(Secret(text)) in (True, False, None)


GENERATOR = Generator(
    java=Path("/java"), java_version="17", classpath=(), db_class="x", ycsb_version="0.17.0", binding_version="0.1.0",
    driver_version="5.14.0", digest="0",
)  # fmt: skip
TARGET = Target(
    uri=Secret("mongodb://h/?tlsCAFile=/ca.pem"), reach="h", version="6.0.5", topology="standalone", cache_gib=None,
    cores_enforced_by="", rtt_us=None,
)  # fmt: skip


def test_the_official_binding_reads_no_tls_files():
    official = replace(GENERATOR, driver_version="3.8.0", home=Path("/opt/ycsb"))
    with pytest.raises(ToolError, match=r"h: its URI names TLS files.*YCSB_HOME=/opt/ycsb.*unset YCSB_HOME"):
        sweep.require_compatible(official, TARGET)
    sweep.require_compatible(official, replace(TARGET, uri=Secret("mongodb://h/")))


def test_room_for_records():
    mongodb.require_room(10, 10, "h")
    with pytest.raises(ToolError, match=r"h has 1\.0 GiB free for the data, the load needs about 3\.0 GiB .*'records'"):
        mongodb.require_room(3 * 1024**3, 1024**3, "h")
