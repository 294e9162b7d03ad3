"""Where CPU groups go, and what is written into them."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import ToolError
from ycsbook.servers import quota
from ycsbook.servers.quota import MIN_QUOTA_US, PERIOD_US, group_folders, quota_us

V2_MOUNT = "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1_MOUNT = (
    "40 35 0:35 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
    "41 35 0:36 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct\n"
    "42 35 0:37 / /sys/fs/cgroup/cpuset rw shared:12 - cgroup cgroup rw,cpuset\n"
)
CONTAINER_MOUNT = "900 880 0:36 /docker/c0ffee /sys/fs/cgroup/cpu ro,nosuid master:11 - cgroup cgroup rw,cpu\n"


@pytest.mark.parametrize(
    ("mounts", "membership", "version", "expected"),
    [
        (V2_MOUNT, "0::/user.slice/session-1.scope\n", 2, ("/sys/fs/cgroup", "user.slice/session-1.scope")),
        (V2_MOUNT, "0::/\n", 2, ("/sys/fs/cgroup", "")),
        (V1_MOUNT, "5:cpu,cpuacct:/a/b\n3:cpuset:/c\n0::/d\n", 1, ("/sys/fs/cgroup/cpu,cpuacct", "a/b")),
        (CONTAINER_MOUNT, "5:cpu:/docker/c0ffee/x\n", 1, ("/sys/fs/cgroup/cpu", "x")),
        (CONTAINER_MOUNT, "5:cpu:/docker/c0ffee\n", 1, ("/sys/fs/cgroup/cpu", "")),
        (CONTAINER_MOUNT, "5:cpu:/docker/c0ffee2\n", 1, ("/sys/fs/cgroup/cpu", "")),
        (V2_MOUNT, "0::/\n", 1, None),
        (V1_MOUNT, "5:cpu,cpuacct:/\n", 2, None),
        (V1_MOUNT, "3:cpuset:/c\n", 1, None),
        ("", "0::/\n", 2, None),
    ],
)
def test_group_folders_go_from_the_own_group_up_to_the_mount(mounts, membership, version, expected):
    folders = group_folders(mounts, membership, version)
    assert ([*folders[:1], *folders[-1:]] or None) == (expected and [Path(*expected), Path(expected[0])])
    assert all(folder.parent == above for folder, above in itertools.pairwise(folders))


@given(st.floats(min_value=0.01, max_value=512))
def test_quota_is_the_cores_and_never_below_what_the_kernel_takes(cores):
    quota_, period = quota_us(cores)
    assert quota_ >= MIN_QUOTA_US
    assert quota_ / period == pytest.approx(cores, rel=1e-3)
    assert period == PERIOD_US or cores < 0.1


def test_no_limit_is_no_quota():
    assert quota_us(None) is None


@pytest.mark.parametrize("cores", [0, -1, float("nan"), float("inf"), 2.01])
def test_cores_out_of_reach(cores):
    with pytest.raises(ToolError):
        quota.check_cores(cores, usable=2)


@given(st.floats(min_value=0, max_value=2, exclude_min=True))
def test_cores_within_reach(cores):
    quota.check_cores(cores, usable=2)
