"""Servers given by URI that are not what their specs say, and other work on the client's machine."""

import math

import pytest
from anomaly_samples import flags, run, says

from ycsbook.facts import fact
from ycsbook.ingest.runs import manifest

PROCESS, OTHER, ADDRESS = "65af0c2e9d3b7a1c4e5f6071", "65af0c2e9d3b7a1c4e5f6072", "at-0123456789ab"


def given(cores, server_id, told=2.0, ram=8.0, **more):
    """A run on a server that tells cores and RAM."""
    said = {"server_id": server_id, "server_cores": told, "server_ram_gib": ram, "ram_gib": 8.0}
    return run(cores, cores_enforced_by="", **{**said, **more})


@pytest.mark.parametrize(("server_id", "address", "severity"), [(PROCESS, False, "error"), (ADDRESS, True, "warning")])
def test_two_specs_on_one_server_are_found(server_id, address, severity):
    rows = [given(c, server_id, math.nan, math.nan, repeat=r) for c in (2.0, 4.0) for r in (1, 2)]
    (found,) = flags("same_server", rows)
    assert found.severity == severity and set(found.run_ids) == {row["run_id"] for row in rows}
    assert says(found, "same_server", specs=("2c", "4c"), address=address)


def test_a_server_that_was_resized_or_is_another_is_none():
    assert flags("same_server", [given(2.0, PROCESS), given(4.0, OTHER)]) == []
    assert flags("same_server", [given(2.0, ADDRESS, 2.0), given(4.0, ADDRESS, 4.0)]) == []
    assert flags("same_server", [given(2.0, PROCESS), given(2.0, PROCESS, repeat=2)]) == []
    assert flags("same_server", [run(2.0), run(4.0)]) == []  # private servers tell nothing


def test_two_names_of_one_shape_on_one_server_are_a_warning():
    (found,) = flags("same_server", [given(2.0, PROCESS), given(2.0, PROCESS, spec="other", run_id="other")])
    assert found.severity == "warning"


def test_a_server_smaller_than_its_spec_is_a_warning_a_much_larger_one_a_note():
    rows = [given(4.0, PROCESS, 2.0, 7.7), given(2.0, OTHER, 2.0, 3.9)]
    cores, ram = flags("server_size", rows)
    assert (cores.severity, cores.effect) == ("warning", -0.5)
    assert says(cores, "server_size-cores", spec="4c", wanted=4, seen=2, outside=False)
    assert ram.severity == "warning" and says(ram, "server_size-ram", spec="2c", wanted=8, seen=3.9)
    (larger,) = flags("server_size", [given(2.0, PROCESS, 64.0)])
    assert larger.severity == "note" and says(larger, "server_size-cores", seen=64, outside=True)


def test_a_server_like_its_spec_or_behind_mongos_or_that_tells_nothing_is_none():
    assert flags("server_size", [given(2.0, PROCESS, 2.0, 7.4), given(4.0, OTHER, 4.0, 15.5)]) == []
    assert flags("server_size", [given(4.0, PROCESS, 2.0, topology="sharded")]) == []
    assert flags("server_size", [given(4.0, PROCESS, math.nan, math.nan), run(4.0)]) == []


def hosted(repeat=1, *, busy, others, **more):
    return run(repeat=repeat, host_cores=2.0, host_cpu=busy, other_cpu=others, **more)


def test_others_that_left_no_core_idle_are_a_warning():
    rows = [hosted(1, busy=1.95, others=1.2), hosted(2, busy=1.2, others=0.05), hosted(3, busy=1.9, others=0.5)]
    (found,) = flags("busy_host", rows)
    assert found.severity == "warning" and found.effect == 0.6
    assert found.run_ids == (rows[0]["run_id"], rows[2]["run_id"])
    assert says(found, "busy_host", taken=1.2, host_cores=2, n=2, runs=fact("runs", n=3), full=True)


def test_others_that_left_cores_idle_are_a_notice_and_few_are_none():
    (found,) = flags("busy_host", [hosted(busy=1.2, others=0.6)])
    assert found.severity == "notice"
    assert flags("busy_host", [hosted(busy=1.99, others=0.1)]) == []
    assert flags("busy_host", [run(), hosted(busy=2.0, others=1.0, phase="load")]) == []


def loaded(load, client, **more):
    row = run(host_cores=2.0, client_cpu=client, cpu_utilisation=0.3, **more)
    samples = [{"run_id": row["run_id"], "elapsed_s": float(i), "load_average": load} for i in range(1, 6)]
    return flags("busy_host", [row], samples=samples)


def test_a_load_that_client_and_server_do_not_explain_is_a_notice():
    (found,) = loaded(9.0, 0.5)
    assert found.severity == "notice"
    assert says(found, "busy_host-load", load=9, host_cores=2, own=pytest.approx(0.8))
    assert loaded(9.0, 1.5) == []  # they fill the machine themselves
    assert loaded(2.5, 0.5) == []
    assert loaded(9.0, 0.5, cores_enforced_by="") == []  # a server elsewhere
    assert loaded(9.0, 0.5, other_cpu=0.1, host_cpu=1.0) == []  # what the others used is known


def test_a_full_machine_whose_server_may_not_be_asked_is_a_notice():
    """A user with readWrite alone may not ask serverStatus: the server's share is not known."""
    rows = [given(2.0, PROCESS, host_cores=2.0, host_cpu=1.97, client_cpu=0.7, other_cpu=math.nan)]
    (found,) = flags("busy_host", rows)
    assert found.severity == "notice" and says(found, "busy_host-full", busy=1.97, host_cores=2, client=0.7, n=1)
    assert flags("busy_host", [{**rows[0], "host_cpu": 1.5}]) == []
    assert flags("busy_host", [{**rows[0], "other_cpu": 0.1}]) == []  # a server elsewhere
    assert flags("busy_host", [{**rows[0], "clients": 2.0}]) == []  # the clients may be elsewhere


@pytest.mark.parametrize(
    ("server", "own"),
    [
        ({"kind": "mongod", "reach": "127.0.0.1:27017"}, ("client_cpu_s", "server_cpu_s")),
        ({"kind": "mongod", "reach": "127.0.0.1:27017", "members": 3}, ()),
        ({"kind": "uri", "reach": "localhost:27017"}, ("client_cpu_s", "server_cpu_s")),
        ({"kind": "uri", "reach": "127.0.0.1:27017,127.0.0.1:27018"}, ()),
        ({"kind": "uri", "reach": "127.0.0.1:27017", "members": 3}, ()),
        ({"kind": "uri", "reach": "db1.example:27017,db2.example:27017", "members": 2}, ("client_cpu_s",)),
    ],
)
def test_secondaries_on_this_machine_are_not_others(server, own):
    assert manifest.own_programs({"server": server}) == own
