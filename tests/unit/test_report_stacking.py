"""Which tables stand row by row on a phone, and what the style sheet is told of them."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.report import html
from ycsbook.report.blocks import Column, Table

CSS = (paths.REPOSITORY / "lib" / "ycsbook" / "report" / "templates" / "blocks.css").read_text(encoding="utf-8")


def table(*headings: str, cells: str = "1,234", align: str = "right", rows: int = 2) -> Table:
    keys = [str(i) for i in range(len(headings))]
    frame = pd.DataFrame([dict.fromkeys(keys, cells)] * rows, columns=keys)
    return Table(frame, tuple(Column(key, name, align=align) for key, name in zip(keys, headings, strict=True)))


@pytest.mark.parametrize(
    ("shown", "stacked"),
    [
        (table("Name", "Value", align="left"), False),
        (table("Spec", "100", "200", "Change"), False),
        (table("Spec", "Threads", "QPS (ops/s)", "RAL (us)", "WAL (us)"), True),
        (table("a", "b", "c", cells="12,345 to 67,890"), True),
        # Texts break, but not into a column of single words.
        (table("a", "b", cells="word " * 10, align="left"), False),
        (table("a", "b", "c", cells="word " * 20, align="left"), True),
        # A Chinese letter is as wide as two.
        (table("a", "b", "c", cells="受限于服务", align="right"), False),
        (table("a", "b", "c", cells="受限于服务器的", align="right"), True),
        (table("a", "b", rows=0), False),
    ],
)
def test_a_table_is_stacked_where_a_phone_is_too_narrow_for_it(shown, stacked):
    assert html.stacked(shown) == stacked
    assert ('class="stacks"' in html.fragment(shown)) == stacked


def test_the_style_sheet_has_a_place_for_each_column_of_a_stacked_table():
    places = {int(n) for n in re.findall(r":nth-child\((\d+)\) \{ --_label: var\(--c\1\)", CSS)}
    assert places == set(range(1, html.MOST_COLUMNS + 1))
    names = [f"column {i}" for i in range(html.MOST_COLUMNS + 1)]
    assert html.stacked(table(*names[:-1]))
    # One more could not be named: it is scrolled instead.
    assert not html.stacked(table(*names))


def test_wide_figures_stand_two_abreast_and_so_do_short_texts_beside_them():
    assert html.stacking_properties(table("a", "b")).startswith("--room:5ch;--span:2;")
    assert html.stacking_properties(table("a", "b", cells="5,280 to 8,790")).startswith("--room:14ch;--span:1;")


class Styles(HTMLParser):
    """The style attributes of tables."""

    def __init__(self, page: str):
        super().__init__()
        self.styles, self.names = [], set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag == "table":
            self.names |= {name for name, _ in attrs}
            self.styles.append(dict(attrs).get("style", ""))


STRING = re.compile(r'"((?:[^"\\\n\r\f]|\\[0-9a-f]{1,6} )*)"')


def test_the_widest_cell_counts_not_the_one_of_most_letters():
    keys = ("a", "b", "c")
    frame = pd.DataFrame([dict.fromkeys(keys, "受限于服务器的"), dict.fromkeys(keys, "16c 64g x2")])
    shown = Table(frame, tuple(Column(key, key, align="right") for key in keys))
    assert html.stacked(shown)
    assert html.stacking_properties(shown).startswith("--room:14ch;")


@given(st.text(max_size=30))
def test_a_heading_cannot_leave_its_string(heading):
    names = [heading, *"bcdefgh"]
    parsed = Styles(html.fragment(table(*names)))
    assert parsed.names == {"role", "class", "style"}
    [style] = parsed.styles
    strings = STRING.findall(style)
    assert STRING.sub("", style) == "--room:5ch;--span:2;" + ";".join(f"--c{i}:" for i in range(1, 9))
    shown = re.sub(r"\\([0-9a-f]{1,6}) ", lambda found: chr(int(found[1], 16)), strings[0])
    assert shown == heading and strings[1:] == names[1:]
