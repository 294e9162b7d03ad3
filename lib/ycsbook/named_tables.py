"""Tables by what a person calls them: a folder, a params file, a vendor's page as CSV, or a published data set."""

from pathlib import Path

from ycsbook import paths
from ycsbook.errors import StoreError, shown
from ycsbook.ingest.published.published import read_published
from ycsbook.store import parquet
from ycsbook.tables import Tables


def read(name: str | Path, store: str | Path = paths.RUNS) -> Tables:
    """The tables behind a name.

    Parameters
        name: a folder of tables, a report's folder (its tables are meant), a params file (read into tables first
            where that has not been done), a published table's CSV, or the name of a data set under data/published.
            Relative paths count from the working folder, else from the repository.
        store: where the runs of a params file are kept.
    Raises
        StoreError: nothing of that name, or tables of another schema version.
        ParamsError, RunLogError: a params file or a CSV that is not what it should be.
    Examples
        >>> len(read("qingcloud-4.0.3").runs), len(read("data/published/tencent-2020-08.csv").runs)
        (72, 32)
    """
    path = Path(name) if Path(name).exists() else paths.resolve(name)
    published = paths.PUBLISHED / f"{name}.csv"
    if path.is_dir():
        inner = path / "tables"
        return parquet.read(inner if (inner / "runs.parquet").is_file() else path)
    if path.is_file() and path.suffix in (".yml", ".yaml"):
        # Only here: all that makes reports comes with it.
        from ycsbook.study import Study

        return Study(path.resolve(), store=Path(store).resolve() if Path(store).exists() else store).tables()
    if path.is_file() or published.is_file():
        return read_published(path if path.is_file() else published)
    names = ", ".join(sorted(p.stem for p in paths.PUBLISHED.glob("*.csv")))
    raise StoreError(
        f"{shown(str(name))}: no such folder, params file or table; expected a folder of tables (make one with "
        f"'ycsbook ingest PATH... --out DIR'), a params file, or one of the published {names}"
    )
