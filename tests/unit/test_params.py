"""Params files: what is accepted, what is refused and where the message points."""

import random

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import params, paths
from ycsbook.errors import ParamsError

MINIMAL = {"name": "t", "server": {"kind": "mongod"}, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}]}


def load(tmp_path, text):
    file = tmp_path / "p.yml"
    file.write_text(text if isinstance(text, str) else yaml.safe_dump(text, sort_keys=False))
    return params.load(file)


def test_only_name_server_and_specs_are_required(tmp_path):
    sweep = load(tmp_path, MINIMAL)
    assert [w.name for w in sweep.workloads] == ["a", "b"]
    assert (sweep.threads, sweep.min_duration, sweep.repeats) == ((100, 200), 1200.0, 1)
    assert (sweep.records, sweep.write_concern, sweep.java_options, sweep.report.lang) == (20000, 1, (), "en")


def test_what_is_only_asked_of_tables_makes_no_runs(tmp_path):
    (tmp_path / "p.yml").write_text("prices: {M10: 0.1}\ngoals: {qps: 10}\n")
    asked = params.load_prices_and_goals(tmp_path / "p.yml")
    assert (dict(asked.prices), asked.goals.qps, asked.specs, asked.planned) == ({"M10": 0.1}, 10, (), False)
    with pytest.raises(ParamsError, match="missing; expected a value for 'server'"):
        params.load(tmp_path / "p.yml")
    (tmp_path / "p.yml").write_text("server: {kind: uri}\nspecs: [{name: a, cores: 1, ram_gib: 1}]\nthreads: [0]\n")
    assert [spec.name for spec in params.load_prices_and_goals(tmp_path / "p.yml").specs] == ["a"]
    load(tmp_path, MINIMAL)
    assert params.load_prices_and_goals(tmp_path / "p.yml").planned


def test_the_committed_files_load():
    names = {params.load(p).name for p in paths.PARAMS.glob("*.yml")}
    assert "local" in names


def test_relative_paths_count_from_the_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert params.load("params/local.yml").name == "local"


def test_a_workload_of_ones_own(tmp_path):
    sweep = load(tmp_path, {**MINIMAL, "workloads": ["a", {"name": "mine", "read": 0.9, "insert": 0.1}]})
    assert sweep.workloads[1].changes_records and not sweep.workloads[0].changes_records


