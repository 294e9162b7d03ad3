"""Which files of a folder belong together, by their names alone: streams of a run, clients of a run, histograms."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ycsbook.ingest.files.scan import HDR_SUFFIX, LOG_SUFFIXES, STREAM_SUFFIXES, TEXT_SUFFIXES, split, unpacked
from ycsbook.operations import DATABASE_OPERATIONS, READ_MODIFY_WRITE

# `run.out`, `run_stderr.log`, `stdout.txt`; the word alone or set off, so that `timeout.log` is none.
_STREAM = re.compile(
    r"(?:(.*)[._-])?(stdout|stderr|out|err)(?:\.(?:log|txt|dat))?", re.ASCII | re.DOTALL | re.IGNORECASE
)
# `0_run`: the number of the client, then the name that all clients share.
_LEADING = re.compile(r"(\d{1,3})_(.+)", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"(?P<number>\d{1,3})", re.ASCII)
# `run_client0`, `client-1`, `ycsb.client_2.mongodb`, `ycsb-0`.
_CLIENT = re.compile(
    r"((?:.*[._-])?)(?:client[._-]?|ycsb[._-])(?P<number>\d{1,3})((?:[._-].*)?)", re.ASCII | re.DOTALL | re.IGNORECASE
)
_LOAD = re.compile(r"(?:^|[^a-z])load(?:$|[^a-z])", re.IGNORECASE)
_OPERATION = re.compile(
    rf"(?:Intended-)?(?:{READ_MODIFY_WRITE}|(?:{'|'.join(DATABASE_OPERATIONS)}|CLEANUP|VERIFY)(?:-[A-Z_]{{1,40}})?)$"
)
# An operation of somebody's own workload, set off and in capitals.
_OTHER_OPERATION = re.compile(r"(?:^|(?<=[._]))[A-Z][A-Z0-9-]{1,60}$", re.ASCII)
# What people put before the operation where it says nothing of the run.
_PLAIN_PREFIXES = ("", "hdr", "histogram", "ycsb")
_RAW_WORD = re.compile(r"[._-]?raw$", re.IGNORECASE)
_SEPARATORS = "._-"
_STREAMS = "streams"


class Unit(NamedTuple):
    """The files of one process: its log, or its two streams, stdout first. `stem` is the name that they share."""

    names: tuple[str, ...]
    stem: str
    ending: str


def units(names: Iterable[str], asked_names: Collection[str] = ()) -> list[Unit]:
    """The logs among the names of one folder, in order of name; the plain one where a name is there packed as well, but
    for one of those `asked_names`. Two streams are one unit: `x.out` and `x.err`, `x_stdout.log` and `x_stderr.log`; a
    lone `x.err` is the other stream of `x.log` (`.txt`, `.dat`), if that is the only log of this name."""
    plain: dict[str, str] = {}
    by_name = sorted(names, reverse=True)  # `x.log` after `x.log.gz`
    for name in (*by_name, *(name for name in by_name if name in asked_names)) if asked_names else by_name:
        plain[unpacked(name)] = name
    splits = {short: split(short) for short in sorted(plain)}
    pairs = _pairs(splits)
    second = set(pairs.values())
    units = []
    for short, (stem, ending) in splits.items():
        if short in pairs:
            shared = _STREAM.fullmatch(pairs[short])[1] or ""
            units.append(Unit((plain[short], plain[pairs[short]]), shared, _STREAMS))
        elif short not in second:
            kind = _STREAMS if ending in STREAM_SUFFIXES else ending
            units.append(Unit((plain[short],), stem if ending in LOG_SUFFIXES else short, kind))
    return units


def _pairs(splits: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    # Most names have neither word, and a search for it takes a tenth of the pattern's time.
    may_be_streams = (short for short in splits if "out" in (lower := short.lower()) or "err" in lower)
    matches = {short: match for short in may_be_streams if (match := _STREAM.fullmatch(short))}
    if not matches:
        return {}
    streams: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for short, match in matches.items():
        streams[match[1] or ""][match[2][-3:].lower()].append(short)
    texts: dict[str, list[str]] = defaultdict(list)
    for short, (stem, ending) in splits.items():
        # JSON too: an exporter's file is the summary, the other stream has the status lines.
        if ending in (*TEXT_SUFFIXES, ".json") and short not in matches:
            texts[stem].append(short)
    pairs = {}
    for stem, by_word in streams.items():
        out, err = by_word["out"] or texts.get(stem, []), by_word["err"]
        if len(out) == len(err) == 1:
            pairs[out[0]] = err[0]
    return pairs


def client(stem: str) -> tuple[int, str] | None:
    """Which client the name is of, where it clearly says so, and what it has in common with the others' names."""
    if ("client" in (lower := stem.lower()) or "ycsb" in lower) and (match := _CLIENT.fullmatch(stem)):
        return int(match[2]), f"{match[1]}*{match[3]}"
    if match := _LEADING.fullmatch(stem):
        return int(match[1]), f"*_{match[2]}"
    return None


