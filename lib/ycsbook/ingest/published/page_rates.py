"""The throughput of tables that print none, but how many operations there were and how long all of them took."""

import re
from collections.abc import Sequence
from math import isnan, nan

from ycsbook.ingest.published.page_cells import RowError, figure
from ycsbook.ingest.published.page_headings import LATENCY_UNITS, QPS, column

# Ops alone may be a rate, and Time (ms) that of one operation.
_DONE = re.compile(
    r"(?:total |number of |# ?)?(?:operations|requests)(?: count)?|total ops|(?:操作|请求)总?[数量]", re.I
)
_TOOK = re.compile(
    r"(?:(?:total|run|elapsed)[ -]?time|(?:test |run )?duration|elapsed|总?耗时|用时)(?:\s?[(\[](\w+)[)\]])?"
    r"|(?:time\s?[(\[]|(?=seconds))(s|secs?|seconds)[)\]]?",
    re.I,
)


def rated(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with its throughput in ops/s in place of both columns, where no column has one. Ops beside a run time may
    be a rate or a count, and is read as neither.

    Examples
        >>> rated([("Threads", "Operations", "Duration"), ("8", "9000", "5 s")])
        [('Threads', 'QPS'), ('8', '1800')]
    """
    headings = rows[0] if rows else ()
    done, took = ([at for at, text in enumerate(headings) if form.fullmatch(text)] for form in (_DONE, _TOOK))
    rates = [text for text in headings if (c := column(text)) and c[0] in (QPS, "tps")]
    if took and len(rates) == 1 and rates[0] in ("Ops", "ops"):
        return [tuple("Ops, a rate or a count" if text == rates[0] else text for text in headings), *rows[1:]]
    if len(done) != 1 or len(took) != 1 or rates:
        return list(rows)
    unit, made = next(filter(None, _TOOK.fullmatch(headings[took[0]]).groups()), ""), ["QPS"]
    for row in rows[1:]:
        try:
            us = figure("latency_us", row[took[0]], LATENCY_UNITS.get(unit.lower(), nan))
            rate = figure("failed_operations", row[done[0]], 1.0) * 1e6 / (us or nan)
        except (RowError, IndexError):
            return list(rows)
        made.append("" if isnan(rate) else f"{rate:.10g}")
    others = (tuple(cell for at, cell in enumerate(row) if at not in (*done, *took)) for row in rows)
    return [(*cells, rate) for cells, rate in zip(others, made, strict=True)]
