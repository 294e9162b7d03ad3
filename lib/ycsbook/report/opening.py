"""The finding first: the question, the answer in up to three sentences, the plot, the worst findings."""

import math

import pandas as pd

from ycsbook.anomalies import main
from ycsbook.report import numbers, scaling
from ycsbook.report.blocks import Figure, Finding, Findings, Section, Text
from ycsbook.report.rows import Rows

WORST = 3


def section(rows: Rows, analysis: scaling.Analysis, findings: pd.DataFrame, plot: Figure | None) -> Section:
    """What a reader sees on the first screen. `findings` are in the order they are to be read."""
    t = rows.t
    if plot is None:
        return Section(t["opening"], "finding", (Text(t["no_points"], "lead"),))
    blocks = [Text(" ".join(answer(rows, analysis, findings)), "lead"), plot]
    grave = findings[findings["severity"].isin(["error", "warning"])]
    if not grave.empty:
        worst = Section(
            t["worst"], "worst", (Findings(tuple(finding(row) for row in main(grave, WORST).to_dict("records"))),)
        )
        rest = len(findings) - min(WORST, len(grave))
        blocks.append(worst)
        if rest:
            blocks.append(Text(t["worst_rest"].format(n=rest), "note"))
    return Section(t["opening"], "finding", tuple(blocks))


def answer(rows: Rows, analysis: scaling.Analysis, findings: pd.DataFrame) -> list[str]:
    """The answer, a sentence each: how throughput grows, how the other series do, what was flagged."""
    t = rows.t
    points = rows.fitted
    factors = {
        (workload, threads): scaling.doubling(analysis, workload, threads)
        for workload, threads in points[["workload", "threads"]].drop_duplicates().itertuples(index=False)
    }
    known = {series: f for series, f in factors.items() if not math.isnan(f[0])}
    workload = rows.workloads[0]
    threads = max(threads for w, threads in factors if w == points["workload"].iloc[0] or w == workload)
    sentences = [_growth(rows, points, workload, threads, known.get((workload, threads)))]
    if len(known) > 1:
        low, high = min(f[0] for f in known.values()), max(f[0] for f in known.values())
        open_ = int((analysis.choices["verdict"] != "claimed").sum())
        unknown = t["answer_unknown"].format(n=open_) if open_ else ""
        words = {"n": len(known), "low": numbers.plain(low), "high": numbers.plain(high), "unknown": unknown}
        sentences.append(t["answer_range"].format(**words))
    return [*sentences, _flags(rows, findings)]


def finding(row: dict) -> Finding:
    """The block of one row of the findings frame."""
    effect = numbers.effect(row["effect"], row["effect_low"], row["effect_high"], row["effect_unit"])
    return Finding(row["severity"], row["rule"], row["sentence"], effect, row["evidence"], row["advice"])


def _growth(rows: Rows, points: pd.DataFrame, workload: str, threads: float, factor: tuple | None) -> str:
    t = rows.t
    series = points[(points["workload"] == workload) & (points["threads"] == threads)]
    means = series.groupby(["cores", "ram_gib", "label"], dropna=False)["y"].mean().reset_index()
    first, last = means.iloc[0], means.iloc[-1]
    words = {
        "series": t["series"].format(workload=workload, threads=numbers.count(threads)),
        "first": numbers.whole(first["y"]), "first_spec": first["label"],
        "last": numbers.whole(last["y"]), "last_spec": last["label"],
    }  # fmt: skip
    if factor is None:
        return t["answer_no_fit"].format(**words)
    value, low, high = (numbers.plain(f) for f in factor)
    shown = t["interval"].format(value=value, low=low, high=high) if not math.isnan(factor[1]) else value
    return t["answer_doubling"].format(factor=shown, **words)


def _flags(rows: Rows, findings: pd.DataFrame) -> str:
    t = rows.t
    grave = findings[findings["severity"].isin(["error", "warning"])]
    if grave.empty:
        return t["answer_no_findings"]
    counts = grave["rule"].value_counts(sort=True)
    rules = ", ".join(f"{n} × {t['rules'].get(rule, rule.replace('_', ' '))}" for rule, n in counts.items())
    return t["answer_findings"].format(n=len(grave), rules=rules)
