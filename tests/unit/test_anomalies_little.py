"""Little's law: rows that break it, rows out of family, and the slips that would explain them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from anomaly_samples import cell_of, flags, run, says, tables
from facts_in import holds
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import anomalies, closed_loop, trust
from ycsbook.anomalies.hints import chance_alike, one_digit_changed
from ycsbook.facts import fact
from ycsbook.messages import fact_of, say
from ycsbook.tables import from_rows

RUN = "1c-a-t4-r1"


def operation(name, count, mean_us, **more):
    return {"run_id": RUN, "operation": name, "count": count, "mean_us": mean_us, **more}


def utilisation_of(operations, **more):
    return closed_loop.of_runs(from_rows([run(**more)], "runs"), from_rows(operations, "operations"))["utilisation"][
        RUN
    ]


def test_utilisation_of_a_log_sums_all_operations_once():
    operations = [
        operation("READ", 1000.0, 1000.0),
        operation("UPDATE", 500.0, 2000.0),
        operation("UPDATE-FAILED", 10.0, 100_000.0),
        operation("READ-MODIFY-WRITE", 500.0, 3000.0),
        operation("CLEANUP", 4.0, 1_000_000.0),
        operation("VERIFY", 1000.0, 9000.0),
        operation("Intended-READ", 1000.0, 9000.0),
        operation("SCAN", 0.0, float("nan")),
    ]
    assert utilisation_of(operations, runtime_ms=1000.0) == pytest.approx((1e6 + 1e6 + 1e6) / (4 * 1e6))


def test_batched_writes_give_no_utilisation():
    assert np.isnan(utilisation_of([operation("INSERT", 10.0, 9e9, batched_ok=10.0)]))


def test_intended_latencies_break_no_law():
    operations = [operation("READ", 1500.0 * 1000, 9e6)]
    assert flags("little_law", [run()], operations=operations)[0].severity == "error"
    assert flags("little_law", [run(warnings="INTENDED_LATENCY")], operations=operations) == []


@pytest.mark.parametrize(
    ("utilisation", "severity"), [(1.2, "error"), (1.101, "error"), (1.099, "warning"), (1.04, "note"), (1.0005, None)]
)
def test_littles_law_by_size(utilisation, severity):
    mean_us = utilisation * 4 * 1.5e9 / 1_500_000
    found = flags("little_law", [run()], operations=[operation("READ", 1_500_000.0, mean_us)])
    assert [f.severity for f in found] == ([severity] if severity else [])
    for one in found:
        assert one.effect == pytest.approx(utilisation - 1)


def test_what_the_rounding_of_printed_figures_explains_is_not_noted():
    """0.60 ms is 0.595 to 0.605: a row of 2 threads and 3,360 ops/s has U of 1.008 by rounding alone."""
    rows = [run(float(i), 2, throughput=x, run_id=f"r{i}") for i, x in enumerate((3360.0, 1790.0, 1211.0, 907.0))]
    means = [{"run_id": f"r{i}", "operation": "READ", "mean_us": us} for i, us in enumerate((600.0, 1110, 1650, 2200))]
    rows = [{**row, "read_fraction": 1.0, "operations": np.nan, "runtime_ms": np.nan} for row in rows]
    assert flags("little_law", rows, operations=means) == []
    means[1]["mean_us"] = 1113.0  # printed to the microsecond
    (found,) = flags("little_law", rows, operations=means)
    assert (found.severity, found.run_ids) == ("note", ("r0",))


# Specs of a published table, with throughputs that have nothing in common but the mix of 50:50 and 100 threads.
THROUGHPUTS = (9172, 15_837, 24_391, 31_618, 43_257, 57_926, 71_384, 86_473, 94_751, 112_839)


def table(used: Sequence[float], outcome="published", **replaced: dict[int, float]):
    """A published table whose rows have X R / N of `used`, and the figures replaced by position.

    Read latency is four times the write latency; both are whole microseconds.
    """
    rows, operations = [], []
    for i, (x, u) in enumerate(zip(THROUGHPUTS, used, strict=False)):
        mean = 1e6 * u * 100 / x
        figures = {"throughput": float(x), "read": float(round(1.6 * mean)), "write": float(round(0.4 * mean))}
        figures |= {name: changes[i] for name, changes in replaced.items() if i in changes}
        rows.append(
            run(
                float(i + 1), 100, throughput=figures["throughput"], run_id=f"r{i}", spec=f"s{i}", outcome=outcome,
                vendor="V", goodput_ops_s=float("nan"), runtime_ms=float("nan"), operations=float("nan"),
            )
        )  # fmt: skip
        operations += [
            {"run_id": f"r{i}", "operation": name, "mean_us": figures[key]}
            for name, key in (("READ", "read"), ("UPDATE", "write"))
        ]
    return rows, operations


USUAL = (0.970, 0.975, 0.980, 0.972, 0.978, 0.974, 0.976, 0.971, 0.979, 0.973)


def but(**changed: float) -> tuple[float, ...]:
    """USUAL with some rows changed, named r3=0.8."""
    return tuple(changed.get(f"r{i}", u) for i, u in enumerate(USUAL))


def family(used, outcome="published", settings=None):
    rows, operations = table(used, outcome)
    return flags("little_family", rows, settings, operations=operations)


def test_a_usual_table_has_no_odd_row():
    assert family(USUAL) == []
    assert family((0.97,) * 10) == []


@pytest.mark.parametrize(("used", "side"), [(0.85, "below"), (1.02, "above")])
def test_a_row_out_of_family_on_either_side(used, side):
    (found,) = family(but(r3=used))
    assert (found.severity, found.run_ids) == ("notice", ("r3",))
    assert found.effect == pytest.approx(used / 0.9755 - 1, abs=0.002)
    assert says(found, "little_family", above=side == "above", usual=pytest.approx(0.9755, abs=0.001), outside=False)


def test_a_published_row_that_is_off_by_a_quarter_is_warned_of():
    (found,) = family(but(r3=0.5))
    assert (found.severity, found.run_ids) == ("warning", ("r3",))


def test_rows_that_little_law_warns_of_are_not_told_twice():
    assert family(but(r3=1.2)) == []


def test_neighbouring_specs_with_odd_rows_are_a_block():
    found = family(but(r3=0.85, r4=1.3, r8=0.9))
    assert [(f.severity, f.run_ids) for f in found] == [
        ("notice", ("r3",)), ("notice", ("r8",)), ("warning", ("r3", "r4")),
    ]  # fmt: skip
    assert (cell_of(found[-1], "first"), cell_of(found[-1], "last")) == ((4, None), (5, None))
    sides = tuple(fact(f"little_family-{side}", n=1) for side in ("above", "below"))
    assert says(found[-1], "little_family-block", rows=fact("rows", n=2), specs=2, sides=sides)
    assert len({f.cause for f in found}) == 1


def test_in_logs_of_ours_a_block_is_a_notice():
    rows, operations = table(but(r3=0.85, r4=0.86), "completed")
    found = flags("little_family", rows, operations=operations)
    assert {f.severity for f in found} == {"notice"}
    assert says(found[0], "little_family", outside=True)


def test_a_family_needs_rows():
    rows, operations = table(but(r3=0.85)[:7])
    assert flags("little_family", rows, operations=operations) == []
    assert len(flags("little_family", rows, {"rows": 7}, operations=operations)) == 1


def hints(used=USUAL, settings=None, **replaced):
    rows, operations = table(used, **replaced)
    return flags("repair_hint", rows, settings, operations=operations)


def test_one_digit_alone_is_no_hint():
    assert hints(throughput={5: 37_926.0}) == []


def test_a_difference_that_several_rows_share_comes_first_and_once():
    first, *others = hints(throughput={4: 63_257.0, 6: 91_384.0})
    assert (first.run_ids, others) == (("r4", "r6"), [])
    assert says(first, "repair_hint-common", figure="throughput_ops_s", difference=20_000.0, higher=False, n=2)
    changes = [(change.values["was"], change.values["becomes"]) for change in first.message.values["changes"]]
    assert changes == [(63_257, 43_257), (91_384, 71_384)]


def test_two_cells_that_changed_places_are_found():
    reads = [op["mean_us"] for op in table(USUAL)[1] if op["operation"] == "READ"]
    found = hints(read={1: reads[7], 7: reads[1]})
    assert [f.run_ids for f in found] == [("r1",), ("r7",)]
    assert says(found[0], "repair_hint", figure="read_us")
    other = found[0].message.values["other"].values
    assert (other["cores"], other["ram_gib"], other["threads"]) == (8, 8, 100)


def test_logs_of_ours_are_not_mended():
    rows, operations = table(but(r3=0.85), "completed")
    assert flags("repair_hint", rows, operations=operations) == []


def test_a_table_without_failing_rows_has_no_hints():
    assert hints() == []


def test_a_difference_that_chance_gives_often_is_no_hint():
    throughput = {4: 63_257.0, 6: 91_384.0}
    (told,) = hints(throughput=throughput)
    assert 0 < told.message.values["alike"] <= 0.2
    assert hints(throughput=throughput, settings={"chance": told.message.values["alike"] * 0.99}) == []
    # Three rows of six agree less often than two.
    two, three = (chance_alike({("read_us", 10.0): 0.1, ("read_us", 20.0): 0.05}, n, 6, "read_us") for n in (2, 3))
    assert 0 < three < two <= 1


@given(st.integers(1, 10**7))
def test_one_digit_changed_is_every_such_number(number):
    text = str(number)
    expected = {
        int(text[:i] + digit + text[i + 1 :])
        for i in range(len(text)) for digit in "0123456789"
        if digit != text[i] and not (i == 0 and digit == "0")
    }  # fmt: skip
    found = one_digit_changed(np.array([float(number), 12_345_678.0]))[0]
    assert sorted(found[np.isfinite(found)].astype(int)) == sorted(expected)


def test_digits_after_the_point_stay_and_nothing_comes_of_nothing():
    found = one_digit_changed(np.array([42.5, np.nan, 0.5]))
    assert set(found[0][np.isfinite(found[0])] % 1) == {0.5}
    assert np.isnan(found[1:]).all()
    assert one_digit_changed(np.array([])).size == 0


def thread_hints(rows, operations, settings=None):
    return flags("thread_hint", rows, settings, operations=operations)


def test_a_row_measured_with_other_threads_is_named_with_them():
    rows, operations = table(USUAL)
    rows[5]["threads"] = 200.0
    (found,) = thread_hints(rows, operations)
    assert (found.severity, found.run_ids, found.effect) == ("note", ("r5",), -0.5)
    assert says(found, "thread_hint", fits=100.0, printed=200.0, exchanged=False, busy=pytest.approx(97.4, abs=0.1))
    assert 0 < found.message.values["by_chance"] < 0.6


def test_a_count_that_the_table_lacks_is_found_where_it_is_usual():
    rows, operations = table(but(r2=2.94))
    assert [f.message.values["fits"] for f in thread_hints(rows, operations)] == [300.0]
    rows, operations = table(but(r2=2.30))  # nobody measures with 236 threads
    assert thread_hints(rows, operations) == []


def test_two_rows_of_a_spec_that_fit_each_others_threads_are_exchanged():
    rows, operations = table(but(r3=1.952, r4=0.487))
    rows[3]["spec"] = rows[4]["spec"] = "s3"
    rows[4]["threads"] = 200.0
    operations = [{**op, "mean_us": op["mean_us"] * 2} if op["run_id"] == "r4" else op for op in operations]
    (found,) = thread_hints(rows, operations)
    assert found.run_ids == ("r3", "r4")
    assert says(found, fits=200.0, printed=100.0, exchanged=True)


def test_usual_rows_and_our_own_logs_have_no_thread_hint():
    assert thread_hints(*table(USUAL)) == []
    assert thread_hints(*table(but(r3=0.487), "completed")) == []


@pytest.mark.parametrize("power", [3, 1, -1, -3, 2])
def test_a_power_of_ten_is_named(power):
    rows, operations = table(but(r3=0.976 * 10.0**power))
    (found,) = [f for rule in ("little_law", "little_family") for f in flags(rule, rows, operations=operations)]
    assert found.message.values["power"] == power and "power" not in family(but(r3=0.5))[0].message.values
    assert say(found.message, "zh").count("？") == 1


def neighbours(row, throughput):
    """A published ladder of three thread counts on six servers whose U is 0.976; one row's throughput is replaced."""
    rows, operations = [], []
    for i, (cores, threads) in enumerate((c, t) for c in (2, 4, 8, 16, 32, 64) for t in (64, 128, 256)):
        x = 1950.0 * cores**0.8 * (1 + 0.004 * (i % 3))
        figures = {"throughput": throughput if i == row else x, "run_id": f"r{i}", "spec": f"s{cores}", "vendor": "V"}
        unknown = dict.fromkeys(("goodput_ops_s", "runtime_ms", "operations"), float("nan"))
        rows.append(run(float(cores), threads, outcome="published", **figures, **unknown))
        mean_us = 0.976e6 * threads / x
        operations += [{"run_id": f"r{i}", "operation": name, "mean_us": mean_us} for name in ("READ", "UPDATE")]
    return tables(rows, operations=operations)


