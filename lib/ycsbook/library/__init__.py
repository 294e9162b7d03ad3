"""The analysis for data of one's own: a plain data frame in, data frames, a fitted law and figures out.

    import ycsbook as yb

`read` reads what there is; `fit` fits a law; `limits`, `anomalies`, `compare` and `capacity` ask what the commands of
these names ask. Each takes a data frame with a row per run, tables, or a name that `read` takes.

ingest.published.page_headings says what columns may be called, fitted_law is what `fit` gives, questions holds the
rest. Nothing is computed here: that is done in scaling, anomalies and comparing.
"""

from ycsbook.library.fitted_law import FittedLaw, fit
from ycsbook.library.questions import anomalies, capacity, compare, limits, read

__all__ = ["FittedLaw", "anomalies", "capacity", "compare", "fit", "limits", "read"]
