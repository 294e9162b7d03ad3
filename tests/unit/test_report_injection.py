"""Hostile names, labels and sentences stay text, in HTML and in Markdown."""

from html.parser import HTMLParser

import pytest
import report_samples as samples
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ycsbook import scaling
from ycsbook.facts import fact, in_columns
from ycsbook.report import build, html, markdown
from ycsbook.report.blocks import Column, Findings, Flag, Items, Section, Table, Text

# A promise in all its variations.
pytestmark = pytest.mark.matrix

PAYLOADS = [
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "[x](javascript:alert(1))", "a|b|c", "`a` ``b``",
    "line\n# heading\n- item", "![x](https://example.org/x.png)", "<https://example.org>", "https://example.org",
    "www.example.org", "{{< include x >}}", "{eval}`x`", "$$x$$", "&lt;b&gt; &#60;", "'); -- ", "**bold** _i_ ~~s~~",
    "\x00\x1b[31m\u202e", "1. one", "+ plus", "---", "<!-- x -->", "]]>", "\\", "\\|", "| --- |",
]  # fmt: skip
# GitHub's dialect as far as this parser has it: tables, strike-through.
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
INERT = set(
    ["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "li", "strong", "em", "table", "thead", "tbody", "tr", "th", "td"]
)


class Tags(HTMLParser):
    """Tags and attributes of a page, its text apart."""

    def __init__(self, page: str):
        super().__init__()
        self.tags, self.attributes, self.text, self.links = set(), set(), "", set()
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.add(tag)
        self.scripts += tag == "script"
        self.links |= {dict(attrs)["href"]} if tag == "a" else set()
        self.attributes |= {name for name, _ in attrs}
        values = [value or "" for name, value in attrs if name in ("href", "src", "srcset", "action")]
        assert not any(value.strip().lower().startswith(("javascript:", "http", "//")) for value in values)

    def handle_data(self, data: str) -> None:
        self.text += data


def hostile(text: str) -> Section:
    frame = samples.pd.DataFrame([{"a": text, "b": text}])
    columns = (Column("a", text), Column("b", text, align="right"))
    finding = Flag("error", text, text, text, text, text)
    blocks = (Text(text), Items(((text, text),)), Table(frame, columns, caption=text), Findings((finding,)))
    return Section(text, "anchor", blocks)


def html_of_markdown(text: str) -> Tags:
    return Tags(PARSER.render(markdown.fragment(hostile(text))))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_markdown_stays_inert_and_keeps_its_shape(payload):
    rendered = PARSER.render(markdown.fragment(hostile(payload)))
    tags = Tags(rendered)
    assert tags.tags <= INERT
    assert tags.attributes <= {"style"}
    assert rendered.count("<td") == 2
    assert rendered.count("<th") - rendered.count("<thead") == 2


@given(st.text(alphabet=st.sampled_from("ab|`*_[]()<>!#-+=:{}~^$&;\\\"'\n 1.@/"), max_size=40))
def test_any_markdown_text_is_shown_as_it_is(text):
    rendered = Tags(PARSER.render(markdown.escape(text)))
    assert rendered.tags <= {"p"}
    assert rendered.text.split() == text.split()


@given(st.text(max_size=60))
def test_any_text_keeps_a_table_to_its_cells(text):
    table = Table(samples.pd.DataFrame([{"a": text, "b": "end"}]), (Column("a", "A"), Column("b", "B")))
    rendered = PARSER.render(markdown.fragment(table))
    assert rendered.count("<td") == 2
    assert "end</td>" in rendered


@given(st.text(max_size=60) | st.sampled_from(PAYLOADS))
def test_html_has_only_the_tags_of_the_template(text):
    # Too wide for a phone, which takes an attribute.
    plain, attacked = Tags(html.fragment(hostile("plain " * 12))), Tags(html.fragment(hostile(text)))
    assert attacked.tags <= plain.tags
    assert attacked.attributes <= plain.attributes


@given(st.text(alphabet=st.sampled_from("`~ab{\n<%"), max_size=60))
def test_code_cannot_leave_its_fence(text):
    tokens = PARSER.parse(markdown.fragment(Text(text, "code")))
    assert [token.type for token in tokens] == ["fence"]


@pytest.mark.parametrize("payload", ["<script>alert(1)</script>|`x`[y](javascript:z)\n# h $a$", '" onload="x'])
def test_a_whole_report_of_hostile_names_is_inert(payload):
    sweep = samples.vendor_sweep(samples.EIGHTEEN[:5])
    tables = samples.vendor_tables(sweep)
    findings = samples.findings(tables.runs).assign(rule=payload)
    words = fact("stall-published", server=payload, words=payload, minutes=payload, line=payload)
    findings = findings.assign(**in_columns("message", words), **in_columns("advice", words))
    for column in ("spec_label", "workload", "server_version", "warnings", "source", "vendor"):
        tables.runs[column] = payload + tables.runs[column]
    sweep = sweep.model_copy(update={"title": payload})
    environment = {payload: {payload: payload}, "Commands": {payload: payload}}
    report = build(sweep, tables, scaling.analyse(tables.runs), findings, environment)
    page = Tags(html.page(report))
    # The project's own, whose hash stands in the page's policy.
    assert page.scripts == 1
    assert all(link.startswith(("#", "data:text/csv;", "data/")) for link in page.links)
    assert not any(name.startswith("on") for name in page.attributes)
    body = markdown.page(report).split("---\n", 2)[2]
    tags = Tags(PARSER.render(body))
    assert tags.tags <= INERT | {"img", "pre", "code", "a"}
    assert all(link.startswith("data/") or link == markdown.HTML for link in tags.links)
    assert not any(name.startswith("on") for name in tags.attributes)
