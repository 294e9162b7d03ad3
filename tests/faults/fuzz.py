"""Damaged files into the readers: nothing but RunLogError may come out, in bounded time and memory, and no figure
that contradicts another without a warning.

    python tests/faults/fuzz.py GROUP --count 500 [--seed 1]     the same inputs every time
    python tests/faults/fuzz.py GROUP --seconds 60               as many as fit
    python tests/faults/fuzz.py GROUP --input FILE               one kept input again

GROUP is ycsb, hdr, others (all other formats and pages) or all. An input that breaks a rule is kept in a file that the
message names; exit code 1. With YCSBOOK_SHARED set, the shared samples and seeds are damaged too. Where atheris is
installed, half of the seconds are its: damage guided by the code that it reaches.
"""

import argparse
import contextlib
import importlib.util
import itertools
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NoReturn
from unittest import mock

import log_samples
from consistency import contradictions
from mutations import mutated

from ycsbook import confined, ingest
from ycsbook.errors import RunLogError
from ycsbook.ingest import readers
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published import page
from ycsbook.ingest.readers import hdr
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome

# Address space, so that an allocation of gigabytes fails; the libraries reserve much that they never use.
MAX_ADDRESS_SPACE = 6 * 1024**3
MAX_GROWTH_MB = 300
# For one input, and for a batch of them, which takes a tenth of it.
MAX_CPU_S = 5.0
BATCH = 25
_MAX_SAMPLE_BYTES = 80_000


@dataclass
class Tally:
    """What was tried, and what came of it: runs that gave nothing would show nothing."""

    files: int = 0
    runs: int = 0
    completed: int = 0


class RuleBroken(Exception):
    """An input broke a rule."""


@dataclass(frozen=True)
class Group:
    """What to damage, and under which names it is read."""

    samples: Callable[[], list[bytes]]
    names: tuple[str, ...]
    parsers: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


GROUPS = {
    "ycsb": Group(log_samples.ycsb, ("run.log", "run.log", "run.out", "run.txt"), ("ycsb",), ("samples/**/*.dat",)),
    "hdr": Group(log_samples.hdr, ("run_READ.hdr",), (), ("samples/**/*.hdr",)),
    "others": Group(
        log_samples.others,
        ("run.log", "run.txt", "run.json", "run.csv", "page.md", "page.html"),
        tuple(name for name in readers.names() if name not in (readers.YCSB, readers.PAGE, readers.RAW)),
        ("samples/json/*.json", "seeds/*.txt"),
    ),
}


def samples(group: Group) -> list[bytes]:
    """The group's samples; long ones of other people cut."""
    root = os.environ.get("YCSBOOK_SHARED")
    files = [f for pattern in group.shared for f in sorted(Path(root).glob(pattern))] if root else []
    return [*group.samples(), *(f.read_bytes()[:_MAX_SAMPLE_BYTES] for f in files)]


def inputs(group: Group, random: Random) -> Iterator[tuple[str, bytes]]:
    """File names and contents without end."""
    known = samples(group)
    while True:
        yield random.choice(group.names), mutated(random.choice(known), random, known)


def try_inputs(group: Group, files: Sequence[tuple[str, bytes]]) -> Tally:
    """Read some inputs together into tables, each in a folder of its own, and parse each by itself.

    Raises
        RuleBroken: see the module.
    """
    with tempfile.TemporaryDirectory(prefix="ycsbook-fuzz-") as folder:
        paths = [Path(folder) / _word(i) / name for i, (name, _) in enumerate(files)]
        for path, (_, data) in zip(paths, files, strict=True):
            path.parent.mkdir()
            path.write_bytes(data)
        # Here, where a mistake is seen and not a line.
        with _limited(), mock.patch.object(confined, "can_fork", return_value=False):
            tables, _ = ingest.read_with_rejects(paths)
            if wrong := contradictions(tables):
                raise RuleBroken("; ".join(wrong))
            for path in paths:
                parse(group, path)
    usable = tables.runs["outcome"].isin([Outcome.COMPLETED, Outcome.PUBLISHED])
    return Tally(len(paths), len(tables.runs), int(usable.sum()))


def try_parsers(group: Group, path: Path) -> None:
    """Parse one file, without making tables of it.

    Raises
        RuleBroken: as try_inputs.
    """
    with _limited():
        parse(group, path)


