"""One section of a report, made alone."""

from dataclasses import replace

import pytest
import report_samples as samples

from ycsbook import anomalies, messages, scaling
from ycsbook.report import build, html
from ycsbook.report.build import part


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


@pytest.fixture(scope="module")
def whole(made):
    return build(samples.local_sweep(), *made, {})


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


@pytest.mark.matrix
@pytest.mark.parametrize("anchor", [*ALL, "residuals", "results-2", "settings"])
def test_a_part_is_what_the_whole_report_has(made, whole, anchor):
    tables, analysis, found = made
    alone = part(samples.local_sweep(), tables, anchor, lambda: analysis, lambda: found)
    assert html.fragment(alone) == html.fragment(whole.section(anchor))


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
    ("anchor", "names"),
    [
        ("finding", ["scaling", "threads"]),
        ("threads", ["heat"]),
        ("growth", ["per-core"]),
        ("scaling", ["residuals"]),
        ("limits", ["utilisation"]),
        ("latency", ["loop", "latency"]),
        ("time", ["timeline"]),
    ],
)
def test_the_figures_of_a_part(made, anchor, names):
    tables, analysis, found = made
    if anchor in ("limits", "latency"):
        # The threads' time follows from counts, means and how long the run took, which the other tests do without.
        tables = replace(tables, runs=tables.runs.assign(runtime_ms=7000.0))
    section = part(samples.local_sweep(), tables, anchor, lambda: analysis, lambda: found)
    figures = section.figures()
    assert all(each.panels[0].name.startswith(name) for each, name in zip(figures, names, strict=False))
    assert len(figures) >= len(names) and not any(each.frame.empty for each in figures)


def test_what_is_not_there_is_named(made):
    tables, analysis, found = made
    with pytest.raises(KeyError, match=r"'costs'.*scaling"):
        part(samples.local_sweep(), tables, "costs", lambda: analysis, lambda: found)


def test_a_part_speaks_the_reports_language(made):
    tables, analysis, found = made
    section = part(samples.local_sweep(report={"lang": "zh"}), tables, "findings", lambda: analysis, lambda: found)
    assert section.lang == "zh"
    assert messages.text("report-what-to-do", "zh") in html.fragment(section)
