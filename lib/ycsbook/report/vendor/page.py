"""A vendor's page: a template filled with plain data, handed out only if it reads back as the same figures; and in what
it differs from what the vendor printed, which is said outside the page."""

import html
import json
import re
from collections.abc import Mapping
from functools import partial
from math import isclose, isnan, nan

import jinja2
import pandas as pd
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ycsbook import confined, names, trust
from ycsbook.errors import PublishError, RunLogError, YcsbookError, shown
from ycsbook.facts import fact
from ycsbook.ingest.log.labels import shape
from ycsbook.ingest.published.page import parse_page
from ycsbook.messages.formats import DASH
from ycsbook.params.sweep import Sweep
from ycsbook.report import markdown
from ycsbook.report.rows import ReportRows
from ycsbook.report.vendor import data, profiles
from ycsbook.report.vendor.data import Measurement, measurements
from ycsbook.tables import Tables

# Letters, numbers and what commands are made of: nothing that a renderer could take for more than code.
_CODE = re.compile(r"(`[\w .=?:/+-]+`)")
# CPU time for a template, which may be anybody's.
_FILL_S = 20.0
_FIGURES = {"qps": "throughput_ops_s", "ral": "ral_us", "wal": "wal_us"}


def page(
    sweep: Sweep,
    tables: Tables,
    profile: str,
    environment: Mapping[str, Mapping[str, str]] | None = None,
    *,
    documents: Mapping[str, dict] | None = None,
    findings: pd.DataFrame | None = None,
) -> str:
    """The page that a profile makes of a sweep's figures, in Markdown.

    Throughput, latency and CPU are the means of a point's repeats. The rows are read back from the page and compared
    with those it was made from before anybody sees it.

    Parameters
        sweep: names, settings and source.
        tables: measured runs where there are any, else published rows.
        profile: a profile's name, or the path of a template.
        environment: groups of named values, as in a report.
        documents: by dataset what its publisher says (ycsbook.documents); commands of published rows say no more.
        findings: a row that an error names is marked, and the error stands below the tables.
    Raises
        PublishError: no such profile, a mistake in its template, figures that no such page can hold, or a page that
            does not read back: names the row.
    """
    rows = ReportRows(sweep, tables)
    measured = measurements(rows)
    template = profiles.find(profile)
    values = data.of(rows, measured, environment or {}, documents, findings)
    fill = partial(_filled, template, values, data.in_chinese(rows, environment or {}))
    try:
        text = confined.answer(fill, _FILL_S).strip("\n") + "\n"
    except PublishError:
        raise
    except YcsbookError as e:
        raise PublishError(f"{template.where}: cannot be filled in: it {e}") from None
    _read_back(text, measured, template.name)
    return text


def _filled(template: profiles.Profile, values: dict, chinese: Mapping[str, str]) -> str:
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"cell": markdown.cell, "prose": _prose, "q": _quoted}
    environment.filters["html"] = lambda value: html.escape(" ".join(str(value).split()))
    # What has no Chinese text of ours stays as it is.
    environment.filters["zh"] = lambda value: chinese.get(str(value), value)
    try:
        return environment.from_string(template.text).render(values)
    except jinja2.TemplateSyntaxError as e:
        raise PublishError(f"{template.where}:{e.lineno}: not a template: {e.message}") from None
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as e:
        raise PublishError(f"{template.where}: cannot be filled in: {shown(str(e))}") from None


def _prose(value: object) -> str:
    """As a cell, but what stands between backticks stays code."""
    return "".join(part if _CODE.fullmatch(part) else markdown.cell(part) for part in _CODE.split(str(value)))


def _quoted(value: object) -> str:
    # JSON is YAML, and a string of it stands on one line.
    return json.dumps(value if isinstance(value, int | float | bool | list | tuple) else str(value), ensure_ascii=False)


def _read_back(text: str, expected: list[Measurement], profile: str) -> None:
    """Read the page and compare its rows with those it was made from.

    A page may leave the CPU out, but not print another one.

    Raises
        PublishError: the page cannot be read, lacks a row, has one too many, or prints another figure.
    """
    page = f"profile {profile}"
    try:
        printed = parse_page(text, page)
    except RunLogError as e:
        raise PublishError(f"the page does not read back: {e}") from None
    rows = {(r.spec_label, r.cores, r.ram_gib, round(r.read_fraction, 6), r.threads): r for r in printed}
    for measured in expected:
        # What precedes the shape in a label, such as the word spec, is not part of it.
        spec = shape(measured.label)
        row = rows.pop((spec.label, spec.cores, spec.ram_gib, round(measured.reads, 6), measured.threads), None)
        name = f"{measured.label}, {measured.reads:.6g} reads, {measured.threads} threads"
        if row is None:
            raise PublishError(f"{page}: its page has no row {name} that can be read")
        texts = measured.printed
        figures = [(key, getattr(row, column), _number(texts[key])) for key, column in _FIGURES.items()]
        if not isnan(row.cpu_utilisation):
            figures.append(("cpu", row.cpu_utilisation, _number(texts["cpu"].removesuffix("%")) / 100))
        for figure, got, made in figures:
            if not (isnan(got) and isnan(made)) and not isclose(got, made, rel_tol=1e-12):
                raise PublishError(f"{page}: line {row.line}: {name}: {figure} reads as {got:g}, expected {made:g}")
    for row in rows.values():
        raise PublishError(f"{page}: line {row.line}: a row that was not measured: {row.spec_label}, {row.threads}")


def _number(printed: str) -> float:
    # A page's latency of 0 means that there was no such operation.
    return nan if printed in (DASH, "0", "0.00") else float(printed)


def deviations(sweep: Sweep, tables: Tables, findings: pd.DataFrame) -> list[str]:
    """A text each, in the report's language.

    Parameters
        findings: rows that an error names stand on the page as they are, without a mark, and are listed here.
    """
    rows = ReportRows(sweep, tables)
    deviations = [fact("vendor-deviation-blanks"), fact("vendor-deviation-layout")]
    repeats = max(m.n for m in measurements(rows))
    if repeats > 1:
        deviations.append(fact("vendor-deviation-means", n=repeats))
    impossible = rows.fitted["run_id"].map(trust.grades(rows.points, findings)) == "F"
    wrong = [names.cell_listed(row) for row in rows.fitted[impossible].to_dict("records")]
    if wrong:
        deviations.append(fact("vendor-deviation-rows", rows=wrong))
    return list(map(rows.say, deviations))
