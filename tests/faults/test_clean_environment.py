"""A password in the variable that holds a server's URI: no program that is started sees it, whoever starts it."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import paths, secrets

CANARY = "mongodb://anna:c4nary-env@127.0.0.1:1/bench"
# Every program by these names says what environment it was given, then is the one that it stands for.
SHIMS = ("git", "java", "javac", "mongod", "mariadbd", "fc-list", "sh", "sleep", "uname", "ldconfig", "gcc", "mvn")


@pytest.fixture
def spied(tmp_path):
    """The environment of a user, and the file with those of all programs that were started."""
    seen, folder = tmp_path / "seen", tmp_path / "bin"
    folder.mkdir()
    for name in SHIMS:
        if real := shutil.which(name):
            shim = folder / name
            shim.write_text(
                f"#!{sys.executable} -ES\nimport os, sys\n"
                f"with open({str(seen)!r}, 'a') as file:\n"
                f"    print({name!r}, dict(os.environ), file=file)\n"
                f"os.execv({real!r}, sys.argv)\n"
            )
            shim.chmod(0o755)
    user = {name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "MONGOD_BIN")}
    env = {**user, "PATH": f"{folder}{os.pathsep}{user['PATH']}", "MINE_URI": CANARY, "MPLCONFIGDIR": str(tmp_path)}
    return env, seen


def ycsbook(env: dict, *arguments: object) -> subprocess.CompletedProcess:
    command = [Path(sys.executable).with_name("ycsbook"), *map(str, arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(
    ("arguments", "started"),
    [
        (["doctor"], {"sh", "java"}),
        (["report", "params/qingcloud-4.0.3.yml"], {"git", "fc-list"}),
    ],
)
def test_no_program_that_is_started_sees_the_address(spied, tmp_path, arguments, started):
    env, seen = spied
    ycsbook(env, *arguments)
    lines = seen.read_text().splitlines()
    assert started & {line.split()[0] for line in lines}
    assert [line for line in lines if "c4nary" in line] == []


def test_the_address_is_known_all_the_same(spied, tmp_path):
    """It was taken out of the environment, not forgotten: the server is asked for at that address."""
    path = tmp_path / "p.yml"
    path.write_text("name: x\nserver: {kind: uri}\nspecs: [{name: 1c, cores: 1, ram_gib: 1, uri_env: MINE_URI}]\n")
    done = ycsbook(spied[0], "probe", path)
    assert done.returncode == 1 and "127.0.0.1:1" in done.stderr + done.stdout and "c4nary" not in done.stderr


def test_the_environment_of_a_program_holds_no_variable_of_ours(monkeypatch):
    monkeypatch.setenv("MINE_URI", CANARY)
    monkeypatch.setenv("TOKEN", "x")
    assert {"MINE_URI", "TOKEN"}.isdisjoint(secrets.clean_environment())
    assert secrets.clean_environment("TOKEN", LANG="C") == {**secrets.clean_environment(), "TOKEN": "x", "LANG": "C"}


def test_programs_are_started_in_one_place():
    """What starts a program is `processes`, which cleans its environment."""
    starters = {"run", "Popen", "call", "check_call", "check_output", "getoutput", "system", "popen", "spawnv", "execv"}
    found = []
    for path in sorted((paths.REPOSITORY / "lib" / "ycsbook").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in starters
            if named and node.value.id in ("subprocess", "os") and path.parent.name != "processes":
                found.append(f"{path}:{node.lineno}")
    assert found == []
