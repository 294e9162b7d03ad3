"""Today's status lines by the thousand: native/logs.c reads what current releases print, and nothing else.

What deviates from that layout (old dialect, other labels, odd numbers) is given to the exact reader line by line, and
to the caller where much does.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ycsbook import native
from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.status import StatusLine, parse_line
from ycsbook.native import status
from ycsbook.native.status import MAX_NAMES, Status, Stretch

# Lines that YCSB prints among its status lines and that tell nothing of the run: the first comes from every thread.
PASSED_OVER = (
    b"DBWrapper: report latency for each error is ",
    b"Maximum time elapsed. Requesting stop for the workload.",
    b"Stop requested for workload. Now Joining!",
    b"Still waiting for thread ",
)


class Read(NamedTuple):
    """What was read fast.

    `lines`: the status lines of all regular regions (None: there is none); `starts`: the index of the first line of
    each of those; `regular`: which regions they are; `line_counts`: how many lines each of the regions has in its file,
    which are more than status lines where others were passed over (0 where it is not regular).
    """

    lines: StatusLines | None
    starts: np.ndarray
    regular: np.ndarray
    line_counts: np.ndarray


def read(regions: Sequence[Stretch], first_lines: Sequence[int]) -> Read:
    """Read stretches of status lines, each exactly as `status.parse_line` reads its lines, or not at all.

    A region is regular if it begins with a status line, if all its lines are those or begin as in PASSED_OVER, if they
    are whole (with a line end) and shorter than 64 KiB, if neither seconds nor operations ever decrease, if it holds
    no NUL and no lone carriage return, and if few of its lines deviate from what current releases print. Values are
    those of float(text): integers are converted once, and a mean of at most 15 digits is one integer divided by a power
    of ten, both of which a double holds exactly, so it is rounded once.

    Parameters
        regions: one of each log.
        first_lines: the line number in its file of each region's first line.
    Returns
        Read: the lines of the regular regions, in order; none where the library is not built. Memory: about half of
        the regions' bytes.
    """
    n, library = len(regions), native.library()
    if not n or library is None:
        return Read(None, np.zeros(0, np.int64), np.zeros(n, bool), np.zeros(n, np.int64))
    return _joined(status.read(library, regions, first_lines, PASSED_OVER), regions)


def _joined(found: Status, regions: Sequence[Stretch]) -> Read:
    """The lines of the regular regions, those read one by one among them."""
    regular = found.counts >= 0
    counts = np.where(regular, found.counts, 0)
    if found.odd:
        region = np.repeat(np.arange(len(regions)), counts)
        found, refused = _reread(found, regions, region)
        regular[list(refused | _going_back(found.lines, region))] = False
        found = _kept(found, regular[region])
        counts = np.where(regular, counts, 0)
    starts = (np.cumsum(counts) - counts)[regular]
    line_counts = np.where(regular, found.counted, 0)
    if not len(starts):
        return Read(None, starts, regular, line_counts)
    name, names = _in_order(found.details["name"], tuple(found.names))
    lines = StatusLines(**found.lines, **found.details | {"name": name}, names=names)
    return Read(lines, starts, regular, line_counts)


def _going_back(lines: dict[str, np.ndarray], region: np.ndarray) -> set[int]:
    """The regions in which a line has fewer seconds or operations than the line before it."""
    back = (np.diff(lines["elapsed_s"]) < 0) | (np.diff(lines["operations"]) < 0)
    return set(region[1:][back & (region[1:] == region[:-1])].tolist())


def _kept(found: Status, kept: np.ndarray) -> Status:
    """Without some of the lines."""
    of_kept = kept[found.details["owner"]]
    details = {name: column[of_kept] for name, column in found.details.items()}
    details["owner"] = (np.cumsum(kept) - 1)[details["owner"]]
    return found._replace(lines={name: column[kept] for name, column in found.lines.items()}, details=details)


def _reread(found: Status, regions: Sequence[Stretch], region: np.ndarray) -> tuple[Status, set[int]]:
    """With the odd lines as the exact reader reads them, and the regions of those that it does not take for one."""
    read: list[tuple[int, StatusLine]] = []
    refused: set[int] = set()
    names = dict.fromkeys(found.names)
    for i, start, size in found.odd:
        line = parse_line(regions[region[i]].text[start : start + size].decode("utf-8", errors="replace"))
        if line is None or len(names.keys() | {d.operation for d in line.details}) > MAX_NAMES:
            refused.add(int(region[i]))
        else:
            names |= dict.fromkeys(d.operation for d in line.details)
            read.append((i, line))
    exact = StatusLines.of(read)
    at = [i for i, _ in read]
    for name in ("at_ms", "elapsed_s", "operations"):
        found.lines[name][at] = getattr(exact, name)
    code = {name: i for i, name in enumerate(names)}
    codes = np.array([code[name] for name in exact.names], np.int64)
    new = {name: getattr(exact, name) for name in found.details}
    new |= {"name": codes[exact.name] if len(codes) else exact.name, "owner": np.array(at, np.int64)[exact.owner]}
    order = np.argsort(np.concatenate([found.details["owner"], new["owner"]]), kind="stable")
    details = {name: np.concatenate([column, new[name]])[order] for name, column in found.details.items()}
    return found._replace(details=details, names=[*names]), refused


def _in_order(code: np.ndarray, names: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes and names in the order in which they first appear, without names that do not."""
    first = {}
    for i in range(len(names)):
        at = int((code == i).argmax()) if len(code) else 0
        if len(code) and code[at] == i:
            first[i] = at
    order = sorted(first, key=first.get)
    if order == list(range(len(order))):
        return code, tuple(names[i] for i in order)
    new = np.zeros(len(names), np.int64)
    new[order] = np.arange(len(order))
    return new[code], tuple(names[i] for i in order)
