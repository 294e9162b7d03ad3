"""The pages that describe what the code knows say what the code knows."""

import re
import tomllib
from pathlib import Path

from ycsbook.columns import reference
from ycsbook.ingest import readers
from ycsbook.messages import say
from ycsbook.params import Sweep
from ycsbook.params.sections import Cluster, Server, Spec
from ycsbook.verdicts import Outcome, Warn

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
    for warning in Warn:
        assert f"| `{warning}` | {say(warning.advice)} |" in page
    assert all(f"| `{outcome}` |" in page for outcome in Outcome)
    described = set(re.findall(r"`([a-z-]+)`", page))
    assert set(readers.names()) <= described


def test_the_map_for_contributors_is_the_one_that_import_linter_holds():
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())
    (layers,) = (c["layers"] for c in project["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    package = DOCS.parent / "lib" / "ycsbook"
    here = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    held = [here & set(re.findall(r"\w+", layer)) for layer in layers]

    page = (DOCS.parent / "CONTRIBUTING.md").read_text()
    (drawn,) = re.findall(r"^```\n(cli .*?)^```$", page, re.MULTILINE | re.DOTALL)
    # An indented line belongs to the layer above it.
    shown = [set(re.findall(r"^ *(\w+)", layer, re.MULTILINE)) for layer in re.split(r"\n(?! )", drawn.strip())]
    assert shown == [layer for layer in held if layer]
