"""What containers, journals and playbooks put before each line of a log, or around it: where it was printed, and when.

ycsb-1  | 2026-11-21T08:00:00Z [OVERALL], RunTime(ms), 1000
[pod/ycsb-0/client] [OVERALL], RunTime(ms), 1000
2026-11-21T08:00:00.123456789Z stdout F [OVERALL], RunTime(ms), 1000
Nov 21 08:00:00 node ycsb[17]: [OVERALL], RunTime(ms), 1000
{"log": "[OVERALL], RunTime(ms), 1000\\n", "stream": "stdout"}
"[OVERALL], RunTime(ms), 1000",
"""

import json
import re

# A name and a time.
_MOST = 2
_COLOUR = r"(?:\x1b\[[\d;]{0,9}m)?"
# A client's own clock has a blank between date and time.
_PREFIX = re.compile(
    rf"{_COLOUR}(?:([\w.-]{{1,80}}) {{1,40}}\|{_COLOUR}(?: |$)|\[(pod/[^\]\s]{{1,200}})\](?: |$)"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?: (?:stdout|stderr) [FP])?(?: |$)"
    rf"|[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d (\S{{1,80}} \S{{1,80}}):(?: |$)){_COLOUR}",
    re.ASCII,
)
_QUOTED = re.compile(r'\{"log":.*\}|"(?:[^"\\]|\\.)*",?', re.ASCII)


def split(text: str) -> tuple[str, str] | None:
    """Who printed a line, as far as it says that, and the line without what stands around it; None: nothing does.

    Examples
        >>> split("ycsb-1  | YCSB Client 0.17.0"), split("YCSB Client 0.17.0")
        (('ycsb-1', 'YCSB Client 0.17.0'), None)
    """
    if _QUOTED.fullmatch(text):
        try:
            quoted = json.loads(text.removesuffix(","))
        except (ValueError, RecursionError):
            return None
        line = quoted.get("log") if isinstance(quoted, dict) else quoted
        return ("", line.rstrip("\r\n")) if isinstance(line, str) else None
    names, at = "", 0
    for _ in range(_MOST):
        if match := _PREFIX.match(text, at):
            names, at = names + next(filter(None, match.groups()), ""), match.end()
    return (names, text[at:]) if at else None
