"""What headings and sentences of a page say of the tables below: mix, threads, server, version, topology, concern.

Only what they say once and plainly holds. Several numbers of threads, a range of them, or those of each client without
the number of clients are none; nor is a client's machine the server.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from math import isnan, nan

from ycsbook.errors import shown
from ycsbook.ingest.log.labels import identifier, shape_inside, shapes_inside
from ycsbook.ingest.published.page_cells import RowError
from ycsbook.ingest.published.page_mix import Mix, mix, mixes_in_prose
from ycsbook.ingest.published.page_tables import LOWEST_LEVEL
from ycsbook.ingest.published.page_units import units_in

MAX_SENTENCE = 5000
# What else lines say of one another is looked for in so many of a section.
MAX_SEARCHED = 200
_NONE: Mix = ("", nan)


class _Section:
    """What a heading or a caption and the text below it say, looked for where a table asks: of most pages none does."""

    def __init__(self, level: int = LOWEST_LEVEL, above: "_Section | None" = None):
        self.level, self.above = level, above
        self.texts: list[tuple[str, bool, int]] = []  # a sentence; whether it is a title; its line
        self.of_units: list[tuple[str, bool, int]] = []  # what stands right at a table, also below, and may say units
        self.titles: list[str] = []
        self.values: dict[str, set] = defaultdict(set)
        self.read: dict[str, int] = defaultdict(int)  # how many texts were asked for a name

    def says(self, name: str) -> set:
        values, clients = self.values[name], cache(self.clients)
        texts = self.about(name)
        while len(values) < 2 and self.read[name] < len(texts):
            text, is_title, _ = texts[self.read[name]]
            values.update(facts_in(name, text, is_title=is_title, clients=clients))
            self.read[name] += 1
        return values

    def about(self, name: str) -> list[tuple[str, bool, int]]:
        return self.of_units if self.of_units and name.endswith("_unit") else self.texts

    def clients(self) -> float:
        """How many clients its lines say, such as `Client VMs: 15`; 0: none does, or they differ."""
        counts = set().union(*(_client_machines(text) for text, *_ in self.texts[:MAX_SEARCHED]))
        if len(counts) != 1:
            return self.above.clients() if self.above and not counts else 0.0
        return float(n) if (n := counts.pop()).isdecimal() else float(_NUMBERS.get(n, 0))


class PageFacts:
    """Walks along with the reader of a page and remembers what its open sections say."""

    def __init__(self):
        self.sections, self.caption = [_Section(0)], _Section()
        self.has_table = False  # below the last heading
        self.line = 0  # of what is taken, as the reader says
        self.last, self.last_line = "", 0  # sentence
        self.since: list[tuple[str, bool, int]] = []  # the heading or table above
        self.section_mix: tuple[int, Mix] | None = None  # level of the heading that prints it
        self.level = self.prose_level = 0  # of the section's heading; of that in which the mixes of prose stand
        self.prose: set[Mix] = set()
        self.is_prose_used = False  # a table stands below these mixes
        self.table: Mix | None = None  # of the table's caption, or of a row above
        self.is_lost = False  # a row of this table that may have named another mix is not read

    def heading(self, level: int, text: str) -> None:
        """Take a section heading. Lines in bold one below the other are one heading."""
        if level < LOWEST_LEVEL or self.has_table or self.sections[-1].level != level:
            while self.sections[-1].level >= level:
                self.sections.pop()
            section = _Section(level)
            if _SETUP.search(text):  # what it says holds for the sections beside it, too
                section.texts = self.sections[-1].texts
            self.sections.append(section)
        self.has_table = False
        self.since = [(text, True, self.line)]
        self.sections[-1].texts += self.since
        self.sections[-1].titles.append(text)
        if shape := shape_inside(text):
            self.sections[-1].values["title_spec"].add(shape)
        for name in ("threads", "clients"):
            self.sections[-1].values[f"title_{name}"].update(facts_in(name, text, is_title=True))
        # A line in bold ends no mix: pages print a spec below it, both in bold.
        if ends := level < LOWEST_LEVEL:
            self.level = level
            if level <= self.prose_level:
                self.prose, self.prose_level = set(), level
        if (printed := mix(text)) is not None:
            self.section_mix = (level, printed)
        elif self.section_mix and level <= self.section_mix[0] and ends:
            self.section_mix = None

    def sentence(self, text: str) -> None:
        """Take a piece of text, which holds for the tables below it in its section."""
        is_of_cpu = _CORES.fullmatch(self.last) and _THREADS.match(text.lstrip(" -*+"))
        self.last, self.last_line = text, _ = f"{self.last}, {text}" if is_of_cpu else text, self.line
        self.sections[-1].texts.append((text, False, self.line))
        self.since.append((text, False, self.line))
        if mixes := mixes_in_prose(text):
            goes_on = self.prose_level == self.level and not self.is_prose_used
            self.prose = mixes | self.prose if goes_on else mixes
            self.prose_level, self.is_prose_used = self.level, False

    def new_table(self, caption: str, below: Sequence[tuple[str, int]] = ()) -> None:
        """Take the line right above a table, which holds for this one alone; units may also be said below it."""
        self.caption, self.has_table = _Section(above=self.sections[-1]), True
        is_last = caption and self.last.endswith(caption)
        self.caption.texts.append((self.last, True, self.last_line) if is_last else (caption, True, self.line))
        self.caption.of_units = [*self.caption.texts, *self.since, *((text, False, line) for text, line in below)]
        self.since = []
        of_caption = mixes_in_prose(caption)
        self.prose, self.is_prose_used = self.prose - of_caption, True
        self.table = (next(iter(of_caption)) if len(of_caption) == 1 else None) if of_caption else mix(caption)
        if not self.table and _LOADS.match(caption):
            self.table = _NONE  # the section's mix is not that of loading

    @property
    def nearest(self) -> list[_Section]:
        return [self.caption, *reversed(self.sections)]

    def of_table(self, *names: str):
        """The value of the first of these names that a section says, the nearest; None: none, or several values."""
        values = next(filter(None, map(self.says, names)), ())
        return next(iter(values)) if len(values) == 1 else None

    def says(self, name: str) -> set:
        return next(filter(None, (section.says(name) for section in self.nearest)), set())

    def clients(self) -> int:
        """How many clients the text says that there were, where it says one number; else 0."""
        texts = ((text for text, *_ in section.texts[:MAX_SEARCHED]) for section in self.nearest)
        numbers = ([n for text in of_section for n in _load_clients(text)] for of_section in texts)
        said = {int(self.caption.clients())} - {0} | {*next(filter(None, numbers), [])}
        return said.pop() if len(said) == 1 else 0

    def settings(self, rows: Iterable[Sequence[str]]) -> None:
        """Take a table that is none of runs: its rows of a name and a value are sentences."""
        for cells in rows:
            if len(cells) == 2:
                self.sentence(": ".join(cells))

    def lines(self, name: str) -> list[int]:
        """The first lines of the nearest section that says something of this name."""
        section = next((s for s in self.nearest if s.says(name)), self.caption)
        texts = section.about(name)[:MAX_SEARCHED]
        said = (line for text, is_title, line in texts if [*facts_in(name, text, is_title=is_title)])
        return list(dict.fromkeys(said))[:2]

    def mix_of_row(self, cell: str | None) -> Mix:
        """The mix of a row with this cell in a column for the mix; None: the table has none. Raises RowError where the
        cell is no mix, or is blank below a row that is not read."""
        printed = mix(cell) if cell else None
        if not printed and cell:
            if not re.search(r"[^\W\d_]", cell):
                raise RowError(f"mix: got {shown(cell)}, expected a mix such as 50:50 or a name", "mix")
            printed = (identifier(cell), nan)  # it is not the section's, whatever it stands for
        if cell == "" and self.is_lost:
            raise RowError("mix: got '' below a row that is not read, expected a mix such as 50:50")
        if printed:
            self.table, self.is_lost = printed, False
        section = self.section_mix[1] if self.section_mix else None
        return printed or self.table or (self._of_prose(section) if cell is None else None) or section or _NONE

    def _of_prose(self, section: Mix | None) -> Mix | None:
        """The one mix that the text prints, where the section's heading prints no shares itself."""
        mixes = {printed for printed in self.prose if not isnan(printed[1])} or self.prose
        if len(mixes) != 1 or (section and (not isnan(section[1]) or self.prose_level < self.section_mix[0])):
            return None
        ((name, reads),) = mixes
        return (section[0] if section else name, reads)