WRONG = {
    "unknown key": ({"thread": [1]}, "thread: unknown key; did you mean 'threads'?"),
    "name not a slug": ({"name": "../x"}, "name: got '../x'"),
    "no cores": ({"specs": [{"name": "a", "cores": 0, "ram_gib": 1}]}, "specs[0].cores: got 0"),
    "text for a number": ({"specs": [{"name": "a", "cores": "many", "ram_gib": 1}]}, "specs[0].cores: got 'many'"),
    "unknown kind": ({"server": {"kind": "oracle"}}, "server.kind: got 'oracle'"),
    "threads not a list": ({"threads": 5}, "threads: got 5"),
    "zero threads": ({"threads": [0]}, "threads[0]: got 0"),
    "threads twice": ({"threads": [4, 4]}, "expected each thread count once"),
    "no such workload": ({"workloads": ["z"]}, "workloads: got 'z', expected one of a, b, c, d, e, f"),
    "shares not 1": ({"workloads": [{"name": "w", "read": 0.5}]}, "add up to 0.5, expected 1"),
    "write concern 2": ({"write_concern": 2}, "write_concern: got 2"),
    "spec twice": ({"specs": [dict(s) for s in MINIMAL["specs"] * 2]}, "the name '1c' stands twice"),
    "uri without env": ({"server": {"kind": "uri"}}, "spec '1c' needs uri_env"),
    "env without uri": ({"specs": [{**MINIMAL["specs"][0], "uri_env": "X"}]}, "only server kind uri takes"),
    "a uri instead of its variable": (
        {"server": {"kind": "uri"}, "specs": [{**MINIMAL["specs"][0], "uri_env": "mongodb://u:p@h"}]},
        "specs[0].uri_env: got",
    ),
    "path outside": (
        {"server": {"kind": "mongod", "published": "../../etc/passwd"}},
        "expected a path inside the repository",
    ),
    "basis of nothing": ({"basis": {"record": "printed"}}, "'record' is not a setting; did you mean 'records'?"),
    "endless": ({"min_duration": "99999h"}, "min_duration: got"),
    "more records than a Java int": ({"records": 2**31}, "records: got 2147483648"),
    "infinite cores": ({"specs": [{"name": "a", "cores": float("inf"), "ram_gib": 1}]}, "specs[0].cores: got"),
    "price of nothing": ({"prices": {"1cc": 2}}, "prices.1cc: there is no such spec; did you mean '1c'?"),
    "a price of 0": ({"prices": {"1c": 0}}, "prices.1c: got 0"),
    "a price as a currency": ({"currency": "12 EUR"}, "currency: got '12 EUR'"),
    "unknown goal": ({"goals": {"p99": 5}}, "goals.p99: unknown key; did you mean 'p99_ms'?"),
    "a goal of 0": ({"goals": {"qps": 0}}, "goals.qps: got 0"),
    "clients misspelt": ({"clients": "atuo"}, "clients: got 'atuo', expected a whole number, or 'auto'"),
    "no specs": ({"specs": []}, "specs: got [], expected at least 1 item"),
    "a bool is no number": ({"repeats": True}, "repeats: got True"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_one_line_that_names_file_line_and_key(tmp_path, case):
    change, expected = WRONG[case]
    with pytest.raises(ParamsError) as caught:
        load(tmp_path, {**MINIMAL, **change})
    message = str(caught.value)
    assert expected in message
    assert "p.yml:" in message
    assert "\n" not in message


def test_the_line_is_the_one_of_the_mistake(tmp_path):
    with pytest.raises(ParamsError, match=r"p\.yml:5: repeets: unknown key"):
        load(tmp_path, "name: t\nserver: {kind: mongod}\nspecs:\n  - {name: a, cores: 1, ram_gib: 1}\nrepeets: 3\n")


def test_every_mistake_has_a_line(tmp_path):
    with pytest.raises(ParamsError) as caught:
        load(
            tmp_path,
            "name: My Sweep\nserver: mongod\nspecs:\n  - {name: a, cores: yes}\nthreads: 5\ntitle: 2020\n"
            "report: {front_matter: {a: {b: c}}}\nrecords: 1.5\nanomalies: {off: [nois]}\n",
        )
    assert str(caught.value).replace(f"{tmp_path}/", "").splitlines() == [
        "p.yml:1: name: got 'My Sweep', expected up to 64 small letters, digits, '.', '_' and '-', "
        "a letter or digit first",
        "p.yml:2: server: got 'mongod', expected a mapping with kind",
        "p.yml:4: specs[0].cores: got True, expected a number",
        "p.yml:4: specs[0].ram_gib: missing; expected a value for 'ram_gib'",
        "p.yml:5: threads: got 5, expected a list such as [4, 16]",
        "p.yml:6: title: got 2020, expected text",
        "p.yml:7: report.front_matter.a: got {'b': 'c'}, expected true or false, or a whole number, or a number, "
        "or text, or a list",
        "p.yml:8: records: got 1.5, expected a whole number",
        "p.yml:9: anomalies: off: got ['nois']; name the rule first, such as noise: off",
    ]


def test_specs_without_an_address_are_named_where_they_stand(tmp_path):
    with pytest.raises(ParamsError) as caught:
        load(
            tmp_path,
            "name: t\nserver: {kind: uri}\nspecs:\n  - {name: a, cores: 1, ram_gib: 1}\n"
            "  - {name: b, cores: 1, ram_gib: 1, uri_env: X}\n  - {name: c, cores: 1, ram_gib: 1}\n",
        )
    first, second = str(caught.value).splitlines()
    assert "p.yml:4: specs[0]: spec 'a' needs uri_env" in first
    assert "p.yml:6: specs[2]: spec 'c' needs uri_env" in second


@pytest.mark.parametrize(
    "line",
    ["target_ops_s: yes", "goals: {qps: on}", "prices: {1c: true}", "max_failed: no", "seed: yes", "write_concern: yes",
     "vary: {target_ops_s: [yes]}", "specs: [{name: 1c, cores: yes, ram_gib: 1}]"],
)  # fmt: skip
def test_a_truth_value_is_no_number(tmp_path, line):
    key = line.partition(":")[0]
    rest = {name: value for name, value in MINIMAL.items() if name != key}
    with pytest.raises(ParamsError, match=r"got (True|False), expected a number$"):
        load(tmp_path, yaml.safe_dump(rest) + line + "\n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("vary: {treads: [1]}", "vary: 'treads' is not one of records"),
        ("vary: {write_concern: [1, 7]}", "vary.write_concern: got 7, expected 0, 1, 'majority' or 'journaled'"),
        ("vary: {records: [1, 1]}", "vary.records: got [1, 1], expected each value once"),
        ("prices: {x: 1}", "prices.x: there is no such spec; known: 1c"),
    ],
)
def test_a_mistake_that_only_the_whole_file_shows_has_its_line_too(tmp_path, line, said):
    with pytest.raises(ParamsError) as caught:
        load(tmp_path, yaml.safe_dump(MINIMAL, sort_keys=False) + line + "\n")
    number = len(yaml.safe_dump(MINIMAL).splitlines()) + 1
    assert f"p.yml:{number}: {said}" in str(caught.value)


HOSTILE = {
    "python object": "name: !!python/object/apply:os.system ['true']\n",
    "alias": "a: &x [1]\nb: *x\n",
    "key twice": "name: a\nname: b\n",
    "deep": "[" * 20_000,
    "deep mapping": "{a: " * 20_000,
    "not a mapping": "- 1\n- 2\n",
    "empty": "",
    "list as key": "? [1, 2]\n: x\n",
    "NUL": "name: \0\n",
    "not UTF-8": b"name: \xff\xfe\n",
    "huge": "# " + "x" * 2_000_000,
    "tab": "name:\n\t- x\n",
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_yaml_is_refused_in_one_line(tmp_path, case):
    content = HOSTILE[case]
    file = tmp_path / "p.yml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ParamsError) as caught:
        params.load(file)
    assert "p.yml" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1\n", r"2:1: not valid YAML: expected ',' or '\]', but got '<stream end>'"),
        ("name: x\nb: 1: 2\n", r"2:5: not valid YAML: mapping values are not allowed here"),
        ("name: x\nb:\n- @c\n", r"3:3: not valid YAML: found character '@' that cannot start any token"),
        ("name: [*x]\n", r"1:8: not valid YAML: aliases are not allowed"),
        ("name: x\nb: " + "[" * 19 + "1" + "]" * 19, r"2:23: not valid YAML: more than 20 levels deep"),
    ],
)
def test_what_is_not_yaml_is_told_with_its_place(tmp_path, text, said):
    with pytest.raises(ParamsError, match=said):
        load(tmp_path, text)


