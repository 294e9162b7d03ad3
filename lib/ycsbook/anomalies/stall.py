"""A run that stood still: no throughput, or next to none, for seconds."""

from collections.abc import Iterator

import numpy as np

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence, RunSeries
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact


@rule(
    cannot_know="whether the server, the network or the client stood still; a stall shorter than the interval of the "
    "status lines is invisible, and so is one in a run without them.",
    source="YCSB's status lines, which go on printing 0 current ops/sec.",
    defaults={"share": 0.05, "seconds": 2.0, "warning_s": 10.0},
)
def stall(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Throughput below `share` of the run's usual one for at least `seconds` at a stretch; from `warning_s` of them in
    all a warning, else a notice.

    The effect is the share of the run that was lost. A published text that speaks of a stall is a warning too.
    """
    for series in evidence.series:
        lasting = stretches(series, settings["share"], settings["seconds"])
        if not lasting:
            continue
        lost = float(sum(b - a for a, b in lasting))
        start, end = max(lasting, key=lambda span: span[1] - span[0])
        yield Finding(
            "warning" if lost >= settings["warning_s"] - 1e-6 else "notice", series.run["dataset"],
            (series.run["run_id"],),
            fact("stall", cell=names.cell(series.run), lost_s=lost, stretches=len(lasting), longest_s=end - start,
                 start_s=start, share=settings["share"], usual=series.usual),
            effect=-lost / float(series.length_s.sum()), cause="stall",
        )  # fmt: skip
    for dataset, document in sorted(evidence.documents.items()):
        for row in document.get("table", ()):
            if not row.get("stall"):
                continue
            server = " ".join(filter(None, (row.get("engine"), row.get("server_version"))))
            minutes, line = (str(row[name]) if row.get(name) else None for name in ("duration_min", "source_line"))
            yield Finding(
                "warning", dataset, (),
                fact("stall-published", server=server or None, words=str(row["stall"]), minutes=minutes, line=line),
                "published", cause="stall", advice=fact("stall-advice"),
            )  # fmt: skip


def stretches(series: RunSeries, share: float, seconds: float) -> list[tuple[float, float]]:
    """From when to when the run stood still, in seconds from its start: below `share` of its usual throughput for at
    least `seconds`."""
    low = series.stalled(share)
    starts = np.flatnonzero(low & ~np.append(False, low[:-1]))
    ends = np.flatnonzero(low & ~np.append(low[1:], False))
    begins = series.end_s - series.length_s
    spans = [(float(begins[a]), float(series.end_s[b])) for a, b in zip(starts, ends, strict=True)]
    return [(start, end) for start, end in spans if end - start >= seconds - 1e-6]
