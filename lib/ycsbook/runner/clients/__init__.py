"""One run driven by several clients: YCSB processes in the workers of dask.distributed, on this machine or on others.

shares      threads, target and operations of a run, shared out among its clients
workers     the dask workers: processes of our own (own), of a scheduler or started over ssh (elsewhere)
package     dask.distributed itself
task        what a worker does: prepare, wait for the common start, make its share of the run
crew        the clients of one run as the runner sees them: their clocks, start, state and end
parcel      a client's files on their way to the runner
gathered    the clients' samples beside the server's, and their starts
pace        the throughput of all of them while the run goes on
judged      what the run is worth, from the logs of all its clients
demands     what has to be there, looked at before anything is started
execute     one run, from the workers' start to its verdict
auto        how many clients a server needs
"""
