"""YCSB's six standard workloads as operation mixes (Cooper et al. 2010, table 2)."""

from ycsbook.errors import shown

STANDARD: dict[str, dict] = {
    "a": {"read": 0.5, "update": 0.5},
    "b": {"read": 0.95, "update": 0.05},
    "c": {"read": 1.0},
    "d": {"read": 0.95, "insert": 0.05, "distribution": "latest"},
    "e": {"scan": 0.95, "insert": 0.05},
    "f": {"read": 0.5, "readmodifywrite": 0.5},
}


def standard(name: str) -> dict:
    """The mix of a standard workload.

    Raises
        ValueError: no such workload.
    """
    if name not in STANDARD:
        raise ValueError(
            f"got {shown(name)}, expected one of {', '.join(STANDARD)} or a mapping such as "
            "{name: mine, read: 0.9, update: 0.1}"
        )
    return {"name": name, **STANDARD[name]}
