"""The atlas: every published YCSB table of this repository on one page, in groups of rows that may be compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import isnan, nan
from pathlib import Path

import numpy as np
import pandas as pd

from ycsbook import anomalies, documents, messages, names, paths, trust
from ycsbook.ingest.published.published import read_published
from ycsbook.messages.formats import change
from ycsbook.report import markdown
from ycsbook.tables import dicts

PAGE = "atlas.md"
# YCSB's record where a page prints no other size: 10 fields of 100 bytes, in GiB.
_RECORD_GIB = 1000 / 2**30
# WiredTiger's cache is by default about half of the memory: data of this share of it are read from memory.
_CACHE_SHARE = 0.5
# A mix that is named by its share of reads alone.
_BY_SHARE = re.compile(r"r\d+")
_GROUP = ["mix", "acknowledged", "in_ram", "throttled"]
_GB, _RECORDS = re.compile(r"(\d+)\s?GB"), re.compile(r"\brecordcount=(\d+)")
_SEVERITIES = ("error", "warning", "notice", "note")
_UNKNOWN = "?"


@dataclass(frozen=True)
class Entry:
    """A published table: its sidecar; its runs with mean read latency (us), grade, data (GiB) and the group that each
    may be compared within; and the findings about them."""

    name: str
    sidecar: dict
    runs: pd.DataFrame
    findings: pd.DataFrame


def entries(folder: Path = paths.PUBLISHED) -> list[Entry]:
    """The YCSB tables of a folder, by name; RunLogError: one or its sidecar is unreadable, or they do not match."""
    entries = documents.within(folder)
    return [_entry(folder / f"{name}.csv", name, d) for name, d in sorted(entries.items()) if "spec" in d["columns"]]


def page(entries: list[Entry], lang: str = "en") -> str:
    text = partial(messages.text, lang=lang)
    runs = pd.concat([e.runs for e in entries], ignore_index=True)
    parts = [f"# {text('atlas-title')}", text("atlas-intro"), f"## {text('atlas-settings')}", _settings(entries, text)]
    parts += [f"## {text('atlas-groups')}", text("atlas-why")]
    for key, group in runs.groupby(_GROUP, sort=True):
        parts += [f"### {_heading(key, text)}", _group(group, text)]
    parts += [f"## {text('atlas-publishers')}", "\n".join(_publishers(entries, lang))]
    return "\n\n".join([*parts, text("atlas-follows")]) + "\n"


def _entry(path: Path, name: str, sidecar: dict) -> Entry:
    tables = read_published(path)
    findings = anomalies.find(tables, documents={name: sidecar})
    runs, reads = tables.runs, tables.operations.query("operation == 'READ'").set_index("run_id")["mean_us"]
    # The one number of records in the commands that a page prints.
    counts = {int(count) for text in sidecar["environment"].values() for count in _RECORDS.findall(text)}
    runs = runs.assign(records=runs["records"].fillna(float(counts.pop()) if len(counts) == 1 else nan))
    # What a page prints as 10GB it means as a rough size.
    size = _GB.search(sidecar["environment"].get("data", ""))
    printed = sidecar.get("data_gib") or (float(size[1]) if size else None)
    runs = runs.assign(
        read_us=runs["run_id"].map(reads),
        grade=runs["run_id"].map(trust.grades(runs, findings)),
        data_gib=printed or runs["records"] * _RECORD_GIB,
        mix=_mixes(runs),
        acknowledged=np.select(
            [runs["read_fraction"] == 1, runs["write_concern"] == "0", runs["write_concern"] != ""],
            ["no-writes", "no", "yes"],
            "unknown",
        ),
        throttled=np.where(runs["target_ops_s"] > 0, "yes", "no"),
    )
    fits = runs["data_gib"] <= _CACHE_SHARE * runs["ram_gib"]
    unknown = runs["data_gib"].isna() | runs["ram_gib"].isna()
    return Entry(name, sidecar, runs.assign(in_ram=np.select([unknown, fits], ["unknown", "yes"], "no")), findings)


def _mixes(runs: pd.DataFrame) -> list[str]:
    """A mix by its letter where it reads and updates as YCSB's, else by its name and shares; `load` for the load."""
    usual = {names.mix_name(share): share for share in (0.5, 0.95, 1.0)}
    cells = runs[["phase", "workload", "read_fraction"]].itertuples(index=False)
    return [
        "load" if p == "load" else w if usual.get(w) == f else f"{w} {f * 100:.0f}:{(1 - f) * 100:.0f}"
        for p, w, f in cells
    ]


