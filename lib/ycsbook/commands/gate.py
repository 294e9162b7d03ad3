"""`ycsbook compare --fail-if-slower`: the verdict on the terminal, as JUnit XML, as Markdown and as exit code."""

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import typer

from ycsbook import messages, printing, units
from ycsbook.comparing.gate import FASTER, HOLDS, NOT_SHOWN, SLOWER, Gate, gate, row_name
from ycsbook.errors import StoreError
from ycsbook.messages.formats import within
from ycsbook.store import atomic, parquet

if TYPE_CHECKING:
    from ycsbook.tables import Tables

EXIT = {HOLDS: 0, FASTER: 0, SLOWER: 5, NOT_SHOWN: 6}
# So many rows are all looked at.
_FEW = 12


def _share(text: str, option: str, least: float, most: float) -> float:
    try:
        value = units.share(text)
    except ValueError:
        value = -1.0
    if not least <= value <= most:
        raise typer.BadParameter(
            f"got {text!r}, expected a share from {least:.1%} to {most:.1%}, such as 5% or 0.05", param_hint=option
        )
    return value


def _earlier(history: Path | None, base: "Tables", new: "Tables") -> "list[Tables]":
    """The occasions before the new runs, by time, the base among them; StoreError: a history without tables."""
    occasions = [base]
    if history is not None:
        folders = parquet.folders(history)
        if not folders:
            raise StoreError(
                f"{history}: holds no tables, expected a folder for each earlier occasion; make one with 'ycsbook "
                f"ingest LOGS --out {history}/2026-01-31', or copy a report's tables there"
            )
        run_ids = {*base.runs["run_id"], *new.runs["run_id"]}
        occasions += [
            tables for folder in folders if run_ids.isdisjoint((tables := parquet.read(folder)).runs["run_id"])
        ]
    return sorted(occasions, key=lambda tables: tables.runs["started_at"].max())


def judged(
    base: "Tables", new: "Tables", *, limit: str, confidence: str, history: Path | None, every: bool, as_json: bool,
    junit: Path | None, markdown: Path | None,
) -> int:  # fmt: skip
    allowed, sure = _share(limit, "--fail-if-slower", 0.0, 0.9), _share(confidence, "--confidence", 0.5, 0.9999)
    result = gate(_earlier(history, base, new), new, limit=allowed, confidence=sure)
    summary = messages.say(result.summary)
    if junit is not None:
        atomic.write_text(junit, _junit(result))
    if markdown is not None:
        atomic.write_text(markdown, _markdown(result, summary))
    if as_json:
        values = {"verdict": result.verdict, "limit": allowed, "confidence": sure, "occasions": result.occasions}
        printing.print_json({**values, "rows": printing.records(result.rows), "summary": summary})
        return EXIT[result.verdict]
    rows = _rows(result)
    # Of many cells those that are wrong or open, behind all together.
    listed = rows if every or len(rows) <= _FEW else [rows[0], *(row for row in rows[1:] if row[-1] != _word(HOLDS))]
    printing.paragraph(summary, indent="  ")
    print()
    printing.table(_heads(result), listed)
    if len(listed) < len(rows):
        print(messages.text("gate-more", n=len(rows) - len(listed)))
    return EXIT[result.verdict]


def _heads(result: Gate) -> list[str]:
    return ["cell", "new / earlier", f"{result.confidence:.0%} interval", "verdict"]


def _word(verdict: str) -> str:
    return messages.text("gate-word", verdict=verdict)


def _rows(result: Gate) -> list[list[str]]:
    return [
        [
            messages.say(row_name(row)), within(row["ratio"], row["conf_low"], row["conf_high"]),
            printing.interval(row["conf_low"], row["conf_high"]), _word(row["verdict"]),
        ]
        for _, row in result.rows.iterrows()
    ]  # fmt: skip


def _junit(result: Gate) -> str:
    """The verdict as JUnit XML, a test case for each row: failed where it is slower, skipped where nothing is shown."""
    verdicts = list(result.rows["verdict"])
    counts = {"tests": str(len(verdicts)), "failures": str(verdicts.count(SLOWER)), "errors": "0"}
    counts["skipped"] = str(verdicts.count(NOT_SHOWN))
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "ycsbook compare", **counts})
    for row, (name, ratio, interval, word) in zip(result.rows.itertuples(), _rows(result), strict=True):
        case = ElementTree.SubElement(suite, "testcase", {"classname": "ycsbook.throughput", "name": name})
        if row.verdict in (SLOWER, NOT_SHOWN):
            tag = "failure" if row.verdict == SLOWER else "skipped"
            ElementTree.SubElement(case, tag, {"message": f"{word}: {ratio} ({interval})"})
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _markdown(result: Gate, summary: str) -> str:
    lines = ["| " + " | ".join(_heads(result)) + " |", "| --- | ---: | --- | --- |"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in _rows(result)]
    heading = messages.text("gate-heading", verdict=result.verdict, limit=result.limit)
    every = messages.text("gate-every", n=len(result.rows))
    return "\n".join([f"### {heading}", "", summary, "", f"<details><summary>{every}</summary>", "", *lines, "",
                      "</details>", ""])  # fmt: skip
