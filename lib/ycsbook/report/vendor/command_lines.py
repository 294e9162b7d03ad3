"""The commands of a vendor's page: of measured runs the real ones, of published rows no more than their source says."""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping

from ycsbook.params.sweep import Sweep, Workload
from ycsbook.params.workloads import STANDARD
from ycsbook.report.vendor.measurements import Measurement, mix
from ycsbook.secrets import redact

_URL = "mongodb://<mongodb_user_name>:<mongodb_user_password>@<mongodb_ip>:<mongodb_port>/ycsb?authSource=admin"
_USUAL = {"field_count": 10, "field_length": 100, "batch_size": 1, "table": "usertable"}
_PROPERTIES = {"field_count": "fieldcount", "field_length": "fieldlength", "batch_size": "mongodb.batchsize",
               "table": "table"}  # fmt: skip
# What every such command needs: a blank where the source does not print it.
_RECORDS, _OPERATIONS = "-p recordcount=<recordcount>", "-p operationcount=<operationcount>"


def of(
    sweep: Sweep, measured: list[Measurement], concern: str, known: Callable[[str], bool], source: Mapping[str, str]
) -> Iterable[dict]:
    """The load, then a run for each workload and number of threads, with blanks where an address would stand.

    Parameters
        known: whether a setting was measured with, or is printed by the source; others are left out, or blanks.
        source: what the published source prints, by the keys of a sidecar's environment: its own load_options and
            run_options are taken as they are, with the row's mix and threads put in.
    """
    first = measured[0]

    def line(phase: str, name: str, reads: float, threads: int) -> dict:
        printed = " ".join(redact(source.get(f"{phase}_options", "")).replace("`", "").split())
        if printed:
            options = _filled(printed, phase, reads, threads)
        else:
            options = " ".join(_options(sweep, phase, name, threads, known))
        base = name if name in STANDARD and "readproportion=" not in options else "a"
        url = _URL if "writeConcern=" in options or not concern else f"{_URL}&w={concern}"
        text = f"{_program(sweep, known, source)} {phase} mongodb -s -P workloads/workload{base}"
        return {
            "phase": phase, "workload": name, **mix(reads),
            "threads": threads if phase == "run" or known("load_threads") else "",
            "text": f"{text} -p mongodb.url='{url}' {options} >{phase}log.txt",
        }  # fmt: skip

    yield line("load", first.workload, first.reads, sweep.load_threads)
    for name in dict.fromkeys(m.workload for m in measured):
        reads = next(m.reads for m in measured if m.workload == name)
        for threads in sorted({m.threads for m in measured if m.workload == name}):
            yield line("run", name, reads, threads)


def _program(sweep: Sweep, known: Callable[[str], bool], source: Mapping[str, str]) -> str:
    if re.fullmatch(r"[\w.-]{1,60}", version := source.get("ycsb", "")):
        return f"./{version}/bin/ycsb"
    java = f"JAVA_OPTS={shlex.quote(' '.join(sweep.java_options))} " if known("java_options") else ""
    return f"{java if sweep.java_options else ''}./bin/ycsb.sh"


def _filled(printed: str, phase: str, reads: float, threads: int) -> str:
    """A source's own options, which stand for all its rows, for one of them."""
    needed = [_RECORDS]
    if phase == "run":
        needed += [_OPERATIONS, f"-threads {threads}"]
        shares = {"-threads ": threads, "readproportion=": f"{reads:g}", "updateproportion=": f"{1 - reads:.9g}"}
        for option, value in shares.items():
            printed = re.sub(rf"(?<![\w.]){option}\S+", f"{option}{value}", printed)
    names = {option: re.split(r"[= ]", option.removeprefix("-p "))[0] for option in needed}
    return " ".join([printed, *(option for option, name in names.items() if name not in printed)])


def _options(sweep: Sweep, phase: str, name: str, threads: int, known: Callable[[str], bool]) -> Iterable[str]:
    yield f"-p recordcount={sweep.records}" if known("records") else _RECORDS
    for setting, usual in _USUAL.items():
        if known(setting) and getattr(sweep, setting) != usual:
            yield f"-p {_PROPERTIES[setting]}={getattr(sweep, setting)}"
    if phase == "run":
        yield from _run_options(sweep, next((w for w in sweep.workloads if w.name == name), None), known)
    if phase == "run" or known("load_threads"):
        yield f"-threads {threads}"


def _run_options(sweep: Sweep, workload: Workload | None, known: Callable[[str], bool]) -> Iterable[str]:
    if workload is not None and (workload.name not in STANDARD or _differs(workload)):
        shares = ("read", "update", "insert", "scan", "readmodifywrite")
        yield from (f"-p {share}proportion={getattr(workload, share):g}" for share in shares)
        yield f"-p requestdistribution={workload.distribution}"
    if sweep.upsert and known("upsert"):
        yield "-p mongodb.upsert=true"
    if sweep.read_preference != "primary" and known("read_preference"):
        yield f"-p mongodb.readPreference={sweep.read_preference}"
    if sweep.target_ops_s and known("target_ops_s"):
        yield f"-target {sweep.target_ops_s:g}"
    if not known("operations"):
        yield _OPERATIONS
    elif sweep.operations:
        yield f"-p operationcount={sweep.operations}"
    elif known("min_duration"):
        yield f"-p operationcount=2147483647 -p maxexecutiontime={sweep.min_duration:.0f}"


def _differs(workload: Workload) -> bool:
    return workload != Workload.model_validate({"name": workload.name, **STANDARD[workload.name]})
