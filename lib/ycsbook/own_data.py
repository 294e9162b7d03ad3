"""A plain data frame as the tidy tables: columns by the names that people use, and everything wrong told at once."""

import difflib
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.columns import SCHEMAS
from ycsbook.errors import DataError, shown
from ycsbook.glossary import GLOSSARY
from ycsbook.ingest.log.labels import distinguishing_columns, slug
from ycsbook.scaling.points import THROUGHPUTS
from ycsbook.tables import Tables, conform, from_rows
from ycsbook.verdicts import Outcome

QPS = "throughput_ops_s"
# The names of columns besides those of the table `runs`; a factor makes the unit of the table.
SYNONYMS: dict[str, dict[str, float]] = {
    "cores": dict.fromkeys(("core", "cpus", "vcpu", "vcpus", "n_cores", "cpu_cores", "cpu_count"), 1),
    "threads": dict.fromkeys(("thread", "n_threads", "client_threads", "concurrency"), 1),
    QPS: dict.fromkeys(("qps", "tps", "throughput", "ops_s", "ops_sec", "ops_per_s", "ops_per_sec",
                        "ops_per_second", "throughput_ops_sec"), 1),
    "ram_gib": dict.fromkeys(("ram", "ram_gb", "memory", "memory_gib", "memory_gb", "mem_gib", "mem_gb"), 1),
    "repeat": dict.fromkeys(("rep", "repetition", "trial", "round"), 1),
    "spec": dict.fromkeys(("instance", "instance_type", "server_type"), 1),
    "read_fraction": {"read_share": 1, "read_ratio": 1, "read_percent": 0.01, "read_pct": 0.01},
    "cpu_utilisation": {"cpu": 1, "cpu_utilization": 1, "cpu_percent": 0.01, "cpu_pct": 0.01,
                        "cpu_utilisation_percent": 0.01, "cpu_utilization_percent": 0.01},
    "read_us": {f"{name}_{unit}": factor for name in ("read", "read_latency", "read_mean", "ral")
                for unit, factor in (("us", 1), ("ms", 1000))},
    "write_us": {f"{name}_{unit}": factor for name in ("write", "write_latency", "write_mean", "wal", "update")
                 for unit, factor in (("us", 1), ("ms", 1000))},
}  # fmt: skip
# Mean latencies are no columns of `runs`: the operation that each is of.
_OPERATIONS = {"read_us": "READ", "write_us": "UPDATE"}
_MEANINGS = {
    name: (column, factor)
    for column, others in {**{c: {} for c in SCHEMAS["runs"]}, **SYNONYMS}.items()
    for name, factor in {column: 1, **others}.items()
}
_POSITIVE = {"cores", "threads", "ram_gib", "cache_gib", "clients", "read_us", "write_us"}
# A share above this is meant in per cent; a server counts a little more than its cores at most.
_SHARES = {"read_fraction": 1.0, "cpu_utilisation": 1.5}
# What tells the runs of a frame apart by itself.
_KEYS = ("dataset", "server_version", "spec", "cores", "ram_gib", "workload", "read_fraction", "threads", "clients")
# Beyond these no benchmark goes, and logarithms of sums overflow.
_LEAST, _MOST = 1e-9, 1e12


def of_csv(path: str | Path) -> Tables:
    """The tables of a CSV with a row per run, whose columns are called as in `of_frame`. Raises DataError where it
    cannot be read, or is not what of_frame takes."""
    frame = frame_of_csv(path)
    try:
        return of_frame(frame, (QPS,), dataset=Path(path).stem)
    except DataError as e:
        raise DataError(*(f"{path}: {mistake}" for mistake in e.args)) from None


def frame_of_csv(path: str | Path) -> pd.DataFrame:
    """A CSV as it stands; raises DataError where it cannot be read."""
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as e:
        raise DataError(f"{path}: cannot be read as CSV: {e}") from None


