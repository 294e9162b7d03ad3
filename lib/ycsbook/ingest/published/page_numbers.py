"""The figures in the cells of vendors' tables: 9,069, 60 078, 12.5k, 2.4万, 1.2 ms, 74%.

What could be read in two ways is refused: ~1200, 1200*, 1.2 ms / 900 us, 1,5.
"""

import re
from decimal import Decimal
from math import isnan, nan

BLANK = frozenset({"", "?", "-", "--", "–", "—", "/", "n/a", "na", "nan", "none", "null", "无"})

_LATENCY = {
    **dict.fromkeys(("ns", "纳秒"), Decimal("0.001")),
    **dict.fromkeys(("us", "μs", "微秒"), Decimal(1)),
    **dict.fromkeys(("ms", "毫秒"), Decimal(1000)),
    **dict.fromkeys(("s", "sec", "秒"), Decimal(1_000_000)),
}
_TIMES = {"k": 1000, "K": 1000, "M": 1_000_000, "万": 10_000, "w": 10_000, "W": 10_000}
# One blank groups thousands; line breaks inside a cell, which part several values, are kept as such by page_tables.
_FIGURE = re.compile(
    r"(?P<number>(?:[1-9]\d{0,2}(?:(?:,\d{3}){1,4}|(?P<blanks>(?: \d{3}){1,4}))|\d{1,15})(?:\.\d{1,9})?)"
    r" ?(?P<suffix>[^\d\s.,+~-][^\d\n]{0,19})?",
    re.ASCII,
)
_RATE = re.compile(
    r"(?P<times>[kKwWM万])?(?P<unit>(?:op|ops|qps|OPS|QPS|Ops|[Oo]perations|[Rr]equests)(?:/s|/sec|/second|/秒)?|/s|/sec|次/秒|次/s)?"
)
_PLAIN = re.compile(r"\d{1,15}(?:\.\d{1,9})?|\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,9})?", re.ASCII)
_THREADS = frozenset({"", "个", "线程", "并发", "threads", "thread"})


def figure(name: str, cell: str, scale: float, *, strict: bool = False) -> float:
    """A cell's figure in the unit of its column: ops/s, us, 0 to 1, a count. NaN where the cell is blank.

    A unit in the cell goes before the heading's. A throughput headed in thousands has cells in thousands or none that
    say otherwise.

    Parameters
        name: throughput_ops_s, ral_us, wal_us, cpu_utilisation or threads.
        scale: the factor of the heading's unit; NaN: unknown, so a number without a unit of its own is missing.
        strict: plain numbers only, in the heading's unit.
    Raises
        ValueError: no such figure; says what was expected.
    Examples
        >>> figure("throughput_ops_s", "2.4万", 1.0), figure("ral_us", "1.2 ms", 1.0), figure("wal_us", "0.9", 1000.0)
        (24000.0, 1200.0, 900.0)
    """
    if cell.lower() in BLANK:
        return nan
    match = _FIGURE.fullmatch(cell)
    percent = name == "cpu_utilisation"
    if not match or (strict and not _PLAIN.fullmatch(cell.removesuffix("%").rstrip() if percent else cell)):
        raise ValueError("expected a number")
    number = Decimal(re.sub(r"[, ]", "", match["number"]))
    suffix = re.sub(r"\s", "", match["suffix"] or "")
    if percent:
        return _share(number, suffix, scale)
    if name == "threads":
        if match["blanks"] or suffix.lower() not in _THREADS:
            raise ValueError("expected a whole number from 1")
        return float(number)
    factor = _rate(suffix, scale) if name == "throughput_ops_s" else _latency(suffix, scale)
    return nan if factor is None else float(number * factor)


def _share(number: Decimal, suffix: str, scale: float) -> float:
    if suffix not in ("", "%") or (not suffix and scale == 1.0):
        raise ValueError("expected a percentage such as 74%")
    if number > 100:
        raise ValueError("expected 0 to 100 %")
    return float(number / 100)


def _rate(suffix: str, scale: float) -> Decimal | None:
    """The factor to ops/s; None where neither cell nor heading says it."""
    match = _RATE.fullmatch(suffix)
    if not match:
        raise ValueError("expected a number, in ops/s where there is a unit")
    times = Decimal(_TIMES.get(match["times"] or "", 1))
    if isnan(scale):
        return times if match["unit"] else None
    if not suffix:
        return Decimal(scale)
    if scale not in (1.0, float(times)):
        raise ValueError(f"expected a number in the heading's unit, {scale:,.0f} ops/s")
    return times


def _latency(suffix: str, scale: float) -> Decimal | None:
    """The factor to us; None where neither cell nor heading says it."""
    if not suffix:
        return None if isnan(scale) else Decimal(scale)
    if suffix.lower() not in _LATENCY or suffix == "MS":
        raise ValueError("expected a number, in us or ms where there is a unit")
    return _LATENCY[suffix.lower()]
