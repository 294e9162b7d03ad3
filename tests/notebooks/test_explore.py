"""What explore.ipynb draws and its widgets do, without a browser."""

import dataclasses
import html
import re
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.backend_bases import MouseEvent
from matplotlib.text import Annotation, Text

from ycsbook import explore, named_tables, paths, scaling
from ycsbook.errors import MessageError
from ycsbook.explore.pictures import BEST, RunPicture, curves, scaling_of, sentences, series_of, throughput_latency
from ycsbook.explore.view import Place, choices
from ycsbook.messages import fact_of, say
from ycsbook.plots import style
from ycsbook.store import parquet
from ycsbook.tables import Tables

sys.path.append(str(Path(__file__).parents[1] / "unit"))
import report_samples as samples


@pytest.fixture(scope="module")
def tables():
    made = samples.local_tables(seconds=30)
    # From how long a run took follows what its operations took together.
    return dataclasses.replace(made, runs=made.runs.assign(runtime_ms=30_000.0))


@pytest.fixture(scope="module")
def analysis(tables):
    return scaling.analyse(tables.runs, tables.operations)


@pytest.fixture(scope="module")
def folder(tables, tmp_path_factory):
    place = tmp_path_factory.mktemp("measured")
    parquet.write(tables, place)
    return str(place)


@pytest.fixture
def view(folder):
    return explore.View(folder)


def widgets(panel):
    """The panel's inputs by their names, and its lists and places."""
    row, *rest = panel.children
    return {w.description: w for w in row.children}, rest


def mouse(place: Place, run_id: str, event: str = "button_press_event", button: int | None = 1) -> None:
    """What the browser tells of the mouse over a run's point."""
    axes = place.drawn.picture.axes[0]
    canvas = place.canvas
    # Where the axes are is known once they are drawn.
    canvas.draw()
    mark = next(mark for mark in place.drawn.marks if mark.run_id == run_id)
    at = axes.transData.transform((mark.x, mark.y))
    canvas.callbacks.process(event, MouseEvent(event, canvas, *at, button=button))


def words(drawn: RunPicture) -> list[str]:
    """What points say in the picture."""
    return [said.get_text() for said in drawn.picture.findobj(Annotation) if said.get_bbox_patch()]


def ringed(place: Place) -> str:
    """The run whose point says its words."""
    (said,) = words(place.drawn)
    return said.splitlines()[-1]


def runs(place: Place) -> set[str]:
    return {mark.run_id for mark in place.drawn.marks}


@pytest.mark.parametrize("law", [BEST, *scaling.laws.LAWS])
def test_each_law_can_be_drawn_with_a_point_for_each_run(tables, analysis, law):
    drawn = scaling_of(tables, analysis, workload="a", law=law)
    page = drawn.svg()
    assert len(drawn.marks) == len({mark.run_id for mark in drawn.marks}) == 24
    assert "<script" not in page and "http://" not in re.sub(r'xmlns(?::xlink)?="[^"]*"', "", page)


def test_a_law_without_a_curve_of_its_own_is_dashed_beyond_what_it_is_fitted_to():
    sweep = samples.vendor_sweep(samples.EIGHTEEN)
    vendor = samples.vendor_tables(sweep)
    found = scaling.analyse(vendor.runs, vendor.operations)
    for law in scaling.laws.LAWS:
        drawn = curves(found, law)
        known = found.augment[found.augment["law"].eq(law)]
        assert set(drawn["group"]) == set(known["group"])
        for group, part in drawn.groupby("group"):
            inside = part[~part["extrapolated"].astype(bool)]["cores"]
            measured = found.curves[found.curves["group"].eq(group) & ~found.curves["extrapolated"].astype(bool)][
                "cores"
            ]
            assert inside.min() >= measured.min() * 0.99 and inside.max() <= measured.max() * 1.01


def test_lower_bounds_of_a_law_are_faint_and_without_a_law_none_is():
    vendor = named_tables.read("qingcloud-4.0.3")
    found = scaling.analyse(vendor.runs, vendor.operations)
    series = found.limits.query("workload == 'b' and threads == 100")
    few_threads = series.loc[series["limit_kind"] == "concurrency", "spec"]
    assert len(few_threads) > 1

    def faint(law):
        (axes, *_) = scaling_of(vendor, found, workload="b", threads=100.0, law=law).picture.axes
        lines = [line for line in axes.get_lines() if line.get_marker() not in ("None", "", None)]
        return {tuple(place) for line in lines if line.get_alpha() == 0.4 for place in line.get_xydata()}

    rows = vendor.runs.query("workload == 'b' and threads == 100")
    known = rows[rows["spec"].isin(few_threads)]
    places = set(zip(known["cores"].astype(float), known["throughput_ops_s"], strict=True))
    assert places <= faint("power") and len(faint("power")) < len(rows)
    # None of its laws is claimed.
    assert faint(BEST) == set()


