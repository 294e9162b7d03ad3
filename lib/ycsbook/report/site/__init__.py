"""Reports put into a tree of documents."""

from ycsbook.report.site.publish import publish

__all__ = ["publish"]
