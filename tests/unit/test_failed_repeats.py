"""A run whose operations failed, beside repeats of its cell that did not: it decides nothing, and is named."""

import pytest
from anomaly_samples import run, tables
from facts_in import holds, keys_in
from report_samples import head_of

from ycsbook import named_tables, scaling, trust
from ycsbook.params import UnplannedSweep
from ycsbook.params.sections import ReportSettings
from ycsbook.scaling.cells import cells, noise, with_utilisation
from ycsbook.scaling.growth import growths
from ycsbook.scaling.points import with_throughput
from ycsbook.scaling.repeats import failed_beside_repeats
from ycsbook.store import parquet

# A promise in all its variations.
pytestmark = pytest.mark.matrix

LEVELS = {2.0: 2000.0, 4.0: 3500.0, 8.0: 6100.0}


def sweep(failed=(), share=0.31, repeats=(1, 2, 3)):
    """Three specs, each with these repeats; of the (cores, repeat) in `failed` a share of the operations failed."""
    rows = [run(cores, 4, repeat, level * (1 + 0.01 * (repeat - 2))) for cores, level in LEVELS.items()
            for repeat in repeats]  # fmt: skip
    for row in rows:
        if (row["cores"], row["repeat"]) in failed:
            row["failed_operations"] = share * row["operations"]
            row["goodput_ops_s"] *= 1 - share
    return tables(rows)


def test_cells_noise_growth_and_capacity_rest_on_the_good_repeats():
    one, none = sweep({(4.0, 2)}), sweep()
    whole, without = (cells(with_utilisation(t.runs, t.operations)) for t in (none, one))
    assert without["n"].tolist() == [3, 2, 3]
    assert without["log_y"].to_numpy() == pytest.approx(whole["log_y"].to_numpy(), abs=0.001)
    assert next(iter(noise(without).values())).variance < 2 * next(iter(noise(whole).values())).variance
    factors = [growths(with_throughput(t.runs))[0].factor for t in (none, one)]
    assert factors[1] == pytest.approx(factors[0], abs=0.01)
    grades = trust.of_runs(one)
    limits = scaling.limits(one.runs, one.operations)
    answer = trust.capacity(one.runs, limits, grades, workload=None, qps=3000.0).set_index("spec")
    assert answer.loc["4c", "observed"] == pytest.approx(3500.0, rel=0.01)
    assert (answer["mark"] == "").all()


def test_each_run_has_its_own_grade():
    grades = trust.of_runs(sweep({(4.0, 2)}))
    assert grades["4c-a-t4-r2"] == "F"
    assert set(grades.drop("4c-a-t4-r2")) <= {"A", "B"}
    # One good run beside a failed one was not repeated.
    pair = trust.of_runs(sweep({(4.0, 2)}, repeats=(1, 2)))
    assert (pair["4c-a-t4-r1"], pair["4c-a-t4-r2"], pair["2c-a-t4-r1"]) == ("C", "F", pair["2c-a-t4-r2"])


@pytest.mark.parametrize(
    ("failed", "share", "aside"),
    [
        ({(4.0, 1), (4.0, 2), (4.0, 3)}, 0.31, 0),  # nothing better is there
        ({(4.0, 1), (4.0, 2)}, 0.31, 2),
        ({(4.0, 1)}, 0.009, 0),  # within the limit
        ({(4.0, 1), (8.0, 1)}, 0.02, 2),
        ((), 0.31, 0),
    ],
)
def test_only_beside_good_repeats_of_the_same_cell(failed, share, aside):
    found = sweep(failed, share)
    assert failed_beside_repeats(found.runs).sum() == aside
    assert len(with_throughput(found.runs)) == 9 - aside


def test_runs_of_unnamed_servers_are_no_repeats():
    found = sweep({(4.0, 2)})
    assert not failed_beside_repeats(found.runs.assign(spec="")).any()
    assert not failed_beside_repeats(found.runs.drop(columns="failed_operations")).any()


def test_the_report_says_that_operations_failed_and_nothing_is_impossible():
    found = head_of(sweep({(4.0, 2)}))
    (aside,) = found.facts()["doubt"]
    rows = [{"mix": {"reads": 50}, "threads": 4, "specs": [{"cores": 4, "ram_gib": 4}]}]
    assert holds(aside, "short-set-aside", n=1, least=None, most=0.31, rows=rows)
    assert "short-verdict-doubt" not in keys_in(found.head)
    assert found.rows.left_out["run_id"].tolist() == ["4c-a-t4-r2"] and found.grades["4c-a-t4-r2"] == "F"


def test_of_a_cell_all_of_whose_runs_failed_the_report_says_so():
    found = head_of(sweep({(4.0, 1), (4.0, 2), (4.0, 3)}))
    assert holds(found.head, "short-verdict-doubt", n=3, total=9, failed=3, impossible=0, others=0)
    facts = {fact.key: fact.values for fact in found.facts()["doubt"]}
    assert set(facts) == {"short-failed"} and facts["short-failed"]["most"] == pytest.approx(0.31)


def test_both_languages_say_it():
    for failed in ({(4.0, 2)}, {(4.0, 1), (4.0, 2), (4.0, 3)}, {(4.0, 1), (4.0, 2), (8.0, 1)}):
        for lang in ("en", "zh"):
            sheet = UnplannedSweep(name="mine", title="mine")
            answer = head_of(sweep(failed), sheet.model_copy(update={"report": ReportSettings(lang=lang)})).answer
            assert "31" in " ".join(line for _, line in answer.lines) and "{" not in answer.verdict


def test_a_written_report_lists_the_run_as_left_out(tmp_path):
    parquet.write(sweep({(4.0, 2)}), tmp_path / "t")
    page = named_tables.write_reports(tmp_path / "t", tmp_path / "r")[0][0].markdown.read_text()
    assert "1 left out" in page and "4c-a-t4-r2" in page.split("What was left out")[1] and "1 × F" in page
