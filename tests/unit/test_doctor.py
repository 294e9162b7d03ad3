"""doctor: what is here is found, what is missing is named with a command that gets it."""

import dataclasses
import importlib.metadata
import shutil
import sys

import pytest

from ycsbook import params, paths
from ycsbook.commands import doctor
from ycsbook.commands.doctor import State
from ycsbook.runner import generator


@pytest.fixture(scope="module")
def checks() -> dict[str, doctor.Check]:
    return {check.name: check for check in doctor.examine(_sweep("local"))}


def _sweep(name: str) -> params.Sweep:
    return params.load(paths.REPOSITORY / "params" / f"{name}.yml")


def test_a_machine_that_runs_these_tests_lacks_nothing(checks):
    assert [c for c in checks.values() if c.state is State.MISSING] == []


def test_what_is_here_needs_no_fix_and_what_is_not_has_one(checks):
    assert {c.name for c in checks.values() if (c.state is State.OK) == bool(c.fix)} == set()
    assert all(c.found and c.needed_for for c in checks.values())


def test_the_packages_are_those_of_the_lock(checks):
    assert checks["Python packages"].state is State.OK
    assert checks["Python packages"].found.endswith("as in requirements.lock")


def test_a_check_cannot_be_changed(checks):
    with pytest.raises(dataclasses.FrozenInstanceError):
        checks["Python"].state = State.MISSING


def _check(name: str, sweep: str = "local") -> doctor.Check:
    return next(c for c in doctor.examine(_sweep(sweep)) if c.name == name)


def test_a_mongod_that_is_not_there_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("MONGOD_BIN", str(tmp_path / "nowhere"))

    check = _check("mongod")

    assert check.state is State.MISSING
    assert "MONGOD_BIN" in check.found
    assert check.fix == "correct it, or unset it"


def test_a_mongod_that_is_nowhere_is_missing_and_the_ways_to_get_one_are_told(monkeypatch, tmp_path):
    monkeypatch.delenv("MONGOD_BIN", raising=False)
    monkeypatch.setattr("ycsbook.servers.mongod._WHEELS", ())
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)

    check = doctor._mongod(State.MISSING)

    assert check.state is State.MISSING
    assert all(way in check.fix for way in ("make live", "conda install", "MONGOD_BIN"))


@pytest.mark.parametrize(("version", "said"), [("6.0.5", "; MongoDB ended this series in 2025-07"), ("99.0.1", "")])
def test_a_mongod_whose_series_has_ended_is_said_to_be_so(monkeypatch, tmp_path, version, said):
    binary = tmp_path / "mongod"
    binary.write_text(f"#!/bin/sh\necho 'db version v{version}'\n", encoding="utf-8")
    binary.chmod(0o755)
    monkeypatch.setenv("MONGOD_BIN", str(binary))

    check = doctor._mongod(State.MISSING)

    assert (check.state, check.found) == (State.OK, f"{version}, {binary}{said}")


def test_a_mongod_that_does_not_start_is_missing(monkeypatch, tmp_path):
    broken = tmp_path / "mongod"
    broken.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("MONGOD_BIN", str(broken))

    assert _check("mongod").state is State.MISSING


def test_a_jdk_that_is_not_there_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    check = _check("JDK")

    assert check.state is State.MISSING
    assert str(tmp_path) in check.found
    assert "jdk" in check.fix


def test_a_jar_that_is_not_built_is_missing_and_then_maven_matters(monkeypatch, tmp_path):
    verify = generator.verify
    monkeypatch.setattr(generator, "verify", lambda: verify(tmp_path))

    check = _check("YCSB bindings")

    assert check.state is State.MISSING
    assert check.fix == "make jar"
    assert _check("YCSB bindings", "qingcloud-4.0.3").state is State.OPTIONAL


def test_only_runs_need_a_server_and_a_client(monkeypatch, tmp_path):
    monkeypatch.setenv("MONGOD_BIN", str(tmp_path / "nowhere"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    def missing(sweep: params.Sweep | None) -> set[str]:
        return {check.name for check in doctor.examine(sweep) if check.state is State.MISSING}

    assert missing(_sweep("local")) == {"JDK", "mongod"}
    assert missing(None) == missing(_sweep("tencent-2020-08")) == set()
    monkeypatch.setenv("TENCENT_URI_2C4G", "mongodb://127.0.0.1:1/ycsb")
    assert missing(_sweep("tencent-2020-08")) == {"JDK"}


def test_of_servers_of_several_kinds_a_missing_one_is_a_limit(monkeypatch, tmp_path):
    monkeypatch.setenv("MARIADBD_BIN", str(tmp_path / "none"))
    assert _check("MariaDB").state is State.OPTIONAL
    assert _check("MariaDB", "systems/crud").state is State.LIMITED
    alone = _sweep("systems/crud")
    only = alone.model_copy(update={"specs": alone.specs[1:]})
    assert {c.name: c.state for c in doctor.examine(only)}["MariaDB"] is State.MISSING


def test_an_environment_of_conda_is_held_to_the_bounds_alone(monkeypatch, tmp_path):
    (tmp_path / "conda-meta").mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(doctor, "LOCK", tmp_path / "requirements.lock")

    assert _check("Python packages").state is State.OK
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ["nothere>=1.5"])
    assert _check("Python packages").fix == "conda env update -f environment.yml"


def test_a_package_of_another_version_than_the_lock_is_a_limit(monkeypatch, tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text("rich==0.0.1 \\\n    --hash=sha256:00\nnothere==1 ; sys_platform == 'os2'\n", encoding="utf-8")
    monkeypatch.setattr(doctor, "LOCK", lock)

    check = _check("Python packages")

    assert check.state is State.LIMITED
    assert "1 not as in requirements.lock: rich " in check.found


def test_a_dependency_that_is_not_there_stops_the_examination(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: ["rich>=13", "nothere>=1.5", "other; extra == 'x'"])

    (_, check) = doctor.examine()

    assert check.state is State.MISSING
    assert check.found == "nothere none, expected >=1.5"


def test_a_full_disk_is_a_limit(monkeypatch):
    usage = shutil.disk_usage("/")._replace(free=1024**3)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    check = _check("Disk")

    assert check.state is State.LIMITED
    assert check.found.startswith("1.0 GiB free")


def test_the_fix_suits_the_package_manager_that_is_here(monkeypatch):
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name == "dnf" else None)

    assert doctor.fix("jdk").endswith("dnf install -y java-21-openjdk-devel")


def test_an_active_conda_environment_comes_first(monkeypatch):
    monkeypatch.setenv("CONDA_PREFIX", "/opt/conda")
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")

    assert doctor.fix("jdk") == "conda install -y -c conda-forge openjdk"


def test_without_a_known_package_manager_all_are_named(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)

    assert [part.split(":")[0] for part in doctor.fix("jdk").split("; ")] == ["apt", "dnf", "brew", "conda"]


def test_an_unknown_tool_is_refused():
    with pytest.raises(ValueError, match="no such tool: emacs"):
        doctor.fix("emacs")
