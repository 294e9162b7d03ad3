"""Measures several params files one after the other and writes one report: the systems of docs/systems.md."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ycsbook import paths, provenance
from ycsbook.errors import ParamsError, ToolError, YcsbookError, one_line
from ycsbook.messages import text
from ycsbook.report import Written, write
from ycsbook.report.blocks import InShort, Items, Report, Section, Text
from ycsbook.report.build import answer_blocks
from ycsbook.servers import kind
from ycsbook.study import Study
from ycsbook.verdicts import Outcome

NAME = "systems"
PARAMS = paths.PARAMS / NAME
# What every report ends with; one page of several systems says it once, or in each system's own report.
_OF_EACH = frozenset({"findings", "method", "provenance", "rejected"})
# Of YCSB's own mixes the first screen is enough here: it holds the pictures of growth and threads.
_BEYOND = frozenset({"results", "capacity", "threads", "growth", "scaling", "limits", "marginals", "latency", "time"})


@dataclass(frozen=True)
class MeasuredSystems:
    """The joint report; what was left out and why; the systems that failed or hold unsuccessful runs."""

    written: Written
    report: Report
    left_out: tuple[tuple[str, str], ...]
    failed: tuple[str, ...]


def files() -> list[Path]:
    """The systems' params files."""
    return sorted(PARAMS.glob("*.yml"))


def measure(
    params_files: Sequence[Path],
    *,
    store: Path = paths.RUNS,
    folder: Path | None = None,
    on_begin: Callable[[str], None] = lambda name: None,
) -> MeasuredSystems:
    """Make the runs that are missing, each system's report, and the joint one in `folder` (by default output/systems).
    What lacks a program is left out; what fails is, too, and named in `failed`. What is measured is kept. Raises
    ParamsError where two files have one name, or one is wrong; YcsbookError where nothing at all could be measured."""
    studies = [Study(path, store=store) for path in params_files]
    names = [study.sweep.name for study in studies]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParamsError(f"the name {twice[0]!r} stands in two params files; each system needs its own")
    reports: list[tuple[str, Report]] = []
    left_out: list[tuple[str, str]] = []
    failed: list[str] = []
    for study in studies:
        name = provenance.short(study.params_file)
        on_begin(name)
        try:
            study.run_rows()
        except YcsbookError as e:
            left_out.append((name, one_line(str(e))))
            failed += [] if isinstance(e, ToolError) and not study.manifests else [name]
            if not any(m["phase"] == "run" and m["outcome"] == Outcome.COMPLETED for m in study.manifests):
                continue
        try:
            # Of what was measured before it failed as well.
            report = study.report()
            study.write_report(report)
        except YcsbookError as e:
            left_out.append((name, one_line(str(e))))
            failed.append(name)
            continue
        reports.append((f"ycsbook report {name}", report))
        left_out += [(name, one_line(f"spec {spec}: {why}")) for spec, why in kind.absent(study.sweep).items()]
        failed += [name] if any(m["outcome"] != Outcome.COMPLETED for m in study.manifests) else []
    if not reports:
        raise YcsbookError(f"no system could be measured: {'; '.join(f'{name}: {why}' for name, why in left_out)}")
    report = together(text("together-title"), NAME, reports, left_out)
    return MeasuredSystems(write(report, folder or paths.OUTPUT / NAME), report, tuple(left_out), tuple(failed))


def together(
    title: str, slug: str, reports: Sequence[tuple[str, Report]], left_out: Sequence[tuple[str, str]] = ()
) -> Report:
    """One report of several. `reports`: of each system the command that makes its own report, and that report;
    `left_out`: what was not measured, a params file and why in a sentence."""

    first: list[tuple[str, str]] = [(report.title, report.in_short.verdict) for _, report in reports]
    first += [(text("together-left-out"), f"{name}: {why}") for name, why in left_out]
    sections = [Section(text("short"), "finding", (Items(tuple(first)),), "en")]
    sections += [_system(report, text("together-more", command=command)) for command, report in reports]
    # The machine is the same for all.
    sections += [
        replace(s, folded=True) for _, report in reports[:1] for s in report.sections if s.anchor == "environment"
    ]
    facts = ((text("together-systems"), str(len(reports))), *(reports[0][1].facts[2:3] if reports else ()))
    verdict = text("together-verdict", n=len(reports), left_out=len(left_out))
    in_short = InShort(verdict, tuple(first))
    return Report(title, slug, "en", facts, tuple(sections), (("slug", slug), ("lang", "en")), in_short)


def _system(report: Report, more: str) -> Section:
    blocks = list(answer_blocks(report.in_short))
    for section in report.sections:
        if section.anchor == "finding":
            blocks += section.figures()
        elif section.anchor not in _OF_EACH | _BEYOND | {"environment"}:
            blocks.append(replace(section, anchor=f"{report.slug}-{section.anchor}"))
    return Section(report.title, report.slug, (*blocks, Text(more, "note")), report.lang)
