"""Tables that somebody wrote: threads of another row, copied figures, units that are wrong."""

import numpy as np
import pandas as pd
import pytest

import ycsbook as yb
from ycsbook import anomalies, ingest, trust

LADDER = [8, 16, 32, 64, 128, 256]


def ladder(threads=LADDER, *, latency="read_ms", **more):
    """One server, whose operations take 0.6 ms until 40,000 a second are reached."""
    n = np.array(threads, dtype=float)
    qps = np.minimum(n / 0.0006, 40_000 + n / 100).round()
    return pd.DataFrame(
        {"cores": 8, "ram_gib": 32, "threads": n, "qps": qps, latency: (n / qps * 1000).round(4), **more}
    )


def with_row_of(frame, threads, of):
    """The frame with a row that says `threads` and has the figures of another."""
    return pd.concat([frame, frame[frame["threads"] == of].assign(threads=threads)], ignore_index=True)


def found(frame, rule):
    all_found = yb.anomalies(frame)
    return all_found[all_found["rule"] == rule].to_dict("records")


@pytest.mark.parametrize("columns", [{"read_percent": 100}, {"latency": "avg_latency_ms"}])
def test_a_row_with_the_figures_of_other_threads_is_named_in_a_short_table(columns):
    frame = ladder(**columns)
    assert [found(frame, rule) for rule in ("little_family", "copied_rows", "thread_hint")] == [[], [], []]
    odd = with_row_of(frame, 100, 64)
    (family,), (copied,), (hint,) = (found(odd, rule) for rule in ("little_family", "copied_rows", "thread_hint"))
    assert (family["severity"], family["rows"]) == ("warning", [6])
    assert family["effect"] == pytest.approx(-0.36, abs=0.01)
    assert (copied["severity"], copied["rows"]) == ("warning", [6])
    assert "64 threads and 8 cores 32 GiB" in copied["sentence"] and "100 threads" in copied["sentence"]
    assert hint["rows"] == [6] and "fits 64 threads, not 100" in hint["sentence"]


def test_a_mislabelled_row_is_named_though_no_other_has_its_threads():
    frame = ladder([8, 16, 32, 64, 128, 256, 100], read_percent=100)
    frame.loc[6, ["qps", "read_ms"]] = [39_981, 1.601]
    (family,), (hint,) = found(frame, "little_family"), found(frame, "thread_hint")
    assert family["rows"] == hint["rows"] == [6] and found(frame, "copied_rows") == []


def test_the_same_throughput_alone_is_no_copy():
    frame = ladder(read_percent=100)
    frame["qps"] = 40_000
    frame["read_ms"] = frame["threads"] / 40
    assert found(frame, "copied_rows") == [] and found(frame, "little_family") == []
    assert found(with_row_of(frame, 128, 128), "copied_rows") == []  # a repeat


def test_copies_are_named_where_the_mix_is_unknown():
    odd = with_row_of(ladder(), 100, 64)
    assert [f["rows"] for f in found(odd, "copied_rows")] == [[3, 6]]


def two_servers(**figures):
    """Two servers of 8 and 16 cores, of which 20,123 and 39,870 operations a second are expected."""
    n, cores = np.tile([64.0, 128, 256], 2), np.repeat([8.0, 16], 3)
    qps = np.array([20_123.0, 20_310, 20_090, 39_870, 40_210, 39_760])
    mean_us = n / qps * 1e6
    frame = pd.DataFrame({"cores": cores, "ram_gib": 4 * cores, "threads": n, "qps": qps, "read_fraction": 0.5})
    return frame.assign(read_us=(0.8 * mean_us).round(), write_us=(1.2 * mean_us).round(), **figures)


def test_figures_of_another_spec_are_a_copy_from_three_long_ones_on():
    frame = two_servers()
    assert found(frame, "copied_rows") == []
    figures = ["qps", "read_us", "write_us"]
    frame.loc[3, figures] = frame.loc[0, figures]
    (copied,) = found(frame, "copied_rows")
    assert (copied["severity"], copied["rows"]) == ("warning", [0, 3])
    assert yb.anomalies(frame.drop(columns="write_us").assign(read_fraction=1.0)).query("rule == 'copied_rows'").empty


def test_exchanged_rows_are_one_finding_for_all_that_follows_from_them():
    frame = two_servers()
    figures = ["qps", "read_us", "write_us"]
    frame.loc[[1, 4], figures] = frame.loc[[4, 1], figures].to_numpy()
    told = yb.anomalies(frame).query("severity != 'note'").to_dict("records")
    assert [(f["rule"], f["severity"], f["rows"]) for f in told] == [("swapped_rows", "warning", [1, 4])]
    assert "Exchanged, both would fit" in told[0]["sentence"]


