"""The entry point of the `ycsbook` command."""

import io
import os
import re
import sys
from typing import TextIO

from ycsbook.errors import DataError, FitError, ParamsError, YcsbookError, lacking_library, one_line
from ycsbook.facts import Fact

# What typer makes of Ctrl-C: 128 + SIGINT, as shells do.
INTERRUPTED = 130
# What was read is as it should be, and holds nothing to fit, judge or compare.
NOTHING = 4
# All that is not text but the end of a line and tabs: control codes, and what changes the direction of writing.
_ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class _Escaping:
    """A text stream that escapes control characters, so that no name or answer of a server changes the terminal."""

    def __init__(self, stream: TextIO):
        # By this name rich finds the stream that its own orders go to.
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        return self.rich_proxied_file.write(_ORDERS.sub(lambda order: f"\\u{ord(order[0]):04x}", text))

    def __getattr__(self, name: str) -> object:
        return getattr(self.rich_proxied_file, name)


def main() -> None:
    """Run the command; a line on stderr for each error on purpose: exit code 1, or 4 where there is nothing to fit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What the terminal's encoding has no sign for.
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = _Escaping(sys.stdout), _Escaping(sys.stderr)
    try:
        sys.exit(_run())
    except BrokenPipeError:
        # Whoever read the output has seen enough; what is left of it goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (KeyboardInterrupt, SystemExit) as e:
        if isinstance(e, SystemExit) and e.code != INTERRUPTED:
            raise
        print("\nycsbook: stopped; what was finished is kept, start again to go on", file=sys.stderr)
        sys.exit(INTERRUPTED)


def _run() -> int | None:
    try:
        # Here, so that Ctrl-C while it is loaded ends in one line, too.
        from ycsbook import commands, secrets

        secrets.hide_uris()
        return commands.app()
    except YcsbookError as e:
        # Of a params file or a data frame each mistake has a line; no text of others makes further ones.
        mistakes = e.args if isinstance(e, ParamsError | DataError) else [str(e)]
        if isinstance(reason := getattr(e, "reason", None), Fact):
            # Only for such an error: Fluent takes longer to load than most commands take to answer.
            from ycsbook import messages

            mistakes = [messages.say(reason)]
        print(*(f"ycsbook: {one_line(mistake)}" for mistake in mistakes), sep="\n", file=sys.stderr)
        return NOTHING if isinstance(e, FitError) else 1
    except ImportError as e:
        if not (lacking := lacking_library(e)):
            raise
        print(f"ycsbook: {lacking}", file=sys.stderr)
        return 1
