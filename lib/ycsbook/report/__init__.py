"""Reports: what was found, as one HTML file and as Markdown. The only writer of either.

`build(...)` makes a Report from tables, `write(report, folder)` puts it on disk: report.html, report.md, figures/ and
data/, each file old or new and never half.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from ycsbook import provenance
from ycsbook.errors import PublishError, shown
from ycsbook.report import html, markdown, pictures
from ycsbook.report.blocks import DATA, InShort, Report, Section
from ycsbook.report.build import build, in_short
from ycsbook.store import atomic

__all__ = ["InShort", "Report", "Section", "Written", "build", "in_short", "write"]

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, repr=False)
class Written:
    html: Path
    markdown: Path
    figures: tuple[Path, ...]
    data: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        # It ends a notebook, whose output is kept: nobody else has this machine's folders.
        n, where = len(self.figures), provenance.short(self.html.parent)
        figures = f"{n} {'figure' if n == 1 else 'figures'}"
        return f"{self.html.name}, {self.markdown.name} and {figures} in {where}"


def write(report: Report, folder: Path) -> Written:
    """Write report.html, report.md, figures/ and data/; what an earlier report left in the folder is removed. The pages
    come last, so that none names a file that is not there yet. The same report gives the same bytes. PublishError: a
    figure's name is no slug, or stands twice; StoreError: the folder cannot be written; each file is old or new."""
    panels = report.panels()
    names = [panel.name for panel in panels]
    for name in names:
        if not _NAME.fullmatch(name):
            raise PublishError(f"picture {shown(name)}: expected a lower-case slug as its name")
        if names.count(name) > 1:
            raise PublishError(f"picture {shown(name)}: the name stands twice in the report; give each its own")
    page = html.page(report)
    text = markdown.page(report)
    drawn = {
        markdown.file_name(panel): pictures.png(panel.picture)
        if pictures.suffix(panel.picture) == "png"
        else pictures.on_paper(pictures.svg(panel.picture)).encode()
        for panel in panels
    }
    behind = {f.data_file: f.csv.encode() for f in report.figures() if not f.frame.empty}
    atomic.require_inside(folder, folder / markdown.FIGURES, folder / DATA)
    for name, content in {**drawn, **behind}.items():
        atomic.write_bytes(folder / name, content)
    atomic.write_text(folder / "report.md", text)
    atomic.write_text(folder / "report.html", page)
    figures, data = (tuple(folder / name for name in names) for names in (drawn, behind))
    ours = (f"{markdown.FIGURES}/*.svg", f"{markdown.FIGURES}/*.png", f"{DATA}/*.csv")
    for path in sorted(path for pattern in ours for path in folder.glob(pattern)):
        if path.is_file() and path not in (*figures, *data):
            path.unlink()
    return Written(folder / "report.html", folder / "report.md", figures, data)