def two_counts(seed=3, noise=0.03):
    """Ten specs of 2 to 32 cores, two mixes at two thread counts, single runs."""
    rng, shapes = np.random.default_rng(seed), [(c, c * r) for c in (2, 4, 8, 16, 32) for r in (2, 4)]
    cells = [(c, ram, reads, n) for c, ram in shapes for reads in (0.5, 0.95) for n in (100, 200)]
    frame = pd.DataFrame(cells, columns=["cores", "ram_gib", "read_fraction", "threads"])
    expected = 3000 * frame["cores"] ** 0.8 * np.where(frame["read_fraction"] > 0.9, 1.5, 1.0)
    frame["qps"] = (expected * np.exp(rng.normal(0, noise, len(frame)))).round()
    return frame.assign(read_ms=(frame["threads"] / frame["qps"] * 1000).round(3),
                        write_ms=(frame["threads"] / frame["qps"] * 1000).round(3))  # fmt: skip


def test_exchanged_specs_are_found_though_there_are_two_thread_counts_only():
    frame, figures = two_counts(), ["qps", "read_ms", "write_ms"]
    assert found(frame, "swapped_rows") == []
    one, other = (frame.index[(frame["cores"] == c) & (frame["ram_gib"] == 4 * c)][2] for c in (4, 16))
    frame.loc[[one, other], figures] = frame.loc[[other, one], figures].to_numpy()
    (told,) = yb.anomalies(frame).query("severity in ('error', 'warning', 'notice')").to_dict("records")
    assert (told["rule"], told["rows"]) == ("swapped_rows", [one, other])
    grades = trust.of_runs(yb.library.questions.tables_of(frame))
    assert (grades == "D").sum() == 2


def test_latencies_of_some_specs_in_another_unit_are_one_finding_and_leave_the_throughputs_alone():
    frame = two_counts()
    frame.loc[frame["cores"] == 16, ["read_ms", "write_ms"]] /= 1000
    told = yb.anomalies(frame).query("severity in ('error', 'warning', 'notice')").to_dict("records")
    assert [(f["rule"], len(f["rows"])) for f in told] == [("little_family", 4), ("little_family", 4)]
    assert all("on 16 cores 32 GiB and 16 cores 64 GiB" in f["sentence"] for f in told)
    assert not (trust.of_runs(yb.library.questions.tables_of(frame)) == "D").any()


def throughputs_alone(**more):
    """Five servers of one RAM for each core, two mixes at two thread counts, and no latencies."""
    frame = two_counts(**more)
    return frame[frame["ram_gib"] == 2 * frame["cores"]].drop(columns=["read_ms", "write_ms"]).reset_index(drop=True)


def graver(frame):
    told = yb.anomalies(frame)
    return told[told["severity"].isin(["error", "warning", "notice"])].to_dict("records")


@pytest.mark.matrix
@pytest.mark.parametrize("times", [10, 0.1, 1000])
@pytest.mark.parametrize("row", [3, 10, 19])  # of the smallest server, one between, the largest
def test_a_wrong_number_of_digits_is_one_finding_and_its_neighbours_are_right(times, row):
    frame = throughputs_alone()
    assert found(frame, "wrong_digits") == []
    right = frame.loc[row, "qps"]
    frame.loc[row, "qps"] = right * times
    (told,) = graver(frame)
    assert (told["rule"], told["rows"]) == ("wrong_digits", [row]) and f"{right:,.0f} ops/s would fit" in told[
        "sentence"
    ]
    assert (trust.of_runs(yb.library.questions.tables_of(frame)) == "D").sum() == 1


def test_servers_that_all_do_less_with_many_threads_have_no_wrong_digits():
    frame = throughputs_alone()
    frame["qps"] = frame["qps"].mask(frame["threads"] == 200, frame["qps"] / 10)
    assert found(frame, "wrong_digits") == []
    logs = throughputs_alone().assign(format="ycsb")
    logs.loc[10, "qps"] /= 10  # what a log measured has no slip
    assert found(logs, "wrong_digits") == []


@pytest.mark.parametrize("cores", [(8, 16), (2, 4), (4, 16)])
def test_exchanged_labels_of_two_specs_are_one_finding_about_all_their_rows(cores):
    frame = throughputs_alone()
    assert found(frame, "swapped_rows") == []
    one, other = (frame.index[frame["cores"] == c] for c in cores)
    frame.loc[[*one, *other], "qps"] = frame.loc[[*other, *one], "qps"].to_numpy()
    (told,) = graver(frame)
    assert told["rule"] == "swapped_rows" and sorted(told["rows"]) == [*one, *other]
    assert all(f"{c} cores, {2 * c} GiB" in told["sentence"] for c in cores)
    assert (trust.of_runs(yb.library.questions.tables_of(frame)) == "D").sum() == 8


@pytest.mark.parametrize(
    "factors",
    [
        {16: 0.75, 32: 0.7},  # falls beyond a peak
        {16: 0.6},  # one is slow
        {8: 1.5},  # one is fast
        {16: 0.7, 8: 1.1},
    ],
)
def test_a_slow_spec_or_a_peak_is_no_exchange_of_labels(factors):
    frame = throughputs_alone()
    frame["qps"] *= frame["cores"].map(factors).fillna(1.0)
    assert found(frame, "swapped_rows") == []


