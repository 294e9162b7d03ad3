"""A report from what was measured: the finding first, then what supports it, then how it was done."""

import pandas as pd

from ycsbook.anomalies import ranked
from ycsbook.params.sweep import Sweep
from ycsbook.report import (
    capacity,
    findings,
    latency,
    limits,
    marginals,
    method,
    numbers,
    opening,
    results,
    scaling,
    threads,
    timeline,
)
from ycsbook.report.blocks import Report
from ycsbook.report.rows import Rows
from ycsbook.tables import Tables
from ycsbook.verdicts import CORES_ENFORCED_BY


def build(
    sweep: Sweep,
    tables: Tables,
    analysis: scaling.Analysis,
    found: pd.DataFrame,
    environment: dict[str, dict[str, str]],
) -> Report:
    """Arrange a sweep's tables, fits and findings into a report.

    Parameters
        sweep: names, title, settings and language.
        tables: measured runs, published rows, or both; runs that failed are listed, never plotted.
        analysis: the frames of the scaling analysis of the same runs.
        found: the findings frame.
        environment: groups of named values, such as {"Machine": {"CPU": "..."}, "Commands": {...},
            "Inputs": {path: sha256}}; commands are redacted here once more.
    Returns
        Report: pure data; report.write puts it on disk.
    Raises
        PublishError: no texts in the sweep's language.
    """
    rows = Rows(sweep, tables)
    found = ranked(found)
    sections = [opening.section(rows, analysis, found, scaling.figure(rows, analysis, found))]
    if not rows.points.empty:
        sections += [
            results.section(rows),
            scaling.section(rows, analysis),
            *filter(None, (part.section(rows, analysis) for part in (limits, marginals, capacity))),
            threads.section(rows, found),
            findings.section(rows, found),
            latency.section(rows),
            timeline.section(rows),
        ]
    sections.append(method.method(rows))
    for part in (method.environment(rows, environment), method.provenance(rows, environment)):
        sections += [part] if part.blocks else []
    sections.append(results.left_out(rows))
    return Report(
        title=sweep.title or sweep.name,
        slug=sweep.name,
        lang=sweep.report.lang,
        facts=_facts(rows, found),
        sections=tuple(sections),
        fields=(("description", _description(rows)), ("slug", sweep.name), ("lang", sweep.report.lang)),
    )


def _facts(rows: Rows, found: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    t = rows.t
    counted = (
        ("runs_measured", len(rows.measured)), ("runs_published", len(rows.published)),
        ("runs_left_out", len(rows.left_out)),
    )  # fmt: skip
    runs = ", ".join(t[key].format(n=n) for key, n in counted if n)
    ways = [CORES_ENFORCED_BY.get(way, way) for way in rows.measured["cores_enforced_by"].unique() if way]
    return (
        (t["fact_server"], rows.server),
        *(((t["fact_cores"], ", ".join(ways)),) if ways else ()),
        (t["fact_date"], rows.date),
        (t["fact_specs"], numbers.count(rows.points["label"].nunique())),
        (t["fact_runs"], runs or "0"),
        (t["fact_findings"], numbers.count(len(found))),
    )


def _description(rows: Rows) -> str:
    return f"{rows.t['kicker']}: {rows.server}, {rows.date}"
