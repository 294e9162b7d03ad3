"""What the operations of an experiment cost the server: CPU time, memory, disk and network."""

import pandas as pd

from ycsbook import units
from ycsbook.messages.formats import digits_at_most, three_digits
from ycsbook.plots import style
from ycsbook.plots import systems as plot
from ycsbook.report.blocks import Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import ReportRows

# By column of `runs`, what a cell of the table is divided by.
_SHOWN = {
    "server_cpu_us_per_op": 1.0, "server_rss_peak_gib": 1.0, "written_bytes_per_op": 1.0, "read_bytes_per_op": 1.0,
    "network_bytes_per_op": 1.0, "data_bytes": units.BYTES_PER_MIB, "storage_bytes": units.BYTES_PER_MIB,
    "index_bytes": units.BYTES_PER_MIB,
}  # fmt: skip
_KEYS = ["cores", "ram_gib", "spec", "name", "workload", "threads"]


def section(rows: ReportRows) -> Section | None:
    """A table with a row per cell, and CPU time per operation as a picture; None where no server was sampled."""
    runs = rows.measured
    known = [column for column in _SHOWN if runs[column].notna().any()]
    if not known:
        return None
    cells = runs.groupby(_KEYS, dropna=False)[known].mean().reset_index()
    places = {spec.name: at for at, spec in enumerate(rows.sweep.specs)}
    cells = cells.sort_values("spec", key=lambda specs: specs.map(places), kind="stable").reset_index(drop=True)
    text = rows.text
    columns = [
        Column("name", text("column-spec")),
        Column("workload", text("column-workload")),
        Column("threads", text("column-threads"), digits_at_most, "right"),
    ]
    for column in known:
        cells[column] /= _SHOWN[column]
        heading = text("system-resources-column", column=column)
        columns.append(Column(column, heading, three_digits, "right", bar=column))
    note = Text(text("system-resources-note"), "note")
    blocks = [note, Table(cells, tuple(columns), group="name")]
    if "server_cpu_us_per_op" in known:
        blocks.insert(0, _figure(rows, cells[cells["server_cpu_us_per_op"] > 0]))
    return Section(text("system-resources"), "resources", tuple(blocks), folded=True)


def _figure(rows: ReportRows, cells: pd.DataFrame) -> Figure:
    """CPU time per operation; operations of many threads by their own dots."""
    drawn = cells.assign(name=cells["spec"].map(rows.drawn_names), y=cells["server_cpu_us_per_op"])
    with style.theme():
        picture, axes = style.panel(height=1.6 + 0.24 * drawn["workload"].nunique())
        plot.costs(axes, drawn, title=rows.drawn("system-resources-title"), lang=rows.drawn_lang)
        style.legend(picture, plot.cost_handles(drawn))
    finding = rows.text("system-resources-alt", n=drawn["workload"].nunique())
    panel = Panel(picture, f"{rows.sweep.name.replace('.', '-')}-resources", finding)
    caption = rows.text("system-resources-caption", **rows.caption)
    return Figure((panel,), caption, cells[["name", "workload", "threads", "server_cpu_us_per_op"]])
