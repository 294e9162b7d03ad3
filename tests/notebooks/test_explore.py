"""What explore.ipynb draws and its widgets do, without a browser."""

import dataclasses
import html
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from ycsbook import explore, paths, scaling
from ycsbook.errors import MessageError
from ycsbook.explore import hover
from ycsbook.explore.pictures import BEST, curves, language_of, scaling_of, sentences
from ycsbook.explore.view import choices
from ycsbook.messages import fact_of, say
from ycsbook.plots import style
from ycsbook.report import pictures as drawings
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
    """The panel's inputs by their names, and its places of HTML."""
    row, *rest, told = panel.children
    assert "ycsbook-clicked" in told._dom_classes
    return {w.description: w for w in row.children}, rest


def click(panel, picture, run_id: str) -> None:
    """What the browser does with a click on a run's point: its id goes into the panel's hidden text."""
    assert hover.CLICK in picture.value and f'data-run="{run_id}"' in picture.value
    panel.children[-1].value = run_id


@pytest.mark.parametrize("law", [BEST, *scaling.laws.LAWS])
def test_each_law_can_be_drawn_with_a_place_to_point_at_for_each_run(tables, analysis, law):
    drawn = explore.scaling_of(tables, analysis, workload="a", law=law)
    page = drawn.html()
    assert re.findall(r'data-run="([^"]+)"', page) == [mark.run_id for mark in drawn.marks]
    assert len(drawn.marks) == 24
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


def test_a_place_to_point_at_lies_over_its_point(tables, analysis):
    drawn = explore.scaling_of(tables, analysis, workload="a", threads=4.0)
    page = drawn.html()
    at = np.array(re.findall(r'class="hit" cx="([\d.]+)" cy="([\d.]+)"', page), dtype=float)
    # The markers as matplotlib drew them.
    colour = drawings.coloured(style.thread_colours([4.0, 16.0])[4.0])
    markers = np.array([
        (x, y) for x, y, fill in re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)" style="fill: ?([^;]*)', page)
        if fill.startswith(colour)
    ], dtype=float)  # fmt: skip
    assert len(at) == 12
    for place in at:
        assert np.abs(markers - place).sum(axis=1).min() < 0.3


def test_the_words_of_a_run_are_escaped(tables, analysis):
    runs = tables.runs.assign(spec_label='<b onmouseover="x">&')
    page = explore.scaling_of(tables.__class__(**{**vars(tables), "runs": runs}), analysis, workload="a").html()
    assert "<b onmouse" not in page and html.escape('<b onmouseover="x">')[:6] in page


def test_a_pinned_run_is_ringed_and_says_its_words(tables, analysis):
    drawn = explore.scaling_of(tables, analysis, workload="a")
    run_id = drawn.marks[5].run_id
    page = drawn.html([run_id])
    assert re.findall(r'<circle class="hit on"[^>]*data-run="([^"]+)"', page) == [run_id]
    assert page.count('class="tip on"') == 1 and page.count('class="tip"') == 23
    assert drawn.html() != page


def test_dark_themes_have_colours_of_their_own(tables, analysis):
    page = explore.scaling_of(tables, analysis, workload="a").html()
    dark = page[page.index('[data-jp-theme-light="false"]') :].partition("}")[0]
    used = set(re.findall(r"var\((--yb-\d+)", page))
    assert used and used <= set(re.findall(r"(--yb-\d+):#", dark))


def test_so_many_points_are_thinned():
    marks = tuple(hover.Mark(str(i), i, i, ("",)) for i in range(10_000))
    kept = hover.thinned(marks)
    assert len(kept) == hover.MAX_MARKS and kept[0] is marks[0] and len(set(kept)) == len(kept)


def test_latencies_are_those_of_the_workload_s_operations(tables):
    every, one = explore.throughput_latency(tables), explore.throughput_latency(tables, workload="b")
    assert len(every.marks) == 48 and len(one.marks) == 24
    assert all("read" in mark.lines[2] and "update" in mark.lines[2] for mark in every.marks)


def test_a_series_is_of_the_runs_asked_for_and_published_rows_have_none(tables):
    drawn = explore.series_of(tables, ["local-1c-a-t4-r1", "local-1c-a-t4-r2"])
    assert {mark.run_id for mark in drawn.marks} == {"local-1c-a-t4-r1", "local-1c-a-t4-r2"}
    assert len(drawn.marks) == 60
    assert explore.series_of(tables, ["local-1c-a-t4-r4"]) is None


