"""What explore.ipynb draws and its widgets do, without a browser."""

import html
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from ycsbook import explore, paths, scaling
from ycsbook.explore import datasets, hover
from ycsbook.explore.scaling import BEST, curves
from ycsbook.plots import style
from ycsbook.store import parquet

sys.path.append(str(Path(__file__).parents[1] / "unit"))
import report_samples as samples


@pytest.fixture(scope="module")
def tables():
    return samples.local_tables(seconds=30)


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
    row, *rest = panel.children
    return {w.description: w for w in row.children}, rest


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
    colour = f"var(--ycsbook-{style.thread_colours([4.0, 16.0])[4.0].removeprefix('#')}"
    markers = np.array([
        (x, y) for x, y, fill in re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)" style="fill: ([^;]*)', page)
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
    used = set(re.findall(r"var\((--ycsbook-[\w]+)", page))
    assert used and used <= set(re.findall(r"(--ycsbook-[\w]+):#", dark))


def test_so_many_points_are_thinned():
    marks = tuple(hover.Mark(str(i), i, i, ("",)) for i in range(10_000))
    kept = hover.thinned(marks)
    assert len(kept) == hover.MAX_MARKS and kept[0] is marks[0] and len(set(kept)) == len(kept)


def test_latencies_are_those_of_the_workload_s_operations(tables):
    every, one = explore.throughput_latency(tables), explore.throughput_latency(tables, workload="b")
    assert len(every.marks) == 2 * 48 and len(one.marks) == 2 * 24
    assert {mark.lines[0] for mark in every.marks} == {"read", "update"}


def test_a_series_is_of_the_runs_asked_for_and_published_rows_have_none(tables):
    drawn = explore.series_of(tables, ["local-1c-a-t4-r1", "local-1c-a-t4-r2"])
    assert {mark.run_id for mark in drawn.marks} == {"local-1c-a-t4-r1", "local-1c-a-t4-r2"}
    assert len(drawn.marks) == 60
    assert explore.series_of(tables, ["local-1c-a-t4-r4"]) is None


def test_a_widget_that_is_moved_changes_the_picture(view):
    inputs, (picture, text) = widgets(view.scaling())
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
    (inputs, (picture, _)), (_, (latency,)), (_, (chosen, *_)) = map(
        widgets, (view.scaling(), view.latency(), view.findings())
    )
    inputs["Law"].value = "power"
    before = picture.value, latency.value, chosen.options
    view.dataset.value = dict(view.dataset.options)["tencent-2020-08"]
    after = picture.value, latency.value, chosen.options
    assert all(a != b for a, b in zip(before, after, strict=True))
    assert inputs["Law"].value == "power" and inputs["Threads"].value == "all"
    assert len(view.runs()) == 32


def test_a_finding_leads_to_its_runs(view):
    panel = view.findings()
    _, (chosen, text, series, place) = widgets(panel)
    (at,) = [i for i, (label, _) in enumerate(chosen.options) if "sawtooth" in label]
    chosen.value = at
    row = view.current.findings.iloc[at]
    assert html.escape(row["message"]) in text.value and html.escape(row["next_step"]) in text.value
    assert set(re.findall(r'data-run="([^"]+)"', series.value)) == set(row["run_ids"].split())
    assert set(row["run_ids"].split()) <= set(re.findall(r'data-run="([^"]+)"', place.value))
    bundle = panel._repr_mimebundle_()
    assert series.value in bundle["text/html"] and "application/vnd.jupyter.widget-view+json" in bundle


def test_runs_without_a_series_are_said_to_have_none(view):
    _, (chosen, text, series, _) = widgets(view.findings())
    chosen.value = next(i for i, (label, _) in enumerate(chosen.options) if "did not complete" in label)
    assert series.value == "" and "these runs have none" in text.value


def test_what_cannot_be_read_is_one_line_and_the_others_can_still_be_chosen(folder, tmp_path):
    view = explore.View(str(tmp_path / "none"))
    inputs, (picture, text) = widgets(view.scaling())
    assert "no such folder, params file or table" in picture.value and text.value == ""
    view.dataset.options = [*view.dataset.options, ("measured", folder)]
    view.dataset.value = folder
    assert "<svg" in picture.value and inputs["Workload"].value == "a"


def test_the_repository_s_data_sets_are_offered_once_each():
    found = datasets.known("params/tencent-2020-08.yml")
    assert next(iter(found.items())) == ("tencent-2020-08", "params/tencent-2020-08.yml")
    assert found["qingcloud-4.0.3"] == "params/qingcloud-4.0.3.yml"
    # Tables of other experiments have no runs.
    assert "mongotest-2010" not in found
    assert not any(str(paths.REPOSITORY) in name for name in found.values())
