"""What the cells of tables say: figures and servers.

Figures are such as 9,069, 60 078, 12.5k, 2.4万, 1.2 ms, 74%, ~1200, and may end with the mark of a footnote: 1200*,
1200 [1]. What could be read in two ways is refused: 1.2 ms / 900 us, 1,5, 10³.

A row's server is that of its own cells, of a row or of a section above them. Tools that make text of HTML drop the
cells that span rows: the other cells move left, and blank ones follow the last. Such rows are refused.
"""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from math import isnan, nan
from typing import NamedTuple

from ycsbook.errors import shown
from ycsbook.ingest.log.labels import MAX_NAME, SpecShape, named, shape, slug, variant, words
from ycsbook.ingest.log.table_columns import Role
from ycsbook.ingest.published.page_headings import LATENCIES, LATENCY_UNITS, MIX, PER_SECOND, RATES, TIMES


class RowError(ValueError):
    """A row that could mean two things, or nothing: what was found and expected; `column`: whose cell it is."""

    def __init__(self, reason: str, column: str = ""):
        super().__init__(reason)
        self.column = column


BLANK = frozenset({"", "?", "-", "--", "–", "—", "/", "n/a", "na", "nan", "none", "null", "无"})


def plain(text: str) -> str:
    """A text with full-width forms made plain and ^ before raised digits, which are no digits of the number before."""
    return unicodedata.normalize("NFKC", _RAISED.sub(r"^\g<0>", text))


def figure(name: str, cell: str, scale: float) -> float:
    """A cell's figure in the unit of its column: ops/s, us, 0 to 1, a count. NaN where the cell is blank, or only says
    what a latency is above or below.

    A unit in the cell goes before the heading's. A throughput headed in thousands has cells in thousands or none that
    say otherwise.

    Parameters
        name: a column of figures, as page_headings.column gives it.
        scale: the factor of the heading's unit; NaN: unknown, so a number without a unit of its own is missing.
    Raises
        RowError: no such figure; its text is what was expected.
    Examples
        >>> figure("throughput_ops_s", "2.4万", 1.0), figure("ral_us", "1.2 ms 🚀", 1.0), figure("wal_us", "9", 1000.0)
        (24000.0, 1200.0, 9000.0)
    """
    if is_bound(cell):
        if name.partition("@")[0] not in LATENCIES:
            raise RowError("a number, not a bound")
        figure(name, _BOUND.sub("", cell), scale)
        cell = ""
    cell = without_marks(name, cell)
    if cell.lower() in BLANK:
        return nan
    if name in ("cores", "ram_gib"):
        if not (amount := _AMOUNT.fullmatch(cell)):
            raise RowError("a number, in GB where it is of RAM and there is a unit")
        return float(amount[1]) * (nan if isnan(scale) else 1.0)
    if name == "threads" and (product := _PRODUCT.fullmatch(cell)):
        return float(product[1]) * float(product[2])
    match = _FIGURE.fullmatch(cell)
    if not match:
        raise RowError("a number")
    number = Decimal(re.sub(r"[, ]", "", match["number"]))
    suffix = re.sub(r"\s", "", match["suffix"] or "")
    if name in ("cpu_utilisation", "failed_share"):
        return _share(name, number, suffix, scale)
    if name == "threads":
        if match["blanks"] or match["about"] or not _THREAD_UNITS.fullmatch(suffix):
            raise RowError("a whole number from 1")
        return float(number)
    if name == "failed_operations":
        factor = TIMES.get(suffix.lower(), 1)
    else:
        factor = (_rate if name == "throughput_ops_s" else _latency)(suffix, scale)
    return nan if factor is None else float(number * factor)


def is_of_unit(name: str, cell: str) -> bool:
    try:
        return not isnan(figure(name, cell, nan))
    except RowError:
        return False


def two_signs(cells: Sequence[str], places: Sequence[object]) -> str:
    """Why nobody knows how the numbers of a column are meant, `places` being where its cells stand: three digits stand
    behind a point in some of them and behind a comma in others, and none shows that points begin decimals. Else empty.
    """
    odd = [next(filter(form.match, cells), None) for form in (_POINT, _COMMA, _DECIMALS)]
    if odd[0] is None or odd[1] is None or odd[2] is not None:
        return ""
    where = " and ".join(f"{shown(cell)} in line {places[cells.index(cell)]}" for cell in odd[:2])
    return f"got {where}: some have a comma, some a point as decimal sign; write all alike"


def scatter(cell: str) -> float:
    """How far runs scatter around a figure, as a share of it; NaN: the cell does not say. Of three to five runs half of
    the range is about a standard deviation."""
    if match := _BESIDE_RANGE.search(cell):
        mean, low, high = (float(number.replace(",", "")) for number in match.groups())
        return share_of((high - low) / 2, mean) if low <= mean <= high else nan
    if not (match := _SPREAD.search(cell)):
        return nan
    mean, spread = (float(number.replace(",", "")) for number in (match["of"], match["by"]))
    return share_of(spread, 100 if match["unit"] else mean)


