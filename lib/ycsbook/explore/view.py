"""Widgets over one data set at a time, and the data sets that can be chosen: the choice stands above every panel."""

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from html import escape
from pathlib import Path

import ipywidgets
import pandas as pd

from ycsbook import anomalies, documents, messages, named_tables, names, opening, params, paths, scaling, trust
from ycsbook.errors import ParamsError, YcsbookError
from ycsbook.explore import pictures
from ycsbook.explore.pictures import ALL, BEST, Language, RunPicture
from ycsbook.messages import fact_of
from ycsbook.params import Sweep
from ycsbook.report.blocks import Table
from ycsbook.scaling.laws import all_laws
from ycsbook.scaling.points import usable, with_throughput
from ycsbook.study import Study
from ycsbook.tables import Tables, dicts
from ycsbook.verdicts import Outcome

_WIDE = ipywidgets.Layout(width="100%", max_width="900px")
_WIDE_LIST = "540px"
NO_RUN = ""
_RUNS = (
    "run_id", "phase", "spec", "workload", "threads", "repeat", "throughput_ops_s", "steady_ops_s", "cpu_utilisation",
    "outcome",
)  # fmt: skip


# Read to those who do not see the picture that follows.
_UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;white-space:nowrap"


class Place(ipywidgets.VBox):
    """Where a panel shows a picture, or says something. `slug`: of no other place of the page with pictures; `clicked`
    is called with the run of a point that is clicked; `drawn`: the picture, and `texts`: what it says instead."""

    def __init__(self, slug: str = "", clicked: Callable[[str], None] | None = None):
        super().__init__(layout=_WIDE)
        self.slug, self.clicked = slug, clicked
        self.drawn: RunPicture | None = None
        self.texts: tuple[str, ...] = ()
        self.canvas: ipywidgets.DOMWidget | None = None

    def show(self, drawn: RunPicture, pinned: Collection[str] = ()) -> None:
        """Show a picture, with the points of the `pinned` runs ringed."""
        drawn.pin(pinned)
        self.drawn, self.texts, canvas = drawn, (), drawn.canvas(self.clicked)
        # As an output: what is taken out of a box, a canvas would leave in the page.
        data = {"application/vnd.jupyter.widget-view+json": canvas.get_view_spec(), "text/plain": drawn.alt}
        output = ipywidgets.Output(outputs=({"output_type": "display_data", "data": data, "metadata": {}},))
        self._fill(ipywidgets.HTML(f'<p style="{_UNSEEN}">{escape(drawn.alt)}</p>'), output)
        self.canvas = canvas

    def say(self, *texts: str) -> None:
        self.drawn, self.texts = None, texts
        self._fill(*([ipywidgets.HTML(_paragraphs(texts))] if texts else []))

    def html(self) -> str:
        if self.drawn:
            return f'<div style="max-width:900px">{self.drawn.svg(self.slug)}</div>'
        return _paragraphs(self.texts)

    def _fill(self, *children: ipywidgets.Widget) -> None:
        before, self.children = self.children, children
        for widget in (*before, *([self.canvas] if self.canvas else [])):
            widget.close()
        self.canvas = None


class WidgetPanel(ipywidgets.VBox):
    """A column of widgets. Where widgets do not work, what they last showed stands in their place."""

    def _repr_mimebundle_(self, **options: object) -> dict[str, str]:
        pages = [child.html() for child in self.children if isinstance(child, Place)]
        return {**super()._repr_mimebundle_(**options), "text/html": "".join(pages), "text/plain": "Widgets"}


