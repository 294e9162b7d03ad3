"""One run driven by several clients: YCSB processes in the workers of dask.distributed, on this machine or on others.

shares      how many clients a run has, and each one's part of it
workers     the dask workers: in this process, of a scheduler or started over ssh
task        what a worker does: prepare, wait for the common start, make its share of the run, give its files back
run         one run, from the workers' start to its verdict: the clients' clocks, start, state and end
"""
