"""A plain data frame as the tidy tables: columns by the names that people use, and everything wrong told at once."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isnan

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.columns import THROUGHPUTS
from ycsbook.errors import DataError, shown
from ycsbook.facts import in_columns
from ycsbook.glossary import GLOSSARY
from ycsbook.ingest.log import table_columns
from ycsbook.ingest.log.labels import slug
from ycsbook.ingest.published import page_cells, page_headings
from ycsbook.ingest.published.own_cells import agree, are_words, in_unit, iso, shapes, text_of
from ycsbook.ingest.published.page_headings import MIX, QPS, hours_of_price, meaning, operation, plain, understand
from ycsbook.ingest.published.page_mix import LOAD, mix, mixes_in_words
from ycsbook.ingest.runs.checks import is_short
from ycsbook.operations import TOTAL
from ycsbook.tables import TABLE_FORMAT, Tables, conform, from_rows
from ycsbook.units import BYTES_PER_GIB
from ycsbook.verdicts import Outcome, Warn, columns_unread

_NEEDS = ("cores", "threads", QPS)
# Figures, or words such as where the client was and which CPU it is.
_BY_CELLS = ("spec", "cpu_utilisation")
_OR_WORDS = {"clients", "cpu_utilisation", "ram_gib", "cache_gib", "target_ops_s"}
_MEDIAN = re.compile(r"median|中位数?", re.IGNORECASE)
# No server has so much RAM for a core: 24 TiB at 448 are 55.
_RAM_OF_CORE_GIB = 500
# What tells the runs of a frame apart by itself.
_KEYS = ("dataset", "server_version", "spec", "cores", "ram_gib", "workload", "read_fraction", "threads", "clients")
# Rows that differ in these are of other servers or settings, where no column names data sets.
_SETTINGS = ("vendor", "server_version", "topology", "write_concern", "read_preference", "distribution")
# Runs that lie further apart were made on another occasion: servers, clouds and drivers change meanwhile.
_APART = pd.Timedelta(days=30)


def of_frame(
    data: pd.DataFrame, needs: Sequence[str] = _NEEDS, *, dataset: str = "", lines: Sequence[int] = ()
) -> Tables:
    """The tables of a data frame with a row per run, in the frame's order. Rows that differ in nothing but a column
    of words, such as Engine, or in the server's version are of several data sets and no repeats. `needs`: columns
    of `runs` that the frame must have, with NaN where a value is missing; `dataset`: of rows for which no column
    names one; `lines`: those of a file in which the rows stand, for errors. Raises DataError with all mistakes at once:
    columns that are missing or unclear, or hold what they cannot."""
    data = _with_repeats(data)
    roles = _roles(data)
    columns, mistakes = _columns(data, roles, needs, lines)
    if mistakes:
        raise DataError(*mistakes, f"found: {len(data)} rows with {_listed(map(str, data.columns)) or 'no columns'}")
    _tell_mixes(columns)
    variants, unread = _variants(data, roles, columns)
    if dataset and "dataset" not in columns:
        columns["dataset"] = np.full(len(data), dataset, dtype=object)
    columns.setdefault("format", np.full(len(data), TABLE_FORMAT, dtype=object))
    if variants:
        columns["dataset"] = [f"{name} {variant}".strip() for name, variant in zip(
            columns.get("dataset", [""] * len(data)), variants, strict=True)]  # fmt: skip
    latencies = {name: columns.pop(name) for name in list(columns) if operation(name)}
    if unread:
        columns |= in_columns("reason", columns_unread(unread))
    share = columns.pop("failed_share", np.full(len(data), np.nan))
    if QPS in columns and not np.isnan(share).all():
        columns.setdefault("goodput_ops_s", columns[QPS] * (1 - share))
    failed = (share > 0) | (columns.get("failed_operations", np.zeros(len(data))) > 0)
    is_of_all = any(operation(name) == TOTAL for name in latencies)
    # Repeats are numbered, and a number stands twice for what is otherwise one configuration.
    keys = [name for name in (*_KEYS, "phase", "target_ops_s", "repeat") if name in columns]
    rows = pd.DataFrame({name: columns[name] for name in keys if "repeat" in columns})
    is_twice = rows.nunique().get("repeat", 0) > 1 and rows[rows["repeat"].notna()].duplicated().any()
    warnings = [*([Warn.OPERATION_UNKNOWN] if is_of_all else []), *([Warn.COLUMNS_UNREAD] if unread else []),
                *([Warn.REPEAT_TWICE] if is_twice else [])]  # fmt: skip
    is_run = columns.get("phase", np.full(len(data), "run")) != "load"
    short = np.array([is_short(ms) for ms in columns.get("runtime_ms", np.full(len(data), np.nan))], bool) & is_run
    warnings_of_rows = zip(columns.get("warnings", [""] * len(data)), failed, short, strict=True)
    columns["warnings"] = np.array([
        " ".join(dict.fromkeys([*words.split(), *warnings, *[Warn.OPERATIONS_FAILED] * bool(has_failed),
                                *[Warn.SHORT_RUN] * bool(was_short)]))
        for words, has_failed, was_short in warnings_of_rows
    ], dtype=object)  # fmt: skip
    runs = conform(_completed(pd.DataFrame(columns, index=range(len(data))), dataset), "runs")
    operations, percentiles = [], []
    for name, values in latencies.items():
        rank = name.partition("@")[2]
        for run_id, us in zip(runs["run_id"], values, strict=True):
            row = {"run_id": run_id, "operation": operation(name)}
            if not isnan(us) and rank:
                row |= {"percentile": float(rank), "percentile_source": "summary"}
                percentiles.append({**row, "latency_us": us})
            elif not isnan(us):
                operations.append({**row, "mean_us": us})
    return Tables(runs, from_rows(operations, "operations"), from_rows(percentiles, "percentiles"))


def _with_repeats(data: pd.DataFrame) -> pd.DataFrame:
    """The frame with its column of runs, such as `run` or `iteration`, as that of repeats, where it numbers the rows of
    each configuration from 1 on; else it holds names of runs."""
    labels = [label for label in data.columns if plain(label) in page_headings.RUNS]
    if len(labels) != 1 or "repeat" in map(meaning, data.columns):
        return data
    numbers = pd.to_numeric(data[labels[0]], errors="coerce")
    names_of_columns = map(meaning, data.columns)
    is_word = (pd.to_numeric(data.iloc[:, at], errors="coerce").isna().all() for at in range(data.shape[1]))
    keys = {*_KEYS, *_SETTINGS, "spec_label", MIX}
    of_rows = [name in keys or (not name and words) for name, words in zip(names_of_columns, is_word, strict=True)]
    rows = [tuple(map(text_of, row)) for row in data.loc[:, of_rows].astype(object).to_numpy().tolist()]
    configurations = numbers.groupby(pd.Index(rows, tupleize_cols=False))
    counted = [sorted(part) == [*range(1, len(part) + 1)] for _, part in configurations]
    return data.rename(columns={labels[0]: "repeat"}) if all(counted) and len(counted) < len(data) else data


def _tell_mixes(columns: dict[str, np.ndarray]) -> None:
    """Make a column of mixes, or of shares of reads, those of `runs`."""
    if not columns.keys() & {MIX, "read_fraction"}:
        in_words = mixes_in_words(set(columns.get("workload", [""])))
        if all(map(mix, in_words.values())):
            columns[MIX] = np.array([in_words[name] for name in columns.pop("workload")], dtype=object)
    if MIX in columns:
        printed = [mix(cell) or (cell, np.nan) for cell in columns.pop(MIX)]
        columns.setdefault("workload", np.array([name for name, _ in printed], dtype=object))
        columns.setdefault("read_fraction", np.array([reads for _, reads in printed], dtype=float))
        if LOAD in columns["workload"]:
            columns.setdefault("phase", np.where(columns["workload"] == LOAD, "load", "run").astype(object))
    if "workload" not in columns and "read_fraction" in columns:
        mixes = [names.mix_name(share) if share >= 0 else "" for share in columns["read_fraction"]]
        columns["workload"] = np.array(mixes, dtype=object)
    if "workload" in columns:
        planned = np.array([names.share_of_reads(name) for name in columns["workload"]], dtype=float)
        share = columns.get("read_fraction", planned)
        columns["read_fraction"] = np.where(np.isnan(share), planned, share)


def _variants(
    frame: pd.DataFrame, roles: list[tuple[str, float]], columns: dict[str, np.ndarray]
) -> tuple[list[str], list[str]]:
    """Of the columns that stand for nothing here: the words of those that tell rows apart, row by row (empty: none
    does), and the labels of the others. A column of products adds the server's version where none names it."""
    unknown = [at for at, (name, _) in enumerate(roles) if not name and not hours_of_price(frame.columns[at])]
    # As text: no NaN is like another.
    parts = [map(str, columns[name]) for name in _KEYS if name in columns]
    keys = list(zip(*parts, strict=True)) if parts else [()] * len(frame)
    cells = [[text_of(value) for value in row] for row in frame.iloc[:, unknown].astype(object).to_numpy().tolist()]
    labels = [str(frame.columns[at]) for at in unknown]
    at = table_columns.distinguishing_columns(labels, cells, keys) if cells else []
    of_rows = [[table_columns.words_of(labels[i], row[i]) for row in cells] for i in at]
    if "dataset" not in columns:
        of_rows += [columns[name] for name in _SETTINGS if len(set(columns.get(name, ()))) > 1]
        of_rows += [of for of in [_families(columns)] if of]
        of_rows += _amounts(columns, (*_KEYS, "phase"))
    products = [i for i in at if table_columns.is_product(labels[i])]
    if products and "server_version" not in columns:
        columns["server_version"] = np.array([row[products[0]] for row in cells], dtype=object)
    variants = [" ".join(filter(None, words)) for words in zip(*of_rows, strict=True)]
    return variants, table_columns.unread_columns(labels, cells, at)


