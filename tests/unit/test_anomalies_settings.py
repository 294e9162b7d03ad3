"""The `anomalies` block of a params file: off, thresholds, and mistakes named with the nearest there is."""

import pytest

from ycsbook.anomalies import Settings
from ycsbook.errors import ParamsError
from ycsbook.params import load
from ycsbook.params.sections import rule_switches
from ycsbook.study import Study

SWEEP = "name: x\nserver: {kind: mongod}\nspecs: [{name: 1c, cores: 1, ram_gib: 1}]\n"


def written(tmp_path, text):
    path = tmp_path / "x.yml"
    path.write_text(SWEEP + text)
    return path


def test_off_and_thresholds():
    settings = Settings.of({"tail": "off", "warmup": False, "pool": "on", "stall": {"seconds": 10}})
    assert [settings.off(name) for name in ("tail", "warmup", "pool", "stall")] == [True, True, False, False]
    assert settings.of_rule("stall")["seconds"] == 10.0
    assert settings.of_rule("stall")["share"] == 0.05
    assert settings.of_rule("pool") == {"default_pool": 100}


def test_nothing_said_is_everything_as_it_is():
    assert Settings.of({}) == Settings.of(None) == Settings()


def test_the_plan_says_how_long_runs_were_to_be():
    assert Settings.of({}, planned_s=5.0).of_rule("invalid_run")["planned_s"] == 5.0
    given = Settings.of({"invalid_run": {"planned_s": 60, "failed_share": 0.5}}, planned_s=5.0)
    assert given.of_rule("invalid_run")["planned_s"] == 60.0
    assert given.of_rule("invalid_run")["failed_share"] == 0.5


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"stal": "off"}, "anomalies.stal: there is no such rule; did you mean 'stall'?"),
        ({"xyz": "off"}, "anomalies.xyz: there is no such rule; the rules are "),
        ({"stall": {"second": 1}}, "anomalies.stall.second: the rule has no such threshold; did you mean 'seconds'?"),
        ({"stall": {"zzz": 1}}, "anomalies.stall.zzz: the rule has no such threshold; its thresholds are share, secon"),
        ({"stall": {"seconds": "ten"}}, "anomalies: stall.seconds: got 'ten', expected a number"),
        ({"stall": {"seconds": True}}, "anomalies: stall.seconds: got True, expected a number"),
        ({"stall": {"seconds": float("nan")}}, "anomalies: stall.seconds: got nan, expected a number"),
        ({"stall": 5}, "anomalies: stall: got 5, expected off, on or thresholds such as"),
        (["stall"], "anomalies: got ['stall'], expected rules by name"),
    ],
)
def test_mistakes_are_named(block, said):
    with pytest.raises(ParamsError) as error:
        Settings.of(block)
    assert str(error.value).startswith(said)


def test_unknown_rules_and_thresholds_are_asked_for_by_name_only():
    with pytest.raises(ParamsError, match="did you mean 'noise'"):
        Settings().only(["nois"])


def test_a_params_file_has_the_block(tmp_path):
    sweep = load(written(tmp_path, "anomalies:\n  warmup: off\n  stall: {seconds: 10}\n"))
    settings = Settings.of(sweep.anomalies, planned_s=sweep.min_duration)
    assert settings.off("warmup")
    assert settings.of_rule("stall")["seconds"] == 10.0
    assert settings.of_rule("invalid_run")["planned_s"] == 1200.0
    assert load(written(tmp_path, "")).anomalies == {}


def test_a_block_of_another_kind_is_a_mistake_in_the_file(tmp_path):
    with pytest.raises(ParamsError, match=r"x\.yml:\d+: anomalies: .*expected off, on or thresholds"):
        load(written(tmp_path, "anomalies:\n  stall: 5\n"))


def test_an_unknown_rule_is_told_before_anything_is_measured(tmp_path):
    with pytest.raises(ParamsError, match=r"x\.yml: anomalies\.nois: there is no such rule; did you mean 'noise'"):
        Study(written(tmp_path, "anomalies: {nois: off}\n"))


def test_values_become_numbers():
    assert rule_switches({"a": {"b": 1}}) == {"a": {"b": 1.0}}
