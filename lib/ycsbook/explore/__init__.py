"""Looking around in a notebook: widgets choose what is drawn, a point tells its run and leads to its series, a finding
leads to its runs.

from ycsbook import explore
view = explore.View("params/local.yml")
view.scaling()      # dataset, workload, threads, law and run, above throughput over cores
view.latency()      # latency over throughput
view.findings()     # what was found; the chosen finding's runs, second by second
view.runs()         # the runs as a table, and as a frame in `frame`
"""

from ycsbook.explore.view import View

__all__ = ["View"]