def facts_in(name: str, text: str, *, is_title: bool = False, clients: Callable = float) -> Iterator[object]:
    """What a title or a sentence says of a column, None where that is not plain; `clients` gives how many the text
    around it says, 0 where it does not."""
    text = unicodedata.normalize("NFKC", text[:MAX_SENTENCE])
    if name == "server_version":
        for match in _VERSION.finditer(text):
            yield None if _OTHERS.match(text, match.end()) else " ".join(match.groups())
    elif name == "topology":
        yield from (topology for topology, words in _TOPOLOGIES.items() if words.search(text))
    elif name in _WORDS:
        yield from (match[1].lower() for match in _WORDS[name].finditer(text))
    elif name in ("rate_unit", "latency_unit"):
        yield from units_in(name, text)
    for clause in _CLAUSE.split(text):
        if name == "spec" and (shapes := shapes_inside(clause)):
            before, _, behind = clause.rpartition(shapes[-1].label) if shapes[-1] else (clause, "", "")
            if not _CLIENT_MACHINE.search(before + re.split("[,)]", behind)[0]):
                yield shapes[0] if len(shapes) == 1 and not _NODES.match(behind) else None
        for match in _THREADS.finditer(clause) if name == "threads" else ():
            # Of commands, only one that runs the workload says it.
            is_of_cpu = not match["whose"] and _OF_CPU.search(clause[: match.start()])
            if not is_of_cpu and (not match["option"] or "run" in clause):
                yield _threads(clause, match, clients)
        for match in _CLIENTS.finditer(clause) if name == "clients" else ():
            if is_title or match["parallel"]:
                n = match["before"].lower().replace("single", "1")
                yield None if _MORE_BEFORE.search(clause[: match.start()]) else float(n)


