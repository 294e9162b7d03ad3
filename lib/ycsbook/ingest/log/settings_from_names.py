"""What the names of files and folders, and the headings of a page, say of a run; the nearest goes before the others."""

import os
import re
from collections import ChainMap
from collections.abc import Iterable, Mapping
from functools import lru_cache

# So many folders above a file are looked at.
_FOLDERS = 3
_TIMES = {"": 1, "k": 1000, "m": 10**6}
# A letter and a number count only where they are set off, as in `mysql_t16_r2.log`: `t3.large` is a server.
_ALONE = r"(?:^|(?<=[_-])){}(\d{{1,4}})(?=[_-]|\.(?:log|txt|out|dat|json|csv|gz)|$)"
_SEPARATOR = r"[ ._=:-]{0,2}"
_PATTERNS = {
    "workload": (r"(?:^|(?<=[^a-z]))workload[ ._-]?([a-f])(?![a-z0-9])",),
    "threads": (
        rf"(?:threads?(?:count)?|线程数?){_SEPARATOR}(\d{{1,5}})(?![0-9.]*\d)",
        r"(?<![\d.])(\d{1,5})[ ._-]?(?:threads?\b|个?线程)",
        _ALONE.format("t"),
    ),
    "records": (
        rf"records?(?:count)?{_SEPARATOR}(\d{{1,12}}[km]?)(?![a-z0-9])",
        r"(?<![\d.])(\d{1,12}[km]?)[ ._-]?records?(?![a-z])",
    ),
    "repeat": (
        rf"(?:iteration|iter|repeat|repetition|trial)s?{_SEPARATOR}(\d{{1,3}})(?!\d)",
        _ALONE.format("r"),
    ),
}
_COMPILED = {name: re.compile("|".join(patterns), re.ASCII | re.IGNORECASE) for name, patterns in _PATTERNS.items()}
# Most names say nothing, and are asked for it by the thousand.
_ANY = re.compile(r"workload|thread|线程|record|iter|repe|trial|(?:^|[_-])[tr]\d", re.IGNORECASE)


@lru_cache(maxsize=4096)
def of_text(text: str) -> Mapping[str, float | str]:
    """The workload's letter, threads, records and repeat that a name or a heading says.

    Examples
        >>> of_text("Records_100k-workloada"), of_text("thread_4"), of_text("mysql_t16_r2.log"), of_text("iteration_1")
        ({'workload': 'a', 'records': 100000.0}, {'threads': 4.0}, {'threads': 16.0, 'repeat': 2.0}, {'repeat': 1.0})
    """
    said = {}
    for name, pattern in _COMPILED.items() if _ANY.search(text) else ():
        if match := pattern.search(text):
            word = next(filter(None, match.groups())).lower()
            digits = word.rstrip("km")
            said[name] = word if name == "workload" else float(digits) * _TIMES[word.removeprefix(digits)]
    return {name: value for name, value in said.items() if value}


def of_texts(texts: Iterable[str]) -> dict[str, float | str]:
    """What several say, the first before the others."""
    return dict(ChainMap(*map(of_text, texts)))


@lru_cache(maxsize=4096)
def of_path(path: str) -> Mapping[str, float | str]:
    """What a file's name and those of its folders say.

    Examples
        >>> of_path("out/Workload A/thread_4/iteration_2/run.log")
        {'workload': 'a', 'threads': 4.0, 'repeat': 2.0}
    """
    *folders, name = path.split(os.sep)
    return of_texts((name, *reversed(folders[-_FOLDERS:])))
