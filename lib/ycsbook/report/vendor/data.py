"""The variables of the templates of vendors' pages: plain texts, numbers and lists, nothing that does anything. The
commands are of measured runs the real ones, of published rows no more than their source says."""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isnan

import pandas as pd

from ycsbook.errors import PublishError
from ycsbook.ingest.log.labels import shape
from ycsbook.messages import named, text
from ycsbook.messages.formats import DASH, gathered
from ycsbook.params.experiments import STANDARD
from ycsbook.params.sections import Workload
from ycsbook.params.sweep import Sweep
from ycsbook.report.rows import ReportRows
from ycsbook.secrets import redact
from ycsbook.units import US_PER_MS, at_most

# What a page says of the machines: from which facts of a report's environment, published or measured.
_FACTS = {
    "client": (("Published source", "client"), ("Load generator", "YCSB"), ("Load generator", "MongoDB driver"),
               ("Load generator", "Java")),
    "machine": (("Published source", "server_machine"), ("Machine", "CPU"), ("Machine", "cores"),
                ("Machine", "memory (GiB)"), ("Machine", "system")),
    "cores": (("Server", "cores of a spec"),),
    "cache": (("Server", "WiredTiger cache"),),
}  # fmt: skip
# What the message vendor-part calls them; the others are told as they stand.
_PARTS = {"YCSB": "ycsb", "MongoDB driver": "driver", "Java": "java", "cores": "cores", "memory (GiB)": "memory"}
_URL = "mongodb://<mongodb_user_name>:<mongodb_user_password>@<mongodb_ip>:<mongodb_port>/ycsb?authSource=admin"
_USUAL = {"field_count": 10, "field_length": 100, "batch_size": 1, "table": "usertable"}
_PROPERTIES = {"field_count": "fieldcount", "field_length": "fieldlength", "batch_size": "mongodb.batchsize",
               "table": "table"}  # fmt: skip
_MONTH = re.compile(r"(\d{4})-(\d{2})")
# What every command needs: a blank where nothing is known of a source's own.
_RECORDS, _OPERATIONS = "-p recordcount=<recordcount>", "-p operationcount=<operationcount>"

# Measured shares of CPU time exceed 100 % a little where the two clocks were read a moment apart.
_MOST_CPU = 1.05


@dataclass(frozen=True)
class Measurement:
    """A row of a page: ops/s, latencies in us, CPU and reads 0 to 1, NaN: not known; n repeats."""

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

    @property
    def printed(self) -> dict[str, str]:
        """The row's figures as the page prints them: whole operations per second; whole microseconds, decimals only
        where little would be left without; of CPU time at most 100 %."""
        ral, wal = (
            DASH if isnan(us) else f"{us:.0f}" if us >= 10 else f"{us:.2f}" for us in (self.ral_us, self.wal_us)
        )
        cpu = DASH if isnan(self.cpu) or self.cpu > _MOST_CPU else f"{min(self.cpu, 1) * 100:.0f}%"
        qps = DASH if isnan(self.qps) else f"{self.qps:.0f}"
        return {"threads": str(self.threads), "qps": qps, "ral": ral, "wal": wal, "cpu": cpu}


def of(
    rows: ReportRows,
    measured: list[Measurement],
    environment: Mapping[str, Mapping[str, str]],
    documents: Mapping[str, dict],
) -> dict:
    """The variables of a template, as docs/publishing.md says; `documents`: by dataset what its publisher says."""
    sweep, published = rows.sweep, rows.measured.empty
    source = _source(rows, documents) if published else {}

    def is_known(setting: str) -> bool:
        return not published or sweep.basis.get(setting) == "printed"

    planned = str(sweep.write_concern) if is_known("write_concern") else ""
    concern = next((str(c) for c in rows.fitted["write_concern"] if c), planned)
    versions = sorted({v for v in rows.fitted["server_version"] if v}) or [sweep.server.version]
    rtt_us = rows.fitted["rtt_us"].mean()
    sized = all(map(is_known, ("records", "field_count", "field_length")))
    n_bytes = sweep.records * sweep.field_count * sweep.field_length
    computed = f"{at_most(n_bytes / 1e9, 3)} GB" if n_bytes >= 1e9 else f"{at_most(n_bytes / 1e6, 3)} MB"
    return {
        "title": (sweep.source.title if source and sweep.source else "") or sweep.title or sweep.name,
        "slug": sweep.name,
        "lang": sweep.report.lang,
        "date": _date(rows),
        "server": source.get("server") or f"MongoDB {'、'.join(versions)}".strip(),
        "source": source,
        "topology": sweep.server.topology,
        "publisher": sweep.source.publisher if sweep.source else "",
        "storage": sorted({spec.storage for spec in sweep.specs if spec.storage}),
        "front_matter": {key: list(v) if isinstance(v, tuple) else v for key, v in sweep.report.front_matter.items()},
        "environment": _environment(rows, environment, "en"),
        "published": published,
        "data_size": source.get("data", "").removeprefix("约").strip() or (computed if sized else ""),
        "throughput": sorted(set(rows.fitted.loc[rows.fitted["y"].notna(), "y_column"])),
        "records": sweep.records if is_known("records") else "",
        "duration": source.get("duration", ""),
        "rtt_ms": "" if isnan(rtt_us) else at_most(rtt_us / US_PER_MS, 3),
        "duration_s": sweep.min_duration if is_known("min_duration") else "",
        "repeats": max(m.n for m in measured),
        "write_concern": concern,
        "threads": sorted({m.threads for m in measured}),
        "has_cpu": any(m.printed["cpu"].endswith("%") for m in measured),
        "workloads": _workloads(measured),
        "commands": list(_commands(sweep, measured, concern, is_known, source)),
    }