def test_sexagesimal_is_not_read_as_a_number(tmp_path):
    text = yaml.safe_dump(MINIMAL) + "min_duration: 1:30\n"
    with pytest.raises(ParamsError, match=r"min_duration: got '1:30', expected a duration such as 5s or 20min"):
        load(tmp_path, text)


def test_a_missing_file_names_those_there_are():
    with pytest.raises(ParamsError, match=r"lokal\.yml: no such params file; the repository has .*params/local\.yml"):
        params.load("params/lokal.yml")


def runs(**change):
    sweep = params.Sweep.model_validate({**MINIMAL, "threads": [4, 16], "repeats": 3, **change})
    return params.plan(sweep, client="jar", servers={"1c": "mongod 6.0.5"})


def test_the_plan_is_the_whole_product_repeat_by_repeat():
    planned = runs()
    assert len(planned) == 1 * 2 * 2 * 3
    assert [r.repeat for r in planned] == sorted(r.repeat for r in planned)
    assert len({r.run_id for r in planned}) == len(planned)


def test_a_ladder_adds_one_thread_and_its_doublings():
    assert {r.threads for r in runs(ladder=True)} == {1, 2, 4, 8, 16}
    assert {r.threads for r in runs(ladder=True, threads=[100])} == {1, 2, 4, 8, 16, 32, 64, 100}
    assert {r.threads for r in runs(ladder=True, threads=[1])} == {1}


def test_a_ladder_keeps_the_runs_that_were_asked_for_without_it():
    assert {r.run_id for r in runs()} < {r.run_id for r in runs(ladder=True)}


