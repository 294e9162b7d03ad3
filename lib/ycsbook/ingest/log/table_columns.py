"""The columns of a table whose headings alone do not tell what they are: specs, what tells rows apart, measurements."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from ycsbook.ingest.log.labels import shape, shape_inside

# What a heading names, and the factor of its unit; None: nothing that is known.
Role = tuple[str, float] | None
# As clouds call them: c5.2xlarge, ecs.g6.large, n2-standard-8, Standard_D8s_v5.
_INSTANCE_TYPE = re.compile(
    r"\.(?:nano|micro|small|medium|\d*x?large|metal)\b|-(?:standard|high(?:mem|cpu))-\d|^Standard_[A-Z]", re.IGNORECASE
)
_BUSY, _CORES = "cpu_utilisation", re.compile(r"\d{1,4}\s?(?:核心?|v?cpus?|v?cores?|c)", re.IGNORECASE)
_MAY_BE_SPEC = ("", "spec", "cores", _BUSY)
# Busy cores are no number of cores, which is whole, or rounder, and no share: 384 % of one is no slip where it recurs.
_NOT_THAT = {
    "cores": (re.compile(r"[1-9]\d*\.(?!(?:[05]0|25|75)\d*$)\d\d+", re.ASCII), 1),
    _BUSY: (re.compile(r"(?:1[6-9]|[2-9]\d|[1-9]\d\d)\d(?:\.\d+)?\s?%?", re.ASCII), 2),
}
_GENERATOR = re.compile(r"client|driver|load[ -]?gen|压测|客户端|施压|发压", re.IGNORECASE)
# What differs from run to run by nature, and what is measured.
_OF_RUNS = re.compile(
    r"\W{0,3}(?:(?:file|log|test)?[ _]?(?:name|path)|file|log|index|id|run|#|no|(?:run|test)[ _]?(?:id|no|number)"
    r"|iteration|repeat|trial|round|notes?|remarks?|comments?|序号|编号|轮次|次数|备注|说明)?\W{0,3}",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\W{0,3}(?:(?:run|test|start(?:ed)?|end(?:ed)?|measured)?[ _]?(?:on|at|date|(?:date[ _]?)?time|time[ _]?stamp)"
    r"|start(?:ed)?|end(?:ed)?|measured|(?:测试|开始|结束|运行)?(?:日期|时间))\W{0,3}",
    re.IGNORECASE,
)
# What a server costs is no figure of its runs.
PRICE = re.compile(r"price|cost|价|费|[$€£¥]|\b(?:usd|eur|cny|rmb)\b|元", re.IGNORECASE)
is_measured = re.compile(
    r"latenc|response|\bp\d\d|percentile|\bmax|\bmin|\bavg|average|\bmean|median|std|qps|utili|tps|\bops|iops|/s"
    r"|throughput|usage|error|fail|run.?time|duration|时延|延迟|延时|分位|最大|最小|平均|吞吐|用率|错误|失败"
    rf"|{PRICE.pattern}",
    re.IGNORECASE,
).search
# Words that name what a server is or is asked for; their rows stand apart whatever else they differ in.
_SETTINGS = re.compile(
    r"(?:(?:storage|disk|cache)[ _]?)?engine|(?:storage|disk|cache)[ _]?(?:type|mode)"
    r"|storage|disk|volume|compression|compressor|distribution|consistency|topology|architecture"
    r"|引擎|存储(?:引擎|类型)?|磁盘(?:类型)?|压缩(?:算法)?|分布|架构",
    re.IGNORECASE,
)
# What is measured itself: other ones are never the same server.
_PRODUCT = re.compile(
    r"(?:database|db)(?:[ _]?(?:engine|type|mode|name))?|system|binding|product|store|数据库|产品", re.IGNORECASE
)
_MACHINES = re.compile(r"(?:number of )?(?:nodes?|shards?)|(?:节点|分片)数?量?", re.IGNORECASE)
_SIZES = re.compile(r"(?:data(?:set)?|key|value|record|object|payload|document|batch|field)[ _]?size.*", re.IGNORECASE)
FIGURE = r"[<>~≈]?\s?[\d.,]+"  # what looks like one, without its unit; page_cells.figure reads it
_FIGURE = re.compile(rf"{FIGURE}[\d.,:]*\s?[^\W\d_]{{0,8}}", re.ASCII)  # 12:30 PM is one, 4.4-wt a name
_LETTER = re.compile(r"[^\W\d_]")
_RATIO = re.compile(r"\W{0,4}\d+\.(?:\d+\s?[x×](?!\w)|\d{4})", re.ASCII)  # 0.96x, 3.00x faster, 0.8759


def _mostly(is_one: Callable[[str], object], cells: Sequence[str]) -> bool:
    matches = [bool(is_one(cell)) for cell in cells if cell]
    return any(matches) and 2 * sum(matches) >= len(matches)


def with_spec(headings: Sequence[str], roles: list[Role], cells: Sequence[Sequence[str]]) -> list[Role]:
    """What the columns of a table hold, that of the servers' specs told by its cells, whatever its heading: that of
    shapes, or else, where no heading names one, of instance types of clouds, unless several columns are."""
    # CPU heads how many cores a server has as well as how busy these were.
    counts = [_mostly(_CORES.fullmatch, of) for of in cells]
    roles = [("cores", 1.0) if n and c and c[0] == _BUSY else c for c, n in zip(roles, counts, strict=True)]
    for at, c in enumerate(roles):
        of, at_least = _NOT_THAT.get(c[0], (None, 0)) if c else (None, 0)
        if of and len([cell for cell in cells[at] if of.fullmatch(cell)]) >= at_least:
            roles[at] = None
    names = [c[0] if c else "" for c in roles]
    may_be = [at for at, name in enumerate(names) if name in _MAY_BE_SPEC and not _GENERATOR.search(headings[at])]
    for is_one in (lambda cell: shape(cell) or shape_inside(cell), _INSTANCE_TYPE.search):
        of_specs = [at for at in may_be if _mostly(is_one, cells[at])]
        # Cells may have moved to the left, below another heading.
        named_so = [at for at in may_be if names[at] == "spec" and any(map(is_one, filter(None, cells[at])))]
        if of_specs or "spec" in names:
            spec_at = named_so or of_specs
            if len(spec_at) == 1:
                roles = [None if name == "spec" else c for name, c in zip(names, roles, strict=True)]
                roles[spec_at[0]] = ("spec", 1.0)
            return roles
    return roles


def distinguishing_columns(
    headings: Sequence[str], rows: Sequence[Sequence[str]], keys: Sequence[Hashable]
) -> list[int]:
    """The columns of a table that tell its rows apart although their names stand for no figure, such as Engine.

    Rows that differ in nothing but such a column are of two servers or settings, and no repeats. They hold words that
    differ between rows of the same key; or figures that each return, several for most keys, as what is measured does
    not; or their heading names a setting of servers, and its words return; or it names the product, or a number of
    servers. Ratios tell nothing apart.

    Parameters
        headings: of all columns; empty where it is known by its name what a column holds.
        rows: the cells of each row.
        keys: what else tells the rows apart.
    Examples
        >>> distinguishing_columns(["", "Engine", "P99 (ms)"], [["8", "mmap", "4"], ["8", "wt", "2"]], ["8", "8"])
        [1]
    """
    columns = []
    for at, heading in enumerate(headings):
        is_of_runs = is_when(heading) or (_OF_RUNS.fullmatch(heading) and any(map(str.isalnum, heading)))
        cells = [row[at] for row in rows]
        if not heading or is_of_runs or is_measured(heading) or _mostly(_RATIO.match, cells):
            continue
        n = len(set(cells))
        has_words = any(_LETTER.search(cell) and not _FIGURE.fullmatch(cell) for cell in cells)
        returns = 2 * n <= len(cells)
        of_keys = Counter(key for key, _ in set(zip(keys, cells, strict=True)))
        parts = len(of_keys) < of_keys.total()
        is_named = is_product(heading) or (returns and _SETTINGS.fullmatch(heading.strip()))
        with_several = sum(count > 1 for count in of_keys.values())
        is_crossed = min(Counter(cells).values(), default=0) > 1 and 2 * with_several >= len(of_keys)
        is_count = is_crossed or _MACHINES.fullmatch(heading.strip()) or _SIZES.fullmatch(heading.strip())
        if n > 1 and ((has_words and (parts or is_named)) or (parts and is_count)):
            columns.append(at)
    return columns


def words_of(heading: str, cell: str) -> str:
    """What a cell of such a column says, with its heading where it is a switch or a number: Journal=on, Shards=2."""
    says_little = cell.isdigit() or cell.lower() in ("true", "false", "yes", "no", "on", "off")
    return f"{heading}={cell}" if says_little else cell


def is_product(heading: str) -> bool:
    return _PRODUCT.fullmatch(heading.strip()) is not None


def is_when(heading: str) -> bool:
    return _WHEN.fullmatch(heading.strip()) is not None


def unread_columns(headings: Sequence[str], rows: Sequence[Sequence[str]], settings: Sequence[int]) -> list[str]:
    """The headings of the columns of which nothing is known, but for those that number or annotate rows."""
    return [
        " ".join(heading.split())
        for at, heading in enumerate(headings)
        if at not in settings and not _OF_RUNS.fullmatch(heading) and any(row[at].strip() for row in rows)
    ]
