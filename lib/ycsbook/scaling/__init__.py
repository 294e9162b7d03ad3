"""Scaling laws: how throughput grows with cores, how sure that is, and what may be claimed.

Pure: data frames in, data frames out. `fit` fits one law to one group of points, `select` says which law to show,
`fit_joint` fits cores and threads together, `limits` says what limits each point, and `analyse` does all of it for
every group of a runs table.
"""

from ycsbook.scaling.analysis import TABLES, Analysis, analyse
from ycsbook.scaling.fitted import Fit
from ycsbook.scaling.fitting import Choice, fit, select
from ycsbook.scaling.joint import JointFit, fit_joint
from ycsbook.scaling.laws import LAWS, Law, all_laws, law, usl_peak
from ycsbook.scaling.limits import limits
from ycsbook.scaling.steps import marginals

__all__ = [
    "LAWS", "TABLES", "Analysis", "Choice", "Fit", "JointFit", "Law", "all_laws", "analyse", "fit", "fit_joint",
    "law", "limits", "marginals", "select", "usl_peak",
]  # fmt: skip
