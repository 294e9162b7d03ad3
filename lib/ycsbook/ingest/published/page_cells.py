"""What the cells of vendors' tables say: headings, in Chinese and English, their units, the mix, figures and servers.

Figures are such as 9,069, 60 078, 12.5k, 2.4万, 1.2 ms, 74%. What could be read in two ways is refused: ~1200, 1200*,
1.2 ms / 900 us, 1,5.

A row's server is that of its own cells, of a row or of a section above them. Tools that make text of HTML drop the
cells that span rows: the other cells move left, and blank ones follow the last. Such rows are refused.
"""

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache
from math import isnan, nan
from typing import NamedTuple

from ycsbook import names
from ycsbook.errors import shown
from ycsbook.ingest.log.labels import SpecShape, named, shape, shape_inside, slug, variant, words


class RowError(ValueError):
    """A row that could mean two things, or nothing: what was found, and what was expected."""


BLANK = frozenset({"", "?", "-", "--", "–", "—", "/", "n/a", "na", "nan", "none", "null", "无"})


def read_fraction(heading: str) -> float | None:
    """The share of reads that a section heading prints; None where it prints no mix.

    Examples
        >>> [read_fraction(text) for text in ("### 读&更新比95:5", "0.5read/0.5update", "读写比 7:3", "CPU:Memory 1:4")]
        [0.95, 0.5, 0.7, None]
    """
    text = unicodedata.normalize("NFKC", heading)
    if match := _MIX.search(text):
        reads, writes = float(match[1]), float(match[2])
        total = round(reads + writes, 9)
        if total in (1.0, 100.0):
            return reads / total
    if match := _RATIO.search(text):
        reads, writes = float(match[1]), float(match[2])
        return reads / (reads + writes) if 0 < reads + writes <= 10 else None
    return None


def mix(text: str) -> tuple[str, float] | None:
    """The workload's name and share of reads that a text prints; None where it prints no mix.

    The name of one of YCSB's workload files gives a name only: pages change the shares on the command line.

    Examples
        >>> mix("读写比 95:5"), mix("Workload A"), mix("workloads")
        (('b', 0.95), ('a', nan), None)
    """
    reads = read_fraction(text)
    if reads is not None:
        return names.mix_name(reads), reads
    match = _WORKLOAD.search(text)
    return (match[1].lower(), nan) if match else None


@lru_cache(maxsize=1000)
def column(heading: str) -> tuple[str, float] | None:
    """The column a heading names and the factor of its unit (NaN: a unit we do not know); None: another one.

    Examples
        >>> column("QPS（ops/s）".translate({0xFF08: "(", 0xFF09: ")"})), column("Read latency [ms]"), column("P99 RAL")
        (('throughput_ops_s', 1.0), ('ral_us', 1000.0), None)
    """
    # Raised digits are footnotes.
    text = re.sub(r"\n\d(?=\n|$)|\^\d|\s", "", heading[:200]).lower()
    if inner := _KNOWN_UNIT.search(text):
        name, unit = text[: inner.start()] + text[inner.end() :], inner[1]
    else:
        match = _UNIT.fullmatch(text)
        name, unit = match["name"], next((u for u in match.groups()[1:] if u is not None), "")
    bare = re.sub(r"[][_,-]", "", name)
    if _OTHER_STATISTIC.search(bare):
        return None
    for name, pattern in _COLUMNS:
        if pattern.search(bare):
            # A unit of another column's kind, as in CPU (核), may be what tells two columns apart.
            if name == "cpu_utilisation" and unit in _UNITS["cores"] and unit:
                return "cores", 1.0
            factors = _UNITS[name] | ({"": 1.0} if _WITHOUT_UNIT.search(bare) else {})
            return name, factors.get(unit, nan)
    return None


def is_averaged_percentile(heading: str) -> bool:
    """Whether a heading says that percentiles of several clients or runs were averaged, which gives none.

    Examples
        >>> is_averaged_percentile("avg P99 (ms)"), is_averaged_percentile("P99 latency (ms)")
        (True, False)
    """
    return _AVERAGED.search(heading) is not None


