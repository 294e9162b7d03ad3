"""Notebook kernels that start at once: forked from a process that has loaded every library already.

A papermill run of one notebook spends most of its time loading libraries. Here one process loads them once
(preload.py) and stays single-threaded; what is executed, it forks (apart.py); that process forks its kernel before it
has any thread itself (kernel.py). Every notebook still gets a fresh process, and nothing is shared but what was loaded.
"""
