"""The names of operations, return codes and write concerns, and what they stand for."""

from functools import lru_cache

# YCSB's own operations of the database; forks have others.
DATABASE_OPERATIONS = ("READ", "UPDATE", "INSERT", "SCAN", "DELETE")
# Those that insert or change records, where a run has a mean of each.
WRITES = ("UPDATE", "INSERT")
READ_MODIFY_WRITE = "READ-MODIFY-WRITE"
COMMIT, VERIFY = "COMMIT", "VERIFY"
OK, BATCHED_OK = "OK", "BATCHED_OK"
# Return codes of success, but for batched writes: today's, that of the releases up to 0.3, and that of YCSB-C.
GOOD_CODES = (OK, "0", "")
TOTAL = "TOTAL"
# Queries that neither read nor write, such as BEGIN, where a load generator counts them.
OTHER = "OTHER"
# CLEANUP is the end of a thread, and TOTAL is a name of ours.
NOT_OPERATIONS = ("CLEANUP", TOTAL)
# What transactions begin and end with, and what is measured that is no call of the database.
TRANSACTION_ENDS = ("START", "BEGIN", COMMIT, "ABORT", "ROLLBACK")
_NO_CALLS = (*NOT_OPERATIONS, VERIFY, "TRANSACTION")
# How series begin of whole transactions, whose operations and COMMITs are measured themselves as well.
_TRANSACTIONS = ("TX-", "TXN", "TxnGroup")
# And of what else is made of such operations.
_DERIVED = (READ_MODIFY_WRITE, "Intended-", *_TRANSACTIONS)

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
WRITE_CONCERN_WORDS = {"0": "unacknowledged", "1": "acknowledged", "journaled": "journaled", "majority": "majority"}
_WRITE_CONCERNS = {word: concern for concern, word in WRITE_CONCERN_WORDS.items()}
_WRITE_CONCERNS |= {"errors_ignored": "0", "none": "0"}  # of older bindings


def write_concern(word: str) -> str:
    """MongoDB's write concern for YCSB's word; any other text as it is."""
    return _WRITE_CONCERNS.get(word.lower(), word)


@lru_cache(maxsize=10_000)
def is_of_workload(operation: str) -> bool:
    """Whether a series can be of an operation of a workload, whatever a fork calls it."""
    is_beside = operation in _NO_CALLS or operation in TRANSACTION_ENDS or operation.startswith(_DERIVED)
    return not is_beside and not is_failure_series(operation)


@lru_cache(maxsize=10_000)
def is_failure_series(operation: str, of: str | None = None) -> bool:
    """Whether a series holds latencies of failed calls, such as READ-FAILED; `of`: only of those of this operation."""
    if operation.startswith((READ_MODIFY_WRITE, *_TRANSACTIONS)):
        return False
    if of is not None:
        return operation.startswith(f"{of}-")
    return operation.endswith("-FAILED") or operation.startswith(tuple(f"{name}-" for name in DATABASE_OPERATIONS))
