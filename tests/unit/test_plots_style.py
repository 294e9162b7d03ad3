import matplotlib.colors
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.plots import style


def luminance(colour: str) -> float:
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in matplotlib.colors.to_rgb(colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", [c for c in style.DARK if c not in (style.GRID, style.PAPER, *style.CHANGES)])
def test_every_colour_is_seen_on_light_and_on_dark(colour):
    assert contrast(colour, style.PAPER) >= 3
    assert contrast(style.DARK[colour], style.DARK[style.PAPER]) >= 3


@pytest.mark.parametrize("step", style.CHANGES)
def test_numbers_read_well_on_every_step_of_a_heat_map(step):
    assert contrast(style.INK, step) >= 4.5
    assert contrast(style.DARK[style.INK], style.DARK[step]) >= 4.5


def test_text_reads_well_on_light_and_on_dark():
    for colour in (style.INK, style.MUTED, style.FLAG):
        assert contrast(colour, style.PAPER) >= 4.5
        assert contrast(style.DARK[colour], style.DARK[style.PAPER]) >= 4.5


def test_thread_counts_have_one_colour_in_all_pictures_of_a_report_and_are_ordered():
    assert style.thread_colours([100, 200]) == style.thread_colours([200, 100.0, 100])
    ladder = [8, 16, 32, 64, 128, 256]
    with style.one_meaning([*ladder, float("nan")]):
        colours = style.thread_colours(ladder)
        assert style.thread_colours([8]) == {8: colours[8]} and style.thread_colours([256, 8])[256] == colours[256]
    assert style.thread_colours([8]) != {8: colours[8]}
    # Ever darker on light, ever lighter on dark.
    assert len(set(colours.values())) == 6
    light = [luminance(colours[n]) for n in ladder]
    assert light == sorted(light, reverse=True)
    dark = [luminance(style.DARK[step]) for step in style.THREADS]
    assert dark == sorted(dark)


def test_pictures_side_by_side_are_as_high_and_their_titles_of_one_size():
    (low, first), (high, second) = style.panel(height=2.0), style.panel(height=3.0)
    style.title(first, "short")
    style.title(second, "a title that is much too long for so small a picture, and goes on and on and on")
    style.legend(high, style.thread_handles([1, 2, 4, 8, 16]))
    style.alike([low, high])
    assert low.get_size_inches().tolist() == high.get_size_inches().tolist() == [4.9, 3.0]
    assert low.legend_height == high.legend_height > 0
    sizes = []
    for picture in (low, high):
        picture.draw_without_rendering()
        sizes.append(picture.heading.get_fontsize())
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-6) and sizes[0] < 10.5


def test_core_ticks_are_the_measured_counts_thinned():
    _, axes = style.panel()
    style.core_ticks(axes, [2, 4, 6, 12, 24, 24, 26, 48])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "4", "6", "12", "24", "48"]
    assert axes.get_xscale() == "log"


def test_a_dollar_or_backslash_in_a_name_is_drawn_not_parsed():
    with style.theme():
        figure, axes = style.panel()
        style.title(axes, r"a $\frac{ \x $")
        figure.canvas.draw()
    assert axes.get_title(loc="left") == r"a \$\\frac{ \\x \$"


@given(st.floats(1, 1e6), st.floats(1, 1e3))
def test_an_axis_of_any_length_has_two_ticks_at_least_which_read_differently(low, times):
    _, axes = style.panel()
    style.ops_log(axes, "y", np.array([low, low * times]))
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert 2 <= len(set(labels)) == len(labels) <= 16
