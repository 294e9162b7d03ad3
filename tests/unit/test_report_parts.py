"""One section or one figure of a report, made alone."""

from dataclasses import replace

import pytest
import report_samples as samples

from ycsbook import anomalies, messages, scaling
from ycsbook.report import build, html
from ycsbook.report.build import figure, part


class Given:
    """A result that counts how often it was asked for."""

    def __init__(self, value: object):
        self.value, self.asked = value, 0

    def __call__(self) -> object:
        self.asked += 1
        return self.value


@pytest.fixture(scope="module")
def made():
    tables = samples.local_tables()
    return tables, scaling.analyse(tables.runs, tables.operations), anomalies.find(tables)


ALL = (
    "finding",
    "results",
    "growth",
    "scaling",
    "limits",
    "threads",
    "findings",
    "latency",
    "time",
    "method",
    "rejected",
)


@pytest.mark.parametrize("anchor", [*ALL, "findings", "residuals", "results-2", "settings"])
def test_a_part_is_what_the_whole_report_has(made, anchor):
    tables, analysis, found = made
    whole = build(samples.local_sweep(), tables, analysis, found, {}).section(anchor)
    alone = part(samples.local_sweep(), tables, anchor, lambda: analysis, lambda: found)
    assert html.fragment(alone) == html.fragment(whole)


@pytest.mark.parametrize(
    ("anchor", "fits", "findings"),
    [
        ("results", 0, 1),
        ("growth", 0, 1),
        ("time", 0, 0),
        ("latency", 0, 1),
        ("threads", 0, 1),
        ("scaling", 1, 0),
        ("finding", 0, 1),
    ],
)
def test_a_part_asks_only_for_what_it_needs(made, anchor, fits, findings):
    tables, analysis, found = (made[0], Given(made[1]), Given(made[2]))
    part(samples.local_sweep(), tables, anchor, analysis, found)
    assert (analysis.asked, found.asked) == (fits, findings)


@pytest.mark.parametrize(
    "name", ["scaling", "threads", "heat", "per-core", "residuals", "utilisation", "loop", "latency", "timeline"]
)
def test_a_figure_alone(made, name):
    tables, analysis, found = made
    if name in ("utilisation", "loop"):
        # The threads' time follows from counts, means and how long the run took, which the other tests do without.
        tables = replace(tables, runs=tables.runs.assign(runtime_ms=7000.0))
    alone = figure(samples.local_sweep(), tables, name, lambda: analysis, lambda: found)
    assert alone.panels[0].name.startswith(name)
    assert not alone.frame.empty


def test_what_is_not_there_is_named(made):
    tables, analysis, found = made
    for ask in (part, figure):
        with pytest.raises(KeyError, match=r"'costs'.*scaling"):
            ask(samples.local_sweep(), tables, "costs", lambda: analysis, lambda: found)


def test_a_part_speaks_the_reports_language(made):
    tables, analysis, found = made
    section = part(samples.local_sweep(report={"lang": "zh"}), tables, "findings", lambda: analysis, lambda: found)
    assert section.lang == "zh"
    assert messages.text("report-what-to-do", "zh") in html.fragment(section)
