"""What people's labels say: names of files and folders, headings of pages, specs of servers.

A server's shape is read as people write it: 8c64g, 8核64G, 8 vCPU / 64 GiB, 1 core, 2 GB (general-purpose). Logs of one
folder whose names differ in nothing but workload, threads, records, phase and repeat are of one server, which is called
by what is left of the names, and if nothing is left by the folder.
"""

import os
import re
from collections import ChainMap, Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from math import nan
from typing import NamedTuple
from zlib import crc32

from ycsbook.ingest.files.scan import Folder, Scan, split, unpacked

MAX_NAME = 64
# So many folders above a file are looked at.
_FOLDERS = 3
_TIMES = {"": 1, "k": 1000, "m": 10**6}
# A letter and a number count where they are set off, as in `mysql_t16_r2.log`: `t3.large` is a server.
_END = r"(?=[_-]|\.(?:log|txt|out|dat|json|csv|gz)|$)"
_ALONE = r"(?:^|(?<=[._-])){}(\d{{1,4}})" + _END
_SEPARATOR = r"[ ._=:-]{0,2}"
# Behind a number that is another word's, as those in `16_threads_10M_records` and `16_threads_3_nodes`.
_NOT_ANOTHERS = (
    rf"(?![km]?{_SEPARATOR}(?:threads?|records?|iter|rep|trial|(?:node|client|op|operation|row|key|doc|shard|replica|host"
    rf"|server|core|vcpu|second|minute)s(?![a-z]))[a-z]*(?!{_SEPARATOR}\d|[a-z]))"
)
# What a name says of each, the likeliest first.
_PATTERNS = {
    "workload": (r"(?:^|(?<=[^a-z]))workload[ ._-]?([a-f])(?![a-z0-9])",),
    "threads": (
        # Not that of a repeat, as in 64threads_2.
        r"(?<!\d)(?:threads?(?:count)?|线程数?|并发(?:用户)?数?|(?<![a-z])(?:conc(?:urrency)?|parallel|thr?)|[Пп]отоков)"
        rf"[ ._=:：-]{{0,3}}(\d{{1,5}})(?![0-9.]*\d){_NOT_ANOTHERS}",
        r"(?<![\d.])(\d{1,5})[ ._-]?(?:(?:threads?|thr|conc)(?![a-z])|поток[а-я]*|个?(?:线程|并发))",
        _ALONE.format("t"),
    ),
    "records": (
        rf"records?(?:count)?{_SEPARATOR}(\d{{1,12}}[km]?)(?![a-z0-9]){_NOT_ANOTHERS}",
        r"(?<![\d.])(\d{1,12}[km]?)[ ._-]?records?(?![a-z])",
    ),
    "repeat": (
        rf"(?:iteration|iter|repeat|repetition|trial)s?{_SEPARATOR}(\d{{1,3}})(?!\d)",
        _ALONE.format("r"),
        r"第(\d{1,3})[次轮遍]",
        # `a-run-100` is rather the phase and its threads.
        rf"(?<=[_-])run(?:(\d{{1,3}})|[_-](\d)){_END}",
    ),
}
_COMPILED = {name: [re.compile(p, re.ASCII | re.IGNORECASE) for p in patterns] for name, patterns in _PATTERNS.items()}
# 2025-05-18_23-34-12, 20250510090800, and seconds or milliseconds since 1970.
_DATE = re.compile(
    r"[\s_.-]*(?<!\d)(?:20\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])"
    r"(?:[T\s_.-]{0,2}(?:[01]\d|2[0-3])([-_.:]?)[0-5]\d(?:\2[0-5]\d)?)?|1[5-9]\d{8}(?:\d{3})?)(?!\d)",
    re.ASCII,
)
# Most names say nothing, and are asked for it by the thousand.
_MAY_BE_SHAPE = re.compile(r"\d[\s_-]?[cuv核].*\d[\s_-]?g", re.IGNORECASE)
_ANY = re.compile(
    r"workload|thr|th[ ._=-]?\d|conc|parallel|оток|线程|并发|第\d|record|iter|repe|trial|(?:^|[._-])[tr]\d"
    r"|[_-]run[_-]?\d",
    re.IGNORECASE,
)
# In names alone: `16vcpu`, `cores=16`, `node-16core`, with or without `mem32`, `32RAM`.
_CORES_ALONE, _RAM_ALONE = (
    re.compile(
        rf"(?<![a-z]){unit}[ _=-]?(\d{{1,4}})(?![\d.])|(?<![a-z\d.])(\d{{1,4}})[ _-]?{unit}(?![a-z])", re.IGNORECASE
    )
    for unit in ("(?:v?cpus?|v?cores?|核)", "(?:ram|mem|memory)")
)