def share_of(deviation: float, mean: float) -> float:
    """A standard deviation as a share of the mean; NaN where it is no share below 1."""
    share = deviation / mean if mean else nan
    return share if share < 1 else nan


def without_marks(name: str, cell: str) -> str:
    """The cell without what stands behind its figure: marks of footnotes, how far runs scatter, arrows."""
    if _POWER.search(cell):
        return cell
    cell = _MARKS.sub("", _NOTED.sub("", cell))
    if name in ("throughput_ops_s", "failed_operations"):
        cell = (_NUMBERED if name == "throughput_ops_s" else _OF_ALL).sub("", cell)
    return cell if name in ("cpu_utilisation", "failed_share") else _SCATTER.sub("", cell)


def _share(name: str, number: Decimal, suffix: str, scale: float) -> float:
    if scale < 0:  # a rate of success
        return 1 - _share(name, number, suffix, -scale)
    # An error rate without a unit is a share or, above 1, in per cent.
    is_share = name == "failed_share" and scale == 1.0 and number <= 1
    if suffix not in ("", "%") or (not suffix and scale == 1.0 and name != "failed_share"):
        raise RowError("a percentage such as 74%")
    if number > 100:
        raise RowError("0 to 100 %")
    return float(number if is_share and not suffix else number / 100)


def _rate(suffix: str, scale: float) -> Decimal | None:
    """The factor to ops/s; None where neither cell nor heading says it."""
    match = _RATE.fullmatch(PER_SECOND.sub(r"\1/s", suffix))
    if not match:
        raise RowError("a number, in ops/s where there is a unit")
    times = Decimal(TIMES[(match["times"] or "").lower()])
    if isnan(scale):
        return times if match["unit"] else None
    if not suffix:
        return Decimal(scale)
    if scale not in (1.0, float(times)):
        raise RowError(f"a number in the heading's unit, {scale:,.0f} ops/s")
    return times


def _latency(suffix: str, scale: float) -> Decimal | None:
    """The factor to us; None where neither cell nor heading says it."""
    if not suffix:
        return None if isnan(scale) else Decimal(scale)
    if suffix.lower() not in LATENCY_UNITS or suffix == "MS":
        raise RowError("a number, in us or ms where there is a unit")
    return Decimal(str(LATENCY_UNITS[suffix.lower()]))


def no_run(cell: str) -> str:
    """What a cell says that its row is in place of a run; empty where it says no such thing."""
    return "a summary of other rows" if is_summary(cell) else "a projection" if is_projection(cell) else ""


class PageSpec(NamedTuple):
    """A server as a table names it: its slug and its shape, as SpecShape."""

    slug: str
    label: str
    cores: float
    ram_gib: float


NO_SPEC = PageSpec("", "", nan, nan)


