"""The throughput of tables that print none, but how many operations there were and how long all of them took."""

import re
from collections.abc import Sequence
from math import isnan, nan

from ycsbook.ingest.published.page_cells import RowError, figure
from ycsbook.ingest.published.page_headings import LATENCY_UNITS, QPS, TOOK, column, plain

_DONE = re.compile(r"(?:total_|number_of_)?(?:operations|requests)(?:_count)?|total_ops|(?:操作|请求)总?[数量]")


def rated(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with its throughput in ops/s in place of both columns, where no column has one. Ops beside a run time may
    be a rate or a count, and is read as neither.

    Examples
        >>> rated([("Threads", "Operations", "Duration"), ("8", "9000", "5 s")])
        [('Threads', 'QPS'), ('8', '1800')]
    """
    names = [*map(plain, rows[0])] if rows else []
    # time_ms may be that of one operation.
    done, took = ([n for n in names if n != "time_ms" and form.fullmatch(n)] for form in (_DONE, TOOK))
    rates = [text for text in rows[0] if (c := column(text)) and c[0] in (QPS, "tps")] if took else []
    if rates in (["Ops"], ["ops"]):
        return [tuple("Ops, a rate or a count" if text in rates else text for text in rows[0]), *rows[1:]]
    if len(done) != 1 or len(took) != 1 or rates:
        return list(rows)
    (n, s), rates = (names.index(*done), names.index(*took)), ["QPS"]
    for row in rows[1:]:
        try:
            us = figure("latency_us", row[s], LATENCY_UNITS.get(names[s].rpartition("_")[2], nan))
            rate = figure("failed_operations", row[n], 1.0) * 1e6 / (us or nan)
        except (RowError, IndexError):
            return list(rows)
        rates.append("" if isnan(rate) else f"{rate:.10g}")
    others = (tuple(cell for at, cell in enumerate(row) if at not in (n, s)) for row in rows)
    return [(*cells, rate) for cells, rate in zip(others, rates, strict=True)]