def _heading(key: tuple, text: partial) -> str:
    mix, acknowledged, in_ram, throttled = key
    throttle = [text("atlas-throttled")] if throttled == "yes" else []
    acks, ram = text("atlas-acknowledged", state=acknowledged), text("atlas-in-ram", state=in_ram)
    name, _, shares = mix.partition(" ")
    reads, _, writes = shares.partition(":")
    title = text("atlas-mix", mix=mix, name=None if _BY_SHARE.fullmatch(name) else name, reads=reads, rest=writes)
    return "; ".join([markdown.escape(title), acks, ram, *throttle])


def _group(group: pd.DataFrame, text: partial) -> str:
    heads = ("table", "highest", "at", "grade", "per-core", "latency", "threads-effect", "trust")
    rows = []
    for name, runs in group.groupby("dataset"):
        sound = runs[~runs["grade"].isin(trust.DOUBTFUL)]
        measured = runs[runs["throughput_ops_s"] > 0]
        best = measured.loc[measured["throughput_ops_s"].idxmax()] if len(measured) else runs.iloc[0]
        threads = _UNKNOWN if isnan(best["threads"]) else f"{best['threads']:.0f}"
        trusted = ", ".join(f"{n} {grade}" for grade, n in sorted(runs["grade"].value_counts().items()))
        rows.append([
            name, _count(best["throughput_ops_s"]), f"{best['spec_label']}, {text('atlas-threads', n=threads)}",
            best["grade"], _count((sound["throughput_ops_s"] / sound["cores"]).max()),
            _figure(sound["read_us"].min() / 1000), _thread_effect(sound), trusted,
        ])  # fmt: skip
    return markdown.table([text(f"atlas-{head}") for head in heads], (map(markdown.cell, cells) for cells in rows))


def _thread_effect(runs: pd.DataFrame) -> str:
    """The median over specs of what the most threads bring over the fewest, of specs with several thread counts."""
    rows = runs[(runs["throughput_ops_s"] > 0) & (runs["threads"] > 0)].sort_values("threads")
    ends = rows.groupby("spec").agg(
        low=("throughput_ops_s", "first"), high=("throughput_ops_s", "last"),
        least=("threads", "first"), most=("threads", "last"),
    )  # fmt: skip
    ends = ends[ends["most"] > ends["least"]]
    if ends.empty:
        return _UNKNOWN
    effect = change((ends["high"] / ends["low"] - 1).median())
    return f"{ends['least'].min():.0f} → {ends['most'].max():.0f}: {effect}"


def _settings(entries: list[Entry], text: partial) -> str:
    heads = ("table", "server", "topology", "concern", "records", "data", "ram", "threads-heading", "clients", "rtt")
    columns = ("records", "data_gib", "ram_gib", "threads", "clients")
    rows = []
    for entry in entries:
        facts, spans = entry.sidecar["facts"], {c: _span(entry.runs[c]) for c in columns}
        rows.append([
            entry.name, facts.get("server_version", _UNKNOWN), facts.get("topology", _UNKNOWN),
            facts.get("write_concern", _UNKNOWN), *spans.values(), _figure(facts.get("rtt_us", nan) / 1000),
        ])  # fmt: skip
    return markdown.table([text(f"atlas-{head}") for head in heads], (map(markdown.cell, cells) for cells in rows))


def _publishers(entries: list[Entry], lang: str) -> Iterator[str]:
    for publisher in sorted({e.sidecar["publisher"] for e in entries}):
        tables = [e for e in entries if e.sidecar["publisher"] == publisher]
        findings = pd.concat([e.findings for e in tables], ignore_index=True)
        gravest = findings.assign(rank=findings["severity"].map(_SEVERITIES.index)).sort_values("rank", kind="stable")
        worst = [messages.say(messages.fact_of(row, "message"), lang) for row in dicts(gravest.head(1))]
        sentence = markdown.cell((worst or [messages.text("atlas-nothing", lang)])[0])
        rows = pd.concat([e.runs for e in tables])
        if (rows["grade"] == trust.GRADES[-1]).all():
            sentence = f"{sentence}. {messages.text('atlas-all-impossible', lang, n=len(rows))}"
        sources = ", ".join(_source(e) for e in tables)
        yield f"- **{markdown.cell(publisher)}**: {sentence} ({sources})"


def _source(entry: Entry) -> str:
    document = entry.sidecar["document"]
    name = markdown.cell(entry.name)
    return f"[{name}]({document})" if document.startswith("https://") else name


def _span(values: pd.Series) -> str:
    """The range of the known values; `?` where there are none, and after the range where some are unknown."""
    stated = values.dropna()
    if stated.empty:
        return _UNKNOWN
    low, high = _figure(stated.min()), _figure(stated.max())
    return (low if low == high else f"{low} to {high}") + ("" if len(stated) == len(values) else f" ({_UNKNOWN})")


def _count(value: float) -> str:
    return _UNKNOWN if isnan(value) else f"{value:,.0f}"


def _figure(value: float) -> str:
    if isnan(value):
        return _UNKNOWN
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