class PageSpecs:
    """Walks along with the reader of a page and remembers which spec is in force."""

    def __init__(self):
        self.current: PageSpec | None = None  # of the table's row above
        self.unknown: int | None = None  # the line of a row above that stands where specs do and is none
        self.variants: dict[str, list[str]] = {}  # of a slug: what its labels say in brackets

    def new_table(self) -> None:
        """Rows of the table before say nothing of this one's."""
        self.current = self.unknown = None

    def of_row(self, by_column: dict[str, tuple[str, float]], line: int) -> PageSpec:
        """The server of a row, by its own cells where it has any; `by_column`: cells by the name of their column.
        Raises RowError where neither the row nor those above say which."""
        parts = [by_column[name][0] for name in ("cores", "ram_gib") if name in by_column]
        if "spec" not in by_column and "ram_gib" not in by_column and parts and (cores := _AMOUNT.fullmatch(parts[0])):
            return PageSpec(f"{float(cores[1]):g}c", parts[0], float(cores[1]), nan)
        by_parts = len(parts) == 2 and any(parts)
        if "spec" in by_column:
            # Markdown has no cell over several rows: those below are left blank.
            cell = by_column["spec"][0]
            if cell or not self.current:
                self.take(cell, line)
            return self._with_parts(*parts) if by_parts else self.current
        if len(parts) == 2 and (by_parts or not self.current):
            self.take("c".join(map(_digits, parts)) + "g", line)
            self.current = self.current._replace(label=" ".join(parts))
            return self.current
        if self.unknown is not None:
            raise RowError(
                f"spec: the row above in line {self.unknown} names none, expected cores and RAM such as 2核4G"
            )
        return self.current or NO_SPEC

    def _with_parts(self, cores: str, ram: str) -> PageSpec:
        """The spec of a name, with the cores and RAM that columns of their own print."""
        named_so, printed = self.current, shape(f"{_digits(cores)}c{_digits(ram)}g")
        if printed is None or not (isnan(named_so.cores) or named_so[2:] == printed[1:]):
            raise RowError(f"cores and RAM: got {shown(cores)} and {shown(ram)}, expected those of {named_so.label}")
        return PageSpec(named_so.slug, named_so.label, *printed[1:])

    def take(self, cell: str, line: int, *, stands_alone: bool = False) -> None:
        """What the cell names is the spec from here on; rows below one that is not understood have none. GB without
        cores are RAM where specs stand, but may be the data's in a row with nothing else."""
        self.current, self.unknown = None, line
        bare = without_marks("spec", cell)
        printed = shape(cell) or shape(bare)
        server = (slug(*printed[1:]), printed) if printed else named(bare)
        if server is None and (ram := _RAM.fullmatch(bare)) and float(ram[1]) and (ram[2] or not stands_alone):
            server = f"{float(ram[1]):g}g", SpecShape(bare, nan, float(ram[1]))
        if server is None:
            raise RowError(f"spec: got {shown(bare)}, expected cores and RAM such as 2核4G or 8c 64GB", "spec")
        self.current, self.unknown = self.known(*server), None

    def known(self, name: str, printed: SpecShape) -> PageSpec:
        """The spec with a slug of its own: dedicated servers are no repeats of shared ones of their shape."""
        printed = printed._replace(label=printed.label.replace("\n", " "))
        in_brackets = variant(printed.label).casefold()
        variants = self.variants.setdefault(name, [])
        if in_brackets not in variants:
            variants.append(in_brackets)
        at = variants.index(in_brackets)
        return PageSpec(f"{name}-{words(in_brackets) or at + 1}"[:MAX_NAME] if at else name, *printed)


def by_cells(
    headings: Sequence[str], roles: Sequence[Role], cells: Sequence[Sequence[str]], mix: str = ""
) -> tuple[list[Role], list[str]]:
    """The roles of a table's columns, and why some of specs or latencies are left out: no cell of them can be read.
    A column of operations alone is that of the mixes, where none is headed so and the text names no `mix`."""
    roles, left_out, mixes = list(roles), [], []
    for at, (heading, of_column) in enumerate(zip(headings, cells, strict=True)):
        texts, (name, _) = [cell for cell in of_column if cell and cell != heading], roles[at] or ("", nan)
        if len(texts) > 1 and (name == "spec" or name.partition("@")[0] in LATENCIES):
            if all(reasons := [_unreadable(name, cell) for cell in texts]):
                roles[at] = None
                left_out.append(f"{reasons[0]}; the column is left out")
        elif not name and len(set(texts)) > 1 and all(map(OPERATION.fullmatch, texts)):
            mixes.append(at)
    if len(mixes) == 1 and not mix and not any(c and c[0] == MIX for c in roles):
        roles[mixes[0]] = (MIX, 1.0)
    return roles, left_out


def _unreadable(name: str, cell: str) -> str:
    try:
        PageSpecs().take(cell, 0) if name == "spec" else figure(name, cell, 1.0)
    except RowError as e:
        return str(e) if name == "spec" else f"{name}: got {shown(cell)}, expected {e}"
    return ""


def _digits(cell: str) -> str:
    """The number of a cell that may repeat its heading's unit."""
    match = _AMOUNT.fullmatch(cell)
    return match[1] if match else cell


