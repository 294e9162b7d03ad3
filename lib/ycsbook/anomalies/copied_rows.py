"""Rows of one server that have the figures of another thread count, to the last digit."""

from collections.abc import Iterator

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.points import KIND


@rule(
    cannot_know="which of the rows is the copy: the one whose throughput x latency / threads is unlike the others'",
    source="Little (1961): N threads have N = X R, so with equal X and R the threads are equal as well",
)
def copied_rows(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """Rows of a spec and workload with equal throughput and mean latencies, to the last digit, and other threads."""
    keys = [*KIND, "workload", "spec", "throughput_ops_s"]
    runs = evidence.runs[(evidence.runs["throughput_ops_s"] > 0) & (evidence.runs["spec"] != "")]
    runs = runs[runs.duplicated(keys, keep=False)]
    operations = evidence.tables.operations
    means = operations[operations["run_id"].isin(runs["run_id"]) & operations["mean_us"].notna()]
    figures = {
        run_id: frozenset(zip(of["operation"], of["mean_us"], strict=True)) for run_id, of in means.groupby("run_id")
    }
    runs = runs.assign(figures=runs["run_id"].map(figures)).dropna(subset="figures")
    for _, rows in runs.groupby([*keys, "figures"], sort=False):
        if rows["threads"].nunique() > 1:
            cells = map(names.cell_listed, rows.drop_duplicates("threads").sort_values("threads").to_dict("records"))
            message = fact("copied_rows", **names.listed("cells", cells))
            yield Finding("warning", rows["dataset"].iloc[0], tuple(rows["run_id"]), message)
