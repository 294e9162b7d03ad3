"""Where the project's folders are, whatever the working folder.

In a checkout they are its own. Where ycsbook was installed by itself, they are those of the nearest folder above that
`ycsbook init` made, else of the working folder; what is missing there is read from what came with the package.
"""

from pathlib import Path

from ycsbook.errors import ParamsError, shown

# What `ycsbook init` leaves in the folder that it makes.
MARKER = ".ycsbook"
# Notebooks, params files, published tables and the load generator, as a wheel holds them.
SHIPPED = Path(__file__).resolve().parent / "_project"


def _repository() -> Path:
    checkout = Path(__file__).resolve().parents[2]
    if not SHIPPED.is_dir():
        return checkout
    current = Path.cwd()
    return next((folder for folder in (current, *current.parents) if (folder / MARKER).is_file()), current)


def _place(name: str) -> Path:
    folder = REPOSITORY / name
    return folder if folder.exists() or not (SHIPPED / name).exists() else SHIPPED / name


REPOSITORY = _repository()
NOTEBOOKS = _place("notebooks")
PARAMS = _place("params")
PUBLISHED = _place("data/published")
BINDINGS = _place("lib/ycsb-bindings")
SETUP = _place("lib/setup.sh")
RUNS = REPOSITORY / "data" / "runs"
OUTPUT = REPOSITORY / "output"


def inside(path: Path) -> Path:
    """A path inside the repository as a relative one, which names no folder of this machine; any other as it is."""
    return path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path


def typed(path: str | Path) -> Path:
    """An absolute path as a person types it: from the working folder where it is there, else as `resolve`."""
    return Path(path).resolve() if Path(path).exists() else resolve(path)


def resolve(path: str | Path) -> Path:
    """An absolute path; a relative one counts from the repository, not from the working folder. Raises ParamsError for
    what is neither text nor path, as papermill gives a parameter of digits alone."""
    if not isinstance(path, str | Path):
        raise ParamsError(f"got {shown(path)}, expected the path of a file or folder, as text")
    path = Path(path).expanduser()
    return path if path.is_absolute() else _place(str(path))