def figure(name: str, cell: str, scale: float) -> float:
    """A cell's figure in the unit of its column: ops/s, us, 0 to 1, a count. NaN where the cell is blank.

    A unit in the cell goes before the heading's. A throughput headed in thousands has cells in thousands or none that
    say otherwise.

    Parameters
        name: throughput_ops_s, ral_us, wal_us, latency_us, cpu_utilisation or threads.
        scale: the factor of the heading's unit; NaN: unknown, so a number without a unit of its own is missing.
    Raises
        RowError: no such figure; says what was expected.
    Examples
        >>> figure("throughput_ops_s", "2.4万", 1.0), figure("ral_us", "1.2 ms", 1.0), figure("wal_us", "0.9", 1000.0)
        (24000.0, 1200.0, 900.0)
    """
    if cell.lower() in BLANK:
        return nan
    match = _FIGURE.fullmatch(cell)
    if not match:
        raise RowError("expected a number")
    number = Decimal(re.sub(r"[, ]", "", match["number"]))
    suffix = re.sub(r"\s", "", match["suffix"] or "")
    if name == "cpu_utilisation":
        return _share(number, suffix, scale)
    if name == "threads":
        if match["blanks"] or suffix.lower() not in _THREAD_UNITS:
            raise RowError("expected a whole number from 1")
        return float(number)
    factor = _rate(suffix, scale) if name == "throughput_ops_s" else _latency(suffix, scale)
    return nan if factor is None else float(number * factor)


def _share(number: Decimal, suffix: str, scale: float) -> float:
    if suffix not in ("", "%") or (not suffix and scale == 1.0):
        raise RowError("expected a percentage such as 74%")
    if number > 100:
        raise RowError("expected 0 to 100 %")
    return float(number / 100)


def _rate(suffix: str, scale: float) -> Decimal | None:
    """The factor to ops/s; None where neither cell nor heading says it."""
    match = _RATE.fullmatch(suffix)
    if not match:
        raise RowError("expected a number, in ops/s where there is a unit")
    times = Decimal(_TIMES.get(match["times"] or "", 1))
    if isnan(scale):
        return times if match["unit"] else None
    if not suffix:
        return Decimal(scale)
    if scale not in (1.0, float(times)):
        raise RowError(f"expected a number in the heading's unit, {scale:,.0f} ops/s")
    return times


def _latency(suffix: str, scale: float) -> Decimal | None:
    """The factor to us; None where neither cell nor heading says it."""
    if not suffix:
        return None if isnan(scale) else Decimal(scale)
    if suffix.lower() not in _LATENCY_UNITS or suffix == "MS":
        raise RowError("expected a number, in us or ms where there is a unit")
    return _LATENCY_UNITS[suffix.lower()]


def is_summary(cell: str) -> bool:
    """Whether a cell says that its row sums up or compares others.

    Examples
        >>> is_summary("Total"), is_summary("平均值"), is_summary("Max-8c"), is_summary("8c64g")
        (True, True, True, False)
    """
    return _SUMMARY.match(cell) is not None


def is_note(cell: str) -> bool:
    """Whether a cell begins as notes below tables do.

    Examples
        >>> is_note("注: 3 次平均"), is_note("* of three runs"), is_note("M30")
        (True, True, False)
    """
    return _NOTE.match(cell) is not None


class PageSpec(NamedTuple):
    """A server as a table names it: its slug, its shape."""

    slug: str
    shape: SpecShape


NO_SPEC = PageSpec("", SpecShape("", nan, nan))


