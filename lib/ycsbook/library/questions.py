"""What can be asked of one's own data: what limits each row, what is suspicious, how two sets differ, what carries a
load. Every function takes a data frame or a name; `read` gives the runs behind a name as one data frame."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from ycsbook import anomalies as rules
from ycsbook import comparing, documents, messages, named_tables, scaling, trust
from ycsbook.closed_loop import with_means
from ycsbook.errors import DataError, FitError, YcsbookError
from ycsbook.facts import Fact
from ycsbook.ingest.published import own_csv, own_data
from ycsbook.ingest.published.page_headings import QPS
from ycsbook.scaling.analysis import by_run
from ycsbook.scaling.capacity import answers
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables

Data = pd.DataFrame | Tables | str | Path

_MAIN = ["run_id", "workload", "spec", "cores", "ram_gib", "threads", "qps"]
_CELL = ["workload", "spec", "cores", "ram_gib", "threads"]


def limits(data: Data) -> pd.DataFrame:
    """What limited each row: the server, too few threads, something else, or nothing that can be told.

    It shows where a spec was measured with several thread counts; ram_gib, latencies (read_ms, write_ms with
    read_fraction) and cpu tell more.

    Parameters
        data: a data frame with a row per run and the columns cores, threads and qps; or tables, or a name for `read`.
    Returns
        A row per row of the data, in its order and with its index: workload, spec, cores, ram_gib, threads, qps, limit
        (server, concurrency, elsewhere, contradiction, inconsistent, suspect, undecided, single; empty: the row has no
        throughput that counts), reason (a sentence), utilisation (X R / N), ratio with conf_low and conf_high (of the
        pair of thread counts that decided).
    Raises
        DataError: columns are missing or hold what they cannot; tells all mistakes at once.
    Examples
        >>> import pandas as pd
        >>> import ycsbook as yb
        >>> df = pd.DataFrame({"cores": [2, 2, 8, 8], "ram_gib": [8, 8, 32, 32], "threads": [50, 100, 50, 100],
        ...                    "qps": [8e3, 8.1e3, 15e3, 28e3]})
        >>> yb.limits(df)["limit"].tolist()
        ['server', 'server', 'concurrency', 'undecided']
    """
    tables = tables_of(data)
    runs = tables.runs
    rows = with_throughput(runs)
    rows = rows[rows["y"] > 0]
    with answering():
        by_cell = messages.worded(scaling.limits(runs, tables.operations))
    by_row = by_run(rows, by_cell)[["limit_kind", "reason", "utilisation", "ratio", "conf_low", "conf_high"]]
    limited = runs[_CELL].assign(qps=rows["y"]).join(by_row.rename(columns={"limit_kind": "limit"}))
    limited = limited.fillna({"limit": "", "reason": ""})
    return limited.set_axis(data.index) if isinstance(data, pd.DataFrame) else limited


def anomalies(data: Data, *, rules_only: Sequence[str] = (), history: Data | None = None) -> pd.DataFrame:
    """What is impossible, suspicious or worth knowing in the data, the gravest first.

    Parameters
        data: as for `limits`. Latencies, cpu, repeats and write_concern are looked at where there are such columns.
        rules_only: names of rules (docs/rules.md); none: all.
        history: earlier runs of the same configurations, for changes from then to now.
    Returns
        severity (error, warning, notice, note), rule, sentence (what was found), advice (what to do next), rows (a list
        of the positions of the rows concerned, for data.iloc), workload, spec, threads, effect (a fraction: -0.66 is
        two thirds less) with conf_low and conf_high. Without rows nothing was found.
    Raises
        DataError: columns are missing or hold what they cannot; tells all mistakes at once.
        ParamsError: no such rule.
    Examples
        200 threads with reads of 8.2 ms and writes of 1.1 ms cannot bring more than 42,800 ops/s:

        >>> import pandas as pd
        >>> import ycsbook as yb
        >>> df = pd.DataFrame({"cores": [16], "threads": [200], "qps": [52148], "read_fraction": [0.5],
        ...                    "read_us": [8243], "write_us": [1108]})
        >>> yb.anomalies(df).loc[0, ["severity", "rule", "rows"]].tolist()
        ['error', 'little_law', [0]]
    """
    tables = tables_of(data)
    settings = rules.Settings().only(list(rules_only))
    earlier = None if history is None else tables_of(history)
    with answering():
        findings = rules.find(tables, settings=settings, history=earlier, documents=documents.of(tables))
    findings = messages.worded(findings).rename(columns={"message": "sentence", "next_step": "advice"})
    place = {run_id: at for at, run_id in enumerate(tables.runs["run_id"])}
    findings["rows"] = [[place[run_id] for run_id in ids.split() if run_id in place] for ids in findings["run_ids"]]
    columns = ["severity", "rule", "sentence", "advice", "rows", "workload", "spec", "threads", "effect"]
    return findings[[*columns, "conf_low", "conf_high"]].reset_index(drop=True)


def compare(a: Data, b: Data, *, by: Literal["spec", "law"] | None = None) -> pd.DataFrame:
    """The throughput of b over that of a, cell by cell (workload, spec, threads) and in the mean.

    Parameters
        a, b: as for `limits`; a is what b is compared with.
        by: spec: equal specs only; law: b's law everywhere; None: b's law where it has not measured the spec.
    Returns
        The table `comparisons` (docs/tables.md): ratio with its 95 % interval, p (adjusted) and verdict, a sentence.
        attrs["summary"] is the whole in short, attrs["conditions"] what else differs between the two.
    Raises
        DataError: columns are missing or hold what they cannot; tells all mistakes at once.
    Examples
        >>> import pandas as pd
        >>> import ycsbook as yb
        >>> old = pd.DataFrame({"cores": [2, 4, 8] * 3, "ram_gib": 32, "threads": 100,
        ...                     "qps": [10, 19, 37, 10.2, 19.1, 37.5, 9.9, 19, 37]})
        >>> compared = yb.compare(old, old.assign(qps=1.3 * old["qps"]))
        >>> compared.loc[compared["basis"] == "spec", "ratio"].round(2).tolist()
        [1.3, 1.3, 1.3]
    """
    first, second = tables_of(a), tables_of(b)
    unnamed = (first.runs["dataset"] == "").all() and (second.runs["dataset"] == "").all()
    with answering():
        comparisons = comparing.compare(first, second, by=by, names=("a", "b") if unnamed else None)
    conditions = [messages.say(difference) for difference in comparing.conditions(first, second)]
    attributes = {"summary": messages.say(comparing.summary(comparisons)), "conditions": conditions}
    table = messages.worded(comparisons)
    table = table[[c for c in table if not c.endswith(("_key", "_values"))]]
    table.attrs.update(attributes)
    return table


def capacity(
    data: Data, target_ops_s: float, *, workload: str | None = None, threads: float | None = None,
    p99_ms: float | None = None, prices: Mapping[str, float] | None = None,
    specs: Mapping[str, tuple[float, float]] | None = None, grades: pd.Series | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Which specs carry a load, the smallest (with prices the cheapest) first.

    Parameters
        data: as for `limits`.
        target_ops_s: the throughput wanted.
        workload: its name, or its mix, such as 50:50; None: each there is.
        threads: client threads; None: the best measured.
        p99_ms: highest 99th percentile allowed; needs data with percentiles: tables, or a name for `read`.
        prices: per hour, by spec.
        specs: cores and RAM (GiB) of specs that were not measured, to be judged by the law.
        grades: of each run, by run_id, where trust.of_runs was asked before; None: it is asked, which takes longest.
    Returns
        The table `capacity` (docs/tables.md): probability (that another server of the spec reaches it), again (that the
        measured one does again), suffices. attrs["answers"] says it in sentences.
    Raises
        DataError: columns are missing or hold what they cannot; tells all mistakes at once.
        FitError: no run of that workload or thread count, or a target that is not a number > 0.
    Examples
        >>> import pandas as pd
        >>> import ycsbook as yb
        >>> df = pd.DataFrame({"cores": [2, 4, 8, 16], "threads": 200, "qps": [9.9e3, 20.3e3, 39.5e3, 81e3]})
        >>> enough = yb.capacity(df, target_ops_s=30_000)
        >>> enough.loc[enough["suffices"], "spec"].tolist()
        ['8c', '16c']
    """
    tables = tables_of(data)
    runs = tables.runs
    with answering():
        capacities = trust.capacity(
            runs, scaling.limits(runs, tables.operations), trust.of_runs(tables) if grades is None else grades,
            qps=target_ops_s, threads=threads, p99_ms=p99_ms, workload=workload, percentiles=tables.percentiles,
            specs=specs, prices=prices,
        )  # fmt: skip
    answered = answers(capacities, target_ops_s, p99_ms, list(specs or {}))
    capacities.attrs["answers"] = [messages.say(answer) for answer in answered]
    return capacities


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
    if own_csv.is_plain(name):
        return own_csv.frame_of_csv(name)
    tables = named_tables.read(name)
    runs = tables.runs.reset_index(drop=True)
    runs = with_means(runs.assign(qps=with_throughput(runs)["y"]), tables.operations)
    filled = [c for c in runs if c not in _MAIN and (runs[c].notna() & (runs[c] != "")).any()]
    return runs[_MAIN + filled]


def tables_of(data: Data, needs: Sequence[str] = ("cores", "threads", QPS)) -> Tables:
    """The tables of a data frame with a row per run, in the frame's order.

    Parameters
        data: the frame; tables stay as they are, and a name is read (named_tables.read).
        needs: columns of `runs` that the frame must have; its missing values may be NaN.
    Raises
        DataError: columns are missing or unclear, or hold what they cannot; tells all mistakes at once.
    """
    if isinstance(data, str | Path):
        data = read(data) if own_csv.is_plain(data) else named_tables.read(data)
    if isinstance(data, Tables):
        return data
    if not isinstance(data, pd.DataFrame):
        raise DataError(f"got {type(data).__name__}, expected a data frame with a row per run, or what read takes")
    return own_data.of_frame(data, needs)


@contextmanager
def answering() -> Iterator[None]:
    """Raise errors that carry facts as sentences; ends of intervals may lie beyond any number."""
    try:
        with np.errstate(over="ignore"):
            yield
    except YcsbookError as e:
        if isinstance(reason := getattr(e, "reason", None), Fact):
            raise FitError(messages.say(reason)) from None
        raise
