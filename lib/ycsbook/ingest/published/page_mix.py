"""The mix of operations that a page prints in headings, sentences, captions and cells, and which holds for a row."""

import re
import unicodedata
from math import isnan, nan

from ycsbook import names
from ycsbook.errors import shown
from ycsbook.ingest.log.labels import identifier
from ycsbook.ingest.published.page_cells import RowError

Mix = tuple[str, float]
_NONE: Mix = ("", nan)


def read_fraction(heading: str) -> float | None:
    """The share of reads that a section heading prints; None where it prints no mix.

    Examples
        >>> [read_fraction(text) for text in ("### 读&更新比95:5", "0.5read/0.5update", "读写比 7:3", "CPU:Memory 1:4")]
        [0.95, 0.5, 0.7, None]
        >>> read_fraction("Workload B (read 95%, update 5%)"), read_fraction("5% update, 95% read")
        (0.95, 0.95)
    """
    text = unicodedata.normalize("NFKC", heading)
    if shares := _shares(text):
        return shares[0]
    if match := _MIX.search(text):
        reads, writes = float(match[1]), float(match[2])
        total = round(reads + writes, 9)
        if total in (1.0, 100.0):
            return reads / total
    if match := _RATIO.search(text):
        reads, writes = float(match[1]), float(match[2])
        return reads / (reads + writes) if 0 < reads + writes <= 10 else None
    return None


def _shares(text: str) -> list[float]:
    """The shares of reads that a text prints as per cents of operations which add up to all."""
    mixes, parts, end = [], [], 0
    for match in _SHARE.finditer(text):
        if match.start() - end > _NEAR:
            parts = []
        operation = (match["operation"] or match["before"]).lower()
        parts.append((float(match["share"] or match["after"]), operation.startswith(("read", "get", "读", "查"))))
        end = match.end()
        if sum(share for share, _ in parts) == 100:
            mixes.append(sum(share for share, reads in parts if reads) / 100)
            parts = []
    return mixes


def mixes_in_prose(text: str) -> set[Mix]:
    """The mixes that a sentence prints, as `mix` gives them: each with its shares, else by the letters of workloads.

    Examples
        >>> mixes_in_prose("YCSB 0.17, 读写比 1:1"), mixes_in_prose("80/20: a hot spot"), mixes_in_prose("workload C")
        ({('a', 0.5)}, set(), {('c', nan)})
    """
    text = unicodedata.normalize("NFKC", text)
    shares = _shares(text)
    for match in _MIX.finditer(text):
        if ":" in match[0] or "read" in match[0].lower():
            shares.append(read_fraction(match[0]))
    shares += [read_fraction(match[0]) for match in _RATIO.finditer(text)]
    found = {(names.mix_name(reads), reads) for reads in shares if reads is not None}
    return found or {(letter.lower(), nan) for letter in _WORKLOAD_IN_PROSE.findall(text)}


def mix(text: str) -> Mix | None:
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


