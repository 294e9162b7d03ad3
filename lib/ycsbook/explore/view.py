"""Widgets over one data set at a time: the same choice of it stands above every panel."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import ipywidgets
import pandas as pd

from ycsbook import paths
from ycsbook.errors import YcsbookError
from ycsbook.explore import datasets, panel, words
from ycsbook.explore.hover import Hovered
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
        lang: of the widgets and pictures, en or zh; report: that of the params file's report.
    Raises
        PublishError: there are no texts in that language.
    """

    def __init__(self, params: str, store: str | Path = paths.RUNS, lang: str = "report"):
        self.store = store
        self.language = words.of(datasets.language(params) if lang == "report" else lang)
        self.dataset = panel.dropdown(self._t["dataset"], list(datasets.known(params).items()))
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
        """Throughput over cores: choose workload, threads and law, and a run to see what it was and its series."""
        workload, threads = panel.dropdown(self._t["workload"]), panel.dropdown(self._t["threads"])
        run = panel.dropdown(self._t["run"], width="540px")
        laws = [(self._t["best"], BEST), *((self.language.said(name), name) for name in LAWS)]
        law = panel.dropdown(self._t["law"], laws)
        picture, series, text = panel.html(), panel.html(), panel.html()

        def fill() -> None:
            runs = usable(self.current.tables.runs)
            panel.refill(workload, sorted(runs["workload"].unique()))
            counts = sorted(runs["threads"].dropna().unique())
            panel.refill(threads, [(self._t["all"], ALL), *((f"{count:g}", float(count)) for count in counts)])

        def draw() -> None:
            here = {"workload": workload.value, "threads": threads.value, "law": law.value, "lang": self._lang}
            drawn = scaling_of(self.current.tables, self.current.analysis, **here)
            self._offer(run, drawn)
            picture.value = drawn.html([run.value], clicked=True)
            series.value = self._series([run.value]) if run.value else ""
            text.value = _paragraphs(sentences(self.current.analysis, **here))

        self._connect([workload, threads, law, run], fill, draw, picture, series, text)
        inputs = panel.row(self.dataset, workload, threads, law, run)
        return panel.Panel([inputs, picture, series, text], lambda run_id: panel.choose(run, run_id))

    def latency(self) -> panel.Panel:
        """Latency over throughput, of all workloads or one; a run is chosen as above."""
        workload, run = panel.dropdown(self._t["workload"]), panel.dropdown(self._t["run"], width="540px")
        picture, series = panel.html(), panel.html()

        def fill() -> None:
            names = sorted(usable(self.current.tables.runs)["workload"].unique())
            panel.refill(workload, [(self._t["all"], ""), *((name, name) for name in names if name)])

        def draw() -> None:
            drawn = throughput_latency(self.current.tables, workload=workload.value or "", lang=self._lang)
            self._offer(run, drawn)
            picture.value = drawn.html([run.value], clicked=True)
            series.value = self._series([run.value]) if run.value else ""

        self._connect([workload, run], fill, draw, picture, series)
        inputs = panel.row(self.dataset, workload, run)
        return panel.Panel([inputs, picture, series], lambda run_id: panel.choose(run, run_id))

    def findings(self) -> panel.Panel:
        """The findings, the gravest first; the chosen one's runs second by second, or one of them, and where they
        stand."""
        chosen, text, series, place = panel.rows(self._t["findings"], "170px"), *(panel.html() for _ in range(3))
        run = panel.dropdown(self._t["run"], width="540px")
        shown = None

        def fill() -> None:
            nonlocal shown
            severities, found = self.language.report["severity"], self.current.findings
            listed = (
                f"{severities.get(row.severity, row.severity)} · {self.language.rule(row.rule)} · "
                f"{self.language.said(row.message)}"
                for row in found.itertuples()
            )
            panel.refill(chosen, [(text, i) for i, text in enumerate(listed)])
            shown = None

        def draw() -> None:
            nonlocal shown
            if chosen.value is None:
                text.value, series.value, place.value = _paragraphs([self._t["nothing_found"]]), "", ""
                panel.refill(run, [])
                return
            row = self.current.findings.iloc[chosen.value]
            run_ids = row["run_ids"].split()
            drawn = self._place(run_ids)
            if chosen.value != shown:
                # Another finding: all of its runs, until one is chosen.
                shown, run.value = chosen.value, None
                self._offer(run, drawn, run_ids, self._t["runs_of_finding"])
            advice = f"{self.language.report['what_to_do']} {self.language.said(row['next_step'])}"
            text.value = _paragraphs([self.language.said(row["message"]), advice])
            series.value = self._series([run.value] if run.value else run_ids, "" if run.value else row["rule"])
            pinned = [run.value] if run.value else run_ids if len(run_ids) == 1 else ()
            place.value = drawn.html(pinned, clicked=True) if drawn else ""

        self._connect([chosen, run], fill, draw, text, series, place)
        inputs = panel.row(self.dataset, run)
        return panel.Panel([inputs, chosen, text, series, place], lambda run_id: panel.choose(run, run_id))

    @property
    def _t(self) -> dict:
        return self.language.texts

    @property
    def _lang(self) -> str:
        return self.language.lang

    def _offer(
        self, run: ipywidgets.Dropdown, drawn: Hovered | None, first: Sequence[str] = (), none: str = ""
    ) -> None:
        """The runs that can be chosen: those of a picture, those in `first` before the others."""
        known = {mark.run_id for mark in drawn.marks} if drawn else set()
        runs = with_throughput(self.current.tables.runs)
        rows = runs[runs["run_id"].isin(known | set(first))]
        rows = rows.assign(later=~rows["run_id"].isin(first)).sort_values(["later", "cores", "y"])
        listed = ((self.language.run(row), row["run_id"]) for row in rows.to_dict("records"))
        panel.refill(run, [(none or self._t["choose_run"], NO_RUN), *listed])

    def _series(self, run_ids: list[str], rule: str = "") -> str:
        """Some runs second by second, or why they cannot be shown so; `rule`: of the finding they belong to."""
        tables = self.current.tables
        if rule:
            title, told = (
                texts["series_of_finding"].format(rule=self.language.rule(rule, drawn=drawn))
                for texts, drawn in ((self.language.drawn, True), (self._t, False))
            )
        else:
            runs = with_throughput(tables.runs)
            title = told = self.language.run(runs[runs["run_id"].isin(run_ids)].iloc[0])
        drawn = series_of(tables, run_ids, title=title, told=told, lang=self._lang)
        if drawn:
            return drawn.html(clicked=True)
        outcomes = set(tables.runs.loc[tables.runs["run_id"].isin(run_ids), "outcome"])
        return _paragraphs([self._t["no_series_published" if outcomes == {Outcome.PUBLISHED} else "no_series"]])

    def _place(self, run_ids: list[str]) -> Hovered | None:
        """The scaling picture of the workload that most of these runs have, with them ringed."""
        runs = with_throughput(self.current.tables.runs)
        mine = runs[runs["run_id"].isin(run_ids) & runs["y"].notna() & runs["cores"].gt(0)]
        if mine.empty:
            return None
        flagged = {run_id: rank for rank, run_id in enumerate(run_ids)}
        workload = mine["workload"].mode().iloc[0]
        return scaling_of(
            self.current.tables, self.current.analysis, workload=workload, flagged=flagged, lang=self._lang
        )

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
                first.value = _paragraphs([str(e), self._t["choose_another"]])
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