def test_what_is_left_after_the_last_whole_interval_is_no_point_of_a_series(tables):
    run_id = "local-1c-a-t4-r1"
    usual = tables.intervals[tables.intervals["run_id"].eq(run_id) & tables.intervals["operation"].eq("TOTAL")]
    end = usual.iloc[-1]
    rest = usual.tail(1).assign(elapsed_s=end["elapsed_s"] + 0.01, interval_s=0.01, throughput_ops_s=1.0)
    longer = dataclasses.replace(tables, intervals=pd.concat([tables.intervals, rest]))
    drawn, before = (explore.series_of(one, [run_id]) for one in (longer, tables))
    assert len(before.marks) == len(usual) and drawn.marks == before.marks


def test_a_widget_that_is_moved_changes_the_picture(view):
    inputs, (picture, _, text) = widgets(view.scaling())
    assert list(inputs) == ["Dataset", "Workload", "Threads", "Law", "Run"]
    seen = {(picture.value, text.value)}
    for name, value in (("Workload", "b"), ("Threads", 4.0), ("Law", "amdahl")):
        inputs[name].value = value
        assert (picture.value, text.value) not in seen
        seen.add((picture.value, text.value))
    assert all(option[1] == "" or "-b-t4-" in option[1] for option in inputs["Run"].options)
    inputs["Run"].value = inputs["Run"].options[3][1]
    assert inputs["Run"].value in re.search(r'class="hit on"[^>]*', picture.value)[0]


def test_another_dataset_changes_every_panel_and_keeps_the_law(view):
    (inputs, (picture, *_)), (_, (latency, _)), (_, (chosen, *_)) = map(
        widgets, (view.scaling(), view.latency(), view.findings())
    )
    inputs["Law"].value = "power"
    before = picture.value, latency.value, chosen.options
    view.dataset.value = dict(view.dataset.options)["tencent-2020-08"]
    after = picture.value, latency.value, chosen.options
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
    assert "." not in shown.rows()[0].cells[4] and shown.rows()[-1].cells[6] == "1,000,000,000"


def test_a_finding_leads_to_its_runs(view):
    panel = view.findings()
    _, (chosen, text, series, place) = widgets(panel)
    (at,) = [i for i, (label, _) in enumerate(chosen.options) if "· periodic swings ·" in label]
    chosen.value = at
    row = view.current.findings.iloc[at]
    assert all(html.escape(say(fact_of(row, name))) in text.value for name in ("message", "advice"))
    assert set(re.findall(r'data-run="([^"]+)"', series.value)) == set(row["run_ids"].split())
    assert set(row["run_ids"].split()) <= set(re.findall(r'data-run="([^"]+)"', place.value))
    bundle = panel._repr_mimebundle_()
    # What stands where no widget works has nothing to click.
    assert series.value.replace(hover.CLICK, "") in bundle["text/html"] and "onclick=" not in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in bundle


@pytest.mark.parametrize("kind", ["scaling", "latency"])
def test_a_click_on_a_point_shows_its_run_s_series_as_the_list_does(view, kind):
    panel = getattr(view, kind)()
    inputs, (picture, series, *_) = widgets(panel)
    assert series.value == ""
    ids = [value for _, value in inputs["Run"].options if value]
    click(panel, picture, ids[3])
    clicked = picture.value, series.value
    assert inputs["Run"].value == ids[3] and panel.children[-1].value == ""
    assert set(re.findall(r'data-run="([^"]+)"', series.value)) == {ids[3]}
    assert set(re.findall(r'class="hit on"[^>]*data-run="([^"]+)"', picture.value)) == {ids[3]}
    # Another, from the list; and the same point once more.
    inputs["Run"].value = ids[5]
    assert set(re.findall(r'data-run="([^"]+)"', series.value)) == {ids[5]}
    click(panel, picture, ids[3])
    assert (picture.value, series.value) == clicked
    inputs["Run"].value = ""
    assert series.value == ""
    # What is not there to be chosen is not chosen.
    panel.children[-1].value = "no-such-run"
    assert inputs["Run"].value == ""


