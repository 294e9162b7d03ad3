"""The library for data of one's own, against truths from outside: formulas, R, SciPy, simulation, the commands."""

import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import curve_fit

import ycsbook as yb
from ycsbook import comparing, messages, named_tables, paths, scaling, trust
from ycsbook.errors import DataError, FitError, ParamsError, StoreError, YcsbookError
from ycsbook.facts import fact
from ycsbook.ingest.published.page_headings import SYNONYMS, meaning
from ycsbook.library.questions import tables_of
from ycsbook.plots.picture import Picture
from ycsbook.store import parquet

CORES = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48], dtype=float)
# SPEC SDM91 on a SPARCcenter 2000: users and scripts per hour; beside it what R's package usl prints for it.
SPECSDM91 = {1: 64.9, 18: 995.9, 36: 1652.4, 72: 1853.2, 108: 1828.9, 144: 1775.0, 216: 1702.2}
R_PRINTS = {"lambda": (89.9952330, 14.2134894), "sigma": (0.0277285, 0.0091217), "kappa": (0.0001044, 0.0000199)}
R_PEAK = 96.52
QING, TENCENT = "qingcloud-4.0.3", "tencent-2020-08"


def usl(p, lambda_=1000.0, sigma=0.03, kappa=5e-4):
    return lambda_ * p / (1 + sigma * (p - 1) + kappa * p * (p - 1))


def frame(x=CORES, noise=0.0, seed=0, **columns) -> pd.DataFrame:
    return pd.DataFrame(
        {"cores": x, "qps": usl(x) * np.exp(np.random.default_rng(seed).normal(0, noise, len(x)))} | columns
    )


def terms(fit) -> dict:
    return dict(zip(fit.parameters["term"], fit.parameters["estimate"], strict=True))


def test_exact_data_give_their_parameters():
    fit = yb.fit(frame(), law="usl")
    assert terms(fit) == pytest.approx({"lambda": 1000, "sigma": 0.03, "kappa": 5e-4}, rel=1e-6)
    assert fit.peak.at == pytest.approx(np.sqrt((1 - 0.03) / 5e-4), rel=1e-6)
    assert fit.is_claimed
    told = fit.predict([8, 16, 96])
    assert list(told.columns) == ["cores", "qps", "low", "high", "extrapolated", "interval_law"]
    assert told["qps"].to_numpy() == pytest.approx(usl(np.array([8, 16, 96.0])), rel=1e-6)
    assert told["extrapolated"].tolist() == [False, False, True]
    assert np.abs(fit.residuals["residual"]).max() < 1e-8


@pytest.mark.parametrize("law", ["linear", "power", "amdahl"])
def test_beyond_what_was_measured_the_interval_holds_the_value_it_is_of(law):
    data = pd.DataFrame({"cores": [1, 2, 4, 8, 16, 32], "qps": [995, 1900, 3600, 6400, 10100, 13100]})
    for interval in ("curve", "run"):
        told = yb.fit(data, law=law).predict([8, 64], interval=interval)
        assert told["qps"].between(told["low"], told["high"]).all()
        assert told["interval_law"].tolist() == [law, "usl"]


@pytest.mark.parametrize("x, other", [("cores", "threads"), ("threads", "cores")])
def test_several_of_the_other_at_one_x_are_to_be_fitted_over_the_other(x, other):
    data = pd.DataFrame({x: 4, other: [1, 2, 4, 8, 16], "qps": [995, 1900, 3600, 6400, 10100]})
    with pytest.raises(DataError, match=f"one number of {x}: fit over {other}, x='{other}'"):
        yb.fit(data, x=x)
    assert len(yb.fit(data, x=other).fit.means) == 5


def test_copies_are_no_repeats():
    once = pd.DataFrame({"cores": [2, 4, 8], "threads": 100, "qps": [1003.7, 2100.1, 3900.3]})
    found = yb.anomalies(pd.concat([once] * 3, ignore_index=True))
    (note,) = found.loc[found["rule"] == "noise", "sentence"]
    assert note == messages.text("noise-copied", where=None, rows=fact("configurations", n=3))
    assert set(trust.of_runs(tables_of(pd.concat([once] * 3, ignore_index=True)))) == {"C"}
    assert yb.compare(pd.concat([once] * 3), once.assign(qps=[900, 2000, 3500]))["evidence"].ne("repeats").all()
    # One that differs makes them repeats.
    other = pd.concat([once, once, once.assign(qps=[1003.7, 2100.1, 3900.2])], ignore_index=True)
    assert yb.anomalies(other)["sentence"].str.startswith("repeats vary by 0.0 %").any()
    assert set(trust.of_runs(tables_of(other))) == {"B"}


