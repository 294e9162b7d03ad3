"""The figures of a vendor's page: one mean per spec, mix and number of threads, as they are printed."""

from dataclasses import dataclass
from math import isnan, nan

import pandas as pd

from ycsbook.errors import PublishError
from ycsbook.ingest.log.labels import shape
from ycsbook.messages.formats import DASH
from ycsbook.report.rows import ReportRows

# What a page of this shape has no place for: it holds one value of each.
_ONE_EACH = ("write_concern", "target_ops_s", "clients")
# Measured shares of CPU time exceed 100 % a little where the two clocks were read a moment apart.
_MOST_CPU = 1.05


@dataclass(frozen=True)
class Measurement:
    """One row of a page. Throughput in ops/s, latencies in us, CPU and reads 0 to 1; NaN: not known; n repeats,
    run_ids those of them."""

    label: str
    cores: float
    ram_gib: float
    workload: str
    reads: float
    threads: int
    qps: float
    ral_us: float
    wal_us: float
    cpu: float
    n: int
    run_ids: tuple[str, ...] = ()

    @property
    def printed(self) -> dict[str, str]:
        """The row's figures as the page prints them."""
        return {
            "threads": str(self.threads), "qps": rate(self.qps), "ral": latency(self.ral_us),
            "wal": latency(self.wal_us), "cpu": percent(self.cpu),
        }  # fmt: skip


def measurements(rows: ReportRows) -> list[Measurement]:
    """The rows of a page in the order of its tables; the smallest spec first.

    Raises
        PublishError: no figures, runs that differ in a setting a page has one value of, two workloads of one mix, or
            specs without cores and RAM.
    """
    points = rows.fitted
    points = points[points["y"].notna() & points["threads"].notna()]
    if points.empty:
        raise PublishError(f"{rows.sweep.name}: there is no run with a throughput, so there is nothing to publish")
    _check_settings(rows, points)
    reads = _reads(rows, points)
    keys = ["workload", "cores", "ram_gib", "label", "threads"]
    found = [_measurement(key, reads[key[0]], group) for key, group in points.groupby(keys, dropna=False, sort=True)]
    order = {name: i for i, name in enumerate(rows.workloads)}
    return sorted(found, key=lambda m: (order[m.workload], m.cores, m.ram_gib, m.label, m.threads))


def rate(ops_s: float) -> str:
    """Throughput as vendors print it: whole operations per second."""
    return DASH if isnan(ops_s) else f"{ops_s:.0f}"


def latency(us: float) -> str:
    """A mean latency: whole microseconds, decimals only where little would be left without."""
    return DASH if isnan(us) else f"{us:.0f}" if us >= 10 else f"{us:.2f}"


def percent(cpu: float) -> str:
    """A share of CPU time, at most 100 %."""
    return DASH if isnan(cpu) or cpu > _MOST_CPU else f"{min(cpu, 1) * 100:.0f}%"


def mix(share: float) -> dict[str, str]:
    """Reads and writes as parts of a hundred, which is how pages head their tables: 50 and 50, 99.5 and 0.5."""
    reads = round(share * 100, 6)
    return {"reads": f"{reads:.9g}", "writes": f"{round(100 - reads, 6):.9g}"}


def _check_settings(rows: ReportRows, points: pd.DataFrame) -> None:
    if rows.sweep.vary:
        varied = ", ".join(rows.sweep.vary)
        raise PublishError(
            f"{rows.sweep.name}: varies {varied}, which a vendor's page cannot; publish the report alone"
        )
    for name in _ONE_EACH:
        values = sorted({str(v) for v in points[name].dropna() if v != ""})
        if len(values) > 1:
            raise PublishError(
                f"{rows.sweep.name}: the runs have {name} {' and '.join(values)}, a vendor's page holds one; "
                "publish the report alone"
            )


def _reads(rows: ReportRows, points: pd.DataFrame) -> dict[str, float]:
    """Each workload's share of reads: as planned, else as published. Of what a log counted only the plan is exact."""
    planned = {w.name: w.read for w in rows.sweep.workloads}
    shares = points.groupby("workload")["read_fraction"].mean()
    reads = {name: planned.get(name, float(shares[name])) for name in rows.workloads if name in shares.index}
    seen: dict[float, str] = {}
    for name, share in reads.items():
        if isnan(share):
            raise PublishError(f"workload {name}: its mix is not known, and a vendor's page is headed by it")
        other = seen.setdefault(round(share, 6), name)
        if other != name:
            raise PublishError(
                f"workloads {other} and {name} both read {share:.0%}: a vendor's page tells them apart by their mix; "
                "publish the report alone"
            )
    return reads


def _measurement(key: tuple, reads: float, group: pd.DataFrame) -> Measurement:
    workload, cores, ram, label, threads = key
    if isnan(cores) or isnan(ram):
        raise PublishError(f"spec {label}: its cores or RAM are not known, and a vendor's page names both")
    figures = {name: _mean(group[name]) for name in ("y", "ral_us", "wal_us", "cpu_utilisation")}
    return Measurement(
        label=_label(label, cores, ram), cores=float(cores), ram_gib=float(ram), workload=workload, reads=reads,
        threads=int(threads), qps=figures["y"], ral_us=figures["ral_us"], wal_us=figures["wal_us"],
        cpu=figures["cpu_utilisation"], n=len(group), run_ids=tuple(group["run_id"]),
    )  # fmt: skip


def _mean(values: pd.Series) -> float:
    known = values.dropna()
    return nan if known.empty else float(known.mean())


def _label(label: str, cores: float, ram: float) -> str:
    """The spec as its vendor spells it, where that says cores and RAM; else both in the same manner."""
    said = shape(label)
    if said and (said.cores, said.ram_gib) == (cores, ram):
        return label
    return f"{cores:g}核{ram:g}GB"
