"""Every promise of docs/faults.md names tests that exist."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "faults.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_test_of_a_promise_is_there(file, name):
    assert re.search(rf"^def {name}\(", (REPOSITORY / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_row_names_one():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| what", "| ---"))]
    assert len(rows) > 20
    for row in rows:
        _, fault, promise, tests, _ = row.split("|")
        assert fault.strip() and promise.strip() and re.search(r"::test_\w+", tests), fault
