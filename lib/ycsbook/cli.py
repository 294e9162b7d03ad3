"""The entry point of the `ycsbook` command."""

import os
import sys

from ycsbook.errors import YcsbookError, one_line

# What typer makes of Ctrl-C: 128 + SIGINT, as shells do.
INTERRUPTED = 130


def main() -> None:
    """One clear line on stderr and exit code 1 for every error on purpose."""
    try:
        sys.exit(_run(sys.argv[1:]))
    except YcsbookError as e:
        print(f"ycsbook: {one_line(str(e))}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        # Whoever read the output has seen enough; what is left of it goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, SystemExit) as e:
        if isinstance(e, SystemExit) and e.code != INTERRUPTED:
            raise
        print("\nycsbook: stopped; what was finished is kept, start again to go on", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _run(arguments: list[str]) -> int | None:
    """Carry out the command; its exit code."""
    if arguments[:1] == ["ingest"]:
        from ycsbook.ingest import command

        # Not by way of typer, which takes longer to load than an unchanged archive to check.
        if order := command.parse(arguments[1:]):
            return command.run(order)
    from ycsbook import commands

    return commands.app()
