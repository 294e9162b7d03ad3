"""A vendor's page: a template filled with plain data, handed out only if it reads back as the same figures."""

import html
import json
from collections.abc import Mapping

import jinja2
import pandas as pd
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ycsbook.errors import PublishError, shown
from ycsbook.params.sweep import Sweep
from ycsbook.report import markdown, translation
from ycsbook.report.rows import Rows
from ycsbook.report.vendor import data, profiles, round_trip
from ycsbook.report.vendor.measurements import measurements
from ycsbook.tables import Tables


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
    rows = Rows(sweep, tables)
    measured = measurements(rows)
    template = profiles.find(profile)
    text = _filled(template, data.of(rows, measured, environment or {}, documents, findings))
    round_trip.check(text, measured, template.name)
    return text


def _filled(template: profiles.Profile, values: dict) -> str:
    environment = ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"cell": _cell, "html": _html, "q": _quoted, "zh": _zh}
    try:
        text = environment.from_string(template.text).render(values)
    except jinja2.TemplateSyntaxError as e:
        raise PublishError(f"{template.where}:{e.lineno}: not a template: {e.message}") from None
    except (jinja2.TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as e:
        raise PublishError(f"{template.where}: cannot be filled in: {shown(str(e))}") from None
    return text.strip("\n") + "\n"


def _zh(value: object) -> str:
    return translation.said(str(value), "zh")


def _cell(value: object) -> str:
    return markdown.escape(str(value), starts_line=False)


def _html(value: object) -> str:
    return html.escape(" ".join(str(value).split()))


def _quoted(value: object) -> str:
    # JSON is YAML, and a string of it stands on one line.
    return json.dumps(value if isinstance(value, int | float | bool | list | tuple) else str(value), ensure_ascii=False)
