"""Text of YCSB 0.17 runs with status lines, made up but self-consistent: a closed loop, counts that add up.

A run is the arrays of its status lines (`Run`); `text` prints it as one file that holds stdout and stderr. What the
field's logs have and simple parsers lose is here as well: names with hyphens, operations without a sample, a last
second that is printed twice, GC lines, latencies as `NaN`, `?` or a replacement character.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

PLAIN, READ_MODIFY_WRITE, FAILURES, STALLS = range(4)
NOT_A_NUMBER = ("NaN", "NaN", "?", "\ufffd")
_BUSY = 0.96
_STAMP = "{} {} sec: {} operations; {} current ops/sec; "
_GROUP = "[{}: Count=%d, Max=%d, Min=%d, Avg=%.12g, 90=%d, 99=%d, 99.9=%d, 99.99=%d] "
_NO_SAMPLE = "[{}: Count=0, Max=0, Min=9223372036854775807, Avg={}, 90=0, 99=0, 99.9=0, 99.99=0] "
_HEAD = "%s %d sec: %d operations; %.12g current ops/sec; "
_LINE = _HEAD + "est completion in %s " + _GROUP.format("READ") + _GROUP.format("UPDATE") + "\n"


@dataclass(frozen=True)
class Latencies:
    """One operation's samples per status line, latencies in us; only where `count` > 0 are they printed."""

    count: np.ndarray
    highest: np.ndarray
    lowest: np.ndarray
    mean: np.ndarray
    p90: np.ndarray
    p99: np.ndarray
    p999: np.ndarray
    p9999: np.ndarray

    @classmethod
    def around(cls, mean: np.ndarray, count: np.ndarray, random: np.random.Generator) -> "Latencies":
        """A skewed distribution about each mean."""
        spread = random.uniform(0.9, 1.1, (4, len(mean)))
        p90, p99, p999, p9999 = (mean * k * s for k, s in zip((1.7, 4, 11, 30), spread, strict=True))
        highest = p9999 * spread[0] * 1.2
        whole = (a.astype(np.int64) + 1 for a in (highest, mean * 0.2, p90, p99, p999, p9999))
        highest, lowest, p90, p99, p999, p9999 = whole
        return cls(count, highest, lowest, np.round(mean, 2), p90, p99, p999, p9999)

    def columns(self) -> tuple[list, ...]:
        return tuple(a.tolist() for a in self.__dict__.values())

    @property
    def total(self) -> int:
        return int(self.count.sum())


@dataclass(frozen=True)
class Run:
    """A run as its status lines: arrays of one element per line, and what stands above and below them.

    `at_ms` (ms since 1970), `done` (operations since the line before), `rate_ops_s`; `operations` by name in the order
    of the lines; `runtime_ms`; `odd`: how a mean without sample is printed.
    """

    threads: int
    interval_s: int
    start_ms: int
    at_ms: np.ndarray
    done: np.ndarray
    rate_ops_s: np.ndarray
    operations: dict[str, Latencies]
    runtime_ms: int
    kind: int = PLAIN
    odd: str = "NaN"
    before: int = 0
    command: str = field(default="")

    @property
    def rows(self) -> int:
        """Rows of operations in the status lines, CLEANUP and operations never sampled so far left out."""
        return sum(len(self.at_ms) - _first(name, one) for name, one in self.operations.items())


