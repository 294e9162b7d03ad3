"""The rows of iibench-mongodb's TSV file and console, whichever fork and locale printed them."""

import math
import re
from dataclasses import dataclass
from functools import cached_property

from ycsbook.ingest.files.textlog import us

S_PER_MIN = 60.0
# How long after the count was reached a line may be printed: iibench-mongodb looks ten times a second.
_POLL_S = 0.15
_HALF_CENT = 0.005

TSV_HEADER = ("tot_inserts", "elap_secs", "cum_ips", "int_ips")
_SEPARATORS = " .,'’\u00a0\u202f\ufffd"
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_FIXED = re.compile(rf"-?(\d[\d{_SEPARATORS}]{{0,25}})[.,](\d\d)", re.ASCII)
_GROUPED = re.compile(rf"\d[\d{_SEPARATORS}]{{0,25}}", re.ASCII)
_CONSOLE = re.compile(
    rf"(\d[\d{_SEPARATORS}]{{0,25}}) inserts : (\d[\d{_SEPARATORS}]{{0,20}}) seconds : (cum ips=.{{1,400}})"
)
_PARAMETERS = {
    "writers": re.compile(r"\s(\d{1,6}) writer thread\(s\)$", re.ASCII),
    "queriers": re.compile(r"\s(\d{1,6}) query thread\(s\)$", re.ASCII),
    "batch": re.compile(r"Documents Per Insert = (\d{1,7})$", re.ASCII | re.IGNORECASE),
    "limit": re.compile(r"Maximum of (\d[\d.,]{0,14}) insert\(s\) per second$", re.ASCII),
}


def parameters_in(text: str) -> dict[str, int]:
    """The parameters that a line of the console names."""
    return {k: int(re.sub(r"\D", "", match[1])) for k, p in _PARAMETERS.items() if (match := p.search(text))}


@dataclass(frozen=True)
class IibenchRow:
    """The run so far: rows inserted and the time, and what the queries did since the row before.

    `ips` are rows per second since the start; `qps` queries per second since the row before. Latencies in us; `query_*`
    of the interval, `all_queries_mean_us` since the start. `exceptions` is None where the
    line does not tell them: the last line of a run, and all lines of the oldest releases.
    """

    line: int
    inserts: int
    elapsed_s: float
    ips: float
    qps: float
    query_mean_us: float
    all_queries_mean_us: float
    exceptions: int | None

    @cached_property
    def is_consistent(self) -> bool:
        """Whether the count over the rate is the time, which is cut to whole seconds.

        Where iibench-mongodb reports every so many inserts, its last line names the next such number, which was not
        reached: its rate is that of the true count.
        """
        if not self.inserts or not self.ips > _HALF_CENT:
            return False
        low, high = self.inserts / (self.ips + _HALF_CENT), self.inserts / (self.ips - _HALF_CENT)
        return high >= self.elapsed_s - _POLL_S and low <= self.elapsed_s + 1

    @cached_property
    def at_s(self) -> float:
        """The time in ms precision: the count over the rate, as far as the whole seconds allow it."""
        if not self.is_consistent:
            return self.elapsed_s
        return round(min(max(self.inserts / self.ips, self.elapsed_s), self.elapsed_s + 0.999), 3)


def is_tsv_header(text: str) -> bool:
    return tuple(text.split("\t")[: len(TSV_HEADER)]) == TSV_HEADER


def tsv_row(columns: list[str], text: str, line: int) -> IibenchRow | None:
    """The row under a header, or None. Numbers follow the locale of who ran it."""
    cells = text.split("\t")
    if len(cells) != len(columns) and not (columns[-1] == "exceptions" and len(cells) == len(columns) - 1):
        return None
    by_column = dict(zip(columns, cells, strict=False))
    if not (_WHOLE.fullmatch(by_column["tot_inserts"]) and _WHOLE.fullmatch(by_column["elap_secs"])):
        return None
    return _row(by_column, line)


def console_row(text: str, line: int) -> IibenchRow | None:
    """The row in a line that iibench-mongodb prints on its console, or None."""
    match = _CONSOLE.search(text) if " inserts : " in text else None
    if not match:
        return None
    pairs = (part.split("=", 1) for part in match[3].split(" : ") if "=" in part)
    # `cum avg qry` is what a TSV file calls cum_qry_avg, and `cum avg qps` its cum_qps.
    names = ((name.replace("avg qry", "qry_avg").replace("avg ", "").replace(" ", "_"), v) for name, v in pairs)
    by_column = {name: value.strip() for name, value in names}
    return _row(by_column | {"tot_inserts": match[1], "elap_secs": match[2]}, line)


def grouped(text: str) -> int | None:
    """A whole number whose thousands may be grouped by whatever the locale takes for that."""
    return int(re.sub(r"\D", "", text)) if _GROUPED.fullmatch(text.strip()) else None


def fixed(text: str) -> float:
    """A number with two decimals behind a point or a comma, thousands grouped or not; NaN for anything else.

    Examples
        >>> fixed("26288,39"), fixed("26,288.39"), fixed("26.288,39"), fixed("NaN")
        (26288.39, 26288.39, 26288.39, nan)
    """
    match = _FIXED.fullmatch(text.strip())
    return float(f"{re.sub(r'[^0-9]', '', match[1])}.{match[2]}") if match else math.nan


def _row(by_column: dict[str, str], line: int) -> IibenchRow | None:
    inserts, elapsed_s = grouped(by_column["tot_inserts"]), grouped(by_column["elap_secs"])
    # The names of the columns say which of the programs it was.
    per, each_s = ("qps", 1.0) if "int_qps" in by_column else ("qpm", S_PER_MIN)
    ips, qps, all_qps, query_ms, all_queries_ms = (
        fixed(by_column.get(name, "")) for name in ("cum_ips", f"int_{per}", f"cum_{per}", "int_qry_avg", "cum_qry_avg")
    )
    if inserts is None or elapsed_s is None or math.isnan(ips):
        return None
    return IibenchRow(
        line,
        inserts,
        float(elapsed_s),
        ips,
        qps=qps / each_s,
        query_mean_us=us(query_ms) if qps > 0 else math.nan,
        all_queries_mean_us=us(all_queries_ms) if all_qps > 0 else math.nan,
        exceptions=grouped(by_column.get("exceptions", "")),
    )
