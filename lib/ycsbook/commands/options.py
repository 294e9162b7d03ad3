"""Arguments that several commands take, and what they stand for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import paths

if TYPE_CHECKING:
    from ycsbook.sweep_runs import SweepRuns
    from ycsbook.tables import Tables

Params = Annotated[Path, typer.Argument(help="Params file; a relative path counts from the repository.")]
Store = Annotated[Path, typer.Option("--store", help="Run store, if not data/runs.", show_default=False)]
Source = Annotated[
    str,
    typer.Argument(help="Folder of tables, logs, a params file, or the name of a published table.", show_default=False),
]
Every = Annotated[bool, typer.Option("--all", help="Each run in a row of its own.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def params_file(params: Path) -> Path:
    """A params file as typed, from the working folder where such a file is there, else from the repository."""
    return params.resolve() if params.exists() else paths.resolve(params)


def is_params(source: str | Path) -> bool:
    """Whether a source is a params file by its name."""
    return Path(source).suffix in (".yml", ".yaml")


def opened(source: str) -> "tuple[Tables, Path | None]":
    """The tables of a source; and where it is a folder of tables that folder, which keeps what follows from them."""
    # Reading tables loads polars, which --help has no time for.
    from ycsbook import named_tables
    from ycsbook.store import parquet

    return named_tables.read(source), Path(source) if parquet.is_in(Path(source)) else None


def runs_of(params: Path, store: Path) -> "SweepRuns":
    """The runs of a params file in a store."""
    # Params files need pydantic, and `ycsbook doctor` says what is missing, pydantic too.
    from ycsbook.sweep_runs import SweepRuns

    return SweepRuns(params_file(params), store=store.resolve())
