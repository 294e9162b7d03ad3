"""What the command loads before it does anything: a sweep of a week is looked at often, and from small machines."""

import json
import subprocess
import sys

import pytest

HEAVY = {"pandas", "numpy", "scipy", "matplotlib", "pyarrow", "pymongo", "jinja2", "distributed"}
# Rows of servers and logs come with these; frames and figures do not.
NEEDED_TO_RUN = {"numpy", "pymongo"}
PROGRAM = """
import json, sys
from ycsbook.cli import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded(*arguments):
    """The modules that a command has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_loads_neither_frames_nor_figures_nor_servers_nor_rich(arguments):
    assert not loaded(*arguments) & (HEAVY | {"pydantic", "rich", "psutil"})


def test_the_help_of_no_command_loads_what_computes():
    program = "import sys\nfrom ycsbook.commands import COMMANDS, load\nprint(*map(load, COMMANDS), *sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    modules = set(done.stdout.split())
    assert {"ycsbook.commands.scaling", "ycsbook.commands.judging"} <= modules and not modules & HEAVY


def test_status_loads_neither_frames_nor_servers(tmp_path):
    modules = loaded("status", "params/local.yml", "--store", tmp_path)
    assert "ycsbook.sweep_runs" in modules and not modules & HEAVY


@pytest.mark.parametrize("arguments", [("plan",), ("run", "--dry-run")])
def test_a_plan_loads_neither_frames_nor_figures(arguments, tmp_path):
    modules = loaded(*arguments, "params/tencent-2020-08.yml", "--store", tmp_path)
    assert "ycsbook.runner.sweep" in modules and not modules & (HEAVY - NEEDED_TO_RUN)


def test_what_makes_runs_loads_neither_frames_nor_figures():
    program = "import sys, ycsbook.runner.session; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert not set(done.stdout.split()) & (HEAVY - NEEDED_TO_RUN)
