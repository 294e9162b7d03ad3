"""What a run through a failover leaves in its folder beside the ledger: the ids that were read back, and the audit."""

import os
from pathlib import Path

from ycsbook import opening
from ycsbook.columns import SCHEMAS
from ycsbook.errors import RunLogError
from ycsbook.glossary import GLOSSARY

FOUND, AUDIT = "found.txt", "audit.json"


def rows(run_id: str, folder: Path) -> list[dict]:
    """The rows of the table `failovers` of a run; none where it is none of a failover.

    Raises
        RunLogError: the audit is not one.
    """
    path = folder / AUDIT
    if not os.path.lexists(path):
        return []
    try:
        audit = opening.json_content(path, root=folder)
        seconds, events = ([_row(run_id, row) for row in audit[name]] for name in ("seconds", "events"))
    except OSError as e:
        raise RunLogError(path, None, f"cannot be read: {e.strerror}") from None
    except (ValueError, TypeError, KeyError) as e:
        raise RunLogError(path, None, f"is no audit of a failover: {e}; make the run again") from None
    return seconds + events


def _row(run_id: str, row: dict) -> dict:
    values: dict[str, object] = {"run_id": run_id}
    for column in SCHEMAS["failovers"][1:]:
        value = row.get(column)
        if GLOSSARY[column][0] == "str":
            values[column] = str(value or "")[:100]
        else:
            values[column] = float("nan") if value is None else float(value)
    return values
