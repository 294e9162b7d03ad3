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


def test_usual_thread_counts_keep_their_colour():
    assert style.thread_colours([100, 200]) == style.thread_colours([200, 100.0, 100])
    assert style.thread_colours([100])[100] == style.thread_colours([100, 200])[100]
    assert style.thread_colours([4, 16])[16] == style.thread_colours([16])[16]


def test_thread_counts_that_share_a_usual_colour_are_told_apart():
    assert len(set(style.thread_colours([4, 100, 256]).values())) == 3
    assert len(set(style.thread_colours([3, 7, 11, 13]).values())) == 4


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