def _families(columns: Mapping[str, np.ndarray]) -> list[str]:
    """The family of each row's server, such as c7g of c7g.large: that word of the names that tells servers of equal
    cores and RAM apart, at two sizes or more, and stands for several sizes; none where no word does."""
    if "cores" not in columns or "spec" not in columns:
        return []
    frame = pd.DataFrame({name: columns.get(name, 0.0) for name in ("cores", "ram_gib")})
    labels = pd.Series(columns.get("spec_label", columns["spec"]))
    words = labels.str.split(r"[\W_]+", regex=True, expand=True).fillna("")
    size = frame.groupby(["cores", "ram_gib"], dropna=False).ngroup()
    servers = words.assign(size=size).drop_duplicates()
    for at in words:
        alike = servers.groupby("size")[at].agg(["size", "nunique"])
        is_told = (alike["size"] == alike["nunique"]).all() and (alike["size"] > 1).sum() > 1
        if is_told and 2 * servers[at].nunique() <= len(servers):
            return words[at].tolist()
    return []


def _amounts(columns: Mapping[str, np.ndarray], keys: Sequence[str]) -> list[list[str]]:
    """The words of each row for an amount or an occasion, for those in which rows of one configuration differ, and
    of which each value stands in several rows: a measured size differs in all. `keys` make a configuration."""
    counts = {c: columns[c] for c in ("clients", "records") if c in columns}
    called = {c: [f"{_short(n)} {c if n != 1 else c[:-1]}" if n > 0 else "" for n in of] for c, of in counts.items()}
    if "data_bytes" in columns:
        called["data_bytes"] = [f"{v / BYTES_PER_GIB:g} GiB" if v > 0 else "" for v in columns["data_bytes"]]
    called["started_at"] = _occasions(columns.get("started_at", ()))
    telling = []
    for name, words in called.items():
        rows = list(zip(*(map(str, columns[c]) for c in keys if c in columns and c != name), strict=True))
        if 1 < len(set(words)) <= len(words) / 2 and len(set(zip(rows, words, strict=True))) > len(set(rows)):
            telling.append(words)
    return telling