def test_a_point_says_its_words_while_it_is_pointed_at(tables, analysis):
    place = Place("scaling", lambda run_id: None)
    # Repeats may be less than a pixel apart.
    once = dataclasses.replace(tables, runs=tables.runs[tables.runs["repeat"] == 1])
    place.show(scaling_of(once, analysis, workload="a"))
    assert len(place.drawn.marks) >= 6
    for mark in place.drawn.marks:
        mouse(place, mark.run_id, "motion_notify_event", None)
        assert ["\n".join(mark.lines)] == words(place.drawn)
    canvas = place.canvas
    canvas.callbacks.process("motion_notify_event", MouseEvent("motion_notify_event", canvas, 2, 2))
    assert words(place.drawn) == []


def test_the_mouse_that_zooms_chooses_nothing_and_all_is_there_again(tables, analysis):
    chosen = []
    place = Place("scaling", chosen.append)
    place.show(scaling_of(tables, analysis, workload="a"))
    axes, toolbar = place.drawn.picture.axes[0], place.canvas.toolbar
    whole, (first, last) = axes.get_xlim(), (place.drawn.marks[at].run_id for at in (0, -1))
    toolbar.zoom()
    mouse(place, first)
    mouse(place, last, "button_release_event")
    assert chosen == [] and axes.get_xlim() != whole
    toolbar.home()
    toolbar.zoom()
    mouse(place, first)
    assert chosen == [first] and axes.get_xlim() == whole
    mouse(place, last, button=3)
    assert chosen == [first]


def test_a_picture_that_makes_way_is_closed(tables, analysis):
    place = Place("scaling", lambda run_id: None)
    canvases = []
    for law in ("linear", "power"):
        place.show(scaling_of(tables, analysis, workload="a", law=law))
        canvases.append(place.canvas)
    place.say("Nothing.")
    assert [canvas.comm for canvas in canvases] == [None, None]


def test_what_a_picture_says_of_itself_is_escaped(tables):
    drawn = series_of(tables, ["local-1c-a-t4-r1"], title="t", alt_title='<b onmouseover="x">&')
    place = Place("series", lambda run_id: None)
    place.show(drawn)
    for page in (place.html(), place.children[0].value):
        assert "<b onmouse" not in page and html.escape('<b onmouseover="x">&')[:6] in page


@pytest.mark.parametrize("at", [0, 5, -1])
def test_a_pinned_run_is_ringed_and_says_its_words(tables, analysis, at):
    drawn, plain = (scaling_of(tables, analysis, workload="a") for _ in range(2))
    drawn.pin([drawn.marks[at].run_id, "of another workload"])
    assert words(drawn) == ["\n".join(drawn.marks[at].lines)] and words(plain) == []
    assert len(drawn.svg()) > len(plain.svg())
    # Its words are not cut.
    (said,) = [said for said in drawn.picture.findobj(Annotation) if said.get_bbox_patch()]
    box, whole = said.get_window_extent(), drawn.picture.bbox
    assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1


def test_latencies_are_those_of_the_workload_s_operations(tables):
    every, one = throughput_latency(tables), throughput_latency(tables, workload="b")
    assert len(every.marks) == 48 and len(one.marks) == 24
    assert all("read" in mark.lines[2] and "update" in mark.lines[2] for mark in every.marks)


def test_a_series_is_of_the_runs_asked_for_and_published_rows_have_none(tables):
    drawn = series_of(tables, ["local-1c-a-t4-r1", "local-1c-a-t4-r2"])
    assert {mark.run_id for mark in drawn.marks} == {"local-1c-a-t4-r1", "local-1c-a-t4-r2"}
    assert len(drawn.marks) == 60
    assert series_of(tables, ["local-1c-a-t4-r4"]) is None


def test_what_is_left_after_the_last_whole_interval_is_no_point_of_a_series(tables):
    run_id = "local-1c-a-t4-r1"
    usual = tables.intervals[tables.intervals["run_id"].eq(run_id) & tables.intervals["operation"].eq("TOTAL")]
    end = usual.iloc[-1]
    rest = usual.tail(1).assign(elapsed_s=end["elapsed_s"] + 0.01, interval_s=0.01, throughput_ops_s=1.0)
    longer = dataclasses.replace(tables, intervals=pd.concat([tables.intervals, rest]))
    drawn, before = (series_of(one, [run_id]) for one in (longer, tables))
    assert len(before.marks) == len(usual) and drawn.marks == before.marks


