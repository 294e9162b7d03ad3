"""The manifest of a run folder: what the runner wrote down beside the logs."""

import hashlib
import math
from datetime import UTC, datetime
from pathlib import Path

from ycsbook import opening, units
from ycsbook.errors import RunLogError
from ycsbook.ingest.files.scan import MANIFEST
from ycsbook.ingest.log.series import Series
from ycsbook.store.runs import foreign_schema
from ycsbook.verdicts import HOST_SPEED_TOLERANCE, Outcome, StopReason, Warn

# JSON has integers that no float holds; nothing a manifest tells is larger than this.
MAX_NUMBER = 1e18
# A status line comes after the JVM's start; more than this from the run's start is another clock or another run.
MAX_START_S = 300
_ZONE_STEP_S = 15 * 60
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


def load(folder: Path) -> dict:
    """The manifest of a run folder. Raises RunLogError: there is none, it is not valid JSON or of another schema."""
    path = folder / MANIFEST
    try:
        facts = opening.json_content(path, root=folder)
    except OSError as e:
        raise RunLogError(path, None, f"cannot be read: {e.strerror}") from e
    except ValueError as e:
        raise RunLogError(path, None, f"is not valid JSON: {e}; move the folder away to repeat the run") from None
    if not isinstance(facts, dict) or facts.get("schema") is None:
        raise RunLogError(path, None, "expected a manifest with a schema; move the folder away to repeat the run")
    if reason := foreign_schema(facts["schema"]):
        raise RunLogError(path, None, reason)
    return facts


def run_columns(facts: dict) -> dict:
    """The columns of the `runs` table that a manifest knows; what it lacks or misspells is missing."""
    spec, server, workload, inputs = (_mapping(facts, key) for key in ("spec", "server", "workload", "inputs"))
    clients = _clients(facts)
    # The records of one INSERT, where that is one call for many of them.
    inserts = _text(inputs, "experiment") == "insertion" and _text(facts, "phase") == "run"
    shares = {k: _number(workload, k) for k in ("read", "scan")}
    known_shares = [v for v in shares.values() if not math.isnan(v)]
    return {
        **{name: _text(facts, name) for name in ("run_id", "dataset", "phase", "write_concern", "read_preference")},
        **{name: _number(facts, name) for name in ("repeat", "threads", "clients", "target_ops_s")},
        "spec": _text(spec, "name"),
        "spec_label": _text(spec, "label"),
        **{name: _number(spec, name) for name in ("cores", "ram_gib", "cache_gib")},
        "workload": _workload(facts),
        "read_fraction": sum(known_shares) if known_shares else math.nan,
        "records": _number(inputs, "records"),
        # Those of an experiment; none is the default, which its inputs leave out.
        "indexes": _number({"indexes": 0, **inputs} if "experiment" in inputs else inputs, "indexes"),
        "batch_size": _number(inputs, "batch_size") if inserts else math.nan,
        **{name: _number(server, name) for name in ("data_bytes", "storage_bytes", "index_bytes", "rtt_us")},
        "distribution": _text(workload, "distribution"),
        "server_version": _text(server, "version"),
        **{name: _text(server, name) for name in ("topology", "cores_enforced_by")},
        "server_id": _server_id(server),
        "server_cores": _number(server, "cores"),
        "server_ram_gib": _number(server, "ram_gib"),
        "host_cores": _number(_mapping(facts, "machine"), "cores"),
        "host_speed": _host_speed(facts, clients),
        "client_machine": ",".join(sorted({_text(client, "host") for client in clients} - {""})),
        "started_at": _text(facts, "started_at"),
    }


def _clients(facts: dict) -> list[dict]:
    clients = facts.get("each_client")
    return [client for client in clients if isinstance(client, dict)] if isinstance(clients, list) else []


def _host_speed(facts: dict, clients: list[dict]) -> float:
    """Of several client machines the one whose speed changed most; of older runs only the runner's own is known."""
    speeds = [_mapping(client, "host_speed") for client in clients]
    speeds = [speed for speed in speeds if speed] or [_mapping(facts, "host_speed")]
    ratios = [_number(speed, "after") / (_number(speed, "before") or math.nan) for speed in speeds]
    return max(ratios, key=lambda ratio: abs(ratio - 1))


def over_http(facts: dict) -> str:
    return _text(_mapping(facts, "workload"), "operation") if _text(_mapping(facts, "client"), "program") else ""