def parse(group: Group, path: Path) -> None:
    """All parsers of the group, also on what looks like none of theirs: a user may have said so."""
    for name in group.parsers:
        with contextlib.suppress(RunLogError):
            for log in readers.parse(name, [Source(path)]):
                checks.warnings(log, run_phase=checks.phase(log), threads=1.0, asked=1.0)
                checks.verdict(log)
    if path.suffix == ".hdr":
        _read_hdr(path)
    if path.suffix in (".md", ".html"):
        with contextlib.suppress(RunLogError):
            page.read(Source(path))
        with contextlib.suppress(RunLogError):
            page.parse_page(path.read_text(encoding="utf-8", errors="replace"), path)


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Whatever escapes is a rule broken, and so is more than MAX_CPU_S."""
    started = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_S)
    try:
        yield
    except RuleBroken:
        raise
    except Exception as e:
        raise RuleBroken(f"{type(e).__name__}: {e}") from e
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if (took := time.process_time() - started) > MAX_CPU_S:
        raise RuleBroken(f"took {took:.1f} s of CPU")


def _read_hdr(path: Path) -> None:
    try:
        log = hdr.read(path)
    except RunLogError:
        return
    if not (log.counts >= 0).all():
        raise RuleBroken("a count below 0")
    values = list(log.percentiles().values())
    if values != sorted(values):
        raise RuleBroken(f"percentiles that fall: {values}")
    again = hdr.decode(log.encode())
    if (again.counts != log.counts).any():
        raise RuleBroken("written and read again, it is another histogram")


def too_slow(signum: int, frame: object) -> None:
    raise RuleBroken(f"more than {MAX_CPU_S:g} s of CPU")


def _word(n: int) -> str:
    """A folder's name without digits, so that no two folders look like clients of one run."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(n + 1)) + "-log"


def kept(group: str, name: str, data: bytes) -> Path:
    """The input in a file that `--input` takes."""
    folder = Path(tempfile.mkdtemp(prefix=f"ycsbook-fuzz-{group}-"))
    (folder / name).write_bytes(data)
    return folder / name


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def fuzz(name: str, *, count: int | None, seconds: float, seed: int) -> Tally:
    """Try inputs of a group until one breaks a rule.

    Raises
        RuleBroken: with the file that the input is kept in.
    """
    group, total, warm_mb = GROUPS[name], Tally(), 0.0
    stop = time.monotonic() + seconds
    endless = inputs(group, Random(f"{name}-{seed}"))
    while total.files < count if count is not None else time.monotonic() < stop:
        batch = list(itertools.islice(endless, BATCH))
        try:
            one = try_inputs(group, batch)
        except RuleBroken as together:
            _blame(name, batch, together)
        total = Tally(total.files + one.files, total.runs + one.runs, total.completed + one.completed)
        # Libraries are loaded with the first inputs; what comes after is the inputs' own.
        warm_mb = warm_mb or peak_mb()
        if peak_mb() > warm_mb + MAX_GROWTH_MB:
            _blame(name, batch, RuleBroken(f"grew from {warm_mb:.0f} to {peak_mb():.0f} MB"))
    return total


def fuzz_guided(name: str, seconds: float) -> None:
    """Let atheris guide the damage; a process of its own, because it takes over the one it is in.

    Raises
        RuleBroken: the process said so.
    """
    script = Path(__file__).with_name("fuzz_guided.py")
    with tempfile.TemporaryDirectory(prefix="ycsbook-guided-") as folder:
        done = subprocess.run(
            [sys.executable, str(script), name, str(seconds), folder], capture_output=True, text=True, check=False
        )
    said = done.stderr.splitlines()
    if done.returncode:
        raise RuleBroken("\n".join([f"{name}, guided:", *said[-8:]]))
    figures = dict(line.removeprefix("stat::").split(":") for line in said if line.startswith("stat::"))
    tried, new = (int(figures[key]) for key in ("number_of_executed_units", "new_units_added"))
    print(f"{name}: {tried:,} guided inputs, {new:,} of them reached something new, no rule broken", flush=True)


def _blame(name: str, batch: list[tuple[str, bytes]], together: RuleBroken) -> NoReturn:
    """Find the input of a batch that breaks a rule.

    Raises
        RuleBroken: always; where none does alone, with the folder of all.
    """
    for file_name, data in batch:
        try:
            try_inputs(GROUPS[name], [(file_name, data)])
        except RuleBroken as e:
            raise RuleBroken(f"{name}: {e}\n  input: {kept(name, file_name, data)}") from e
    all_of_them = [kept(name, file_name, data) for file_name, data in batch]
    raise RuleBroken(f"{name}: {together}\n  only together: {', '.join(map(str, all_of_them))}") from together


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group", choices=(*GROUPS, "all"))
    parser.add_argument("--count", type=int)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--input", type=Path)
    args = parser.parse_args()
    names = list(GROUPS) if args.group == "all" else [args.group]
    signal.signal(signal.SIGPROF, too_slow)
    guided = args.count is None and args.input is None and importlib.util.find_spec("atheris") is not None
    try:
        # Before the limit of this process, which its own replaces.
        for name in names if guided else ():
            fuzz_guided(name, args.seconds / 2)
        resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_SPACE, MAX_ADDRESS_SPACE))
        for name in names:
            if args.input:
                try_inputs(GROUPS[name], [(args.input.name, args.input.read_bytes())])
                continue
            total = fuzz(name, count=args.count, seconds=args.seconds / 2 if guided else args.seconds, seed=args.seed)
            print(
                f"{name}: {total.files:,} damaged files, {total.runs:,} runs, {total.completed:,} with figures, "
                f"no rule broken, {peak_mb():.0f} MB",
                flush=True,
            )
    except RuleBroken as e:
        print(f"RULE BROKEN: {e}", file=sys.stderr)
        return 1
    if args.count is None and not guided and not args.input:
        print("atheris is not installed here: no guided damage", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
