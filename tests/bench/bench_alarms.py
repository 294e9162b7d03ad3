"""False alarms and power of the rules on simulated sweeps, with fixed seeds.

    .venv/bin/python tests/bench/bench_alarms.py              1,000 sweeps of each kind: some minutes
    .venv/bin/python tests/bench/bench_alarms.py --quick      100 of each
    .venv/bin/python tests/bench/bench_alarms.py --json

Every sweep goes through `anomalies.find` with all rules. Clean: no warning and no error; the budget of all rules
together is 0.5 % of sweeps. Planted: one spec loses throughput with more threads, and that spec must be warned of.
A missed target is printed and is no failure.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass, field

import numpy as np
from clean_sweeps import PLANTED, Sweeps

from ycsbook import anomalies

SWEEPS, QUICK_SWEEPS = 1000, 100
SEED = 20261121
RISING = 1.8
WARNED = ("error", "warning")


@dataclass(frozen=True)
class Line:
    """One figure beside its target; target None: a figure to know, without one."""

    what: str
    figure: float
    target: float | None
    at_most: bool
    unit: str
    how: str

    @property
    def met(self) -> bool:
        if self.target is None:
            return True
        return self.figure <= self.target if self.at_most else self.figure >= self.target


@dataclass
class Seen:
    """How many sweeps had a warning, had a notice, had a warning or anything about the planted spec; CPU time."""

    sweeps: int = 0
    warned: int = 0
    noticed: int = 0
    planted_warned: int = 0
    planted_seen: int = 0
    cpu_s: float = 0.0
    rules: dict[str, int] = field(default_factory=dict)

    def said(self, severities: tuple[str, ...]) -> str:
        """Which rules gave findings of these severities, with the number of sweeps."""
        told = {name: n for (severity, name), n in self.rules.items() if severity in severities}
        return ", ".join(f"{name} {n}" for name, n in sorted(told.items())) or "none"


def watch(sweeps: Sweeps, n: int, seed: int, loss: float = 0.0) -> Seen:
    """Draw `n` sweeps and count what `find` says of them."""
    seen, random = Seen(), np.random.default_rng(seed)
    for _ in range(n):
        tables = sweeps.draw(random, loss)
        started = time.process_time()
        found = anomalies.find(tables)
        seen.cpu_s += time.process_time() - started
        warned = found["severity"].isin(WARNED)
        planted = (found["rule"] == "thread_regression") & (found["spec"] == PLANTED)
        seen.sweeps += 1
        seen.warned += bool(warned.any())
        seen.noticed += bool((found["severity"] == "notice").any())
        seen.planted_warned += bool((planted & warned).any())
        seen.planted_seen += bool((planted & found["severity"].isin([*WARNED, "notice"])).any())
        for key in set(zip(found["severity"], found["rule"], strict=True)):
            seen.rules[key] = seen.rules.get(key, 0) + 1
    return seen


def alarms(n: int, say) -> list[Line]:
    """False alarms of clean sweeps, flat and rising, and power on planted losses."""
    flat, rising, five = Sweeps.of(3, 1.0), Sweeps.of(3, RISING), Sweeps.of(5, 1.0)
    # 9 of 1,000; of fewer sweeps the same share, but 2 at least, which chance alone gives too often to call a miss.
    most = max(2, round(0.009 * n))
    lines, cpu_s, drawn = [], 0.0, 0
    for name, sweeps, seed in (("flat", flat, SEED), ("rising", rising, SEED + 1)):
        seen = watch(sweeps, n, seed)
        how = f"{n:,} sweeps of 18 specs x 2 threads x 3 repeats, 3 % noise; by rule: {seen.said(WARNED)}"
        lines.append(Line(f"clean sweeps that warn, {name}", seen.warned, most, True, "sweeps", how))
        falls = 100 * seen.rules.get(("notice", "thread_regression"), 0) / n
        lines.append(Line(f"clean sweeps with a notice of a loss, {name}", falls, 16, True, "%", "thread_regression"))
        how = f"by rule: {seen.said(('notice',))}"
        lines.append(Line(f"clean sweeps with any notice, {name}", 100 * seen.noticed / n, 16, True, "%", how))
        cpu_s, drawn = cpu_s + seen.cpu_s, drawn + n
        say(f"clean {name}: {seen}")
    for loss, sweeps, repeats, count, target, seed in (
        (0.13, flat, 3, "planted_warned", 95, SEED + 2),
        (0.10, five, 5, "planted_warned", 95, SEED + 3),
        (0.10, flat, 3, "planted_seen", 96, SEED + 4),
    ):
        seen = watch(sweeps, n, seed, loss)
        what = "warned of" if count == "planted_warned" else "at least noticed"
        name = f"{100 * loss:.0f} % loss, {repeats} repeats, {what}"
        lines.append(Line(name, 100 * getattr(seen, count) / n, target, False, "%", f"{n:,} sweeps, spec {PLANTED}"))
        say(f"planted {loss:.0%}, {repeats} repeats: {seen}")
    lines.append(Line("all rules on one sweep", 1000 * cpu_s / drawn, None, True, "ms", "CPU, 108 runs"))
    return lines


def table(lines: list[Line]) -> str:
    """The lines as text, measured beside target."""
    rows = [f"{'':4} {'what':50} {'measured':>14} {'target':>12}  how"]
    for line in lines:
        figure, target = f"{line.figure:.1f} {line.unit}", ""
        if line.target is not None:
            target = f"{'<=' if line.at_most else '>='} {line.target:g} {line.unit}"
        verdict = ("ok" if line.met else "MISS") if target else ""
        rows.append(f"{verdict:4} {line.what:50} {figure:>14} {target:>12}  {line.how}")
    return "\n".join([*rows, *(f"!!! TARGET MISSED: {line.what}" for line in lines if not line.met)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SWEEPS} sweeps of each kind")
    parser.add_argument("--sweeps", type=int, help="how many of each kind")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    n = args.sweeps or (QUICK_SWEEPS if args.quick else SWEEPS)
    lines = alarms(n, lambda text: print(text, file=sys.stderr, flush=True))
    if args.json:
        print(json.dumps([{**asdict(line), "met": line.met} for line in lines], indent=1))
    else:
        print(table(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
