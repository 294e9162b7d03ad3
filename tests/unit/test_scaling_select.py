"""Choosing a law: AICc only where it exists, the same points for all, RAM, and a ceiling that must not fool us."""

import closed_loops
import numpy as np
import pandas as pd
import pytest

from ycsbook.errors import FitError
from ycsbook.scaling import analyse, fit, select
from ycsbook.units import significant

LINEAR = (2, 4, 8, 16, 32)
CORES = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)


@pytest.mark.parametrize("cores", [LINEAR, (1, 2, 4, 6, 8, 12, 16, 24, 32)])
@pytest.mark.parametrize("seed", range(4))
def test_a_linear_server_at_100_threads_does_not_fool_us(cores, seed):
    runs = closed_loops.runs(cores, (100,), seed=seed)
    choice = select(runs)
    for law in ("amdahl", "usl"):
        assert choice.fits[law].verdict.startswith("shown: ")
        assert choice.law != law
    assert "ceiling of threads / response time" in choice.sentence
    if len(cores) > 5:
        assert choice.verdict.startswith("not identifiable: ")
        assert "a closed loop's ceiling" in choice.verdict
    analysis = analyse(runs)
    assert (analysis.joint["verdict"].str.startswith("not identifiable: ")).all()
    assert not analysis.joint["identifiable"].any()


def test_with_more_threads_the_same_server_is_found_linear():
    analysis = analyse(closed_loops.runs((1, 2, 4, 6, 8, 12, 16, 24, 32), (100, 200, 400), seed=2))
    highest = analysis.choices.set_index("group").loc["a, 400 threads"]
    assert (highest["law"], highest["verdict"]) == ("linear", "claimed")
    assert (analysis.glance.loc[analysis.glance["law"] == "usl", "verdict"] != "claimed").all()
    joint = analysis.joint.set_index("term")
    assert (joint["verdict"] == "claimed").all()
    assert joint.loc["exponent", "estimate"] == pytest.approx(1.0, abs=0.05)
    assert joint.loc["r0_us", "estimate"] == pytest.approx(1400, rel=0.08)


def test_too_few_measurements_leave_a_description_that_claims_nothing():
    runs = closed_loops.runs(LINEAR, (100,), seed=1).assign(censored=[False, False, True, True, True])
    choice = select(runs)
    assert choice.law == "power"
    assert "the curve describes the points, not the server: only 2 of 5 points" in choice.verdict
    assert all(found.verdict.startswith("shown: the curve describes") for found in choice.fits.values())
    assert all(not found.problem.censored.any() for found in choice.fits.values())


def test_a_ratio_has_its_interval_and_the_linear_law_none():
    cores = np.array([1, 2, 4, 8, 12, 16, 24, 32], dtype=float)
    wobble = np.exp(0.02 * np.resize([1, -1, -1, 1], len(cores)))
    linear = select(pd.DataFrame({"cores": cores, "goodput_ops_s": 1000 * cores * wobble}))
    assert linear.law == "linear"
    assert linear.sentence.startswith(
        "From 1 to 32 cores the linear law makes throughput proportional to cores (lambda"
    )
    assert "times" not in linear.sentence
    power = select(pd.DataFrame({"cores": cores, "goodput_ops_s": 1000 * cores**0.7 * wobble}))
    low, high = power.fits["power"].parameters.set_index("term").loc["exponent", ["conf_low", "conf_high"]]
    said = f"the power law gives {32 ** power.fits['power'].best[1]:.1f} times ({32**low:.1f} to {32**high:.1f}) the"
    assert power.law == "power" and said in power.sentence
    amdahl = select(pd.DataFrame({"cores": cores, "goodput_ops_s": closed_loops.usl(cores, 0.1) * wobble}))
    low, high = amdahl.fits["amdahl"].parameters.set_index("term").loc["sigma", ["conf_low", "conf_high"]]
    said = f" times ({32 / (1 + 31 * high):.1f} to {32 / (1 + 31 * low):.1f}) the throughput"
    assert amdahl.law == "amdahl" and said in amdahl.sentence
    usl = select(pd.DataFrame({"cores": cores, "goodput_ops_s": closed_loops.usl(cores, 0.02, 4e-3) * wobble}))
    top = usl.fits["usl"].predict(32).iloc[0]
    said = f" ops/s ({significant(top['conf_low'])} to {significant(top['conf_high'])}) (lambda "
    assert usl.law == "usl" and said in usl.sentence and " times " not in usl.sentence