@pytest.mark.parametrize(("factor", "rule"), [(0.1, "little_family"), (2.65, "little_law")])
def test_a_misprinted_throughput_is_one_finding_and_leaves_its_neighbours_their_grade(factor, rule):
    right = 1950.0 * 16**0.8 * 1.004
    odd = neighbours(10, right * factor)
    found = anomalies.find(odd)
    told = found[found["severity"] != "note"]
    assert told["rule"].tolist() == [rule] and told["run_ids"].tolist() == ["r10"]
    assert holds(fact_of(told.iloc[0], "message"), f"{rule}-slip", fits=right)
    grades = trust.grades(odd.runs, found)
    assert grades.index[grades.isin(trust.DOUBTFUL)].tolist() == ["r10"]


def test_what_a_wrong_throughput_does_not_explain_is_told_beside_it():
    """A row that is impossible by a quarter and does a third of what fewer threads do: no misprint by a quarter."""
    odd = neighbours(11, 1950.0 * 16**0.8 / 3)
    means = odd.operations["mean_us"].where(odd.operations["run_id"] != "r11", odd.operations["mean_us"] * 3 * 1.25)
    found = anomalies.find(replace(odd, operations=odd.operations.assign(mean_us=means)))
    told = found[found["rule"].isin(["little_law", "thread_regression"]) & (found["severity"] != "note")]
    assert set(told["rule"]) == {"little_law", "thread_regression"} and told["cause"].nunique() == 1
    assert set(told["advice_key"]) == {"little_law-advice"}
