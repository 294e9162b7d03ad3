"""Settings that a sweep varies, and what stays as it was for runs made before there were variations."""

import itertools
import json

import pytest

from ycsbook import anomalies, ingest, params, scaling
from ycsbook.errors import ParamsError
from ycsbook.ingest.runs import manifest
from ycsbook.params import Server, Sweep
from ycsbook.params.expand import variation_words
from ycsbook.report.rows import ReportRows
from ycsbook.runner.judge import Verdict
from ycsbook.runner.selection import Selection
from ycsbook.runner.session import run_manifest
from ycsbook.secrets import Secret
from ycsbook.servers.kind import RecordShape, Target
from ycsbook.verdicts import Outcome

FILE = {"name": "t", "server": {"kind": "mongod"}, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}], "threads": [4]}


def sweep(**settings) -> Sweep:
    return Sweep.model_validate({**FILE, **settings})


def test_every_combination_is_a_run_with_an_id_of_its_own():
    runs = params.plan(sweep(vary={"write_concern": [1, "majority"], "target_ops_s": [None, 1000]}, workloads=["a"]))
    assert {tuple(r.variation) for r in runs} == {
        (("write_concern", w), ("target_ops_s", t)) for w in (1, "majority") for t in (None, 1000)
    }
    assert all(r.inputs[name] == value for r in runs for name, value in r.variation)
    assert len({r.run_id for r in runs}) == 4


def test_runs_that_share_their_records_stand_together():
    runs = params.plan(sweep(vary={"write_concern": [1, "majority"], "records": [100, 200]}, repeats=2))
    order = [(r.repeat, r.sweep.records) for r in runs]
    changes = sum(a != b for a, b in itertools.pairwise(order))
    assert len(order) == 16 and changes == 3


def test_a_setting_that_is_the_default_leaves_the_id_alone():
    plain = params.plan(sweep())
    assert [r.run_id for r in params.plan(sweep(clients=1, server={"kind": "mongod", "tls": False}))] == [
        r.run_id for r in plain
    ]
    for other in ({"clients": 2}, {"clients": "auto"}, {"server": {"kind": "mongod", "topology": "replica_set"}}):
        assert not {r.run_id for r in params.plan(sweep(**other))} & {r.run_id for r in plain}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"vary": {"threads": [1, 2]}}, "vary: 'threads' is not one of records.*; threads takes a list by itself"),
        ({"vary": {"records": [1, 1]}}, "expected each value once"),
        ({"vary": {"records": [0]}}, "greater than or equal to 1"),
        ({"vary": {"write_concern": [7]}}, "write_concern"),
        ({"vary": {"write_concern": [[1], "majority"]}}, "write_concern"),
        ({"server": {"kind": "mongod", "members": 3}}, "members is for topology: replica_set"),
        ({"cluster": {"kind": "scheduler"}}, "address is for kind: scheduler"),
        ({"cluster": {"kind": "ssh", "hosts": ["-oProxyCommand=x"]}}, "as ssh takes it"),
        ({"server": {"kind": "uri", "members": 3}}, "a uri says its own"),
        ({"clients": 0}, "clients"),
        ({"clients": True}, "clients"),
    ],
)
def test_what_is_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        sweep(**settings)


def test_the_order_of_insertion_makes_other_records_and_the_usual_one_leaves_the_id_alone():
    usual, ordered = (params.plan(sweep(insert_order=order))[0] for order in ("hashed", "ordered"))
    assert usual.run_id == params.plan(sweep())[0].run_id != ordered.run_id
    assert RecordShape.of(usual.sweep) != RecordShape.of(ordered.sweep)


def test_runs_are_chosen_by_what_varies():
    runs = params.plan(sweep(vary={"write_concern": [1, "majority"], "target_ops_s": [None, 1000], "upsert": [True]}))

    def chosen(only):
        return {tuple(dict(r.variation).values())[:2] for r in Selection.parse([only]).chosen(runs)}

    assert chosen("write_concern=majority") == {("majority", None), ("majority", 1000)}
    assert chosen("target_ops_s=null,write_concern=1") == {(1, None)}
    assert chosen("target_ops_s=1000.0") == {(1, 1000), ("majority", 1000)}
    assert len(chosen("upsert=true")) == 4
    with pytest.raises(ParamsError, match="write_concern is 1 or majority"):
        chosen("write_concern=2")


