"""The closed vocabularies: how a run ended, and what is suspicious about it."""

from enum import StrEnum


class Outcome(StrEnum):
    """What a run is worth."""

    COMPLETED = "completed"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    PUBLISHED = "published"


class StopReason(StrEnum):
    """Why a run ended early."""

    TIMEOUT = "timeout"
    STALLED = "stalled"
    SERVER_LOST = "server_lost"
    DISK_FULL = "disk_full"
    KILLED = "killed"


class Warn(StrEnum):
    """Suspicious but usable data. `advice` says what it means and what to do about it."""

    OPERATIONS_FAILED = "OPERATIONS_FAILED"
    BATCHED_LATENCY = "BATCHED_LATENCY"
    INTENDED_LATENCY = "INTENDED_LATENCY"
    UNACKED_WRITES = "UNACKED_WRITES"
    SHORT_RUN = "SHORT_RUN"
    CLOCK_STEPPED = "CLOCK_STEPPED"
    COUNTS_DISAGREE = "COUNTS_DISAGREE"
    P95_IS_P90 = "P95_IS_P90"
    UNIT_LABEL_WRONG = "UNIT_LABEL_WRONG"
    CENSORED = "CENSORED"
    TRUNCATED = "TRUNCATED"
    DERIVED = "DERIVED"
    THREADS_UNKNOWN = "THREADS_UNKNOWN"
    THREADS_CLIPPED = "THREADS_CLIPPED"
    LITTLE_LAW = "LITTLE_LAW"
    POOL_BELOW_THREADS = "POOL_BELOW_THREADS"
    CORES_NOT_ENFORCED = "CORES_NOT_ENFORCED"
    HOST_SPEED_CHANGED = "HOST_SPEED_CHANGED"
    TLS_NOT_VERIFIED = "TLS_NOT_VERIFIED"

    @property
    def advice(self) -> str:
        return ADVICE[self]


ADVICE: dict[Warn, str] = {
    Warn.OPERATIONS_FAILED: "some operations failed: read goodput, not throughput, and look at the errors",
    Warn.BATCHED_LATENCY: "writes were batched: their latencies are those of a buffer, ignore them",
    Warn.INTENDED_LATENCY: "latencies count from when an operation was due (measurement.interval=intended), so they "
    "hold waiting: do not compare them with those of other runs",
    Warn.UNACKED_WRITES: "write concern 0: nobody knows whether the writes succeeded, and the write latency "
    "is the time to send; repeat with write concern 1 or majority",
    Warn.SHORT_RUN: "shorter than 20 minutes: caches and checkpoints had no time to settle; raise min_duration",
    Warn.CLOCK_STEPPED: "the clock moved during the run, so its duration is wrong; repeat the run",
    Warn.COUNTS_DISAGREE: "the log's own figures contradict each other; do not use it until you know why",
    Warn.P95_IS_P90: "this YCSB release prints the 90th percentile under the name of the 95th",
    Warn.UNIT_LABEL_WRONG: "latencies labelled ms are microseconds",
    Warn.CENSORED: "latencies beyond the last bucket were not measured: high percentiles are lower bounds",
    Warn.TRUNCATED: "the log ends early",
    Warn.DERIVED: "this is a mean of several logs, not a log",
    Warn.THREADS_UNKNOWN: "the number of client threads is not in the log: say it in a sidecar or with --set",
    Warn.THREADS_CLIPPED: "fewer client threads ran than were asked for: raise the operation count",
    Warn.LITTLE_LAW: "throughput x latency exceeds the threads, which no closed loop can do: at least one "
    "of the figures is wrong",
    Warn.POOL_BELOW_THREADS: "the connection pool is smaller than the threads: the pool was measured",
    Warn.CORES_NOT_ENFORCED: "the spec's cores were recorded, not enforced, on this system",
    Warn.HOST_SPEED_CHANGED: "the host's own speed changed by more than 10 % during the run; repeat it",
    Warn.TLS_NOT_VERIFIED: "the URI switches the check of the server's certificate or host name off: nobody knows who "
    "answered; give tlsCAFile instead",
}

# A host whose own speed moved by more than this share during a run measured something else as well.
HOST_SPEED_TOLERANCE = 0.10

# How the cores of a spec were brought about, by the names that servers.quota gives its ways.
CORES_ENFORCED_BY: dict[str, str] = {
    "cgroup2": "CPU quota (cgroup v2, 10 ms period)",
    "cgroup1": "CPU quota (cgroup v1, 10 ms period)",
    "systemd": "CPU quota (systemd scope, 10 ms period)",
    "duty_cycle": "SIGSTOP/SIGCONT duty cycle (20 ms period)",
    "affinity": "kept to as many CPUs",
    "none": "recorded, not enforced on this system",
    "": "as deployed",
}
