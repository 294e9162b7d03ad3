"""ycsbook: benchmark MongoDB and its peers with YCSB, from real runs to reports that can be re-derived.

The packages follow the data: params -> runner (servers, processes) -> store -> ingest -> scaling,
anomalies -> plots -> report. Imports only point back along that line.
"""

__version__ = "0.1.0"
