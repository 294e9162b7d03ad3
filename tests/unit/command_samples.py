"""Commands of ycsbook, run in this process."""

from click.testing import Result
from typer.testing import CliRunner

from ycsbook.commands import app


def invoke(*arguments: object, **options: object) -> Result:
    """What `ycsbook ARGUMENTS` prints and how it ends; options: of click's `invoke`."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)
