"""How it was done and on what: method, settings, environment, provenance; and what is in no figure."""

from collections.abc import Sequence

import pandas as pd

from ycsbook import messages
from ycsbook.messages.formats import DASH, fixed, number, significant
from ycsbook.names import natural
from ycsbook.report.blocks import Block, Column, Section, Table, Text, letters
from ycsbook.report.rows import ReportRows
from ycsbook.secrets import redact
from ycsbook.verdicts import HOST_SPEED_TOLERANCE, Warn

# Groups of the environment that say what was done and to what, not on what.
PROVENANCE = ("Made with", "Commands", "Inputs", "Versions", "Tables", "Code")
_SETTINGS = (
    "records", "field_count", "field_length", "operations", "min_duration", "repeats", "threads", "write_concern",
    "read_preference", "upsert", "batch_size", "target_ops_s", "max_failed", "java_options", "seed",
)  # fmt: skip
_LAWS = {
    "linear": "X(p) = λ p",
    "power": "X(p) = λ pᵃ",
    "amdahl": "X(p) = λ p / (1 + σ (p − 1))",
    "usl": "X(p) = λ p / (1 + σ (p − 1) + κ p (p − 1))",
}
# Room for the names of the laws before their formulas, in Latin letters.
_NAME = 9


def method(rows: ReportRows) -> Section:
    text = rows.text
    blocks: list[Block] = [Text(text("method-closed"))]
    if rows.points["cores"].nunique() > 1:
        names = {law: text("method-law-name", law=law) for law in _LAWS}
        formulas = [name + " " * (_NAME - letters(name)) + _LAWS[law] for law, name in names.items()]
        blocks += [
            Text(text("method-laws")),
            Text("\n".join(formulas), "formula"),
            Text(text("method-fits")),
            Text(text("method-ram", local=len(rows.measured) > 0)),
        ]
    if rows.sweep.planned:
        blocks.append(Section(text("method-settings"), "settings", (_settings(rows),)))
    return Section(text("method"), "method", tuple(blocks))


def environment(rows: ReportRows, groups: dict[str, dict[str, str]]) -> Section | None:
    """Machine, server and client, as tables of names and values; None where nothing is known."""
    sections = _groups(rows, {name: groups[name] for name in groups if name not in PROVENANCE}, "environment")
    return Section(rows.text("method-environment"), "environment", tuple(sections)) if sections else None


def provenance(rows: ReportRows, groups: dict[str, dict[str, str]]) -> Section | None:
    """Source, commands without secrets, hashes, how cores were enforced, the host's speed, both throughput figures."""
    blocks: list[Block] = []
    if source := rows.sweep.source:
        parts = filter(None, (source.title, source.publisher, source.date, source.document))
        blocks.append(Text(rows.text("method-source", parts=", ".join(map(str, parts)))))
    blocks += _groups(rows, {name: groups[name] for name in groups if name in PROVENANCE}, "provenance")
    text, runs = rows.text, rows.measured
    if ways := sorted(runs.loc[runs["cores_enforced_by"] != "", "cores_enforced_by"].value_counts().items()):
        lines = [text("method-cores", way=way, n=n) for way, n in ways]
        blocks.append(Section(text("method-cores-by"), "cores", (Text(rows.joined("sentences", lines)),)))
    if len(speeds := runs["host_speed"].dropna()):
        moved = int(((speeds - 1).abs() > HOST_SPEED_TOLERANCE).sum())
        sentence = text("method-host", low=speeds.min(), high=speeds.max(), n=len(speeds), moved=moved)
        blocks.append(Section(text("method-host-speed"), "host-speed", (Text(sentence),)))
    blocks += filter(None, (_warnings(rows), _both(rows)))
    return Section(text("method-provenance"), "provenance", tuple(blocks)) if blocks else None


def rejected(rows: ReportRows, inputs: Sequence[tuple[str, str]] = ()) -> Section:
    """The runs left out and why, and the files that could not be read: each with its line where known, and why."""
    text = rows.text
    blocks: list[Block] = []
    if not rows.left_out.empty:
        names = {"run_id": "run", "outcome": "outcome", "stop_reason": "stop-reason", "warnings": "warnings",
                 "source": "source"}  # fmt: skip
        columns = tuple(Column(column, text(f"column-{name}")) for column, name in names.items())
        blocks += [Text(text("rejected-note"), "note"), Table(rows.left_out, columns)]
    if inputs:
        frame = pd.DataFrame([{"place": redact(place), "reason": redact(why)} for place, why in inputs])
        columns = (Column("place", text("column-place")), Column("reason", text("column-stop-reason")))
        note = Text(text("rejected-inputs-note", n=len(inputs)), "note")
        blocks.append(Section(text("rejected-inputs"), "rejected-inputs", (note, Table(frame, columns))))
    return Section(text("rejected"), "rejected", tuple(blocks) or (Text(text("rejected-none")),))


