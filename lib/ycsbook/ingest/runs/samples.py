"""CPU and memory samples taken beside a run: `samples.csv`, a row about every second.

Data frames are loaded inside functions: what starts a run needs the names of the columns alone.
"""

import csv
import math
import os
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook import units
from ycsbook.errors import RunLogError
from ycsbook.ingest.files.scan import SAMPLES
from ycsbook.ingest.files.sources import Source

if TYPE_CHECKING:
    import pandas as pd

# What the server counts from its start, and its state, as its own status tells them.
COUNTED = (
    "inserts", "queries", "updates", "deletes", "commands", "evicted_by_application", "written_bytes", "read_bytes",
    "network_bytes",
)  # fmt: skip
STATES = ("connections", "cache_bytes", "cache_dirty_bytes", "checkpoint_running", "checkpoint_ms")
# CPU times are cumulative seconds of the whole process tree; an empty cell is not known.
COLUMNS = (
    "epoch_s", "server_cpu_s", "client_cpu_s", "server_rss_bytes", "client_rss_bytes", "load_average",
    *COUNTED, *STATES, "host_cpu_s",
)  # fmt: skip
# One a second, of about 200 bytes.
MAX_ROWS = 1_000_000
MAX_BYTES = 400_000_000


def read(folder: Path, name: str = SAMPLES) -> "pd.DataFrame":
    """The samples of a run folder, one row each, without damaged and cut lines. Raises RunLogError, also for a link."""
    import numpy as np
    import pandas as pd

    path, columns = folder / name, {c: array("d") for c in COLUMNS}
    lines = Source(path, root=path.parent, limit=MAX_BYTES).lines()
    texts = (line.decode("utf-8", errors="replace").replace("\0", "") for line in lines if line.endswith(b"\n"))
    try:
        for at, row in enumerate(csv.DictReader(texts) if os.path.lexists(path) else ()):
            if at > MAX_ROWS:
                raise RunLogError(path, None, f"has more than {MAX_ROWS:,} samples, those of 11 days; remove it")
            if math.isnan(_float(row.get("epoch_s"))):
                continue
            for c, values in columns.items():
                values.append(_float(row.get(c)))
    except csv.Error as e:
        raise RunLogError(path, None, f"cannot be read as CSV: {e}") from None
    samples = pd.DataFrame({c: np.frombuffer(values) for c, values in columns.items()})
    return samples.sort_values("epoch_s", ignore_index=True)


def rows(run_id: str, samples: "pd.DataFrame", start_epoch_s: float = math.nan) -> "pd.DataFrame":
    """The table `samples` of one run: a row per pair of samples, from the start of the load on; `start_epoch_s`: what
    elapsed_s counts from, NaN: the first sample."""
    import pandas as pd

    # Only here, as pandas: most runs have no samples.
    from ycsbook.tables import conform, empty

    if len(samples) < 2:
        return empty("samples")
    samples = _without_stub(samples)
    step = samples.diff()
    length = step["epoch_s"].where(step["epoch_s"] > 0)
    start = samples["epoch_s"].iloc[0] if math.isnan(start_epoch_s) else start_epoch_s
    frame = pd.DataFrame(
        {
            "run_id": run_id,
            "elapsed_s": samples["epoch_s"] - start,
            "interval_s": length,
            "server_cpu_cores": _rate(step["server_cpu_s"], length),
            "client_cpu_cores": _rate(step["client_cpu_s"], length),
            "server_rss_gib": samples["server_rss_bytes"] / units.BYTES_PER_GIB,
            "load_average": samples["load_average"],
            **{f"{name}_s": _rate(step[name], length) for name in COUNTED},
            "connections": samples["connections"],
            "cache_used_gib": samples["cache_bytes"] / units.BYTES_PER_GIB,
            "cache_dirty_gib": samples["cache_dirty_bytes"] / units.BYTES_PER_GIB,
            "checkpoint_running": samples["checkpoint_running"],
            "checkpoint_ms": samples["checkpoint_ms"],
            "host_cpu_cores": _rate(step["host_cpu_s"], length),
        }
    )
    has_interval = frame["interval_s"].notna() & (frame["elapsed_s"] > 0)
    return conform(frame[has_interval].reset_index(drop=True), "samples")


def usage(
    samples: "pd.DataFrame", window: tuple[float, float], columns: Mapping, own_programs: Sequence[str]
) -> dict[str, float]:
    """The columns of `runs` that samples give of a part of the run, the `window` in s since 1970: CPU in use, and what
    an operation costs the server; `columns`: those of the run: `cores`, `steady_ops_s`, `throughput_ops_s`;
    `own_programs`: columns with the CPU time of all that the run itself used; empty: not known."""
    steady = columns.get("steady_ops_s", math.nan)
    ops = columns.get("throughput_ops_s", math.nan) if math.isnan(steady) else steady

    def per_s(column: str) -> float:
        return cumulated(samples, column, *window)

    def per_op(column: str, factor: float = 1.0) -> float:
        return per_s(column) * factor / (ops or math.nan)

    host_cpu = per_s("host_cpu_s")
    other_cpu = host_cpu - sum(map(per_s, own_programs)) if own_programs else math.nan
    return {
        "host_cpu": host_cpu,
        "other_cpu": other_cpu if math.isnan(other_cpu) else max(other_cpu, 0.0),
        "cpu_utilisation": per_s("server_cpu_s") / (columns["cores"] or math.nan),
        "client_cpu": per_s("client_cpu_s"),
        "server_rss_peak_gib": float(samples["server_rss_bytes"].max()) / units.BYTES_PER_GIB,
        # No operation is free of these: a run that ended between two looks at the server, or two ticks, shows none.
        "server_cpu_us_per_op": per_op("server_cpu_s", units.US_PER_S) or math.nan,
        "network_bytes_per_op": per_op("network_bytes") or math.nan,
        "written_bytes_per_op": per_op("written_bytes"),
        "read_bytes_per_op": per_op("read_bytes"),
    }


def cumulated(samples: "pd.DataFrame", column: str, from_epoch_s: float, to_epoch_s: float) -> float:
    """How fast a cumulative column grew between two moments, per second: CPU seconds give cores in use. NaN where the
    samples cover less than half of the time, and where the column falls, as that of a server that started anew."""
    import numpy as np

    sampled = samples[samples[column].notna()]
    if len(sampled) < 2:
        return math.nan
    at, used = sampled["epoch_s"].to_numpy(), sampled[column].to_numpy()
    start, end = max(from_epoch_s, at[0]), min(to_epoch_s, at[-1])
    if not end - start > 0.5 * (to_epoch_s - from_epoch_s):
        return math.nan
    grown = float((np.interp(end, at, used) - np.interp(start, at, used)) / (end - start))
    return grown if grown >= 0 else math.nan


def _without_stub(samples: "pd.DataFrame") -> "pd.DataFrame":
    """Join a short last interval to the one before: within milliseconds CPU time is mostly its own granularity."""
    steps = samples["epoch_s"].diff()
    if len(samples) < 3 or steps.iloc[-1] >= steps.median() / 2:
        return samples
    return samples.drop(index=samples.index[-2]).reset_index(drop=True)


def _rate(steps: "pd.Series", interval_s: "pd.Series") -> "pd.Series":
    # A total that falls means that a part of the tree vanished unaccounted, or a server started anew: unknown.
    return steps.where(steps >= 0) / interval_s


def _float(text: str | None) -> float:
    try:
        value = float(text or "nan")
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan
