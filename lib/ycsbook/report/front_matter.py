"""The fields at the head of a report's Markdown page."""

import re

from ycsbook.report.blocks import FieldValue
from ycsbook.report.rows import Rows

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def fields(rows: Rows) -> tuple[tuple[str, FieldValue], ...]:
    """Description, slug, language and, where it is known to the day, the date; then those of the params file, which
    also win over the date.

    A date that is no day is left out: Hugo refuses the page.
    """
    sweep = rows.sweep
    ours: dict[str, FieldValue] = {
        "description": rows.t["colon"].join([rows.t["kicker"], rows.t["list_comma"].join([rows.server, rows.date])]),
        "slug": sweep.name,
        "lang": sweep.report.lang,
    }
    if days := _DAY.findall(rows.date):
        ours["date"] = days[-1]
    return tuple({**ours, **sweep.report.front_matter}.items())