@lru_cache(maxsize=4096)
def settings_of_text(text: str) -> Mapping[str, float | str]:
    """The workload's letter, threads, records and repeat that a name or a heading says.

    Examples
        >>> settings_of_text("Records_100k-workloada"), settings_of_text("mysql_t16_r2.log")
        ({'workload': 'a', 'records': 100000.0}, {'threads': 16.0, 'repeat': 2.0})
    """
    settings, bare = {}, undated(text) if _ANY.search(text) else ""
    for name, patterns in _COMPILED.items() if bare else ():
        if match := next(filter(None, (pattern.search(bare) for pattern in patterns)), None):
            word = next(filter(None, match.groups())).lower()
            digits = word.rstrip("km")
            settings[name] = word if name == "workload" else float(digits) * _TIMES[word.removeprefix(digits)]
    return {name: value for name, value in settings.items() if value}


def undated(text: str) -> str:
    """A name without dates and times."""
    return _DATE.sub("", text).lstrip(" _.-")


def without_settings(text: str) -> str:
    """A name without what `settings_of_text` reads in it."""
    for pattern in chain.from_iterable(_COMPILED.values()) if _ANY.search(text) else ():
        text = pattern.sub("", text)
    return text


@lru_cache(maxsize=4096)
def server_of_text(text: str) -> Mapping[str, float | str]:
    """The spec with cores and RAM that a name says; the cores alone where it says no more."""
    size = (shape(text) or shape_inside(text.replace("-", " "))) if _MAY_BE_SHAPE.search(text) else None
    if size:
        return {"spec": slug(size.cores, size.ram_gib), "cores": size.cores, "ram_gib": size.ram_gib}
    cores, ram = (next(filter(None, m.groups())) if (m := p.search(text)) else 0 for p in (_CORES_ALONE, _RAM_ALONE))
    if not float(cores) or "client" in text.lower():
        return {}
    columns = {"cores": float(cores), "ram_gib": float(ram)}
    return {"spec": slug(*columns.values()), **columns} if columns["ram_gib"] else {"cores": columns["cores"]}


def settings_of_texts(texts: Iterable[str]) -> dict[str, float | str]:
    """What several names say, the first before the others."""
    return dict(ChainMap(*map(settings_of_text, texts)))


@lru_cache(maxsize=4096)
def settings_of_path(path: str) -> Mapping[str, float | str]:
    """What a file's name and those of its folders say; also the spec, with its cores and RAM.

    Examples
        >>> settings_of_path("out/Workload A/thread_4/iteration_2/run.log")
        {'workload': 'a', 'threads': 4.0, 'repeat': 2.0}
        >>> settings_of_path("8c32g/run.log"), settings_of_path("16vcpu/run.log")
        ({'spec': '8c32g', 'cores': 8.0, 'ram_gib': 32.0}, {'cores': 16.0})
    """
    *folders, name = path.split(os.sep)
    parts = (name, *reversed(folders[-_FOLDERS:]))
    settings = settings_of_texts(parts)
    servers = list(filter(None, map(server_of_text, parts)))
    return settings | next((server for server in servers if "spec" in server), servers[0] if servers else {})


class SpecShape(NamedTuple):
    """Cores and RAM of a server, and how they were spelled. NaN where a name says neither."""

    label: str
    cores: float
    ram_gib: float


