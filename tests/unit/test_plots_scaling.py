import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from report_samples import local_tables

from ycsbook.plots import measured, scaling, style, threads


@pytest.fixture
def points() -> pd.DataFrame:
    runs = local_tables().runs
    return runs[(runs["outcome"] == "completed") & (runs["workload"] == "a")].assign(y=runs["steady_ops_s"])


@pytest.fixture
def curves() -> pd.DataFrame:
    cores = np.geomspace(0.25, 2, 20)
    fitted = 10_000 * cores
    return pd.DataFrame(
        {"group": "a, 16 threads", "threads": 16.0, "outcome": "completed", "cores": cores,
         "fitted": fitted, "conf_low": fitted * 0.9, "conf_high": fitted * 1.1,
         "extrapolated": cores > 1.0}
    )  # fmt: skip


def test_both_axes_are_log_and_cores_have_real_ticks(points, curves):
    _, axes = style.panel()
    scaling.facet(axes, points, curves, title="The finding")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert [t.get_text() for t in axes.get_xticklabels()] == ["0.25", "0.5", "0.75", "1"]
    assert axes.get_title(loc="left") == "The finding"
    assert "ops/s" in axes.get_ylabel()


def test_every_repeat_is_a_point_in_the_colour_of_its_threads(points, curves):
    _, axes = style.panel()
    scaling.facet(axes, points, curves)
    drawn = [
        line for line in axes.get_lines() if line.get_linestyle() == "None" and line.get_markerfacecolor() != "none"
    ]
    assert sum(len(line.get_xdata()) for line in drawn) == len(points)
    assert {line.get_color() for line in drawn} == set(style.thread_colours([4, 16]).values())
    assert len({line.get_marker() for line in drawn}) == 4


def test_published_rows_beside_measured_ones_are_faint(points, curves):
    both = pd.concat([points, points.assign(outcome="published", y=points["y"] / 2)], ignore_index=True)
    _, axes = style.panel()
    scaling.facet(axes, both, curves)
    dots = [line for line in axes.get_lines() if line.get_linestyle() == "None" and len(line.get_xdata())]
    faint = [line for line in dots if line.get_alpha() < 0.5]
    assert 2 * sum(len(line.get_xdata()) for line in faint) == sum(len(line.get_xdata()) for line in dots)


def test_rows_in_doubt_are_hollow_and_no_line_goes_through_them(points):
    graded = points.assign(grade=np.where(points["cores"] == points["cores"].max(), "F", "C"))
    figure, axes = style.panel()
    scaling.facet(axes, graded)
    hollow = [line for line in axes.get_lines() if line.get_markerfacecolor() == style.PAPER and len(line.get_xdata())]
    assert {x for line in hollow for x in line.get_xdata()} == {points["cores"].max()}
    lines = [line for line in axes.get_lines() if line.get_linestyle() == "-" and line.get_color() != style.MUTED]
    assert len(lines) == 2 and max(max(line.get_xdata()) for line in lines) < points["cores"].max()
    assert "in doubt" in {text.get_text() for text in figure.legends[0].get_texts()}


def test_a_ceiling_is_a_level_line_in_the_colour_of_its_threads(points):
    figure, axes = style.panel()
    scaling.facet(axes, points, ceilings={16.0: 12_345.0})
    [line] = [line for line in axes.get_lines() if set(line.get_ydata()) == {12_345.0}]
    assert line.get_color() == style.thread_colours(points["threads"])[16.0]
    assert "limit of the threads" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_names_of_lines_that_end_together_stand_apart_and_below_the_title(points):
    of_four = pd.concat(points.assign(threads=n, y=points["y"] * (1 + n / 1e6)) for n in (32.0, 64.0, 128.0, 256.0))
    _, axes = style.panel()
    scaling.facet(axes, of_four)
    places = {text.get_text(): text.xy[1] for text in axes.texts}
    heights = [places[name] for name in ("32", "64", "128", "256")]
    assert (np.diff(heights) > 0.05).all() and heights[-1] < 0.95


def test_lines_go_through_the_means_of_the_specs(points):
    _, axes = style.panel()
    scaling.facet(axes, points)
    [line] = [
        line for line in axes.get_lines()
        if line.get_linestyle() == "-" and line.get_color() == style.thread_colours([4, 16])[16.0]
    ]  # fmt: skip
    here = points[points["threads"] == 16]
    expected = np.exp(np.log(here["y"]).groupby(here["cores"]).mean())
    np.testing.assert_allclose(line.get_ydata(), expected)


