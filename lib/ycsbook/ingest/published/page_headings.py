"""What the headings of tables name, in Chinese and English, with their units: the same in pages and in CSVs; in these
and in data frames, columns may also be called as in the table `runs`, or as programs spell them."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from math import isnan, nan

from ycsbook.columns import SCHEMAS
from ycsbook.ingest.log.table_columns import Role
from ycsbook.operations import TOTAL

# Mean latencies by the column of a heading; `@` and a number behind it: that percentile.
LATENCIES = {"ral_us": "READ", "wal_us": "UPDATE", "insert_us": "INSERT", "latency_us": TOTAL}
# The first word of a unit such as 万次/秒.
TIMES = {"": 1, "k": 1000, "千": 1000, "thousand": 1000, "1000": 1000, "万": 10_000, "w": 10_000, "m": 1_000_000,
         "million": 1_000_000, "百万": 1_000_000}  # fmt: skip
LATENCY_UNITS = {
    **dict.fromkeys(("ns", "nanoseconds", "纳秒"), 0.001),
    **dict.fromkeys(("us", "μs", "usec", "microseconds", "微秒"), 1.0),
    **dict.fromkeys(("ms", "msec", "milliseconds", "毫秒"), 1000.0),
    **dict.fromkeys(("s", "sec", "seconds", "秒"), 1_000_000.0),
}
LATENCY_UNITS |= {f"{unit}/op": factor for unit, factor in LATENCY_UNITS.items()}
QPS = "throughput_ops_s"
# A column of these names holds repeats, or names of runs.
RUNS = {"run", "runs", "run_no", "run_number", "iteration", "iter", "次", "次数", "轮次", "第几次"}
OTHER_OPERATIONS = {"scan": "SCAN", "rmw": "READ-MODIFY-WRITE"}
# What columns are called besides, the likeliest first: what pages head so is read as there, too.
SYNONYMS: dict[str, dict[str, float]] = {
    "cores": dict.fromkeys(("core", "cpus", "vcpu", "vcpus", "n_cores", "cpu_cores", "cpu_count"), 1),
    "threads": dict.fromkeys(("thread", "n_threads", "client_threads", "concurrency"), 1),
    QPS: dict.fromkeys(("qps", "tps", "throughput", "ops_s", "ops_sec", "ops_per_s", "ops_per_sec",
                        "ops_per_second", "throughput_ops_sec"), 1),
    "ram_gib": dict.fromkeys(("ram", "ram_gb", "memory", "memory_gib", "memory_gb", "mem_gib", "mem_gb"), 1),
    "repeat": dict.fromkeys(("rep", "repetition", "trial", "round"), 1),
    "spec": dict.fromkeys(("instance", "instance_type", "server_type"), 1),
    "read_fraction": {"read_share": 1, "read_ratio": 1, "read_percent": 0.01, "read_pct": 0.01},
    "runtime_ms": dict.fromkeys(("run_time_ms", "duration_ms", "test_duration_ms"), 1),
    "data_bytes": dict.fromkeys(("dataset_bytes", "data_size_bytes", "dataset_size_bytes"), 1),
    "records": dict.fromkeys(("recordcount", "record_count", "num_records"), 1),
    "clients": dict.fromkeys(("client_machines", "client_count", "n_clients", "num_clients"), 1),
    "target_ops_s": dict.fromkeys(("target", "target_throughput", "target_ops_sec", "target_ops", "target_qps"), 1),
    # Of YCSB's E and F, in a CSV of one's own.
    **{f"{name}_us": {f"{name}_latency_us": 1} for name in OTHER_OPERATIONS},
}  # fmt: skip
# Other units that a name may end in, in us and in bytes; a GB of RAM is a GiB, as servers are sold.
_KINDS = (
    {"us": 1, "ms": 1e3, "s": 1e6, "sec": 1e6, "seconds": 1e6, "min": 6e7, "minutes": 6e7, "h": 3.6e9, "hours": 3.6e9},
    {"bytes": 1, **{f"{of}{b}": 2.0 ** (10 * n) for n, of in enumerate("kmgt", 1) for b in ("b", "ib")}},
)
# Latencies are no columns of `runs`: what each is called here and on pages. `@` and a number behind it: a percentile.
ON_PAGES = {"read_us": "ral_us", "write_us": "wal_us", "insert_us": "insert_us", "latency_us": "latency_us"}
OPERATIONS = {name: LATENCIES[on_pages] for name, on_pages in ON_PAGES.items()}
OPERATIONS |= {f"{name}_us": of for name, of in OTHER_OPERATIONS.items()}
_CALLED = {**{on_pages: name for name, on_pages in ON_PAGES.items()}, "tps": QPS}
MIX = "mix"
_NAMES_MIX = re.compile("workload|负载", re.IGNORECASE)
MEANINGS = {
    name: (column, factor)
    for column, others in {**{c: {} for c in SCHEMAS["runs"]}, **SYNONYMS}.items()
    for name, factor in {column: 1, **others}.items()
}
MEANINGS |= dict.fromkeys(("actual_throughput", "achieved_throughput", "actual_qps", "achieved_qps"), (QPS, 1))


def columns(headings: Sequence[str], *, has_threads: bool = False) -> list[Role]:
    """`column` for all headings of a table. Of queries and transactions each second the rate is that which its
    latency is of: where one of all operations is printed beside both, as by sysbench, it is the transaction's. Rates of
    something else, such as bytes, are none; that of success is that of failures with a negative factor. Clients or
    connections are the threads where no other column is, and workers or goroutines, which may be the server's, where
    nothing else says them (`has_threads`: the text does)."""
    roles = [("failed_share", -1.0) if _SUCCESS.match(of) else column(of) for of in headings]
    if any(c and c[0].startswith("latency_us@") for c in roles) and not any(c and c[0] == "latency_us" for c in roles):
        # Beside percentiles that say no more, what the mean is of need not be said.
        roles = [("latency_us", nan) if c is None and _MEAN_ALONE.fullmatch(heading.strip()) else c
                 for heading, c in zip(headings, roles, strict=True)]  # fmt: skip
    for vague in ("total_ops", "ops", "mix", "throughput", "吞吐量"):  # beside another: counts, shares, bytes
        names_with_unit = [c[0] for c in roles if c and not isnan(c[1])]
        roles = [None if c and names_with_unit.count(c[0]) > 1 and plain(heading) == vague else c
                 for heading, c in zip(headings, roles, strict=True)]  # fmt: skip
    mixes = [at for at, c in enumerate(roles) if c and c[0] == MIX]
    if len(named := [at for at in mixes if _NAMES_MIX.search(headings[at])]) == 1:  # beside what it is made of
        roles = [None if at in mixes and at not in named else c for at, c in enumerate(roles)]
    rates = [at for at, c in enumerate(roles) if c and c[0] in ("throughput_ops_s", "tps")]
    if len(rates) == 1 and _LABELLED.search(headings[rates[0]]):
        roles[rates[0]] = (roles[rates[0]][0], 1.0)
    roles = roles if has_threads else with_workers(headings, roles)
    names = {c[0] for c in roles if c and (c[0] == "threads" or not isnan(c[1]))}
    has_rate = not names.isdisjoint(("throughput_ops_s", "tps"))
    left_out = {other for other, name in _INSTEAD.items() if name in names}
    if "tps" in left_out & names and any(name.partition("@")[0] == "latency_us" for name in names):
        left_out = left_out - {"tps"} | {"throughput_ops_s"}
    return [
        None if c and (c[0] in left_out or (has_rate and c[0] == "throughput_ops_s" and isnan(c[1])))
        else c and (_INSTEAD.get(c[0], c[0]), c[1])
        for c in roles
    ]  # fmt: skip


def with_workers(headings: Sequence[str], roles: list[Role]) -> list[Role]:
    """What the columns of a table hold: workers or goroutines are the threads where no other column says them."""
    if any(c and c[0] in ("threads", "clients") for c in roles):
        return roles
    return [("threads", 1.0) if _WORKERS.fullmatch(of.strip()) else c for of, c in zip(headings, roles, strict=True)]


@lru_cache(maxsize=1000)
def column(heading: str) -> Role:
    """The column a heading names and the factor of its unit (NaN: a unit we do not know); None: another one.

    Examples
        >>> column("QPS(万)"), column("Read latency [ms]"), column("P99 RAL"), column("Max latency (us)")
        (('throughput_ops_s', 10000.0), ('ral_us', 1000.0), ('ral_us@99', 1.0), None)
    """
    heading = _BETTER.sub("", heading[:200])
    if _DEVIATION.search(heading):
        undeviated = _DEVIATION.sub("", heading).strip(" _")
        of = column(f"qps {undeviated}" if undeviated.startswith(("(", "（", "[")) else undeviated)
        return (DEVIATION, of[1]) if of and of[0] in ("throughput_ops_s", "tps") and of[1] > 0 else None
    text = unicodedata.normalize("NFKC", re.sub(r"\n\d(?=\n|$)|\^\d", "", _parted(heading))).lower().strip(": \t\n")
    text = _TIMES.sub(r"\1", re.sub(r"(?<=[ _])(?:percent|pct)$", "%", re.sub(r"\s*/\s*", "/", text)))
    text = PER_SECOND.sub(r"\1/s", re.sub(r"\s", "", re.sub(r"[\s,]+(?=[^\s,]+$)", "_", text)))
    if (rate := _RATE.fullmatch(text)) and rate[2] in RATES:
        return "tps" if rate[2] == "tps" else "throughput_ops_s", _THROUGHPUT[text]
    if inner := _KNOWN_UNIT.search(text):
        return _named(text[: inner.start()] + text[inner.end() :], inner[1])
    if last := _BRACKETS.fullmatch(text):
        *words, unit = re.split("[_,]", last[2])
        return _named("".join([last[1], *words]), unit)
    name, mark, unit = text.rpartition("_")
    if mark and unit in _BARE_UNITS and (role := _named(name, unit)) and not isnan(role[1]):
        return role
    share = _SHARE.fullmatch(text)
    return _named(share[1], "%") if share else _named(text, "")


def _named(name: str, unit: str) -> Role:
    bare = re.sub(r"[][_,#-]", "", name)
    is_unit = unit in ("", *LATENCY_UNITS) or not _latency(bare, "")
    if not is_unit and (_latency(bare + unit, "") or _OTHER_STATISTIC.search(unit)):  # Latency (P99)
        bare, unit = bare + unit, ""
    if (latency := _latency(bare, unit)) is not None:
        return latency, LATENCY_UNITS.get(unit or ("us" if _WITHOUT_UNIT.search(bare) else ""), nan)
    if _OTHER_STATISTIC.search(bare):
        return None
    for column_name, pattern in _PATTERNS.items():
        if pattern.fullmatch(bare):
            # A unit of another column's kind, as in CPU (核), may be what tells two columns apart.
            if column_name == "cpu_utilisation" and unit in _UNITS["cores"] and unit:
                return "cores", 1.0
            if column_name == "failed_operations" and unit == "%":
                return "failed_share", 0.01
            return column_name, _UNITS.get(_INSTEAD.get(column_name, column_name), {"": 1.0}).get(unit, nan)
    return None


def _latency(bare: str, unit: str) -> str | None:
    """The name of the latency that a heading is of, every word of which must say something of it."""
    if (match := _MEAN.search(bare)) and not _OTHER_STATISTIC.search(bare):
        return "ral_us" if match["read"] or match["ral"] else "wal_us"
    words: dict[str, str] = {}
    at = 0
    while at < len(bare):
        match = _WORD.match(bare, at)
        if match is None or (match.lastgroup in words and match.lastgroup != "filler"):
            return None
        words[match.lastgroup], at = match[0], match.end()
    operations = [name for name in LATENCIES if name in words]
    if len(operations) > 1:
        return None
    is_statistic = not words.keys().isdisjoint(("mean", "percentile", "median"))
    is_named = operations and operations != ["latency_us"]
    # Without the word, a time: Read avg (us). Insert (s) may be how long all inserts took.
    is_time = unit in LATENCY_UNITS and (is_statistic or (is_named and LATENCY_UNITS[unit] < 1e6))
    if not ("word" in words or "percentile" in words or is_time or (is_named and is_statistic and not unit)):
        return None
    name = operations[0] if operations else "latency_us"
    if "percentile" not in words:
        return f"{name}@50" if "median" in words else name
    # The mean of percentiles is none.
    digits = re.sub(r"[^\d.]", "", words["percentile"])
    percentile = digits if "." in digits or len(digits) == 2 else f"{digits[:2]}.{digits[2:]}"
    return None if "mean" in words else f"{name}@{float(percentile):g}"


def operation(name: str) -> str:
    return OPERATIONS.get(name.partition("@")[0], "")


def meaning(label: object) -> str:
    """The column of `runs`, or of a latency such as read_us@99, that a label of a frame stands for; empty: none."""
    return understand(label)[0]


def understand(label: object) -> tuple[str, float]:
    """The column that a label stands for, and the factor of its unit: NaN where that is not known."""
    if role := MEANINGS.get(plain(label)) or _in_other_unit(*plain(label).rpartition("_")[::2]):
        return role
    name, factor = column(str(label)) or ("", 1)
    base, mark, rank = name.partition("@")
    return f"{_CALLED.get(base, base)}{mark}{rank}", factor


def _in_other_unit(name: str, unit: str) -> Role:
    """MEANINGS for a name that stands there with another unit: runtime_s, ram_mb. Rates are no times, ping's rtt_min
    is no number of minutes, and storage_gb a disk's size, not that of files."""
    for kind in _KINDS:
        for other in kind if unit in kind and name != "storage" else ():
            role, factor = MEANINGS.get(f"{name}_{other}", ("", 1))
            if role and not role.endswith("ops_s") and (unit, other) != ("min", "us"):
                return role, factor * kind[unit] / kind[other]
    return None


