"""Which workload a log is of, where its command line is not there to say it: by the names of its file and folders, else
by the mix of its operations. What was inferred so, and what a mix contradicts, is warned of."""

import math
from collections.abc import Mapping

from ycsbook.ingest.log import labels
from ycsbook.operations import DATABASE_OPERATIONS, READ_MODIFY_WRITE, STANDARD_MIXES
from ycsbook.verdicts import Warn

# Fewer operations say too little of the shares they were drawn with.
_LEAST = 1000
# How far, beyond four standard deviations of the drawing, a share may be from that of the mix it is taken for, and from
# that of the mix it is said to be.
_NEAR, _FAR = 0.01, 0.02


def settled(stated: str, path: str, calls: Mapping[str, float]) -> tuple[str, Warn | None]:
    """The workload, and what to warn of.

    Parameters
        stated: as the command line or the user says it; empty: neither does.
        path: of the log.
        calls: of each operation of a run's phase, READ-MODIFY-WRITE among them; empty of a load.
    Examples
        >>> settled("", "logs/Workload A/8.log", {})
        ('a', <Warn.WORKLOAD_INFERRED: 'WORKLOAD_INFERRED'>)
        >>> settled("", "8.log", {"READ": 50_100.0, "UPDATE": 49_900.0})[0]
        'a'
        >>> settled("c", "8.log", {"READ": 50_100.0, "UPDATE": 49_900.0})
        ('c', <Warn.WORKLOAD_CONTRADICTED: 'WORKLOAD_CONTRADICTED'>)
    """
    n, far = _distances(calls)
    name = stated or str(labels.settings_of_path(path).get("workload", ""))
    slack = 2 / math.sqrt(n) if n else 0.0
    if name.lower() in far and far[name.lower()] > _FAR + slack:
        return name, Warn.WORKLOAD_CONTRADICTED
    if stated:
        return stated, None
    if not name and far:
        nearest = min(far, key=far.get)
        name = nearest if far[nearest] <= _NEAR + slack else ""
    return name, Warn.WORKLOAD_INFERRED if name else None


def _distances(calls: Mapping[str, float]) -> tuple[float, dict[str, float]]:
    """The number of operations, and how far the largest difference of a share from each standard mix is; none of too
    few operations."""
    rmw = calls.get(READ_MODIFY_WRITE, 0.0)
    inside = {"READ": rmw, "UPDATE": rmw}
    named = (*DATABASE_OPERATIONS, *(name for name in calls if name not in (*DATABASE_OPERATIONS, READ_MODIFY_WRITE)))
    done = {name: max(calls.get(name, 0.0) - inside.get(name, 0.0), 0.0) for name in named}
    n = rmw + sum(done.values())
    if n < _LEAST:
        return n, {}
    shares = {name.lower(): count / n for name, count in done.items()} | {"readmodifywrite": rmw / n}
    return n, {
        letter: max(abs(share - mix.get(name, 0.0)) for name, share in shares.items())
        for letter, mix in STANDARD_MIXES.items()
    }
