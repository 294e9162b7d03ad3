"""What executes notebooks for the tests: one process for all of them, and a fork of it for each."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ycsbook import errors

# The tests' own process has threads, from which nothing is forked: this one loads everything once and has none.
EXECUTOR = """
import json, sys
from pathlib import Path
from ycsbook.batch import tasks
tasks.load()
from ycsbook.batch.execute import execute
from ycsbook.errors import YcsbookError
from ycsbook.secrets import Secret

for line in sys.stdin:
    notebook, target, values, secrets = json.loads(line)
    try:
        execute(Path(notebook), Path(target), values, [Secret(secret) for secret in secrets])
        print("null", flush=True)
    except YcsbookError as e:
        print(json.dumps([type(e).__name__, str(e)]), flush=True)
"""


@pytest.fixture(scope="session")
def executed():
    """Executes a notebook as `execute.execute` does: gives the target, or raises."""
    with subprocess.Popen(
        [sys.executable, "-c", EXECUTOR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:  # fmt: skip

        def execute(asked: Path, target: Path, values: dict, secrets: tuple[str, ...] = ()) -> Path:
            process.stdin.write(json.dumps([str(asked), str(target), values, secrets]) + "\n")
            process.stdin.flush()
            if error := json.loads(process.stdout.readline()):
                name, text = error
                raise getattr(errors, name)(text)
            return target

        yield execute
        process.stdin.close()
