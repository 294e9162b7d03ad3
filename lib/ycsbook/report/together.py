"""Several reports told in one: each system's answer, what supports it, and what was left out."""

from collections.abc import Sequence
from dataclasses import replace

from ycsbook import messages
from ycsbook.report.blocks import Block, InShort, Items, Report, Section, Text

# What every report ends with; one page of several systems says it once, or in each system's own report.
_OF_EACH = frozenset({"findings", "method", "provenance", "rejected"})
# Of YCSB's own mixes the first screen is enough here: it holds the pictures of growth and threads.
_BEYOND = frozenset({"results", "capacity", "threads", "growth", "scaling", "limits", "marginals", "latency", "time"})


def together(
    title: str,
    slug: str,
    reports: Sequence[tuple[str, Report]],
    left_out: Sequence[tuple[str, str]] = (),
    lang: str = "en",
) -> Report:
    """One report of several.

    Parameters
        reports: of each system the command that makes its own report, and that report.
        left_out: what was not measured: a params file, and why in a sentence.
    """

    def text(key: str, **values: object) -> str:
        return messages.text(key, lang, **values)

    first: list[tuple[str, str]] = [(report.title, report.in_short.verdict) for _, report in reports]
    first += [(text("together-left-out"), f"{name}: {why}") for name, why in left_out]
    sections = [Section(text("short"), "finding", (Items(tuple(first)),), lang)]
    sections += [_system(command, report, text("together-more", command=command)) for command, report in reports]
    # The machine is the same for all.
    sections += [
        replace(s, folded=True) for _, report in reports[:1] for s in report.sections if s.anchor == "environment"
    ]
    facts = ((text("together-systems"), str(len(reports))), *(reports[0][1].facts[2:3] if reports else ()))
    verdict = text("together-verdict", n=len(reports), left_out=len(left_out))
    in_short = InShort(verdict, tuple(first))
    return Report(title, slug, lang, facts, tuple(sections), (("slug", slug), ("lang", lang)), in_short)


def _system(command: str, report: Report, more: str) -> Section:
    answer = report.in_short
    blocks: list[Block] = [Text(answer.verdict, "lead")] if answer.verdict else []
    blocks += [Items(answer.lines)] if answer.lines else []
    for section in report.sections:
        if section.anchor == "finding":
            blocks += section.figures()
        elif section.anchor not in _OF_EACH | _BEYOND | {"environment"}:
            blocks.append(replace(section, anchor=f"{report.slug}-{section.anchor}"))
    return Section(report.title, report.slug, (*blocks, Text(more, "note")), report.lang)