def of_frame(data: pd.DataFrame, needs: Sequence[str] = ("cores", "threads", QPS), *, dataset: str = "") -> Tables:
    """The tables of a data frame with a row per run, in the frame's order. Rows that differ in nothing but a column of
    words, such as Engine, are of several data sets and no repeats. `needs`: columns of `runs` that the frame must
    have, with NaN where a value is missing; `dataset`: of rows for which no column names one. Raises DataError with
    all mistakes at once: columns that are missing or unclear, or hold what they cannot."""
    columns, mistakes = _columns(data, needs)
    if mistakes:
        raise DataError(*mistakes, f"found: {len(data)} rows with {_listed(map(str, data.columns)) or 'no columns'}")
    if "workload" not in columns and "read_fraction" in columns:
        mixes = [names.mix_name(share) if share >= 0 else "" for share in columns["read_fraction"]]
        columns["workload"] = np.array(mixes, dtype=object)
    if dataset and "dataset" not in columns:
        columns["dataset"] = np.full(len(data), dataset, dtype=object)
    if variants := _variants(data, columns):
        columns["dataset"] = [f"{name} {variant}".strip() for name, variant in zip(
            columns.get("dataset", [""] * len(data)), variants, strict=True)]  # fmt: skip
    latencies = {name: columns.pop(name) for name in _OPERATIONS if name in columns}
    runs = conform(_completed(pd.DataFrame(columns, index=range(len(data)))), "runs")
    operations = [
        {"run_id": run_id, "operation": _OPERATIONS[name], "mean_us": mean_us}
        for name, values in latencies.items()
        for run_id, mean_us in zip(runs["run_id"], values, strict=True)
        if not np.isnan(mean_us)
    ]
    return Tables(runs=runs, operations=from_rows(operations, "operations"))


def _variants(frame: pd.DataFrame, columns: dict[str, np.ndarray]) -> list[str]:
    """What columns that stand for nothing here say that tells rows apart, for each row; empty where none does."""
    unknown = [label for label in frame.columns if not meaning(label)]
    parts = [columns[name] for name in _KEYS if name in columns]
    keys = list(zip(*(part.tolist() for part in parts), strict=True)) if parts else [()] * len(frame)
    cells = [[_text(value) for value in row] for row in frame[unknown].astype(object).to_numpy().tolist()]
    at = distinguishing_columns([str(label) for label in unknown], cells, keys) if cells else []
    return [" ".join(filter(None, (row[i] for i in at))) for row in cells] if at else []


def is_plain(name: str | Path) -> bool:
    """Whether it is a CSV without the sidecar of a published one, with a column of throughput."""
    path = Path(name)
    if path.suffix != ".csv" or not path.is_file() or path.with_suffix(".json").is_file():
        return False
    try:
        heads = pd.read_csv(path, nrows=0).columns
    except (OSError, ValueError):
        return False
    return any(meaning(head) in THROUGHPUTS for head in heads)


def meaning(label: object) -> str:
    """The column of `runs`, or read_us or write_us, that a label of a frame stands for; empty: none.

    Examples
        >>> meaning("CPU %"), meaning("Throughput(ops/sec)"), meaning("notes")
        ('cpu_utilisation', 'throughput_ops_s', '')
    """
    return _MEANINGS.get(_plain(label), ("", 1))[0]


def _plain(label: object) -> str:
    text = str(label).lower().replace("%", " percent ").replace("µ", "u")
    return re.sub(r"[^a-z0-9]+", "_", text).strip("_")


def _columns(frame: pd.DataFrame, needs: Sequence[str]) -> tuple[dict[str, np.ndarray], list[str]]:
    """The frame's columns by their names in the tables, and what is wrong with them."""
    mistakes: list[str] = [] if len(frame) else ["no rows"]
    columns: dict[str, np.ndarray] = {}
    of: dict[str, object] = {}
    unknown = []
    own = {_plain(label) for label in frame.columns}
    for at, label in enumerate(frame.columns):
        column, factor = _MEANINGS.get(_plain(label), ("", 1))
        if not column:
            unknown.append(label)
            continue
        if column not in _OPERATIONS and GLOSSARY[column][0] == "str":
            values = np.array([_text(value) for value in frame.iloc[:, at]], dtype=object)
        else:
            values, mistake = _numbers(frame.iloc[:, at], column, factor)
            mistakes += [f"{shown(label)}: {mistake}"] if mistake else []
        # Beside the throughputs of a table `qps` is the one of them that is looked at, and says nothing more.
        rivals = [c for c in THROUGHPUTS if c in own] if column == QPS != _plain(label) and QPS in own else []
        alike = [c for c in frame.columns if _plain(c) in rivals] or ([of[column]] if column in columns else [])
        if alike and not _agree(values, [frame.iloc[:, list(frame.columns).index(c)] for c in alike], column):
            names = " and ".join(map(shown, dict.fromkeys([*alike, label])))
            mistakes.append(f"{names} both stand for {column} and differ; keep one")
        if not rivals:
            columns.setdefault(column, values)
            of.setdefault(column, label)
    return columns, [*mistakes, *_missing(columns, needs, unknown), *_contradictions(columns)]


