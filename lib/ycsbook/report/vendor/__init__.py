"""Pages in the shape that vendors publish, each from a template that anybody can add; every page reads back."""

from ycsbook.report.vendor.profiles import deviations, page

__all__ = ["deviations", "page"]
