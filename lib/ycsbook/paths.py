"""Where the repository's own folders are, whatever the working folder."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
NOTEBOOKS = REPOSITORY / "notebooks"
PARAMS = REPOSITORY / "params"
PUBLISHED = REPOSITORY / "data" / "published"
RUNS = REPOSITORY / "data" / "runs"
OUTPUT = REPOSITORY / "output"
BINDINGS = REPOSITORY / "lib" / "ycsb-bindings"


def resolve(path: str | Path) -> Path:
    """An absolute path; a relative one counts from the repository, not from the working folder."""
    path = Path(path).expanduser()
    return path if path.is_absolute() else REPOSITORY / path
