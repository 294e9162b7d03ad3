"""Comparing two sets of tables: versions, vendors, engines, settings. Pure: data frames in, a data frame and facts out.

`compare` gives a row per cell with ratio, interval and verdict; `conditions` what else differs between the two;
`summary` the whole in short; `p99_times` by what the slowest operations differ, `traded` by what reads and writes do
where one pays for the other; `beside` the data sets of one source in a sentence each.
"""

from ycsbook.comparing.beside import beside, p99_times, traded
from ycsbook.comparing.ratios import compare
from ycsbook.comparing.verdicts import conditions, summary

__all__ = ["beside", "compare", "conditions", "p99_times", "summary", "traded"]
