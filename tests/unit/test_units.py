"""Durations and numbers as people write and read them."""

import doctest

import pytest

from ycsbook import units


def test_examples_in_the_docstrings_hold():
    assert doctest.testmod(units).failed == 0


@pytest.mark.parametrize(
    ("text", "seconds"), [("5", 5), (5, 5), ("5s", 5), ("20min", 1200), ("1.5 h", 5400), ("50ms", 0.05)]
)
def test_seconds(text, seconds):
    assert units.seconds(text) == seconds


@pytest.mark.parametrize("text", ["1:30", "", "five", "-3s", "5 parsecs", True])
def test_no_duration(text):
    with pytest.raises(ValueError, match="expected a duration"):
        units.seconds(text)
