"""Python packages whose shared libraries the system lacks, as in a slim container."""

import os
import subprocess
import sys


def ycsbook(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-c", "from ycsbook.cli import main; main()", *arguments],
        env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_a_library_that_the_system_lacks_is_named_in_one_line_and_other_import_errors_are_not_hidden(tmp_path):
    broken = tmp_path / "numpy.py"
    broken.write_text(
        'raise ImportError("...\\nError was: libstdc++.so.6: cannot open shared object file: No such file")'
    )
    done = ycsbook(tmp_path, "scaling", str(tmp_path))
    said = "ycsbook: the shared library libstdc++.so.6 is missing; on Debian and Ubuntu: apt-get install libstdc++6\n"
    assert (done.returncode, done.stderr) == (1, said)
    done = ycsbook(tmp_path, "doctor")
    assert "the shared library libstdc++.so.6 is missing" in done.stdout.replace("\n", " ")
    assert "Traceback" not in done.stderr
    broken.write_text('raise ImportError("no such name")')
    done = ycsbook(tmp_path, "scaling", str(tmp_path))
    assert "no such name" in done.stderr and "shared library" not in done.stderr