def test_each_line_is_named_beside_its_end_and_a_pale_one_follows_the_highest(points):
    # Two thread counts whose lines cross, and end too close together for both names.
    cores = np.array([1.0, 2.0, 4.0])
    parts = [points.head(3).assign(threads=n, cores=cores, ram_gib=4.0, y=y)
             for n, y in ((4, [2e3, 3e3, 4.05e3]), (16, [1e3, 3.5e3, 4e3]))]  # fmt: skip
    figure, axes = style.panel()
    scaling.facet(axes, pd.concat(parts, ignore_index=True))
    [best] = [line for line in axes.get_lines() if line.get_linestyle() == "-" and line.get_color() == style.MUTED]
    np.testing.assert_allclose(best.get_ydata(), [2e3, 3.5e3, 4.05e3])
    assert "best thread count" in {text.get_text() for text in figure.legends[0].get_texts()}
    lower, upper = sorted(axes.texts, key=lambda name: name.xy[1])
    assert (lower.get_text(), upper.get_text()) == ("16", "4")
    assert upper.get_color() == style.thread_colours([4, 16])[4.0]
    figure.canvas.draw()
    assert lower.get_window_extent().y1 <= upper.get_window_extent().y0 + 1


def test_the_legend_of_both_kinds(points, curves):
    both = pd.concat([points, points.assign(outcome="published", y=points["y"] / 2)], ignore_index=True)
    figure, axes = style.panel()
    scaling.facet(axes, both, curves)
    assert {"measured", "published"} <= {text.get_text() for text in figure.legends[0].get_texts()}


def test_the_line_is_dashed_beyond_the_measured_range_only(points, curves):
    _, axes = style.panel()
    scaling.facet(axes, points, curves)
    solid = [line for line in axes.get_lines() if line.get_linestyle() == "-"]
    dashed = [line for line in axes.get_lines() if line.get_linestyle() == "--" and line.get_color() != style.MUTED]
    assert max(solid[0].get_xdata()) <= 1.0 < max(dashed[0].get_xdata())
    assert min(dashed[0].get_xdata()) == max(solid[0].get_xdata())


def test_flagged_points_are_ringed_and_the_worst_is_named(points, curves):
    _, axes = style.panel()
    ids = list(points["run_id"])
    scaling.facet(axes, points, curves, flagged={ids[0]: 1, ids[-1]: 0})
    rings = [line for line in axes.get_lines() if line.get_markerfacecolor() == "none"]
    assert sum(len(line.get_xdata()) for line in rings) == 2
    assert {text.get_text() for text in axes.texts} == {"1c, 16 thr."}


def test_a_vendor_label_is_used_where_it_can_be_drawn_else_the_slug(monkeypatch):
    row = {"spec": "2c4g", "spec_label": "2核4GB", "threads": 100.0}
    monkeypatch.setattr(style, "cjk_font", lambda: "Noto Sans CJK SC")
    assert scaling.name_of(row) == "2核4GB, 100 thr."
    assert scaling.name_of(row, "zh") == "2核4GB，100 线程"
    monkeypatch.setattr(style, "cjk_font", lambda: "")
    assert scaling.name_of(row, style.drawn_language("zh")) == "2c4g, 100 thr."


def test_a_single_point_without_curves_can_be_drawn(points, curves):
    figure, axes = style.panel()
    scaling.facet(axes, points.head(1), curves.head(0))
    figure.canvas.draw()
    assert axes.get_ylim()[1] > points["y"].iloc[0]


def test_threads_latency_and_series_use_the_stated_scales():
    pairs = pd.DataFrame(
        {"name": ["x", "y"], "ram_gib": 4.0, "threads_low": 100.0, "threads_high": 200.0, "low": [10.0, 20.0],
         "high": [5.0, 30.0], "warned": [True, False], "grade_low": "C", "grade_high": ["C", "F"]}
    )  # fmt: skip
    _, axes = style.panel()
    assert threads.paired(axes, pairs).get_xscale() == "log"
    assert [t.get_text() for t in axes.get_yticklabels()] == ["x", "y"]
    assert style.FLAG in {line.get_color() for line in axes.get_lines()}

    frame = pd.DataFrame({"name": "x", "cores": 1.0, "threads": 4.0, "percentile": [50.0, 99.0, 99.9, 100.0],
                          "latency_us": [1e3, 1e4, 1e5, 1e6]})  # fmt: skip
    _, axes = style.panel()
    assert measured.percentiles(axes, frame).get_yscale() == "log"
    assert [t.get_text() for t in axes.get_xticklabels()] == ["50", "99", "99.9"]

    series = pd.DataFrame({"run_id": "r", "name": "x", "cores": 1.0, "threads": 4.0, "elapsed_s": [1.0, 2.0, 3.0],
                           "throughput_ops_s": [5.0, 9.0, 10.0]})  # fmt: skip
    _, axes = style.panel()
    measured.over_time(axes, series, warmup_s=1.0)
    assert axes.get_ylim()[0] == 0
    assert axes.patches[0].get_width() == 1.0
    assert "warm-up" in {text.get_text() for text in axes.texts}