def test_published_example_of_r():
    """On the scale that R fits, estimates, standard errors and the peak are those that it prints."""
    data = pd.DataFrame({"threads": list(SPECSDM91), "qps": list(SPECSDM91.values())}, dtype=float)
    raw = scaling.fit(data, "usl", x="threads", y="qps", scale="raw")
    errors = np.sqrt(np.diagonal(raw.covariance))
    for (term, (estimate, error)), got, spread in zip(
        R_PRINTS.items(), raw.parameters["estimate"], errors, strict=True
    ):
        assert (got, spread) == pytest.approx((estimate, error), rel=5e-3), term
    assert raw.peak.at == pytest.approx(R_PEAK, rel=1e-3)
    # On ln X, as the library fits, the peak is at nearly the same place.
    fit = yb.fit(data, x="threads", law="usl")
    assert fit.peak.low < R_PEAK < fit.peak.high
    assert fit.predict(96.52)["qps"].item() == pytest.approx(1884, rel=0.06)


@pytest.mark.parametrize("seed", range(3))
def test_covariance_is_that_of_scipy(seed):
    data = frame(noise=0.02, seed=seed)
    found, covariance = curve_fit(
        lambda p, *theta: np.log(usl(p, *theta)), data["cores"], np.log(data["qps"]), p0=[900, 0.05, 1e-3],
        x_scale=[1e3, 0.1, 1e-3], xtol=1e-13, ftol=1e-13, gtol=1e-13, method="trf",
    )  # fmt: skip
    fit = yb.fit(data, law="usl")
    assert list(terms(fit).values()) == pytest.approx(list(found), rel=1e-5)
    assert fit.covariance.to_numpy() == pytest.approx(covariance, rel=1e-3)
    assert fit.parameters["std_error"].to_numpy() == pytest.approx(np.sqrt(np.diagonal(covariance)), rel=1e-3)


@pytest.mark.matrix
def test_intervals_cover_what_they_promise():
    """95 % intervals of 60 simulated sweeps: fewer than 51 hits have a chance of 0.1 % where the promise holds."""
    hits = np.zeros(4, int)
    for seed in range(60):
        fit = yb.fit(frame(noise=0.05, seed=seed), law="usl")
        rows = fit.parameters.set_index("term")
        middle = fit.predict(16)
        inside = [rows.loc[t, "conf_low"] <= v <= rows.loc[t, "conf_high"]
                  for t, v in (("lambda", 1000), ("sigma", 0.03), ("kappa", 5e-4))]  # fmt: skip
        hits += [*inside, bool(middle["low"].item() <= usl(16) <= middle["high"].item())]
    assert (hits >= 51).all(), hits


def test_no_law_named_is_the_selection_of_the_product():
    data = frame(noise=0.02, seed=1)
    choice = scaling.select(data.rename(columns={"qps": "goodput_ops_s"}))
    fit = yb.fit(data)
    assert (fit.law, fit.verdict) == (choice.law, choice.verdict)
    assert yb.fit(pd.DataFrame({"cores": CORES, "qps": 700 * CORES})).law == "linear"
    assert terms(yb.fit(pd.DataFrame({"threads": CORES, "tps": 700 * CORES**0.8}), "threads", "tps")) == pytest.approx(
        {"lambda": 700, "exponent": 0.8}
    )


