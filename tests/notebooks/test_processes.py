"""Processes that are forked: fresh all the same, with nothing left of them whatever ends them."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from ycsbook.errors import PublishError

# The tests' own process has threads, from which nothing is forked: each case runs in a plain Python.
HEAD = """
import json, os, signal, sys, time
from pathlib import Path
os.environ["OPENBLAS_NUM_THREADS"] = "1"
from ycsbook.batch import tasks
from ycsbook.errors import ParamsError, PublishError, YcsbookError
from ycsbook.batch.tasks import Task
"""


def python(code: str, *arguments: object) -> str:
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + textwrap.dedent(code), *map(str, arguments)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def notebook(folder: Path, *cells: str) -> Path:
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    content.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = folder / "asked.ipynb"
    nbformat.write(content, path)
    return path


def test_a_task_gives_its_result_or_its_error():
    said = python("""
        print(Task("it", lambda: {"pid": os.getpid()}).result()["pid"] != os.getpid())
        def fails():
            raise ParamsError("a: got 0, expected 1")
        for work in (fails, lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: os._exit(3)):
            try:
                Task("it", work).result()
            except YcsbookError as e:
                print(type(e).__name__, e)
    """)
    assert said.splitlines() == [
        "True",
        "ParamsError a: got 0, expected 1",
        "PublishError it: its process was killed by SIGKILL before it was done; start again",
        "PublishError it: its process ended with code 3 before it was done; start again",
    ]


def test_a_notebook_s_process_is_a_fresh_process_that_has_everything_loaded(tmp_path, executed):
    seen = tmp_path / "seen.json"
    asked = notebook(
        tmp_path,
        "import json, os, sys",
        f"known = [name for name in ('pandas', 'scipy', 'matplotlib') if name in sys.modules]\n"
        f"told = [os.getpid(), os.getppid(), known, 'left_over' in globals()]\n"
        f"open({str(seen)!r}, 'a').write(json.dumps(told) + chr(10))\nleft_over = 1",
        "import pandas as pd\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\npd.Series([1, 2]).sum()",
    )
    for _ in range(2):
        executed(asked, tmp_path / "out" / "asked.ipynb", {})
    first, second = (json.loads(line) for line in seen.read_text().splitlines())
    assert first[0] != second[0] and first[2] == second[2] == ["pandas", "scipy", "matplotlib"]
    assert not first[3] and not second[3]
    cells = nbformat.read(tmp_path / "out" / "asked.ipynb", as_version=4).cells
    kinds = [sorted(output.get("data", {})) for output in cells[-1].outputs]
    assert kinds == [["text/plain"], ["image/png", "text/plain"]]


def test_what_cells_show_is_kept_as_a_notebook_holds_it(tmp_path, executed):
    asked = notebook(
        tmp_path,
        "import sys\nprint('one \\udc80')\nprint('two')\nprint('three', file=sys.stderr)\n1 + 1",
        "from IPython.display import Image, display\nhandle = display('before', display_id=True)\n"
        "display(Image(data=b'\\x89PNG', format='png'))\n41;",
        "handle.update('after')\nprint(await __import__('asyncio').sleep(0, 'waited'))\n!echo of a shell",
        "from IPython.display import clear_output\nprint('gone')\nclear_output(wait=True)\nprint('stays')",
        "def fails():\n    raise ValueError('why')\nfails()",
    )
    with pytest.raises(PublishError, match="ValueError: 'why'"):
        executed(asked, tmp_path / "out" / "asked.ipynb", {})
    content = nbformat.read(tmp_path / "out" / "asked.failed.ipynb", as_version=4)
    nbformat.validate(content)
    first, second, third, fourth, fifth = (cell.outputs for cell in content.cells if cell.cell_type == "code")
    assert [(o.get("name"), o.get("text", o.get("data"))) for o in first] == [
        ("stdout", "one ?\ntwo\n"), ("stderr", "three\n"), (None, {"text/plain": "2"}),
    ]  # fmt: skip
    assert first[2].execution_count == 1
    assert [o.data["text/plain"] for o in second][:1] == ["'after'"] and second[1].data[
        "image/png"
    ].strip() == "iVBORw=="
    assert third[0].text.replace("\r", "") == "waited\nof a shell\n"
    assert [o.text for o in fourth] == ["stays\n"]
    (error,) = fifth
    assert (error.ename, error.evalue) == ("ValueError", "why") and "fails" in "".join(error.traceback)


@pytest.mark.parametrize("command", ["report", pytest.param("batch", marks=pytest.mark.matrix)])
def test_what_makes_reports_has_one_thread_when_everything_is_loaded(command):
    # As the command does it: numpy, once loaded, has as many threads as it was told.
    said = python(f"""
        from ycsbook import commands
        commands.load({command!r})
        from ycsbook.batch import reports
        tasks.load()
        print(tasks.can_fork())
    """)
    assert said.split() == ["True"]


def test_several_works_go_so_many_at_a_time_and_each_tells_its_end(tmp_path):
    said = python(
        """
        folder = Path(sys.argv[1])
        def work(n):
            (folder / f"{n}.running").touch()
            at_once = len(list(folder.glob("*.running")))
            time.sleep(0.2)
            (folder / f"{n}.running").unlink()
            return n, at_once
        ended = {}
        works = [(str(n), work, n) for n in range(5)]
        tasks.several(works, 2, lambda place, task: ended.update({place: task.result()}))
        print(json.dumps([[place, *ended[place]] for place in sorted(ended)]))
        """,
        tmp_path,
    )
    ended = json.loads(said)
    assert [which for which, _, _ in ended] == [n for _, n, _ in ended] == [0, 1, 2, 3, 4]
    assert all(at_once <= 2 for _, _, at_once in ended)


def test_works_that_are_interrupted_end_without_a_word(tmp_path):
    code = """
        folder = Path(sys.argv[1])
        def work(n):
            (folder / f"{n}.running").touch()
            time.sleep(60)
        tasks.several([(str(n), work, n) for n in range(3)], 2, lambda place, task: task.result())
    """
    working = subprocess.Popen(
        [sys.executable, "-c", HEAD + textwrap.dedent(code), tmp_path], stderr=subprocess.PIPE, text=True
    )
    limit = time.monotonic() + 60
    while len(list(tmp_path.glob("*.running"))) < 2 and time.monotonic() < limit:
        time.sleep(0.05)
    working.send_signal(signal.SIGINT)
    _, said = working.communicate(timeout=30)
    assert working.returncode == -signal.SIGINT
    # Python's own, of the parent alone.
    assert said.count("Traceback") == 1 and said.rstrip().endswith("KeyboardInterrupt")


def test_a_page_reads_as_nbconvert_makes_it(tmp_path):
    """Descriptions of pictures and what the keyboard reaches included; see notebook_page.py."""
    from bs4 import BeautifulSoup
    from nbconvert import HTMLExporter

    from ycsbook.batch import notebook_page

    outputs = [
        nbformat.v4.new_output("display_data", {"text/html": '<img src="data:,a>b"><img alt="kept" src="data:,c">'}),
        nbformat.v4.new_output("stream", text='<div class="jp-OutputArea-output">'),
        nbformat.v4.new_output("execute_result", {"text/plain": "1"}),
    ]
    cells = [nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("1 < 2", outputs=outputs)]
    content = nbformat.v4.new_notebook(cells=cells)
    theirs = HTMLExporter(sanitize_html=False, require_js_url="", mathjax_url="", exclude_input_prompt=True)
    theirs.exclude_output_prompt = True
    ours, expected = (
        BeautifulSoup(exporter.from_notebook_node(content)[0], "html.parser")
        for exporter in (notebook_page.exporter(), theirs)
    )
    images = ours.select("img")
    assert [image.get("alt") for image in images] == ["No description", "kept"]
    for one in (*images, *expected.select("img")):
        del one["alt"]
    assert ours.select("[tabindex]") and ours == expected


def test_where_a_thread_runs_nothing_is_forked():
    said = python("""
        import threading
        print(tasks.can_fork())
        ended = threading.Event()
        threading.Thread(target=ended.wait).start()
        print(tasks.can_fork())
        ended.set()
    """)
    assert said.split() == ["True", "False"]


@pytest.mark.parametrize("ended_by", ["the executor", "the process between"])
def test_a_notebook_ends_with_whoever_waits_for_it(tmp_path, ended_by):
    pid_file = tmp_path / "pids"
    asked = notebook(tmp_path, f"import os\nopen({str(pid_file)!r}, 'w').write(f'{{os.getppid()}} {{os.getpid()}} ')")
    content = nbformat.read(asked, as_version=4)
    content.cells.append(nbformat.v4.new_code_cell("import time\ntime.sleep(60)"))
    nbformat.write(content, asked)
    code = HEAD + textwrap.dedent("""
        from ycsbook.batch.execute import execute
        Task("it", execute, Path(sys.argv[1]), Path(sys.argv[2]), {}).result()
    """)
    argv = [sys.executable, "-c", code, asked, tmp_path / "out" / "asked.ipynb"]
    executor = subprocess.Popen(argv, stderr=subprocess.DEVNULL)
    try:
        limit = time.monotonic() + 60
        while not (pid_file.exists() and pid_file.read_text().endswith(" ")) and time.monotonic() < limit:
            time.sleep(0.05)
        between, cells = map(int, pid_file.read_text().split())
        family = [psutil.Process(between), psutil.Process(cells)]
        os.kill(executor.pid if ended_by == "the executor" else between, signal.SIGKILL)
        _, alive = psutil.wait_procs(family, timeout=10)
        assert not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]
    finally:
        executor.kill()
        executor.wait()


def test_no_secret_is_saved_even_of_a_notebook_that_is_killed(tmp_path, executed):
    address = "mongodb://me:c%40nary-secret@127.0.0.1/"
    asked = notebook(
        tmp_path,
        "secret = 'nary' + '-secret'\nurl = f'mongodb://me:c%40{secret}@127.0.0.1/'\n"
        "print(url)\nprint('c@' + secret)\n{'url': url}",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    )
    with pytest.raises(PublishError, match="was killed by SIGKILL"):
        executed(asked, tmp_path / "out" / "asked.ipynb", {}, (address,))
    kept = "".join(p.read_text() for p in (tmp_path / "out").iterdir())
    assert kept.count("REDACTED") >= 3 and "nary-secret" not in kept