def test_a_click_shows_one_run_of_a_finding_alone_until_another_finding_is_chosen(view):
    panel = view.findings()
    inputs, (chosen, _, series, place) = widgets(panel)
    (at,) = [i for i, (label, _) in enumerate(chosen.options) if "· periodic swings ·" in label]
    chosen.value = at
    run_ids = view.current.findings.iloc[at]["run_ids"].split()
    assert [value for _, value in inputs["Run"].options][1 : len(run_ids) + 1] != []
    assert {value for _, value in inputs["Run"].options[1 : len(run_ids) + 1]} == set(run_ids)
    before = series.value
    click(panel, series, run_ids[1])
    assert set(re.findall(r'data-run="([^"]+)"', series.value)) == {run_ids[1]}
    assert set(re.findall(r'class="hit on"[^>]*data-run="([^"]+)"', place.value)) == {run_ids[1]}
    # One beside them.
    other = next(run_id for run_id in re.findall(r'data-run="([^"]+)"', place.value) if run_id not in run_ids)
    click(panel, place, other)
    assert set(re.findall(r'data-run="([^"]+)"', series.value)) == {other}
    inputs["Run"].value = ""
    assert series.value == before
    click(panel, place, other)
    chosen.value = at + 1
    assert inputs["Run"].value == ""


def test_a_published_row_that_is_clicked_says_why_it_has_no_series():
    view = explore.View("tencent-2020-08")
    panel = view.scaling()
    inputs, (picture, series, _) = widgets(panel)
    click(panel, picture, inputs["Run"].options[2][1])
    assert "these runs were published as means" in series.value


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
    for page in (w.value for w in rest if not hasattr(w, "options")):
        texts += re.findall(r'aria-label="([^"]*)"', page)
        texts += [html.unescape(text) for text in re.findall(r"<(?:tspan|p)\b[^>]*>([^<]+)<", page)]
    return texts


def test_nothing_is_left_in_english_where_the_report_is_chinese(tables, tmp_path_factory, monkeypatch):
    name = "test-explore-chinese"
    file = tmp_path_factory.mktemp("chinese") / "params.yml"
    text = (paths.PARAMS / "qingcloud-4.0.3.yml").read_text().replace("name: qingcloud-4.0.3\n", f"name: {name}\n")
    file.write_text(re.sub(r"(?m)^report:.*\n", "", text) + "report: {lang: zh}\n")
    folder = tmp_path_factory.mktemp("measured-zh")
    parquet.write(tables, folder)
    pictures, hovered = [], hover.Hovered.html

    def kept(self, *args, **options):
        pictures.append(self.picture)
        return hovered(self, *args, **options)

    monkeypatch.setattr(hover.Hovered, "html", kept)
    try:
        view = explore.View(str(file))
        panels = [view.scaling(), view.latency(), view.findings()]
        view.dataset.options = [*view.dataset.options, ("measured", str(folder))]
        for chosen in (view.dataset.value, str(folder)):
            view.dataset.value = chosen
            runs = view.current.tables.runs
            data = {str(v) for c in ("run_id", "spec", "spec_label", "dataset") for v in runs[c].unique()} - {""}
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
    language_of.cache_clear()
    try:
        drawn = explore.scaling_of(tables, analysis, workload="a", law="power", lang="zh")
        assert drawn.picture.axes[0].get_title(loc="left") == "50:50, power law"
        assert "吞吐量随核数的变化：50:50，幂律模型" in drawn.alt
    finally:
        language_of.cache_clear()


def test_runs_without_a_series_are_said_to_have_none(view):
    _, (chosen, _, series, _) = widgets(view.findings())
    chosen.value = next(i for i, (label, _) in enumerate(chosen.options) if "did not complete" in label)
    assert "<svg" not in series.value and "these runs have none" in series.value


def test_what_cannot_be_read_is_one_line_and_the_others_can_still_be_chosen(folder, tmp_path):
    view = explore.View(str(tmp_path / "none"))
    inputs, (picture, _, text) = widgets(view.scaling())
    assert "no such folder, params file or table" in picture.value and text.value == ""
    view.dataset.options = [*view.dataset.options, ("measured", folder)]
    view.dataset.value = folder
    assert "<svg" in picture.value and inputs["Workload"].value == "a"


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
    values = [str(getattr(child, "value", "")) for panel in panels for child in panel.children]
    pages = [value for value in values if "<svg" in value]
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