def test_specs_that_lose_with_more_threads_are_not_exchanged():
    frame = two_counts(noise=0.0)
    large = (frame["cores"] >= 16) & (frame["threads"] == 200)
    frame["qps"] = frame["qps"].mask(large, frame["qps"] * 0.5).mask(frame["cores"] == 2, frame["qps"] * 1.3)
    assert found(frame.drop(columns=["read_ms", "write_ms"]), "swapped_rows") == []


@pytest.mark.parametrize("kept", [{1: 0.6}, {2: 0.5}, {0: 0.6}, {1: 0.6, 2: 0.4}])
def test_a_fall_a_stall_or_a_peak_is_no_exchange(kept):
    frame = two_servers()
    for row, share in kept.items():
        frame.loc[row, "qps"] *= share
    assert found(frame, "swapped_rows") == []
    frame.loc[4, "qps"] *= 1.3
    assert found(frame, "swapped_rows") == []


def test_few_rows_must_agree_before_one_is_odd():
    frame = with_row_of(ladder(read_percent=100), 100, 64)
    assert found(frame.iloc[[0, 1, 2, 6]], "little_family") == []  # four rows
    spread = frame.assign(read_ms=frame["read_ms"] * [1, 0.9, 0.97, 0.93, 1, 0.95, 1])
    assert found(spread, "little_family") == []
    near = frame.assign(read_ms=frame["read_ms"] * [1, 1, 1, 1, 1, 1, 1.3])  # 0.83 of the others
    assert found(near, "little_family") == []


def test_what_a_log_measured_is_no_slip():
    odd = with_row_of(ladder(read_percent=100), 100, 64).assign(format="ycsb")
    (family,) = found(odd, "little_family")
    assert family["severity"] == "notice" and "outside the database" in family["sentence"]
    assert found(odd, "thread_hint") == []


def test_a_page_is_asked_the_same(tmp_path):
    odd = with_row_of(ladder(), 100, 64)
    rows = "".join(f"| 8C32G | {t:g} | {q:g} | {r} |\n" for t, q, r in odd[["threads", "qps", "read_ms"]].to_numpy())
    page = tmp_path / "page.md"
    page.write_text(
        f"## 100:0\n\n| Spec | Threads | QPS | Read avg (ms) |\n|---|---|---|---|\n{rows}", encoding="utf-8"
    )
    tables = ingest.read([page])
    findings = anomalies.find(tables)
    assert {"little_family", "copied_rows", "thread_hint"} <= set(findings["rule"])
    assert trust.grades(tables.runs, findings)["page-8c32g-c-t100"] == "D"


@pytest.mark.parametrize(
    ("column", "times", "severity", "words"),
    [("read_ms", 1000, "error", "1,000 times"), ("read_us", 1, "notice", "a thousandth"), ("read_ms", 1, "", "")],
)
def test_a_unit_that_looks_wrong_is_told_once(column, times, severity, words):
    frame = pd.concat([ladder(), ladder().assign(cores=16)], ignore_index=True)
    frame = frame.assign(**{column: frame["read_ms"] * times, "read_fraction": 1.0})
    frame = frame if column == "read_ms" else frame.drop(columns="read_ms")
    told = found(frame, "little_law")
    assert [f["severity"] for f in told] == ([severity] if severity else [])
    for finding in told:
        assert finding["rows"] == list(range(12)) and "12 of 12 rows" in finding["sentence"]
        assert words in finding["sentence"] and "unit looks wrong" in finding["sentence"]


def test_one_row_in_twelve_of_another_kind_leaves_the_hint_and_is_told_itself():
    frame = pd.concat([ladder(), ladder().assign(cores=16)], ignore_index=True).assign(read_fraction=1.0)
    frame["read_ms"] *= 1000
    frame.loc[3, "read_ms"] /= 500
    told = found(frame, "little_law")
    assert sorted(len(f["rows"]) for f in told) == [1, 11] and all(f["severity"] == "error" for f in told)
    half = frame.assign(read_ms=frame["read_ms"] / np.where(np.arange(12) < 6, 1000, 1))
    assert len(found(half, "little_law")) == 6  # half the rows: no unit


def test_threads_that_are_held_to_a_rate_have_no_wrong_unit():
    frame = ladder(latency="read_us", read_fraction=1.0)
    assert len(found(frame, "little_law")) == 1
    assert found(frame.assign(target_ops_s=frame["qps"]), "little_law") == []


def test_findings_name_rows_of_a_server_that_nobody_names():
    qps = [3600, 1e6, 4.4e10, 2.6e11, 2.9e11, 3.4e11, 4.6e11, 6.7e11, 3.3e10, 4e11, 2.8e10, *[1] * 6]
    runs = pd.DataFrame({"qps": qps, "threads": [*[1] * 13, 2, 4, 8, 1], "cores": np.nan, "read_fraction": 0.5})
    assert not yb.anomalies(runs.assign(read_us=100.0, write_us=1.0)).empty
