"""Widgets over one data set at a time: the same choice of it stands above every panel."""

from collections.abc import Callable
from html import escape
from pathlib import Path

import pandas as pd

from ycsbook import paths
from ycsbook.errors import YcsbookError
from ycsbook.explore import datasets, panel, words
from ycsbook.explore.latency import throughput_latency
from ycsbook.explore.scaling import ALL, BEST, scaling_of, sentences
from ycsbook.explore.series import series_of
from ycsbook.scaling.laws import LAWS
from ycsbook.scaling.points import usable, with_throughput
from ycsbook.verdicts import Outcome

NO_RUN = ""
_RUNS = (
    "run_id", "spec", "workload", "threads", "repeat", "throughput_ops_s", "steady_ops_s", "cpu_utilisation", "outcome",
)  # fmt: skip


class View:
    """What can be looked at, and the panels that show it.

    Parameters
        params: what to begin with: a params file, a folder of tables, or a published data set's name.
        store: where the runs of a params file are kept.
    """

    def __init__(self, params: str, store: str | Path = paths.RUNS):
        self.store = store
        self.dataset = panel.dropdown("Dataset", list(datasets.known(params).items()))
        self._read: dict[str, datasets.Dataset] = {}

    @property
    def current(self) -> datasets.Dataset:
        """The data set that is chosen; each is read once."""
        name = self.dataset.value
        return self._read.setdefault(name, datasets.Dataset(name, self.store))

    def runs(self) -> pd.DataFrame:
        """Every run of the chosen data set, the fastest first."""
        return self.current.tables.runs[list(_RUNS)].sort_values("throughput_ops_s", ascending=False)

    def scaling(self) -> panel.Panel:
        """Throughput over cores: choose workload, threads and law, and a run to see what it was."""
        workload, threads = panel.dropdown("Workload"), panel.dropdown("Threads")
        run = panel.dropdown("Run", width="540px")
        law = panel.dropdown("Law", [(BEST, BEST), *((name, name) for name in LAWS)])
        picture, text = panel.html(), panel.html()

        def fill() -> None:
            runs = usable(self.current.tables.runs)
            panel.refill(workload, sorted(runs["workload"].unique()))
            counts = sorted(runs["threads"].dropna().unique())
            panel.refill(threads, [(ALL, ALL), *((f"{count:g}", float(count)) for count in counts)])

        def draw() -> None:
            here = {"workload": workload.value, "threads": threads.value, "law": law.value}
            drawn = scaling_of(self.current.tables, self.current.analysis, **here)
            known = {mark.run_id for mark in drawn.marks}
            runs = with_throughput(self.current.tables.runs)
            rows = runs[runs["run_id"].isin(known)].sort_values(["cores", "y"])
            listed = ((words.run(row), row["run_id"]) for row in rows.to_dict("records"))
            panel.refill(run, [("point at one, or choose it here", NO_RUN), *listed])
            picture.value = drawn.html([run.value])
            text.value = _paragraphs(sentences(self.current.analysis, **here))

        self._connect([workload, threads, law, run], fill, draw, picture, text)
        return panel.Panel([panel.row(self.dataset, workload, threads, law, run), picture, text])

    def latency(self) -> panel.Panel:
        """Latency over throughput, of all workloads or one."""
        workload, picture = panel.dropdown("Workload"), panel.html()

        def fill() -> None:
            names = sorted(usable(self.current.tables.runs)["workload"].unique())
            panel.refill(workload, [(ALL, ""), *((name, name) for name in names if name)])

        def draw() -> None:
            picture.value = throughput_latency(self.current.tables, workload=workload.value or "").html()

        self._connect([workload], fill, draw, picture)
        return panel.Panel([panel.row(self.dataset, workload), picture])

    def findings(self) -> panel.Panel:
        """The findings, the gravest first; the chosen one's runs second by second, and where they stand."""
        chosen, text, series, place = panel.rows("Findings", "170px"), panel.html(), panel.html(), panel.html()

        def fill() -> None:
            found = self.current.findings
            listed = (f"{row.severity} · {row.rule} · {row.message}" for row in found.itertuples())
            panel.refill(chosen, [(text, i) for i, text in enumerate(listed)])

        def draw() -> None:
            if chosen.value is None:
                text.value, series.value, place.value = _paragraphs(["Nothing was found in these runs."]), "", ""
                return
            row = self.current.findings.iloc[chosen.value]
            run_ids = row["run_ids"].split()
            drawn = series_of(self.current.tables, run_ids, title=f"Runs of the finding {row['rule']}")
            none = "" if drawn else self._why_no_series(run_ids)
            text.value = _paragraphs([row["message"], f"What to do: {row['next_step']}", none])
            series.value = drawn.html() if drawn else ""
            place.value = self._place(run_ids)

        self._connect([chosen], fill, draw, text, series, place)
        return panel.Panel([panel.row(self.dataset), chosen, text, series, place])

    def _why_no_series(self, run_ids: list[str]) -> str:
        runs = self.current.tables.runs
        outcomes = set(runs.loc[runs["run_id"].isin(run_ids), "outcome"])
        why = "were published as means" if outcomes == {Outcome.PUBLISHED} else "have none"
        return f"No series second by second: these runs {why}."

    def _place(self, run_ids: list[str]) -> str:
        """The scaling picture of the workload that most of these runs have, with them ringed."""
        runs = with_throughput(self.current.tables.runs)
        mine = runs[runs["run_id"].isin(run_ids) & runs["y"].notna() & runs["cores"].gt(0)]
        if mine.empty:
            return ""
        flagged = {run_id: rank for rank, run_id in enumerate(run_ids)}
        workload = mine["workload"].mode().iloc[0]
        drawn = scaling_of(self.current.tables, self.current.analysis, workload=workload, flagged=flagged)
        return drawn.html(run_ids if len(run_ids) == 1 else ())

    def _connect(self, inputs: list, fill: Callable, draw: Callable, first: object, *others: object) -> None:
        """Draw whenever an input changes; fill the inputs anew when another data set is chosen.

        What cannot be drawn says why in the first place, as one line.
        """
        filling = False

        def guarded(refill: bool) -> None:
            nonlocal filling
            if filling:
                return
            filling = True
            try:
                if refill:
                    fill()
                draw()
            except YcsbookError as e:
                first.value = _paragraphs([str(e), "Choose another dataset."])
                for other in others:
                    other.value = ""
            finally:
                filling = False

        for widget in inputs:
            widget.observe(lambda _: guarded(False), "value")
        self.dataset.observe(lambda _: guarded(True), "value")
        guarded(True)


def _paragraphs(texts: list[str]) -> str:
    return "".join(f"<p style='margin:.3em 0;line-height:1.45'>{escape(text)}</p>" for text in texts if text)
