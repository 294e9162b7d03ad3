"""Scaling laws: how throughput grows with cores, how sure that is, and what may be claimed.

Pure: data frames in, data frames out. `fit` fits one law to one group of points, `select` says which law to show,
`analyse` does both for every group of a runs table.
"""

from ycsbook.scaling.analysis import Analysis, analyse
from ycsbook.scaling.elasticity import elasticities
from ycsbook.scaling.fit import Fit, fit
from ycsbook.scaling.laws import LAWS, Law, usl_peak
from ycsbook.scaling.select import Choice, select

__all__ = ["LAWS", "Analysis", "Choice", "Fit", "Law", "analyse", "elasticities", "fit", "select", "usl_peak"]
