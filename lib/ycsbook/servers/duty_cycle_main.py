"""Keep one process within a CPU budget by stopping and continuing it: PID CORES PERIOD_MS.

Started by quota.py as a script of its own: standard library only. Like the kernel's own quota: each period
brings cores x period of CPU time, unused time is not saved up, time used too much is owed to the next period.
The process's CPU clock counts all its threads, so the budget holds for any number of them.
"""

import contextlib
import functools
import os
import signal
import sys
import time

CPUCLOCK_SCHED = 2
MIN_SLEEP_S = 0.0005


def keep_within(pid, cores, period_s):
    # To this process and to no later one of its number. A Python built for old kernels has no pidfd; there the clock of
    # the process, which is read before each signal and fails once the process has ended, has to do.
    send = functools.partial(os.kill, pid)
    if hasattr(os, "pidfd_open"):
        send = functools.partial(signal.pidfd_send_signal, os.pidfd_open(pid))
    # Of the CPU time that all threads of the process have used (clock_getcpuclockid(3)).
    clock = (~pid << 3) | CPUCLOCK_SCHED
    hosts = len(os.sched_getaffinity(pid))
    budget_s = cores * period_s
    used_until, owed_s = time.clock_gettime(clock), 0.0
    period_end = time.monotonic()
    while True:
        # After a pause of the whole machine the periods start anew instead of being caught up with.
        period_end = max(period_end + period_s, time.monotonic())
        left_s = budget_s - owed_s
        stopped = left_s <= 0
        if not stopped:
            send(signal.SIGCONT)
        while not stopped and (remaining_s := period_end - time.monotonic()) > 0:
            time.sleep(min(max(left_s / hosts, MIN_SLEEP_S), remaining_s))
            now = time.clock_gettime(clock)
            left_s -= now - used_until
            used_until = now
            if left_s <= 0:
                send(signal.SIGSTOP)
                stopped = True
        time.sleep(max(0.0, period_end - time.monotonic()))
        now = time.clock_gettime(clock)
        owed_s = max(0.0, now - used_until - left_s)
        used_until = now


def main():
    pid, cores, period_ms = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    # On a busy machine a late stop is a limit passed, until the debt is paid.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    try:
        keep_within(pid, cores, period_ms / 1000)
    except OSError:
        # The process has ended, which its clock and its pidfd report as an error.
        return


if __name__ == "__main__":
    main()
