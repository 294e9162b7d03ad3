"""`ycsbook doctor`: what is here and what is missing."""

from typing import TYPE_CHECKING

import typer

from ycsbook.commands.options import Json
from ycsbook.printing import print_json, table

if TYPE_CHECKING:
    from ycsbook.doctor import Check


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook doctor --json")(doctor)


def doctor(as_json: Json = False) -> None:
    """What is here, what is missing, and how to get it."""
    from dataclasses import asdict

    from ycsbook import doctor as examination

    checks = examination.examine()
    if as_json:
        print_json([asdict(c) for c in checks])
    else:
        table(["", "what", "found", "needed for", "how to get it"], [_doctor_row(c) for c in checks])
    if any(c.state == "missing" for c in checks):
        raise typer.Exit(1)


def _doctor_row(check: "Check") -> list[str]:
    mark = {"ok": "✓", "missing": "✗", "limited": "!", "optional": "-"}[check.state]
    return [mark, check.name, check.found, check.needed_for, "" if check.state == "ok" else check.fix]
