"""`ycsbook init`: a folder to work in, where ycsbook was installed without its repository."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import messages, paths
from ycsbook.errors import StoreError
from ycsbook.store import atomic

# What is copied: to be read, changed and added to.
COPIED = ("notebooks", "params", "data/published")
_MAKEFILE = """\
PARAMS ?= params/local.yml

report: ## benchmark, analyse and write output/NAME/report.html for PARAMS
\tycsbook report "$(PARAMS)"

lab: ## explore in JupyterLab
\tjupyter lab notebooks

.PHONY: report lab
"""
_IGNORED = "data/runs/\noutput/\n"


def init(name: Annotated[Path, typer.Argument(help="The folder; it must not be there yet, or be empty.")]) -> None:
    """A folder to work in, with notebooks and params files. Published tables too; runs and reports go there."""
    if name.exists() and (not name.is_dir() or any(name.iterdir())):
        raise StoreError(f"{name}: is there and not empty; choose another name")
    source = paths.SHIPPED if paths.SHIPPED.is_dir() else paths.REPOSITORY
    with atomic.writing(name):
        for part in COPIED:
            shutil.copytree(source / part, name / part, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
        (name / "Makefile").write_text(_MAKEFILE)
        (name / ".gitignore").write_text(_IGNORED)
        # Last: with it the folder is whole.
        (name / paths.MARKER).write_text("A folder of ycsbook: params files, notebooks, runs and reports.\n")
    print(messages.text("init-done", folder=str(name)))
