"""What publishers say beside their figures: the sidecars of published CSVs, for the rules that read them."""

import csv
import io
from pathlib import Path

from ycsbook import paths
from ycsbook.errors import RunLogError
from ycsbook.ingest.published.published import verified
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome


def read(csv_path: str | Path) -> dict:
    """A published CSV's sidecar, with its rows under `table`: one dict of texts a row. Raises RunLogError where one of
    the two is missing or unreadable, or the sidecar is of another CSV."""
    path = paths.resolve(csv_path)
    sidecar, content = verified(path)
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as e:
        raise RunLogError(path, None, f"cannot be read as CSV: {e}") from None
    return {**sidecar, "table": rows}


def of(tables: Tables) -> dict[str, dict]:
    """What publishers say of published rows whose files are in their place, by dataset; RunLogError as `read`."""
    published = tables.runs[tables.runs["outcome"] == Outcome.PUBLISHED]
    documents = {}
    for dataset, source in published.drop_duplicates("dataset")[["dataset", "source"]].itertuples(index=False):
        path = paths.resolve(source.rpartition(":")[0])
        if path.suffix == ".csv" and path.is_file() and path.with_suffix(".json").is_file():
            documents[str(dataset)] = read(path)
    return documents


def within(folder: Path) -> dict[str, dict]:
    """What publishers say, by dataset, in those CSVs of a folder that have a sidecar; raises RunLogError as `read`. A
    relative folder counts from the working folder, as everywhere on a command line."""
    paths_ = [path for path in sorted(folder.glob("*.csv")) if path.with_suffix(".json").is_file()]
    return {path.stem: read(path.absolute()) for path in paths_}