class PageSpecs:
    """Walks along with the reader of a page and remembers which spec is in force."""

    def __init__(self):
        self.current: PageSpec | None = None  # of the table's row above
        self.section: tuple[int, PageSpec] | None = None  # heading level, spec
        self.unknown: int | None = None  # the line of a row above that stands where specs do and is none
        self.variants: dict[str, list[str]] = {}  # of a slug: what its labels say in brackets

    def new_table(self) -> None:
        """Rows of the table before say nothing of this one's."""
        self.current = self.unknown = None

    def heading(self, level: int, text: str, *, ends: bool) -> None:
        """Take a section heading; `ends`: it ends the section above it."""
        if (spec := shape_inside(text)) is not None:
            self.section = (level, self._known(slug(spec.cores, spec.ram_gib), spec))
        elif self.section and level <= self.section[0] and ends:
            self.section = None

    def of_row(self, by_column: dict[str, tuple[str, float]], line: int) -> PageSpec:
        """The server of a row, by its own cells where it has any; `by_column`: cells by the name of their column.

        Raises
            RowError: neither the row nor those above say which.
        """
        parts = [by_column[name][0] for name in ("cores", "ram_gib") if name in by_column]
        by_parts = len(parts) == 2 and any(parts)
        if "spec" in by_column:
            # Markdown has no cell over several rows: those below are left blank.
            cell = by_column["spec"][0]
            if cell or not self.current:
                self.take(cell, line)
            return self._with_parts(*parts) if by_parts else self.current
        if len(parts) == 2 and (by_parts or not self.current):
            self.take("c".join(map(_digits, parts)) + "g", line)
            server = self.current
            self.current = server._replace(shape=server.shape._replace(label=" ".join(parts)))
            return self.current
        if self.unknown is not None:
            raise RowError(
                f"spec: the row above in line {self.unknown} names none, expected cores and RAM such as 2核4G"
            )
        return self.current or (self.section[1] if self.section else NO_SPEC)

    def _with_parts(self, cores: str, ram: str) -> PageSpec:
        """The spec of a name, with the cores and RAM that columns of their own print."""
        printed = shape(f"{_digits(cores)}c{_digits(ram)}g")
        by_name = self.current.shape
        if printed is None or not (isnan(by_name.cores) or by_name[1:] == printed[1:]):
            raise RowError(f"cores and RAM: got {shown(cores)} and {shown(ram)}, expected those of {by_name.label}")
        return self.current._replace(shape=printed._replace(label=by_name.label))

    def take(self, cell: str, line: int) -> None:
        """What the cell names is the spec from here on; rows below one that is not understood have none."""
        self.current, self.unknown = None, line
        printed = shape(cell)
        server = (slug(printed.cores, printed.ram_gib), printed) if printed else named(cell)
        if server is None:
            raise RowError(f"spec: got {shown(cell)}, expected cores and RAM such as 2核4G or 8c 64GB")
        self.current, self.unknown = self._known(*server), None

    def _known(self, name: str, printed: SpecShape) -> PageSpec:
        """The spec with a slug of its own: dedicated servers are no repeats of shared ones of their shape."""
        printed = printed._replace(label=printed.label.replace("\n", " "))
        in_brackets = variant(printed.label).casefold()
        others = self.variants.setdefault(name, [])
        if in_brackets not in others:
            others.append(in_brackets)
        at = others.index(in_brackets)
        return PageSpec(f"{name}-{words(in_brackets) or at + 1}"[:MAX_SLUG] if at else name, printed)


def _digits(cell: str) -> str:
    """The number of a cell that may repeat its heading's unit."""
    match = _AMOUNT.fullmatch(cell)
    return match[1] if match else cell


MAX_SLUG = 64

_SUMMARY = re.compile(
    r"(?:grand[ -]?|sub[ -]?)?(?:totals?|sum|summary|averages?|avg|means?|medians?|max|maximum|min|minimum|geomean"
    r"|ratio|speed-?up|improvements?|diff|difference|delta|gain)(?![a-z0-9_])"
    r"|合计|总计|小计|总和|汇总|平均|均值|中位|最大|最小|提升|对比|增幅|差异|变化",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:注|备注|说明|提示|notes?|remarks?|source|来源)\s{0,3}[:.\d]|[*※†]", re.IGNORECASE)
