"""The way from a bare machine: lib/setup.sh, the Makefile and .ci/run, each really run."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ycsbook import paths

SETUP = paths.REPOSITORY / "lib" / "setup.sh"
# What every Unix has; the tools that setup.sh looks for are added or left out by each test.
BASICS = [
    "sh", "awk", "cat", "cut", "dirname", "find", "grep", "head", "id", "mkdir", "mktemp", "mv", "readlink", "rm",
    "sed", "sleep", "tail", "touch", "uname",
]  # fmt: skip
JDK = "#!/bin/sh\necho javac {} >&{}\n"


@pytest.fixture
def machine(tmp_path):
    """Runs lib/setup.sh on a machine that has the basics, a working Python, git and the named programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in [*BASICS, "git"]:
        (folder / name).symlink_to(shutil.which(name))
    (folder / "python3").symlink_to(Path(sys._base_executable).resolve())

    def run(*arguments: str, programs: dict[str, str] | None = None, setup: Path = SETUP, **variables: str):
        for name, text in (programs or {}).items():
            (folder / name).unlink(missing_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
        # With a mongod of one's own nobody asks for the libraries of the one in the lock.
        environment = {"PATH": str(folder), "TMPDIR": str(tmp_path), "MONGOD_BIN": "/opt/mongod"}
        return subprocess.run(
            [shutil.which("sh"), setup, *arguments],
            env=environment | {"YCSBOOK_NO_INSTALL": "1"} | variables,
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(("shell", "script"), [("sh", "lib/setup.sh"), ("bash", "lib/setup.sh"), ("bash", ".ci/run")])
def test_the_scripts_parse(shell, script):
    subprocess.run([shell, "-n", paths.REPOSITORY / script], check=True)


@pytest.mark.parametrize("script", ["lib/setup.sh", ".ci/run"])
def test_the_scripts_can_be_run(script):
    assert os.access(paths.REPOSITORY / script, os.X_OK)


def test_every_missing_tool_has_a_line_and_every_package_manager_a_command(machine):
    result = machine("tools")

    lines = result.stderr.splitlines()
    commands = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert result.returncode == 1
    assert [line.split(":")[1].strip() for line in lines if line.startswith("missing:")] == [
        "JDK 17 or newer (javac)",
        "Maven (mvn)",
    ]
    assert list(commands) == ["apt", "dnf", "brew", "conda"]
    assert "apt-get install -y --no-install-recommends" in commands["apt"]
    assert all("maven" in line and "jdk" in line for line in commands.values())


@pytest.mark.parametrize("step", ["live", "jar"])
def test_a_step_does_not_begin_without_its_tools(machine, step):
    result = machine(step)

    assert result.returncode == 1
    assert "missing: JDK" in result.stderr
    assert result.stdout == ""


@pytest.fixture
def environment(tmp_path):
    """A project with an environment that has pip alone, and a folder with one wheel, the only package there is."""
    project, wheels = tmp_path / "project", tmp_path / "wheels"
    wheels.mkdir()
    for folder in ("lib", ".venv/bin"):
        (project / folder).mkdir(parents=True)
    shutil.copy(SETUP, project / "lib")
    wheel = wheels / "probe-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("probe.py", "")
        archive.writestr("probe-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n")
        archive.writestr("probe-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("probe-1.0.dist-info/RECORD", "")
    # Packages go into a folder beside, so that this environment's own pip can be used.
    python = project / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    return project, hashlib.sha256(wheel.read_bytes()).hexdigest(), wheels


@pytest.mark.parametrize("altered", [False, True])
def test_a_wheel_is_installed_only_as_it_was_locked(machine, environment, altered):
    project, digest, wheels = environment
    wanted = digest[::-1] if altered else digest
    (project / "requirements-lab.lock").write_text(f"probe==1.0 \\\n    --hash=sha256:{wanted}\n", encoding="utf-8")
    sources = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}

    result = machine("lab", setup=project / "lib" / "setup.sh", PIP_TARGET=str(project / "here"), **sources)

    assert result.returncode == altered, result.stderr
    assert "requirements-lab.lock: 1 packages, hashes checked" in result.stdout
    assert ("do not match the hashes" in result.stderr.lower()) == altered
    assert (project / ".venv" / ".lab").exists() != altered
    assert (project / "here" / "probe.py").exists() != altered


@pytest.mark.parametrize(("version", "stream"), [("17.0.15", 1), ("21", 2), ("22-ea", 1), ("25.0.1", 1)])
def test_a_jdk_of_17_or_newer_will_do(machine, version, stream):
    result = machine("tools", programs={"javac": JDK.format(version, stream), "mvn": "#!/bin/sh\n"})

    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.22", "16"])
def test_an_older_jdk_is_named_with_its_version(machine, version):
    result = machine("tools", programs={"javac": JDK.format(version, 1), "mvn": "#!/bin/sh\n"})

    assert result.returncode == 1
    assert f"[found: {version}]" in result.stderr


def test_java_home_without_a_jdk_is_not_mended_by_installing_one(machine, tmp_path):
    result = machine("tools", programs={"mvn": "#!/bin/sh\n"}, JAVA_HOME=str(tmp_path))

    assert result.returncode == 1
    assert result.stderr.startswith(f"setup: JAVA_HOME={tmp_path}: ")
    assert "unset it" in result.stderr


def test_a_python_named_by_hand_that_will_not_do_is_refused(machine):
    result = machine(
        "tools", programs={"oldpython": "#!/bin/sh\necho 3.9.2 python /opt/oldpython\n"}, PYTHON="oldpython"
    )

    assert result.returncode == 1
    assert result.stderr.startswith("setup: PYTHON=oldpython: found /opt/oldpython 3.9.2, expected a Python 3.11")


def test_a_python_without_ensurepip_is_told_from_an_old_one(machine):
    # As Debian's python3 answers where python3-venv is not installed.
    result = machine(
        "look", "python", programs={"bare": "#!/bin/sh\necho 3.11.2 venv /usr/bin/python3\n"}, PYTHON="bare"
    )

    assert result.stdout == "python\tmissing\t/usr/bin/python3 3.11.2 without it\n"


def test_a_mariadb_of_ones_own_is_the_only_one_that_counts(machine, tmp_path):
    daemon = "#!/bin/sh\n"
    programs = {"mariadbd": daemon, "mariadb-install-db": daemon, "mine": daemon}
    assert machine("look", "mariadb", programs=programs).stdout.startswith("mariadb\tok\t")
    mine = str(tmp_path / "bin" / "mine")
    assert machine("look", "mariadb", MARIADBD_BIN=mine).stdout == f"mariadb\tok\t{mine}\n"
    absent = machine("look", "mariadb", MARIADBD_BIN="/no/mariadbd").stdout
    assert absent == "mariadb\tmissing\tno mariadbd in MARIADBD_BIN=/no/mariadbd\n"


@pytest.mark.parametrize(
    "tool", ["python", "venv", "jdk", "maven", "libcurl", "libssl", "git", "chromium", "cjk", "mariadb"]
)
def test_how_names_a_command_or_says_that_there_is_none(machine, tool):
    result = machine("how", tool)

    rows = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert list(rows) == ["apt", "dnf", "brew", "conda"]
    assert "apt-get install" in rows["apt"]
    assert "dnf install" in rows["dnf"]
    assert all(row.startswith(("brew install ", "conda install ", "(has none")) for row in list(rows.values())[2:])


def test_an_environment_that_is_a_link_is_not_emptied(machine, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "bin").mkdir(parents=True)
    (tmp_path / "lib").mkdir()
    shutil.copy(SETUP, tmp_path / "lib")
    (tmp_path / ".venv").symlink_to(elsewhere)
    done = machine("venv", setup=tmp_path / "lib" / "setup.sh")
    assert done.returncode == 1 and f".venv is a link to {elsewhere}; remove the link" in done.stderr
    assert (elsewhere / "bin").is_dir()


def test_look_tells_what_is_here(machine):
    result = machine("look", "git", "maven")

    assert [line.split("\t")[:2] for line in result.stdout.splitlines()] == [["git", "ok"], ["maven", "missing"]]


def test_an_unknown_step_is_refused(machine):
    result = machine("instal")

    assert result.returncode == 1
    assert "got 'instal'" in result.stderr


@pytest.mark.parametrize(("failures", "code"), [(1, 0), (2, 1)])
def test_a_network_error_is_tried_once_more_and_then_explained(machine, tmp_path, failures, code):
    # In a folder of its own, so that the jar of this project stays as it is.
    setup, tries = tmp_path / "lib" / "setup.sh", tmp_path / "tries"
    target = tmp_path / "lib" / "ycsb-bindings" / "target"
    target.mkdir(parents=True)
    (target / "ycsb-bindings.jar").touch()
    shutil.copy(SETUP, setup)
    mvn = f"""#!/bin/sh
[ "$1" = -v ] && exit
echo try >>{tries}
[ $(grep -c try {tries}) -gt {failures} ] && echo 'listed: 1' && exit
echo 'Could not transfer artifact x: Unknown host'
exit 1
"""

    programs = {"javac": JDK.format(17, 1), "mvn": mvn, "sleep": "#!/bin/sh\n"}
    result = machine("jar", programs=programs, setup=setup)

    assert result.returncode == code
    assert tries.read_text(encoding="utf-8").count("try") == 2
    assert "once more" in result.stdout
    assert ("cannot be reached" in result.stderr) == bool(code)
    assert (target / ".ready").exists() == (not code)


@pytest.mark.matrix
def test_maven_trusts_what_the_system_trusts_once_java_does_not(machine, tmp_path):
    target = tmp_path / "lib" / "ycsb-bindings" / "target"
    target.mkdir(parents=True)
    (target / "ycsb-bindings.jar").touch()
    for name in ("setup.sh", "TrustStore.java"):
        shutil.copy(SETUP.with_name(name), tmp_path / "lib" / name)
    keytool, bundle, listed = shutil.which("keytool"), tmp_path / "bundle.pem", tmp_path / "listed"
    keystore = ["-keystore", tmp_path / "own.p12", "-storepass", "changeit", "-alias", "ca"]
    subprocess.run([keytool, "-genkeypair", "-keyalg", "EC", "-dname", "CN=Company", *keystore], check=True)
    subprocess.run([keytool, "-exportcert", "-rfc", "-file", bundle, *keystore], check=True)
    mvn = f"""#!/bin/sh
for option in $MAVEN_OPTS; do
  case $option in *trustStore=*)
    echo 'listed: 1' && exec {keytool} -list -v -storepass changeit -keystore ${{option#*=}} >{listed} ;;
  esac
done
echo 'Could not transfer artifact: PKIX path building failed'
exit 1
"""

    programs = {"javac": JDK.format(17, 1), "java": f'#!/bin/sh\nexec {shutil.which("java")} "$@"\n', "mvn": mvn}
    result = machine("jar", programs=programs, setup=tmp_path / "lib" / "setup.sh", SSL_CERT_FILE=str(bundle))

    assert (result.returncode, result.stderr) == (0, "")
    assert f"once more with those of {bundle}" in result.stdout
    assert "CN=Company" in listed.read_text(encoding="utf-8")
    assert list(tmp_path.glob("ycsbook-setup*")) == []


def _make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # `make test` may be what runs this: its own options are not for the make under test.
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def project(tmp_path):
    """A copy of the Makefile over a setup.sh that only says which step it was asked for, and leaves its stamp."""
    shutil.copy(paths.REPOSITORY / "Makefile", tmp_path / "Makefile")
    bindings = tmp_path / "lib" / "ycsb-bindings"
    for folder in (".venv", "output", "data/runs", "lib/ycsb-bindings/src", "lib/ycsb-bindings/target"):
        (tmp_path / folder).mkdir(parents=True)
    sources = ("pom.xml", "src/A.java")
    locks = (f"requirements{size}.lock" for size in ("", "-live", "-lab", "-docs", "-test"))
    files = (*locks, "pyproject.toml", *(f"lib/ycsb-bindings/{name}" for name in sources))
    for name in files:
        (tmp_path / name).touch()
    (tmp_path / "lib" / "setup.sh").write_text(
        "echo step $1\n"
        "case $1 in\n"
        "venv) pwd -P >.venv/.ready ;;\n"
        "live | lab | docs | test) pwd -P >.venv/.$1 ;;\n"
        f"jar) touch {bindings}/target/ycsb-bindings.jar {bindings}/target/.ready ;;\n"
        "esac\n",
        encoding="utf-8",
    )
    return tmp_path


def _steps(project: Path, target: str = "live") -> list[str]:
    result = _make(project, target)
    assert result.returncode == 0, result.stderr
    return [line.removeprefix("step ") for line in result.stdout.splitlines() if line.startswith("step ")]


def test_the_second_make_does_nothing(project):
    assert _steps(project, "setup") == ["venv"]
    assert _steps(project) == ["live", "jar"]
    assert _steps(project) == []
    assert _steps(project, "setup") == []


def test_tools_of_the_tests_are_added_once(project):
    assert _steps(project, "test-tools") == ["venv", "live", "jar", "lab", "test"]
    assert _steps(project, "test-tools") == []


@pytest.mark.parametrize(
    ("changed", "step"),
    [
        ("requirements-live.lock", "live"),
        ("lib/ycsb-bindings/pom.xml", "jar"),
        ("lib/ycsb-bindings/src/A.java", "jar"),
    ],
)
def test_a_changed_source_repeats_its_step(project, changed, step):
    _steps(project)
    path = project / changed
    later = (project / ".venv" / ".ready").stat().st_mtime + 5
    os.utime(path, (later, later))

    assert _steps(project) == [step]


@pytest.mark.parametrize(
    ("gone", "step"),
    [
        (".venv/.live", "live"),
        ("lib/ycsb-bindings/target/.ready", "jar"),
        ("lib/ycsb-bindings/target/ycsb-bindings.jar", "jar"),
    ],
)
def test_a_half_finished_step_is_repeated(project, gone, step):
    _steps(project)
    (project / gone).unlink()

    assert _steps(project) == [step]


@pytest.mark.parametrize("changed", ["requirements.lock", "pyproject.toml", ".venv/.ready"])
def test_what_was_added_to_the_core_is_looked_at_again_with_it(project, changed):
    _steps(project)
    later = (project / ".venv" / ".live").stat().st_mtime + 5
    if changed.startswith(".venv"):
        (project / changed).unlink()
    else:
        os.utime(project / changed, (later, later))

    assert _steps(project) == ["venv", "live"]


def test_an_environment_that_was_moved_is_made_again(project):
    _steps(project)
    moved = project.rename(project.with_name("moved"))

    assert "venv" in _steps(moved)


def test_clean_keeps_the_measurements_and_says_so(project):
    keep = [project / "data" / "runs" / "manifest.json", project / "output" / ".gitkeep", project / ".venv" / "x"]
    for path in [*keep, project / "output" / "report.html", project / "lib" / "ycsb-bindings" / "target" / "x.jar"]:
        path.touch()

    result = _make(project, "clean")

    assert result.returncode == 0
    assert "data/runs" in result.stdout
    assert all(path.exists() for path in keep)
    assert not (project / "output" / "report.html").exists()
    assert not (project / "lib" / "ycsb-bindings" / "target").exists()


def test_make_alone_lists_its_targets(project):
    targets = [line.split()[0] for line in _make(project).stdout.splitlines()[1:]]

    assert set(targets) > {"help", "setup", "live", "report", "test", "lab", "docs", "clean"}
