"""How a report's main numbers went from one publication to the next."""

from html import escape

from ycsbook.report.site import words
from ycsbook.report.site.record import Record

FOLDER = "trend"
MAX_HISTORY = 200
# Readable on white and on black.
_LINE, _LAST = "#3d8ec9", "#d55e00"
_WIDTH, _HEIGHT, _MARGIN = 160, 36, 5


def continued(before: Record, now: dict) -> list[dict]:
    """The history with what was published before, unless it was of the same runs: the same throughputs are, also where
    their tables have another column by now."""
    last = before.report
    if not last.get("numbers") or last.get("runs_sha256") == now["runs_sha256"] or _best(last) == _best(now):
        return before.history
    entry = {key: last.get(key) for key in ("date", "server", "runs", "runs_sha256", "numbers")}
    return [*before.history, entry][-MAX_HISTORY:]


def _best(report: dict) -> list[tuple]:
    # Records of before kept a decimal.
    return [(_key(found), found["spec"], round(found["best_ops_s"])) for found in report["numbers"]]


def series(history: list[dict], now: dict) -> dict[tuple[str, int], list[tuple[str, dict]]]:
    """Of each workload and number of threads of the newest publication its numbers with their dates, oldest first."""
    entries = [*history, now]
    return {
        key: [(entry["date"], found) for entry in entries for found in entry["numbers"] if _key(found) == key]
        for key in map(_key, now["numbers"])
    }


def pictures(history: list[dict], now: dict) -> dict[str, bytes]:
    """A small line of each series with more than one publication, as SVG, by the name of its file."""
    t = words.of(now["lang"])
    found = {}
    for key, entries in series(history, now).items():
        values = [numbers["best_ops_s"] for _, numbers in entries]
        if len(values) > 1:
            found[file_name(key)] = sparkline(values, alt(values, t)).encode()
    return found


def file_name(key: tuple[str, int]) -> str:
    """Where the line of a workload and number of threads stands beside the page."""
    return f"{FOLDER}/{key[0]}-{key[1]}.svg"


def alt(values: list[float], t: dict[str, str]) -> str:
    """What a line shows, in words."""
    return t["alt"].format(values=", ".join(f"{value:,.0f}" for value in values))


def sparkline(values: list[float], said: str) -> str:
    """Values at equal distances, from 0, the last one marked."""
    top = max(*values, 1e-9)
    step = (_WIDTH - 2 * _MARGIN) / (len(values) - 1)
    scale = (_HEIGHT - 2 * _MARGIN) / top
    points = [(_MARGIN + i * step, _HEIGHT - _MARGIN - value * scale) for i, value in enumerate(values)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"><title>{escape(said)}</title>'
        f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2" stroke-linejoin="round"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_LAST}"/></svg>\n'
    )


def _key(numbers: dict) -> tuple[str, int]:
    return numbers["workload"], numbers["threads"]
