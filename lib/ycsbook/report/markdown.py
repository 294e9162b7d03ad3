"""A report as one Markdown page with pipe tables and pictures beside it, without raw HTML.

The page has to read the same on GitHub, Hugo, MkDocs and MyST, so it uses only what they share: headings,
paragraphs, bullet lists, pipe tables, images, links to files beside it, fenced code and front matter.
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial

from ycsbook import messages
from ycsbook.report import pictures
from ycsbook.report.blocks import FieldValue, Figure, Findings, Flag, Items, Panel, Report, Section, Shown, Table, Text

FIGURES, HTML = "figures", "report.html"
# Characters that mean something somewhere in a line; a backslash makes them letters everywhere. The dollar, the
# tilde, the caret and the hash are mathematics, strike-out, footnotes and issue numbers in one renderer or another;
# a brace opens a role in MyST and a shortcode in Hugo.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|$~^#])")
_LEADING = re.compile(r"^(?:([+\-=:!&%@(])|(\d+)(?=[.)]))")
_ENTITY = re.compile(r"&(?=[#\w])")
# What some renderers turn into a link without being asked: the punctuation that starts it is escaped.
_AUTOLINK = re.compile(
    r"(?i)(?<=\bhttp)(?=:)|(?<=\bhttps)(?=:)|(?<=\bftp)(?=:)|(?<=\bmailto)(?=:)|(?<=\bwww)(?=\.)|(?<=\w)(?=@\w)"
)
_BREAK = "\u200b"


def page(report: Report) -> str:
    """The whole page; its pictures are expected in figures/ under their names."""
    text = partial(messages.text, lang=report.lang)
    lines = ["---", f"title: {_quoted(report.title)}"]
    lines += [f"{key}: {_yaml(value)}" for key, value in report.fields]
    lines += ["---", "", f"# {escape(report.title)}", ""]
    lines += [f"**{escape(report.state)}**", ""] if report.state else []
    lines += [f"- **{escape(text('report-label', name=name))}** {escape(value)}" for name, value in report.facts]
    lines += ["", f"[{cell(text('report-as-html'))}]({HTML})"]
    parts = ["\n".join(lines), *(_section(section, 2, report.lang) for section in report.sections)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def fragment(block: Shown) -> str:
    lang = getattr(block, "lang", "en")
    if isinstance(block, Report):
        block = Section(block.title, block.slug, block.sections)
    return _block(block, 3, lang)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], aligned: Iterable[str] = ()) -> str:
    """A table of cells that are escaped already; `aligned`: its second line, by default all at the left."""
    heads = list(heads)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, list(aligned) or [":---"] * len(heads), *rows))


def cell(text: object) -> str:
    return escape(str(text), starts_line=False)


@lru_cache(4096)
def escape(text: str, *, starts_line: bool = True) -> str:
    """The text on one line, every character of it literal, whatever the renderer. `starts_line` is False inside a line
    or a cell, where a leading minus or number means nothing."""
    line = " ".join(_printable(text).split())
    line = _ENTITY.sub(r"\\&", _SPECIAL.sub(r"\\\1", line))
    line = _AUTOLINK.sub(r"\\", line)
    return _LEADING.sub(lambda at: f"\\{at[1]}" if at[1] else f"{at[2]}\\", line) if starts_line else line


def file_name(panel: Panel) -> str:
    return f"{FIGURES}/{panel.name}.{pictures.suffix(panel.picture)}"


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c.isspace() else "\ufffd" for c in text)


def _quoted(text: str) -> str:
    # A JSON string is a YAML string; escapes keep it on one line.
    return json.dumps(" ".join(_printable(text).split()), ensure_ascii=False)


def _yaml(value: FieldValue) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _section(section: Section, level: int, lang: str) -> str:
    parts = [f"{'#' * min(level, 6)} {escape(section.title)}"]
    parts += [_block(block, level + 1, lang) for block in section.blocks]
    return "\n\n".join(parts)


def _block(block: Shown, level: int, lang: str) -> str:
    draw: dict[type, Callable[[], str]] = {
        Text: lambda: _text(block),
        Items: lambda: "\n".join(item(*of, lang) for of in block.items),
        Table: lambda: _table(block),
        Figure: lambda: _figure(block),
        Findings: lambda: "\n".join(_flag(f, lang, block.brief) for f in block.flags),
        Section: lambda: _section(block, level, lang),
    }
    return draw[type(block)]()


def _text(block: Text) -> str:
    if block.kind not in ("code", "formula"):
        return escape(block.text)
    body, fence = _as_code("\n".join(map(_printable, block.text.splitlines())), 3)
    return f"{fence}text\n{body}\n{fence}"


def _as_code(body: str, least: int) -> tuple[str, str]:
    """A text for a block between fences of backticks, and the fence, of so many at least."""
    # Hugo expands shortcodes before it looks at Markdown, in code too.
    body = body.replace("{{", f"{{{_BREAK}{{")
    return body, "`" * max(least, *(len(run) + 1 for run in re.findall(r"`+", body)), 0)


def item(about: str, text: str, lang: str) -> str:
    """A bullet of blocks.Items; of a text of several lines each is a bullet below it."""
    label = messages.text("report-label", lang, name=about)
    first, *more = map(cell, text.splitlines() or [""])
    return "\n  - ".join([f"- **{cell(label)}**", first, *more]) if more else f"- **{cell(label)}** {first}"


def _table(block: Table) -> str:
    rows = [
        [f"**{text}**" if printed.marked and text else text for text in map(cell, printed.cells)]
        for printed in block.rows
    ]
    aligned = ["---:" if column.align == "right" else ":---" for column in block.columns]
    caption = [f"*{escape(block.caption)}*", ""] if block.caption else []
    return "\n".join([*caption, table([cell(column.heading) for column in block.columns], rows, aligned)])


def _figure(figure: Figure) -> str:
    images = [f"![{cell(panel.alt)}]({file_name(panel)})" for panel in figure.panels]
    link = "" if figure.frame.empty else f" [{figure.data_name}]({figure.data_file})"
    return "\n\n".join([*images, f"*{cell(figure.caption)}*{link}"])


def _flag(flag: Flag, lang: str, brief: bool) -> str:
    text = partial(messages.text, lang=lang)
    evidence = text("report-evidence", evidence=flag.evidence)
    aside = text("list-clauses", rest="", last="").join(cell(part) for part in (flag.effect, evidence) if part)
    severity = text("report-label", name=text("report-severity", severity=flag.severity))
    line = f"- **{cell(severity)}** {cell(flag.sentence)}"
    if aside:
        line += text("report-aside", text=aside)
    line = line if line.endswith((".", "!", "?", "。")) else line + text("report-stop", text="")
    if flag.advice and not brief:
        line += f" **{text('report-what-to-do')}** {cell(flag.advice)}"
    if flag.command and not brief:
        stop = "" if line.endswith((".", "。")) else text("report-stop", text="")
        command, fence = _as_code(" ".join(_printable(flag.command).split()), 1)
        space = " " if "`" in command else ""
        line += f"{stop} {text('report-command')} {fence}{space}{command}{space}{fence}"
    return "\n".join([line, *(f"  - {cell(sentence)}" for sentence in flag.alike)])
