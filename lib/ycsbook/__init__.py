"""ycsbook: benchmark MongoDB and its peers with YCSB, from real runs to reports that can be re-derived.

The packages follow the data: params, servers and runner make runs, store keeps them, ingest reads them, scaling and
anomalies judge them, plots and report show that. Imports point one way; pyproject.toml has their order.

For data of one's own, `import ycsbook as yb`: read, fit, limits, anomalies, compare and capacity take a plain data
frame (ycsbook.library).
"""

__version__ = "0.1.0"

__all__ = ["__version__", "anomalies", "capacity", "compare", "fit", "limits", "read"]


def __getattr__(name: str):
    # Not before they are asked for: pandas and matplotlib take longer to load than most commands take to answer.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if name == "anomalies":
        # The package of that name, which can be called.
        return importlib.import_module("ycsbook.anomalies")
    return getattr(importlib.import_module("ycsbook.library"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
