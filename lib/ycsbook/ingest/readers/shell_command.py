r"""The command that somebody typed above a log: `$ bin/ycsb run mongodb -P workloads/workloada -threads 8`.

It may follow a prompt or prose, stand in Markdown, and go on over lines that end in a backslash.
"""

import re

from ycsbook.secrets import redact

# Longer than any command; a page may end every line in a backslash.
_MAX_CHARACTERS = 16_000
_BEGIN = re.compile(r"(?<![\w.-])(?:ycsb(?:\.(?:sh|py|bat))?\s{1,8}(?:load|run)\s|java\s)", re.ASCII)
_COMMAND = re.compile(r"(?<![\w.-])ycsb(?:\.(?:sh|py|bat))?\s+((?:load|run)\s+[\w.-]{1,60}\s+-[^`]*)", re.ASCII)
# The arguments alone, as the client prints them behind `Command line:`.
_ARGUMENTS = re.compile(r"-db\s+\S*\bycsb\b\S*\s+-.*", re.ASCII)
_STANDARD = re.compile(r"\bworkload[a-f](?=\s|$)", re.ASCII)
KINDS = LOAD, RUN = "typed load", "typed run"
# What the shell does besides: another command, or another place for the output.
_OTHER = re.compile(r"\s(?:&&|\|\|?|;|[12&]?>>?)\s?")


def is_continued(text: str) -> bool:
    """Whether a line begins a command, or goes on with it, that the next line goes on with."""
    return text.endswith("\\") and len(text) <= _MAX_CHARACTERS and bool(_BEGIN.search(text))


def joined(text: str, following: str) -> str:
    """A line that is continued, with the one after it."""
    return f"{text[:-1].rstrip()} {following.strip()}"


def typed(text: str) -> str:
    """The last command of YCSB's launcher in a line, from its `load` or `run` on, or the client's arguments, without
    quotes and passwords; empty: none.

    Examples
        >>> typed("Then `bin/ycsb run mongodb -P workloads/workloada -threads 8` gives:")
        'run mongodb -P workloads/workloada -threads 8'
    """
    if "ycsb" not in text:
        return ""
    commands = [match[1] for part in _OTHER.split(text) if (match := _COMMAND.search(part))]
    commands += [text] if _ARGUMENTS.match(text) else []
    return redact(commands[-1]).replace('"', "").replace("'", "").rstrip() if commands else ""


def is_standard(command: str) -> bool:
    """Whether it names a file of the six standard workloads."""
    return bool(_STANDARD.search(command))


def kind(command: str) -> str:
    """Whether a typed command loads or runs, one of KINDS."""
    return LOAD if command.startswith("load ") or " -load" in command else RUN
