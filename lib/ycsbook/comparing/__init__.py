"""Comparing two sets of tables: versions, vendors, engines, settings. Pure: data frames in, a data frame and facts out.

`compare` gives a row per cell with ratio, interval and verdict; `conditions` what else differs between the two;
`summary` the whole in short; `latency_times` by what latencies differ; `beside` the data sets of one source in a
sentence each.
"""

from ycsbook.comparing.beside import beside, latency_times
from ycsbook.comparing.ratios import compare
from ycsbook.comparing.verdicts import conditions, summary

__all__ = ["beside", "compare", "conditions", "latency_times", "summary"]
