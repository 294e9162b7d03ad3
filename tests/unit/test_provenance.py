"""What a report says of the servers that its runs were made on."""

from report_samples import local_sweep

from ycsbook.provenance import environment


def manifest(**told):
    spec = told.pop("spec", "1c")
    server = {"kind": "mongod", "version": "6.0.5", "topology": "replica_set", "cores_enforced_by": "cgroup1", **told}
    return {
        "phase": "run", "workload": {"name": "a"}, "threads": 4, "command": "java", "server": server,
        "spec": {"name": spec, "cache_gib": 0.25},
    }  # fmt: skip


def test_members_that_want_more_cores_than_there_are_are_told():
    short = {"wanted": 3.0, "usable": 2}
    server = environment(local_sweep(), [manifest(), manifest(cores_short=short)], {})["Server"]
    told = server["cores of all members"]

    assert told == "3 wanted, 2 usable: the members share them"
    assert "cores of all members" not in environment(local_sweep(), [manifest()], {})["Server"]


def test_what_servers_given_by_uri_tell_of_themselves_stands_in_the_environment():
    told = {"kind": "uri", "cores_enforced_by": "", "ram_gib": 7.76}
    runs = [
        manifest(spec=spec, cores=cores, rtt_us=rtt_us, **told)
        for spec, cores, rtt_us in (("4c", 2.0, 310.0), ("2c", 2.0, 251.2), ("2c", 2.0, 233.6))
    ]
    server = environment(local_sweep(), runs, {})["Server"]
    assert server["cores that the server tells"] == "2c: 2, 4c: 2"
    assert server["RAM that the server tells"] == "2c: 7.76 GiB, 4c: 7.76 GiB"
    assert server["shortest round trip"] == "2c: 234 µs, 4c: 310 µs"
    private = environment(local_sweep(), [manifest(rtt_us=None)], {})["Server"]
    assert not any("tells" in name or "round trip" in name for name in private)