def plain(label: object) -> str:
    text = unicodedata.normalize("NFKC", _parted(str(label))).lower().replace("%", " percent ").replace("μ", "u")
    return re.sub(r"[\W_]+", "_", text).strip("_")


def hours_of_price(label: object) -> int:
    """For how many hours a heading says what a server costs, 0 where it does not."""
    of_price = _PRICE.search(plain(label)) is not None
    return next((hours for hours, words in _PERIODS.items() if of_price and words.search(plain(label))), 0)


def _parted(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name) if _HUMPS.fullmatch(name) else name


_PRICE = re.compile(r"price|cost|(?:^|_)(?:usd|eur|cny|rmb)_|价格|单价|费用")
# The hours of what a price may be for, as clouds count them.
_PERIODS = {
    1: re.compile(r"hour|(?:^|_)hr?(?:_|$)|小时|每时"),
    730: re.compile(r"month|(?:^|_)mo(?:_|$)|月"),
    8760: re.compile(r"year|annual|年"),
}
_DIRECTION = r"(?:higher|lower|more|less)(?: is|=)? ?better"
# What of a rate's repeats is printed: (ops/s; mean ± stddev), (ops/s, median of 3 runs).
_OF_REPEATS = (
    r"(?<=[/ep][sc])[,;]\s?(?:mean|median|average|avg)\s"
    r"(?:(?:±|\+/-)[^()\[\],;]{1,40}|of\s\d{1,3}(?:\s\w+)?|(?:of|over|across)\s(?:\w+\s)?(?:runs|repeats|trials))(?=[)\]])"
)
_BETTER = re.compile(rf"[\s,;]*(?:[(\[]{_DIRECTION}[)\]]|{_DIRECTION}|[↑↓⬆⬇]\ufe0f?)|{_OF_REPEATS}", re.IGNORECASE)
# Programs set words off by capitals alone: avgLatencyMs.
_HUMPS = re.compile(r"[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+")
# Beside a rate they are how many there were.
COUNT = re.compile(r"(?:total_?)?ops")
# How long a run took; `ops` beside it may be how many there were.
TOOK = re.compile(
    r"(?:total_|test_|run_?)?(?:time_(?:m?s|secs?)|duration\w*|elapsed\w*|secs?|seconds)|runtime\w*|总?耗时\w*|用时\w*"
)
_BRACKETS = re.compile(r"(.*?)[(\[]([^()\[\]]*)[)\]]")
# Words for figures that nobody measured as a rate: aims, extremes, shares and what went wrong.
NOT_MEASURED = (
    r"(?<![a-z])(?:best|worst|target|expect|ideal|linear|theor|peak|offered|planned|requested|intended|normali[sz]|relative"
    r"|max(?:imum)?\b|min(?:imum)?\b|median|limit|estimat|percent|fail|errors?\b|reject|loss\b|drop|speed-?up|improve|gain"
    r"|bytes|costs?\b|prices?\b)|目标|理论|预期|期望|失败|错误|提升|最大|最小|峰值"
)
# What stands behind a rate and is no unit: QPS (cached), Throughput (10KB).
_LABELLED = re.compile(
    rf"(?:[oqrt]ps\s?[(（](?!thou|mill|bill|kilo|mega|hundred|tausend|lakh|crore|тыс|млн|{NOT_MEASURED})"
    r"(?:[a-z]{4,20}|[^\x00-\x7f万千百亿]{2,20})"
    r"|(?:[oqrt]ps|throughput|吞吐量?)\s?[(（]\d{1,6}[kmg]?i?b)[)）]\s?$",
    re.IGNORECASE,
)
_SHARE = re.compile(r"(.*(?:利用率|使用率|占用率))%")
# In some headings the unit is not the last: AverageLatency(us) [READ].
_RATE = re.compile(rf"({'|'.join(filter(None, TIMES))})(.+)")
_KNOWN_UNIT = re.compile(r"[(\[](us|μs|微秒|ms|毫秒)[)\]]")
# Percentiles and extremes are not the mean latency or throughput that the tables hold.
_OTHER_STATISTIC = re.compile(
    r"p\d\d|\d(?:th|%)|percentile|分位|max|min(?!d)|peak|worst|median|std|最大|最小|峰值|中位|标准差|99线|客户端cpu|clientcpu"
)
# How far the throughputs of repeats scatter.
DEVIATION = "throughput_sd"
_DEVIATION = re.compile(
    r"(?<![a-z])(?:st(?:an)?d(?:ard)?[ ._-]{0,2}dev(?:iation)?|std|sd|σ)(?![a-z])\.?(?: of\b)?|标准差", re.IGNORECASE
)
# Percentiles of several clients or runs were averaged, which gives none.
is_averaged_percentile = re.compile(
    r"(?:avg|average|mean|平均)(?: of)?[\s._-]{0,3}(?:p\d\d|\d\d(?:\.\d{1,3})?(?:th|%)|percentile)"
    r"|p\d\d[\s._-]{0,3}(?:avg|mean|平均)",
    re.IGNORECASE,
).search
_WORD = re.compile(
    r"(?P<word>latency|latencies|latenz(?:en)?|latence|latencia|lat(?![a-z])|response(?:time)?|rt(?![a-z])|响应(?:时间|时延|延迟)|时延|延迟|延时)"
    r"|(?P<ral_us>ral|reads?|读(?:取|操作|请求)?)|(?P<wal_us>wal|writes?|updates?|写入?(?:操作|请求)?|更新(?:操作)?)"
    r"|(?P<insert_us>inserts?|插入(?:操作)?)|(?P<latency_us>overall|total|all)"
    r"|(?P<mean>avg|average|mean|平均值?|均值)|(?P<median>median|中位数?)"
    r"|(?P<percentile>t?p\d{2,4}(?:\.\d{1,2})?|\d{2}(?:\.\d{1,2})?(?:th|st|%|百?分位|线)(?:percentile|数|值)?)"
    r"|(?P<filler>of|for|the|operations?|[.:的])"
)
# Chinese headings have other words before these. 读写延迟 is that of both together.
_MEAN = re.compile(
    r"(?:(?P<read>读)(?:取|操作|请求)?|(?<![读/&、和与+])(?:写入?|更新)(?:操作|请求)?)"
    r"(?:平均)?(?:响应)?(?:时延|延迟|延时|时间|耗时)|(?:^|[^a-z])(?:(?P<ral>ral)|wal)$"
)
_WORKERS = re.compile(
    r"(?:(?:num(?:ber)?|no\.?|n|#)[ _]?(?:of[ _])?)?(?:workers?|goroutines?)(?:[ _]count)?", re.IGNORECASE
)
_SUCCESS = re.compile(
    r"success(?:ful)?(?: (?:op|operation|request)s?)?[ _-]?(?:rate|ratio|%)|(?:操作|请求)?成功率", re.IGNORECASE
)
_MEAN_ALONE = re.compile(r"avg|average|mean|平均值?|均值", re.IGNORECASE)
_NUMBER_OF = r"(?:(?:num(?:ber)?|no\.?|n)(?:of)?|anzahl|nombrede|n[uú]merode|число)?"
_COLUMNS = {
    "spec": r".*规格.*|\w{0,20}?spec(?:s|ification)?|instance(?:type|size|class)?|实例(?:类型|配置)?"
    r"|(?:node|machine|vm|host)(?:type|size|class)|(?:cluster)?tier|sku|机型|节点类型",
    "threads": r"并发(?:数|量|度|线程数?|连接数)?|(?:客户端|测试|压测|ycsb)?(?:并发)?线程数?量?|conc(?:urrency)?"
    rf"|{_NUMBER_OF}(?:(?:concurrent|client|ycsb|sysbench|test)?threads?|hilos|потоки|потоков|並列|スレッド|스레드)"
    "(?:count|数|수)?",
    "throughput_ops_s": r"(?:平均|总|avg|average|mean|overall|total)?(?:[qr]ps|ops|吞吐量?|吞吐率"
    r"|(?:throughput|t(?:hr)?put|thr?pt)(?:avg|average|mean)?"
    r"|durchsatz|débit|rendimiento|caudal|rendimento|пропускнаяспособность|スループット|처리량|gesamtdurchsatz"
    r"|(?:ops?|operations?|req(?:uest)?s?|queries|inserts?|reads?|updates?|writes?|records?|rows?)/s|每秒(?:操作|请求)数)",
    "tps": r"(?:平均|总|avg|average|mean|overall|total|ack(?:ed)?|commit(?:ted)?)?"
    r"(?:tps|(?:tx|txns?|transactions?)/s|每秒事务数)",
    "clients": rf"{_NUMBER_OF}(?:concurrent)?(?:client|conn(?:ection)?|user|vu)s?(?:count)?"
    r"|(?:客户端|连接|(?:并发)?用户)数?",
    "cpu_utilisation": r"(?:平均|avg|average)?(?:server|服务端|服务器|数据库|实例|mongod|mongodb)?(?:平均)?cpu(?:平均)?"
    r"(?:利用率|使用率|占用率?|usage|load|util(?:i[sz]ation)?|%)?",
    "failed_operations": r"(?:(?:number)?of)?(?:(?:operation|op|request)s?|query)?(?:failed|failures?|errors?"
    r"|unsuccessful)(?:operation|op|request|req|query|querie|transaction)?s?(?:count)?"
    r"|(?:失败|错误|出错|异常)(?:操作|请求)?(?:总数|次数|个数|数量?)?",
    "failed_share": r"(?:failed|failures?|fail|errors?)(?:operation|op|request)?s?(?:rate|ratio|share|percentage)"
    r"|(?:失败|错误|出错|异常)(?:操作|请求)?(?:率|比例)",
    "server_version": r"(?:mongodb|db|server|数据库|内核|引擎)?(?:version|版本)号?",
    "cores": rf"(?:cpu)?核心?数?|{_NUMBER_OF}(?:(?:cpu)?cores?|v?cpus?|vcores?)(?:count)?",
    "repeat": "|".join(SYNONYMS["repeat"]) + "|repeat",
    "ram_gib": r"内存(?:大小|容量)?|memory(?:size)?|ram",
    "mix": r"读写(?:混合)?比例?|读[&:/]?(?:写|更新)比?例?|mix|read[:/]?(?:write|update)s?(?:ratio|mix)?|workloads?"
    r"|(?:transaction|test|query|operation|request)(?:model|type|scenario|pattern)s?"
    r"|(?:(?:工作)?负载|workload)(?:类型|模型|名称)?|(?:测试)?场景|phase|阶段|(?:事务|业务|操作|查询)(?:模型|类型)|scenarios?",
}
_PATTERNS = {name: re.compile(words) for name, words in _COLUMNS.items()}
RATES = ("", "ops", "qps", "tps", "rps", "op/s", "ops/s", "operations/s", "req/s", "reqs/s", "requests/s", "queries/s",
          "/s", "elem/s", "elements/s", "docs/s", "tx/s", "txn/s", "条/秒", "条/s",
          "records/s", "rows/s", "inserts/s", "reads/s", "writes/s", "scans/s", "次/秒", "次/s", "个/秒")  # fmt: skip
