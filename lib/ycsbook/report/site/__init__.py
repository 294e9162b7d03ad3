"""Reports put into a tree of documents, an index of them, and whether their numbers still follow from the data."""

from ycsbook.report.site.publishing import Mismatch, check, publish

__all__ = ["Mismatch", "check", "publish"]
