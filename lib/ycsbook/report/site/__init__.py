"""Reports put into a tree of documents, an index of them, and whether their numbers still follow from the data."""

from ycsbook.report.site.check import Mismatch, check
from ycsbook.report.site.publish import publish

__all__ = ["Mismatch", "check", "publish"]
