"""Files and folders in, tidy tables out: the one entrance to reading logs."""

from collections.abc import Iterable
from pathlib import Path

from ycsbook.columns import INGESTED
from ycsbook.ingest import reading
from ycsbook.ingest.finding import detect
from ycsbook.ingest.finding.annotations import Annotations


def read(paths: Iterable[str | Path], *, annotations: Annotations | None = None, format: str = ""):
    """The tidy tables of logs, folders of logs, run folders and published tables, as `tables.Tables`.

    A log without usable figures gives a row all the same, with its outcome and no figures; see read_with_rejects for
    files that cannot be read at all.
    """
    return read_with_rejects(paths, annotations=annotations, format=format)[0]


def read_with_rejects(paths: Iterable[str | Path], *, annotations: Annotations | None = None, format: str = ""):
    """As read, with one error per file that could not be read: (Tables, list of RunLogError).

    Parameters
        paths: files, folders and patterns. Two streams of one run are `x.out` and `x.err`; a folder with a
            manifest.json is a run of the store.
        annotations: what the user adds to the logs, see `annotations.Annotations`.
        format: read every log as this, whatever it looks like; one of `readers.names()`.
    """
    import pyarrow as pa

    from ycsbook.tables import Tables, conform

    items, rejected = detect.find([paths] if isinstance(paths, str | Path) else paths)
    annotations = annotations or Annotations()
    parts: dict[str, list[pa.Table]] = {name: [] for name in INGESTED}
    for rows, results in reading.read(items, annotations, format):
        rejected += [error for result in results for error in result.rejected]
        for name, table in rows:
            parts[name].append(table)
    frames = {name: conform(_frame(pa.concat_tables(tables), pa), name) for name, tables in parts.items()}
    return Tables(**frames), rejected


def _frame(table, pa):
    """A data frame whose text is text, not an index into its values."""
    plain = pa.schema([(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in table.schema])
    return table.cast(plain).to_pandas()