_AMOUNT = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*(?:核|cores?|vcpus?|c|gib|gi|gb|g)?", re.IGNORECASE | re.ASCII)
_MIX = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,6})?)\s*(?:%|reads?)?\s*[:/]\s*(\d{1,3}(?:\.\d{1,6})?)(?![\d.])")
# Small numbers are a mix only where the words before them say so.
_RATIO = re.compile(
    r"(?:读写(?:混合)?比例?|读[&/](?:写|更新)比?例?|r[:/]w|read[:/]?(?:write|update)s?(?: ratio)?)\s{0,3}[:=为]?\s{0,3}"
    r"(\d{1,2})\s?:\s?(\d{1,2})(?![\d.:])",
    re.IGNORECASE,
)
_WORKLOAD = re.compile(r"(?:^|[^a-z])workload[\s_-]{0,2}([a-f])(?![a-z0-9])", re.IGNORECASE | re.ASCII)
_UNIT = re.compile(
    r"(?P<name>.*?)(?:[(\[]([^()\[\]]*)[)\]]|[,_](ops/s|ops/sec|us|μs|ms|%|gib|gb)|(?<=利用率|使用率|占用率)(%))?"
)
# In some headings the unit is not the last: AverageLatency(us) [READ].
_KNOWN_UNIT = re.compile(r"[(\[](us|μs|微秒|ms|毫秒)[)\]]")
# Percentiles and extremes are not the mean latency or throughput that the tables hold.
_OTHER_STATISTIC = re.compile(
    r"p\d\d|\d(?:th|%)|percentile|分位|max|min(?!d)|peak|median|std|最大|最小|峰值|中位|标准差|99线|客户端cpu|clientcpu"
)
_AVERAGED = re.compile(
    r"(?:avg|average|mean|平均)(?: of)?[\s._-]{0,3}(?:p\d\d|\d\d(?:\.\d{1,3})?(?:th|%)|percentile)"
    r"|p\d\d[\s._-]{0,3}(?:avg|mean|平均)",
    re.IGNORECASE,
)
_MEAN = "(?:avg|average|mean)?"
_LATENCY_WORD = "(?:latency|responsetime)"
_COLUMNS = (
    ("spec", re.compile(r"规格|^(?:\w{0,20}?spec(?:s|ification)?|instance(?:type|size|class)?|实例(?:类型|配置)?)$")),
    (
        "threads",
        re.compile(
            r"^(?:并发(?:数|量|度|线程数?|连接数)?|(?:number|no\.?)?(?:of)?(?:concurrent|client|ycsb|test)?threads?(?:count)?"
            r"|(?:客户端|测试|压测|ycsb)?(?:并发)?线程数?量?|concurrency)$"
        ),
    ),
    (
        "throughput_ops_s",
        re.compile(
            r"^(?:平均|总|avg|average|mean|overall|total)?(?:qps|ops|ops/s|ops/sec|throughput|吞吐量?|吞吐率|每秒(?:操作|请求)数)$"
        ),
    ),
    (
        "ral_us",
        re.compile(
            r"(?:^|[^a-z])ral$|读(?:取|操作)?(?:平均)?(?:响应)?(?:时延|延迟|延时|时间|耗时)"
            rf"|^{_MEAN}reads?{_MEAN}{_LATENCY_WORD}{_MEAN}$|^{_MEAN}{_LATENCY_WORD}(?:of|for)?reads?$"
        ),
    ),
    (
        "wal_us",
        re.compile(
            # 读写延迟 is that of both together.
            r"(?:^|[^a-z])wal$|(?<![读/&、和与+])(?:写入?|更新)(?:操作)?(?:平均)?(?:响应)?(?:时延|延迟|延时|时间|耗时)"
            rf"|^{_MEAN}(?:write|update)s?{_MEAN}{_LATENCY_WORD}{_MEAN}$"
            rf"|^{_MEAN}{_LATENCY_WORD}(?:of|for)?(?:write|update)s?$"
        ),
    ),
    (
        "latency_us",
        re.compile(rf"^{_MEAN}{_LATENCY_WORD}{_MEAN}$|^(?:平均)?(?:响应)?(?:时延|延迟|延时|响应时间)$"),
    ),
    (
        "cpu_utilisation",
        re.compile(
            r"^(?:平均|avg|average)?(?:server|服务端|服务器|数据库|实例|mongod|mongodb)?(?:平均)?cpu(?:平均)?(?:利用率|使用率|占用率?|usage|load|util(?:i[sz]ation)?|%)?$"
        ),
    ),
    ("server_version", re.compile(r"^(?:mongodb|db|server|数据库|内核|引擎)?(?:version|版本)号?$")),
    ("cores", re.compile(r"^(?:(?:cpu)?核心?数|(?:cpu)?cores?|vcpus?)$")),
    ("ram_gib", re.compile(r"^(?:内存(?:大小|容量)?|memory(?:size)?|ram)$")),
    (
        "mix",
        re.compile(
            r"^(?:读写(?:混合)?比例?|读[&:/]?(?:写|更新)比?例?|mix|read[:/]?(?:write|update)s?(?:ratio|mix)?|workloads?"
            r"|负载(?:类型)?|(?:测试)?场景|scenarios?)$"
        ),
    ),
)
_LATENCY = {"us": 1.0, "μs": 1.0, "微秒": 1.0, "ms": 1000.0, "毫秒": 1000.0}
_UNITS = {
    "spec": {"": 1.0},
    "threads": {"": 1.0, "个": 1.0},
    "throughput_ops_s": {
        **dict.fromkeys(("", "ops/s", "ops/sec", "op/s", "ops", "qps", "次/秒", "次/s", "个/秒"), 1.0),
        **dict.fromkeys(("k", "kops", "kops/s", "kops/sec", "kqps"), 1000.0),
        **dict.fromkeys(("万", "万次/秒", "万ops/s", "w"), 10_000.0),
    },
    "ral_us": _LATENCY,
    "wal_us": _LATENCY,
    "latency_us": _LATENCY,
    "cpu_utilisation": {"": 1.0, "%": 0.01},
    "cores": {"": 1.0, "核": 1.0, "个": 1.0, "cores": 1.0, "c": 1.0, "vcpu": 1.0},
    "ram_gib": {"": 1.0, "g": 1.0, "gb": 1.0, "gib": 1.0},
    "mix": {"": 1.0},
    "server_version": {"": 1.0},
}
# Chinese vendors print RAL and WAL in YCSB's own microseconds; of a latency by any other name nobody knows.
_WITHOUT_UNIT = re.compile(r"(?:^|[^a-z])[rw]al$")
_LATENCY_UNITS = {
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
_THREAD_UNITS = frozenset({"", "个", "线程", "并发", "threads", "thread"})
