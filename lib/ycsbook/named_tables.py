"""Tables by name, as people type it: tables, logs, a params file, a vendor's page as CSV, or a published data set."""

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook import anomalies, comparing, documents, ingest, messages, params, paths, scaling
from ycsbook.errors import ParamsError, StoreError, shown
from ycsbook.ingest.published import own_csv
from ycsbook.ingest.published.published import read_published
from ycsbook.params import PricesAndGoals, Sweep, UnplannedSweep, load_prices_and_goals
from ycsbook.scaling.points import usable
from ycsbook.store import parquet
from ycsbook.tables import Tables, concat

if TYPE_CHECKING:
    from ycsbook.facts import Fact
    from ycsbook.report import InShort, Written


def read(name: str | Path, store: str | Path = paths.RUNS, *, unread: list[tuple[str, str]] | None = None) -> Tables:
    """The tables behind a name; of logs those of several versions of a server are data sets of their own.

    Parameters
        name: a folder of tables, a report's folder (its tables are meant), a log or a folder of logs or, without any,
            of CSVs of one's own, a params file (read into tables first where that has not been done), a published
            table's CSV, or the name of a data set under data/published. Relative paths count from the working folder,
            else from the repository.
        store: where the runs of a params file are kept. unread: gets what of logs and pages could not be read, each by
            its file and line, and why.
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
        folders = [folder for folder in (path / "tables", path) if parquet.is_in(folder)]
        if not folders:
            return _logs(path, unread)
        # A params file's own tables are of one sweep, whatever became of its server meanwhile.
        of_sweep = (folders[0] / "inputs.json").is_file()
        return parquet.read(folders[0]) if of_sweep else parquet.read(folders[0]).by_version()
    if path.is_file() and path.suffix in (".yml", ".yaml"):
        # Only here: what makes reports takes 0.4 s to load.
        from ycsbook.study import Study

        return Study(path.resolve(), store=Path(store).resolve() if Path(store).exists() else store).tables()
    if own_csv.is_plain(path):
        return own_csv.of_csv(path)
    if path.is_file() and (path.suffix != ".csv" or not path.with_suffix(".json").is_file()):
        return _logs(path, unread)
    if path.is_file() or published.is_file():
        return read_published(path if path.is_file() else published)
    names = ", ".join(sorted(p.stem for p in paths.PUBLISHED.glob("*.csv")))
    raise StoreError(
        f"{shown(str(name))}: no such folder, params file or table; expected a folder of tables (make one with "
        f"'ycsbook ingest PATH... --out DIR'), a params file, or one of the published {names}"
    )


def settings(name: str | Path) -> anomalies.Settings:
    """The rules' thresholds for tables by what `read` calls them: those of the params file that a folder's tables were
    made with, and how long its plan let runs last; else the rules' own. Raises ParamsError where that file is wrong."""
    folder = paths.typed(name)
    params_files = [f / "params.yml" for f in (folder / "tables", folder) if (f / "inputs.json").is_file()]
    if not params_files or not params_files[0].is_file():
        return anomalies.Settings()
    sweep = params.load(params_files[0])
    return anomalies.Settings.of(sweep.anomalies, planned_s=sweep.min_duration)


def prices_of(name: str | Path) -> PricesAndGoals | None:
    """The prices per hour that a CSV of one's own has by spec; None of other tables, and where it has none."""
    path = paths.typed(name)
    prices = own_csv.prices(path) if own_csv.is_plain(path) else {}
    return PricesAndGoals(prices=prices) if prices else None


def check_prices(sweep: PricesAndGoals, tables: Tables) -> None:
    """Raises ParamsError where there are prices, and none is of a spec that was measured or is asked for."""
    rows = usable(tables.runs).sort_values(["cores", "ram_gib"])
    names = [name for name in rows["spec"].unique() if name]
    if sweep.prices and sweep.prices.keys().isdisjoint([*names, *(spec.name for spec in sweep.specs)]):
        priced, measured = ", ".join(sweep.prices), ", ".join(names) or "none that is named"
        raise ParamsError(f"prices: got {priced}, expected the prices of specs by their names; there are {measured}")


def datasets(tables: Tables) -> list[str]:
    return usable(tables.runs)["dataset"].drop_duplicates().tolist()


def compared_first(tables: Tables) -> list[str]:
    """The two data sets to compare first: of the newest versions, where only versions differ; else the first two."""
    servers = usable(tables.runs).drop_duplicates("dataset").set_index("dataset")["server_version"]
    kinds = {re.sub(r"[\d.]+", "", version) for version in servers}
    if servers.nunique() == len(servers) and len(kinds) == 1:
        numbers = servers.map(lambda version: [*map(int, re.findall(r"\d+", version))])
        servers = numbers.sort_values().tail(2)
    return servers.index[:2].tolist()