def _missing(columns: dict[str, np.ndarray], needs: Sequence[str], unknown: list) -> Iterator[str]:
    """What is asked for and not there, and what is there under a name that is probably misspelt."""
    names = {label: _plain(label) for label in unknown}
    for need in needs:
        if need in columns or (need == QPS and any(c in columns for c in THROUGHPUTS)):
            continue
        known = [*([] if need == QPS else [need]), *SYNONYMS.get(need, ())]
        near = [label for label, name in names.items() if difflib.get_close_matches(name, known, n=1, cutoff=0.6)]
        hint = f"; did you mean {shown(near[0])}?" if near else ""
        yield f"no column {known[0]}, which may also be called {_listed(known[1:])}{hint}"
    free = [name for name, (column, _) in _MEANINGS.items() if column not in columns and column not in needs]
    for label, name in names.items():
        if close := difflib.get_close_matches(name, free, n=1, cutoff=0.8):
            yield f"unknown column {shown(label)}; did you mean {shown(close[0])}? Else rename it"


def _contradictions(columns: dict[str, np.ndarray]) -> Iterator[str]:
    for outcome in sorted(set(columns.get("outcome", ())) - {*map(str, Outcome), ""}):
        yield f"outcome: got {shown(outcome)}, expected {_listed(map(str, Outcome))}"
    if "spec" not in columns:
        return
    for shape in ("cores", "ram_gib"):
        if shape in columns and len(columns[shape]):
            sizes = pd.Series(columns[shape], dtype=float).groupby(columns["spec"]).nunique()
            for spec in [spec for spec, n in sizes.items() if spec and n > 1][:1]:
                yield f"spec: {shown(spec)} has {sizes[spec]} different {shape}; a spec is one shape of a server: "\
                      "give each its own name, or leave the column out"  # fmt: skip


def _completed(runs: pd.DataFrame) -> pd.DataFrame:
    """With a run_id, an outcome and a spec for each row where the frame has none."""
    nothing = pd.Series("", index=runs.index, dtype=object)
    spec, outcome = runs.get("spec", nothing), runs.get("outcome", nothing)
    size = pd.DataFrame({c: runs.get(c, pd.Series(np.nan, index=runs.index)) for c in ("cores", "ram_gib")})
    shapes = [
        "" if np.isnan(cores) else f"{cores:g}c" if np.isnan(ram) else slug(cores, ram)
        for cores, ram in size.itertuples(index=False)
    ]
    ids = runs.get("run_id", nothing)
    # Findings name runs with spaces between.
    usable = ids.is_unique and not any(not name or re.search(r"\s", name) for name in ids)
    return runs.assign(
        run_id=ids if usable else [f"row-{i}" for i in range(len(runs))], spec=spec.where(spec != "", shapes),
        # A run that brought nothing did not complete.
        outcome=outcome.where(outcome != "", np.where(runs.get(QPS, 1) == 0, Outcome.FAILED, Outcome.COMPLETED)),
    )  # fmt: skip


def _numbers(values: pd.Series, column: str, factor: float) -> tuple[np.ndarray, str]:
    """The values in the unit of the column, NaN where they are missing, and the first mistake among them."""
    numbers = [number(value) for value in values.astype(object)]
    for row, value in enumerate(numbers):
        wanted = ""
        if value is None:
            wanted = "a number"
        elif np.isinf(value) or value * factor > _MOST:
            wanted = f"at most {_MOST:g}"
        elif value < 0 or (column in _POSITIVE and value * factor < _LEAST):
            wanted = "a number > 0" if column in _POSITIVE else "a number >= 0"
        elif value * factor > _SHARES.get(column, _MOST):
            wanted = f"a share up to 1; of per cents call the column {column.partition('_')[0]}_percent"
        if wanted:
            return np.full(
                len(numbers), np.nan
            ), f"row {row}: got {shown(values.astype(object).iloc[row])}, expected {wanted}"
    return np.array(numbers, dtype=float) * factor, ""


def number(value: object) -> float | None:
    """The value as a number, NaN where it is missing; None: it is none."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, str) and not value.strip()):
        return float("nan")
    if isinstance(value, bool | np.bool_) or not isinstance(value, str | Real | Decimal):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _text(value: object) -> str:
    missing = value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value))
    return "" if missing else f"{value:g}" if isinstance(value, float) else str(value)


def _agree(values: np.ndarray, others: list[pd.Series], column: str) -> bool:
    """Whether each value is missing, or that of one of the others."""
    if values.dtype == object:
        return all((values == np.array([_text(v) for v in other], dtype=object)).all() for other in others)
    table = np.array([_numbers(other, column, _MEANINGS[_plain(other.name)][1])[0] for other in others])
    return bool((np.isnan(values) | np.isclose(values, table, rtol=1e-9, atol=0).any(axis=0)).all())


def _listed(names: Sequence[str]) -> str:
    names = list(names)
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
