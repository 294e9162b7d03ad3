"""One run driven by several clients: YCSB processes in the workers of dask.distributed, on this machine or on others.

workers     how many clients a run has, each one's part of it, and the dask workers in which they run
task        what a worker does: prepare, wait for the common start, make its share of the run, give its files back
run         one run, from the workers' start to its verdict: the clients' clocks, start, state and end
"""