def _groups(rows: ReportRows, groups: dict[str, dict[str, str]], anchor: str) -> list[Section]:
    sections = []
    for i, (name, values) in enumerate(((name, values) for name, values in groups.items() if values), 1):
        if name == "Commands":
            body = [of for key, v in values.items() for of in (Text(f"{key}:"), Text(redact(str(v)), "code"))]
        else:
            records = [(_named(rows, str(k)), redact(_value(rows, name, k, str(v))) or DASH) for k, v in values.items()]
            frame = pd.DataFrame(records, columns=["name", "value"])
            columns = (Column("name", rows.text("column-name")), Column("value", rows.text("column-value")))
            body = (Table(frame, columns),)
        sections.append(Section(_named(rows, name), f"{anchor}-{i}", tuple(body)))
    return sections


def _named(rows: ReportRows, name: str) -> str:
    return messages.named("environment", name, rows.lang)


def _value(rows: ReportRows, group: str, name: str, value: str) -> str:
    """A value of environment.json: of the server what ycsbook says in its own words, all else as it stands there."""
    if group != "Server":
        return value
    ways = rows.cores_ways(rows.lang) if name == "cores of a spec" else []
    return rows.joined("commas", ways) if ways else _named(rows, value)


def _settings(rows: ReportRows) -> Table:
    text, sweep = rows.text, rows.sweep
    mixes = [f"{name}: {rows.workload_title(name)}" for name in rows.workloads]
    records = [{"name": "workloads", "value": rows.joined("clauses", mixes), "basis": sweep.basis.get("workloads", "")}]
    for name in _SETTINGS:
        value = getattr(sweep, name)
        if value is not None and value != ():
            shown_value = ", ".join(str(v) for v in value) if isinstance(value, tuple) else _setting(name, value)
            records.append({"name": name, "value": redact(shown_value), "basis": sweep.basis.get(name, "")})
    columns = [Column("name", text("column-setting")), Column("value", text("column-value"))]
    if sweep.basis:
        columns.append(Column("basis", text("column-basis"), lambda basis: basis and text("method-basis", basis=basis)))
    return Table(pd.DataFrame(records), tuple(columns))


def _setting(name: str, value: object) -> str:
    if name == "min_duration":
        return f"{value:g} s"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value)


def _warnings(rows: ReportRows) -> Section | None:
    text, counts = rows.text, rows.points["warnings"].str.split().explode().dropna().value_counts()
    if counts.empty:
        return None
    advice = {str(warning): rows.say(warning.advice) for warning in Warn}
    frame = pd.DataFrame([{"name": w, "n": n, "advice": advice.get(w, "")} for w, n in sorted(counts.items())])
    columns = (
        Column("name", text("column-warnings")),
        Column("n", text("column-runs"), number, "right"),
        Column("advice", text("column-what-to-do")),
    )
    return Section(text("method-warnings"), "warnings", (Table(frame, columns),))


def _both(rows: ReportRows) -> Section | None:
    text, runs = rows.text, rows.measured[rows.measured["steady_ops_s"].notna()]
    if runs.empty:
        return None
    frame = runs.assign(ratio=runs["throughput_ops_s"] / runs["steady_ops_s"])
    columns = (
        Column("name", text("column-spec")),
        Column("workload", text("column-workload"), lambda workload: rows.say(rows.mix(workload))),
        Column("threads", text("column-threads"), number, "right"),
        Column("repeat", text("column-repeat"), number, "right"),
        Column("throughput_ops_s", text("column-whole"), fixed, "right"),
        Column("steady_ops_s", text("column-steady"), fixed, "right"),
        Column("warmup_s", text("column-warmup"), significant, "right"),
        Column("ratio", text("column-ratio"), rows.percent, "right"),
    )
    ordered = frame.sort_values(["cores", "ram_gib", "name", "workload", "threads", "repeat"], key=natural)
    note = Text(text("method-both-note"), "note")
    return Section(text("method-both"), "both-figures", (note, Table(ordered, columns, group="name")))