def _source(rows: ReportRows, documents: Mapping[str, dict]) -> dict[str, str]:
    document = next((documents[name] for name in rows.fitted["dataset"] if name in documents), {})
    return {key: redact(str(value)) for key, value in document.get("environment", {}).items()}


def _date(rows: ReportRows) -> str:
    """The days it was measured on, or what the source says; empty where neither does."""
    days = sorted({s[:10] for s in rows.fitted["started_at"] if s})
    if days:
        return days[0] if days[0] == days[-1] else f"{days[0]} – {days[-1]}"
    printed = rows.sweep.source.date if rows.sweep.source else ""
    return _MONTH.sub(lambda month: f"{month[1]}年{int(month[2])}月", printed)


def in_chinese(rows: ReportRows, groups: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    english, chinese = (_environment(rows, groups, lang) for lang in ("en", "zh"))
    return {english[name]: chinese[name] for name in english}


def _environment(rows: ReportRows, groups: Mapping[str, Mapping[str, str]], lang: str) -> dict[str, str]:

    def parts(name: str) -> Iterable[str]:
        for group, fact in _FACTS[name]:
            value = redact(str(groups.get(group, {}).get(fact, "")))
            if value and name == "cores" and (ways := rows.cores_ways(lang)):
                yield from ways
            elif value:
                named_value = named("environment", value, lang) if group == "Server" else value
                yield text("vendor-part", lang, part=_PARTS.get(fact, ""), value=named_value)

    joint = text("list-commas", lang, rest="", last="")
    return {name: joint.join(parts(name)) for name in _FACTS}


def _workloads(measured: list[Measurement]) -> list[dict]:
    workloads = []
    for name, of in gathered((m.workload, m) for m in measured).items():
        rows_by_label = gathered((m.label, m.printed) for m in of)
        specs = [{"label": label, "rows": rows} for label, rows in rows_by_label.items()]
        workloads.append({"name": name, **mix(of[0].reads), "specs": specs})
    return workloads


def _commands(
    sweep: Sweep, measured: list[Measurement], concern: str, is_known: Callable[[str], bool], source: Mapping[str, str]
) -> Iterable[dict]:
    """The load, then a run for each workload and number of threads, with blanks where an address would stand.
    `is_known`: whether a setting was measured with, or is printed by the source; others are left out, or blanks.
    `source`: what it prints, by the keys of a sidecar's environment: its own load_options and run_options are taken as
    they are, with the row's mix and threads put in."""
    first, version = measured[0], source.get("ycsb", "")
    java = f"JAVA_OPTS={shlex.quote(' '.join(sweep.java_options))} " if is_known("java_options") else ""
    program = f"{java if sweep.java_options else ''}./bin/ycsb.sh"
    if re.fullmatch(r"[\w.-]{1,60}", version):
        program = f"./{version}/bin/ycsb"

    def line(phase: str, name: str, reads: float, threads: int) -> dict:
        printed = " ".join(redact(source.get(f"{phase}_options", "")).replace("`", "").split())
        sweep_options = " ".join(_options(sweep, phase, name, threads, is_known))
        options = _filled(printed, phase, reads, threads) if printed else sweep_options
        base = name if name in STANDARD and "readproportion=" not in options else "a"
        if "writeConcern=" in options or not concern:
            url = _URL
        else:
            url = _URL.replace("/ycsb?authSource=admin", f"/admin?w={concern}") if printed else f"{_URL}&w={concern}"
        url = url if printed else f"'{url}'"
        folder = "./workloads" if printed and not source.get("ycsb") else "workloads"
        text = f"{program} {phase} mongodb -s -P {folder}/workload{base}"
        return {
            "phase": phase, "workload": name, **mix(reads),
            "threads": threads if phase == "run" or is_known("load_threads") else "",
            "text": f"{text} -p mongodb.url={url} {options} >{phase}log.txt",
        }  # fmt: skip

    yield line("load", first.workload, first.reads, sweep.load_threads)
    for name, of in gathered((m.workload, m) for m in measured).items():
        for threads in sorted({m.threads for m in of}):
            yield line("run", name, of[0].reads, threads)


def _filled(printed: str, phase: str, reads: float, threads: int) -> str:
    """A source's own options, which stand for all its rows, for one of them; nothing is added."""
    if phase == "run":
        shares = {"-threads ": threads, "readproportion=": f"{reads:g}", "updateproportion=": f"{1 - reads:.9g}"}
        for option, value in shares.items():
            printed = re.sub(rf"(?<![\w.]){option}\S+", f"{option}{value}", printed)
    return printed


def _options(sweep: Sweep, phase: str, name: str, threads: int, is_known: Callable[[str], bool]) -> Iterable[str]:
    yield f"-p recordcount={sweep.records}" if is_known("records") else _RECORDS
    for setting, usual in _USUAL.items():
        if is_known(setting) and getattr(sweep, setting) != usual:
            yield f"-p {_PROPERTIES[setting]}={getattr(sweep, setting)}"
    if phase == "run":
        yield from _run_options(sweep, next((w for w in sweep.workloads if w.name == name), None), is_known)
    if phase == "run" or is_known("load_threads"):
        yield f"-threads {threads}"


def _run_options(sweep: Sweep, workload: Workload | None, is_known: Callable[[str], bool]) -> Iterable[str]:
    usual = STANDARD.get(workload.name) if workload else None
    if workload and (not usual or workload != Workload.model_validate({"name": workload.name, **usual})):
        shares = ("read", "update", "insert", "scan", "readmodifywrite")
        yield from (f"-p {share}proportion={getattr(workload, share):g}" for share in shares)
        yield f"-p requestdistribution={workload.distribution}"
    if sweep.upsert and is_known("upsert"):
        yield "-p mongodb.upsert=true"
    if sweep.read_preference != "primary" and is_known("read_preference"):
        yield f"-p mongodb.readPreference={sweep.read_preference}"
    if sweep.target_ops_s and is_known("target_ops_s"):
        yield f"-target {sweep.target_ops_s:g}"
    if not is_known("operations"):
        yield _OPERATIONS
    elif sweep.operations:
        yield f"-p operationcount={sweep.operations}"
    elif is_known("min_duration"):
        yield f"-p operationcount=2147483647 -p maxexecutiontime={sweep.min_duration:.0f}"


# What a page of this shape has no place for: it holds one value of each.
_ONE_EACH = ("write_concern", "target_ops_s", "clients")


def measurements(rows: ReportRows) -> list[Measurement]:
    """The rows of a page in the order of its tables; the smallest spec first. PublishError: no figures, runs that
    differ in a setting a page has one value of, two workloads of one mix, or specs without cores and RAM."""
    points = rows.fitted
    points = points[points["y"].notna() & points["threads"].notna()]
    if points.empty:
        raise PublishError(f"{rows.sweep.name}: there is no run with a throughput, so there is nothing to publish")
    _check_settings(rows, points)
    reads = _reads(rows, points)
    groups = points.groupby(["workload", "cores", "ram_gib", "label", "threads"], dropna=False, sort=True)
    measurements = []
    for (workload, cores, ram, label, threads), group in groups:
        if isnan(cores) or isnan(ram):
            raise PublishError(f"spec {label}: its cores or RAM are not known, and a vendor's page names both")
        means = group[["y", "ral_us", "wal_us", "cpu_utilisation"]].mean()
        measurements.append(Measurement(
            label=_label(label, cores, ram), cores=float(cores), ram_gib=float(ram), workload=workload,
            reads=reads[workload], threads=int(threads), qps=means["y"], ral_us=means["ral_us"],
            wal_us=means["wal_us"], cpu=means["cpu_utilisation"], n=len(group),
        ))  # fmt: skip
    order = {name: i for i, name in enumerate(rows.workloads)}
    return sorted(measurements, key=lambda m: (order[m.workload], m.cores, m.ram_gib, m.label, m.threads))


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
    name_by_share: dict[float, str] = {}
    for name, share in reads.items():
        if isnan(share):
            raise PublishError(f"workload {name}: its mix is not known, and a vendor's page is headed by it")
        other = name_by_share.setdefault(round(share, 6), name)
        if other != name:
            raise PublishError(
                f"workloads {other} and {name} both read {share:.0%}: a vendor's page tells them apart by their mix; "
                "publish the report alone"
            )
    return reads


def _label(label: str, cores: float, ram: float) -> str:
    """The spec as its vendor spells it, where that says cores and RAM; else both in the same manner."""
    spec = shape(label)
    if spec and (spec.cores, spec.ram_gib) == (cores, ram):
        return label
    return f"{cores:g}核{ram:g}GB"
