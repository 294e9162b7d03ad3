"""What the templates of vendors' pages are given: plain texts, numbers and lists, nothing that does anything."""

from collections.abc import Mapping

import pandas as pd

from ycsbook.report.rows import Rows
from ycsbook.report.vendor import command_lines
from ycsbook.report.vendor.measurements import Measurement, mix
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
_NONE = pd.DataFrame({"severity": [], "run_ids": [], "message": []}, dtype=str)


def of(
    rows: Rows,
    measured: list[Measurement],
    environment: Mapping[str, Mapping[str, str]],
    documents: Mapping[str, dict] | None = None,
    findings: pd.DataFrame | None = None,
) -> dict:
    """The variables of a template; docs/publishing.md says what each holds.

    Parameters
        documents: by dataset what its publisher says, as ycsbook.documents reads it.
        findings: rows that an error names are marked.
    """
    sweep, published = rows.sweep, rows.measured.empty
    source = _source(rows, documents or {}) if published else {}
    findings = _NONE if findings is None else findings
    notes = _notes(measured, findings)

    def known(setting: str) -> bool:
        return not published or sweep.basis.get(setting) == "printed"

    planned = str(sweep.write_concern) if known("write_concern") else ""
    concern = next((str(c) for c in rows.fitted["write_concern"] if c), planned)
    sized = all(map(known, ("records", "field_count", "field_length")))
    computed = _size(sweep.records * sweep.field_count * sweep.field_length) if sized else ""
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
        "published": published,
        "data_size": source.get("data", "").removeprefix("约").strip() or computed,
        "throughput": sorted(set(rows.fitted.loc[rows.fitted["y"].notna(), "y_column"])),
        "records": sweep.records if known("records") else "",
        "duration": source.get("duration", ""),
        "duration_s": sweep.min_duration if known("min_duration") else "",
        "repeats": max(m.n for m in measured),
        "write_concern": concern,
        "threads": sorted({m.threads for m in measured}),
        "has_cpu": any(m.printed["cpu"].endswith("%") for m in measured),
        "workloads": _workloads(measured, findings, notes),
        "notes": [{"mark": mark, "text": text} for text, mark in notes.items()],
        "commands": list(command_lines.of(sweep, measured, concern, known, source)),
    }


def _source(rows: Rows, documents: Mapping[str, dict]) -> dict[str, str]:
    """What the source of published rows prints beside them."""
    said = next((documents[name] for name in rows.fitted["dataset"] if name in documents), {})
    return {key: redact(str(value)) for key, value in said.get("environment", {}).items()}


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


def _notes(measured: list[Measurement], findings: pd.DataFrame) -> dict[str, str]:
    """What errors say of the rows they name, in the order of the rows, and the mark of each."""
    said = [(set(ids.split()), text) for ids, text in _errors(findings)]
    texts = dict.fromkeys(text for m in measured for ids, text in said if ids & set(m.run_ids))
    return {text: f"注 {i}" for i, text in enumerate(texts, 1)}


def _errors(findings: pd.DataFrame) -> list[tuple[str, str]]:
    errors = findings[findings["severity"] == "error"]
    return list(errors[["run_ids", "message"]].itertuples(index=False, name=None))


def _workloads(measured: list[Measurement], findings: pd.DataFrame, notes: dict[str, str]) -> list[dict]:
    errors, found = [(set(ids.split()), notes.get(text)) for ids, text in _errors(findings)], []

    def row(m: Measurement) -> dict[str, str]:
        return {**m.printed, "note": "、".join(mark for ids, mark in errors if ids & set(m.run_ids))}

    for name in dict.fromkeys(m.workload for m in measured):
        rows = [m for m in measured if m.workload == name]
        specs = [
            {"label": label, "rows": [row(m) for m in rows if m.label == label]}
            for label in dict.fromkeys(m.label for m in rows)
        ]
        found.append({"name": name, **mix(rows[0].reads), "specs": specs})
    return found
