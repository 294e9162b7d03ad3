"""Examples in the documents and in docstrings give what they say."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(page.name for page in DOCS.glob("*.md") if ">>> " in page.read_text())
LIB = DOCS.parent / "lib"
MODULES = sorted(
    module.relative_to(LIB).with_suffix("").as_posix().replace("/", ".")
    for folder in ("anomalies", "comparing", "library", "scaling", ".")
    for module in (LIB / "ycsbook" / folder).glob("*.py")
    if ">>> " in module.read_text()
)
FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def failures(test: doctest.DocTest) -> str:
    report: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=report.append)
    return "".join(report)


def blocks(page: str) -> list[doctest.DocTest]:
    """The examples of a page, each block on its own."""
    text, parser = (DOCS / page).read_text(), doctest.DocTestParser()
    return [
        parser.get_doctest(found[1], {}, page, page, text.count("\n", 0, found.start(1)))
        for found in FENCED.finditer(text)
        if ">>> " in found[1]
    ]


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_the_pages(page):
    tests = blocks(page)
    assert tests
    assert "".join(failures(test) for test in tests) == ""


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_docstrings(name):
    module = importlib.import_module(name)
    tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    assert tests
    assert "".join(failures(test) for test in tests) == ""