def test_a_widget_that_is_moved_changes_the_picture(view):
    inputs, (picture, _, text) = widgets(view.scaling())
    assert list(inputs) == ["Dataset", "Workload", "Threads", "Law", "Run"]
    seen = {(picture.html(), text.texts)}
    for name, value in (("Workload", "b"), ("Threads", 4.0), ("Law", "amdahl")):
        inputs[name].value = value
        assert (picture.html(), text.texts) not in seen
        seen.add((picture.html(), text.texts))
    assert all(option[1] == "" or "-b-t4-" in option[1] for option in inputs["Run"].options)
    inputs["Run"].value = inputs["Run"].options[3][1]
    assert ringed(picture) == inputs["Run"].value


def test_another_dataset_changes_every_panel_and_keeps_the_law(view):
    (inputs, (picture, *_)), (_, (latency, _)), (_, (chosen, *_)) = map(
        widgets, (view.scaling(), view.latency(), view.findings())
    )
    inputs["Law"].value = "power"
    before = picture.html(), latency.html(), chosen.options
    view.dataset.value = dict(view.dataset.options)["tencent-2020-08"]
    after = picture.html(), latency.html(), chosen.options
    assert all(a != b for a, b in zip(before, after, strict=True))
    assert inputs["Law"].value == "power" and inputs["Threads"].value == "all"
    assert len(view.runs().frame) == 32


def test_loads_stand_behind_the_runs_however_fast_they_are(view):
    view.current.tables.runs.loc[lambda rows: rows["throughput_ops_s"].rank() == 1, ["phase", "throughput_ops_s"]] = (
        "load",
        1e9,
    )
    shown = view.runs()
    assert shown.frame["phase"].tolist()[-1] == "load" and shown.frame["phase"].tolist().count("load") == 1
    speeds = shown.frame["throughput_ops_s"].tolist()[:-1]
    assert speeds == sorted(speeds, reverse=True)
    assert "." not in shown.rows[0].cells[4] and shown.rows[-1].cells[6] == "1,000,000,000"


def test_a_finding_leads_to_its_runs(view):
    panel = view.findings()
    _, (chosen, text, series, place) = widgets(panel)
    (at,) = [i for i, (label, _) in enumerate(chosen.options) if "· periodic swings ·" in label]
    chosen.value = at
    row = view.current.findings.iloc[at]
    assert all(any(say(fact_of(row, name)) in said for said in text.texts) for name in ("message", "advice"))
    assert runs(series) == set(row["run_ids"].split()) <= runs(place)
    bundle = panel._repr_mimebundle_()
    # What stands where no widget works.
    assert series.html() in bundle["text/html"] and place.html() in bundle["text/html"]
    assert html.escape(text.texts[0]) in bundle["text/html"] and "<script" not in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


@pytest.mark.parametrize("kind", ["scaling", "latency"])
def test_a_click_on_a_point_shows_its_run_s_series_as_the_list_does(view, kind):
    panel = getattr(view, kind)()
    inputs, (picture, series, *_) = widgets(panel)
    assert series.drawn is None
    ids = [value for _, value in inputs["Run"].options if value]
    mouse(picture, ids[3])
    clicked = picture.html(), series.html()
    assert inputs["Run"].value == ids[3] == ringed(picture)
    assert runs(series) == {ids[3]}
    # Another, from the list; and the same point once more.
    inputs["Run"].value = ids[5]
    assert runs(series) == {ids[5]}
    mouse(picture, ids[3])
    assert (picture.html(), series.html()) == clicked
    inputs["Run"].value = ""
    assert series.drawn is None and series.html() == ""


def test_a_click_shows_one_run_of_a_finding_alone_until_another_finding_is_chosen(view):
    panel = view.findings()
    inputs, (chosen, _, series, place) = widgets(panel)
    (at,) = [i for i, (label, _) in enumerate(chosen.options) if "· periodic swings ·" in label]
    chosen.value = at
    run_ids = view.current.findings.iloc[at]["run_ids"].split()
    assert [value for _, value in inputs["Run"].options][1 : len(run_ids) + 1] != []
    assert {value for _, value in inputs["Run"].options[1 : len(run_ids) + 1]} == set(run_ids)
    before = series.html()
    mouse(series, run_ids[1])
    assert runs(series) == {run_ids[1]} and ringed(place) == run_ids[1]
    # One beside them.
    other = next(mark.run_id for mark in place.drawn.marks if mark.run_id not in run_ids)
    mouse(place, other)
    assert runs(series) == {other}
    inputs["Run"].value = ""
    assert series.html() == before
    mouse(place, other)
    chosen.value = at + 1
    assert inputs["Run"].value == ""


