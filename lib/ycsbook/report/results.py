"""The table in the vendors' shape: spec, threads, QPS, read and write latency, CPU."""

import pandas as pd

from ycsbook.report import numbers
from ycsbook.report.blocks import Column, Section, Table, Text
from ycsbook.report.rows import Rows

_FIGURES = ("qps", "ral", "wal", "cpu")
_SOURCE = {"qps": "y", "ral": "ral_us", "wal": "wal_us", "cpu": "cpu_utilisation"}
# A cell of one side only: the other has nothing to show.
_NOTHING = {**dict.fromkeys(_FIGURES, numbers.MISSING), "y": float("nan")}


def section(rows: Rows) -> Section:
    """One table per workload; where measured and published rows exist, they stand side by side."""
    t = rows.t
    printed = {"measured": _printed(rows.measured), "published": _printed(rows.published)}
    tables = [
        Section(rows.workload_title(workload), f"results-{i}", (_table(rows, workload, printed),))
        for i, workload in enumerate(rows.workloads, 1)
    ]
    qps = t["list_or"].join(t["y"][column] for column in sorted(set(rows.fitted["y_column"])))
    notes = [Text(t["results_note"].format(y=qps, spread=_spread(rows)), "note")]
    if (rows.points["write_concern"] == "0").any():
        notes.append(Text(t["w0_note"], "note"))
    return Section(t["results"], "results", (*notes, *tables))


def _spread(rows: Rows) -> str:
    t = rows.t
    if rows.measured.empty:
        return t["published_note"]
    repeats = int(rows.measured.groupby(["spec", "workload", "threads"]).size().max())
    measured = t["spread"].format(n=repeats) if repeats > 1 else t["spread_one"]
    return measured if rows.published.empty else f"{measured} {t['published_note']}"


def _table(rows: Rows, workload: str, printed: dict[str, dict[tuple, dict]]) -> Table:
    t = rows.t
    sides = {"measured": rows.measured, "published": rows.published}
    sides = {name: side[side["workload"] == workload] for name, side in sides.items()}
    keys = ["label", "threads"]
    points = rows.points.loc[rows.points["workload"] == workload, ["cores", "ram_gib", *keys]].drop_duplicates()
    records = []
    for cell in points.sort_values(["cores", "ram_gib", *keys])[keys].itertuples(index=False, name=None):
        record = dict(zip(keys, cell, strict=True))
        for name, known in printed.items():
            record |= {f"{name}_{key}": text for key, text in known.get((workload, *cell), _NOTHING).items()}
        records.append(record)
    frame = pd.DataFrame(records)
    columns = [Column("label", t["spec"]), Column("threads", t["threads"], numbers.count, "right")]
    for key in _FIGURES:
        for name, side in sides.items():
            if side[_SOURCE[key]].notna().any():
                heading = t[name].format(heading=t[key]) if rows.both else t[key]
                bar = f"{name}_y" if key == "qps" else ""
                columns.append(Column(f"{name}_{key}", heading, align="right", bar=bar))
    return Table(frame, tuple(columns), group="label")


def _printed(side: pd.DataFrame) -> dict[tuple, dict[str, object]]:
    """What the tables print of each cell by its workload, label and threads, and `y`, the throughput itself."""
    if side.empty:
        return {}
    groups = side.groupby(["workload", "label", "threads"])[list(_SOURCE.values())]
    means, spreads, counts = (part.to_dict("index") for part in (groups.mean(), groups.std(), groups.count()))
    return {
        cell: {
            "y": mean["y"],
            **{k: _figure(k, mean[c], spreads[cell][c], counts[cell][c]) for k, c in _SOURCE.items()},
        }
        for cell, mean in means.items()
    }


def _figure(key: str, mean: float, deviation: float, n: int) -> str:
    return numbers.share(mean) if key == "cpu" else numbers.mean_spread(mean, deviation, n)
