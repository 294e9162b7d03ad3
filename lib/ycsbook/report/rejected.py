"""What is in no figure: runs that failed or are incomplete, and inputs that could not be read."""

from collections.abc import Sequence

import pandas as pd

from ycsbook.report.blocks import Block, Column, Section, Table, Text
from ycsbook.report.rows import Rows
from ycsbook.secrets import redact


def section(rows: Rows, inputs: Sequence[tuple[str, str]] = ()) -> Section:
    """The runs left out and why, and the files that could not be read.

    Parameters
        inputs: a file, with its line where known, and why it could not be read.
    """
    t = rows.t
    blocks: list[Block] = []
    if not rows.left_out.empty:
        blocks += [Text(t["rejected_note"], "note"), _runs(rows)]
    if inputs:
        frame = pd.DataFrame([{"place": redact(place), "reason": redact(why)} for place, why in inputs])
        columns = (Column("place", t["rejected_place"]), Column("reason", t["reason"]))
        note = Text(t["rejected_inputs_note"].format(n=len(inputs)), "note")
        blocks.append(Section(t["rejected_inputs"], "rejected-inputs", (note, Table(frame, columns))))
    return Section(t["rejected"], "rejected", tuple(blocks) or (Text(t["rejected_none"]),))


def _runs(rows: Rows) -> Table:
    t = rows.t
    columns = (
        Column("run_id", t["run"]),
        Column("outcome", t["outcome"]),
        Column("stop_reason", t["reason"]),
        Column("warnings", t["warnings"]),
        Column("source", t["source_column"]),
    )
    return Table(rows.left_out, columns)
