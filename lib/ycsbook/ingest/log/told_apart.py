"""Which columns of a table tell its rows apart although no figure is known by their name: Engine, Storage, Compression.

Two rows that differ in nothing but such a column are of two servers or settings, and no repeats.
"""

import re
from collections.abc import Hashable, Sequence

# What differs from run to run by nature, and what is measured.
_OF_RUNS = re.compile(
    r"\W{0,3}(?:(?:file|log|test)?[ _]?(?:name|path)|file|log|index|id|run|#|no|(?:run|test)[ _]?(?:id|no|number)"
    r"|iteration|repeat|trial|round|date|time|time[ _]?stamp|started|start|end|notes?|remarks?|comments?"
    r"|序号|编号|日期|时间|轮次|次数|备注|说明)?\W{0,3}",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"latenc|response|\bp\d\d|percentile|\bmax|\bmin|\bavg|average|\bmean|median|std|qps|utili|tps|\bops|iops|/s"
    r"|throughput|usage|error|fail|run.?time|duration|cost|price|时延|延迟|延时|分位|最大|最小|平均|吞吐|用率|错误|失败",
    re.IGNORECASE,
)
# Words that name what a server is or is asked for; their rows stand apart whatever else they differ in.
_SETTINGS = re.compile(
    r"(?:(?:database|db|storage|disk|cache)[ _]?)?engine|(?:database|db|storage|disk|cache)[ _]?(?:type|mode)"
    r"|db|database|system|binding|storage|disk|volume|compression|compressor|distribution|consistency|topology|architecture"
    r"|引擎|存储(?:引擎|类型)?|磁盘(?:类型)?|压缩(?:算法)?|分布|数据库|架构",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[<>~≈]?\s?[\d.,:]{1,20}\s?(?:[^\W\d_]{1,8}|%)?", re.ASCII)
_LETTER = re.compile(r"[^\W\d_]")


def settings(headings: Sequence[str], rows: Sequence[Sequence[str]], keys: Sequence[Hashable]) -> list[int]:
    """The columns that are part of what a row is of.

    They hold words, or figures that return, and differ between rows of the same key; or their heading names a setting
    of servers, and its words return.

    Parameters
        headings: of all columns; empty where it is known by its name what a column holds.
        rows: the cells of each row.
        keys: what else tells the rows apart.
    Examples
        >>> settings(["", "Engine", "P99 (ms)"], [["8", "mmap", "4"], ["8", "wt", "2"]], ["8", "8"])
        [1]
    """
    found = []
    for at, heading in enumerate(headings):
        if _OF_RUNS.fullmatch(heading) or _MEASURED.search(heading):
            continue
        cells = [row[at] for row in rows]
        n = len(set(cells))
        has_words = any(_LETTER.search(cell) and not _FIGURE.fullmatch(cell) for cell in cells)
        returns = 2 * n <= len(cells)
        parts = len(set(zip(keys, cells, strict=True))) > len(set(keys))
        is_named = _SETTINGS.fullmatch(heading.strip()) is not None
        if n > 1 and ((has_words and (parts or (returns and is_named))) or (parts and returns)):
            found.append(at)
    return found