_NUMBER = r"\d{1,5}(?:\.\d{1,3})?"
_CORES = (
    rf"(?<![\d.])(?P<cores>{_NUMBER})[\s-]{{0,3}}(?:核心?|v?cpus?|v?cores?|c%s)"
    r"(?:\s{0,2}(?:cpus?|cores?|[(（]vcpus?[)）]))?"
)
_RAM = r"(?P<ram>\d{1,6}(?:\.\d{1,3})?)[\s-]{0,3}(?:gib|gi|gb|g)"
_BETWEEN = r"(?:[\s,，、/+x*|_-]{0,5}|\s(?:and|with)\s|[和与])"
_SHAPE = rf"{_CORES}{_BETWEEN}{_RAM}"
_BRACKET = r"[\s]{0,3}[(\[（【](?P<variant>[^()\[\]（）【】]{1,60})[)\]）】]"
# In a heading, U counts the height of a server in a rack.
_WHOLE = re.compile(
    rf"(?:.{{0,80}}?(?:规格|spec)\s*:?\s*)?"
    rf"(?P<label>{_SHAPE % '|u'}(?:\s{{0,2}}(?:内存|memory|ram))?(?:{_BRACKET})?)",
    re.IGNORECASE | re.ASCII,
)
_RAM_FIRST = re.compile(rf"(?P<label>{_RAM}{_BETWEEN}{_CORES % ''})", re.IGNORECASE | re.ASCII)
_INSIDE = re.compile(rf"(?<![a-z0-9.-])(?P<label>{_SHAPE % ''})(?![a-z0-9])", re.IGNORECASE | re.ASCII)
# A name has something that words do not: a digit or a mark. Only sizes such as 2xlarge begin with digits.
_NAME = re.compile(
    rf"(?P<name>(?:[A-Za-z]|\d{{1,2}}xlarge)[A-Za-z0-9._-]{{0,63}}(?: [A-Za-z0-9._-]{{1,30}}){{0,3}})(?:{_BRACKET})?",
    re.ASCII,
)
_MARKED = re.compile(r"[\d._-]", re.ASCII)
_VARIANT = re.compile(rf".{{0,200}}?{_BRACKET}", re.ASCII)


def shape(text: str) -> SpecShape | None:
    """The shape that a text is, whatever precedes the word spec (or 规格); None where it is none.

    What follows in brackets, such as (dedicated), stays in the label."""
    return _shape(_WHOLE.fullmatch(text) or _RAM_FIRST.fullmatch(text))


def shape_inside(text: str) -> SpecShape | None:
    """The one shape that a heading names; None where it names none or several."""
    shapes = shapes_inside(text)
    return shapes[0] if len(shapes) == 1 else None


def shapes_inside(text: str) -> list[SpecShape | None]:
    return [_shape(match) for match in _INSIDE.finditer(text)]


def slug(cores: float, ram_gib: float) -> str:
    return f"{cores:g}c{ram_gib:g}g"


def identifier(text: str, default: str = "") -> str:
    """A text of a page as part of a name: in small letters, all but letters, digits, `_` and `.` as one `-`."""
    return _cut(re.sub(r"[^\w.]+", "-", text.lower()).strip("-._")) or default


def named(text: str) -> tuple[str, SpecShape] | None:
    """The slug and shape of an instance type's name; cores and RAM as far as brackets say them. None: no such name.

    Words alone are no names, because a table's last row may be headed by any.

    Examples
        >>> named("mongo.x8.large"), named("M30 (2C8G)")[1].cores, named("Speedup"), named("2000000")
        (('mongo.x8.large', SpecShape(label='mongo.x8.large', cores=nan, ram_gib=nan)), 2.0, None, None)
    """
    shapes = list(_INSIDE.finditer(text))
    is_last = len(shapes) == 1 and shapes[0].end() == len(text)
    match = _NAME.fullmatch(text[: shapes[0].start()].rstrip(" ,，/|") if is_last else text)
    if not match or not _MARKED.search(match["name"]):
        return None
    return words(match["name"]), (shape_inside(text) or SpecShape("", nan, nan))._replace(label=text)