def _short(n: float) -> str:
    """A number, in millions where that is exact."""
    return f"{n / 1e6:g}M" if n >= 1e6 and n % 1e5 == 0 else f"{n:.15g}"


def _occasions(started: Sequence[str]) -> list[str]:
    """The first day of each run's occasion: runs that follow one another within a month are of one; empty where a run
    has no date."""
    days = pd.to_datetime(pd.Series(started, dtype=object).str[:10], format="%Y-%m-%d", errors="coerce")
    dates = days.dropna().sort_values()
    first = dates.mask(dates.diff() <= _APART).ffill().dt.strftime("%Y-%m-%d")
    return first.reindex(days.index).fillna("").tolist()


def _roles(frame: pd.DataFrame) -> list[tuple[str, float]]:
    """What each column stands for, as `understand`; the spec, and when a run began, are told by the cells."""
    headings = list(map(str, frame.columns))
    roles = page_headings.with_workers(headings, [of if of[0] else None for of in map(understand, frame.columns)])
    roles = [None if of and of[0] in _OR_WORDS and are_words(map(text_of, frame.iloc[:, at])) else of
             for at, of in enumerate(roles)]  # fmt: skip
    cells = [list(map(text_of, frame.iloc[:, at])) if not c or c[0] in _BY_CELLS else () for at, c in enumerate(roles)]
    roles = table_columns.with_spec(headings, roles, cells)
    if not any(of and of[0] == QPS for of in roles):
        # Of several runs the median does as well as the mean.
        medians = [understand(_MEDIAN.sub("", heading)) for heading in headings]
        roles = [median if median[0] == QPS else of for median, of in zip(medians, roles, strict=True)]
    rates = [plain(headings[at]) for at, of in enumerate(roles) if of and of[0] == QPS]
    is_count = page_headings.COUNT.fullmatch
    if not all(map(is_count, rates)) and "throughput" not in rates:  # which may be bytes
        roles = [None if is_count(plain(heading)) else of for heading, of in zip(headings, roles, strict=True)]
    free = [at for at, of in enumerate(roles) if not of and table_columns.is_when(headings[at])]
    dated = [at for at in free if all(map(iso, filter(None, cells[at])))]
    if dated and ("started_at", 1) not in roles:
        roles[dated[0]] = ("started_at", 1)
    return [of or ("", 1) for of in roles]