def has_one_client(text: str) -> bool:
    """Whether a page says that the load came from one machine, and nothing of several."""
    counts = _client_machines(text)
    return bool(counts) and counts <= {"1", "一", "one", "a single"}


def _client_machines(text: str) -> set[str]:
    return {"".join(numbers) for numbers in _CLIENT_MACHINES.findall(text.lower())}


def _load_clients(text: str) -> Iterator[int]:
    """The numbers of clients that a text says, 0 for one of several or a bound."""
    for match in _LOAD_CLIENTS.finditer(text[:MAX_SENTENCE]):
        n = _NUMBERS.get(match[1].lower()) or int(match[1])
        yield 0 if _MORE_BEFORE.search(text[: match.start()]) else n


def _threads(clause: str, match: re.Match, clients: Callable[[], float]) -> float | None:
    """The number of threads that a clause says, those of all clients together; None where that is not plain."""
    side = next(of for of in ("before", "behind", "option_c", "connections") if match[of])
    more = _MORE if side == "behind" else _OR_MORE
    if _MORE_BEFORE.search(clause[: match.start(side)]) or more.match(clause, match.end()):
        return None
    n, machines, of_each = float(match[side]), _MACHINES.search(clause), _EACH.search(clause)
    if per_thread := _PER_THREAD.search(clause):
        return n * float(per_thread[1] or per_thread[2])
    if _IN_ALL.search(clause) or not (machines or of_each):
        return n
    count = _NUMBERS.get(machines[1].lower()) or float(machines[1]) if machines else clients()
    return n * count if (of_each and count) or count == 1 else None


