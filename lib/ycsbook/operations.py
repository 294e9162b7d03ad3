"""The names of operations, return codes and write concerns, and what they stand for."""

from functools import lru_cache

# Operations that go to the database; the others (CLEANUP, VERIFY, READ-MODIFY-WRITE, ...) are derived from them.
DATABASE_OPERATIONS = ("READ", "UPDATE", "INSERT", "SCAN", "DELETE")
READ_MODIFY_WRITE = "READ-MODIFY-WRITE"
OK, BATCHED_OK = "OK", "BATCHED_OK"
# Return codes of success, but for batched writes: today's and that of the releases up to 0.3.
GOOD_CODES = (OK, "0")
TOTAL = "TOTAL"
# CLEANUP is the end of a thread, and TOTAL is a name of ours.
NOT_OPERATIONS = ("CLEANUP", TOTAL)

# YCSB's six standard workloads as operation mixes (Cooper et al. 2010, table 2).
STANDARD_MIXES: dict[str, dict[str, float]] = {
    "a": {"read": 0.5, "update": 0.5},
    "b": {"read": 0.95, "update": 0.05},
    "c": {"read": 1.0},
    "d": {"read": 0.95, "insert": 0.05},
    "e": {"scan": 0.95, "insert": 0.05},
    "f": {"read": 0.5, "readmodifywrite": 0.5},
}

# MongoDB's write concerns in YCSB's words, which its binding and ours both understand.
WRITE_CONCERN_WORDS = {"0": "unacknowledged", "1": "acknowledged", "majority": "majority"}
_WRITE_CONCERNS = {word: concern for concern, word in WRITE_CONCERN_WORDS.items()}
_WRITE_CONCERNS |= {"errors_ignored": "0", "none": "0"}  # of older bindings


def write_concern(word: str) -> str:
    """MongoDB's write concern for YCSB's word; any other text as it is.

    Examples
        >>> write_concern("unacknowledged"), write_concern("2")
        ('0', '2')
    """
    return _WRITE_CONCERNS.get(word.lower(), word)


@lru_cache(maxsize=10_000)
def is_failure_series(operation: str, of: str | None = None) -> bool:
    """Whether a series holds the latencies of failed calls, such as READ-FAILED or UPDATE-NOT_FOUND."""
    bases = DATABASE_OPERATIONS if of is None else (of,)
    return not operation.startswith(READ_MODIFY_WRITE) and any(operation.startswith(f"{base}-") for base in bases)
