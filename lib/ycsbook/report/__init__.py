"""Reports: what was found, as one HTML file and as Markdown. The only writer of either.

`build(...)` makes a Report from tables, `write(report, folder)` puts it on disk.
"""

from ycsbook.report.blocks import InShort, Report, Section
from ycsbook.report.build import build, in_short
from ycsbook.report.write import Written, write

__all__ = ["InShort", "Report", "Section", "Written", "build", "in_short", "write"]
