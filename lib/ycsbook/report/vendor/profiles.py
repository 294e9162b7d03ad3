"""Pages in vendors' shapes. A profile is the template of one: ours, the user's own, or that of another package.

Another package names a profile by an entry point of the group `ycsbook.page_profiles`: a module in whose folder the
template stands, and which is not run. A page is its template filled with plain data, handed out only if it reads back
as the same figures; in what it differs from what the vendor printed is said outside the page.
"""

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from math import isclose, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
import pandas as pd
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ycsbook import confined, opening, paths, trust
from ycsbook.errors import PublishError, RunLogError, YcsbookError, shown
from ycsbook.facts import fact
from ycsbook.ingest.log.labels import shape
from ycsbook.ingest.published.page import parse_page
from ycsbook.messages.formats import DASH
from ycsbook.names import cell_listed
from ycsbook.params.sweep import Sweep
from ycsbook.report import markdown
from ycsbook.report.rows import ReportRows
from ycsbook.report.vendor import data
from ycsbook.report.vendor.data import Measurement, measurements
from ycsbook.tables import Tables, dicts

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "ycsbook.page_profiles"
SUFFIX = ".md.j2"
MAX_BYTES = 1_000_000
OURS = Path(__file__).parent / "templates"
THEIRS = paths.PARAMS / "profiles"

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Profile:
    """A template: its name, its text, and what errors call it."""

    name: str
    text: str
    where: str


def names() -> tuple[str, ...]:
    files = (path for folder in (THEIRS, OURS) for path in folder.glob(f"[a-z0-9]*{SUFFIX}"))
    return tuple(sorted({path.name.removesuffix(SUFFIX) for path in files} | set(_added())))


def find(profile: str) -> Profile:
    """The profile of that name, else the template at that path; one in params/profiles goes before ours. PublishError:
    there is none, with those there are, or a package has no template of its name."""
    if profile.endswith(SUFFIX):
        path = paths.resolve(profile)
    else:
        folders = (folder for folder in (THEIRS, OURS) if _NAME.fullmatch(profile))
        path = next((p for f in folders if (p := f / f"{profile}{SUFFIX}").is_file()), None)
        if path is None and profile in _added():
            path = _of_package(_added()[profile])
    if path is None or not path.is_file():
        expected = f"one of {', '.join(names())}, a template {THEIRS.name}/NAME{SUFFIX} in params, or a path to one"
        raise PublishError(f"profile {shown(profile)}: no such profile, expected {expected}")
    try:
        return Profile(name_of(profile), opening.content(path, MAX_BYTES).decode("utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as e:
        reason = getattr(e, "strerror", None) or e
        raise PublishError(f"{path}: cannot be read as UTF-8 text: {reason}") from None


def name_of(profile: str) -> str:
    """A profile's name, of a path its file's; PublishError: no slug, as it becomes part of a folder's name."""
    name = Path(profile).name.removesuffix(SUFFIX)
    if not _NAME.fullmatch(name):
        raise PublishError(f"profile {shown(profile)}: expected a lower-case name such as acme{SUFFIX}")
    return name


@cache
def _added() -> "dict[str, EntryPoint]":
    # Only here: it is slow to load, and most pages do without.
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP) if _NAME.fullmatch(entry.name)}


def _of_package(entry: "EntryPoint") -> Path:
    where = f"the profile {entry.name!r} of the package {entry.dist.name}"
    try:
        module = find_spec(entry.module)
    except Exception as e:
        # Whatever the code around that module does wrong.
        raise PublishError(f"{where}: {entry.module!r} cannot be looked for: {e}; mend or remove that package") from e
    if module is None or not module.origin:
        raise PublishError(f"{where}: there is no module {entry.module!r}; mend or remove that package")
    path = Path(module.origin).with_name(f"{entry.name}{SUFFIX}")
    if not path.is_file():
        raise PublishError(f"{where}: {path} is no file; the template belongs there, beside the module")
    return path


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
) -> str:
    """The page that a profile makes of a sweep's figures, in Markdown.

    Throughput, latency and CPU are the means of a point's repeats. The rows are read back from the page and compared
    with those it was made from before anybody sees it.

    Parameters
        tables: measured runs where there are any, else published rows.
        profile: a profile's name, or the path of a template.
        environment: as of a report.
        documents: by dataset what its publisher says (ycsbook.documents); commands of published rows say no more.
    Raises
        PublishError: no such profile, a mistake in its template, figures that no such page can hold, or a page that
            does not read back: names the row.
    """
    rows = ReportRows(sweep, tables)
    measured = measurements(rows)
    template = find(profile)
    values = data.of(rows, measured, environment or {}, documents or {})
    fill = partial(_filled, template, values, data.in_chinese(rows, environment or {}))
    try:
        text = confined.answer(fill, _FILL_S).strip("\n") + "\n"
    except PublishError:
        raise
    except YcsbookError as e:
        raise PublishError(f"{template.where}: cannot be filled in: it {e}") from None
    _read_back(text, measured, template.name)
    return text


def _filled(template: Profile, values: dict, chinese: Mapping[str, str]) -> str:
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
    """Read the page and compare its rows with those it was made from. It may leave the CPU out, but not print another
    one. Raises PublishError where it cannot be read, lacks a row, has one too many, or prints another figure."""
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
    """A text each, in the report's language. Rows that an error names stand unmarked on the page: they are listed."""
    rows = ReportRows(sweep, tables)
    deviations = [fact("vendor-deviation-blanks"), fact("vendor-deviation-layout")]
    repeats = max(m.n for m in measurements(rows))
    if repeats > 1:
        deviations.append(fact("vendor-deviation-means", n=repeats))
    impossible = rows.fitted["run_id"].map(trust.grades(rows.points, findings)) == "F"
    wrong = [cell_listed(row) for row in dicts(rows.fitted[impossible])]
    if wrong:
        deviations.append(fact("vendor-deviation-rows", rows=wrong))
    return list(map(rows.say, deviations))