OPERATION = re.compile(
    r"(?:(?:random|point|range)[ _-])?(?:read|write|update|insert|scan|delete|get|set|put|select|lookup)s?"
    r"(?:[ _-](?:only|write|heavy|mostly|(?:non[ _-]?)?index))?"
    r"|(?:oltp|select|bulk)_\w{1,40}|读取|写入|[读写]{1,2}|[只纯][读写]|更新|插入|查询|删除",
    re.IGNORECASE,
)
is_summary = re.compile(
    r"(?:grand[ -]?|sub[ -]?)?(?:totals?|sum|summary|averages?|avg|means?|medians?|max|maximum|min|minimum|geomean"
    r"|durchschnitt|mittelwert|moyenne|promedio|ratio|speed-?up|improvements?|diff|difference|delta|gain)(?![a-z0-9_])"
    r"|\W*(?:% )?change\W*$"
    r"|合计|总计|小计|总和|汇总|平均|均值|中位|最大|最小|提升|对比|增幅|差异|变化",
    re.IGNORECASE,
).match
is_projection = re.compile(
    r"\b(?:projected|extrapolated|forecast(?:ed)?|estimated?)\b|预[估计测]|[估推]算|外推", re.IGNORECASE
).search
is_note = re.compile(r"(?:注|备注|说明|提示|notes?|remarks?|source|来源)\s{0,3}[:.\d]|[*※†]|\^\d", re.IGNORECASE).match
_RAISED = re.compile(r"[²³¹\u2070-\u2079\u2080-\u2089\u2460-\u24ff]")
# What a figure is above or below, such as >100, rather than the figure.
_BOUND = re.compile(r"(?:[<>]=?|[≥≤⩾⩽]) ?(?=\d)")
is_bound = _BOUND.match
# Behind a figure: arrows, ticks and pictures; marks of footnotes; how far runs scatter.
_ORNAMENT = "[\\s\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f300-\U0001faff]"
_FOOTNOTE = r"\\?[*†‡§¶※]|\^\[?(?:\d{1,2}|[a-e*†‡§¶※])\]?|\[(?:\d{1,2}|[a-e*†‡§¶※])\]"
_STANDING = r"\((?i:baseline|default|optimal|saturat(?:ed|ion)|best|基线|默认|最优|饱和)\)"  # of a row among the others
# The least and the most of several runs: 28.1 (27.1-28.4).
_RANGE = r"[(\[](\d[\d,]{0,12}(?:\.\d+)?)[kKM万]? ?(?:[-–~]|to) ?(\d[\d,]{0,12}(?:\.\d+)?)[kKM万]?[)\]]"
_BESIDE_RANGE = re.compile(rf"(\d[\d,]*(?:\.\d+)?)[^\d()\[]{{0,12}}{_RANGE}", re.ASCII)
_MARKS = re.compile(
    rf"(?:{_ORNAMENT}|{_FOOTNOTE}|{_STANDING}|{_RANGE}|\((?:±|\+/?-)[^()\n]{{1,20}}\)){{1,30}}$", re.ASCII
)
# What somebody remarks: 35 ms ← no more from here on. A number there may be what the figure was.
_NOTED = re.compile(r"(?<=[^\W_]|%)\s*(?:←|<--?)(?!\s?[~≈]?\d)[^\n]{1,200}$")
# Of a latency, (5) may be another one; of threads, how many clients had them.
_NUMBERED = re.compile(r"\s?\((?:[1-9a-e*†‡§]|peak|峰值)\)$|(?<=[\dkKmMwW万千])\+$")
_OF_ALL = re.compile(r" \([\d.]+ ?%\)$", re.ASCII)  # 12 (0.01%)
_SCATTER = re.compile(r"(?<=\w)\s?(?:±|\+/?-) ?[\d.]{1,6} ?%$", re.ASCII)
_SPREAD = re.compile(
    r"(?P<of>\d[\d,]*(?:\.\d+)?)[^\d±]{0,12}(?:±|\+/?-) ?(?P<by>\d[\d,]*(?:\.\d+)?) ?(?P<unit>%?)", re.ASCII
)
# 10³ is another number, and no mark.
_POWER = re.compile(r"(?<![\d.,])(?:2|10)\^")
_AMOUNT = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*(?:核|cores?|vcpus?|c|gib|gi|gb|g)?", re.IGNORECASE | re.ASCII)
_RAM = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s?(?:gib|gb)(\s(?:ram|memory)|\s?内存)?", re.IGNORECASE | re.ASCII)
# Three digits behind a point, where they may be thousands, or behind a comma; decimals.
_POINT, _COMMA, _DECIMALS = (
    re.compile(rf"[~≈]? ?{number}", re.ASCII)
    for number in (
        r"[1-9]\d{0,2}\.\d{3}(?![\d.,]| ?(?:[kKM万千]|百万))",
        r"[1-9]\d{0,2},\d{3}(?![\d.,])",
        r"(?:0\.\d|[\d,]*\.(?:\d\d?|\d{4,})(?![\d.]))",
    )
)
# One blank groups thousands; line breaks inside a cell, which part several values, are kept as such by page_tables.
NUMBER = r"(?P<number>(?:[1-9]\d{0,2}(?:(?:,\d{3}){1,4}|(?P<blanks>(?: \d{3}){1,4}))|\d{1,15})(?:\.\d{1,9})?)"
_FIGURE = re.compile(
    rf"(?P<about>[~≈] ?)?{NUMBER}"
    r"(?: ?(?:±|\+/?-) ?[\d.,]{1,15})? ?(?P<suffix>[^\d\s.,+~-][^\d\n]{0,19})?",
    re.ASCII,
)
# Those of several clients.
_PRODUCT = re.compile(r"(\d{1,5})(?: [*x×] |×)(\d{1,5})", re.ASCII)
_RATE = re.compile(rf"(?P<times>[kKwWM千万]|百万)?(?P<unit>(?i:{'|'.join(map(re.escape, RATES))}))")
_THREAD_UNITS = re.compile(r"t|个|线程|并发|(?:thread|client|conn(?:ection)?|user|vu|task|worker)s?|", re.IGNORECASE)
