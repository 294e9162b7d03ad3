"""Whatever a data frame holds, the library answers or says in a sentence what is wrong with it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ycsbook as yb
from ycsbook.errors import YcsbookError
from ycsbook.scaling import LAWS

# A promise in all its variations.
pytestmark = pytest.mark.matrix

NUMBERS = st.one_of(
    st.sampled_from([1, 2, 4, 8, 16, 32, 100, 200, 1000.0]),
    st.sampled_from([np.nan, None, pd.NA, 0, -1, np.inf, 1e-300, 1e-9, 1e12, 1e300, "8", " ", "fast", True, pd.NaT]),
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0.5, 64),
)
THROUGHPUTS = st.one_of(st.floats(1e-6, 1e9), st.integers(1, 10**6), st.just(1000), st.just(np.nan), NUMBERS)
SPARSE = st.one_of(st.floats(1, 1e4), st.sampled_from([0.0, np.nan]))
SENSIBLE = st.sampled_from([1, 2, 4, 8, 16, 32])
TEXTS = st.sampled_from(["a", "b", "", None, "核", "a b", 7, "published", "completed", "failed"])
OTHERS = {
    "workload": TEXTS, "spec": TEXTS, "dataset": TEXTS, "outcome": TEXTS, "phase": TEXTS, "run_id": TEXTS,
    "ram_gib": NUMBERS, "repeat": NUMBERS, "read_ms": NUMBERS, "write_us": NUMBERS, "read_fraction": NUMBERS,
    "cpu": NUMBERS, "cpu %": NUMBERS, "target_ops_s": NUMBERS, "goodput_ops_s": NUMBERS, "notes": TEXTS,
    "thread": NUMBERS,
}  # fmt: skip


@st.composite
def frames(draw) -> pd.DataFrame:
    """Up to 14 rows; most with the columns that are needed, some with odd ones, a second time or under one index."""
    rows = draw(st.integers(0, 14))
    wild = draw(st.booleans())
    columns = {"cores": NUMBERS if wild else SENSIBLE, "threads": NUMBERS if wild else SENSIBLE}
    columns["qps"] = THROUGHPUTS if wild else draw(st.sampled_from([st.floats(1, 1e6), st.just(5000), SENSIBLE]))
    for name in draw(st.lists(st.sampled_from(sorted(OTHERS)), max_size=4, unique=True)):
        columns[name] = OTHERS[name]
    parts = [pd.Series(draw(st.lists(kind, min_size=rows, max_size=rows)), name=n, dtype=object)
             for n, kind in columns.items()]  # fmt: skip
    if not draw(st.booleans()):
        parts = [part.infer_objects() for part in parts]
    if draw(st.integers(0, 9)) == 0:
        parts.append(draw(st.sampled_from(parts)))
    frame = pd.concat(parts, axis="columns")
    if draw(st.integers(0, 4)) == 0:
        frame.index = pd.Index([0] * rows)
    return frame


@st.composite
def series(draw) -> pd.DataFrame:
    """One series of up to 20 runs that are what they should be, whatever throughput they claim to have."""
    rows = draw(st.integers(1, 20))
    figures = draw(st.sampled_from([st.floats(1e-9, 1e12), st.floats(900, 1100), SENSIBLE, st.just(5000.0), SPARSE]))
    sizes = draw(st.sampled_from([SENSIBLE, st.floats(0.1, 1000), st.floats(1e-6, 1e9)]))
    frame = {"qps": draw(st.lists(figures, min_size=rows, max_size=rows))}
    varied, fixed = ("cores", "threads") if draw(st.booleans()) else ("threads", "cores")
    frame[varied] = draw(st.lists(sizes, min_size=rows, max_size=rows))
    frame[fixed] = draw(st.sampled_from([np.nan, 1, 64]))
    if draw(st.booleans()):
        frame |= {"read_fraction": 0.5, "read_us": 100.0, "write_us": draw(st.floats(1e-3, 1e9))}
    if draw(st.booleans()):
        frame["cpu"] = draw(st.lists(st.floats(0, 1.1), min_size=rows, max_size=rows))
    return pd.DataFrame(frame)


def everything(fit) -> None:
    told = [fit.summary(), fit.summary("zh"), fit._repr_html_(), repr(fit), fit.verdict, fit.lack_of_fit]
    assert all(told)
    assert len(fit.parameters) == len(fit.covariance) == len(fit.fit.best)
    assert len(fit.residuals) == len(fit.fit.means)
    assert len(fit.predict([1, 8, 16, 1e6])) == 4 and len(fit.predict(3, interval="run")) == 1
    if fit.law == "usl":
        assert fit.peak.low <= fit.peak.at <= fit.peak.high


ASKED = {
    "limits": yb.limits,
    "anomalies": yb.anomalies,
    "compare": lambda df: yb.compare(df, df.iloc[: len(df) // 2 + 1]),
    "capacity": lambda df: yb.capacity(df, target_ops_s=5000),
    "fit": lambda df: everything(yb.fit(df)),
}
FITS = {f"fit {law}": lambda df, law=law: everything(yb.fit(df, x=varied(df), law=law)) for law in LAWS}


def varied(df: pd.DataFrame) -> str:
    return "cores" if df["cores"].nunique() > 1 else "threads"


@pytest.mark.parametrize("question", ASKED)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(frames())
def test_an_answer_or_a_sentence(question, df):
    before = df.copy(deep=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            ASKED[question](df)
        except YcsbookError as e:
            # A sentence, no fact and no traceback's text.
            assert str(e) and "reason=" not in str(e) and "Error" not in str(e)
    pd.testing.assert_frame_equal(df, before)


@pytest.mark.parametrize("question", [*FITS, *ASKED])
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(series())
def test_series_of_any_throughput(question, df):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            {**ASKED, **FITS}[question](df)
        except YcsbookError as e:
            assert str(e) and "reason=" not in str(e) and "Error" not in str(e)


def test_repeats_that_are_all_impossible_tell_of_no_others():
    busy = {"read_fraction": 0.5, "read_us": 1e4, "write_us": 1e4}
    df = pd.DataFrame({"cores": 4, "threads": [1, 2, 2, 8], "qps": [100.0, 9e6, 9.1e6, 300.0], **busy})
    limits = yb.limits(df)
    assert limits["limit"].tolist() == ["concurrency", "suspect", "suspect", "undecided"]
    assert limits["conf_low"].isna().all()
