"""Arguments that several commands take, and what they stand for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import paths

if TYPE_CHECKING:
    from ycsbook.sweep_runs import SweepRuns

Params = Annotated[Path, typer.Argument(help="Params file; a relative path counts from the repository.")]
Store = Annotated[Path, typer.Option("--store", help="Run store, if not data/runs.", show_default=False)]
TablesDir = Annotated[Path, typer.Argument(help="Folder with runs.parquet and its companions.")]
Every = Annotated[bool, typer.Option("--all", help="Each run in a row of its own.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def params_file(params: Path) -> Path:
    """A params file as typed, from the working folder where such a file is there, else from the repository."""
    return params.resolve() if params.exists() else paths.resolve(params)


def runs_of(params: Path, store: Path) -> "SweepRuns":
    """The runs of a params file in a store."""
    # Params files need pydantic, and `ycsbook doctor` says what is missing, pydantic too.
    from ycsbook.sweep_runs import SweepRuns

    return SweepRuns(params_file(params), store=store.resolve())
