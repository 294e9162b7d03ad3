"""The atlas: every published YCSB table of this repository on one page, in groups of rows that may be compared.

Its picture is SVG written by hand, with text as text and both colour schemes inside: it stands in a page as a file,
which no style of the page reaches, and no font and no version of a plotting library may change its bytes.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from math import isnan, nan
from pathlib import Path

import numpy as np
import pandas as pd

from ycsbook import anomalies, documents, messages, names, paths, trust
from ycsbook.ingest.published.published import read_published
from ycsbook.messages.formats import change
from ycsbook.plots import style
from ycsbook.report import markdown
from ycsbook.tables import dicts

PAGE, PICTURE = "atlas.md", "atlas.svg"
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
WIDTH = 860
_NAMES, _ROW, _HEADING, _TOP, _EDGE = 14, 17, 25, 62, 14
# Left end and width of the two panels.
_PANELS = ((190, 330), (570, 230))
_STEPS = (1.0, 2.0, 5.0)
_ROOM = 46  # for the figure beside a point
_COLOURS = {"ink": style.INK, "muted": style.MUTED, "grid": style.GRID, "paper": style.PAPER, "point": style.BLUE}


@dataclass(frozen=True)
class AtlasRow:
    """A table in a group: least and most ops/s per core, and the lowest mean read latency in ms; NaN: not known."""

    name: str
    least_per_core: float
    most_per_core: float
    latency_ms: float


class _Scale:
    """A logarithmic axis from a panel's left end to its right; its ticks are 1, 2 and 5 of each power of ten."""

    def __init__(self, panel: tuple[int, int], values: Sequence[float]):
        self.left, width = panel
        logs = [math.log10(v) for v in values if v > 0] or [0.0]
        self._low, high = min(logs) - 0.05, max(logs) + 0.05
        self._unit = (width - _ROOM) / (high - self._low)
        powers = range(math.floor(self._low), math.ceil(high) + 1)
        ticks = [step * 10.0**power for power in powers for step in _STEPS]
        self.ticks = [tick for tick in ticks if self._low <= math.log10(tick) <= high]

    def at(self, value: float) -> float:
        return self.left + (math.log10(value) - self._low) * self._unit


def _picture_row(row: AtlasRow, y: float, scales: tuple[_Scale, _Scale], is_said: bool) -> Iterator[str]:
    per_core, latency = scales
    if row.most_per_core > 0:
        low, high = per_core.at(row.least_per_core), per_core.at(row.most_per_core)
        yield f'<path d="M{low:.1f} {y}H{high:.1f}" class="range"/>'
        yield _point(high, y, is_said) + _text(high + 8, y + 4, _figure(row.most_per_core), "v")
    if row.latency_ms > 0:
        x = latency.at(row.latency_ms)
        yield _point(x, y, is_said) + _text(x + 8, y + 4, _figure(row.latency_ms), "v")


def _point(x: float, y: float, is_said: bool) -> str:
    return f'<circle cx="{x:.1f}" cy="{y}" r="4" class="{"full" if is_said else "open"}"/>'


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" class="{kind}">{escape(words)}</text>'


def _css() -> str:
    """The colours as variables, set anew where the reader's scheme is dark."""
    light, dark = (
        ";".join(f"--{name}:{partner[colour]}" for name, colour in _COLOURS.items())
        for partner in ({colour: colour for colour in _COLOURS.values()}, style.DARK)
    )
    return (
        f"svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"
        "text{font:12px system-ui,sans-serif;fill:var(--ink)}.b{font-weight:600;font-size:15px}.h{font-weight:600}"
        ".m,.v{fill:var(--muted);font-size:11px}.paper{fill:var(--paper)}.band{fill:var(--grid);fill-opacity:.35}"
        ".grid{stroke:var(--grid)}.range{stroke:var(--point);stroke-width:2;stroke-opacity:.5}"
        ".full{fill:var(--point)}.open{fill:var(--paper)}.full,.open{stroke:var(--point);stroke-width:1.8}"
    )


@dataclass(frozen=True)
class Entry:
    """A published table: its sidecar; its runs with mean read latency (us), grade, data (GiB) and the group that each
    may be compared within; and the findings about them."""

    name: str
    sidecar: dict
    runs: pd.DataFrame
    findings: pd.DataFrame


def entries(folder: Path = paths.PUBLISHED) -> list[Entry]:
    """The YCSB tables of a folder, by name; tables of another kind are left out. Raises RunLogError where one or its
    sidecar is unreadable, or it is not the table that the sidecar is of."""
    entries = documents.within(folder)
    return [_entry(folder / f"{name}.csv", name, d) for name, d in sorted(entries.items()) if "spec" in d["columns"]]


