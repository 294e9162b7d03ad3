"""The commands of `ycsbook`, a module for each or for several that belong together, and the arguments they share.

A command's module is loaded when it is called: most need libraries that take longer to load than `--help` takes.
"""

import os
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from ycsbook import __version__, paths

if TYPE_CHECKING:
    import pandas as pd

    from ycsbook.anomalies import Settings
    from ycsbook.params import PricesAndGoals
    from ycsbook.sweep_runs import SweepRuns
    from ycsbook.tables import Tables

Params = Annotated[Path, typer.Argument(help="Params file; a relative path counts from the repository.")]
Store = Annotated[Path, typer.Option("--store", help="Run store, if not data/runs.", show_default=False)]
SourceArgument = Annotated[
    str,
    typer.Argument(help="Folder of tables, logs, a params file, or the name of a published table.", show_default=False),
]
Every = Annotated[bool, typer.Option("--all", help="Each run in a row of its own.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


# In the order of `ycsbook --help`: the function of a command, as module:name; its line there; and what follows
# `ycsbook NAME` in the examples below its own help.
COMMANDS: dict[str, tuple[str, ...]] = {
    "doctor": ("doctor:doctor", "What is here, what is missing, and how to get it.", "--json"),
    "init": ("doctor:init", "A folder to work in, with notebooks and params files.", "study"),
    "plan": ("runs:plan", "The runs a params file asks for, and which are done.", "params/tencent-2020-08.yml"),
    "run": (
        "runs:run", "Make the runs that are not there yet.",
        "params/local.yml", "params/local.yml --only cores=8,threads=200 --dry-run",
    ),
    "watch": ("runs:watch", "A sweep while it is made.", "params/local.yml"),
    "status": ("runs:status", "Each run of a sweep with its outcome.", "params/local.yml --json"),
    "fsck": ("runs:fsck", "Verify the files of every finished run.", ""),
    "prune": ("runs:prune", "Delete what lies in the store's quarantine.", "--older-than 30d"),
    "probe": (
        "probe:probe", "Start or reach the server of each spec and say what it is.",
        "params/local.yml", "params/mine.yml --spec 8c64g --json",
    ),
    "ingest": (
        "ingest:ingest", "Read logs into tidy tables (Parquet).", "old-logs/ --out output/old/tables",
        "'logs/**/*.out.gz' -o tables --pattern '{spec}/{threads}/*.out.gz' --set vendor=mine",
    ),
    "scaling": (
        "scaling:scaling", "How throughput grows with cores, and which law may be claimed.", "output/local/tables",
    ),
    "capacity": (
        "scaling:capacity", "The smallest spec that carries a load.",
        "output/local/tables --qps 8000 --workload 50:50 --p99-ms 5",
    ),
    "next": (
        "scaling:next_runs", "The runs that would narrow the intervals most.",
        "output/local/tables --params params/local.yml",
    ),
    "anomalies": (
        "judging:anomalies", "What is impossible, suspicious or worth knowing in tables.",
        "output/tencent-2020-08/tables", "output/local/tables --params params/local.yml --rule noise", "data/published",
    ),
    "limits": ("judging:limits", "What limits each point.", "output/tencent-2020-08/tables"),
    "compare": (
        "judging:compare", "The throughput of B over that of A, cell by cell.", "qingcloud-4.0.3 tencent-2020-08",
        "output/old/tables redis dragonfly",
    ),
    "report": (
        "report:report", "Everything in one go.",
        "params/qingcloud-4.0.3.yml", "logs/", "vendor.csv --params prices.yml",
    ),
    "batch": ("report:batch", "The reports of many params files, and one page of links.", "params/*.yml -j 2"),
    "systems": (
        "report:systems", "Every system of the first documents, small, in one report.", "params/systems/crud.yml",
    ),
    "publish": (
        "report:publish", "Put a report into a docs tree and its index.",
        "output/local --to docs/reports --site sphinx",
    ),
}  # fmt: skip


class _LoadedWhenCalled(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, arguments = super().resolve_command(ctx, args)
        return name, load(name) if command else None, arguments


def load(name: str) -> Any:
    """A command, with its module loaded."""
    # NumPy's library starts threads when it is loaded, and only a process with a single thread can be forked.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    part = typer.Typer(rich_markup_mode=None)
    function, _, *arguments = COMMANDS[name]
    examples = "; ".join(f"ycsbook {name} {text}".rstrip() for text in arguments)
    epilog = f"Example{'s' if len(arguments) > 1 else ''}: {examples}"
    part.command(name, epilog=epilog)(pkgutil.resolve_name(f"{__name__}.{function}"))
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


for _name, (_, _summary, *_) in COMMANDS.items():
    # For the list of `ycsbook --help`; `load` gives the command itself.
    app.command(_name, help=_summary)(lambda: None)


def is_params(source: str) -> bool:
    return Path(source).suffix in (".yml", ".yaml")


# What reads files is loaded by these: --help has no time for it, and `ycsbook doctor` says what is missing.


def sweep_of(source: str, params: Path | None) -> "PricesAndGoals | None":
    """The params file given as source or by --params, which may lack servers; else a CSV's prices, or None."""
    from ycsbook import named_tables
    from ycsbook.params import load, load_prices_and_goals

    if params is not None:
        return load_prices_and_goals(paths.typed(params))
    return load(paths.typed(source)) if is_params(source) else named_tables.prices_of(source)


def settings_of(source: str, sweep: "PricesAndGoals | None") -> "Settings":
    """The rules' thresholds: a params file's, with how long it planned its runs; else those known of the tables."""
    from ycsbook import named_tables
    from ycsbook.anomalies import Settings

    if sweep is None:
        return named_tables.settings(source)
    return Settings.of(sweep.anomalies, planned_s=sweep.min_duration if sweep.planned else None)


def opened(source: str) -> "tuple[Tables, Path | None]":
    """The tables of a source, and its folder where it is a folder of tables: results are written there."""
    from ycsbook import named_tables
    from ycsbook.store import parquet
    from ycsbook.tables import keep_texts_as_objects

    keep_texts_as_objects()
    return named_tables.read(source), Path(source) if parquet.is_in(Path(source)) else None


def grades_of(source: str, tables: "Tables", sweep: "PricesAndGoals | None") -> "pd.Series":
    """The grade of trust of each run of a source's tables, by run_id, with the thresholds of `settings_of`."""
    from ycsbook import trust

    return trust.of_runs(tables, settings_of(source, sweep))


def runs_of(params: Path, store: Path) -> "SweepRuns":
    from ycsbook.sweep_runs import SweepRuns

    return SweepRuns(paths.typed(params), store=store.resolve())
