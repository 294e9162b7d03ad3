"""A run that stood still: no throughput, or next to none, for seconds."""

from collections.abc import Iterator

import numpy as np

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.anomalies.series import Series
from ycsbook.units import duration

_NEXT = (
    "look at the server's log and disk for that time (checkpoints, cache eviction, elections), and give latencies with "
    "their highest percentiles: a closed loop sends nothing while it waits, so few operations show the stall"
)


@rule(
    cannot_know="whether the server, the network or the client stood still; a stall shorter than the interval of the "
    "status lines is invisible, and so is one in a run without them.",
    source="YCSB's status lines, which go on printing 0 current ops/sec.",
    defaults={"share": 0.05, "seconds": 2.0, "warning_s": 10.0},
)
def stall(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Throughput below `share` of the run's usual one for at least `seconds` at a stretch; from `warning_s` of them in
    all a warning, else a notice.

    The effect is the share of the run that was lost. A published text that speaks of a stall is a warning too.
    """
    for one in evidence.series:
        yield from _of_series(one, settings)
    for dataset, document in sorted(evidence.documents.items()):
        for row in document.get("table", ()):
            if row.get("stall"):
                yield _of_words(dataset, row)


def stretches(one: Series, share: float, seconds: float) -> list[tuple[float, float]]:
    """From when to when the run stood still, in seconds from its start: below `share` of its usual throughput for at
    least `seconds`."""
    low = one.stalled(share)
    starts = np.flatnonzero(low & ~np.append(False, low[:-1]))
    ends = np.flatnonzero(low & ~np.append(low[1:], False))
    spans = [(float(one.end_s[a] - one.length_s[a]), float(one.end_s[b])) for a, b in zip(starts, ends, strict=True)]
    return [(a, b) for a, b in spans if b - a >= seconds - 1e-6]


def _of_series(one: Series, settings: Settings) -> Iterator[Finding]:
    lasting = stretches(one, settings["share"], settings["seconds"])
    if not lasting:
        return
    lost = float(sum(b - a for a, b in lasting))
    start, end = max(lasting, key=lambda span: span[1] - span[0])
    times = "" if len(lasting) == 1 else f" in {len(lasting)} stretches, the longest of {duration(end - start)}"
    yield Finding(
        "warning" if lost >= settings["warning_s"] - 1e-6 else "notice", one.run["dataset"], (one.run["run_id"],),
        f"{wording.cell(one.run)}: throughput stood "
        f"still for {duration(lost)}{times} from {duration(start)} after the start, below "
        f"{100 * settings['share']:g} % of the usual {wording.ops(np.log(one.usual))} ops/s",
        _NEXT, "single", -lost / float(one.length_s.sum()), cause="stall",
    )  # fmt: skip


def _of_words(dataset: str, row: dict) -> Finding:
    server = " ".join(filter(None, (row.get("engine"), row.get("server_version"))))
    length = f" in a run of {row['duration_min']} min" if row.get("duration_min") else ""
    line = f" (line {row['source_line']} of the source)" if row.get("source_line") else ""
    return Finding(
        "warning", dataset, (),
        f"{server or 'the server'} stood still for “{row['stall']}”{length}, by its publisher's words{line}; no series "
        "was published that would show when or how often",
        _NEXT, "published", cause="stall",
    )  # fmt: skip
