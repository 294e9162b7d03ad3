"""What the headings and sentences of a page say of the tables below them: threads, server, version, topology, concern.

Only what they say once and plainly holds. Several numbers of threads, a range of them, or those of each client without
the number of clients are none; nor is a client's machine the server.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from ycsbook.ingest.log.labels import shape_inside, shapes_inside
from ycsbook.ingest.published.page_tables import LOWEST_LEVEL

Facts = dict[str, set]
MAX_SENTENCE = 5000


class PageFacts:
    """Walks along with the reader of a page and remembers what its open sections say."""

    def __init__(self):
        self.sections: list[tuple[int, Facts]] = [(0, defaultdict(set))]  # level of the heading, what is said below it
        self.caption: Facts = {}
        self.has_table = False  # below the last heading

    def heading(self, level: int, text: str) -> None:
        """Take a section heading. Lines in bold one below the other are one heading."""
        if level < LOWEST_LEVEL or self.has_table or self.sections[-1][0] != level:
            while self.sections[-1][0] >= level:
                self.sections.pop()
            self.sections.append((level, defaultdict(set)))
        self.has_table = False
        self.sentence(text, is_title=True)
        if shape := shape_inside(text):
            self.sections[-1][1]["title_spec"].add(shape)

    def sentence(self, text: str, *, is_title: bool = False) -> None:
        for name, value in facts_in(text, is_title=is_title):
            self.sections[-1][1][name].add(value)

    def new_table(self, caption: str) -> None:
        """Take the line right above a table, which holds for this one alone."""
        self.caption, self.has_table = defaultdict(set), True
        for name, value in facts_in(caption, is_title=True):
            self.caption[name].add(value)

    def of_table(self, *names: str):
        """What the nearest that says the first of these says; None where it says several things, or nobody any."""
        for name in names:
            for facts in (self.caption, *(facts for _, facts in reversed(self.sections))):
                if values := facts.get(name):
                    return next(iter(values)) if len(values) == 1 else None
        return None


def facts_in(text: str, *, is_title: bool = False) -> Iterator[tuple[str, object]]:
    """What a title or a sentence says: column and value, None where it says something that is not plain.

    Examples
        >>> list(facts_in("MongoDB 5.0, 三节点副本集, w:1, 64 threads"))
        [('server_version', 'MongoDB 5.0'), ('topology', 'replica_set'), ('write_concern', '1'), ('threads', 64.0)]
        >>> list(facts_in("8 loaders with 75 threads each")), list(facts_in("16 to 64 threads, 8 cores/16 threads"))
        ([('threads', 600.0)], [('threads', None)])
    """
    text = unicodedata.normalize("NFKC", text[:MAX_SENTENCE])
    for match in _VERSION.finditer(text):
        yield "server_version", None if _OTHERS.match(text, match.end()) else " ".join(match.groups())
    yield from (("topology", name) for name, words in _TOPOLOGIES.items() if words.search(text))
    yield from (("write_concern", match[1].lower()) for match in _CONCERN.finditer(text))
    for clause in _CLAUSE.split(text):
        if shapes := shapes_inside(clause):
            before, _, behind = clause.rpartition(shapes[-1].label if shapes[-1] else "")
            if not _CLIENT_MACHINE.search(before + re.split("[,)]", behind)[0]):
                yield "spec", None if _NODES.match(behind) else shape_inside(clause)
        for match in _THREADS.finditer(clause):
            # Of commands, only one that runs the workload says it.
            if not _OF_CPU.search(clause[: match.start()]) and (not match["option"] or "run" in clause):
                yield "threads", _threads(clause, match)
        for match in _CLIENTS.finditer(clause):
            if is_title or match["parallel"]:
                yield "clients", None if _MORE_BEFORE.search(clause[: match.start()]) else float(match["before"])


def _threads(clause: str, match: re.Match) -> float | None:
    """The number of threads that a clause says, those of all clients together; None where that is not plain."""
    side = "before" if match["before"] else "behind"
    more = _MORE if side == "behind" else _OR_MORE
    if _MORE_BEFORE.search(clause[: match.start(side)]) or more.match(clause, match.end()):
        return None
    n, machines, of_each = float(match[side]), _MACHINES.search(clause), _EACH.search(clause)
    if _IN_ALL.search(clause) or not (machines or of_each):
        return n
    count = _NUMBERS.get(machines[1].lower()) or float(machines[1]) if machines else 0
    return n * count if (of_each and count) or count == 1 else None


_VERSION = re.compile(
    r"\b((?-i:MongoDB|ScyllaDB|Cassandra|Redis|Valkey|Dragonfly|TiDB|TiKV|FoundationDB|Couchbase|Aerospike|PostgreSQL"
    r"|MySQL|MariaDB|CockroachDB|YugabyteDB|DocumentDB|RocksDB|HBase|Elasticsearch))\s{0,3}"
    r"(?:(?:community|enterprise|server|edition|数据库|版)\s{0,3}){0,3}(?:\(|version|版本)?[为是:]?\s{0,3}v?"
    r"(\d{1,2}\.\d{1,2}(?:\.\d{1,3})?)(?![\d.])(?!\s(?:\w+ )?(?:driver|client|shell))",
    re.ASCII | re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\s?(?:[,、/~+]|and|or|to|和|及|至|到)\s?(?:v?\d+\.\d|later|newer|above)|\s?-\s?\d+\.\d|\+|\s?及?以上",
    re.IGNORECASE,
)
_TOPOLOGIES = {
    "standalone": re.compile(r"\bstandalone\b(?! (?:client|tool|machine))|单节点|单机(?![房柜架])", re.IGNORECASE),
    "replica_set": re.compile(r"\breplica[ -]?sets?\b|副本集", re.IGNORECASE),
    "sharded": re.compile(r"\bsharded\b|分片", re.IGNORECASE),
}
_CONCERN = re.compile(
    r"(?:(?<![\w:/?&.+-])w[\"']?\s?[:=]|write[ _]?concern(?: of| is)?\s?[:=]?|写关注[为:]?)"
    r"[\s{\"']{0,3}(?:w\s?:\s?)?[\"']?(majority|[0-5])(?![\w:.%])",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[;。；\n]|[.!?]\s")
_CLIENT_MACHINE = re.compile(
    r"client|load(?:er|[ -]generat)|driver|(?:bench(?:mark)?|ycsb) (?:machine|host|node|vm)|stress|\b(?:ecs|cvm)\b"
    r"|压测|客户端|施压|发压|测试机",
    re.IGNORECASE,
)
# Several machines of a kind, beside others of another.
_NODES = re.compile(r"\W{0,3}[*x×]\s?\d", re.IGNORECASE)
_THREADS = re.compile(
    r"(?<![\d.,])(?P<before>\d{1,6})\s?(?:(?:(?:ycsb|client|concurrent|parallel|test)\s)?threads?\b(?! cpu| per core)"
    r"|个?(?:并发)?线程|个?并发)"
    r"|(?<![a-z_])(?<![a-z]-)(?P<option>-?)(?:threads?(?:[ _]?count)?|concurrency|(?:并发)?线程数?|并发[数量]?)"
    r"\s?(?:of|is|=|:|为|是)?\s?(?P<behind>\d{1,6})(?!\.?\d|%)",
    re.IGNORECASE,
)
_CLIENTS = re.compile(
    r"(?<![\d.,])(?P<before>\d{1,6})\s(?P<parallel>(?:concurrent|parallel)\s)?(?:clients?|connections?|users?)\b"
    r"(?!\s(?:machine|node|host|vm|server))",
    re.IGNORECASE,
)
_MACHINES = re.compile(
    r"(\d{1,4}|one|two|three|four|five|six|eight|ten)\s?(?:台|个|(?:(?!threads?\b)[\w.-]+\s){0,3}?)"
    r"(?:clients?\b(?! threads?)|loaders?\b|drivers?\b|generators?\b|ycsb (?:instance|process)|客户端|压测机)",
    re.IGNORECASE,
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}
_EACH = re.compile(
    r"threads?\W{0,3}(?:each|apiece)\b|\beach (?:with|runs?|ran|using|had)\b|每"
    r"|\b(?:per|each|every)\s(?:\w+\s){0,2}?(?:client|loader|node|machine|instance|process|host|vm|driver|generator|conn|core)",
    re.IGNORECASE,
)
_IN_ALL = re.compile(r"\b(?:in (?:total|all)|total|altogether)\b|总", re.IGNORECASE)
# Numbers beside others, or bounds: what a table without a column of threads was measured with is not said.
_MORE_BEFORE = re.compile(
    r"(?:(?<![\w:=.])\d{1,6}[km]?\s?(?:[,、/~–和或到至-]|to|and|or|through)+"
    r"|up to|than|over|above|least|most|max(?:imum)?(?: of)?|超过|大于|最多|至少)\s?$",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"\s?(?:以上|或更多|or more)", re.IGNORECASE)
_MORE = re.compile(rf"\s?(?:[,、/~–和或到至-]|to|and|or|\.\.)+\s?\d|{_OR_MORE.pattern}", re.IGNORECASE)
# 16 cores / 32 threads: those of a processor or server.
_OF_CPU = re.compile(r"(?:cores?|cpus?|workers?|核心?|\dc)\s?[/,(and与和]{0,3}\s?$", re.IGNORECASE)
