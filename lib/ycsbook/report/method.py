"""How it was done and on what: method, settings, environment, provenance."""

import pandas as pd

from ycsbook.report import numbers
from ycsbook.report.blocks import Block, Column, Section, Table, Text
from ycsbook.report.rows import Rows
from ycsbook.secrets import redact
from ycsbook.verdicts import ADVICE, CORES_ENFORCED_BY, HOST_SPEED_TOLERANCE, Warn

# Groups of the environment that say what was done and to what, not on what.
PROVENANCE = ("Made with", "Commands", "Inputs", "Versions", "Tables", "Code")
_SETTINGS = (
    "records", "field_count", "field_length", "operations", "min_duration", "repeats", "threads", "write_concern",
    "read_preference", "upsert", "batch_size", "target_ops_s", "max_failed", "java_options", "seed",
)  # fmt: skip


def method(rows: Rows) -> Section:
    """The closed loop, the laws, how they are fitted, and the settings of the sweep."""
    t = rows.t
    blocks: list[Block] = [
        Text(t["method_closed"]),
        Text(t["method_laws"]),
        Text(t["laws"], "formula"),
        Text(t["method_fits"]),
        Text(t["method_ram"]),
        Section(t["settings"], "settings", (_settings(rows),)),
    ]
    return Section(t["method"], "method", tuple(blocks))


def environment(rows: Rows, groups: dict[str, dict[str, str]]) -> Section:
    """Machine, server and client, as tables of names and values."""
    shown = {name: values for name, values in groups.items() if name not in PROVENANCE and values}
    return Section(rows.t["environment"], "environment", tuple(_groups(rows, shown, "environment")))


def provenance(rows: Rows, groups: dict[str, dict[str, str]]) -> Section:
    """Source, commands without secrets, hashes, how cores were enforced, the host's speed, both throughput figures."""
    t = rows.t
    blocks: list[Block] = []
    source = rows.sweep.source
    if source:
        words = {key: f", {getattr(source, key)}" if getattr(source, key) else "" for key in _SOURCE_KEYS}
        blocks.append(Text(t["source"].format(title=source.title, **words)))
    shown = {name: values for name, values in groups.items() if name in PROVENANCE and values}
    blocks += _groups(rows, shown, "provenance")
    blocks += [part for part in (_cores(rows), _speed(rows), _warnings(rows), _both(rows)) if part]
    return Section(t["provenance"], "provenance", tuple(blocks))


_SOURCE_KEYS = ("publisher", "date", "document")


def _groups(rows: Rows, groups: dict[str, dict[str, str]], anchor: str) -> list[Section]:
    sections = []
    for i, (name, values) in enumerate(groups.items(), 1):
        if name == "Commands":
            body = tuple(
                block for key, value in values.items() for block in (Text(f"{key}:"), Text(redact(str(value)), "code"))
            )
        else:
            # Of the server ycsbook itself says how; all else are names, versions and what publishers say.
            told = rows.said if name == "Server" else str
            named = [(rows.said(str(k)), redact(told(str(v))) or numbers.MISSING) for k, v in values.items()]
            frame = pd.DataFrame(named, columns=["name", "value"])
            body = (Table(frame, (Column("name", rows.t["name"]), Column("value", rows.t["value"]))),)
        sections.append(Section(rows.said(name), f"{anchor}-{i}", body))
    return sections


def _settings(rows: Rows) -> Table:
    t, sweep = rows.t, rows.sweep
    records = []
    for name in _SETTINGS:
        value = getattr(sweep, name)
        if value is not None and value != ():
            text = ", ".join(str(v) for v in value) if isinstance(value, tuple) else _setting(name, value)
            records.append({"name": name, "value": redact(text), "basis": sweep.basis.get(name, "")})
    columns = [Column("name", t["setting"]), Column("value", t["value"])]
    if sweep.basis:
        columns.append(Column("basis", t["basis"], rows.said))
    return Table(pd.DataFrame(records), tuple(columns))


def _setting(name: str, value: object) -> str:
    if name == "min_duration":
        return f"{value:g} s"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value)


def _cores(rows: Rows) -> Section | None:
    t, runs = rows.t, rows.measured
    ways = runs.loc[runs["cores_enforced_by"] != "", "cores_enforced_by"].value_counts()
    if ways.empty:
        return None
    lines = [
        t["cores_by_none"].format(n=n)
        if way == "none"
        else t["cores_by_way"].format(way=rows.said(CORES_ENFORCED_BY.get(way, way)), n=n)
        for way, n in sorted(ways.items())
    ]
    return Section(t["cores_by"], "cores", (Text(t["gap"].join(lines)),))


def _speed(rows: Rows) -> Section | None:
    t, speeds = rows.t, rows.measured["host_speed"].dropna()
    if speeds.empty:
        return None
    moved = int(((speeds - 1).abs() > HOST_SPEED_TOLERANCE).sum())
    words = {"low": numbers.share(speeds.min()), "high": numbers.share(speeds.max()), "n": len(speeds), "moved": moved}
    text = t["host_changed" if moved else "host_steady"].format(**words)
    return Section(t["host_speed"], "host-speed", (Text(text),))


def _warnings(rows: Rows) -> Section | None:
    t = rows.t
    counts = rows.points["warnings"].str.split().explode().dropna().value_counts()
    if counts.empty:
        return None
    known = {str(w) for w in Warn}
    frame = pd.DataFrame(
        [
            {"name": w, "n": n, "advice": rows.said(ADVICE[Warn(w)]) if w in known else ""}
            for w, n in sorted(counts.items())
        ]
    )
    columns = (
        Column("name", t["warnings"]),
        Column("n", t["fact_runs"], numbers.count, "right"),
        Column("advice", t["what_to_do"].rstrip(":：")),
    )
    return Section(t["warnings_section"], "warnings", (Table(frame, columns),))


def _both(rows: Rows) -> Section | None:
    t = rows.t
    runs = rows.measured[rows.measured["steady_ops_s"].notna()]
    if runs.empty:
        return None
    frame = runs.assign(ratio=runs["throughput_ops_s"] / runs["steady_ops_s"])
    columns = (
        Column("label", t["spec"]),
        Column("workload", t["workload"]),
        Column("threads", t["threads"], numbers.count, "right"),
        Column("repeat", t["repeat"], numbers.count, "right"),
        Column("throughput_ops_s", t["whole"], numbers.whole, "right"),
        Column("steady_ops_s", t["steady"], numbers.whole, "right"),
        Column("warmup_s", t["warmup"], numbers.plain, "right"),
        Column("ratio", t["ratio"], numbers.share, "right"),
    )
    ordered = frame.sort_values(["cores", "ram_gib", "label", "workload", "threads", "repeat"])
    table = Table(ordered, columns, group="label")
    return Section(t["both_figures"], "both-figures", (Text(t["both_note"], "note"), table))
