"""Arguments that several commands take, and what they stand for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ycsbook.study import Study

Params = Annotated[Path, typer.Argument(help="Params file; a relative path counts from the repository.")]
Store = Annotated[Path, typer.Option("--store", help="Run store, if not data/runs.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def study(params: Path, store: Path) -> "Study":
    """The study of a params file, as typed from the working folder where such a file is there, else from the
    repository."""
    from ycsbook.study import Study

    return Study(params.resolve() if params.exists() else params, store=store.resolve())