def write_reports(
    name: str | Path,
    folder: Path | None = None,
    params: str | Path | None = None,
    *,
    tables: Tables | None = None,
    rejected: Sequence[tuple[str, str]] = (),
) -> "list[tuple[Written, InShort]]":
    """The report of tables that no params file planned, in a folder (by default below output/), and what it says first.
    Several data sets have a report each, in folders below that one: their rows are of different servers or settings. Of
    settings only the params file of a published data set tells; `params` is one with prices, currency, goals, specs
    that were not measured and the language, in place of the prices that a CSV has. `tables`: what `read` gave, where it
    has been called, and `rejected` what it could not read. Raises StoreError as `read`, and where the default folder
    holds the report of a params file; ParamsError where `params` is wrong, or its prices are of other specs."""
    if tables is None:
        rejected = []
        tables = read(name, unread=rejected)
    path = Path(name).resolve()
    made_with = f"ycsbook report {name}"
    if params is None:
        goals = prices_of(name)
    else:
        goals = load_prices_and_goals(paths.typed(params))
        check_prices(goals, tables)
        made_with += f" --params {params}"
    called = path.parent.name if path.name == "tables" else path.stem if path.is_file() else path.name
    folder = folder or paths.OUTPUT / _slug(called)
    if (folder / "tables" / "inputs.json").is_file():
        raise StoreError(
            f"{folder}: holds the report of a params file; make that again with 'ycsbook report "
            f"params/{_slug(called)}.yml', or name another folder with --out"
        )
    names = sorted(datasets(tables))
    parts: list[tuple[str, Tables, Path, Fact | None]] = [(called, tables, folder, None)]
    if len(names) > 1:
        titles = {dataset: dataset or called for dataset in names}
        folders, against = _folders(titles.values()), comparing.beside(tables)
        parts = [(t, tables.of_dataset(d), folder / folders[t], against.get(d)) for d, t in titles.items()]
    # Only here, as above.
    from ycsbook.report import build, write

    written = []
    for title, of_title, to, beside in parts:
        page = _page_of(title)
        sweep = page or UnplannedSweep(name=_slug(title), title=title)
        if goals is not None:
            specs = {spec.name: spec for spec in (*goals.specs, *(page.specs if page else ()))}
            fields_set = goals.model_fields_set & {"prices", "currency", "goals", "report"}
            goal_values = {name: getattr(goals, name) for name in fields_set}
            sweep = sweep.model_copy(update=goal_values | {"specs": tuple(specs.values())})
        analysis = scaling.analyse(of_title.runs, of_title.operations).with_tables(messages.worded)
        findings = anomalies.find(of_title, settings=settings(name), documents=documents.of(of_title))
        more = {"source": "" if page else str(name), "beside": beside, "rejected": rejected}
        facts = {"Commands": {"made with": made_with}}
        report = build(sweep, of_title, analysis, messages.worded(findings), facts, **more)
        written.append((write(report, to), report.in_short))
    return written


def _folders(titles: Iterable[str]) -> dict[str, str]:
    """A folder's name for each title: of its letters in any script, and a number where another has the same."""
    folders: dict[str, str] = {}
    for title in titles:
        name = _slug(title, r"[^\w-]+")
        more = (f"{name}-{n}" for n in count(2))
        folders[title] = next(n for n in chain([name], more) if n not in folders.values())
    return folders


def _slug(name: str, left_out: str = "[^a-z0-9_-]+") -> str:
    return re.sub(left_out, "-", name.lower()).strip("-_")[:64] or "tables"


def _page_of(name: str) -> Sweep | None:
    file = paths.PARAMS / f"{name}.yml"
    if not (paths.PUBLISHED / f"{name}.csv").is_file() or not file.is_file():
        return None
    sweep = params.load(file)
    return sweep if sweep.server.published else None


def _logs(path: Path, unread: list[tuple[str, str]] | None) -> Tables:
    """The tables of a log or a folder of them; what cannot be read is said on stderr, and added to `unread`."""
    tables, rejected = ingest.read_with_rejects([path])
    if tables.runs.empty:
        if own := [file for file in sorted(path.iterdir() if path.is_dir() else []) if own_csv.is_plain(file)]:
            # Runs are called alike in all of them.
            tables = ((file.name, own_csv.of_csv(file).items()) for file in own)
            return concat([
                Tables(**{of: frame.assign(run_id=f"{name}-" + frame["run_id"]) for of, frame in items})
                for name, items in tables
            ])  # fmt: skip
        why = f": {rejected[0]}" if rejected else ""
        raise StoreError(
            f"{path}: neither tables nor logs of runs there, expected a folder with runs.parquet, logs or CSVs{why}"
        )
    for error in rejected:
        print(f"rejected: {error}", file=sys.stderr)
        if unread is not None:
            place = Path(error.path).name
            unread.append((place if error.line is None else f"{place}:{error.line}", error.reason))
    return tables.by_version()