def test_prices_goals_and_what_the_rules_are_told(tmp_path):
    text = yaml.safe_dump(MINIMAL) + (
        "prices: {1c: 0.12}\ncurrency: USD\ngoals: {qps: 80000, p99_ms: 5}\nladder: true\n"
        "anomalies: {tail: off, little_law: {warning: 1.05}}\n"
    )
    sweep = load(tmp_path, text)
    assert (sweep.prices, sweep.currency, sweep.ladder) == ({"1c": 0.12}, "USD", True)
    assert (sweep.goals.qps, sweep.goals.p99_ms) == (80000, 5)
    assert sweep.anomalies == {"tail": False, "little_law": {"warning": 1.05}}


def test_the_plan_is_the_same_each_time():
    assert [r.run_id for r in runs()] == [r.run_id for r in runs()]


CHANGES = [
    {"records": 20001}, {"field_count": 9}, {"field_length": 99}, {"min_duration": 7}, {"write_concern": "majority"},
    {"read_preference": "secondary"}, {"upsert": True}, {"batch_size": 2}, {"target_ops_s": 100}, {"operations": 10},
    {"java_options": ["-Xmx1g"]}, {"max_failed": 0.1}, {"table": "other"},
    {"specs": [{"name": "1c", "cores": 2, "ram_gib": 1}]}, {"specs": [{"name": "1c", "cores": 1, "ram_gib": 2}]},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: next(iter(c)))
def test_whatever_is_measured_changes_the_run_id(change):
    assert {r.run_id for r in runs()}.isdisjoint(r.run_id for r in runs(**change))


SHOWN = [
    {"title": "x"}, {"report": {"lang": "zh"}}, {"basis": {"records": "assumed"}}, {"prices": {"1c": 0.5}},
    {"currency": "USD"}, {"goals": {"qps": 80000, "p99_ms": 5}}, {"anomalies": {"tail": False}},
]  # fmt: skip


@pytest.mark.parametrize("change", SHOWN, ids=lambda c: next(iter(c)))
def test_what_is_only_shown_does_not_change_the_run_id(change):
    assert [r.run_id for r in runs()] == [r.run_id for r in runs(**change)]


def test_client_and_server_are_part_of_the_run_id():
    sweep = params.Sweep.model_validate(MINIMAL)
    ids = [{r.run_id for r in params.plan(sweep, client=c, servers={"1c": s})} for c, s in ["xy", "zy", "xz"]]
    assert not ids[0] & ids[1] and not ids[0] & ids[2]


@given(st.randoms(use_true_random=False))
def test_key_order_is_irrelevant(rng: random.Random):
    items = list({**MINIMAL, "threads": [4], "records": 7, "upsert": True}.items())
    rng.shuffle(items)
    a = params.plan(params.Sweep.model_validate(dict(items)))
    b = params.plan(params.Sweep.model_validate(dict(sorted(items))))
    assert [r.run_id for r in a] == [r.run_id for r in b]


def an_experiment(**settings):
    file = {"name": "t", "experiment": "crud", "server": {"kind": "mongod"}, "threads": [10]}
    return params.Sweep.model_validate({**file, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}], **settings})


