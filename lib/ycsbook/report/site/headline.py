"""The main numbers of a report, for indexes, and how they went from one publication to the next."""

import math
from collections.abc import Callable
from functools import partial
from html import escape

import numpy as np
import pandas as pd

from ycsbook import messages, trust
from ycsbook.messages.formats import fixed, significant
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.report.site.evidence import PublishedEvidence
from ycsbook.report.site.tree import Record

FOLDER = "trend"
MAX_HISTORY = 200
# Readable on white and on black.
_LINE, _LAST = "#3d8ec9", "#d55e00"
_WIDTH, _HEIGHT, _MARGIN = 160, 36, 5


def of(evidence: PublishedEvidence) -> dict:
    """Slug, title, language, date, server, and of every workload and number of threads the highest throughput.

    `numbers` holds a dict each: workload, mix, threads, spec, best_ops_s (mean of a spec's repeats, ops/s) with its
    grade of trust, and by what each doubling of cores multiplies throughput, as the report leads with, for all threads
    of a workload: factor, low, high (95 %), growth_threads (as in Growth), None where there is none. Then of the rows
    not in doubt, or of all where all are: per_core_ops_s and per_core_spec, the most per core; latency_us, the lowest
    mean latency of reads; levels, cores and mean throughput (ops/s) of each core count. `doubtful` of `rows` rows are
    in doubt. Nothing is rounded: what is rounded twice is printed as another number than the page prints.
    """
    sweep = evidence.sweep
    rows = ReportRows(sweep, evidence.tables)
    return {
        "slug": sweep.name,
        "title": rows.title,
        "lang": sweep.report.lang,
        "date": rows.date,
        "server": rows.server,
        "runs": len(rows.fitted),
        "source": {"publisher": sweep.source.publisher, "url": sweep.source.url} if sweep.source else {},
        "numbers": _numbers(rows, Short(rows, evidence.findings)),
    }


def printed(best: list[dict]) -> list[dict]:
    """These numbers as indexes print them."""
    written = {"best_ops_s": fixed, "per_core_ops_s": fixed,
               "levels": lambda levels: [[cores, fixed(ops)] for cores, ops in levels],
               **dict.fromkeys(("factor", "low", "high", "latency_us"), significant)}  # fmt: skip
    return [{key: written[key](value) if key in written else value for key, value in row.items()} for row in best]


def _numbers(rows: ReportRows, short: Short) -> list[dict]:
    points, factors = short.points, ("factor", "low", "high")
    growth = {workload: short.trusted(main) for workload, main in short.main.items()}
    best = []
    for workload in rows.workloads:
        of_workload = points[points["workload"] == workload]
        for threads, cells in of_workload.groupby("threads", dropna=False):
            means = np.exp(np.log(cells["y"]).groupby(cells["name"], sort=False).mean())
            sound = cells[~cells["grade"].isin(trust.DOUBTFUL)]
            best.append(
                {
                    "workload": workload, "mix": rows.say(rows.mix(workload)),
                    "threads": None if math.isnan(threads) else int(threads),
                    "spec": means.idxmax(), "best_ops_s": float(means.max()),
                    "grade": max(cells.loc[cells["name"] == means.idxmax(), "grade"], key=trust.GRADES.index),
                    **{name: _known(getattr(growth.get(workload), name, math.nan)) for name in factors},
                    "growth_threads": growth[workload].threads if workload in growth else None,
                    **_trusted(cells if sound.empty else sound),
                    "doubtful": int(cells["grade"].isin(trust.DOUBTFUL).sum()), "rows": len(cells),
                }
            )  # fmt: skip
    return best


def _trusted(sound: pd.DataFrame) -> dict:
    """The figures of the rows not in doubt; None where they are not known."""
    cells = sound[sound["cores"] > 0].assign(y=lambda rows: np.log(rows["y"]))
    cells = cells.groupby(["name", "cores"], as_index=False)["y"].mean()
    per_core = np.exp(cells["y"]) / cells["cores"]
    levels = np.exp(cells["y"].groupby(cells["cores"]).mean())
    return {
        "per_core_ops_s": _known(per_core.max()), "latency_us": _known(sound["ral_us"].min()),
        "per_core_spec": "" if cells.empty else cells.loc[per_core.idxmax(), "name"],
        "levels": [[float(cores), float(ops)] for cores, ops in levels.items()],
    }  # fmt: skip


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


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
    return [(_key(best), best["spec"], round(best["best_ops_s"])) for best in report["numbers"]]


def series(history: list[dict], now: dict) -> dict[tuple[str, int], list[tuple[str, dict]]]:
    """Of each workload and number of threads of the newest publication its numbers with their dates, oldest first."""
    entries = [*history, now]
    return {
        key: [(entry["date"], best) for entry in entries for best in entry["numbers"] if _key(best) == key]
        for key in map(_key, now["numbers"])
    }


def pictures(history: list[dict], now: dict) -> dict[str, bytes]:
    """A small line of each series with more than one publication, as SVG, by the name of its file."""
    text = partial(messages.text, lang=now["lang"])
    lines = {key: [best["best_ops_s"] for _, best in entries] for key, entries in series(history, now).items()}
    return {
        file_name(key): sparkline(values, alt(values, text)).encode()
        for key, values in lines.items()
        if len(values) > 1
    }


def file_name(key: tuple[str, int]) -> str:
    """The path, from the page, of the line of a workload and number of threads."""
    return f"{FOLDER}/{key[0]}-{key[1]}.svg"


def alt(values: list[float], text: Callable[..., str]) -> str:
    """The alternative text of a line; `text` says a message."""
    return text("site-alt", values=", ".join(map(fixed, values)))


def sparkline(values: list[float], words: str) -> str:
    """Values at equal distances, from 0, the last one marked."""
    top = max(*values, 1e-9)
    step = (_WIDTH - 2 * _MARGIN) / (len(values) - 1)
    scale = (_HEIGHT - 2 * _MARGIN) / top
    points = [(_MARGIN + i * step, _HEIGHT - _MARGIN - value * scale) for i, value in enumerate(values)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[-1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"><title>{escape(words)}</title>'
        f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2" stroke-linejoin="round"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_LAST}"/></svg>\n'
    )


def _key(numbers: dict) -> tuple[str, int]:
    return numbers["workload"], numbers["threads"]
