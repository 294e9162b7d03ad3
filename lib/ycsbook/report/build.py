"""A report from what was measured: the finding first, then what supports it, then how it was done."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial

import pandas as pd

from ycsbook.anomalies import grouped, ranked
from ycsbook.facts import Fact
from ycsbook.messages.formats import number
from ycsbook.params.sweep import Sweep
from ycsbook.plots import style
from ycsbook.report import findings, method, questions, results, scaling, sizing, systems
from ycsbook.report.blocks import Block, FieldValue, InShort, Items, Report, Section, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.report.systems import Experiment, insertion
from ycsbook.scaling import Analysis, claims
from ycsbook.tables import Tables

# What the answer rests on: folded away until somebody asks.
DETAILS = frozenset(
    {"threads", "growth", "scaling", "limits", "marginals", "latency", "time", "method", "environment", "provenance"}
)
# What is said of growth with cores.
OF_GROWTH = frozenset({"growth", "scaling", "marginals"})
# What is said of thread counts.
OF_THREADS = frozenset({"threads", "limits"})
# What is only said where there are points.
OF_POINTS = OF_GROWTH | OF_THREADS | {"results", "findings", "rates", "capacity", "latency", "time"}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
Environment = Mapping[str, Mapping[str, str]]


def build(
    sweep: Sweep, tables: Tables, analysis: Analysis, finding_rows: pd.DataFrame, environment: Environment, *,
    rejected: Sequence[tuple[str, str]] = (), source: str = "", history: Tables | None = None,
    beside: Fact | None = None, details: bool = True,
) -> Report:  # fmt: skip
    """Arrange a sweep's tables, fits and findings into a report.

    Parameters
        tables: measured runs, published rows, or both; runs that failed are listed, never plotted.
        analysis, finding_rows: the frames of the scaling analysis and the findings of the same runs.
        environment: groups of named values, such as {"Machine": {"CPU": "..."}, "Commands": {...},
            "Inputs": {path: sha256}}; commands are redacted here once more.
        rejected: what could not be read: a file, with its line where known, and why.
        source: what commands call these tables; by default the params file, or the sweep's own tables.
        history: the runs of earlier occasions.
        beside: what it does against the other data sets of its source, as comparing.beside says it.
        details: with what the answer rests on, most of the pictures and of the time; a sweep under way needs it not.
    Raises
        MessageError: there is no catalogue of the sweep's language.
    """
    of = (lambda: analysis, lambda: finding_rows, lambda: environment)
    parts = _Parts(sweep, tables, *of, rejected=rejected, source=source, earlier=history, beside=beside)
    rows = parts.rows
    return Report(
        title=rows.title,
        slug=sweep.name,
        lang=sweep.report.lang,
        facts=head_facts(rows, finding_rows),
        sections=tuple(
            section for anchor in parts.makers if (details or anchor not in DETAILS) and (section := parts.make(anchor))
        ),
        fields=front_matter(rows),
        in_short=parts.answer,
    )


def part(
    sweep: Sweep, tables: Tables, anchor: str, analysis: Callable[[], Analysis],
    finding_rows: Callable[[], pd.DataFrame], *, environment: Callable[[], Environment] = dict,
    rejected: Sequence[tuple[str, str]] = (),
) -> Section:  # fmt: skip
    """One section of the report, without the others; what it does not need is not asked for. `findings-every`, which no
    report has, is each finding by itself. Raises KeyError where there is none, with those there are."""
    parts = _Parts(sweep, tables, analysis, finding_rows, environment, rejected=rejected)
    section = parts.make(anchor) if anchor in parts.makers else None
    if section is None and anchor == "findings-every":
        section = findings.every(parts.rows, parts.findings())
    elif section is None and anchor in OF_POINTS:
        # Asked for by name, as in a notebook, what a report leaves out says that there is nothing.
        section = Section(parts.rows.text("part-nothing"), anchor)
    elif section is None:
        # A section within another: its anchor mostly starts with the outer one's.
        order = sorted(parts.makers, key=lambda name: not anchor.startswith(name))
        inner = (s for name in order if (outer := parts.make(name)) for s in outer.sections() if s.anchor == anchor)
        section = next(inner, None)
    if section is None:
        raise KeyError(f"no section {anchor!r}; there are {', '.join(parts.makers)}")
    return replace(section, lang=sweep.report.lang)


class _Parts:
    """The sections of a report, each made on request; analysis, findings and environment are computed once."""

    def __init__(
        self, sweep: Sweep, tables: Tables, analysis: Callable[[], Analysis], finding_rows: Callable[[], pd.DataFrame],
        environment: Callable[[], Environment] = dict, *, rejected: Sequence[tuple[str, str]] = (), source: str = "",
        earlier: Tables | None = None, beside: Fact | None = None,
    ):  # fmt: skip
        self.rows, self.rejected, self.source = ReportRows(sweep, tables), rejected, source
        self.earlier, self.beside = earlier, beside
        self.analysis, self.environment = cache(analysis), cache(environment)
        self.findings = cache(lambda: ranked(finding_rows()))

    @cached_property
    def short(self) -> Short:
        return Short(self.rows, self.findings(), self.beside, lambda: claims.peaks(self.analysis().choices))

    @cached_property
    def system(self) -> Experiment | None:
        """The report of the sweep's experiment; None for YCSB's mixes."""
        return systems.of(self.rows)

    @cached_property
    def answer(self) -> InShort:
        if self.system:
            return self.system.answer
        return questions.first(self.rows, self.short.answer)

    def _findings(self) -> Section:
        """The findings, whose commands name the tables as they are called, or the params file of the environment."""
        inputs = self.environment().get("Inputs", {})
        params_file = next((name for name in inputs if name.endswith((".yml", ".yaml"))), "")
        return findings.section(self.rows, self.findings(), self.source or params_file)

    @cached_property
    def makers(self) -> dict[str, Callable[[], Section | None]]:
        """Sections by their anchor in the order they are read; those of measured points only where there are any."""
        rows = self.rows
        of_all: dict[str, Callable[[], Section | None]] = {
            "environment": lambda: method.environment(rows, self.environment()),
            "provenance": lambda: method.provenance(rows, self.environment()),
            "rejected": lambda: method.rejected(rows, self.rejected),
        }
        if self.system:
            # Its own sections and the findings.
            sections = {section.anchor: section for section in self.system.sections() if section}
            return {
                "finding": lambda: Section(rows.text("short"), "finding", answer_blocks(self.answer)),
                **{anchor: partial(sections.get, anchor) for anchor in sections},
                "resources": lambda: systems.resources(rows),
                "findings": self._findings,
                **of_all,
            }
        points: dict[str, Callable[[], Section | None]] = {
            "results": lambda: results.results(rows, self.short.grades),
            "findings": lambda: self._findings() if rows.has_figures or len(self.findings()) else None,
            "rates": lambda: questions.rates(rows),
            "history": lambda: findings.history(rows, self.earlier, self.findings()),
            "capacity": lambda: sizing.capacity(rows, self.analysis(), self.short.grades),
            "threads": lambda: results.threads(rows, self.short),
            "growth": lambda: scaling.growth(rows, self.short),
            "scaling": lambda: scaling.laws(rows, self.analysis()),
            "limits": lambda: sizing.limits(rows, self.analysis(), self.short),
            "marginals": lambda: sizing.marginals(rows, self.analysis(), self.short.doubted, self.short.growth),
            "latency": lambda: results.latency(rows, self.short),
            "time": lambda: results.timeline(rows),
            "insertion-columns": lambda: insertion.logged(rows),
        }
        if rows.points["cores"].nunique() < 2:
            # A single core count says nothing of growth, and nothing is to be complained of.
            points = {anchor: make for anchor, make in points.items() if anchor not in OF_GROWTH}
        if rows.points["threads"].nunique() < 2:
            points = {anchor: make for anchor, make in points.items() if anchor not in OF_THREADS}
        return {
            "finding": lambda: head(rows, self.answer, self.short),
            **({} if rows.points.empty else points),
            "method": lambda: method.method(rows),
            **of_all,
        }

    def make(self, anchor: str) -> Section | None:
        with style.one_meaning(self.rows.points["threads"]):
            section = self.makers[anchor]()
        for figure in section.figures() if section else ():
            style.alike(panel.picture for panel in figure.panels)
        return section and replace(section, folded=section.folded or anchor in DETAILS)


def head_facts(rows: ReportRows, findings: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    text = rows.text
    counted = (("measured", rows.measured), ("published", rows.published), ("left-out", rows.left_out))
    runs = [text(f"opening-{name}", n=len(frame)) for name, frame in counted if len(frame)]
    ways = rows.cores_ways(rows.lang)
    return (
        (text("opening-server"), rows.server),
        *(((text("opening-cores"), rows.joined("commas", ways)),) if ways else ()),
        *(((text("opening-date"), rows.dated),) if rows.dated else ()),
        (text("opening-specs"), number(rows.points["name"].nunique())),
        (text("opening-runs"), rows.joined("commas", runs) or "0"),
        # Where nothing could be judged, none says nothing.
        *(((text("opening-findings"), number(n)),) if (n := len(grouped(findings))) or rows.has_figures else ()),
    )


def front_matter(rows: ReportRows) -> tuple[tuple[str, FieldValue], ...]:
    """Description, slug, language and, where it is known to the day, the date; then those of the params file, which
    also win over the date. A date that is no day is left out: Hugo refuses the page."""
    sweep = rows.sweep
    fields: dict[str, FieldValue] = {
        "description": rows.text("report-description", server=rows.server, date=rows.date),
        "slug": sweep.name,
        "lang": sweep.report.lang,
    }
    if days := _DAY.findall(rows.date):
        fields["date"] = days[-1]
    return tuple({**fields, **sweep.report.front_matter}.items())


def in_short(sweep: Sweep, tables: Tables, findings: pd.DataFrame) -> InShort:
    """What the report of these tables says first, without making it. Parameters as `build`."""
    return _Parts(sweep, tables, Analysis, lambda: findings).answer


def answer_blocks(answer: InShort) -> tuple[Block, ...]:
    lead = tuple(Text(point, "lead") for point in answer.said)
    return (*lead, Items(answer.lines)) if answer.lines else lead


def head(rows: ReportRows, answer: InShort, short: Short) -> Section:
    """What a reader sees on the first screen: in short, then throughput over cores, and what more threads do;
    this first where it costs throughput."""
    text = rows.text
    if rows.points.empty:
        return Section(text("short"), "finding", answer_blocks(replace(answer, lines=())))
    # What decides, then what is to be seen, then the sentences that name each spec.
    lead, lines = answer_blocks(replace(answer, lines=())), answer_blocks(replace(answer, verdict="", points=()))
    figures = (scaling.figure(rows, short), results.threads_figure(rows, short))
    has_losses = (short.changes["warned"] & (short.changes["grade"] != "F")).any()
    figures = filter(None, reversed(figures) if has_losses else figures)
    blocks = [*lead, Text(rows.terms, "note"), *figures, *lines]
    if rows.drawn_lang != rows.lang or not all(map(style.shows, rows.points["name"])):
        blocks.append(Text(text("opening-no-font"), "note"))
    return Section(text("short"), "finding", tuple(blocks))
