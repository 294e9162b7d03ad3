"""The pages that describe what the code knows say what the code knows."""

import re
from pathlib import Path

from ycsbook.columns import reference
from ycsbook.ingest.finding.formats import FORMATS
from ycsbook.params import Sweep
from ycsbook.params.server import Cluster, Server, Spec
from ycsbook.verdicts import ADVICE, Outcome

DOCS = Path(__file__).parents[2] / "docs"


def test_every_column_is_described():
    assert (DOCS / "tables.md").read_text() == reference()


def test_every_key_of_a_params_file_is_described():
    page = (DOCS / "guide.md").read_text()
    table = page[page.index("## A params file") : page.index("## What to ask of the tables")]
    keys = {name for model in (Sweep, Server, Spec, Cluster) for name in model.model_fields}
    assert keys - set(re.findall(r"[a-z_0-9]+", " ".join(re.findall(r"`([^`]+)`", table)))) == set()


def test_every_warning_outcome_and_format_is_described():
    page = (DOCS / "ingest.md").read_text()
    for warning, advice in ADVICE.items():
        assert f"| `{warning}` | {advice} |" in page
    assert all(f"| `{outcome}` |" in page for outcome in Outcome)
    described = set(re.findall(r"`([a-z-]+)`", page))
    assert set(FORMATS) <= described