def test_lack_of_fit_is_the_textbook_test():
    """Draper and Smith (1998), ch. 2: between the means of equal x, over within them; here by NumPy alone."""
    rng = np.random.default_rng(5)
    x = np.repeat([1, 2, 4, 8, 16, 32.0], 3)
    data = pd.DataFrame(
        {"cores": x, "ram_gib": np.tile([4, 8, 16], 6), "qps": 900 * x**0.9 * np.exp(rng.normal(0, 0.05, 18))}
    )
    log_x, log_y = np.log(x), np.log(data["qps"])
    slope, offset = np.polyfit(log_x, log_y, 1)
    means = log_y.groupby(x).transform("mean")
    lack, pure = ((means - offset - slope * log_x) ** 2).sum() / 4, ((log_y - means) ** 2).sum() / 12
    fit = yb.fit(data, law="power")
    assert fit.lack_of_fit[:3] == pytest.approx((4, 12, lack / pure))
    assert messages.text("fit-lack", x="cores", p=fit.lack_of_fit.p, shown=False) in fit.summary()
    bent = yb.fit(data.assign(qps=usl(x, kappa=2e-2) * np.exp(rng.normal(0, 0.01, 18))), law="power")
    p = bent.lack_of_fit.p
    assert p < 1e-6 and messages.text("fit-lack", x="cores", p=p, shown=True) in bent.summary()


def test_the_summary_says_parameters_intervals_and_verdict():
    fit = yb.fit(frame(noise=0.02), law="usl")
    text = fit.summary()
    assert text.startswith("usl law over cores: 9 points from 9 runs")
    for row in fit.parameters.itertuples():
        line = next(line for line in text.splitlines() if line.startswith(row.term))
        told = [float(word.replace(",", "")) for word in line.split()[1:]]
        assert told == pytest.approx([row.estimate, row.std_error, row.conf_low, row.conf_high], rel=5e-3)
    assert "Verdict: claimed." in text
    assert "可以采信" in fit.summary("zh")
    page = fit._repr_html_()
    assert "<table" in page and "claimed" in page


def test_pictures():
    fit = yb.fit(frame(noise=0.02), law="usl")
    for picture in (fit.plot(), fit.plot("zh"), fit.plot_residuals()):
        assert isinstance(picture, Picture)
        assert picture._repr_png_().startswith(b"\x89PNG")
    (axes,) = fit.plot().axes
    assert axes.get_xlabel() == "cores (log scale)" and "may be claimed" in axes.get_title(loc="left")
    over_threads = yb.fit(pd.DataFrame({"threads": CORES, "qps": usl(CORES)}), x="threads")
    assert over_threads.plot().axes[0].get_xlabel() == "client threads (log scale)"


def test_of_points_that_cannot_tell_there_is_no_curve_unless_a_law_is_asked_for():
    data = pd.DataFrame({"cores": CORES, "qps": 1000.0 * np.resize([1, 4, 2], len(CORES))})
    chosen = yb.fit(data)
    (axes,) = chosen.plot().axes
    assert chosen.verdict.key == "not-identifiable"
    assert axes.get_title(loc="left").replace("\n", " ").startswith(messages.text("fit-none", x="cores"))
    (asked,) = yb.fit(data, law=chosen.law).plot().axes
    assert "not claimed" in asked.get_title(loc="left").replace("\n", " ")
    assert len(asked.lines) > len(axes.lines) and len(asked.collections) > len(axes.collections)


def test_rows_that_cannot_be_right_are_left_out_and_bounds_are_bounds():
    data = yb.read(QING)
    fit = yb.fit(data, workload="a", threads=100)
    said = scaling.analyse(named_tables.read(QING).runs, named_tables.read(QING).operations)
    choice = said.choices[(said.choices["workload"] == "a") & (said.choices["threads"] == 100)].iloc[0]
    glance = said.glance[(said.glance["group"] == choice["group"]) & (said.glance["law"] == choice["law"])].iloc[0]
    assert fit.law == choice["law"] and messages.fact_of(choice, "verdict") == fit.verdict
    assert fit.residuals["lower_bound"].sum() == glance["n_censored"] > 0
    assert fit.rows["left_out"].sum() == glance["n_left_out"] > 0
    assert messages.text("fit-left-out", n=3) in fit.summary()