def clients(stems: Sequence[tuple[str, str]]) -> list[tuple[int, ...]]:
    """Groups of indexes that are clients of one run: equal but for numbers that count on from 0 or 1, two or more;
    `stems`: the name to search, and what must be equal besides (an ending)."""
    groups: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for i, (stem, ending) in enumerate(stems):
        if mark := client(stem):
            groups[mark[1], ending].append((mark[0], i))
    clients = []
    for members in groups.values():
        numbers = sorted(n for n, _ in members)
        if len(numbers) > 1 and numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[-1] + 1)):
            clients.append(tuple(i for _, i in sorted(members)))
    return clients


def histogram(name: str) -> tuple[str, str]:
    """What stands before the operation in the name of a .hdr file, and the operation ("": none known).

    YCSB glues path and operation together without a separator."""
    stem = unpacked(name).removesuffix(HDR_SUFFIX)
    match = _OPERATION.search(stem) or _OTHER_OPERATION.search(stem)
    if not match:
        return stem, ""
    return stem[: match.start()].rstrip(_SEPARATORS), match[0]


class LogNames:
    """The logs of one folder, to find those that a histogram or raw measurements lie beside; `is_log`: whether a unit
    is a log by its content, asked only where the names leave a doubt."""

    def __init__(self, logs: Sequence[Unit], is_log: Callable[[Unit], bool] | None = None):
        self.all, self._is_log = list(logs), is_log

    @cached_property
    def _real(self) -> "LogNames":
        # Of a single one content says nothing that its name did not.
        return LogNames([unit for unit in self.all if self._is_log(unit)] if len(self.all) > 1 else [])

    @cached_property
    def _by_name(self) -> dict[str | int, list[Unit]]:
        """The logs of each stem, and of each client by its number."""
        by_name: dict[str | int, list[Unit]] = defaultdict(list)
        for unit in self.all:
            by_name[unit.stem].append(unit)
            if mark := client(unit.stem):
                by_name[mark[0]].append(unit)
        return by_name

    def of_histogram(self, name: str) -> Unit | None:
        """The log that a .hdr file lies beside, where the names leave no doubt."""
        prefix, operation = histogram(name)
        fitting = self._named(prefix) or (self.all if prefix.lower() in _PLAIN_PREFIXES else [])
        if len(fitting) > 1:
            # A load and a run that share a prefix: only a load has nothing but inserts. CLEANUP is the last one's.
            fitting = [u for u in fitting if bool(_LOAD.search(u.stem)) == (operation == "INSERT")]
        if len(fitting) == 1:
            return fitting[0]
        return self._real.of_histogram(name) if self._is_log else None

    def of_raw(self, name: str) -> Unit | None:
        """The log that a file of raw measurements lies beside, where the names leave no doubt."""
        short = unpacked(name)
        stem = short.rpartition(".")[0] or short
        prefix = _RAW_WORD.sub("", stem)
        fitting = self._named(stem) or self._named(prefix) or ([] if prefix else self.all)
        if len(fitting) == 1:
            return fitting[0]
        return self._real.of_raw(name) if self._is_log else None

    def _named(self, prefix: str) -> list[Unit]:
        """The logs with this name; else those of the client that it names."""
        # `0` of `0_READ.hdr`, `client0` of `client0_READ.hdr`.
        match = _NUMBER.fullmatch(prefix) or _CLIENT.fullmatch(prefix)
        of_client = self._by_name.get(int(match["number"]), []) if match else []
        return (self._by_name.get(prefix) or of_client) if prefix else []
