"""Small tables whose truth is known: of a closed loop whose servers follow laws of their own."""

from page_samples import own_table
from report_samples import head_of

from ycsbook import named_tables
from ycsbook.facts import Fact
from ycsbook.report.short import MOST_SAID

HEADINGS = "spec,cores,ram_gib,threads,workload,qps,read_us,write_us"


def closed_loop(threads, most, light_s=0.001):
    """Throughput (ops/s) of a server that does `most`, and whose operations take `light_s` alone."""
    return ((1 / most) ** 5 + (light_s / threads) ** 5) ** (-1 / 5)


def row(cores, threads, ops_s, ram=None, mix="a", *, busy=0.9):
    us = round(threads / ops_s * 1e6 * busy)
    ram = ram or 4 * cores
    return f"{cores}c{ram}g,{cores},{ram},{threads},{mix},{ops_s:.0f},{us},{us * 1.2:.0f}"


def tables(folder, rows, more=""):
    return named_tables.read(own_table(folder, HEADINGS + more, rows))


def said(folder, rows, more="") -> tuple[list[Fact], dict[str, list[Fact]]]:
    """What the head of the report says: the verdicts, and the sentences by what they are about."""
    head = head_of(tables(folder, rows, more))
    assert len(head.head) <= MOST_SAID
    return head.head, head.facts()
