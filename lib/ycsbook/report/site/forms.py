"""What differs between the docs trees a report can go into: names of pages, links, and how an index lists pages."""

import re
from typing import Literal

from ycsbook.report import markdown

Site = Literal["hugo", "sphinx", "plain"]
SITES: tuple[Site, ...] = ("hugo", "sphinx", "plain")
PAGE = "index.md"

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_HEAD = re.compile(r"\A(---\n.*?\n---\n)\s*# [^\n]*\n", re.DOTALL)


def page(text: str, site: Site) -> str:
    """The report's page for this site. Hugo's themes print the title of the front matter themselves."""
    return _HEAD.sub(r"\1", text, count=1) if site == "hugo" else text


def vendor_page(text: str, title: str, site: Site) -> str:
    """A vendor's page for this site. Vendors leave the title to the front matter, which only Hugo prints."""
    head = _FRONT_MATTER.match(text)
    first = _HEADING.search(text)
    if site == "hugo" or head is None or (first and first[0] == "# "):
        return text
    return f"{head[0]}\n# {markdown.escape(title)}\n{text[head.end() :]}"


def index_name(site: Site) -> str:
    """The file of an index: Hugo's sections have one of another name than its pages."""
    return "_index.md" if site == "hugo" else PAGE


def link(folder: str, site: Site) -> str:
    """The address of a published page, from the index: Hugo serves a page as a folder."""
    return f"{folder}/" if site == "hugo" else f"{folder}/{PAGE}"


def listing(titles: dict[str, str], site: Site) -> str:
    """What makes the pages part of the site; empty where links are enough.

    Parameters
        titles: what a list of pages calls each folder; empty: its own title.
    """
    if site != "sphinx":
        return ""
    entries = [
        f"{re.sub(r'[<>`]', '', title)} <{folder}/index>" if title else f"{folder}/index"
        for folder, title in sorted(titles.items())
    ]
    return "\n".join(["```{toctree}", ":hidden:", "", *entries, "```"])