def test_a_published_row_that_is_clicked_says_why_it_has_no_series():
    view = explore.View("tencent-2020-08")
    panel = view.scaling()
    inputs, (picture, series, _) = widgets(panel)
    mouse(picture, inputs["Run"].options[2][1])
    assert "these runs were published as means" in series.texts[0]


# Words beyond the names of columns and settings, of units and of things, and what the data hold.
WORD = re.compile(r"[A-Za-z]{3,}")
NAMES = {
    "ops", "GiB", "CPU", "RAM", "QPS", "read", "update", "insert", "scan", "Amdahl", "USL", "usl", "amdahl", "local",
    "YCSB", "MongoDB", "maxPoolSize", "majority", "workloada",
}  # fmt: skip


def english(text: str, data: set[str]) -> set[str]:
    """The English words in a text, without those that the data hold."""
    for name in sorted(data, key=len, reverse=True):
        text = text.replace(name, "")
    return set(WORD.findall(re.sub(r"“[^”]*”|[a-z]+_[a-z_]+", "", text))) - NAMES


def said(panel) -> list[str]:
    """Everything that a panel's widgets say: names, options, texts, points' words, and what pictures are called."""
    inputs, rest = widgets(panel)
    lists = [*inputs.values(), *(w for w in rest if hasattr(w, "options"))]
    texts = [w.description or w.tooltip for w in lists]
    texts += [label for w in lists[1:] for label, _ in (o if isinstance(o, tuple) else (o, o) for o in w.options)]
    for place in (w for w in rest if isinstance(w, Place)):
        texts += place.texts
        if place.drawn:
            texts += [place.drawn.alt, *(line for mark in place.drawn.marks for line in mark.lines)]
    return texts


@pytest.mark.matrix
def test_nothing_is_left_in_english_where_the_report_is_chinese(tables, tmp_path_factory, monkeypatch):
    name = "test-explore-chinese"
    file = tmp_path_factory.mktemp("chinese") / "params.yml"
    text = (paths.PARAMS / "qingcloud-4.0.3.yml").read_text().replace("name: qingcloud-4.0.3\n", f"name: {name}\n")
    file.write_text(re.sub(r"(?m)^report:.*\n", "", text) + "report: {lang: zh}\n")
    folder = tmp_path_factory.mktemp("measured-zh")
    parquet.write(tables, folder)
    pictures, data, canvas = [], set(), RunPicture.canvas

    def kept(self, *args):
        pictures.append(self.picture)
        return canvas(self, *args)

    monkeypatch.setattr(RunPicture, "canvas", kept)
    try:
        view = explore.View(str(file))
        panels = [view.scaling(), view.latency(), view.findings()]
        view.dataset.options = [*view.dataset.options, ("measured", str(folder))]
        for chosen in (view.dataset.value, str(folder)):
            view.dataset.value = chosen
            runs = view.current.tables.runs
            data |= {str(v) for c in ("run_id", "spec", "spec_label", "dataset") for v in runs[c].unique()} - {""}
            heard = set()
            for law in (BEST, *scaling.laws.LAWS):
                widgets(panels[0])[0]["模型"].value = law
                heard |= set(said(panels[0]))
            for panel in panels[:2]:
                runs_listed = widgets(panel)[0]["运行"]
                runs_listed.value = runs_listed.options[1][1]
                heard |= set(said(panel))
            listed = widgets(panels[2])[1][0]
            for _, at in listed.options:
                listed.value = at
                heard |= set(said(panels[2]))
            assert len(heard) > 100 and any("核" in text for text in heard)
            assert {t: words for t in heard if (words := english(t, data))} == {}
        assert len(pictures) > 20 and style.cjk_font()
        drawn = {text.get_text() for picture in pictures for text in picture.findobj(Text)}
        assert "核数（对数刻度）" in drawn and "时延（ms，对数刻度）" in drawn
        assert {t: words for t in drawn if (words := english(t, data))} == {}
    finally:
        shutil.rmtree(paths.OUTPUT / name, ignore_errors=True)


