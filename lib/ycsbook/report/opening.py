"""The head of a report, and the finding first: the question, the answer in up to three sentences, the plot, the worst
findings."""

import math
import re

import pandas as pd

from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import number
from ycsbook.plots import style
from ycsbook.report import findings as flags
from ycsbook.report import scaling
from ycsbook.report.blocks import FieldValue, Figure, Findings, Section, Text
from ycsbook.report.rows import ReportRows, headline

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def facts(rows: ReportRows, findings: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """The few labelled values under the title."""
    text = rows.text
    counted = (("measured", rows.measured), ("published", rows.published), ("left-out", rows.left_out))
    runs = [text(f"opening-{name}", n=len(frame)) for name, frame in counted if len(frame)]
    ways = rows.cores_ways(rows.lang)
    return (
        (text("opening-server"), rows.server),
        *(((text("opening-cores"), rows.joined("commas", ways)),) if ways else ()),
        (text("opening-date"), rows.date),
        (text("opening-specs"), number(rows.points["label"].nunique())),
        (text("opening-runs"), rows.joined("commas", runs) or "0"),
        (text("opening-findings"), number(len(findings))),
    )


def fields(rows: ReportRows) -> tuple[tuple[str, FieldValue], ...]:
    """Description, slug, language and, where it is known to the day, the date; then those of the params file, which
    also win over the date.

    A date that is no day is left out: Hugo refuses the page.
    """
    sweep = rows.sweep
    ours: dict[str, FieldValue] = {
        "description": rows.text("report-description", server=rows.server, date=rows.date),
        "slug": sweep.name,
        "lang": sweep.report.lang,
    }
    if days := _DAY.findall(rows.date):
        ours["date"] = days[-1]
    return tuple({**ours, **sweep.report.front_matter}.items())


def section(rows: ReportRows, analysis: scaling.Analysis, findings: pd.DataFrame, plot: Figure | None) -> Section:
    """What a reader sees on the first screen. `findings` are in the order they are to be read."""
    text = rows.text
    if plot is None:
        return Section(text("opening"), "finding", (Text(text("opening-no-points"), "lead"),))
    blocks = [Text(rows.joined("sentences", answer(rows, analysis, findings)), "lead"), plot]
    if rows.drawn_lang != rows.lang or not all(map(style.shows, rows.points["label"])):
        blocks.append(Text(text("opening-no-font"), "note"))
    if not flags.grave(findings).empty:
        worst = tuple(flags.flag(rows, row, brief=True) for row in flags.worst(findings).to_dict("records"))
        blocks.append(Section(text("opening-worst"), "worst", (Findings(worst, brief=True),)))
        if len(findings) > len(worst):
            blocks.append(Text(text("opening-rest", n=len(findings)), "note"))
    return Section(text("opening"), "finding", tuple(blocks))


def answer(rows: ReportRows, analysis: scaling.Analysis, findings: pd.DataFrame) -> list[str]:
    """The answer, a sentence each: how throughput grows, how the other series do, what was flagged."""
    points = headline(rows.points[rows.points["y"].notna()])
    outcome = points["outcome"].iloc[0]
    factors = {
        (workload, threads): scaling.doubling(analysis, workload, threads, outcome)
        for workload, threads in points[["workload", "threads"]].drop_duplicates().itertuples(index=False)
    }
    claimed = {series: factor for series, factor in factors.items() if not math.isnan(factor[0])}
    workload = next(w for w in rows.workloads if (points["workload"] == w).any())
    here = points[points["workload"] == workload]
    threads = here["threads"].max()
    series = here[here["threads"].eq(threads) | here["threads"].isna().all()]
    law, _ = scaling.choice(analysis, workload, threads, outcome)
    if (factor := claimed.get((workload, threads))) is None:
        sentences = [rows.text("opening-ends", drawn=bool(law), **_ends(series))]
    else:
        inside = _inside(series, analysis, workload, threads, outcome)
        broken = _broken(inside, findings)
        sentences = [rows.text("opening-doubling", **_growth(inside, series, factor, law), broken=broken)]
    open_ = len(factors) - len(claimed)
    if len(claimed) > 1:
        low, high = (fact("opening-factor", **_factor(end(claimed.values()))) for end in (min, max))
        sentences.append(rows.text("opening-range", n=len(claimed), low=low, high=high, open=open_))
    elif open_ and len(factors) > 1:
        sentences.append(rows.text("opening-open", n=open_, total=len(factors)))
    return [*sentences, _flagged(rows, findings)]


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


def _ends(series: pd.DataFrame) -> dict[str, object]:
    """The series, and throughput (ops/s) on its smallest and on its largest spec."""
    means, one_run = _means(series), series.iloc[0]
    first, last = means.iloc[0], means.iloc[-1]
    return {
        "workload": one_run["workload"], "threads": one_run["threads"], "first": first["y"],
        "first_spec": first["label"], "last": last["y"], "last_spec": last["label"],
    }  # fmt: skip


def _means(series: pd.DataFrame) -> pd.DataFrame:
    return series.groupby(["cores", "ram_gib", "label"], dropna=False)["y"].mean().reset_index()


def _growth(inside: pd.DataFrame, series: pd.DataFrame, factor: tuple, law: str) -> dict[str, object]:
    """By what throughput grows within the fitted cores, and how many specs stand outside of them."""
    beyond = _means(series[~series.index.isin(inside.index)])
    most = beyond.loc[beyond["y"].idxmax()] if len(beyond) else {"y": None, "label": ""}
    return {
        **_ends(inside), **_factor(factor), "linear": law == "linear" and bool(factor[1] <= 2 <= factor[2]),
        "beyond": len(beyond), "most": most["y"], "most_spec": most["label"],
    }  # fmt: skip


def _factor(factor: tuple[float, float, float]) -> dict[str, float]:
    return dict(zip(("factor", "low", "high"), factor, strict=True))


def _flagged(rows: ReportRows, findings: pd.DataFrame) -> str:
    """What the checks found."""
    grave = flags.grave(findings)
    if grave.empty and len(findings):
        return rows.text("opening-minor", n=len(findings))
    rules: list[Fact] = [
        fact("opening-rule", n=n, rule=rows.rule(rule)) for rule, n in grave["rule"].value_counts(sort=True).items()
    ]
    return rows.text("opening-flags", n=len(grave), rules=rules)
