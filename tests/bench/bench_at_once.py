"""How long a vendor's matrix takes on so many client machines, some of which fail; simulated, with fixed seeds.

    .venv/bin/python tests/bench/bench_at_once.py            1,000 sweeps of each kind: seconds
    .venv/bin/python tests/bench/bench_at_once.py --quick    50 of each
    .venv/bin/python tests/bench/bench_at_once.py --json

18 servers x 2 mixes x 2 thread counts x 3 repeats of 20 minutes, handed out by runner.dispatch as a sweep does it. A
machine fails at a random moment of the run it drives; that run is made again by others. Nothing may be made twice, no
server driven by two runs, and no machine drive two servers. A missed target is printed and is no failure.
"""

import argparse
import heapq
import json
from dataclasses import asdict

import numpy as np
from bench_alarms import Line

from ycsbook.params.sweep import OVERHEAD_S
from ycsbook.runner.dispatch import Dispatch, Job
from ycsbook.units import SECONDS_PER_HOUR

SWEEPS, QUICK_SWEEPS = 1000, 50
SEED = 20261123
SERVERS, CELLS, REPEATS, RUN_S = 18, 4, 3, 1200.0 + OVERHEAD_S
RUNS = SERVERS * CELLS * REPEATS


def matrix() -> list[Job]:
    """The runs in plan order: repeat by repeat."""
    return [Job((s, c, r), s, (s, c)) for r in range(REPEATS) for s in range(SERVERS) for c in range(CELLS)]


def carried_out(machines: int, failing: int, random: np.random.Generator) -> tuple[float, int, int]:
    """Hours that a sweep takes, how many runs were cut, and how many rules were broken.

    Parameters
        failing: so many of the machines fail, each in one of the first ten runs it drives.
    """
    names = [f"m{i}" for i in range(machines)]
    fails_in = dict(zip(names[:failing], random.integers(1, 11, failing), strict=True))
    dispatch = Dispatch(names, 1, machines, matrix())
    clock_s, number, cut, broken = 0.0, 0, 0, 0
    driven, under_way, made = dict.fromkeys(names, 0), [], []
    while True:
        while order := dispatch.next():
            (machine,) = order.machines
            driven[machine] += 1
            lost = fails_in.get(machine) == driven[machine]
            number += 1
            heapq.heappush(under_way, (clock_s + RUN_S * (random.random() if lost else 1.0), number, lost, order))
        orders = [order for *_, order in under_way]
        broken += len({o.job.server for o in orders}) < len(orders) or len({o.machines for o in orders}) < len(orders)
        if not under_way:
            return clock_s / SECONDS_PER_HOUR, cut, broken + len(made) - len(set(made)) + len(dispatch.waiting)
        clock_s, _, lost, order = heapq.heappop(under_way)
        dispatch.ended(order, order.machines if lost else ())
        if lost:
            cut += 1
            dispatch.add([order.job], first=True)
        else:
            made.append(order.job.run)


def lines(n: int) -> list[Line]:
    """Every figure beside its target."""
    one_by_one_h, found = RUNS * RUN_S / SECONDS_PER_HOUR, []
    for machines, failing in ((1, 0), (2, 0), (6, 0), (6, 2), (18, 0), (18, 3), (18, 9)):
        random = np.random.default_rng([SEED, machines, failing])
        hours, cut, broken = np.array([carried_out(machines, failing, random) for _ in range(n if failing else 1)]).T
        left = machines - failing
        named = f"{machines} machines" + (f", {failing} fail" if failing else "")
        # As long as those that are left would take alone, and two runs more.
        wanted_h = round((RUNS / left + 2) * RUN_S / SECONDS_PER_HOUR, 1)
        found += [
            Line(f"{named}: hours, median", float(np.median(hours)), wanted_h, True, "h",
                 f"of {one_by_one_h:.1f} one after the other; worst {hours.max():.1f}, {cut.mean():.1f} runs cut"),
            Line(f"{named}: twice, left out, or two at a time", float(broken.sum()), 0.0, True, "", f"{RUNS} runs"),
        ]  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SWEEPS} sweeps of each kind")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    found = lines(QUICK_SWEEPS if asked.quick else SWEEPS)
    if asked.json:
        print(json.dumps([asdict(line) | {"met": line.met} for line in found], indent=1))
        return
    for line in found:
        missed = "" if line.met else "MISSED "
        print(f"{missed}{line.what}: {line.figure:.1f} {line.unit}, wanted at most {line.target:g} ({line.how})")


if __name__ == "__main__":
    main()
