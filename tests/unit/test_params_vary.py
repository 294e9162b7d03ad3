"""Settings that a sweep varies, and what stays as it was for runs made before there were variations."""

import itertools

import pytest

from ycsbook import params
from ycsbook.params import Sweep

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
        ({"vary": {"threads": [1, 2]}}, "vary: 'threads' is not one of records"),
        ({"vary": {"records": [1, 1]}}, "expected each value once"),
        ({"vary": {"records": [0]}}, "greater than or equal to 1"),
        ({"vary": {"write_concern": [7]}}, "write_concern"),
        ({"server": {"kind": "mongod", "members": 3}}, "members is for topology: replica_set"),
        ({"cluster": {"kind": "scheduler"}}, "address is for kind: scheduler"),
        ({"cluster": {"kind": "ssh", "hosts": ["-oProxyCommand=x"]}}, "pattern"),
        ({"clients": 0}, "greater than or equal to 1"),
    ],
)
def test_what_is_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        sweep(**settings)
