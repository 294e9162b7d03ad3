"""Rows that were written down wrongly: copies of another row, to the last digit, rows that changed places, wrong
numbers of digits."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import last_place
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import KIND
from ycsbook.facts import fact
from ycsbook.tables import dicts

# A figure of four digits: one of so many, in units of the last place that is printed.
_LONG = 1000
# Rows of two specs at the same threads may agree in one figure by chance, and then in the latency that follows from it.
_OF_OTHER_SPECS = 3
# Where nothing tells the last place.
_UNKNOWN_PLACE = 1e-3


@rule(
    cannot_know="which of the rows is the copy, where throughput x latency / threads of each is like the others'",
    source="Little (1961): N threads have N = X R, so with equal X and R the threads are equal as well",
)
def copied_rows(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """Rows of a workload with equal throughput and mean latencies, to the last digit, and other threads or specs.

    Of two specs at the same threads three figures must have four digits and more, at other threads two. The finding
    is about the row that Little's law contradicts, where it contradicts one.
    """
    keys = [*KIND, "workload", "throughput_ops_s"]
    runs = evidence.runs[(evidence.runs["throughput_ops_s"] > 0) & (evidence.runs["spec"] != "")]
    place = runs.groupby(list(KIND))["throughput_ops_s"].transform(last_place)
    runs = runs.assign(long=_is_long(runs["throughput_ops_s"], place))
    runs = runs[runs.duplicated(keys, keep=False)]
    if runs.empty:
        return
    operations = evidence.tables.operations
    place = operations.groupby("operation")["mean_us"].transform(last_place)
    means = operations.assign(long=_is_long(operations["mean_us"], place))
    means = means[means["run_id"].isin(runs["run_id"]) & means["mean_us"].notna()]
    figures = {
        run_id: frozenset(zip(of["operation"], of["mean_us"], strict=True)) for run_id, of in means.groupby("run_id")
    }
    long = means.groupby("run_id")["long"].sum().to_dict()
    runs = runs.assign(figures=runs["run_id"].map(figures), long=runs["long"] + runs["run_id"].map(long).astype(float))
    for _, rows in runs.dropna(subset="figures").groupby([*keys, "figures"], sort=False):
        same_threads, several = rows["threads"].nunique() < 2, rows["spec"].nunique() > 1
        enough = _OF_OTHER_SPECS - (not same_threads) if several else 0
        cells = rows[rows["long"] >= enough].drop_duplicates(["spec", "threads"])
        if len(cells) > 1 and (several or not same_threads):
            listed = map(names.cell_listed, dicts(cells.sort_values(["cores", "ram_gib", "threads"])))
            message = fact("copied_rows", **names.listed("cells", listed), same_threads=same_threads)
            yield Finding("warning", rows["dataset"].iloc[0], evidence.blamed(tuple(rows["run_id"])), message)


def _is_long(figures: pd.Series, place: pd.Series) -> pd.Series:
    return (figures / place.where(place > 0, _UNKNOWN_PLACE) >= _LONG).astype(float)


@rule(
    budget=0.0001,
    cannot_know="whether the rows were exchanged, or each is wrong by itself; and nothing of one mix at fewer than "
    "three thread counts, where two servers may differ so",
    source="three standard deviations of two single runs at the assumed noise do not fit, two do; no such pair in "
    "simulated clean sweeps, peaks, falling ladders and runs that stall among them",
)
def swapped_rows(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """Two rows of a mix, of two specs at the same threads or of one spec, that both miss their neighbours by more than
    single runs do, and would both fit them if they were exchanged; or all rows of two specs, or a repeat of two
    configurations, each far from the others of its own and near those of the other."""
    for pairs in evidence.exchanged_specs:
        first, second = (evidence.cells.loc[[*labels]] for labels in zip(*pairs, strict=True))
        run_ids = tuple(r for ids in (*first["run_ids"], *second["run_ids"]) for r in ids)
        yield Finding(
            "warning", first["dataset"].iloc[0], run_ids,
            fact("swapped_rows-specs", n=len(pairs), first=names.spec(first.iloc[0]),
                 second=names.spec(second.iloc[0])),
            effect=float(np.expm1(second["log_y"].mean() - first["log_y"].mean())), cause="swapped",
        )  # fmt: skip
    cells = evidence.cells.assign(y=np.exp(evidence.cells["log_y"]))
    # A repeat of either configuration.
    runs = evidence.levels.assign(run_ids=[(run_id,) for run_id in evidence.levels["run_id"]])
    of_runs = [runs.loc[[at, other]] for at, other in runs["partner"].items() if other > at]
    for pair in (*(cells.loc[[*labels]] for labels in evidence.swapped), *of_runs):
        first, second = dicts(pair.sort_values(["cores", "ram_gib", "threads"]))
        yield Finding(
            "warning", first["dataset"], (*first["run_ids"], *second["run_ids"]),
            fact("swapped_rows", first=names.cell(first), second=names.cell(second), first_ops=first["y"],
                 second_ops=second["y"]),
            effect=float(pair["y"].min() / pair["y"].max() - 1), cause="swapped", advice=fact("copied_rows-advice"),
        )  # fmt: skip


@rule(
    cannot_know="whether a digit is wrong or a run stalled; two neighbours that are wrong alike fit each other",
    source="the next thread counts and servers bound a row, which is a factor of two beyond them all, and within them "
    "once divided by 10, 100 or 1000",
)
def wrong_digits(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """A written row without latencies that is off all its neighbours, other thread counts and smaller and larger
    servers, by about a power of ten, or all rows of a spec off the servers beside it: a warning."""
    for at, power in evidence.wrong_digits.items():
        row = evidence.cells.loc[at]
        yield Finding(
            "warning", row["dataset"], row["run_ids"],
            fact("wrong_digits", cell=names.cell(row), ops=np.exp(row["log_y"]), power=power,
                 fits=np.exp(row["log_y"]) / 10.0**power),
            effect=10.0**power - 1, cause="digits",
        )  # fmt: skip
