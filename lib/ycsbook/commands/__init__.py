"""The commands of `ycsbook`, a module for each or for several that belong together.

A command's module is loaded when the command is called: most need libraries that take longer to load than
`ycsbook --help` takes.
"""

import importlib
import os
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from ycsbook import __version__

# By command its module and its line in `ycsbook --help`, in the order in which that lists them.
COMMANDS = {
    "doctor": ("doctor", "What is here, what is missing, and how to get it."),
    "init": ("init", "A folder to work in, with notebooks and params files."),
    "plan": ("run", "The runs a params file asks for, and which are done."),
    "run": ("run", "Make the runs that are not there yet."),
    "watch": ("watch", "A sweep while it is made."),
    "status": ("store", "Each run of a sweep with its outcome."),
    "fsck": ("store", "Verify the files of every finished run."),
    "prune": ("store", "Delete what lies in the store's quarantine."),
    "probe": ("probe", "Start or reach the server of each spec and say what it is."),
    "ingest": ("ingest", "Read logs into tidy tables (Parquet)."),
    "scaling": ("scaling", "How throughput grows with cores, and which law may be claimed."),
    "capacity": ("scaling", "The smallest spec that carries a load."),
    "next": ("scaling", "The runs that would narrow the intervals most."),
    "anomalies": ("findings", "What is impossible, suspicious or worth knowing in tables."),
    "limits": ("compare", "What limits each point."),
    "compare": ("compare", "The throughput of B over that of A, cell by cell."),
    "report": ("report", "Everything in one go."),
    "batch": ("batch", "The reports of many params files, and one page of links."),
    "systems": ("systems", "Every system of the first documents, small, in one report."),
    "publish": ("publish", "Put a report into a docs tree and its index."),
}


class _LoadedWhenCalled(TyperGroup):
    """The group of all commands; the one that is called takes the place of its line in the help."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, load(name) if command else None, rest


def load(name: str) -> Any:
    """A command, with its module loaded."""
    # NumPy's library starts its threads when it is loaded. Nothing here is worth them, and only a process with a single
    # thread can be forked.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    part = typer.Typer(rich_markup_mode=None)
    importlib.import_module(f"ycsbook.commands.{COMMANDS[name][0]}").register(part)
    return get_group(part).commands[name]


app = typer.Typer(
    name="ycsbook",
    cls=_LoadedWhenCalled,
    no_args_is_help=True,
    add_completion=True,
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


def _is_loaded_instead() -> None:
    """Stands for a command in the list of `ycsbook --help`."""


for _name, (_, _summary) in COMMANDS.items():
    app.command(_name, help=_summary)(_is_loaded_instead)