@pytest.mark.parametrize("name", [QING, TENCENT])
def test_a_frame_says_what_its_tables_say(name):
    tables, data = named_tables.read(name), yb.read(name)
    assert (data["qps"] == tables.runs["throughput_ops_s"]).all()
    by_row = yb.limits(data)
    by_cell = scaling.limits(tables.runs, tables.operations).merge(tables.runs, on=["workload", "spec", "threads"])
    assert dict(zip(data["run_id"], by_row["limit"], strict=True)) == dict(
        zip(by_cell["run_id"], by_cell["limit_kind"], strict=True)
    )
    for given in (tables, name):
        pd.testing.assert_frame_equal(yb.limits(given), by_row)
        pd.testing.assert_frame_equal(yb.anomalies(given), yb.anomalies(data))
    short = data[["cores", "threads", "qps", "workload", "ram_gib", "read_fraction"]]
    assert set(yb.anomalies(short)["rule"]) < set(yb.anomalies(data)["rule"])


def test_findings_name_their_rows():
    data = yb.read(QING).sample(frac=1, random_state=1)
    found = yb.anomalies(data, rules_only=["little_law"])
    assert len(found) and set(found["rule"]) == {"little_law"}
    for row in found[found["severity"] == "error"].itertuples():
        part = data.iloc[row.rows]
        reads = part["read_fraction"]
        spent = part["qps"] * (part["read_us"] * reads + part["write_us"] * (1 - reads))
        assert (spent / 1e6 / part["threads"] > 1.05).all()
    with pytest.raises(ParamsError, match="did you mean 'little_law'"):
        yb.anomalies(data, rules_only=["litle_law"])


def test_limits_keep_the_rows_and_their_index():
    data = pd.DataFrame(
        {"cores": 4, "threads": [1, 2, 4, 2], "qps": [1000, 1990, 0, np.nan]}, index=["x", "x", "y", "z"]
    )
    told = yb.limits(data)
    assert told.index.tolist() == ["x", "x", "y", "z"]
    assert told["limit"].tolist() == ["concurrency", "undecided", "", ""]


def test_compare_finds_the_ratio_that_was_put_in():
    rng = np.random.default_rng(2)
    x = np.repeat([2, 4, 8, 16.0], 4)
    specs = pd.DataFrame({"cores": x, "ram_gib": 4 * x, "threads": 64})
    old, new = (specs.assign(qps=f * 1000 * x * np.exp(rng.normal(0, 0.01, 16))) for f in (1, 1.5))
    told = yb.compare(old, new)
    cells = told[told["basis"] == "spec"]
    assert ((cells["conf_low"] < 1.5) & (cells["conf_high"] > 1.5)).all() and len(cells) == 4
    assert (cells["verdict"] == "higher").all()
    assert told.attrs["summary"].startswith("b against a.")
    without_ram = yb.compare(old.drop(columns="ram_gib"), new.drop(columns="ram_gib"))
    assert without_ram["ratio"].tolist() == told["ratio"].tolist()
    tables = named_tables.read(QING), named_tables.read(TENCENT)
    expected = messages.worded(comparing.compare(*tables))
    assert (yb.compare(*tables)["verdict"] == expected["verdict"]).all()


def test_capacity_by_command_and_by_library(tmp_path, monkeypatch):
    told = yb.capacity(QING, 40_000, workload="a")
    tables = named_tables.read(QING)
    parquet.write(tables, tmp_path)
    by_file = yb.capacity(tmp_path, 40_000, workload="a")
    pd.testing.assert_frame_equal(told, by_file)
    grades = trust.of_runs(tables)
    monkeypatch.setattr(trust, "of_runs", None)
    pd.testing.assert_frame_equal(told, yb.capacity(tables, 40_000, workload="a", grades=grades))
    assert told.loc[told["suffices"], "spec"].iloc[0] in told.attrs["answers"][0]
    both = yb.capacity(QING, 40_000, grades=grades)
    assert list(dict.fromkeys(both["workload"])) == ["a", "b"] and len(both.attrs["answers"]) == 2
    with pytest.raises(FitError, match="expected a number > 0"):
        yb.capacity(QING, -1, workload="a", grades=grades)


