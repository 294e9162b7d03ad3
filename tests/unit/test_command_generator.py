"""Finding Java and the jars, and refusing what is not right with them."""

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest

from ycsbook import paths
from ycsbook.errors import ToolError
from ycsbook.runner import generator, sweep
from ycsbook.sweep_runs import SweepRuns

OWN_NAMES = [line.split()[1] for line in (paths.BINDINGS / "checksums.sha256").read_text().splitlines()]


@pytest.fixture
def bindings(tmp_path) -> Path:
    """A built Maven project with two jars, which may be spoilt."""
    (tmp_path / "target" / "lib").mkdir(parents=True)
    jars = {"HdrHistogram-2.2.2.jar": b"histogram", "core-0.17.0.jar": b"core"}
    for name, content in jars.items():
        (tmp_path / "target" / "lib" / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / "target" / "ycsb-bindings.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nImplementation-Version: 0.1.0\r\n")
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in jars.items()]
    (tmp_path / "checksums.sha256").write_text("".join(lines))
    return tmp_path


def java(folder: Path, says: str) -> Path:
    """A JAVA_HOME whose java prints a version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    program.chmod(0o755)
    return folder


def distribution(folder: Path) -> Path:
    """A folder laid out as YCSB's distribution is."""
    for name in ("lib/core-0.17.0.jar", "lib/HdrHistogram-2.1.4.jar", "lib/htrace-core4-4.1.0-incubating.jar"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    for name in ("mongodb-binding-0.17.0.jar", "mongo-java-driver-3.11.0.jar", "logback-core-1.1.2.jar"):
        path = folder / "mongodb-binding" / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return folder


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    monkeypatch.delenv("YCSB_HOME", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)


def test_the_projects_own_jars():
    found = generator.find()
    assert [jar.name for jar in found.classpath] == ["ycsb-bindings.jar", *sorted(OWN_NAMES)]
    assert (found.db_class, found.ycsb_version, found.official) == ("ycsbook.MongoDbClient", "0.17.0", False)
    assert f"mongodb-driver-sync-{found.driver_version}.jar" in OWN_NAMES
    assert len(found.digest) == 64
    assert generator.find() == found
    assert "HdrHistogram-2.2.2.jar" in OWN_NAMES


def test_the_digest_changes_with_any_jar_and_not_with_their_order(bindings):
    jars = generator.verify(bindings)
    before = generator._digest(jars)
    assert generator._digest(jars[::-1]) == before
    for jar in jars:
        content = jar.read_bytes()
        jar.write_bytes(content + b"!")
        assert generator._digest(jars) != before
        jar.write_bytes(content)
    assert generator._digest(jars) == before


def test_not_built(bindings):
    shutil.rmtree(bindings / "target")
    with pytest.raises(ToolError, match=r"ycsb-bindings\.jar: the load generator is not built; run `make jar`"):
        generator.verify(bindings)


def test_a_plan_is_shown_without_it_and_nothing_is_run(bindings, monkeypatch, tmp_path, capsys):
    shutil.rmtree(bindings / "target")
    monkeypatch.setattr(generator, "find", lambda: generator.verify(bindings))
    monkeypatch.setattr(sweep.kind, "identities", lambda planned: {spec.name: "a server" for spec in planned.specs})
    runs = SweepRuns("params/local.yml", store=tmp_path)
    rows = runs.plan_rows()
    assert len(rows) == 48 and {row["state"] for row in rows} == {"missing"}
    said = capsys.readouterr()
    assert said.err.count("the load generator is not built; run `make jar`; planned without it") == 1 and not said.out
    with pytest.raises(ToolError, match="not built"):
        runs.run_rows()


def test_an_altered_jar(bindings):
    (bindings / "target" / "lib" / "core-0.17.0.jar").write_bytes(b"c0re")
    with pytest.raises(ToolError, match=r"core-0\.17\.0\.jar: its SHA-256 is [0-9a-f]{64}, expected [0-9a-f]{64}"):
        generator.verify(bindings)


def test_a_jar_too_many(bindings):
    (bindings / "target" / "lib" / "core-0.16.0.jar").write_bytes(b"old")
    with pytest.raises(ToolError, match=r"core-0\.16\.0\.jar: this jar is not listed"):
        generator.verify(bindings)


def test_a_jar_too_few(bindings):
    (bindings / "target" / "lib" / "core-0.17.0.jar").unlink()
    with pytest.raises(ToolError, match=r"core-0\.17\.0\.jar: missing"):
        generator.verify(bindings)


def test_a_checksum_line_that_is_none(bindings):
    (bindings / "checksums.sha256").write_text("abc  ../../x.jar\n")
    with pytest.raises(ToolError, match=r"checksums\.sha256:1: got 'abc  "):
        generator.verify(bindings)


@pytest.mark.parametrize(
    ("says", "refusal"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "found Java 11.0.2, expected 17 or newer"),
        ('java version "1.8.0_292"', "found Java 1.8.0_292, expected 17 or newer"),
        ("no idea", "got 'no idea', expected a version"),
    ],
)
def test_a_java_that_will_not_do(tmp_path, monkeypatch, says, refusal):
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path, says)))
    with pytest.raises(ToolError, match=refusal) as caught:
        generator.find()
    assert "apt install openjdk-17-jdk-headless" in str(caught.value)


@pytest.mark.parametrize("says", ['openjdk version "17.0.15" 2025-04-15', 'openjdk version "25" 2025-09-16'])
def test_a_java_that_will_do(tmp_path, monkeypatch, says):
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path, says)))
    found = generator.find()
    assert found.java == tmp_path / "bin" / "java"
    assert found.java_version == says.split('"')[1]


def test_no_java_at_all(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="no java on PATH; install a JDK 17"):
        generator.find()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ToolError, match="there is no bin/java; install a JDK 17"):
        generator.find()


def test_an_official_distribution_with_our_histograms_first(tmp_path, monkeypatch):
    home = distribution(tmp_path / "ycsb 0.17")
    monkeypatch.setenv("YCSB_HOME", str(home))
    found = generator.find()
    assert found.classpath[0] == paths.BINDINGS / "target" / "lib" / "HdrHistogram-2.2.2.jar"
    assert set(found.classpath[1:]) == {*home.glob("lib/*.jar"), *home.glob("mongodb-binding/lib/*.jar")}
    assert (found.db_class, found.official) == ("site.ycsb.db.MongoDbClient", True)
    assert (found.ycsb_version, found.binding_version, found.driver_version) == ("0.17.0", "0.17.0", "3.11.0")
    assert found.versions()["binding"] == "site.ycsb.db.MongoDbClient 0.17.0"


@pytest.mark.parametrize("missing", ["lib/core-0.17.0.jar", "mongodb-binding/lib/mongodb-binding-0.17.0.jar"])
def test_a_folder_that_is_no_distribution(tmp_path, monkeypatch, missing):
    home = distribution(tmp_path)
    (home / missing).unlink()
    monkeypatch.setenv("YCSB_HOME", str(home))
    with pytest.raises(ToolError, match="this is no YCSB distribution"):
        generator.find()