def _server_id(server: dict) -> str:
    """An id for a server that is given by URI; its address only as a hash, for tables are published."""
    reach = _text(server, "reach")
    if _text(server, "kind") != "uri" or not reach:
        return ""
    return _text(server, "process") or f"at-{hashlib.sha256(reach.encode()).hexdigest()[:12]}"


def own_programs(facts: dict) -> tuple[str, ...]:
    """The columns of samples.csv with the CPU time that the run itself used on the client's machine; empty where they
    do not hold all of it: clients elsewhere, other members of a replica set, a REST gateway."""
    server = _mapping(facts, "server")
    if "each_client" in facts or not server or over_http(facts):
        return ()
    hosts = [host.rpartition(":")[0] or host for host in _text(server, "reach").split(",")]
    if _text(server, "kind") == "uri" and _LOOPBACK.isdisjoint(hosts):
        return ("client_cpu_s",)
    return () if len(hosts) > 1 or _number(server, "members") > 1 else ("client_cpu_s", "server_cpu_s")


def _workload(facts: dict) -> str:
    """The mix with the settings that the sweep varied: what was asked of the server otherwise is nobody's repeat."""
    name, variation = _text(_mapping(facts, "workload"), "name"), _mapping(facts, "variation")
    if not (varied := {k: v for k, v in variation.items() if v is None or isinstance(v, str | int | float)}):
        return name
    # Only here: params take long to load, and a plain log needs none.
    from ycsbook.params.expand import variation_text

    return ", ".join(filter(None, (name, variation_text(varied))))


def clocks_ahead_s(facts: dict, n: int) -> tuple[float, ...]:
    """How far the clock of each of n clients was ahead of the runner's, s; empty where that is not known of all."""
    ahead_s = [_number(client, "clock_ahead_s") for client in _clients(facts)]
    return tuple(ahead_s) if len(ahead_s) == n and not any(map(math.isnan, ahead_s)) else ()


def outcome(facts: dict) -> Outcome | None:
    """The runner's verdict, which knew the plan; None where there is none."""
    text = _text(facts, "outcome")
    return Outcome(text) if text in set(Outcome) else None


def stop_reason(facts: dict) -> str:
    text = _text(facts, "stop_reason")
    return text if text in set(StopReason) else ""


def warnings(facts: dict) -> list[Warn]:
    """The runner's own warnings, and those that follow from the manifest."""
    names = facts.get("warnings")
    warned = {w for w in Warn if isinstance(names, list) and w.value in names}
    columns = run_columns(facts)
    if _text(_mapping(facts, "server"), "kind") == "mongod" and columns["cores_enforced_by"] == "none":
        warned.add(Warn.CORES_NOT_ENFORCED)
    if abs(columns["host_speed"] - 1) > HOST_SPEED_TOLERANCE:
        warned.add(Warn.HOST_SPEED_CHANGED)
    if clock_stepped(facts):
        warned.add(Warn.CLOCK_STEPPED)
    return [w for w in Warn if w in warned]


def clock_stepped(facts: dict) -> bool:
    """Whether the runner saw the clock being set during the run: durations in the log are by that clock."""
    return not math.isnan(_number(facts, "clock_stepped_s"))


def started_epoch_s(facts: dict, series: Series) -> float:
    """When the load began, s since 1970: by the first status line, exact to the ms but in local time, whose zone is the
    multiple of 15 minutes that brings it next to `started_at`; else `started_at`; NaN without either."""
    try:
        started = datetime.fromisoformat(_text(facts, "started_at"))
    except ValueError:
        return math.nan
    begun = (started if started.tzinfo else started.replace(tzinfo=UTC)).timestamp()
    if series.started_at_ms is None:
        return begun
    local = series.started_at_ms / units.MS_PER_S
    first = local - round((local - begun) / _ZONE_STEP_S) * _ZONE_STEP_S
    return first if abs(first - begun) <= MAX_START_S else begun


def _mapping(facts: dict, key: str) -> dict:
    value = facts.get(key)
    return value if isinstance(value, dict) else {}


def _text(facts: dict, key: str) -> str:
    value = facts.get(key)
    return value if isinstance(value, str) else ""


def _number(facts: dict, key: str) -> float:
    value = facts.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > MAX_NUMBER:
        return math.nan
    return float(value)