def test_an_experiment_measures_its_operations_each_with_its_length():
    sweep = an_experiment(records=5000)
    lengths = {run.workload.name: run.operations for run in params.plan(sweep)}

    assert lengths.pop("delete-key") == 5000 and lengths.pop("delete-many") == 50
    assert len(lengths) == 11 and set(lengths.values()) == {None}
    assert {run.inputs["workload"]["operation"] for run in params.plan(sweep)} == {w.name for w in sweep.workloads}
    assert "insert-one" in {w.name for w in sweep.workloads if w.changes_records}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"workloads": ["find-keys"]}, "did you mean 'find-key'?"),
        ({"workloads": ["a"]}, "expected one of insert-one, "),
        ({"workloads": ["delete-many"], "records": 900}, "has 9 operations for 10 threads"),
        ({"clients": 2}, "expected 1: experiments are made by one client process"),
        ({"experiment": "cruds"}, "experiment"),
        ({"server": {"kind": "mongod", "engine": "innodb"}}, "engine is for kind: mariadb"),
        (
            {"server": {"kind": "mariadb"}, "write_concern": "journaled"},
            "write_concern: got 'journaled', expected 1: server kind mariadb takes no other",
        ),
        (
            {"server": {"kind": "mariadb"}, "read_preference": "nearest"},
            "read_preference: got 'nearest', expected 'pri",
        ),
        ({"server": {"kind": "mariadb"}, "vary": {"upsert": [False, True]}}, "upsert: got True, expected False"),
        ({"server": {"kind": "rest"}}, "gateway is for kind: rest, which needs one: eve, restify or spring"),
        ({"server": {"kind": "mongod", "gateway": "eve"}}, "gateway is for kind: rest"),
        ({"server": {"kind": "rest", "gateway": "eve"}}, "workloads: got delete-key"),
        (
            {"server": {"kind": "rest", "gateway": "eve"}, "workloads": ["find-key"], "target_ops_s": 100},
            "target_ops_s: got 100.0, expected None: server kind rest takes no other",
        ),
        ({"server": {"kind": "uri", "checkpoint_s": 60}}, "checkpoint_s is for kind: mongod"),
        ({"vary": {"checkpoint_s": [0]}}, "greater than or equal to 1"),
        ({"experiment": "insertion", "records": 1050}, "records: got 1,050, expected a multiple of batch_size, 100"),
        ({"experiment": "insertion", "vary": {"documents_per_query": [250]}}, "documents_per_query: got 250"),
    ],
)
def test_an_experiment_that_cannot_be(settings, said):
    with pytest.raises(ValueError) as caught:
        an_experiment(**settings)
    assert said in str(caught.value)


def test_insertion_counts_its_inserts_and_queries():
    def counted(**settings):
        return an_experiment(experiment="insertion", records=2000, **settings).variations()[0][1]

    for settings, operations in (({}, 22), ({"documents_per_query": 0}, 20), ({"vary": {"records": [4000]}}, 44)):
        sweep = counted(**settings)
        assert sweep.operations_of(sweep.workloads[0]) == operations and sweep.measures.starts_empty


def test_a_setting_of_servers_that_varies_is_that_of_the_runs_server_and_nothing_else_changes():
    asked = an_experiment(workloads=["find-key"], vary={"checkpoint_s": [None, 5], "journal_compressor": ["none"]})
    plain, often = sorted(params.plan(asked), key=lambda run: dict(run.variation)["checkpoint_s"] or 0)
    same = {"kind": "mongod", "identity": "", "journal_compressor": "none"}
    assert (plain.inputs["server"], often.inputs["server"]) == (same, {**same, "checkpoint_s": 5})
    assert {**plain.inputs, "server": 0} == {**often.inputs, "server": 0}
    own = {"name": "own", "cores": 1, "ram_gib": 1, "server": {"kind": "mongod", "auth": False}}
    (run,) = params.plan(an_experiment(workloads=["find-key"], specs=[own], vary={"checkpoint_s": [5]}))
    assert run.inputs["server"]["auth"] is False and run.inputs["server"]["checkpoint_s"] == 5


def test_specs_of_servers_of_their_own_tell_them_in_their_runs_and_leave_those_of_others_alone():
    specs = [{"name": "a", "cores": 1, "ram_gib": 1}, {"name": "b", "cores": 1, "ram_gib": 1}]
    alike = {run.spec.name: run.run_id for run in params.plan(an_experiment(specs=specs))}
    specs[1]["server"] = {"kind": "mariadb", "engine": "myisam"}
    runs = {run.spec.name: run for run in params.plan(an_experiment(specs=specs))}

    assert runs["a"].run_id == alike["a"] and runs["b"].run_id != alike["b"]
    assert runs["b"].inputs["server"] == {"kind": "mariadb", "identity": "", "engine": "myisam"}
    assert "server" not in runs["b"].inputs["spec"]


@pytest.mark.parametrize("name", ["mine.csv", "run.log", "tables"])
def test_what_is_no_params_file_by_its_name_is_told_what_takes_it(tmp_path, name):
    place = tmp_path / name
    place.mkdir() if name == "tables" else place.write_text("cores,threads,qps\n1,2,100\n")
    with pytest.raises(
        ParamsError, match=r"is no params file, expected NAME\.yml .* 'ycsbook report' and the notebooks"
    ) as e:
        params.load(place)
    assert str(e.value).startswith(f"{place}: ") and "100" not in str(e.value)
