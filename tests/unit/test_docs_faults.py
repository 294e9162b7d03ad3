"""Every promise of docs/faults.md names tests that exist."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_every_row_names_its_tests_and_they_are_there():
    page = (REPOSITORY / "docs" / "faults.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith(("| what", "| ---"))]
    assert len(rows) > 20
    # Row by row, in their order: what happens, and the tests of that.
    listed = [line for line in page.splitlines() if re.match(r"- .*: `tests/.*::test_\w+`", line)]
    happens = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert [line.partition(": `tests/")[0] for line in listed] == [f"- {what}" for what in happens]
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", page)
    files = {file: (REPOSITORY / file).read_text(encoding="utf-8") for file in {file for file, _ in named}}
    gone = [f"{file}::{name}" for file, name in named if not re.search(rf"^def {name}\(", files[file], re.MULTILINE)]
    assert gone == []
