"""The documentation site built and checked: python docs/build_site.py DOCS OUTPUT."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

from ycsbook.errors import PublishError, ToolError, YcsbookError
from ycsbook.report.site.publishing import check

# What a browser fetches by itself when it shows a page; links are followed by people.
_FETCHED = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "link": ("href",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",), "image": ("href",),
    "use": ("href",),
}  # fmt: skip
_NOT_FETCHED = {"canonical", "next", "prev", "search", "index", "author", "license", "alternate"}
_OUTSIDE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_IN_CSS = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])\s*((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


def build(docs: Path, output: Path) -> None:
    """Build the site with warnings as errors, then look at what came of it.

    Raises
        ToolError: Sphinx is not installed.
        PublishError: Sphinx refuses a page, a page fetches something from elsewhere, or a published number does not
            follow from its data.
    """
    for module in ("sphinx", "myst_nb", "furo"):
        if find_spec(module) is None:
            raise ToolError(f"{module} is not installed; get it with 'make docs' or pip install 'ycsbook[docs]'")
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "-q", "--keep-going", "-b", "html", str(docs), str(output)]
    if subprocess.run(command, check=False).returncode:
        raise PublishError(f"{docs}: Sphinx refuses the pages named above; mend them and build again")
    if fetched := [f"{page}: {address}" for page in sorted(output.rglob("*.html")) for address in outside(page)]:
        raise PublishError(f"pages fetch from elsewhere: {'; '.join(fetched[:5])}")
    if (docs / "reports").is_dir() and (mismatches := check(docs / "reports")):
        told = "\n".join(map(str, mismatches))
        raise PublishError(f"{len(mismatches)} published numbers or files do not follow from their data:\n{told}")


def outside(page: Path) -> list[str]:
    """The addresses on other machines that a browser asks for when it opens the page and its style sheets."""
    parser = _Fetched()
    text = page.read_text(encoding="utf-8")
    parser.feed(text)
    sheets = [page.parent / href.split("?")[0] for href in parser.sheets]
    texts = [text, *(sheet.read_text(encoding="utf-8") for sheet in sheets if sheet.is_file())]
    return sorted({*parser.found, *(m[1] for t in texts for m in _IN_CSS.finditer(t))})


class _Fetched(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.sheets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "link" and set(values.get("rel", "").split()) & _NOT_FETCHED:
            return
        for name in _FETCHED.get(tag, ()):
            addresses = values.get(name, "").split(",") if name == "srcset" else [values.get(name, "")]
            self.found += [address.strip() for address in addresses if _OUTSIDE.match(address)]
        if tag == "link" and "stylesheet" in values.get("rel", "") and not _OUTSIDE.match(values.get("href", "")):
            self.sheets.append(values["href"])


def main(arguments: list[str]) -> int:
    """Build; one line on stderr and 1 where it fails."""
    if len(arguments) != 2:
        print("expected two folders: of the documents, and for the site", file=sys.stderr)
        return 2
    docs, output = map(Path, arguments)
    try:
        build(docs, output)
    except YcsbookError as e:
        print(f"docs: {e}", file=sys.stderr)
        return 1
    print(f"docs: {output / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
