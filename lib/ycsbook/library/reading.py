"""What every function here takes, a data frame or a name, as the tidy tables; and runs as one data frame."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from ycsbook import messages, named_tables, own_data
from ycsbook.errors import DataError, FitError, YcsbookError
from ycsbook.facts import Fact
from ycsbook.own_data import QPS
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables

Data = pd.DataFrame | Tables | str | Path

_MAIN = ["run_id", "workload", "spec", "cores", "ram_gib", "threads", "qps"]


def read(name: str | Path) -> pd.DataFrame:
    """The runs behind a name as one data frame, a row per run.

    Parameters
        name: a log or a folder of logs, a folder of tables or of a report, a params file, a published table's CSV or
            the name of one under data/published, or any other CSV with a row per run.
    Returns
        The columns of the table `runs` that hold anything (docs/tables.md), and short ones beside them: `qps`, the
        throughput that everything is said about (ops/s), `read_us` and `write_us`, mean latencies. Every function here
        takes this frame, or part of it; given the name itself they also see what stands in no row, such as percentiles.
    Raises
        YcsbookError: nothing of that name, or it cannot be read.
    Examples
        >>> import ycsbook as yb
        >>> df = yb.read("qingcloud-4.0.3")
        >>> print(df[["spec", "cores", "threads", "qps", "read_us"]].head(2).to_string(index=False))
        spec  cores  threads    qps  read_us
        2c4g    2.0    100.0 9069.0  21520.0
        2c4g    2.0    200.0 9372.0  41283.0
    """
    if own_data.is_plain(name):
        return own_data.frame_of_csv(name)
    tables = named_tables.read(name)
    runs = tables.runs.reset_index(drop=True)
    means = tables.operations.drop_duplicates(["run_id", "operation"]).set_index("run_id")
    of = {name: means.loc[means["operation"] == name, "mean_us"] for name in ("READ", "UPDATE", "INSERT")}
    write = runs["run_id"].map(of["UPDATE"]).fillna(runs["run_id"].map(of["INSERT"]))
    runs = runs.assign(qps=with_throughput(runs)["y"], read_us=runs["run_id"].map(of["READ"]), write_us=write)
    known = [c for c in runs if c not in _MAIN and (runs[c].notna() & (runs[c] != "")).any()]
    return runs[_MAIN + known]


def tables_of(data: Data, needs: Sequence[str] = ("cores", "threads", QPS)) -> Tables:
    """The tables of a data frame with a row per run, in the frame's order.

    Parameters
        data: the frame; tables stay as they are, and a name is read (named_tables.read).
        needs: columns of `runs` that the frame must have; its missing values may be NaN.
    Raises
        DataError: columns are missing or unclear, or hold what they cannot; tells all mistakes at once.
    """
    if isinstance(data, str | Path):
        data = read(data) if own_data.is_plain(data) else named_tables.read(data)
    if isinstance(data, Tables):
        return data
    if not isinstance(data, pd.DataFrame):
        raise DataError(f"got {type(data).__name__}, expected a data frame with a row per run, or what read takes")
    return own_data.of_frame(data, needs)


@contextmanager
def answering() -> Iterator[None]:
    """Errors that are raised within as facts are raised as sentences; ends of intervals may lie beyond any number."""
    try:
        with np.errstate(over="ignore"):
            yield
    except YcsbookError as e:
        if isinstance(reason := getattr(e, "reason", None), Fact):
            raise FitError(messages.say(reason)) from None
        raise
