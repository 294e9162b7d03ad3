"""The head of a report: the values under its title, then the answer in short and the two figures that show it."""

import re
from collections.abc import Sequence

import pandas as pd

from ycsbook.anomalies import grouped
from ycsbook.messages.formats import number
from ycsbook.plots import style
from ycsbook.report.blocks import FieldValue, Figure, Items, Section, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def facts(rows: ReportRows, findings: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """The few labelled values under the title."""
    text = rows.text
    counted = (("measured", rows.measured), ("published", rows.published), ("left-out", rows.left_out))
    runs = [text(f"opening-{name}", n=len(frame)) for name, frame in counted if len(frame)]
    ways = rows.cores_ways(rows.lang)
    return (
        (text("opening-server"), rows.server),
        *(((text("opening-cores"), rows.joined("commas", ways)),) if ways else ()),
        (text("opening-date"), rows.date),
        (text("opening-specs"), number(rows.points["name"].nunique())),
        (text("opening-runs"), rows.joined("commas", runs) or "0"),
        (text("opening-findings"), number(len(grouped(findings)))),
    )


def fields(rows: ReportRows) -> tuple[tuple[str, FieldValue], ...]:
    """Description, slug, language and, where it is known to the day, the date; then those of the params file, which
    also win over the date.

    A date that is no day is left out: Hugo refuses the page.
    """
    sweep = rows.sweep
    ours: dict[str, FieldValue] = {
        "description": rows.text("report-description", server=rows.server, date=rows.date),
        "slug": sweep.name,
        "lang": sweep.report.lang,
    }
    if days := _DAY.findall(rows.date):
        ours["date"] = days[-1]
    return tuple({**ours, **sweep.report.front_matter}.items())


def section(rows: ReportRows, short: Short, figures: Sequence[Figure]) -> Section:
    """What a reader sees on the first screen: in short, then throughput over cores, and what more threads do."""
    text = rows.text
    if not figures:
        return Section(text("short"), "finding", (Text(text("opening-no-points"), "lead"),))
    blocks = [Text(rows.terms, "note"), Items(short.lines()), *figures]
    if rows.drawn_lang != rows.lang or not all(map(style.shows, rows.points["name"])):
        blocks.append(Text(text("opening-no-font"), "note"))
    return Section(text("short"), "finding", tuple(blocks))
