"""Progress read from the store, and what of it is shown outside a terminal."""

import io
import json
import os
import time
from contextlib import redirect_stderr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import params, paths
from ycsbook.commands.runs import _below
from ycsbook.params import Sweep
from ycsbook.runner import progress
from ycsbook.runner.progress import Progress
from ycsbook.store.runs import RunStore
from ycsbook.sweep_runs import SweepRuns


def sweep(**changes) -> Sweep:
    values = {
        "name": "progress",
        "server": {"kind": "mongod"},
        "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}, {"name": "2c", "cores": 2, "ram_gib": 2}],
        "workloads": ["a"],
        "threads": [1, 2, 4],
        "min_duration": "5s",
        **changes,
    }
    return Sweep.model_validate(values)


PLANNED = params.plan(sweep())


def make(store: RunStore, run_id: str, outcome: str) -> None:
    folder = store.folder(run_id)
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"run_id": run_id, "outcome": outcome}))


STATES = st.lists(
    st.sampled_from(["missing", "completed", "failed", "incomplete"]), min_size=len(PLANNED), max_size=len(PLANNED)
)
# Minutes in the past or, where a clock was set back, in the future.
AGES_S = st.floats(-7200, 1e9)


@given(states=STATES, current=st.none() | st.integers(0, len(PLANNED)), age_s=AGES_S)
@settings(max_examples=60, deadline=None)
def test_figures_are_never_negative_and_never_more_than_all(tmp_path_factory, states, current, age_s):
    store = RunStore(tmp_path_factory.mktemp("store"))
    for run, state in zip(PLANNED, states, strict=True):
        if state != "missing":
            make(store, run.run_id, state)
    if current is not None:
        # One more than there are: a run of another sweep, or a load.
        name = PLANNED[current].run_id if current < len(PLANNED) else "other-1c-load-0123"
        folder = store.root / f"{name}.partial" / "hdr"
        folder.mkdir(parents=True)
        began = max(0.0, time.time() - age_s)
        os.utime(folder, (began, began))
    seen = progress.snapshot(PLANNED, store)
    done = states.count("completed")
    assert (seen.done, seen.total) == (done, len(PLANNED))
    longest = sum(r.expected_s for r, s in zip(PLANNED, states, strict=True) if s != "completed")
    assert 0 <= seen.seconds_left <= longest
    assert ("left" in str(seen)) == (done < len(PLANNED))


def test_nothing_planned_is_nothing_left(tmp_path):
    assert progress.snapshot([], RunStore(tmp_path / "missing")) == Progress(0, 0, "", 0.0)


def test_time_spent_in_the_current_run_counts(tmp_path):
    store = RunStore(tmp_path)
    before = progress.snapshot(PLANNED, store).seconds_left
    folder = store.begin(PLANNED[2].run_id) / "hdr"
    os.utime(folder, (time.time() - 3, time.time() - 3))
    seen = progress.snapshot(PLANNED, store)
    assert seen.current == PLANNED[2].run_id and before - 4 < seen.seconds_left < before - 2.9


def test_a_run_known_to_be_completed_is_not_read_again(tmp_path):
    store, completed = RunStore(tmp_path), set()
    make(store, PLANNED[0].run_id, "completed")
    make(store, PLANNED[1].run_id, "failed")
    assert progress.snapshot(PLANNED, store, completed=completed).done == 1
    assert completed == {PLANNED[0].run_id}
    (store.folder(PLANNED[0].run_id) / "manifest.json").unlink()
    make(store, PLANNED[2].run_id, "completed")
    assert progress.snapshot(PLANNED, store, completed=completed).done == 2


def test_the_throughput_of_late_is_shown(tmp_path):
    store = RunStore(tmp_path)
    log = store.begin(PLANNED[2].run_id) / "run.err"
    line = "2026-11-21 08:00:{0:02d}:000 {0} sec: {1} operations; 1 current ops/sec; est completion"
    lines = [line.format(i, 50 * i * i) for i in range(30)]
    log.write_text("\n".join(lines) + "\n2026-11-21 08:00:30:000 30 sec: 9 operations; 77")
    seen = progress.snapshot(PLANNED, store)
    assert len(seen.recent_ops_s) == progress.PACE_S and seen.recent_ops_s[-1] == 2850
    assert seen.pace.startswith("▃") and seen.pace.endswith("█ 2,850 ops/s")
    log.write_text("no status yet")
    assert progress.snapshot(PLANNED, store).pace == ""


def test_a_run_that_does_nothing_is_a_flat_line():
    assert Progress(0, 1, "x", 1.0, (0.0, 0.0)).pace == "▁▁ 0 ops/s"


@pytest.mark.parametrize("total", [0, 1, 2, 9, 10, 11, 15, 19, 20, 48, 199, 10_000])
def test_a_log_gets_about_ten_lines_with_the_first_and_the_last(total):
    text = io.StringIO()
    with redirect_stderr(text):
        show = progress._plain_lines()
        for done in range(total + 1):
            for _ in range(3):
                show(Progress(done, total, "", float(total - done)))
    lines = text.getvalue().splitlines()
    assert 1 <= len(lines) <= 11
    assert lines[0].startswith(f"0 of {total} runs") and lines[-1] == f"{total} of {total} runs done"


def test_outside_a_terminal_the_state_at_the_end_is_printed(tmp_path, capsys):
    store = RunStore(tmp_path)
    with progress.shown(PLANNED, store):
        for run in PLANNED:
            make(store, run.run_id, "completed")
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "6 of 6 runs done" and len(lines) <= 11


def test_the_display_ends_with_the_block_also_where_it_fails(tmp_path, capsys):
    import threading

    with pytest.raises(ZeroDivisionError), progress.shown(PLANNED, RunStore(tmp_path)):
        1 / 0  # noqa: B018
    assert "progress" not in {t.name for t in threading.enumerate()}
    assert "0 of 6 runs done" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("n", "said"), [(1, "1 finding so far"), (5, "5 findings so far"), (6, "6 findings so far, the 5 gravest:")]
)
def test_who_watches_is_told_how_many_of_the_findings_stand_there(tmp_path, n, said):
    lines = list(
        _below(SweepRuns(paths.PARAMS / "local.yml", store=tmp_path), [("note", f"finding {i}") for i in range(n)])
    )
    assert said in lines and len(lines) == 2 + min(n, 5)