_THROUGHPUT = {f"{times}{rate}": float(factor) for times, factor in TIMES.items() for rate in RATES}
_UNITS = {
    "threads": {"": 1.0, "个": 1.0},
    "throughput_ops_s": _THROUGHPUT,
    "cpu_utilisation": {"": 1.0, "%": 0.01},
    "failed_share": {"": 1.0, "%": 0.01},
    "cores": {"": 1.0, "核": 1.0, "个": 1.0, "cores": 1.0, "c": 1.0, "vcpu": 1.0},
    "ram_gib": {unit: factor for factor, units in {1.0: ("", "g", "gb", "gib"), 2.0**-10: ("mb", "mib"),
                                                   2.0**10: ("tb", "tib")}.items() for unit in units},
}  # fmt: skip
_INSTEAD = {"tps": "throughput_ops_s", "clients": "threads"}
# The end of rates such as requests/second and ops_per_sec, which are all read as with /s.
PER_SECOND = re.compile(
    r"(?:(?<![a-z])(ops?|operations?|req(?:uest)?s?|queries|tx|txns?|transactions?)(?:/|_?per_?|_)|/)(?:s|sec|second)(?![a-z])"
)
# A factor set off from its unit, as in K ops/s.
_TIMES = re.compile(
    rf"(?<![\w.])[x×]?({'|'.join(filter(None, TIMES))})\s?(?=[oqtr]ps|ops?\b|operations?\b|req|quer|次)"
)
# Units that may stand behind a name without brackets; a last word of a name is none.
_BARE_UNITS = {*LATENCY_UNITS, *_THROUGHPUT, "%", "gb", "gib"} - {""}
# Chinese vendors print RAL and WAL in YCSB's own microseconds; of a latency by any other name nobody knows.
_WITHOUT_UNIT = re.compile(r"(?:^|[^a-z])(?:p\d+)?[rw]al(?:p\d+)?$")