def variant(label: str) -> str:
    """What a label says in brackets at its end; empty: nothing."""
    match = _VARIANT.fullmatch(label)
    return match["variant"].strip() if match else ""


def words(text: str) -> str:
    """The Latin letters and digits of a text as a slug, at most 64 characters; empty where there are none."""
    return _cut(re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._"))


def _cut(name: str) -> str:
    """A name of at most 64 characters; the end of a longer one tells it from others that begin so."""
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 9].rstrip('-._')}-{crc32(name.encode()):08x}"


def _shape(match: re.Match | None) -> SpecShape | None:
    if match is None or float(match["cores"]) == 0 or float(match["ram"]) == 0:
        return None
    return SpecShape(match["label"], float(match["cores"]), float(match["ram"]))


# Stands in a place before a number that counts on from 1 in the names beside it.
COUNTED = "#"
_COUNTING = re.compile(r"(|.*\D)([1-9]\d?)", re.DOTALL | re.ASCII)
_TOKEN = re.compile(r"[^\s_=,;()\[\]*-]+")
# 08 counts files, and 8 may be threads.
_FIGURE = re.compile(r"([^\W\d_]*)([1-9]\d{0,6})([^\W\d_]*)", re.ASCII)
_OF_THREADS = ("", "t", "th", "thr", "c", "conn", "vu", "vus", "u", "p")
# So much of the time threads are busy that wait for nothing but the server; more than all of it by rounding alone.
_LEAST_BUSY, _MOST_BUSY, _LEAST_ALONE = 0.75, 1.01, 8
_REPEATED = re.compile(r"(?:.*[\W_\d])?(?:rep|run|round|no|r)[ _.-]?\d{1,2}", re.ASCII | re.IGNORECASE | re.DOTALL)
_DRAWN = re.compile(r"(?<=[^-]-)(?=[a-z]*\d)(?=\d*[a-z])[bcdfghjklmnpqrstvwxz2456789]{5}$")
# What names of logs say of none of them; a phase they may contradict.
_PLAIN = ("ycsb", "log", "out", "err", "stdout", "stderr", "output", "workload", "load", "run")


def counted(names: Iterable[str]) -> dict[str, str]:
    """The names whose numbers at the end count on from 1 among names that are equal but for that, with COUNTED in them;
    also a first one alone that is called a run."""
    alike: dict[str, dict[int, str]] = defaultdict(dict)
    for name in names:
        if match := _COUNTING.fullmatch(name):
            alike[match[1]][int(match[2])] = name
    series = (group for group in alike.values() if sorted(group) == [*range(1, len(group) + 1)])
    series = (group for group in series if len(group) > 1 or _REPEATED.fullmatch(group[1]))
    return {name: f"{name.removesuffix(f'{n}')}{COUNTED}{n}" for group in series for n, name in group.items()}


class Places:
    """Places of files in folders that were listed."""

    def __init__(self, listed: Scan):
        self._listed, self._counted, self._above = listed, {}, {}
        self._common = os.path.commonpath(listed.folders) if listed.folders else ""

    def of(self, path: str) -> list[str]:
        """The names of the folder that all have in common, of those below it, and of the file without its ending, with
        COUNTED before numbers that count on in the names beside them."""
        folder, name = os.path.split(path)
        real = self._listed.real(folder)
        return [*self._folders(real), self._marked(real, split(unpacked(name))[0])]

    def _folders(self, real: str) -> list[str]:
        if real not in self._above:
            above, name = os.path.split(real)
            is_top = real in (self._common, above)
            self._above[real] = [name] if is_top else [*self._folders(above), self._marked(above, name)]
        return self._above[real]

    def _marked(self, real: str, name: str) -> str:
        if real not in self._counted:
            folder = self._listed.folders.get(real, Folder(""))
            stems = {split(unpacked(file))[0] for file in folder.files}
            bare = {name: undated(name) for name in (*stems, *folder.subfolders)}
            frequencies = Counter(bare.values())
            # When it ran tells a run from others only where nothing else does.
            marks = counted(frequencies) | {name: name for name in frequencies if "repeat" in settings_of_text(name)}
            self._counted[real] = {name: marks.get(b, name) for name, b in bare.items() if frequencies[b] == 1}
        return self._counted[real].get(name, name)