class PageMixes:
    """Walks along with the reader of a page and remembers which mix is in force: its name and the share of reads."""

    def __init__(self):
        self.section: tuple[int, Mix] | None = None  # heading level, mix
        self.level = self.prose_level = 0  # of the section's heading; of that in which the mixes of prose stand
        self.prose: set[Mix] = set()
        self.is_prose_used = False  # a table stands below these mixes
        self.table: Mix | None = None  # of the table's caption, or of a row above
        self.is_lost = False  # a row of this table that may have named another mix is not read

    def heading(self, level: int, text: str, *, ends: bool) -> None:
        """Take a section heading; `ends`: it ends the section above it."""
        if ends:
            self.level = level
            if level <= self.prose_level:
                self.prose, self.prose_level = set(), level
        if (printed := mix(text)) is not None:
            self.section = (level, printed)
        elif self.section and level <= self.section[0] and ends:
            self.section = None

    def sentence(self, text: str) -> None:
        """Take a piece of text, which holds for the tables below it in its section."""
        if mixes := mixes_in_prose(text):
            goes_on = self.prose_level == self.level and not self.is_prose_used
            self.prose = mixes | self.prose if goes_on else mixes
            self.prose_level, self.is_prose_used = self.level, False

    def new_table(self, caption: str) -> None:
        """Take the line right above a table, which holds for this one alone."""
        reads, of_caption = read_fraction(caption), mixes_in_prose(caption)
        self.prose, self.is_prose_used = self.prose - of_caption, True
        self.table = next(iter(of_caption)) if len(of_caption) == 1 else None
        if reads is not None and not of_caption:
            self.table = (names.mix_name(reads), reads)
        elif not self.table and _LOADS.match(caption):
            self.table = _NONE  # the section's mix is not that of loading

    def of_row(self, cell: str | None) -> Mix:
        """The mix of a row with this cell in a column for the mix; None: the table has none.

        Raises
            RowError: the cell is no mix, or is blank below a row that is not read.
        """
        printed = mix(cell) if cell else None
        if not printed and cell and _LETTER.fullmatch(cell):
            printed = (cell.lower(), nan)  # of the mix that the letter stands for nothing is said
        if not printed and cell:
            if not re.search(r"[^\W\d_]", cell):
                raise RowError(f"mix: got {shown(cell)}, expected a mix such as 50:50 or a name")
            printed = (identifier(cell), nan)  # it is not the section's
        if cell == "" and self.is_lost:
            raise RowError("mix: got '' below a row that is not read, expected a mix such as 50:50")
        if printed:
            self.table, self.is_lost = printed, False
        section = self.section[1] if self.section else None
        return printed or self.table or (self._of_prose(section) if cell is None else None) or section or _NONE

    def _of_prose(self, section: Mix | None) -> Mix | None:
        """The one mix that the text prints, where the section's heading prints no shares itself."""
        mixes = {printed for printed in self.prose if not isnan(printed[1])} or self.prose
        if len(mixes) != 1 or (section and (not isnan(section[1]) or self.prose_level < self.section[0])):
            return None
        ((name, reads),) = mixes
        return (section[0] if section else name, reads)


_LETTER = re.compile(r"[A-Fa-f]")
_LOADS = re.compile(r"(?:data )?load(?:ing)?\b|(?:数据)?(?:加载|装载|导入)", re.IGNORECASE)
_MIX = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,6})?)\s*(?:%|reads?)?\s*[:/]\s*(\d{1,3}(?:\.\d{1,6})?)(?![\d.])")
# Small numbers are a mix only where the words before them say so.
_RATIO = re.compile(
    r"(?:读写(?:混合)?比例?|读[&/](?:写|更新)比?例?|r[:/]w|read[:/]?(?:write|update)s?(?: ratio)?)\s{0,3}[:=为]?\s{0,3}"
    r"(\d{1,2})\s?:\s?(\d{1,2})(?![\d.:])",
    re.IGNORECASE,
)
_OPERATION = "reads?|(?-i:GETs?|SETs?)|读取?|查询|updates?|writes?|inserts?|更新|写入?|插入"
_SHARE = re.compile(
    rf"(?P<share>\d{{1,3}}(?:\.\d{{1,3}})?)\s?%\s?(?:of\s|的)?(?P<operation>{_OPERATION})"
    rf"|(?P<before>{_OPERATION})\s?[:=为占]?\s?(?P<after>\d{{1,3}}(?:\.\d{{1,3}})?)\s?%",
    re.IGNORECASE | re.ASCII,
)
# Between two shares of one mix stand so few characters.
_NEAR = 12
_WORKLOAD_IN_PROSE = re.compile(r"(?<![A-Za-z/])[Ww]orkload\s([A-F])(?![A-Za-z0-9])", re.ASCII)
_WORKLOAD = re.compile(r"(?:^|[^a-z])workload[\s_-]{0,2}([a-f])(?![a-z0-9])", re.IGNORECASE | re.ASCII)