@pytest.mark.parametrize(
    ("n", "said"), [(1, "; 1 more point is a lower bound"), (2, "; 2 more points are lower bounds")]
)
def test_one_lower_bound_is_singular(n, said):
    runs = closed_loops.runs(CORES, (100,), seed=1, sigma=0.05).assign(censored=np.arange(len(CORES)) >= len(CORES) - n)
    choice = select(runs)
    assert said in choice.sentence
    assert choice.fits["power"].caveat.endswith(said[2:].replace(" point is", " is").replace(" points are", " are"))


def test_all_laws_see_the_same_points():
    runs = closed_loops.runs(CORES, (100,), seed=1, sigma=0.05).assign(censored=CORES >= 24)
    choice = select(runs)
    assert {(len(f.means), int(f.problem.censored.sum()), f.n_measured) for f in choice.fits.values()} == {(8, 2, 6)}


def test_aicc_is_used_only_where_every_law_has_one():
    # The USL has an AICc from 6 points on; with 5 the laws are compared by the leave-one-out error.
    amdahl = closed_loops.usl(CORES, 0.2)
    few = pd.DataFrame({"cores": CORES[:5], "goodput_ops_s": amdahl[:5] * (1 + 0.01 * np.array([1, -1, 0, 1, -1]))})
    choice = select(few)
    assert np.isnan(choice.fits["usl"].aicc)
    assert choice.law == "amdahl"


def test_nothing_at_all_can_be_fitted():
    choice = select(pd.DataFrame({"cores": CORES, "goodput_ops_s": np.nan}))
    assert (choice.law, choice.fits) == ("", {})
    assert choice.verdict.startswith("not identifiable: no throughput column is complete")


def specs(ratio_effect=0.0, ram_exponent=0.0, seed=0):
    """Each core count with 2, 4 and 8 GiB per core."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            "cores": p, "ram_gib": p * r, "spec": f"{p:g}c{p * r:g}g",
            "goodput_ops_s": closed_loops.usl(p, 0.05) * (p * r / 16) ** ram_exponent
            * np.exp(ratio_effect * (r == 8) + rng.normal(0, 0.02)),
        }
        for p in CORES for r in (2.0, 4.0, 8.0)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_ram_as_covariate():
    data = specs(ram_exponent=0.3)
    found = fit(data, "usl", ram="covariate")
    term = found.parameters.set_index("term").loc["ram_exponent"]
    assert term["conf_low"] < 0.3 < term["conf_high"]
    assert term["std_error"] < 0.02
    assert found.parameters.set_index("term").loc["sigma", "estimate"] == pytest.approx(0.05, abs=0.02)
    assert found.residual_se < 0.03
    assert fit(data, "usl").residual_se > 0.1
    assert np.log(found.augment()["observed"] / found.augment()["fitted"]).to_numpy() == pytest.approx(
        found.augment()["residual"].to_numpy()
    )


def test_ram_as_group():
    data = specs(ratio_effect=0.5)
    found = fit(data, "amdahl", ram="group")
    terms = found.parameters.set_index("term")
    assert terms.loc["ln_factor 8 GiB/core", "estimate"] == pytest.approx(0.5, abs=0.04)
    assert terms.loc["ln_factor 4 GiB/core", "conf_low"] < 0 < terms.loc["ln_factor 4 GiB/core", "conf_high"]
    assert found.residual_se < 0.03
    assert found.df == len(data) - 4
    assert select(data, ram="group").fits["amdahl"].best == pytest.approx(found.best, abs=1e-6)


def test_leave_one_out_with_ram_is_that_of_fitting_again():
    data = specs(ratio_effect=0.5)
    missed = []
    for i in range(len(data)):
        left = fit(data.drop(index=i), "amdahl", ram="group")
        row, terms = data.loc[i], left.parameters.set_index("term")["estimate"]
        factor = terms.get(f"ln_factor {row['ram_gib'] / row['cores']:g} GiB/core", 0.0)
        fitted = np.log(left.predict(row["cores"], interval=None)["fitted"].item()) + factor
        missed.append(np.log(row["goodput_ops_s"]) - fitted)
    expected = np.sqrt(np.mean(np.square(missed)))
    assert fit(data, "amdahl", ram="group").loo_error == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("data", "ram", "message"),
    [
        (specs(), "mixed", "ram: got 'mixed', expected one of apart, group, covariate"),
        (specs().assign(ram_gib=np.nan), "covariate", "the RAM of 24 of 24 specs is not known"),
        (specs().query("ram_gib == 4 * cores"), "covariate", "RAM follows from the cores here"),
        (specs().query("ram_gib == 4 * cores"), "group", "RAM follows from the cores here"),
    ],
)
def test_ram_that_says_nothing_is_refused(data, ram, message):
    with pytest.raises(FitError) as refused:
        fit(data, "power", ram=ram)
    assert message in str(refused.value)
