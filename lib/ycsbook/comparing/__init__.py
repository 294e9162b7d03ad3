"""Comparing two sets of tables: versions, vendors, engines, settings. Pure: data frames in, a data frame out.

`compare` gives a row per cell with ratio, interval and verdict; `conditions` what else differs between the two;
`summary` the whole as a sentence.
"""

from ycsbook.comparing.conditions import conditions
from ycsbook.comparing.ratios import compare
from ycsbook.comparing.verdicts import summary

__all__ = ["compare", "conditions", "summary"]
