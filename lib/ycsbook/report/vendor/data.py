"""What the templates of vendors' pages are given: plain texts, numbers and lists, nothing that does anything."""

from collections.abc import Iterable, Mapping

from ycsbook.params.sweep import Sweep, Workload
from ycsbook.params.workloads import STANDARD
from ycsbook.report.rows import Rows
from ycsbook.report.vendor.measurements import Measurement
from ycsbook.secrets import redact

# What a page says of the machines: from which facts of a report's environment, published or measured.
_FACTS = {
    "client": (("Published source", "client"), ("Load generator", "YCSB"), ("Load generator", "MongoDB driver"),
               ("Load generator", "Java")),
    "machine": (("Published source", "server_machine"), ("Machine", "CPU"), ("Machine", "cores"),
                ("Machine", "memory (GiB)"), ("Machine", "system")),
    "cores": (("Server", "cores of a spec"),),
    "cache": (("Server", "WiredTiger cache"),),
}  # fmt: skip
_TOLD = {"YCSB": "YCSB {}", "MongoDB driver": "MongoDB driver {}", "Java": "Java {}", "cores": "{} cores",
         "memory (GiB)": "{} GiB RAM"}  # fmt: skip
_URL = "mongodb://<mongodb_user_name>:<mongodb_user_password>@<mongodb_ip>:<mongodb_port>/ycsb?authSource=admin"
_USUAL = {"field_count": 10, "field_length": 100, "batch_size": 1, "table": "usertable"}
_PROPERTIES = {"field_count": "fieldcount", "field_length": "fieldlength", "batch_size": "mongodb.batchsize",
               "table": "table"}  # fmt: skip


def of(rows: Rows, measured: list[Measurement], environment: Mapping[str, Mapping[str, str]]) -> dict:
    """The variables of a template; docs/publishing.md says what each holds."""
    sweep = rows.sweep
    concern = next((str(c) for c in rows.fitted["write_concern"] if c), str(sweep.write_concern))
    return {
        "title": sweep.title or sweep.name,
        "slug": sweep.name,
        "lang": sweep.report.lang,
        "date": _date(rows),
        "server": _server(rows),
        "topology": sweep.server.topology,
        "publisher": sweep.source.publisher if sweep.source else "",
        "storage": sorted({spec.storage for spec in sweep.specs if spec.storage}),
        "front_matter": {key: list(v) if isinstance(v, tuple) else v for key, v in sweep.report.front_matter.items()},
        "environment": _environment(environment),
        "data_size": _size(sweep.records * sweep.field_count * sweep.field_length),
        "throughput": sorted(set(rows.fitted.loc[rows.fitted["y"].notna(), "y_column"])),
        "records": sweep.records,
        "duration_s": sweep.min_duration,
        "repeats": max(m.n for m in measured),
        "write_concern": concern,
        "threads": sorted({m.threads for m in measured}),
        "has_cpu": any(m.printed["cpu"].endswith("%") for m in measured),
        "workloads": _workloads(measured),
        "commands": list(_commands(sweep, measured, concern)),
    }


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.3g} MB"


def _date(rows: Rows) -> str:
    """The days it was measured on, or what the source says; empty where neither does."""
    days = sorted({s[:10] for s in rows.fitted["started_at"] if s})
    if days:
        return days[0] if days[0] == days[-1] else f"{days[0]} – {days[-1]}"
    return rows.sweep.source.date if rows.sweep.source else ""


def _server(rows: Rows) -> str:
    versions = sorted({v for v in rows.fitted["server_version"] if v}) or [rows.sweep.server.version]
    return f"MongoDB {'、'.join(versions)}".strip()


def _environment(groups: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """What is known of client and server, a text each; empty where nothing is."""
    return {
        name: ", ".join(
            _TOLD.get(fact, "{}").format(value)
            for group, fact in facts
            if (value := redact(str(groups.get(group, {}).get(fact, ""))))
        )
        for name, facts in _FACTS.items()
    }


def _workloads(measured: list[Measurement]) -> list[dict]:
    found = []
    for name in dict.fromkeys(m.workload for m in measured):
        rows = [m for m in measured if m.workload == name]
        specs = [
            {"label": label, "rows": [m.printed for m in rows if m.label == label]}
            for label in dict.fromkeys(m.label for m in rows)
        ]
        found.append({"name": name, **_mix(rows[0].reads), "specs": specs})
    return found


def _mix(share: float) -> dict[str, str]:
    """Reads and writes as parts of a hundred, which is how pages head their tables: 50 and 50, 99.5 and 0.5."""
    reads = round(share * 100, 6)
    return {"reads": f"{reads:.9g}", "writes": f"{round(100 - reads, 6):.9g}"}


def _commands(sweep: Sweep, measured: list[Measurement], concern: str) -> Iterable[dict]:
    """The load, then a run for each workload and number of threads, with blanks where an address would stand."""
    first = measured[0].workload
    yield {
        "phase": "load", "workload": first, **_mix(measured[0].reads), "threads": sweep.load_threads,
        "text": _command(sweep, "load", concern, first, sweep.load_threads),
    }  # fmt: skip
    for name in dict.fromkeys(m.workload for m in measured):
        reads = next(m.reads for m in measured if m.workload == name)
        for threads in sorted({m.threads for m in measured if m.workload == name}):
            yield {
                "phase": "run", "workload": name, **_mix(reads), "threads": threads,
                "text": _command(sweep, "run", concern, name, threads),
            }  # fmt: skip


def _command(sweep: Sweep, phase: str, concern: str, name: str, threads: int) -> str:
    parts = [f"./bin/ycsb.sh {phase} mongodb -s -P workloads/workload{name if name in STANDARD else 'a'}"]
    parts.append(f"-p mongodb.url='{_URL}&w={concern}'")
    parts.append(f"-p recordcount={sweep.records}")
    for setting, usual in _USUAL.items():
        if getattr(sweep, setting) != usual:
            parts.append(f"-p {_PROPERTIES[setting]}={getattr(sweep, setting)}")
    if phase == "run":
        parts += _run_options(sweep, next((w for w in sweep.workloads if w.name == name), None))
    return " ".join([*parts, f"-threads {threads} >{phase}log.txt"])


def _run_options(sweep: Sweep, workload: Workload | None) -> list[str]:
    options = []
    if workload is not None and (workload.name not in STANDARD or _differs(workload)):
        shares = ("read", "update", "insert", "scan", "readmodifywrite")
        options += [f"-p {share}proportion={getattr(workload, share):g}" for share in shares]
        options.append(f"-p requestdistribution={workload.distribution}")
    if sweep.upsert:
        options.append("-p mongodb.upsert=true")
    if sweep.read_preference != "primary":
        options.append(f"-p mongodb.readPreference={sweep.read_preference}")
    if sweep.target_ops_s:
        options.append(f"-target {sweep.target_ops_s:g}")
    if sweep.operations:
        options.append(f"-p operationcount={sweep.operations}")
    else:
        options.append(f"-p operationcount=2147483647 -p maxexecutiontime={sweep.min_duration:.0f}")
    return options


def _differs(workload: Workload) -> bool:
    return workload != Workload.model_validate({"name": workload.name, **STANDARD[workload.name]})