def test_the_language_is_asked_for_or_that_of_the_report(folder, tmp_path):
    assert widgets(explore.View(folder, lang="zh").latency())[0].keys() == {"数据集", "负载", "运行"}
    assert explore.View(folder).language.lang == "en"
    assert explore.View("params/tencent-2020-08.yml").language.lang == "en"
    # A params file that cannot be read says why in the place of the picture, not here.
    broken = tmp_path / "broken.yml"
    broken.write_text("name: [")
    assert explore.View(str(broken)).language.lang == "en"
    with pytest.raises(MessageError, match="the languages are en, zh"):
        explore.View(folder, lang="fr")


def test_without_a_chinese_font_pictures_are_english_and_widgets_are_not(tables, analysis, monkeypatch):
    monkeypatch.setattr(style, "cjk_font", lambda: "")
    drawn = scaling_of(tables, analysis, workload="a", law="power", lang="zh")
    assert drawn.picture.axes[0].get_title(loc="left") == "50:50, power law, not claimed"
    assert "吞吐量随核数的变化：50:50，幂律模型" in drawn.alt


def test_runs_without_a_series_are_said_to_have_none(view):
    _, (chosen, _, series, _) = widgets(view.findings())
    chosen.value = next(i for i, (label, _) in enumerate(chosen.options) if "did not complete" in label)
    assert series.drawn is None and "these runs have none" in series.texts[0]


def test_what_cannot_be_read_is_one_line_and_the_others_can_still_be_chosen(folder, tmp_path):
    view = explore.View(str(tmp_path / "none"))
    inputs, (picture, _, text) = widgets(view.scaling())
    assert "no such folder, params file or table" in picture.texts[0] and text.texts == ()
    view.dataset.options = [*view.dataset.options, ("measured", folder)]
    view.dataset.value = folder
    assert picture.drawn and inputs["Workload"].value == "a"


def test_the_repository_s_data_sets_are_offered_once_each():
    found = choices("params/tencent-2020-08.yml")
    assert next(iter(found.items())) == ("tencent-2020-08", "params/tencent-2020-08.yml")
    assert found["qingcloud-4.0.3"] == "params/qingcloud-4.0.3.yml"
    # Tables of other experiments have no runs.
    assert "mongotest-2010" not in found
    assert not any(str(paths.REPOSITORY) in name for name in found.values())


def test_pictures_of_a_page_share_no_id(view, tables, analysis):
    """A clip of one would be looked for in the other, which may be scrolled away."""
    panels = [view.scaling(), view.latency(), view.findings()]
    run_id = tables.runs["run_id"].iloc[0]
    for panel in panels[:2]:
        widgets(panel)[0]["Run"].value = run_id
    pages = [child.html() for panel in panels for child in panel.children if getattr(child, "drawn", None)]
    ids = [set(re.findall(r'\bid="([^"]+)"', page)) for page in pages]
    assert len(pages) == 4 and sum(map(len, ids)) == len(set().union(*ids))
    for page, own in zip(pages, ids, strict=True):
        assert set(re.findall(r'(?:url\(#|href="#)([^")]+)', page)) <= own


def test_a_refused_law_is_not_announced_as_drawn(tables):
    """Two core counts are too few for any law of two parameters."""
    few = Tables(tables.runs[tables.runs["cores"].isin([0.25, 0.5])], tables.operations)
    refused = scaling.analyse(few.runs, few.operations)
    assert "no law" in scaling_of(few, refused, workload="a", law="usl").alt
    said = sentences(refused, workload="a", threads="all", law="usl")
    assert said and not any("USL law: " in sentence for sentence in said)


def test_only_a_law_that_is_claimed_is_drawn_unasked():
    sweep = samples.vendor_sweep(samples.EIGHTEEN)
    vendor = samples.vendor_tables(sweep)
    found = scaling.analyse(vendor.runs, vendor.operations)
    claimed = found.choices[found.choices["verdict_key"] == "claimed"]
    assert len(claimed) < len(found.choices)
    assert set(curves(found, BEST)["group"]) == set(claimed["group"])
    for law in scaling.laws.LAWS:
        drawn = curves(found, law)
        verdicts = found.glance.merge(drawn[["group", "law"]].drop_duplicates())
        title = scaling_of(vendor, found, workload="a", law=law).picture.axes[0].get_title(loc="left")
        of_it = verdicts[verdicts["workload"].eq("a")]["verdict_key"]
        assert ("not claimed" in title.replace("\n", " ")) == (of_it != "claimed").any()
