"""From samples.csv to the table `samples`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.columns import SCHEMAS
from ycsbook.errors import RunLogError
from ycsbook.ingest.runs import samples

HEADER = ",".join(samples.COLUMNS)
GIB = 1024**3


def to_samples(path, run_id, **start):
    return samples.rows(run_id, samples.read(path.parent), **start)


def write(folder, *lines, end="\n"):
    path = folder / "samples.csv"
    path.write_text("\n".join([HEADER, *lines]) + end)
    return path


def test_lines_without_a_time_count_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "MAX_ROWS", 50)
    (tmp_path / "samples.csv").write_text("a\n" * 100)
    with pytest.raises(RunLogError, match="has more than 50 samples"):
        samples.read(tmp_path)


def test_rates_are_differences_over_time(tmp_path):
    path = write(tmp_path, f"100,10,1,{GIB},5,0.5", f"101,10.5,1.25,{2 * GIB},5,0.6", f"103,11.5,1.25,{GIB},5,0.7")
    found = to_samples(path, "r1")
    assert tuple(found.columns) == SCHEMAS["samples"]
    assert found.loc[:, :"load_average"].to_dict("list") == {
        "run_id": ["r1", "r1"],
        "elapsed_s": [1, 3],
        "interval_s": [1, 2],
        "server_cpu_cores": [0.5, 0.5],
        "client_cpu_cores": [0.25, 0],
        "server_rss_gib": [2, 1],
        "load_average": [0.6, 0.7],
    }
    assert found.loc[:, "inserts_s":].isna().all(axis=None), "nobody asked the server"


def test_what_the_server_counts_per_second(tmp_path):
    counted = "10,20,30,40,50,60,70,80,90,7", "20,40,60,80,100,120,140,160,180,8"
    lines = [f"{100 + 2 * i},1,1,1,1,0,{line},{GIB},{GIB / 2:.0f},{i},900" for i, line in enumerate(counted)]
    (row,) = to_samples(write(tmp_path, *lines), "r1").to_dict("records")
    rates = [row[f"{name}_s"] for name in samples.COUNTED]
    assert rates == [5, 10, 15, 20, 25, 30, 35, 40, 45]
    assert (row["connections"], row["cache_used_gib"], row["cache_dirty_gib"]) == (8, 1, 0.5)
    assert (row["checkpoint_running"], row["checkpoint_ms"]) == (1, 900)


def test_a_server_that_started_anew_counts_nothing_below_zero(tmp_path):
    lines = [f"{100 + i},1,1,1,1,0,{n},1,1,1,1,1,1,1,1,0,0" for i, n in enumerate((50, 3, 4))]
    assert to_samples(write(tmp_path, *lines), "r1")["inserts_s"].tolist()[1:] == [1]


def test_elapsed_counts_from_the_start_of_the_run_where_it_is_known(tmp_path):
    path = write(tmp_path, "100,1,1,1,1,0", "101,1,1,1,1,0")
    assert to_samples(path, "r1", start_epoch_s=100.5)["elapsed_s"].tolist() == [0.5]


def test_a_short_last_interval_joins_the_one_before(tmp_path):
    path = write(tmp_path, "100,0,0,1,1,0", "101,1,0,1,1,0", "102,2,0,1,1,0", "102.002,2.01,0,1,1,0")
    found = to_samples(path, "r1")
    assert found["interval_s"].tolist() == pytest.approx([1, 1.002])
    assert found["server_cpu_cores"].tolist() == pytest.approx([1, 1.01 / 1.002])


def test_what_is_not_known_stays_missing(tmp_path):
    path = write(tmp_path, "100,1,5,1,1,0", "101,,4,,1,0", "101,2,5,1,1,0", "102,3,5,1,1,0")
    found = to_samples(path, "r1")
    # The third row comes at the time of the second, as after a step of the clock: no interval, no row.
    assert found["interval_s"].tolist() == [1, 1]
    assert found["server_cpu_cores"].isna().tolist() == [True, False]
    assert found["client_cpu_cores"].isna().tolist() == [True, False]  # a total that fell
    assert found["server_rss_gib"].isna().tolist() == [True, False]


@pytest.mark.parametrize("end", ["", "\n"])
def test_too_few_rows_are_an_empty_table(tmp_path, end):
    found = to_samples(write(tmp_path, "100,1,1,1,1,0", end=end), "r1")
    assert found.empty and tuple(found.columns) == SCHEMAS["samples"]


@given(cut=st.integers(min_value=len(HEADER) + 1, max_value=len(HEADER) + 80))
@settings(deadline=None)
def test_a_file_cut_anywhere_gives_its_whole_rows(tmp_path_factory, cut):
    rows = [f"{100 + n},{n},{n},1,1,0" for n in range(5)]
    text = "\n".join([HEADER, *rows]) + "\n"
    path = tmp_path_factory.mktemp("cut") / "samples.csv"
    path.write_text(text[:cut])
    whole = text[:cut].count("\n") - 1
    assert len(to_samples(path, "r1")) == max(0, whole - 1)
