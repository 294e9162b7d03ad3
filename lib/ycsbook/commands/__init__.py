"""The commands of `ycsbook`, a module for each or for several that belong together.

Imports of everything heavy wait until a command needs them.
"""

from typing import Annotated

import typer

from ycsbook import __version__
from ycsbook.commands import batch, compare, doctor, findings, ingest, probe, publish, report, run, scaling, store

app = typer.Typer(
    name="ycsbook",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help: rich alone takes longer to load than everything else that --help needs.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    help="Benchmark MongoDB and its peers with YCSB: real runs, tidy tables, scaling laws, findings, reports.",
    epilog="Start with: ycsbook doctor; then: ycsbook report params/local.yml",
)


def _version(value: bool) -> None:
    if value:
        print(f"ycsbook {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


# In the order in which --help lists them.
for part in (doctor, run, store, probe, ingest, scaling, findings, compare, report, batch, publish):
    part.register(app)
