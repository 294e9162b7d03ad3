"""Which server a log is of by its place: what the names of file and folders say besides the settings of the run.

Logs of one folder whose names differ in nothing but workload, threads, records, phase and repeat are of one server,
which is called by what is left of the names, and if nothing is left by the folder.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from math import nan

from ycsbook.ingest.files.scan import Folder, Scan, split, unpacked
from ycsbook.ingest.log.labels import identifier, server_of_text, settings_of_text, undated, without_settings

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
        >>> server("logs/mongo", {"threads": 50.0, "workload": "b"})
        {}
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
