"""What mongotest, the program of 2010, would have printed of the runs of the CRUD experiment."""

import pandas as pd

from ycsbook import units
from ycsbook.report.blocks import Section, Text
from ycsbook.report.rows import ReportRows
from ycsbook.tables import dicts

# What it calls the operations of the experiment.
_CALLED = {"insert-one": "insert", "update-key": "update", "find-key": "select"}


def section(rows: ReportRows, runs: pd.DataFrame) -> Section | None:
    """The runs that mongotest could have made, as it printed them; None where there are none, or one thread count.
    `runs`: those of the report, with their `operation`."""
    runs = runs[runs["operation"].isin(_CALLED)]
    if runs.empty or runs["threads"].nunique() < 2:
        return None
    ordered = runs.sort_values(["operation", "threads", "repeat"])
    text = "\n\n".join(printed(run) for run in dicts(ordered))
    note = Text(rows.text("system-mongotest-note"), "note")
    return Section(rows.text("system-mongotest"), "mongotest", (note, Text(text, "code")), folded=True)


def printed(run: dict) -> str:
    """A run (operation, threads, runtime_ms, ok) as mongotest printed it: whole seconds, whole rows/s, both cut off."""
    threads, rows, seconds = int(run["threads"]), int(run["ok"]), max(1, int(run["runtime_ms"] / units.MS_PER_S))
    verb = _CALLED[run["operation"]]
    return (
        f"Total thread:{threads}\nTotal run time:{seconds} sec\nPer-thread rows:{rows // threads}\n"
        f"Per-thread mongo {verb} Result:{rows // threads // seconds}row/sec\nTotal rows:{rows}\n"
        f"Total mongo {verb} Result:{rows // seconds}row/sec"
    )
