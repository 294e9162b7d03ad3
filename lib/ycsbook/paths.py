"""Where the repository's own folders are, whatever the working folder."""

from pathlib import Path

from ycsbook.errors import ParamsError, shown

REPOSITORY = Path(__file__).resolve().parents[2]
NOTEBOOKS = REPOSITORY / "notebooks"
PARAMS = REPOSITORY / "params"
PUBLISHED = REPOSITORY / "data" / "published"
RUNS = REPOSITORY / "data" / "runs"
OUTPUT = REPOSITORY / "output"
BINDINGS = REPOSITORY / "lib" / "ycsb-bindings"


def resolve(path: str | Path) -> Path:
    """An absolute path; a relative one counts from the repository, not from the working folder.

    Raises
        ParamsError: no text and no path, as papermill gives a parameter of digits alone.
    """
    if not isinstance(path, str | Path):
        raise ParamsError(f"got {shown(path)}, expected the path of a file or folder, as text")
    path = Path(path).expanduser()
    return path if path.is_absolute() else REPOSITORY / path
