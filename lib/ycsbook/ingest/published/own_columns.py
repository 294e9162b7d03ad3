"""What the columns of a data frame of one's own are called, and which columns of `runs` or which latencies they are."""

import re
import unicodedata

from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.page_headings import LATENCIES
from ycsbook.ingest.published.page_headings import column as column_of_page

QPS = "throughput_ops_s"
# The names of columns besides those of the table `runs` and what pages head them; a factor makes the unit of the table.
SYNONYMS: dict[str, dict[str, float]] = {
    "cores": dict.fromkeys(("core", "cpus", "vcpu", "vcpus", "n_cores", "cpu_cores", "cpu_count"), 1),
    "threads": dict.fromkeys(("thread", "n_threads", "client_threads", "concurrency"), 1),
    QPS: dict.fromkeys(("qps", "tps", "throughput", "ops_s", "ops_sec", "ops_per_s", "ops_per_sec",
                        "ops_per_second", "throughput_ops_sec"), 1),
    "ram_gib": dict.fromkeys(("ram", "ram_gb", "memory", "memory_gib", "memory_gb", "mem_gib", "mem_gb"), 1),
    "repeat": dict.fromkeys(("rep", "repetition", "trial", "round"), 1),
    "spec": dict.fromkeys(("instance", "instance_type", "server_type"), 1),
    "read_fraction": {"read_share": 1, "read_ratio": 1, "read_percent": 0.01, "read_pct": 0.01},
    "cpu_utilisation": {"cpu": 1, "cpu_utilization": 1, "cpu_percent": 0.01, "cpu_pct": 0.01,
                        "cpu_utilisation_percent": 0.01, "cpu_utilization_percent": 0.01},
    "read_us": {f"{name}_{unit}": factor for name in ("read", "read_latency", "read_mean", "ral")
                for unit, factor in (("us", 1), ("ms", 1000))},
    "write_us": {f"{name}_{unit}": factor for name in ("write", "write_latency", "write_mean", "wal", "update")
                 for unit, factor in (("us", 1), ("ms", 1000))},
}  # fmt: skip
# Latencies are no columns of `runs`: what each is called here and on pages. `@` and a number behind it: a percentile.
ON_PAGES = {"read_us": "ral_us", "write_us": "wal_us", "insert_us": "insert_us", "latency_us": "latency_us"}
OPERATIONS = {name: LATENCIES[on_pages] for name, on_pages in ON_PAGES.items()}
_CALLED = {**{on_pages: name for name, on_pages in ON_PAGES.items()}, "tps": QPS}
MIX = "mix"
MEANINGS = {
    name: (column, factor)
    for column, others in {**{c: {} for c in SCHEMAS["runs"]}, **SYNONYMS}.items()
    for name, factor in {column: 1, **others}.items()
}


def operation(column: str) -> str:
    """The operation whose latencies a column holds; empty: it holds none."""
    return OPERATIONS.get(column.partition("@")[0], "")


def meaning(label: object) -> str:
    """The column of `runs`, or of a latency such as read_us or read_us@99, that a label of a frame stands for; empty:
    none.

    Examples
        >>> meaning("CPU %"), meaning("QPS(万)"), meaning("P99 read (ms)"), meaning("notes")
        ('cpu_utilisation', 'throughput_ops_s', 'read_us@99', '')
    """
    return understand(label)[0]


def understand(label: object) -> tuple[str, float]:
    """The column that a label stands for, and the factor of its unit: NaN where that is not known."""
    if found := MEANINGS.get(plain(label)):
        return found
    name, factor = column_of_page(str(label)) or ("", 1)
    base, mark, rank = name.partition("@")
    return f"{_CALLED.get(base, base)}{mark}{rank}", factor


def plain(label: object) -> str:
    text = unicodedata.normalize("NFKC", str(label)).lower().replace("%", " percent ").replace("μ", "u")
    return re.sub(r"[\W_]+", "_", text).strip("_")
