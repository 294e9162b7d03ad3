"""A file that Maven builds the load generator with was altered: Maven ends before it uses it, and names it."""

import os
import pwd
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from ycsbook import paths

LISTED = dict(line.split()[::-1] for line in (paths.BINDINGS / "maven.sha256").read_text("ascii").splitlines())
# Java knows the user's home from the system's list of users, whatever HOME says.
REPOSITORY = Path(pwd.getpwuid(os.getuid()).pw_dir) / ".m2" / "repository"
CLEAN = "org/apache/maven/plugins/maven-clean-plugin/3.4.0/maven-clean-plugin-3.4.0"


@pytest.fixture
def project(tmp_path):
    """What builds the load generator, with a copy of Maven's local repository and nothing to download from."""
    lib, repository = tmp_path / "lib", tmp_path / "repository"
    shutil.copytree(paths.BINDINGS, lib / "ycsb-bindings", ignore=shutil.ignore_patterns("target"))
    for name in ("setup.sh", "ListedFiles.java"):
        shutil.copy(paths.BINDINGS.with_name(name), lib)
    for folder in {str(Path(file).parent) for file in LISTED}:
        shutil.copytree(REPOSITORY / folder, repository / folder)
    (lib / "ycsb-bindings" / ".mvn" / "maven.config").write_text(f"--offline\n-Dmaven.repo.local={repository}\n")
    # The first plugin that runs deletes it.
    old = lib / "ycsb-bindings" / "target" / "lib" / "old.jar"
    old.parent.mkdir(parents=True)
    old.touch()
    return tmp_path


def refused(project: Path) -> str:
    result = subprocess.run(
        ["sh", project / "lib" / "setup.sh", "jar"], capture_output=True, text=True, timeout=120, check=False
    )
    target = project / "lib" / "ycsb-bindings" / "target"
    assert result.returncode == 1
    assert (target / "lib" / "old.jar").exists(), "a plugin has run"
    assert sorted(path.name for path in target.iterdir()) == ["lib", "listed"]
    return result.stderr


@pytest.mark.matrix
def test_a_plugin_with_another_class_does_not_run(project):
    with zipfile.ZipFile(project / "repository" / f"{CLEAN}.jar", "a") as jar:
        jar.writestr("Other.class", b"")

    told = refused(project)

    assert f"{CLEAN}.jar: its SHA-256 is " in told
    assert f", expected {LISTED[f'{CLEAN}.jar']} (lib/ycsb-bindings/maven.sha256)" in told
    assert "delete it and run `make jar`" in told


@pytest.mark.matrix
def test_a_pom_of_a_plugin_that_says_something_else_is_not_read(project):
    with (project / "repository" / f"{CLEAN}.pom").open("a") as pom:
        pom.write("<!-- -->")

    assert f"{CLEAN}.pom: its SHA-256 is " in refused(project)


@pytest.mark.matrix
def test_a_file_that_is_not_listed_is_not_used(project):
    listed = project / "lib" / "ycsb-bindings" / "maven.sha256"
    listed.write_text("".join(f"{digest}  {file}\n" for file, digest in LISTED.items() if file != f"{CLEAN}.jar"))

    assert f"{CLEAN}.jar: not listed in lib/ycsb-bindings/maven.sha256" in refused(project)


@pytest.mark.parametrize("text", ["no list\n", None])
def test_without_a_list_nothing_runs(project, text):
    listed = project / "lib" / "ycsb-bindings" / "maven.sha256"
    listed.unlink() if text is None else listed.write_text(text)

    assert "maven.sha256: cannot be read as lines of a SHA-256 and a file" in refused(project)


def test_both_lists_agree_on_the_jars_that_runs_use():
    of_runs = [line.split() for line in (paths.BINDINGS / "checksums.sha256").read_text("ascii").splitlines()]

    by_name = {file.rpartition("/")[2]: digest for file, digest in LISTED.items()}
    assert {name: by_name.get(name) for _, name in of_runs} == {name: digest for digest, name in of_runs}
