"""What a report says of the servers that its runs were made on."""

from report_samples import local_sweep

from ycsbook.provenance import environment
from ycsbook.report import translation


def manifest(**told):
    server = {"kind": "mongod", "version": "6.0.5", "topology": "replica_set", "cores_enforced_by": "cgroup1", **told}
    return {
        "phase": "run", "workload": {"name": "a"}, "threads": 4, "command": "java", "spec": {"cache_gib": 0.25},
        "server": server,
    }  # fmt: skip


def test_members_that_want_more_cores_than_there_are_are_told():
    short = {"wanted": 3.0, "usable": 2}
    server = environment(local_sweep(), [manifest(), manifest(cores_short=short)], {})["Server"]
    told = server["cores of all members"]

    assert told == "3 wanted, 2 usable: the members share them"
    assert translation.said(told, "zh") == "共需 3 核，可用 2 核：各成员相互争用"
    assert "cores of all members" not in environment(local_sweep(), [manifest()], {})["Server"]