def manifest_of(planned, phase="run"):
    target = Target(Secret("mongodb://h/"), "h", "6.0.5", "standalone", None, "", None)
    return run_manifest(planned, phase, target, Verdict(Outcome.COMPLETED))


def test_a_run_says_what_it_varies_and_its_load_only_what_its_records_vary():
    varied = {"write_concern": ["majority"], "records": [500]}
    planned = params.plan(sweep(vary=varied, workloads=["a"], seed=7, repeats=2))[0]
    run, load = manifest_of(planned), manifest_of(planned, "load")
    assert run["variation"] == {"write_concern": "majority", "records": 500} and load["variation"] == {"records": 500}
    assert run["plan"] == {"seed": 7, "repeats": 2, "min_duration_s": 1200.0}
    columns = manifest.run_columns(run)
    assert (columns["dataset"], columns["workload"]) == ("t", "a, write concern majority, 500 records")
    assert (columns["read_preference"], columns["distribution"]) == ("primary", "zipfian")
    assert (columns["records"], manifest.run_columns(load)["records"]) == (500, 500)
    assert manifest.run_columns(load)["workload"] == "a, 500 records"
    assert manifest.run_columns(manifest_of(params.plan(sweep(workloads=["a"]))[0]))["workload"] == "a"


@pytest.mark.parametrize("name", params.VARIED)
def test_every_setting_that_varies_has_words(name):
    default = (Sweep.model_fields | Server.model_fields)[name].default
    assert not variation_words(name, default).startswith(f"{name} ")


LOG = """Command line: -t -db ycsbook.MongoDbClient -s -threads 4 -p mongodb.writeConcern={concern}
[OVERALL], RunTime(ms), {ms}
[OVERALL], Throughput(ops/sec), {rate}
[READ], Operations, {count}
[READ], AverageLatency(us), {us}
[READ], Return=OK, {count}
[CLEANUP], Operations, 4
"""


def test_variations_are_never_one_cell_one_fit_or_one_comparison(tmp_path):
    """A sweep of two write concerns on six specs: the slow one is half as fast, and no noise to any analysis."""
    specs = [{"name": f"{c}c", "cores": c, "ram_gib": 4 * c} for c in (1, 2, 4, 8, 16, 32)]
    asked = sweep(specs=specs, vary={"write_concern": [1, "majority"]}, workloads=["c"], repeats=2)
    for i, planned in enumerate(params.plan(asked)):
        majority = planned.sweep.write_concern == "majority"
        count = int(planned.spec.cores * 1_200_000 * (0.5 if majority else 1.0) * (1 + 0.002 * (i % 5)))
        folder = tmp_path / planned.run_id
        folder.mkdir()
        concern = "majority" if majority else "acknowledged"
        log = LOG.format(ms=1_200_000, rate=count / 1200, count=count, us=4e6 * 1200 / count, concern=concern)
        (folder / "run.out").write_text(log)
        (folder / "manifest.json").write_text(json.dumps(manifest_of(planned)))
    tables = ingest.read([tmp_path])
    assert set(tables.runs["workload"]) == {"c, write concern 1", "c, write concern majority"}
    cells = scaling.cells.cells(scaling.cells.with_utilisation(tables.runs, tables.operations))
    assert len(cells) == 12 and (cells["n"] == 2).all() and cells["variance"].max() < 1e-4
    groups = set(scaling.analyse(tables.runs, tables.operations).glance["group"])
    assert len(groups) == 2 and all("write concern" in group for group in groups)
    found = anomalies.find(tables, settings=anomalies.Settings.of({}))
    assert not found["severity"].isin(["error", "warning"]).any(), list(found["message_key"])
    rows = ReportRows(asked, tables)
    assert rows.workloads == ["c, write concern 1", "c, write concern majority"]
