"""`ycsbook publish`: a report put into a tree of documents."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook publish output/local --to docs/reports")(publish)


def publish(
    report_dir: Annotated[Path, typer.Argument(help="A report's folder, such as output/local.")],
    to: Annotated[Path, typer.Option("--to", help="Folder in a docs tree.")],
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a page that was edited by hand.")] = False,
) -> None:
    """Copy a report (Markdown page, figures, HTML) into a docs tree; never over a page edited by hand."""
    from ycsbook.report import site

    for path in site.publish(report_dir, to, force=force):
        print(path)
