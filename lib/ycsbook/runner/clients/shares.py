"""A run shared out among its clients: threads, target throughput and operations add up to those of the run."""

from dataclasses import replace

from ycsbook.params import PlannedRun, Sweep


def are_needed(sweep: Sweep, n: int) -> bool:
    """Whether n clients of a run are workers: several, or one that is elsewhere. A load is made here, by one client."""
    return n > 1 or sweep.cluster.kind != "local"


def spread(total: int, n: int) -> tuple[int, ...]:
    """A whole number in n parts that differ by one at most, the larger ones first.

    Examples
        >>> spread(200, 4), spread(10, 4)
        ((50, 50, 50, 50), (3, 3, 2, 2))
    """
    part, rest = divmod(total, n)
    return tuple(part + (i < rest) for i in range(n))


def count(planned: PlannedRun, wanted: int) -> int:
    """How many clients the run can have: each needs a thread, and an operation to make and per second."""
    sweep = planned.sweep
    target = None if sweep.target_ops_s is None else max(1, round(sweep.target_ops_s))
    return min(n for n in (wanted, planned.threads, sweep.operations, target) if n is not None)


def of(planned: PlannedRun, n: int) -> tuple[PlannedRun, ...]:
    """Each client's part of a run, as a run.

    Failures are allowed to the run as a whole, so a single client may have any number of them.

    Parameters
        n: as `count` gives it.
    """
    sweep = planned.sweep
    operations = [None] * n if sweep.operations is None else spread(sweep.operations, n)
    # YCSB takes whole operations per second.
    targets = [None] * n if sweep.target_ops_s is None else spread(max(1, round(sweep.target_ops_s)), n)
    return tuple(
        replace(
            planned,
            threads=threads,
            sweep=sweep.model_copy(
                update={"clients": 1, "operations": some, "target_ops_s": target, "max_failed": 1.0}
            ),
        )
        for threads, some, target in zip(spread(planned.threads, n), operations, targets, strict=True)
    )