def test_throughput_per_core_of_proportional_growth_is_level(points):
    _, axes = style.panel()
    scaling.facet(axes, points.assign(per_core=points["steady_ops_s"] / points["cores"]), per_core=True)
    (level,) = [line for line in axes.get_lines() if line.get_linestyle() not in ("-", "None")]
    assert len(set(level.get_ydata())) == 1
    assert axes.get_ylabel() == "throughput per core (ops/s)"


def test_a_heat_map_prints_each_change_and_hatches_what_is_in_doubt():
    table = pd.DataFrame({"50:50": [0.73, -0.66], "95:5": [np.nan, 0.02]}, index=["2c4g", "4c8g"])
    doubtful = pd.DataFrame([[True, False], [True, False]], index=table.index, columns=table.columns)
    with style.theme():
        _, axes = style.panel()
        threads.heat_map(axes, table, doubtful)
    assert {text.get_text() for text in axes.texts} - {""} == {"+73 %", "−66 %", "+2.0 %"}
    assert [(p.get_x(), p.get_y()) for p in axes.patches if p.get_hatch()] == [(0, 0), (0, 1)]
    (mesh,) = axes.collections
    colours = [matplotlib.colors.to_hex(colour) for colour in mesh.get_facecolors()]
    assert colours[0] == style.CHANGES[-1] and colours[2] == style.CHANGES[0] and colours[3] == style.CHANGES[3]
    # Each has a partner on a dark page.
    assert set(style.CHANGES) <= set(style.DARK)


def test_rows_of_a_closed_loop_lie_on_the_line_of_their_threads():
    rows = pd.DataFrame(
        {"workload": "a", "spec": ["x", "x"], "cores": 2.0, "ram_gib": 4.0, "outcome": "published",
         "threads": [100.0, 200.0], "y": [1e4, 1.5e4], "latency_us": [100 / 1e4 * 1e6, 200 / 1.5e4 * 1e6], "grade": "C"}
    )  # fmt: skip
    _, axes = style.panel()
    scaling.latency_throughput(axes, rows)
    lines = {line.get_color(): line for line in axes.get_lines() if len(line.get_xdata()) == 2}
    for row in rows.itertuples():
        line = lines[style.thread_colours([100, 200])[row.threads]]
        products = np.asarray(line.get_xdata()) * np.asarray(line.get_ydata())
        assert products == pytest.approx(row.y * row.latency_us)
    (arrow,) = axes.patches
    assert np.asarray(arrow._posA_posB) == pytest.approx(rows[["y", "latency_us"]].to_numpy(float))


def test_drawing_leaves_no_open_figure_and_no_changed_setting(points, curves):
    before, open_before = dict(matplotlib.rcParams), plt.get_fignums()
    with style.theme():
        _, axes = style.panel()
        scaling.facet(axes, points, curves)
    assert plt.get_fignums() == open_before
    assert {k: v for k, v in matplotlib.rcParams.items() if before[k] != v and k != "backend"} == {}


def test_lines_are_compared_by_the_specs_that_are_sound_at_each_thread_count(points):
    """A spec in doubt at one thread count is not in the mean of the other either, where others are in both."""
    rows = [("a", 1, 4, 100.0, "C"), ("a", 1, 16, 110.0, "C"), ("b", 1, 4, 400.0, "C"), ("b", 1, 16, 900.0, "F"),
            ("c", 2, 4, 200.0, "C"), ("c", 2, 16, 800.0, "F")]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["spec", "cores", "threads", "y", "grade"])
    frame = frame.assign(outcome="published", ram_gib=4.0, run_id=frame.index.astype(str), spec_label=frame["spec"])
    _, axes = style.panel()
    scaling.facet(axes, frame)
    lines = [list(zip(*line.get_data(), strict=True)) for line in axes.get_lines() if len(line.get_xdata())]
    assert [(1, pytest.approx(100)), (2, pytest.approx(200))] in lines and [(1, pytest.approx(110))] in lines
