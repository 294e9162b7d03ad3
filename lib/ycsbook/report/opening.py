"""The finding first: the question, the answer in up to three sentences, the plot, the worst findings."""

import math
import re

import pandas as pd

from ycsbook.anomalies import RULES, grouped
from ycsbook.plots import style
from ycsbook.report import numbers, scaling
from ycsbook.report.blocks import Figure, Finding, Findings, Section, Text
from ycsbook.report.rows import Rows, headline

WORST = 3
# Where a finding begins to say what other rules saw.
_OTHERS = re.compile(rf"; (?:{'|'.join(RULES)}): ")


def section(rows: Rows, analysis: scaling.Analysis, findings: pd.DataFrame, plot: Figure | None) -> Section:
    """What a reader sees on the first screen. `findings` are in the order they are to be read."""
    t = rows.t
    if plot is None:
        return Section(t["opening"], "finding", (Text(t["no_points"], "lead"),))
    blocks = [Text(t["gap"].join(answer(rows, analysis, findings)), "lead"), plot]
    if not all(map(style.shows, (t["kicker"], *rows.points["label"]))):
        blocks.append(Text(t["no_font"], "note"))
    grave = findings[findings["severity"].isin(["error", "warning"])]
    if not grave.empty:
        gravest = tuple(finding(rows, row) for row in _worst(findings).to_dict("records"))
        worst = Section(t["worst"], "worst", (Findings(gravest, brief=True),))
        blocks.append(worst)
        if len(findings) > len(gravest):
            blocks.append(Text(t["worst_rest"].format(n=len(findings)), "note"))
    return Section(t["opening"], "finding", tuple(blocks))


def answer(rows: Rows, analysis: scaling.Analysis, findings: pd.DataFrame) -> list[str]:
    """The answer, a sentence each: how throughput grows, how the other series do, what was flagged."""
    t = rows.t
    points = headline(rows.points[rows.points["y"].notna()])
    outcome = points["outcome"].iloc[0]
    factors = {
        (workload, threads): scaling.doubling(analysis, workload, threads, outcome)
        for workload, threads in points[["workload", "threads"]].drop_duplicates().itertuples(index=False)
    }
    known = {series: f for series, f in factors.items() if not math.isnan(f[0])}
    workload = next(w for w in rows.workloads if (points["workload"] == w).any())
    here = points[points["workload"] == workload]
    threads = here["threads"].max()
    series = here[here["threads"].eq(threads) | here["threads"].isna().all()]
    factor, (law, _) = known.get((workload, threads)), scaling.choice(analysis, workload, threads, outcome)
    if factor is None:
        first = _open(rows, series, law)
    else:
        inside = _inside(series, analysis, workload, threads, outcome)
        first = _growth(rows, inside, series, factor, law=law, broken=_broken(inside, findings))
    sentences, open_ = [first], len(factors) - len(known)
    if len(known) > 1:
        low, high = (_factor(rows, worst(known.values())) for worst in (min, max))
        unknown = t["answer_unknown"].format(n=open_) if open_ else ""
        sentences.append(t["answer_range"].format(n=len(known), low=low, high=high, unknown=unknown))
    elif open_ and len(factors) > 1:
        sentences.append(t["answer_open"].format(n=open_, total=len(factors)))
    return [*sentences, _flags(rows, findings)]


def finding(rows: Rows, row: dict) -> Finding:
    """The block of one row of the findings frame."""
    figures = [row[name] for name in ("effect", "conf_low", "conf_high")]
    message, advice = rows.said(row["message"]), rows.said(row["next_step"])
    told = all(numbers.change(figure) in message for figure in figures if not math.isnan(figure))
    effect = "" if told else rows.effect(*figures)
    return Finding(row["severity"], row["rule"], message, effect, row["evidence"], advice)


def _worst(findings: pd.DataFrame) -> pd.DataFrame:
    """The worst of each rule first, in the words that the findings further down begin with, so that what is said to be
    like one is what stands there."""
    shown = grouped(findings)
    grave = shown[shown["severity"].isin(["error", "warning"])]
    nth_of_rule = grave.groupby("rule").cumcount().sort_values(kind="stable")
    picked = grave.loc[sorted(nth_of_rule.head(WORST).index)]
    return picked.assign(message=picked["message"].map(lambda message: _OTHERS.split(message, maxsplit=1)[0]))


