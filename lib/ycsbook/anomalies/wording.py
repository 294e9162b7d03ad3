"""How findings name specs, mixes and changes."""

from collections.abc import Mapping

import numpy as np


def spec(row: Mapping) -> str:
    """`32 cores 240 GB`, `1 core 1 GiB`, `0.25 cores 0.25 GiB`; the slug where the shape is unknown.

    Vendors write GB, our own specs are in GiB.
    """
    if np.isnan(row["cores"]):
        return str(row["spec"] or row["run_id"])
    cores = f"{row['cores']:g} {'core' if row['cores'] == 1 else 'cores'}"
    if np.isnan(row["ram_gib"]):
        return cores
    return f"{cores} {row['ram_gib']:g} {'GB' if row['vendor'] else 'GiB'}"


def mix(row: Mapping) -> str:
    """A published mix as 50:50 (reads to writes), our own as `workload a`."""
    share = row["read_fraction"]
    if row["vendor"] and not np.isnan(share):
        reads = round(100 * share)
        return f"{reads}:{100 - reads}"
    return f"workload {row['workload']}" if row["workload"] else "unnamed workload"


def threads(count: float) -> str:
    """`1 thread`, `16 threads`."""
    return f"{count:g} {'thread' if count == 1 else 'threads'}"


def cell(row: Mapping) -> str:
    """`32 cores 240 GB, 50:50, 100 threads`."""
    return f"{spec(row)}, {mix(row)}, {threads(row['threads'])}"


def ops(log_y: float) -> str:
    """`52,148` from a mean of ln ops/s; three digits of a small one."""
    value = float(np.exp(log_y))
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def change(effect: float) -> str:
    """`−66 %`, `+4 %`, with a decimal below 10 %."""
    percent = 100 * effect
    text = f"{abs(percent):.0f}" if abs(percent) >= 9.95 else f"{abs(percent):.1f}"
    return f"{'−' if percent < 0 else '+'}{text} %"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 run`, `3 runs`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(names: list[str], most: int = 4) -> str:
    """Names joined by commas, the rest counted."""
    shown = list(dict.fromkeys(names))
    if len(shown) <= most:
        return ", ".join(shown)
    return f"{', '.join(shown[:most])} and {len(shown) - most} more"