def _columns(
    frame: pd.DataFrame, roles: list[tuple[str, float]], needs: Sequence[str], lines: Sequence[int]
) -> tuple[dict[str, np.ndarray], list[str]]:
    """The frame's columns by their names in the tables, and what is wrong with them."""
    mistakes: list[str] = [] if len(frame) else ["no rows"]
    headings = [*map(str, frame.columns)]  # x.1 is what pandas calls the second x
    mistakes += [f"several columns are headed {shown(of)}, expected one: say of each what it is of"
                 for of in headings if f"{of}.1" in headings and understand(of)[0]]  # fmt: skip
    columns: dict[str, np.ndarray] = {}
    of: dict[str, object] = {}
    unknown = []
    labels = {plain(label) for label in frame.columns}
    for at, label in enumerate(frame.columns):
        column, factor = roles[at]
        if not column:
            unknown += [] if understand(label)[0] else [label]
            continue
        if column == "failed_operations" and frame.iloc[:, at].astype(str).str.contains("%").any():
            column = "failed_share"
        if column == MIX or GLOSSARY.get(column, ("",))[0] == "str":
            values = np.array([text_of(value) for value in frame.iloc[:, at]], dtype=object)
            if column == "started_at":
                values = np.array([iso(text) or text for text in values], dtype=object)
        else:
            values, mistake = in_unit(frame.iloc[:, at], column, factor, lines)
            mistakes += [f"{shown(label)}: {mistake}"] if mistake else []
        if column == QPS and frame.iloc[:, at].dtype != float:
            columns.setdefault("printed_noise", np.array([page_cells.scatter(text_of(v)) for v in frame.iloc[:, at]]))
        # Beside the throughputs of a table `qps` is the one of them that is looked at, and says nothing more.
        rivals = [c for c in THROUGHPUTS if c in labels] if column == QPS != plain(label) and QPS in labels else []
        alike = [c for c in frame.columns if plain(c) in rivals] or ([of[column]] if column in of else [])
        if alike and not agree(values, [frame.iloc[:, list(frame.columns).index(c)] for c in alike], column):
            names = " and ".join(map(shown, dict.fromkeys([*alike, label])))
            mistakes.append(f"{names} both stand for {column} and differ; keep one")
        if not rivals:
            columns.setdefault(column, values)
            of.setdefault(column, label)
    rate = plain(of.get(QPS, ""))
    is_vague = rate == "total_ops" or (rate == "ops" and any(map(page_headings.TOOK.fullmatch, labels)))
    mistakes += [f"{shown(of[QPS])}: may be a rate or a count; call it ops_s, or operations"] if is_vague else []
    if "threads" not in columns and "clients" in columns:
        columns["threads"] = columns.pop("clients")
    if (deviations := columns.pop(page_headings.DEVIATION, None)) is not None and QPS in columns:
        columns["printed_noise"] = np.array(list(map(page_cells.share_of, deviations, columns[QPS])))
    texts = columns.get("spec", columns.get("spec_label"))
    if texts is not None and "cores" not in columns:
        columns |= shapes(texts)
    return columns, [*mistakes, *_missing(columns, needs, unknown), *_contradictions(columns)]


def _missing(columns: dict[str, np.ndarray], needs: Sequence[str], unknown: list) -> Iterator[str]:
    """What is asked for and not there, and what is there under a name that is probably misspelt."""
    names = {label: plain(label) for label in unknown}
    for need in needs:
        if need in columns or (need == QPS and any(c in columns for c in THROUGHPUTS)):
            continue
        aliases = [*([] if need == QPS else [need]), *page_headings.SYNONYMS.get(need, ())]
        near = [label for label, name in names.items() if difflib.get_close_matches(name, aliases, n=1, cutoff=0.6)]
        hint = f"; did you mean {shown(near[0])}?" if near else ""
        yield f"no column {aliases[0]}, which may also be called {_listed(aliases[1:])}{hint}"
    free = [name for name, (c, _) in page_headings.MEANINGS.items() if c not in columns and c not in needs]
    for label, name in names.items():
        if table_columns.is_product(name):
            continue
        if name == "operation":
            yield f"{shown(label)}: a row for each operation, expected one for each run: read_avg_us, update_avg_us"
            continue
        if close := difflib.get_close_matches(name, free, n=1, cutoff=0.81):
            yield f"unknown column {shown(label)}; did you mean {shown(close[0])}? Else rename it"


def _contradictions(columns: dict[str, np.ndarray]) -> Iterator[str]:
    for outcome in sorted(set(columns.get("outcome", ())) - {*map(str, Outcome), ""}):
        yield f"outcome: got {shown(outcome)}, expected {_listed(map(str, Outcome))}"
    if {"cores", "ram_gib"} <= columns.keys():
        for cores, ram in zip(columns["cores"], columns["ram_gib"], strict=True):
            if ram > _RAM_OF_CORE_GIB * max(cores, 1):
                yield f"ram_gib: got {ram:,.0f} GiB at {cores:g} cores, expected at most {_RAM_OF_CORE_GIB} for each; "\
                      "if these are MB, call the column ram_mb"  # fmt: skip
                break
    if "spec" not in columns:
        return
    for shape in ("cores", "ram_gib"):
        if shape in columns and len(columns[shape]):
            sizes = pd.Series(columns[shape], dtype=float).groupby(columns["spec"]).nunique()
            for spec in [spec for spec, n in sizes.items() if spec and n > 1][:1]:
                yield f"spec: {shown(spec)} has {sizes[spec]} different {shape}; a spec is one shape of a server: "\
                      "give each its own name, or leave the column out"  # fmt: skip


def _completed(runs: pd.DataFrame, server: str) -> pd.DataFrame:
    """The runs with a run_id, an outcome and a spec where the frame has none; `server`: of rows without a size."""
    nothing = pd.Series("", index=runs.index, dtype=object)
    spec, outcome = runs.get("spec", nothing), runs.get("outcome", nothing)
    size = pd.DataFrame({c: runs.get(c, pd.Series(np.nan, index=runs.index)) for c in ("cores", "ram_gib")})
    shapes = [
        slug(cores, ram) if cores * ram > 0 else f"{cores:g}c" if cores > 0 else f"{ram:g}GiB" if ram > 0 else server
        for cores, ram in size.itertuples(index=False)
    ]
    ids = runs.get("run_id", nothing)
    # Findings name runs with spaces between.
    usable = ids.is_unique and not any(not name or re.search(r"\s", name) for name in ids)
    # A run that brought nothing did not complete, nor one without a figure that most others have.
    figures = runs.reindex(columns=list(THROUGHPUTS)).max(axis=1)
    failed = (figures == 0) | (figures.isna() & (figures.notna().mean() > 0.5))
    return runs.assign(
        run_id=ids if usable else [f"row-{i}" for i in range(len(runs))], spec=spec.where(spec != "", shapes),
        outcome=outcome.where(outcome != "", np.where(failed, Outcome.FAILED, Outcome.COMPLETED)),
    )  # fmt: skip


def _listed(names: Sequence[str]) -> str:
    names = list(names)
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