def test_everything_missing_is_said_at_once():
    data = pd.DataFrame({"cors": [1, 2], "Threads ": [3, "x"], "wrkload": "a", "notes": 3, "read_ms": [1, -2]})
    with pytest.raises(DataError) as caught:
        yb.limits(data)
    text = str(caught.value)
    assert text.splitlines() == [
        "'Threads ': row 1: got 'x', expected a number",
        "'read_ms': row 1: got -2, expected a number > 0",
        "no column cores, which may also be called core, cpus, vcpu, vcpus, n_cores, cpu_cores, cpu_count; "
        "did you mean 'cors'?",
        "no column qps, which may also be called tps, throughput, ops_s, ops_sec, ops_per_s, ops_per_sec, "
        "ops_per_second, throughput_ops_sec",
        "unknown column 'wrkload'; did you mean 'workload'? Else rename it",
        "found: 2 rows with cors, Threads , wrkload, notes, read_ms",
    ]


GOOD = {"cores": [2, 4], "threads": [8, 8], "qps": [10.0, 19.0]}
WRONG = {
    "no rows": (pd.DataFrame(GOOD).iloc[:0], "no rows"),
    "no frame": ([1, 2], "got list, expected a data frame"),
    "zero cores": (pd.DataFrame(GOOD | {"cores": [0, 4]}), "'cores': row 0: got 0, expected a number > 0"),
    "falling below zero": (pd.DataFrame(GOOD | {"qps": [10, -1]}), "'qps': row 1: got -1"),
    "infinite": (pd.DataFrame(GOOD | {"qps": [10, np.inf]}), "got inf"),
    "two that differ": (pd.DataFrame(GOOD | {"tps": [10, 20]}), "'qps' and 'tps' both stand for throughput_ops_s and"),
    "twice": (pd.DataFrame([[2, 4, 8, 10]], columns=["cores", "cores", "threads", "qps"]), "'cores' both stand for"),
    "per cents": (pd.DataFrame(GOOD | {"cpu": [93, 95]}), "call the column cpu_percent"),
    "outcome": (pd.DataFrame(GOOD | {"outcome": ["ok", "ok"]}), "outcome: got 'ok', expected completed, failed"),
    "one spec of two shapes": (pd.DataFrame(GOOD | {"spec": "mongo"}), "'mongo' has 2 different cores"),
    "true": (pd.DataFrame(GOOD | {"threads": [True, False]}), "got True, expected a number"),
    "dates": (pd.DataFrame(GOOD | {"threads": pd.to_datetime(["2024-01-01"] * 2)}), "expected a number"),
    "levels": (pd.concat({"x": pd.DataFrame(GOOD)}, axis=1), "no column cores"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused_in_a_sentence(case):
    data, said = WRONG[case]
    for ask in (yb.limits, yb.anomalies, lambda df: yb.compare(df, df), lambda df: yb.capacity(df, 5)):
        with pytest.raises(DataError) as caught:
            ask(data)
        assert said in str(caught.value)


REFUSED = {
    "law": ({"law": "usll"}, "law: got 'usll', expected None or one of linear"),
    "x": ({"x": "nodes"}, "x: got 'nodes', expected a column of cores or threads"),
    "y": ({"y": "ram_gib"}, "y: got 'ram_gib', expected a column of throughput"),
    "threads": ({}, "threads: several (8, 16), which no one curve describes; say which, such as threads=8"),
    "no such": ({"threads": 9}, "threads=9: no row; there are 8, 16"),
    "no column": ({"thrds": 9}, "thrds: no such column to choose rows by"),
    "few": ({"threads": 8, "law": "usl"}, "usl: 2 distinct cores (2, 4) cannot fix its 3 parameters"),
    "none": ({"threads": 16}, "No law can be fitted: linear: 1 core count (2) cannot fix its 1 parameter"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_fit_refuses_in_a_sentence(case):
    asked, said = REFUSED[case]
    data = pd.DataFrame({"cores": [2, 4, 2], "threads": [8, 8, 16], "qps": [10.0, 19.0, 10.0]})
    with pytest.raises(YcsbookError) as caught:
        yb.fit(data, **asked)
    assert said in str(caught.value)


def test_a_law_without_a_peak_says_so():
    with pytest.raises(FitError, match="the power law has no peak"):
        _ = yb.fit(frame(), law="power").peak
    with pytest.raises(FitError, match="expected cores > 0"):
        yb.fit(frame(), law="power").predict([4, "many"])
    assert len(yb.fit(frame(), law="power").predict([])) == 0


@pytest.mark.parametrize(("label", "column"), [
    ("QPS", "throughput_ops_s"), ("Throughput(ops/sec)", "throughput_ops_s"), ("vCPUs", "cores"),
    ("RAM (GB)", "ram_gib"), ("CPU %", "cpu_utilisation"), ("RAL(us)", "read_us"), ("WAL (ms)", "write_us"),
    ("notes", ""), (3, ""),
])  # fmt: skip
def test_columns_by_other_names(label, column):
    assert meaning(label) == column


def test_units_and_texts_are_converted():
    data = pd.DataFrame({"vcpus": ["2", 4], "Threads": [8, 8], "QPS": ["10", 19.0], "read ms": [1.5, None],
                         "CPU %": [50, 75], "memory_gb": [4, 8]})  # fmt: skip
    tables = tables_of(data)
    assert tables.runs["cpu_utilisation"].tolist() == [0.5, 0.75] and tables.runs["spec"].tolist() == ["2c4g", "4c8g"]
    assert tables.operations[["run_id", "operation", "mean_us"]].to_numpy().tolist() == [["row-0", "READ", 1500.0]]


def test_every_other_name_is_documented():
    page = (paths.REPOSITORY / "docs" / "api.md").read_text(encoding="utf-8")
    for column, names in SYNONYMS.items():
        for name in (column, *names):
            assert f"`{name}`" in page, name


def test_read_takes_logs_tables_and_a_csv(tmp_path):
    log = paths.REPOSITORY / "tests" / "data" / "ycsb" / "02_mongod_run_a_t8_hdr.out"
    one = yb.read(log)
    assert len(one) == 1 and one["threads"].item() == 8 and one["qps"].item() > 0 and one["read_us"].item() > 0
    assert yb.anomalies(one.assign(cores=2)).columns[0] == "severity"
    parquet.write(named_tables.read(TENCENT), tmp_path / "tables")
    pd.testing.assert_frame_equal(yb.read(tmp_path), yb.read(TENCENT))
    frame().to_csv(tmp_path / "mine.csv", index=False)
    pd.testing.assert_frame_equal(yb.read(tmp_path / "mine.csv"), frame())
    assert yb.fit(tmp_path / "mine.csv", law="usl").law == "usl"
    (tmp_path / "none").mkdir()
    with pytest.raises(StoreError, match="neither tables nor logs"):
        yb.read(tmp_path / "none")
    with pytest.raises(StoreError, match="no such folder"):
        yb.read("nowhere")


def test_importing_the_package_loads_nothing_and_shows_everything():
    script = (
        "import sys, ycsbook as yb; print(sorted(m for m in sys.modules if m.partition('.')[0] in "
        "('pandas', 'numpy', 'matplotlib', 'scipy', 'pyarrow')), yb.__version__,"
        "[n for n in yb.__all__ if n in dir(yb)]);"
        "import ycsbook.study; import pandas as pd;"
        "print(len(yb.anomalies(pd.DataFrame({'cores': [1], 'threads': [1], 'qps': [5.0]}))) >= 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert first == "[] 0.1.0 ['__version__', 'anomalies', 'capacity', 'compare', 'fit', 'limits', 'read']"
    assert second == "True"
    with pytest.raises(AttributeError, match="no attribute 'fits'"):
        _ = yb.fits


def test_the_frame_given_stays_as_it_is():
    data = frame(noise=0.1)
    before = data.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yb.fit(data).plot()
    pd.testing.assert_frame_equal(data, before)


def test_the_code_of_the_readme_runs():
    page = (paths.REPOSITORY / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(shown) == 2
    names: dict = {}
    exec("\n".join(shown), names)
    assert names["fit"].law == "usl" and len(names["vendor"]) == 72


def test_a_law_over_cores_whose_threads_rise_with_them():
    cores = np.array([2, 4, 8, 16, 32])
    frame = pd.DataFrame({"cores": cores, "threads": 16 * cores, "qps": 1800 * cores * np.array([1, 1.01, 1, 0.99, 1])})
    fit = yb.fit(frame)
    assert fit.law == "linear" and len(fit.residuals) == 5
    assert fit.plot() is not None
