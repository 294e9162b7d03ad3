"""Throughput over cores for one workload, with the law that was chosen."""

import pandas as pd

from ycsbook.explore import words
from ycsbook.explore.hover import Hovered, Mark
from ycsbook.plots import scaling, style
from ycsbook.scaling import Analysis
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import Tables

ALL = "all"
BEST = "best"
"""Instead of a law: in each group the law that the analysis shows first."""
_HEIGHT, _WIDTH = 4.6, 8.4
_KEYS = ["group", "workload", "threads", "outcome", "law"]
_VALUES = ("fitted", "conf_low", "conf_high")


def scaling_of(
    tables: Tables, analysis: Analysis, *, workload: str, threads: float | str = ALL, law: str = BEST,
    flagged: dict[str, int] | None = None, lang: str = "en",
) -> Hovered:  # fmt: skip
    """Throughput over cores for one workload, one law, and one or all thread counts.

    Parameters
        threads: a thread count, or ALL.
        law: a law's name, or BEST.
        flagged: run id to rank, 0 the worst: ringed and named.
        lang: en or zh.
    """
    language = words.of(lang)
    runs = with_throughput(tables.runs)
    points = chosen(runs[runs["workload"].eq(workload) & runs["y"].notna() & runs["cores"].gt(0)], threads)
    drawn = curves(analysis, law)
    drawn = chosen(drawn[drawn["workload"].eq(workload)], threads)
    laws = _laws(analysis, workload, threads, law)
    latencies = words.latencies(tables.operations)
    with style.theme():
        picture, axes = style.panel(height=_HEIGHT, width=_WIDTH)
        if len(points):
            name = language.law(laws, drawn=True)
            title = language.drawn["workload_law"].format(workload=language.workload(workload, drawn=True), law=name)
            scaling.facet(axes, points, drawn, y="y", flagged=flagged, title=title, words=language.words)
            shown = {"law": name if len(drawn) else "", "flagged": bool(flagged)}
            scaling.legend(picture, points, **shown, words=language.words)
    marks = tuple(
        Mark(row["run_id"], row["cores"], row["y"], language.lines(row, latencies.get(row["run_id"], {})))
        for row in points.to_dict("records")
    )
    said = language.texts["scaling_alt"].format(workload=workload, law=language.law(laws), n=len(points))
    return Hovered(picture, marks, said)


def curves(analysis: Analysis, law: str) -> pd.DataFrame:
    """The curves of a law, or of each group's law shown first, with the columns of fit_curves.

    The analysis draws the law shown first and the USL at many places; another law is known at the cores that were
    measured, which is enough for a line between them.
    """
    known = analysis.curves
    if law == BEST:
        return known.merge(analysis.choices[_KEYS], on=_KEYS)
    found = known[known["law"].eq(law)]
    others = analysis.augment[analysis.augment["law"].eq(law) & ~analysis.augment["group"].isin(found["group"])]
    columns = [*_KEYS, "cores", *_VALUES, "extrapolated"]
    if others.empty:
        return found[columns]
    places = others.groupby([*_KEYS, "cores"], as_index=False, dropna=False)[list(_VALUES)].mean()
    # All laws of a group are fitted to the same points: beyond these stand lower bounds.
    inside = known[~known["extrapolated"].astype(bool)].groupby("group")["cores"].agg(["min", "max"])
    low, high = (places["group"].map(inside[end]) for end in ("min", "max"))
    places["extrapolated"] = places["cores"].lt(low * 0.999) | places["cores"].gt(high * 1.001)
    return pd.concat([part[columns] for part in (found, places) if len(part)], ignore_index=True)


def _laws(analysis: Analysis, workload: str, threads: float | str, law: str) -> list[str]:
    """The names of what is drawn: the law, or those shown first."""
    if law != BEST:
        return [law]
    choices = chosen(analysis.choices[analysis.choices["workload"].eq(workload)], threads)
    return sorted(set(choices["law"]) - {""})


def sentences(analysis: Analysis, *, workload: str, threads: float | str, law: str, lang: str = "en") -> list[str]:
    """What may be said of each group that is drawn: the analysis' sentence, or how well the chosen law fits."""
    language = words.of(lang)
    t, said = language.texts, language.said
    if law == BEST:
        rows = chosen(analysis.choices[analysis.choices["workload"].eq(workload)], threads)
        return [t["series"].format(group=said(row.group), text=said(row.sentence)) for row in rows.itertuples()]
    rows = analysis.glance[analysis.glance["workload"].eq(workload) & analysis.glance["law"].eq(law)]
    return [
        t["law_fits"].format(
            group=said(row.group), law=language.law([law]), scatter=_scatter(t, row.residual_se),
            verdict=said(row.verdict),
        )
        for row in chosen(rows, threads).itertuples()
    ]  # fmt: skip


def _scatter(t: dict, residual_se: float) -> str:
    return "" if pd.isna(residual_se) else t["scatter"].format(share=f"{100 * residual_se:.0f}")


def chosen(frame: pd.DataFrame, threads: float | str) -> pd.DataFrame:
    """The rows of one thread count, or all."""
    return frame if threads == ALL else frame[frame["threads"] == threads]