_LOADS = re.compile(r"(?:data )?load(?:ing)?\b|(?:数据)?(?:加载|装载|导入)", re.IGNORECASE)
_SETUP = re.compile(
    r"\b(?:set-?up|environment|config(?:uration)?|settings|method(?:ology)?|parameters|testbed)\b|环境|配置|参数|方法",
    re.IGNORECASE,
)
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
_WORDS = {"write_concern": _CONCERN, "generator": re.compile(r"\b(wrk(?=2?\b)|ycsb|sysbench|memtier)", re.IGNORECASE)}
_CLAUSE = re.compile(r"[;。；\n]|[.!?]\s")
_CLIENT_MACHINE = re.compile(
    r"client|load(?:er|[ -]generat)|driver|(?:bench(?:mark)?|ycsb) (?:machine|host|node|vm)|stress|\b(?:ecs|cvm)\b"
    r"|压测|客户端|施压|发压|测试机",
    re.IGNORECASE,
)
# Several machines of a kind, beside others of another.
_NODES = re.compile(r"\W{0,3}[*x×]\s?\d", re.IGNORECASE)
_THREADS = re.compile(
    r"(?<![\d.,])(?P<before>\d{1,6})\s?"
    r"(?:(?:(?P<whose>ycsb|client|concurrent|parr?allel|test)\s(?:laufende |running )?)?threads?\b(?! cpu| per core)"
    r"|个?(?:并发)?线程|个?并发)"
    r"|(?<![a-z_])(?<![a-z]-)(?P<option>(?<!\w)-)?(?:threads?(?:[ _]?count)?(?: per \w{4,9})?|concurrency(?: level)?"
    r"|(?:并发)?线程数?|并发[数量]?)"
    r"\s?(?:of|is|=|:|为|是)?\s?(?P<behind>\d{1,6})(?!\.?\d|%)"
    # Its threads share its connections, each of which waits for an answer.
    r"|\bwrk2?\b.{0,200}?(?:\s-c\s?(?P<option_c>\d{1,6})\b|\bthreads?,? (?:and |with )?(?P<connections>\d{1,6})"
    r" conn(?:ection)?s?\b(?! (?:per|for each)))",
    re.IGNORECASE,
)
_CLIENTS = re.compile(
    r"(?<![\d.,])(?P<before>\d{1,6}|single)[\s-](?P<parallel>(?:concurrent|parallel)\s)?(?:clients?|connections?|users?)\b"
    r"(?!\s(?:machine|node|host|vm|server))",
    re.IGNORECASE,
)
_MACHINES = re.compile(
    r"(\d{1,4}|one|two|three|four|five|six|eight|ten)\s?(?:台|个|(?:(?!threads?\b)[\w.-]+\s){0,3}?)"
    r"(?:clients?\b(?! threads?)|loaders?\b|drivers?\b|generators?\b|ycsb (?:instance|process)|客户端|压测机)",
    re.IGNORECASE,
)
_LOAD_CLIENTS = re.compile(
    r"(?<![\w.,])(\d{1,4}|one|two|three|four|five|six|eight|ten)\s?"
    r"(?:台|个|(?:(?:ycsb|client|load|test|identical|separate|parallel|concurrent)\s){0,2})"
    r"(?:clients?\b(?! (?:threads?|cores?|cpus?)\b)|loaders?\b|drivers?\b|客户端|压测机)",
    re.IGNORECASE,
)
# 200 connections x 8 threads; 4 threads, 50 connections per thread.
_PER_THREAD = re.compile(
    r"(?<![\d.,])(\d{1,6})\s(?:connections?|clients?)\s?(?:[x×*]\s?(?=\d)|(?:per|for each|/)\s?thread)"
    r"|threads?\s?[x×*]\s?(\d{1,6})\s(?:connections?|clients?)",
    re.IGNORECASE,
)
_CLIENT_MACHINES = re.compile(
    r"(?:压测|施压|发压)(?:客户端|机器?)[^。；，\n<>|]{0,20}?(\d+|[一二三四五六八十两多])\s?台"
    r"|(\d+|[一二三四五六八十两多])\s?台(?:压测|施压|发压|客户端)|(?<![\w.])(\d+|a single|one|two|three|four|several)"
    r" (?:client|load|ycsb|load[ -]generator) (?:machine|node|host|vm|server)s?\b"
    r"|^\W*(?:number of )?(?:ycsb |load )?(?:client|loader|driver|客户端|压测机)s?(?: (?:vm|machine|node|host)s?)?"
    r"(?: count|数量?|台数)?\W{0,3}[:=|]\W{0,3}(\d{1,4})台?\W*$",
    re.MULTILINE,
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10}
_EACH = re.compile(
    r"threads?\W{0,3}(?:each|apiece)\b(?! run\b)|\beach (?:with|runs|ran|using|had)\b|每"
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
_OF_CPU = re.compile(
    r"(?:cores?|cpus?|workers?|核心?|\dc)\s?[/,(and与和]{0,3}\s?$"
    r"|^\W*(?:\w+ ?: ?|physical |物理)?(?:(?:cpus?|processors?|cores?|intel|amd|apple|ryzen|xeon|epyc)\b|处理器|核)",
    re.IGNORECASE,
)
# A line that ends so has the threads of the line below.
_CORES = re.compile(r"\W*(?:physical |cpu |物理)?(?:cores?|核心?数?)\W.{0,20}", re.IGNORECASE)