def files(entries: list[Entry], lang: str = "en") -> dict[str, str]:
    """The page and its picture, by the names of their files."""
    return {PAGE: page(entries, lang), PICTURE: picture(entries, lang)}


def picture(entries: list[Entry], lang: str = "en") -> str:
    """Throughput per core and lowest read latency of every table as SVG, in the groups of the page, which say whether
    their pages tell all that decides it; without rows that were throttled or are in doubt."""
    text = partial(messages.text, lang=lang)
    runs = pd.concat([e.runs for e in entries], ignore_index=True)
    free = runs[runs["throttled"] == "no"]
    groups = [
        (_heading(key, text), "unknown" not in key, rows)
        for key, group in free.groupby(_GROUP, sort=True)
        if (rows := [row for name, _, sound in _tables(group) if (row := _figures(name, sound)) is not None])
    ]
    scales = (
        _Scale(_PANELS[0], [v for _, _, rows in groups for r in rows for v in (r.least_per_core, r.most_per_core)]),
        _Scale(_PANELS[1], [r.latency_ms for _, _, rows in groups for r in rows]),
    )
    bottom = _TOP + sum(_HEADING + _ROW * len(rows) for _, _, rows in groups) + 4 * _ROW + _EDGE
    parts = [_text(_NAMES, 22, text("atlas-picture"), "b")]
    for scale, name in zip(scales, ("atlas-per-core", "atlas-latency"), strict=True):
        parts.append(_text(scale.left, 42, text(name), "m"))
        for tick in scale.ticks:
            x = scale.at(tick)
            parts.append(f'<path d="M{x:.1f} {_TOP}V{bottom - 4 * _ROW}" class="grid"/>')
            parts.append(f'<text x="{x:.1f}" y="{_TOP - 4}" class="m" text-anchor="middle">{_figure(tick)}</text>')
    y = _TOP
    for heading, is_said, rows in groups:
        y += _HEADING
        if len(rows) > 1:
            height = _ROW * len(rows) + 19
            parts.append(f'<rect x="6" y="{y - 15}" width="{WIDTH - 12}" height="{height}" rx="4" class="band"/>')
        parts.append(_text(_NAMES, y - 3, heading, "h"))
        for row in rows:
            y += _ROW
            parts += [_text(_NAMES + 8, y - 4, row.name, "n"), *_picture_row(row, y - 8, scales, is_said)]
    y += _ROW + 8
    for is_said, name in ((True, "atlas-picture-said"), (False, "atlas-picture-unsaid")):
        parts += [_point(_NAMES + 5, y - 4, is_said), _text(_NAMES + 18, y, text(name), "m")]
        y += _ROW
    drawn_names = {row.name for _, _, rows in groups for row in rows}
    if without := [entry.name for entry in entries if entry.name not in drawn_names]:
        parts.append(_text(_NAMES, y, text("atlas-picture-without", tables=", ".join(without)), "m"))
    title = f"<title>{escape(text('atlas-picture-alt'))}</title>"
    size = f'width="{WIDTH}" height="{bottom}" viewBox="0 0 {WIDTH} {bottom}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{title}<style>{_css()}</style>'
    return "\n".join([head, '<rect width="100%" height="100%" class="paper"/>', *parts, "</svg>"]) + "\n"


def _figures(name: str, sound: pd.DataFrame) -> AtlasRow | None:
    per_core = sound["throughput_ops_s"] / sound["cores"]
    row = AtlasRow(name, per_core.min(), per_core.max(), sound["read_us"].min() / 1000)
    return row if row.most_per_core > 0 or row.latency_ms > 0 else None


def _tables(group: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    for name, runs in group.groupby("dataset"):
        yield name, runs, runs[~runs["grade"].isin(trust.DOUBTFUL)]


def page(entries: list[Entry], lang: str = "en") -> str:
    """The Markdown page of the tables: their settings, their figures group by group, and a sentence per publisher."""
    text = partial(messages.text, lang=lang)
    runs = pd.concat([e.runs for e in entries], ignore_index=True)
    parts = [f"# {text('atlas-title')}", text("atlas-intro"), f"## {text('atlas-settings')}", _settings(entries, text)]
    parts += [f"## {text('atlas-groups')}", text("atlas-why"), f"![{text('atlas-picture-alt')}]({PICTURE})"]
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
    for name, runs, sound in _tables(group):
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
