"""The names of operations and return codes, and what they stand for."""

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


@lru_cache(maxsize=10_000)
def is_failure_series(operation: str, of: str | None = None) -> bool:
    """Whether a series holds the latencies of failed calls, such as READ-FAILED or UPDATE-NOT_FOUND."""
    bases = DATABASE_OPERATIONS if of is None else (of,)
    return not operation.startswith(READ_MODIFY_WRITE) and any(operation.startswith(f"{base}-") for base in bases)
