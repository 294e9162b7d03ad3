"""The main numbers of a report, for indexes and histories."""

import math

from ycsbook.report import numbers, scaling
from ycsbook.report.rows import Rows, headline
from ycsbook.report.site.evidence import Evidence


def of(evidence: Evidence) -> dict:
    """Slug, title, language, date, server, and of every workload and number of threads the highest throughput.

    `numbers` holds a dict each: workload, threads, spec, best_ops_s (mean of a spec's repeats, ops/s), and by what
    each doubling of cores multiplies throughput: factor, low, high (95 %), None where no law may be claimed. Nothing is
    rounded: what is rounded twice is printed as another number than the page prints.
    """
    sweep = evidence.sweep
    rows = Rows(sweep, evidence.tables)
    return {
        "slug": sweep.name,
        "title": sweep.title or sweep.name,
        "lang": sweep.report.lang,
        "date": rows.date,
        "server": rows.server,
        "runs": len(rows.fitted),
        "numbers": _numbers(rows, evidence.analysis),
    }


def printed(found: list[dict]) -> list[dict]:
    """These numbers as indexes print them."""
    said = {"best_ops_s": numbers.whole, "factor": numbers.plain, "low": numbers.plain, "high": numbers.plain}
    return [{key: said[key](value) if key in said else value for key, value in row.items()} for row in found]


def _numbers(rows: Rows, analysis: scaling.Analysis) -> list[dict]:
    points = headline(rows.points[rows.points["y"].notna()])
    if points.empty:
        return []
    outcome, found = points["outcome"].iloc[0], []
    for workload in rows.workloads:
        of_workload = points[points["workload"] == workload]
        for threads, here in of_workload.groupby("threads"):
            means = here.groupby(["cores", "ram_gib", "label"], dropna=False)["y"].mean()
            factor = scaling.doubling(analysis, workload, threads, outcome)
            found.append(
                {
                    "workload": workload, "threads": int(threads), "spec": means.idxmax()[2],
                    "best_ops_s": float(means.max()),
                    **dict(zip(("factor", "low", "high"), map(_known, factor), strict=True)),
                }
            )  # fmt: skip
    return found


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
