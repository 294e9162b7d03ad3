"""What the command line of a YCSB client says of its run, and those that a page prints."""

import html
import math
import re

from ycsbook import operations

_CONCERN_PROPERTY = re.compile(r"mongodb\.writeConcern=([a-z_]{1,30})\b", re.ASCII | re.IGNORECASE)
_INTENDED = re.compile(r"measurement\.interval=intended\b", re.ASCII)
_POOL = re.compile(
    r"[?&]maxPoolSize=(\d{1,9})(?=[&\s\"']|$)|mongodb\.(?:maxconnections|maxPoolSize)=(\d{1,9})(?=[\s\"']|$)",
    re.ASCII | re.IGNORECASE,
)
_DISTRIBUTION = re.compile(r"\brequestdistribution=([a-z]{1,20})(?=[\s\"']|$)", re.ASCII)
_PREFERENCE = re.compile(
    r"(?:[?&]readPreference|mongodb\.readPreference)=([A-Za-z_]{1,30})(?=[&\s\"']|$)", re.ASCII | re.IGNORECASE
)
_WORKLOAD_FILE = re.compile(
    r"(?:-P|--workload)[\s=]+\S{0,300}?\b(?i:workload)[_-]?([A-Za-z0-9_-]{1,40})(?:\.\w{1,12})?(?=\s|$)", re.ASCII
)
_RECORDS = re.compile(r"-p\s+recordcount=(\d{1,15})(?=\s|$)", re.ASCII)
_WRITE_CONCERN = re.compile(r"[?&]w=([A-Za-z0-9]{1,20})(?=[&\s\"']|$)", re.ASCII)
_TARGET = re.compile(r"(?:^|\s)(?:--?target[\s=]+|-p\s+target=)(\d{1,9}(?:\.\d{1,6})?)(?=\s|$)", re.ASCII)
# What it says, as the names of logs may repeat it, and how many parts of a name must for that to be no chance.
_VALUES = re.compile(r"(?<==)[\w.]{1,40}(?=\s|$)|(?<=-threads\s)\d{1,9}(?=\s|$)", re.ASCII)
_REPEATED = 3
# As the client is told, and as its launcher is.
_LOAD = re.compile(r"(?:^|\s)-load(?=\s|$)|^load ", re.ASCII)
_TRANSACTIONS = re.compile(r"(?:^|\s)-t(?=\s|$)|^run ", re.ASCII)

# A printed command with its continuation lines; pages leave blanks in passwords, so it ends with its paragraph.
_MAX_PRINTED = 4000
_PRINTED = re.compile(r"\b(?P<phase>load|run)\s{1,9}mongodb\b", re.IGNORECASE)
_PRINTED_END = re.compile(r"\n[ \t>]*\r?\n|```|</(?:code|pre|p)>|\b(?:load|run)\s{1,9}mongodb\b", re.IGNORECASE)


def phase(command: str) -> str:
    """load or run, from the command line; empty where it does not say."""
    if _LOAD.search(command):
        return "load"
    return "run" if _TRANSACTIONS.search(command) else ""


def unstated(name: str, command: str) -> str:
    """The name of a log without what the command says, where three or more of its parts repeat that, as scripts do."""
    values, parts = {*_VALUES.findall(command)}, re.split("[._-]", name)
    unstated_parts = [part for part in parts if part not in values]
    return "_".join(unstated_parts) if len(parts) - len(unstated_parts) >= _REPEATED else name


def expects_failures(command: str) -> bool:
    """Whether servers were made to fail while the client ran: its workload is one that keeps a ledger."""
    return "workload=ycsbook.LedgerInserts" in command


# Each of these gives "" or NaN where the command line does not say.


def columns(command: str) -> dict[str, float | str]:
    """The columns of `runs` that it says of the workload and of the client."""
    first, *later_words = _first(_PREFERENCE, command).split("_")  # MongoDB spells it as one
    return {
        "workload": workload(command),
        "records": float(_first(_RECORDS, command) or math.nan),
        "write_concern": write_concern(command),
        "read_preference": first + "".join(map(str.capitalize, later_words)),
        "distribution": _first(_DISTRIBUTION, command),
        "target_ops_s": target_ops_s(command),
        "pool_size": pool_size(command),
    }


def workload(command: str) -> str:
    name = _first(_WORKLOAD_FILE, command)
    return name.lower() if len(name) == 1 else name


def write_concern(command: str) -> str:
    """The URL's w=, or what the binding makes of its property, which it heeds only where the URL says nothing."""
    return _first(_WRITE_CONCERN, command) or _property_write_concern(command)


def _property_write_concern(command: str) -> str:
    return operations.write_concern(_first(_CONCERN_PROPERTY, command).lower())


def printed_write_concern(page: str) -> str:
    """The write concern of the commands that a page prints and that run the workload; empty: they print several."""
    starts = (match.end() for match in _PRINTED.finditer(page) if match["phase"].lower() == "run")
    concerns = {_of_printed(page[start : start + _MAX_PRINTED]) for start in starts}
    return concerns.pop() if len(concerns) == 1 else ""


def _of_printed(text: str) -> str:
    """The write concern of a command without its beginning; empty also where URL and property differ."""
    end = _PRINTED_END.search(text)
    command = html.unescape(text[: end.start()] if end else text).replace("`", " ").replace("<", " ")
    in_url, as_property = _first(_WRITE_CONCERN, command), _property_write_concern(command)
    return "" if in_url and as_property and in_url != as_property else in_url or as_property


def target_ops_s(command: str) -> float:
    """The throttle; NaN for 0 as well."""
    return float(_first(_TARGET, command) or 0) or math.nan


def pool_size(command: str) -> float:
    sizes = [int(a or b) for a, b in _POOL.findall(command)]
    return min((float(size) for size in sizes if size > 0), default=math.nan)


def has_intended_latencies(command: str) -> bool:
    """Whether READ and the others are counted from when they were due; only the command line tells."""
    return bool(_INTENDED.search(command))


def _first(pattern: re.Pattern, command: str) -> str:
    match = pattern.search(command)
    return match[1] if match else ""
