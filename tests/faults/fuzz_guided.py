"""Damage guided by the code that it reaches (atheris); fuzz.py starts it: `fuzz_guided.py GROUP SECONDS FOLDER`.

Inputs that reach new code are damaged further. The first byte of an input chooses its file name. The rules are those of
fuzz.py for parsers, without tables, which take too long for it; an input that breaks one is kept in a file that the
message names.
"""

import os
import signal
import sys
import tempfile
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["ycsbook"]):
    import fuzz

    from ycsbook.ingest import readers

    for parser in readers.names():
        readers.reader(parser)

from mutations import mutated

MAX_MEMORY_MB = 1_000
_MAX_BYTES = 200_000
_SHARE_OF_OUR_DAMAGE = 0.5


def main() -> None:
    name, seconds, folder = sys.argv[1], int(float(sys.argv[2])), Path(sys.argv[3])
    group = fuzz.GROUPS[name]
    known = fuzz.samples(group)
    signal.signal(signal.SIGPROF, fuzz.too_slow)

    def one(data: bytes) -> None:
        if not data:
            return
        file_name, content = group.names[data[0] % len(group.names)], data[1:]
        path = folder / file_name
        path.write_bytes(content)
        try:
            fuzz.try_parsers(group, path)
        except fuzz.RuleBroken as e:
            print(f"RULE BROKEN: {name}: {e}\n  input: {fuzz.kept(name, file_name, content)}", file=sys.stderr)
            sys.stderr.flush()
            os._exit(1)

    def damage(data: bytes, max_size: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < _SHARE_OF_OUR_DAMAGE:
            return (data[:1] + mutated(bytes(data[1:]), random, known))[:max_size]
        return atheris.Mutate(data, max_size)

    seeds = folder / "seeds"
    seeds.mkdir()
    for i, sample in enumerate(known):
        (seeds / f"{i:03d}").write_bytes(bytes([i % 256]) + sample[: _MAX_BYTES - 1])
    options = [
        f"-max_total_time={seconds}", f"-rss_limit_mb={MAX_MEMORY_MB}", f"-max_len={_MAX_BYTES}", "-seed=1",
        "-timeout=30", "-verbosity=0", "-print_final_stats=1",
        f"-artifact_prefix={tempfile.gettempdir()}/ycsbook-fuzz-{name}-",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(seeds)], one, custom_mutator=damage)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