def server(place: str, run: Mapping[str, float | str]) -> dict[str, float | str]:
    """The server, as spec and spec_label, of a log at a place, and its repeat where that is a counted number; nothing
    where the names say nothing of the run.

    Parameters
        place: the names that Places gives, as a path.
        run: workload, threads and phase of the log.
    Examples
        >>> server("logs/workloadb_50threads_run1", {})
        {'spec': 'logs'}
        >>> server("logs/c5.xlarge/b_50t_#2", {"threads": 50.0, "workload": "b"})
        {'spec': 'c5.xlarge', 'repeat': 2.0}
    """
    root, *parts = place.split(os.sep)
    label_parts, settings, says_any = [], {}, False
    for at, part in enumerate(parts, 1):
        name = part.replace(COUNTED, "")
        if not undated(name):
            continue  # runs of several days are repeats
        is_server, without = bool(server_of_text(name)), _DRAWN.sub("", without_settings(name))
        if is_server and server_of_text(without) != server_of_text(name):
            without = name
        tokens = _TOKEN.findall(without)
        tokens = [token for token in tokens if token.lower() not in _PLAIN]
        unknown = [t for t in tokens if not _is_stated(t, run) or (is_server and not t.isalpha())]
        if unknown and at < len(parts):  # a bare number there is rather a part of an instance type
            unknown = [token for token in tokens if token in unknown or token.isdigit()]
        says = without != name or is_server or len(unknown) < len(tokens)
        says |= says_any and name.isdigit()  # as in thread16/1.txt
        if COUNTED in part and len(unknown) == 1 and (_REPEATED.fullmatch(name) or (says and unknown[0].isdigit())):
            settings["repeat"], unknown, says = float(part.partition(COUNTED)[2]), [], True
        label_parts += [name] if unknown == _TOKEN.findall(name) else unknown
        says_any |= says
    label = "-".join(label_parts) or root
    spec = identifier(label)
    if not (says_any and spec):
        return {}
    return {"spec": spec, **({"spec_label": label} if label != spec else {}), **settings}


def _is_stated(token: str, run: Mapping[str, float | str]) -> bool:
    """Whether a part of a name says what is known of the run: the letter of its workload, its threads."""
    workload = str(run.get("workload", "")).lower()
    match = _FIGURE.fullmatch(token.lower())
    if not match:
        return token.lower() in (workload, f"workload{workload}")
    before = match[1].removeprefix("workload")
    return float(match[2]) == run.get("threads") and match[3] in _OF_THREADS and before in (*_OF_THREADS, workload)


def threads_of_names(path: str, busy: float) -> float:
    """The number of threads of a log that does not say it: the one number in the names of its file and folders which
    its calls keep busy nearly all the time, as threads that ask for the next at once; NaN: there is none, or several.

    Parameters
        busy: how many calls were under way, in the mean: their number each second times what they took.
    Examples
        >>> threads_of_names("ec2/c64/b-1.log", 60.0), threads_of_names("ec2/c64/b-1.log", 20.0)
        (64.0, nan)
    """
    *folders, name = path.split(os.sep)
    parts = (split(unpacked(name))[0], *folders[-2:])
    tokens = (token for part in parts for token in _TOKEN.findall(without_settings(undated(part))))
    matches = filter(None, (_FIGURE.fullmatch(token.lower()) for token in tokens))
    stated = (match for match in matches if {match[1], match[3]} <= {*_OF_THREADS})
    # Small ones alone count files.
    numbers = {float(match[2]) for match in stated if match[1] + match[3] or int(match[2]) >= _LEAST_ALONE}
    fits = [n for n in numbers if _LEAST_BUSY * n <= busy <= _MOST_BUSY * n]
    return fits[0] if len(fits) == 1 else nan
