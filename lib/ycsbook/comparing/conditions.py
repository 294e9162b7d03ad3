"""What else differs between the two sides of a comparison: a ratio speaks of all of it together."""

import pandas as pd

from ycsbook.scaling.points import THROUGHPUTS, with_throughput
from ycsbook.tables import Tables

_NAMED = {
    "vendor": "vendor", "server_version": "server version", "topology": "topology", "write_concern": "write concern",
    "clients": "client processes", "format": "read from", "target_ops_s": "target throughput in ops/s",
}  # fmt: skip
_MEASURES = dict(zip(THROUGHPUTS, ("without the warm-up", "successful operations only", "all operations"), strict=True))


def conditions(a: Tables, b: Tables) -> list[str]:
    """Sentences on what differs or is unknown besides what the cells name; the usable runs of each side together.

    Examples
        >>> from ycsbook.tables import from_rows
        >>> old, new = (
        ...     Tables(runs=from_rows([{"outcome": "completed", "server_version": v, "goodput_ops_s": 1}], "runs"))
        ...     for v in ("4.4.1", "7.0.2")
        ... )
        >>> conditions(old, new)[0]
        'server version: 4.4.1 against 7.0.2'
    """
    first, second = with_throughput(a.runs), with_throughput(b.runs)
    found = []
    for column, name in _NAMED.items():
        values = _values(first[column]), _values(second[column])
        if values[0] != values[1]:
            found.append(f"{name}: {values[0] or 'unknown'} against {values[1] or 'unknown'}")
    measures = [" and ".join(_MEASURES[c] for c in sorted(set(side["y_column"]))) for side in (first, second)]
    if measures[0] != measures[1]:
        found.append(f"throughput: {measures[0]} against {measures[1]}")
    if all((side["write_concern"] == "0").all() and len(side) for side in (first, second)):
        found.append("both with write concern 0: writes were sent, not answered, and nobody knows how many succeeded")
    if all((side["spec"] == "").all() and len(side) for side in (first, second)):
        found.append("neither says which server it was: they are compared as if it were the same one")
    return found


def _values(column: pd.Series) -> str:
    known = column.dropna()
    known = known[known != ""] if known.dtype.kind != "f" else known.map("{:g}".format)
    return ", ".join(sorted(set(known.astype(str))))