class View:
    """The panels of a notebook and the data set that all of them show. `params`: what to begin with, a params file, a
    folder of tables or a published data set's name; `store`: where the runs of a params file are kept; `lang`: en,
    zh, or report for that of the params file's report, else English. MessageError: there is no such language."""

    def __init__(self, params: str, store: str | Path = paths.RUNS, lang: str = "report"):
        self.store = store
        if lang == "report":
            sweep = _sweep(params)
            lang = sweep.report.lang if sweep else "en"
        self.language = Language(lang)
        self._text, self._lang = self.language.text, self.language.lang
        self.dataset = self._dropdown("explore-dataset", list(choices(params).items()))
        self._read: dict[str, Dataset] = {}

    @property
    def current(self) -> "Dataset":
        name = self.dataset.value
        return self._read.setdefault(name, Dataset(name, self.store))

    def runs(self) -> Table:
        """Every run of the chosen data set, the fastest first and loads last; `frame` is the frame."""
        return Table.of(
            self.current.tables.runs[list(_RUNS)].sort_values(["phase", "throughput_ops_s"], ascending=False)
        )

    def scaling(self) -> WidgetPanel:
        """Throughput over cores: choose workload, threads and law, and a run to see what it was and its series."""
        workload, threads = self._dropdown("column-workload"), self._dropdown("column-threads")
        laws = [(self._text("explore-best"), BEST), *((self._text("law-name", law=name), name) for name in all_laws())]
        law, run = self._dropdown("column-law", laws), self._dropdown("column-run", width=_WIDE_LIST)
        picture, series, text = *self._places(run, "scaling", "scaling-series"), Place()

        def fill() -> None:
            runs = usable(self.current.tables.runs)
            _refill(workload, self._mixes(runs))
            counts = sorted(runs["threads"].dropna().unique())
            listed = ((f"{count:g}", float(count)) for count in counts)
            _refill(threads, [(self._text("explore-all"), ALL), *listed])

        def draw() -> None:
            chosen = {"workload": workload.value, "threads": threads.value, "law": law.value, "lang": self._lang}
            data = self.current
            drawn = pictures.scaling_of(data.tables, data.analysis, grades=data.grades, **chosen)
            self._offer(run, drawn)
            picture.show(drawn, [run.value])
            self._show_series(series, [run.value] if run.value else [])
            text.say(*pictures.sentences(data.analysis, **chosen))

        return self._panel([workload, threads, law, run], [picture, series, text], fill, draw)

    def latency(self) -> WidgetPanel:
        """Latency over throughput, of all workloads or one; a run is chosen as above."""
        workload, run = self._dropdown("column-workload"), self._dropdown("column-run", width=_WIDE_LIST)
        picture, series = self._places(run, "latency", "latency-series")

        def fill() -> None:
            mixes = [(mix, name) for mix, name in self._mixes(usable(self.current.tables.runs)) if name]
            _refill(workload, [(self._text("explore-all"), ""), *mixes])

        def draw() -> None:
            chosen = {"workload": workload.value or "", "grades": self.current.grades, "lang": self._lang}
            drawn = pictures.throughput_latency(self.current.tables, **chosen)
            self._offer(run, drawn)
            picture.show(drawn, [run.value])
            self._show_series(series, [run.value] if run.value else [])

        return self._panel([workload, run], [picture, series], fill, draw)

    def _mixes(self, runs: pd.DataFrame) -> list[tuple[str, str]]:
        return [(self.language.say(mix), name) for name, mix in names.mixes(runs).items()]

    def findings(self) -> WidgetPanel:
        """The findings, the gravest first; the chosen one's runs second by second, and where they stand."""
        layout = ipywidgets.Layout(width="100%", max_width="900px", height="170px")
        chosen = ipywidgets.Select(layout=layout, tooltip=self._text("opening-findings"), description="")
        run = self._dropdown("column-run", width=_WIDE_LIST)
        text, (series, place) = Place(), self._places(run, "finding-series", "finding")
        drawn_finding = None

        def fill() -> None:
            nonlocal drawn_finding
            listed = (
                f"{self._text('report-severity', severity=row['severity'])} · "
                f"{messages.named('rule', row['rule'], self._lang)} · {self.language.say(fact_of(row, 'message'))}"
                for row in dicts(self.current.findings)
            )
            _refill(chosen, [(text, i) for i, text in enumerate(listed)])
            drawn_finding = None

        def draw() -> None:
            nonlocal drawn_finding
            if chosen.value is None:
                text.say(self._text("explore-nothing-found"))
                series.say()
                place.say()
                _refill(run, [])
                return
            row = self.current.findings.iloc[chosen.value]
            run_ids = row["run_ids"].split()
            drawn = self._among_others(run_ids)
            if chosen.value != drawn_finding:
                # Another finding: all of its runs, until one is chosen.
                drawn_finding, run.value = chosen.value, None
                self._offer(run, drawn, run_ids, self._text("explore-runs-of-finding"))
            advice = f"{self._text('report-what-to-do')} {self.language.say(fact_of(row, 'advice'))}"
            text.say(self.language.say(fact_of(row, "message")), advice)
            self._show_series(series, *(([run.value],) if run.value else (run_ids, row["rule"])))
            if drawn:
                place.show(drawn, [run.value] if run.value else run_ids if len(run_ids) == 1 else ())
            else:
                place.say()

        return self._panel([run], [text, series, place], fill, draw, chosen)

    def _dropdown(self, key: str, options: object = (), width: str = "270px") -> ipywidgets.Dropdown:
        layout = ipywidgets.Layout(width=width, max_width="99%")
        return ipywidgets.Dropdown(description=self._text(key), options=options, layout=layout)

    def _places(self, run: ipywidgets.Dropdown, *slugs: str) -> list[Place]:
        def choose(run_id: str) -> None:
            if run_id in [option[1] for option in run.options]:
                run.value = run_id

        return [Place(slug, choose) for slug in slugs]

    def _offer(
        self, run: ipywidgets.Dropdown, drawn: RunPicture | None, first: Sequence[str] = (), none: str = ""
    ) -> None:
        """The runs that can be chosen: those of a picture, those in `first` before the others."""
        in_picture = {mark.run_id for mark in drawn.marks} if drawn else set()
        runs = with_throughput(self.current.tables.runs)
        rows = runs[runs["run_id"].isin(in_picture | set(first))]
        rows = rows.assign(later=~rows["run_id"].isin(first)).sort_values(["later", "cores", "y"])
        listed = ((self.language.run(row), row["run_id"]) for row in dicts(rows))
        _refill(run, [(none or self._text("explore-choose-run"), NO_RUN), *listed])

    def _show_series(self, place: Place, run_ids: list[str], rule: str = "") -> None:
        """Some runs second by second, or why not; nothing of no run. `rule`: of the finding they belong to."""
        tables = self.current.tables
        if not run_ids:
            place.say()
            return
        if rule:
            heading, alt_title = (
                messages.text("explore-series-of-finding", lang, rule=messages.named("rule", rule, lang))
                for lang in (self.language.drawn_lang, self._lang)
            )
        else:
            runs = with_throughput(tables.runs)
            heading = alt_title = self.language.run(runs[runs["run_id"].isin(run_ids)].iloc[0])
        if drawn := pictures.series_of(tables, run_ids, title=heading, alt_title=alt_title, lang=self._lang):
            place.show(drawn)
        else:
            outcomes = set(tables.runs.loc[tables.runs["run_id"].isin(run_ids), "outcome"])
            place.say(self._text("explore-no-series", published=outcomes == {Outcome.PUBLISHED}))

    def _among_others(self, run_ids: list[str]) -> RunPicture | None:
        runs = with_throughput(self.current.tables.runs)
        mine = runs[runs["run_id"].isin(run_ids) & runs["y"].notna() & runs["cores"].gt(0)]
        if mine.empty:
            return None
        flagged = {run_id: rank for rank, run_id in enumerate(run_ids)}
        workload = mine["workload"].mode().iloc[0]
        return pictures.scaling_of(
            self.current.tables, self.current.analysis, workload=workload, flagged=flagged, lang=self._lang,
            grades=self.current.grades,
        )  # fmt: skip

    def _panel(
        self, inputs: list, outputs: list[Place], fill: Callable, draw: Callable, *lists: ipywidgets.Select
    ) -> WidgetPanel:
        """The inputs, then lists, then pictures and texts.

        All is drawn whenever an input changes, and the inputs are filled anew when another data set is chosen. What
        cannot be drawn says why in the first place, as one line.
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
                outputs[0].say(str(e), self._text("explore-choose-another"))
                for place in outputs[1:]:
                    place.say()
            finally:
                filling = False

        for widget in (*lists, *inputs):
            widget.observe(lambda _: guarded(False), "value")
        self.dataset.observe(lambda _: guarded(True), "value")
        guarded(True)
        row = ipywidgets.Box((self.dataset, *inputs), layout=ipywidgets.Layout(display="flex", flex_flow="row wrap"))
        return WidgetPanel([row, *lists, *outputs])


def _paragraphs(texts: Collection[str]) -> str:
    return "".join(f"<p style='margin:.3em 0;line-height:1.45'>{escape(text)}</p>" for text in texts if text)


def _refill(chosen: ipywidgets.Dropdown | ipywidgets.Select, options: Sequence) -> None:
    """Give a list other options; the choice is kept where it is one of them, else the first is chosen."""
    before = chosen.value
    chosen.options = options
    values = [option[1] if isinstance(option, tuple) else option for option in options]
    chosen.index = values.index(before) if before in values else 0 if values else None


def choices(first: str) -> dict[str, str]:
    """The data sets to choose from, by title: `first` (as named_tables.read takes it), params files, other tables."""
    names = {_title(first): first}
    for params_file in sorted(paths.PARAMS.glob("*.yml")):
        names.setdefault(_title(params_file.as_posix()), params_file.relative_to(paths.REPOSITORY).as_posix())
    for runs in sorted(paths.OUTPUT.glob("*/tables/runs.parquet")):
        folder = runs.parents[1]
        names.setdefault(folder.name, folder.relative_to(paths.REPOSITORY).as_posix())
    for table in sorted(paths.PUBLISHED.glob("*.csv")):
        # Other tables have no runs: experiments of other kinds.
        with opening.opened(table, root=paths.PUBLISHED) as file:
            header = file.readline(4096).decode("utf-8", errors="replace")
        if "spec_label" in header.rstrip().split(","):
            names.setdefault(table.stem, table.stem)
    return names


class Dataset:
    """What is behind a name: tables, laws, findings; of a params file they are kept on disk by its study."""

    def __init__(self, name: str, store: str | Path = paths.RUNS):
        self.name, self.store = name, store

    @cached_property
    def tables(self) -> Tables:
        """The tables of the data set; raises what named_tables.read raises."""
        return self._study.tables() if self._study else named_tables.read(self.name, self.store)

    @cached_property
    def analysis(self) -> scaling.Analysis:
        return self._study.analysis() if self._study else scaling.analyse(self.tables.runs, self.tables.operations)

    @cached_property
    def findings(self) -> pd.DataFrame:
        """The findings, one for each cause, the gravest first."""
        return anomalies.grouped(self._each_finding)

    @cached_property
    def grades(self) -> dict[str, str]:
        return trust.grades(usable(self.tables.runs), self._each_finding).to_dict()

    @cached_property
    def _each_finding(self) -> pd.DataFrame:
        if self._study:
            return self._study.findings()
        about = {"settings": named_tables.settings(self.name), "documents": documents.of(self.tables)}
        return anomalies.find(self.tables, **about)

    @cached_property
    def _study(self) -> Study | None:
        return Study(self.name, store=self.store) if _is_params(self.name) else None


def _is_params(name: str) -> bool:
    return paths.resolve(name).suffix in (".yml", ".yaml") and not Path(name).is_dir()


def _sweep(first: str) -> Sweep | None:
    try:
        return params.load(paths.resolve(first)) if _is_params(first) else None
    except ParamsError:
        # What is wrong with it is said when it is read.
        return None


def _title(first: str) -> str:
    sweep = _sweep(first)
    return sweep.name if sweep else Path(first).stem
