"""The report of a sweep that is being made: rewritten behind a run, with what is known so far."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ycsbook import messages
from ycsbook.errors import YcsbookError, one_line
from ycsbook.params import PlannedRun
from ycsbook.runner.progress import in_notebook, snapshot

if TYPE_CHECKING:
    from ycsbook.report import InShort

# Not more often than this, and never for more than this share of the time: nothing is measured meanwhile.
LEAST_S, SHARE = 30.0, 0.01


class GrowingReport:
    """Called behind each run; what it costs is only paid where a sweep takes long enough.

    A report that cannot be written stops no run: it is said once, on stderr.

    Parameters
        study: gives the Study of the sweep, when it is first needed: data frames and pictures take seconds to load.
        planned: the runs, as they are known at the start.
    """

    def __init__(self, study: Callable[[], Any], planned: list[PlannedRun]):
        self._make, self._planned = study, planned
        self._next_s = time.monotonic() + LEAST_S
        self._has_failed = self._is_there = False
        self._shown: Callable[[InShort], None] | None = None

    @cached_property
    def _study(self) -> Any:
        return self._make()

    def __call__(self) -> None:
        """Rewrite the report, unless that was done a moment ago."""
        if time.monotonic() >= self._next_s:
            self._write("report-running")

    def stopped(self) -> None:
        """Nothing more is measured: whoever looks at the page must not wait."""
        if self._is_there:
            self._write("report-stopped")

    def _write(self, key: str) -> None:
        begun_s = time.monotonic()
        try:
            study = self._study
            # What is loaded once says nothing of what the next report costs.
            begun_s = time.monotonic()
            self._rewrite(study, key)
        except YcsbookError as e:
            if not self._has_failed:
                print(f"ycsbook: the report of what is there so far: {one_line(str(e))}", file=sys.stderr)
            self._has_failed = True
        took_s = time.monotonic() - begun_s
        self._next_s = time.monotonic() + max(LEAST_S, took_s / SHARE)

    def _rewrite(self, study: Any, key: str) -> None:
        study.look_again()
        if not self._is_there and study.made_from():
            raise YcsbookError(f"{study.folder}: holds the report of {study.made_from()}; rename one of the two sweeps")
        report = study.report(details=False)
        progress = snapshot(self._planned, study.store)
        at = f"{datetime.now(UTC):%H:%M}"
        key = "report-measured" if progress.done >= progress.total else key
        state = messages.text(key, report.lang, done=progress.done, total=progress.total, at=at)
        study.write_report(replace(report, state=state, reloads=key == "report-running"), whole=False)
        self._is_there = True
        if in_notebook():
            self._show(report.in_short)

    def _show(self, in_short: "InShort") -> None:
        from IPython.display import Markdown, display

        lines = [in_short.verdict, *(f"- **{about}** {line}" for about, line in in_short.lines)]
        text = Markdown("\n".join([*lines[:1], "", *lines[1:]]))
        if self._shown is None:
            self._shown = display(text, display_id=True).update
        else:
            self._shown(text)
