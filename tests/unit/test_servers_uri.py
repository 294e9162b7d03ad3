"""What a URI says, where it comes from, and which pairs of driver and server are refused."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import ToolError
from ycsbook.runner import sweep
from ycsbook.runner.generator import Generator
from ycsbook.secrets import Secret, uri_from_env
from ycsbook.servers import mongodb
from ycsbook.servers.kind import Target

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