def make_run(
    random: np.random.Generator,
    *,
    lines: int,
    kind: int = PLAIN,
    interval_s: int = 10,
    start_ms: int = 1_683_361_586_000,
    threads: int = 0,
    final: bool = True,
) -> Run:
    """A run of `lines` status lines; the last comes after its end, unless more of the run is to follow."""
    threads = threads or int(random.choice([4, 8, 16, 32, 64, 100]))
    peak = random.uniform(30, 500) * threads**0.7
    step_ms = interval_s * 1000
    since = np.arange(1, lines + 1) * step_ms + random.integers(0, 40, lines)
    if final:
        # Half of the runs end within the second of the line before, which is then printed twice.
        tail = random.integers(100, 900) if random.random() < 0.5 else random.integers(step_ms // 3, step_ms - 50)
        since[-1] = (lines - 1) * step_ms + max(50, int(tail))
    length = np.diff(since, prepend=0) / 1000
    rate = peak * random.lognormal(0, 0.04, lines)
    stalled = _stalled(random, lines) if kind == STALLS else np.zeros(lines, bool)
    done = np.where(stalled, 0, np.maximum(20, np.round(rate * length))).astype(np.int64)
    waited = length + np.where(np.roll(stalled, 1) & ~stalled, int(stalled.sum()) * interval_s, 0)
    reads, updates, more = _mix(random, done, kind)
    failed = more.get("READ-FAILED", np.zeros(lines, np.int64))
    calls = np.maximum(reads + updates + failed, 1)
    mean = _BUSY * threads * waited * 1e6 / calls
    read_mean = mean * 0.9
    update_time = mean * calls - read_mean * (reads + failed)
    update_mean = np.where(updates > 0, update_time / np.maximum(updates, 1), mean)
    operations = {"READ": Latencies.around(read_mean, reads, random)}
    for name, count in more.items():
        of = read_mean if name == "READ-FAILED" else read_mean + update_mean
        operations[name] = Latencies.around(of, count, random)
    operations["UPDATE"] = Latencies.around(update_mean, updates, random)
    return Run(
        threads, interval_s, start_ms, start_ms + since, done, np.round(done / length, 2), operations,
        int(since[-1]) + 2, kind, str(random.choice(NOT_A_NUMBER)),
    )  # fmt: skip


def head(run: Run) -> str:
    """What stands before the first status line with operations."""
    workload = "f" if run.kind == READ_MODIFY_WRITE else "a"
    return (
        f"Command line: -t -db site.ycsb.db.MongoDbClient -P workloads/workload{workload} -s -threads {run.threads} "
        f"-p status.interval={run.interval_s} -p recordcount=10000000 -p mongodb.url=mongodb://10.0.0.7:27017/ycsb?w=1 "
        f"{run.command}\n"
        "YCSB Client 0.17.0\n\nLoading workload...\nStarting test.\n"
        f"{_stamp(run.start_ms)} 0 sec: 0 operations; est completion in 0 second \n"
        "DBWrapper: report latency for each error is false and specific error codes to track for latency are: []\n"
        "mongo client connection created with mongodb://10.0.0.7:27017/ycsb?w=1\n"
    )


def status(run: Run, *, final: bool = True, remaining: list[str] | None = None) -> str:
    """The status lines."""
    remaining = remaining or completions(len(run.at_ms), run.interval_s)
    if run.kind != PLAIN:
        return "".join(_odd_lines(run, remaining))
    columns = [
        stamps(run.at_ms), ((run.at_ms - run.start_ms) // 1000).tolist(),
        (run.before + np.cumsum(run.done)).tolist(), run.rate_ops_s.tolist(), remaining,
        *itertools.chain.from_iterable(one.columns() for one in run.operations.values()),
    ]  # fmt: skip
    text = _LINE * len(run.at_ms) % tuple(itertools.chain.from_iterable(zip(*columns, strict=True)))
    if not final:
        return text
    # The last line has no estimate, and the end of the threads.
    at = text.rindex("est completion in ")
    return text[:at] + text[text.index("[", at) :].replace(" [UPDATE", f" {_cleanup_group(run.threads)}[UPDATE")


def summary(run: Run, totals: "Totals | None" = None) -> str:
    """What YCSB prints at the end."""
    totals = totals or Totals().add(run)
    young = run.runtime_ms // 400
    lines = [
        f"[OVERALL], RunTime(ms), {run.runtime_ms}",
        f"[OVERALL], Throughput(ops/sec), {totals.done / run.runtime_ms * 1000!r}",
        f"[TOTAL_GCS_G1_Young_Generation], Count, {young // 5}",
        f"[TOTAL_GC_TIME_G1_Young_Generation], Time(ms), {young}",
        f"[TOTAL_GC_TIME_%_G1_Young_Generation], Time(%), {young / run.runtime_ms * 100!r}",
        "[TOTAL_GCS_G1_Old_Generation], Count, 0",
        "[TOTAL_GC_TIME_G1_Old_Generation], Time(ms), 0",
        "[TOTAL_GC_TIME_%_G1_Old_Generation], Time(%), 0.0",
        f"[TOTAL_GCs], Count, {young // 5}",
        f"[TOTAL_GC_TIME], Time(ms), {young}",
        f"[TOTAL_GC_TIME_%], Time(%), {young / run.runtime_ms * 100!r}",
    ]
    failed = totals.count.get("READ-FAILED", 0)
    for name in totals.count:
        if name == "UPDATE":
            lines += _block("CLEANUP", run.threads, 1619.5, (3, 6455, 6455, 6455))
        mean = totals.time_us[name] / max(1, totals.count[name])
        figures = (totals.lowest[name], totals.highest[name], int(mean * 2.5), int(mean * 4.5))
        lines += _block(name, totals.count[name], mean, figures)
        if name in ("READ", "UPDATE"):
            lines.append(f"[{name}], Return=OK, {totals.count[name]}")
        if name == "READ" and failed:
            lines.append(f"[READ], Return=ERROR, {failed}")
    return "\n".join(lines) + "\n"


def text(run: Run, remaining: list[str] | None = None) -> str:
    return head(run) + status(run, remaining=remaining) + summary(run)


@dataclass
class Totals:
    """What a summary adds up over status lines."""

    done: int = 0
    count: dict[str, int] = field(default_factory=dict)
    time_us: dict[str, float] = field(default_factory=dict)
    lowest: dict[str, int] = field(default_factory=dict)
    highest: dict[str, int] = field(default_factory=dict)

    def add(self, run: Run) -> "Totals":
        self.done += int(run.done.sum())
        for name, one in run.operations.items():
            seen = one.count > 0
            self.count[name] = self.count.get(name, 0) + one.total
            self.time_us[name] = self.time_us.get(name, 0.0) + float((one.count * one.mean)[seen].sum())
            self.lowest[name] = min(self.lowest.get(name, 2**62), int(one.lowest[seen].min(initial=2**62)))
            self.highest[name] = max(self.highest.get(name, 0), int(one.highest[seen].max(initial=0)))
        return self


def stamps(at_ms: np.ndarray) -> list[str]:
    """Wall clocks as YCSB prints them: `2023-05-06 10:26:26:218`."""
    text_ = "\n".join(np.datetime_as_string(at_ms.astype("datetime64[ms]")).tolist())
    return text_.replace("T", " ").replace(".", ":").split("\n")


def completions(lines: int, interval_s: int) -> list[str]:
    """The estimates of what is left, one per line."""
    return [_duration((lines - i) * interval_s) for i in range(1, lines + 1)]


def _block(name: str, count: int, mean: float, figures: tuple[int, int, int, int]) -> list[str]:
    """The summary of one operation; `figures`: lowest, highest, 95th and 99th percentile."""
    metrics = ("MinLatency", "MaxLatency", "95thPercentileLatency", "99thPercentileLatency")
    head_ = [f"[{name}], Operations, {count}", f"[{name}], AverageLatency(us), {float(mean)!r}"]
    return head_ + [f"[{name}], {metric}(us), {value}" for metric, value in zip(metrics, figures, strict=True)]


def _stalled(random: np.random.Generator, lines: int) -> np.ndarray:
    stalled = np.zeros(lines, bool)
    first = int(random.integers(lines // 4, lines // 2))
    stalled[first : first + int(random.integers(2, max(3, lines // 12)))] = True
    return stalled


def _mix(random: np.random.Generator, done: np.ndarray, kind: int) -> tuple[np.ndarray, np.ndarray, dict]:
    half = random.binomial(done, 0.5)
    if kind == READ_MODIFY_WRITE:
        return done, half, {"READ-MODIFY-WRITE": half}
    if kind == FAILURES:
        failed = np.where(random.random(len(done)) < 0.2, random.binomial(half, 0.001), 0)
        failed[len(failed) // 3] = 3
        return half - failed, done - half, {"READ-FAILED": failed}
    return half, done - half, {}


def _odd_lines(run: Run, remaining: list[str]) -> Iterator[str]:
    clocks, rates = stamps(run.at_ms), run.rate_ops_s.tolist()
    seconds, counter = ((run.at_ms - run.start_ms) // 1000).tolist(), (run.before + np.cumsum(run.done)).tolist()
    groups = {name: list(zip(*one.columns(), strict=True)) for name, one in run.operations.items()}
    starts = {name: _first(name, one) for name, one in run.operations.items()}
    for i, clock in enumerate(clocks):
        line = [_STAMP.format(clock, seconds[i], counter[i], f"{rates[i]:.12g}")]
        last = i == len(clocks) - 1
        if not last:
            line.append(f"est completion in {remaining[i]} ")
        for name, values in groups.items():
            if last and name == "UPDATE":
                line.append(_cleanup_group(run.threads))
            if values[i][0]:
                line.append(_GROUP.format(name) % values[i])
            elif i >= starts[name]:
                line.append(_NO_SAMPLE.format(name, run.odd))
        yield "".join(line) + "\n"


def _first(name: str, one: Latencies) -> int:
    """The line from which on YCSB prints an operation: the failures' series is there from the first failure on."""
    return int(np.flatnonzero(one.count)[0]) if name.endswith("-FAILED") else 0


def _cleanup_group(threads: int) -> str:
    return _GROUP.format("CLEANUP") % (threads, 6455, 3, 1619.5, 6455, 6455, 6455, 6455)


def _stamp(at_ms: int) -> str:
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    return f"{at:%Y-%m-%d %H:%M:%S}:{at_ms % 1000:03d}"


def _duration(seconds: int) -> str:
    """As YCSB words it: the two largest units."""
    minutes, hours = seconds // 60, seconds // 3600
    units = {"day": hours // 24, "hour": hours % 24, "minute": minutes % 60, "second": seconds % 60}
    named = [f"{n} {unit}{'s' if n > 1 else ''}" for unit, n in units.items() if n]
    return " ".join(named[:2]) or "0 second"


# -- what real logs hold besides ---------------------------------------------------------------------------------------

JAVA = (
    "/usr/bin/java -Xmx4g -cp /opt/ycsb/mongodb-binding/conf:/opt/ycsb/conf:/opt/ycsb/lib/core-0.17.0.jar:"
    "/opt/ycsb/lib/HdrHistogram-2.1.4.jar:/opt/ycsb/mongodb-binding/lib/mongo-java-driver-3.11.0.jar site.ycsb.Client "
    "-db site.ycsb.db.MongoDbClient -P workloads/workloada -s -threads {threads} "
    "-p mongodb.url=mongodb://10.0.0.7:27017/ycsb?w=1 -t\n"
)
MAVEN = "[INFO] Scanning for projects...\n" + "[INFO] ------< site.ycsb:mongodb-binding >------\n" * 120
DRIVER = (
    "{stamp} [cluster-ClusterId{{value='5f', description='null'}}-10.0.0.7:27017] INFO org.mongodb.driver.connection - "
    "Opened connection [connectionId{{localValue:{n}, serverValue:{n}}}] to 10.0.0.7:27017\n"
)
WRAPPER = "DBWrapper: report latency for each error is false and specific error codes to track for latency are: []\n"
GC = "[12.3{n}s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 3.1{n}ms\n"
# Of 20 logs how many are as which tool leaves them; `streams` are the two files of one run.
FORMS = (
    *["stderr last"] * 4, *["java first"] * 4, *["a line per thread"] * 3, *["driver lines"] * 3, "gc lines",
    "maven first", "windows", "other percentiles", "streams", "plain",
)  # fmt: skip


def dressed(log: str, run: Run, form: str) -> dict[str, bytes]:
    """A log as it is found: its files by their endings. The figures stay as they are."""
    status_at, summary_at = log.index(_stamp(run.start_ms)), log.index("[OVERALL]")
    first_end = log.index("\n", status_at) + 1
    match form:
        case "java first":
            log = JAVA.format(threads=run.threads) + log
        case "a line per thread":
            log = log[:first_end] + WRAPPER * run.threads + log[first_end:]
        case "driver lines":
            lines = log.splitlines(keepends=True)
            for n in range(len(lines) - 1, 0, -1):
                if n % 7 == 0 and " sec: " in lines[n]:
                    lines.insert(n, DRIVER.format(stamp="10:26:26.218", n=n))
            log = "".join(lines)
        case "gc lines":
            status_lines = log[first_end:summary_at].splitlines(keepends=True)
            mixed = "".join(line + GC.format(n=n) for n, line in enumerate(status_lines[:-1])) + status_lines[-1]
            log = log[:first_end] + mixed + log[summary_at:]
        case "maven first":
            log = MAVEN + log
        case "windows":
            log = log.replace("\n", "\r\n")
        case "other percentiles":
            log = log.replace(", 90=", ", 50=1, 95=").replace(", 99.9=", ", 99.5=")
        case "streams":
            java = JAVA.format(threads=run.threads)
            return {".err": log[:summary_at].encode(), ".out": (java + log[summary_at:]).encode()}
    return {".log": log.encode()}
