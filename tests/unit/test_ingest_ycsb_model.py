"""YCSB's text in each of its dialects, built from a model and read back exactly."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn


@dataclass(frozen=True)
class Dialect:
    """How a release prints. `unit`: of percentiles; `counts`: how a count is written; `ok`: the code of success."""

    unit: str
    counts: str
    ok: str
    buckets: bool
    percentiles: tuple[str, ...]
    banner: str = "YCSB Client 0.17.0"

    @property
    def scale(self) -> int:
        return 1000 if self.unit == "ms" else 1


DIALECTS = {
    "0.1.4": Dialect("ms", "{}", "0", True, ("95th", "99th"), "YCSB Client 0.1"),
    "0.2 to 0.3.1": Dialect("ms", "{}.0", "0", False, ("95th", "99th"), "YCSB Client 0.1"),
    "0.4 to 0.12": Dialect("us", "{}.0", "OK", False, ("95th", "99th"), "YCSB Client 0.1"),
    "0.13 to 0.17": Dialect("us", "{}", "OK", False, ("95th", "99th")),
    "custom percentiles": Dialect("us", "{}", "OK", False, ("50", "95", "99", "99.9", "99.99")),
    "after 0.17": Dialect("us", "{}", "OK", False, ("50th", "95th", "99th"), "YCSB Client 0.18.0-SNAPSHOT"),
}


@st.composite
def operations(draw, dialect: Dialect) -> dict[str, dict]:
    found = {}
    names = st.lists(st.sampled_from(["READ", "UPDATE", "INSERT", "SCAN"]), min_size=1, max_size=4, unique=True)
    for name in draw(names):
        # Whole ms where that is what is printed.
        values = sorted(draw(st.lists(st.integers(1, 900), min_size=8, max_size=8)))
        lowest, *middle, highest = (v * 1000 for v in values)
        if not dialect.buckets:
            # HdrHistogram prints the upper end of a bucket.
            highest = (1 << highest.bit_length()) - 1
        good, bad = draw(st.integers(1000, 10**7)), draw(st.sampled_from([0, 0, 3]))
        found[name] = {
            "ok": good,
            "bad": bad,
            "min": lowest,
            "mean": draw(st.integers(lowest, highest)) + 0.5 * (lowest < highest) - (lowest < highest),
            "percentiles": dict(zip(dialect.percentiles, middle, strict=False)),
            "max": highest,
        }
    return found


def text(dialect: Dialect, model: dict[str, dict], runtime_ms: int, end: str = "\n") -> str:
    total = sum(o["ok"] + o["bad"] for o in model.values())
    count = dialect.counts.format
    lines = [f"Command line: -db x -s -threads 4 -t{'' if dialect.ok == 'OK' else ' -p old=1'}", dialect.banner]
    lines += [f"[OVERALL], RunTime(ms), {count(runtime_ms)}"]
    lines += [f"[OVERALL], Throughput(ops/sec), {total / runtime_ms * 1000!r}"]
    if dialect.ok == "OK":
        lines += ["[TOTAL_GC_TIME], Time(ms), 12", "[TOTAL_GC_TIME_%_PS_Scavenge], Time(%), 0.369"]
    for name, o in model.items():
        # From 0.4 on failures are a series of their own, which the count does not hold.
        own = o["ok"] + (0 if dialect.ok == "OK" else o["bad"])
        lines += [f"[{name}], Operations, {count(own)}", f"[{name}], AverageLatency(us), {o['mean']!r}"]
        lines += [f"[{name}], MinLatency(us), {count(o['min'])}", f"[{name}], MaxLatency(us), {count(o['max'])}"]
        for label, value in o["percentiles"].items():
            lines.append(f"[{name}], {label}PercentileLatency({dialect.unit}), {count(value // dialect.scale)}")
        lines.append(f"[{name}], Return={dialect.ok}, {o['ok']}")
        if o["bad"]:
            lines.append(f"[{name}], Return={'ERROR' if dialect.ok == 'OK' else '-1'}, {o['bad']}")
        if dialect.buckets:
            lines += [f"[{name}], {i}, {own if i == 2 else 0}" for i in range(1000)] + [f"[{name}], >1000, 0"]
    lines.append(f"[CLEANUP], Operations, {count(4)}")
    return end.join([*lines, ""])


@pytest.mark.parametrize("name", DIALECTS)
@settings(max_examples=30)
@given(data=st.data())
def test_every_dialect_is_read_back_exactly(name, data):
    dialect = DIALECTS[name]
    model, runtime_ms = data.draw(operations(dialect)), data.draw(st.integers(1, 10**6))
    [log] = ycsb.parse(text(dialect, model, runtime_ms, data.draw(st.sampled_from(["\n", "\r\n"]))))
    total = sum(o["ok"] + o["bad"] for o in model.values())
    assert (log.runtime_ms, log.throughput_ops_s, log.threads) == (runtime_ms, total / runtime_ms * 1000, 4)
    assert (log.attempted, log.failed) == (total, sum(o["bad"] for o in model.values()))
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    for operation, o in model.items():
        read = log.by_operation[operation]
        assert (read.mean_us, read.min_us, read.max_us) == (o["mean"], o["min"], o["max"])
        assert (read.ok, read.errors) == (o["ok"], o["bad"])
        wanted = {float(label.rstrip("th")): value for label, value in o["percentiles"].items()}
        if name == "0.2 to 0.3.1":
            wanted = {90.0 if p == 95 else p: value for p, value in wanted.items()}
        assert dict(read.percentiles) == {p: value // dialect.scale * dialect.scale for p, value in wanted.items()}
        assert dict(read.estimated).keys() == ({50.0, 90.0, 99.9, 99.99} if dialect.buckets else set())
    found = set(checks.warnings(log, run_phase="run", threads=math.nan, asked=4))
    assert (Warn.P95_IS_P90 in found) == (name == "0.2 to 0.3.1")
    assert (Warn.OPERATIONS_FAILED in found) == any(o["bad"] for o in model.values())
    assert not found & {Warn.UNIT_LABEL_WRONG, Warn.CENSORED, Warn.DERIVED, Warn.COUNTS_DISAGREE, Warn.TRUNCATED}


@settings(max_examples=30)
@given(data=st.data())
def test_several_runs_one_after_another_are_read_back_each(data):
    dialect = DIALECTS[data.draw(st.sampled_from(sorted(DIALECTS)))]
    models = [data.draw(operations(dialect)) for _ in range(data.draw(st.integers(2, 4)))]
    runtimes = [1000 + i for i in range(len(models))]
    logs = ycsb.parse("".join(text(dialect, m, r) for m, r in zip(models, runtimes, strict=True)))
    assert [log.runtime_ms for log in logs] == runtimes
    for log, model in zip(logs, models, strict=True):
        assert {s.operation: s.ok for s in log.summaries if s.operation != "CLEANUP"} == {
            name: o["ok"] for name, o in model.items()
        }
