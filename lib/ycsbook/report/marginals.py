"""What one more core and one more GiB bring, and what they cost."""

import pandas as pd

from ycsbook.report import numbers
from ycsbook.report.blocks import Column, Section, Table, Text
from ycsbook.report.rows import Rows
from ycsbook.scaling import Analysis
from ycsbook.scaling.marginals import with_prices


def section(rows: Rows, analysis: Analysis) -> Section | None:
    """A table of the steps in cores and one of the steps in RAM; None where no two specs can be compared."""
    t = rows.t
    steps = with_prices(analysis.marginals, rows.sweep.prices)
    if steps.empty:
        return None
    cores = steps[steps["cores_from"] < steps["cores_to"]]
    ram = steps[steps["cores_from"] == steps["cores_to"]]
    note = t["marginals_note_prices"] if rows.sweep.prices else t["marginals_note"]
    parts = [Text(note, "note")]
    if not cores.empty:
        parts.append(Text(worst_bargain(rows, cores)))
        parts.append(_table(rows, cores, "cores", t["ops_per_core"]))
    if not ram.empty:
        parts.append(_table(rows, ram, "ram", t["ops_per_gib"]))
    return Section(t["marginals"], "marginals", tuple(parts))


def worst_bargain(rows: Rows, cores: pd.DataFrame) -> str:
    """The sentence of the step in cores that brings least for its price, with its series."""
    worst = cores.loc[cores["efficiency"].idxmin()]
    return rows.t["of_series"].format(series=rows.said(worst["group"]), text=rows.said(worst["sentence"]))


def _table(rows: Rows, steps: pd.DataFrame, what: str, per_heading: str) -> Table:
    t = rows.t
    by_ram = what == "ram"
    first, last, per = ("ram_from", "ram_to", "ops_per_gib") if by_ram else ("cores_from", "cores_to", "ops_per_core")
    step = steps[first].map(numbers.count) + " → " + steps[last].map(numbers.count)
    frame = steps.assign(
        step=steps["cores_from"].map(numbers.count) + f" {t['cores_at']}, " + step + " GiB" if by_ram else step,
        interval=[rows.span(a, b) for a, b in zip(steps["conf_low"], steps["conf_high"], strict=True)],
    )
    columns = [
        Column("group", t["group"], rows.said),
        Column("step", t["ram_step"] if by_ram else t["step"]),
        Column("cost_ratio", t["cost_ratio"], _times, "right"),
        Column("gain", t["gain"], _times, "right"),
        Column("interval", t["conf"], align="right"),
        Column("efficiency", t["efficiency"], numbers.plain, "right"),
        Column(per, per_heading, numbers.plain, "right"),
    ]
    # Single runs have no interval, RAM without prices no cost: a column of dashes says nothing.
    empty = {c for c in ("cost_ratio", "efficiency") if steps[c].isna().all()}
    empty |= {"interval"} if steps["conf_low"].isna().all() else set()
    return Table(frame, tuple(c for c in columns if c.key not in empty), group="group")


def _times(ratio: float) -> str:
    text = numbers.plain(ratio)
    return text if text == numbers.MISSING else f"×{text}"
