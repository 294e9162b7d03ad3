"""How pictures arrange themselves: nothing is cut, whatever the language, and no letter is a box."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from report_samples import local_tables

from ycsbook.plots import measured, scaling, style, threads
from ycsbook.plots.picture import Picture, is_cjk, width_of
from ycsbook.report import pictures

TITLES = {
    "en": "Workload a, 50 % reads\n18 of 18 specs lose throughput, at worst −66 %",
    "zh": "负载 a，读占 50 %\n18 个规格中有 18 个吞吐量下降，最多 −66 %",
}


@pytest.fixture(autouse=True)
def _font():
    assert style.cjk_font(), "install a font with Chinese letters: ycsbook doctor prints how"


def test_a_font_that_was_installed_after_matplotlib_made_its_list_is_used(monkeypatch):
    listed = font_manager.fontManager.ttflist
    chinese = {entry.fname for entry in listed if entry.name in style.CJK_FONTS}
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [e for e in listed if e.fname not in chinese])
    style.cjk_font.cache_clear()
    assert style.cjk_font() in style.CJK_FONTS


def of_scaling(lang, title, spec):
    runs = local_tables().runs
    points = runs[(runs["outcome"] == "completed") & (runs["workload"] == "a")].assign(
        y=runs["steady_ops_s"], spec_label=spec
    )
    cores = np.geomspace(0.25, 2, 20)
    curves = pd.DataFrame(
        {"group": "a", "threads": 16.0, "outcome": "completed", "cores": cores, "fitted": 1e4 * cores,
         "conf_low": 9e3 * cores, "conf_high": 1.1e4 * cores, "extrapolated": cores > 1}
    )  # fmt: skip
    figure, axes = style.panel()
    scaling.facet(axes, points, curves, title=title, lang=lang, law="linear / power law",
                  flagged={points["run_id"].iloc[0]: 0, points["run_id"].iloc[-1]: 1})  # fmt: skip
    return figure


def of_threads(lang, title, spec):
    pairs = pd.DataFrame(
        {"name": [f"{spec} {i}" for i in range(18)], "ram_gib": 4.0, "threads_low": 100.0, "threads_high": 200.0,
         "low": np.linspace(1, 18, 18) * 1e4, "high": np.linspace(1.2, 17, 18) * 1e4, "warned": True,
         "grade_low": "C", "grade_high": "C"}
    )  # fmt: skip
    figure, axes = style.panel(height=6)
    threads.paired(axes, pairs, title=title, lang=lang)
    return figure


def of_latency(lang, title, spec):
    frame = pd.DataFrame(
        {"name": spec, "cores": 1.0, "threads": np.repeat([4.0, 16.0], 3), "percentile": [50.0, 99.0, 99.9] * 2,
         "latency_us": [1e3, 1e4, 1e5, 2e3, 3e4, 4e5]}
    )  # fmt: skip
    figure, axes = style.panel()
    measured.percentiles(axes, frame, title=title, lang=lang)
    return figure


def of_series(lang, title, spec):
    frame = pd.DataFrame(
        {"run_id": "r", "name": spec, "cores": 1.0, "threads": 4.0, "elapsed_s": np.arange(1.0, 1300.0),
         "throughput_ops_s": 123456.0}
    )  # fmt: skip
    figure, axes = style.panel(height=3.3)
    measured.over_time(axes, frame, warmup_s=300, stalls=[(700.0, 900.0)], title=title, lang=lang)
    return figure


def of_residuals(lang, title, spec):
    frame = pd.DataFrame(
        {"cores": [2.0, 4.0, 8.0] * 2, "ram_gib": 4.0, "threads": np.repeat([100.0, 200.0], 3), "spec": "2c4g",
         "spec_label": spec, "residual": [0.1, -0.05, -0.8, 0.2, 0.3, 0.7]}
    )  # fmt: skip
    figure, axes = style.panel(height=3.3)
    scaling.residuals(axes, frame, title=title, lang=lang)
    return figure


def of_changes(lang, title, spec):
    table = pd.DataFrame({"50:50": [0.73, -0.66, np.nan], "95:5": [2.69, 0.02, -0.3]}, index=[spec, spec, spec])
    doubtful = pd.DataFrame([[True, False], [False, True], [False, False]])
    figure, axes = style.panel(height=3)
    threads.heat_map(axes, table, doubtful, title=title, lang=lang)
    return figure


def rows(spec):
    return pd.DataFrame(
        {"workload": "a", "spec": [spec, spec, "x"], "cores": [2.0, 2.0, 48.0], "ram_gib": [4.0, 4.0, 512.0],
         "outcome": "published", "threads": [100.0, 200.0, 100.0], "y": [3188.0, 5510.0, 174284.0],
         "latency_us": [31e3, 36e3, 570.0], "utilisation": [0.99, 1.22, 0.6], "cpu_us": [600.0, 360.0, 90.0],
         "grade": ["C", "F", "C"]}
    )  # fmt: skip


def of_closed_loop(lang, title, spec):
    figure, axes = style.panel()
    scaling.latency_throughput(axes, rows(spec), title=title, lang=lang)
    return figure


def of_utilisation(lang, title, spec):
    figure, axes = style.panel()
    scaling.utilisation(axes, rows(spec), title=title, lang=lang)
    return figure


def of_cpu(lang, title, spec):
    figure, axes = style.panel()
    scaling.cpu_per_operation(axes, rows(spec), title=title, lang=lang)
    return figure


KINDS = (
    of_scaling, of_threads, of_latency, of_series, of_residuals, of_changes, of_closed_loop, of_utilisation, of_cpu,
)  # fmt: skip


def texts(figure: Figure) -> list[Text]:
    return [t for t in figure.findobj(Text) if t.get_text() and t.get_visible()]


def drawn_ticks(axis: Axis) -> list[Text]:
    low, high = sorted(axis.get_view_interval())
    ticks = [(tick.get_loc(), tick.label1) for tick in axis.get_major_ticks()]
    return [label for place, label in ticks if low <= place <= high and label.get_text()]


def others(figure: Figure, axes: Axes) -> list[Text]:
    ticks = {id(t) for axis in (axes.xaxis, axes.yaxis) for t in axis.findobj(Text)}
    labels = {id(axes.xaxis.label), id(axes.yaxis.label)}
    return [t for t in texts(figure) if id(t) not in ticks - labels]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_text_lies_within_the_picture_and_apart_from_the_legend(kind, lang):
    spec = {"en": "mongo.x2.large.5", "zh": "16核128GB 独享型"}[lang]
    with style.theme():
        figure = kind(lang, TITLES[lang], spec)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        renderer = canvas.get_renderer()
        width, height = canvas.get_width_height()
        axes = figure.axes[0]
        for text in (*drawn_ticks(axes.xaxis), *drawn_ticks(axes.yaxis), *others(figure, axes)):
            box = text.get_window_extent(renderer)
            assert box.x0 >= -1 and box.x1 <= width + 1, text.get_text()
            assert box.y0 >= -1 and box.y1 <= height + 1, text.get_text()
        label = axes.xaxis.label.get_window_extent(renderer)
        for legend in figure.legends:
            assert legend.get_window_extent(renderer).y1 <= label.y0 + 1


@pytest.mark.parametrize("kind", KINDS)
def test_every_letter_is_drawn_in_chinese_and_every_word_is_known(kind):
    with style.theme():
        figure = kind("zh", TITLES["zh"], "16核")
        # A letter that no font has would be a warning, which is an error in tests.
        assert pictures.svg(figure).startswith("<svg")
        own = {figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()}
        own |= {t.get_text() for legend in figure.legends for t in legend.get_texts()}
        assert {t for t in own if not is_cjk(t) and not t.endswith(("GiB", "GB"))} <= {"", "linear / power law"}


def test_a_picture_without_chinese_letters_keeps_to_one_font():
    with style.theme():
        figure = of_scaling("en", TITLES["en"], "16核")
        pictures.svg(figure)
        families = {t.get_text(): t.get_fontfamily() for t in texts(figure)}
    assert families["throughput (ops/s)"] == [style.LATIN_FONT]
    assert [f for t, f in families.items() if is_cjk(t)] == [[style.LATIN_FONT, style.cjk_font()]]


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_chinese_font_pictures_are_english_and_the_reader_is_told(kind, monkeypatch):
    monkeypatch.setattr(style, "cjk_font", lambda: "")
    with style.theme():
        figure = kind(style.drawn_language("zh"), TITLES["zh"], style.spec_name("16核", "16c"))
        assert not any(is_cjk(t.get_text()) for t in texts(figure))
        assert pictures.svg(figure).startswith("<svg")
    assert style.shows("2c4g") and not style.shows("2核4G")


def test_a_picture_is_drawn_once_and_the_same_each_time():
    with style.theme():
        drawn = [pictures.svg(of_scaling("zh", TITLES["zh"], "16核")) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert isinstance(style.panel()[0], Picture) and style.panel()[0].get_layout_engine() is None


def test_widths_are_rather_too_wide_than_too_narrow():
    with style.theme():
        figure, _ = style.panel()
        renderer = FigureCanvasAgg(figure).get_renderer()
        for text in ("100k", "16 cores", "mongo.x2.large", "16核128GB", "throughput (ops/s)", "WWW", "1,234.5"):
            drawn = figure.text(0, 0, text, fontsize=9, fontfamily=[style.LATIN_FONT, style.cjk_font()])
            real = drawn.get_window_extent(renderer).width * 72 / figure.dpi
            assert real <= width_of(text, 9) * 1.03 <= real * 1.7 + 6, text


def test_residuals_stand_around_the_law_in_percent_and_the_farthest_is_named():
    with style.theme():
        axes = of_residuals("en", "t", "big").axes[0]
    low, high = axes.get_ylim()
    assert low == -high and high > 100 * np.expm1(0.7)
    (name,) = axes.texts
    assert name.get_text() == "big" and name.xy[1] == pytest.approx(100 * np.expm1(-0.8))
    dots = [line for line in axes.get_lines() if line.get_linestyle() == "None"]
    assert sum(len(line.get_xdata()) for line in dots) == 6
    assert {round(y) for line in dots for y in line.get_ydata()} >= {round(100 * np.expm1(-0.8))}


def test_stalls_are_marked_and_named_once():
    with style.theme():
        _, axes = style.panel()
        frame = pd.DataFrame({"run_id": "r", "name": "x", "cores": 1.0, "threads": 4.0, "elapsed_s": [1.0, 2.0, 9.0],
                              "throughput_ops_s": [5.0, 0.0, 10.0]})  # fmt: skip
        measured.over_time(axes, frame, stalls=[(6.0, 8.0), (1.0, 3.0)])
    assert sorted((p.get_x(), p.get_width()) for p in axes.patches) == [(1.0, 2.0), (6.0, 2.0)]
    assert [t.get_text() for t in axes.texts].count("stalled") == 1


def test_of_very_many_runs_the_median_and_the_range_are_drawn():
    seconds = np.arange(1.0, 11.0)
    frame = pd.concat(
        pd.DataFrame({"run_id": f"r{i}", "name": "x", "cores": 1.0, "threads": 4.0, "elapsed_s": seconds,
                      "throughput_ops_s": 100.0 + i}) for i in range(measured.MAX_LINES + 1)
    )  # fmt: skip
    with style.theme():
        _, axes = style.panel()
        measured.over_time(axes, frame)
    assert [list(line.get_ydata()) for line in axes.get_lines()] == [[120.0] * 10]
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (100.0, 140.0)


def test_percentiles_have_whole_ticks_in_milliseconds():
    frame = pd.DataFrame({"name": "x", "cores": 1.0, "threads": np.nan, "percentile": [95.0, 99.0],
                          "latency_us": [2459.0, 5783.0]})  # fmt: skip
    with style.theme():
        _, axes = style.panel()
        measured.percentiles(axes, frame)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["2", "5"]
    assert not axes.yaxis.get_minorticklocs().size and len(axes.get_lines()) == 1


def test_each_run_over_time_is_named_where_it_ends():
    frame = pd.DataFrame({"run_id": list("aabbcc"), "name": list("aabbcc"), "cores": 1.0, "threads": 4.0,
                          "elapsed_s": [1.0, 9.0, 1.0, 5.0, 1.0, 9.0],
                          "throughput_ops_s": [5.0, 100.0, 5.0, 50.0, 5.0, 101.0]})  # fmt: skip
    with style.theme():
        _, axes = style.panel()
        measured.over_time(axes, frame)
    places = {name.get_text(): name.xy for name in axes.texts}
    assert places["b"] == (5.0, 50.0) and places["a"] == (9.0, 100.0) and places["c"][1] > 105


def test_a_drawn_picture_keeps_its_resolution():
    figure, _ = style.panel()
    before = figure.dpi
    assert pictures.svg(figure).startswith("<svg") and figure.dpi == before != 72


def test_preparing_draws_and_leaves_nothing_behind():
    with style.theme():
        before = pictures.svg(of_threads("en", "Losses", "2c4g"))
        pictures.prepare()
        assert pictures.svg(of_threads("en", "Losses", "2c4g")) == before