def _inside(
    series: pd.DataFrame, analysis: scaling.Analysis, workload: str, threads: float, outcome: str
) -> pd.DataFrame:
    """The points within the cores that the law is fitted to: beyond them stand lower bounds, which it does not speak
    of."""
    curves = analysis.curves
    mine = (curves["workload"] == workload) & (curves["threads"] == threads) & (curves["outcome"] == outcome)
    cores = curves.loc[mine & ~curves["extrapolated"].astype(bool), "cores"]
    if cores.empty:
        return series
    inside = series[series["cores"].between(cores.min() * 0.999, cores.max() * 1.001)]
    return series if inside.empty else inside


def _broken(series: pd.DataFrame, findings: pd.DataFrame) -> int:
    """How many of the fitted points, one per spec, hold a row that Little's law makes an error."""
    errors = findings[(findings["rule"] == "little_law") & (findings["severity"] == "error")]
    flagged = {run_id for ids in errors["run_ids"] for run_id in ids.split()}
    return len(series.loc[series["run_id"].isin(flagged), ["spec", "cores", "ram_gib"]].drop_duplicates())


def _ends(rows: Rows, series: pd.DataFrame) -> dict[str, str]:
    t, name = rows.t, series.iloc[0]
    means = _means(series)
    first, last = means.iloc[0], means.iloc[-1]
    return {
        "series": t["series"].format(workload=name["workload"], threads=numbers.count(name["threads"])),
        "first": numbers.whole(first["y"]), "first_spec": first["label"],
        "last": numbers.whole(last["y"]), "last_spec": last["label"],
    }  # fmt: skip


def _means(series: pd.DataFrame) -> pd.DataFrame:
    return series.groupby(["cores", "ram_gib", "label"], dropna=False)["y"].mean().reset_index()


def _open(rows: Rows, series: pd.DataFrame, law: str) -> str:
    """Where no factor may be claimed: the ends of the series, and what a line that is drawn is worth."""
    return rows.t["answer_shown" if law else "answer_no_fit"].format(**_ends(rows, series))


def _growth(rows: Rows, inside: pd.DataFrame, series: pd.DataFrame, factor: tuple, *, law: str, broken: int) -> str:
    t, beyond = rows.t, ""
    rest = _means(series[~series.index.isin(inside.index)])
    if len(rest):
        most = rest.loc[rest["y"].idxmax()]
        beyond = t["answer_beyond"].format(n=len(rest), qps=numbers.whole(most["y"]), spec=most["label"])
    linear = t["answer_linear"] if law == "linear" and factor[1] <= 2 <= factor[2] else ""
    flaw = t["answer_flaw_one" if broken == 1 else "answer_flaw"].format(n=broken) if broken else ""
    words = _ends(rows, inside)
    return t["answer_doubling"].format(factor=_factor(rows, factor), linear=linear, beyond=beyond, flaw=flaw, **words)


def _factor(rows: Rows, factor: tuple[float, float, float]) -> str:
    value, low, high = (numbers.plain(f) for f in factor)
    return value if math.isnan(factor[1]) else rows.t["interval"].format(value=value, low=low, high=high)


def _flags(rows: Rows, findings: pd.DataFrame) -> str:
    t = rows.t
    grave = findings[findings["severity"].isin(["error", "warning"])]
    if grave.empty:
        return t["answer_minor_findings"].format(n=len(findings)) if len(findings) else t["answer_no_findings"]
    counts = grave["rule"].value_counts(sort=True)
    names = {rule: t["rules"].get(rule, rule.replace("_", " ")) for rule in counts.index}
    rules = t["list_comma"].join(f"{n} × {names[rule]}" for rule, n in counts.items())
    return t["answer_findings" if len(grave) > 1 else "answer_findings_one"].format(n=len(grave), rules=rules)
