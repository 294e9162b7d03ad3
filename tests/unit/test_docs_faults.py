"""Every promise of docs/faults.md names tests that exist."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_every_row_names_its_tests_and_they_are_there():
    page = (REPOSITORY / "docs" / "faults.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith(("| what", "| ---"))]
    assert len(rows) > 20
    assert [row for row in rows if not re.search(r"::test_\w+`", row.split("|")[3])] == []
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", page)
    files = {file: (REPOSITORY / file).read_text(encoding="utf-8") for file in {file for file, _ in named}}
    gone = [f"{file}::{name}" for file, name in named if not re.search(rf"^def {name}\(", files[file], re.MULTILINE)]
    assert gone == []
