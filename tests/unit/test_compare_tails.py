"""By what the slowest operations of two data sets differ, where throughput does not tell."""

import numpy as np
import pytest
from facts_in import holds
from page_samples import own_table

from ycsbook import comparing, named_tables
from ycsbook.comparing import latency_times


def versions(folder, *, tail=1.0, speed=1.0, odd=1.0, specs=(4, 8, 16), noise_sd=0.03, seed=5):
    """Two versions of a server; of the second p99 is `tail` times that of the first, `odd` times at one configuration,
    and throughput `speed` times, which makes its operations wait as much longer."""
    random = np.random.default_rng(seed)
    rows = []
    for version, more, fast in (("6.0", 1.0, 1.0), ("8.0", tail, speed)):
        for c in specs:
            for threads in (64, 256):
                for repeat in (1, 2):
                    ops = 1700 * c * fast * random.normal(1, 0.01)
                    ms = threads / ops * 1e3
                    other = odd if version == "8.0" and (c, threads) == (specs[0], 64) else more
                    p99 = 3 * ms * other * random.lognormal(0, noise_sd)
                    rows.append(f"{version},{c}c{4 * c}g,{c},{4 * c},{threads},{ops:.0f},{ms:.3f},{p99:.2f},{repeat}")
    head = "server_version,spec,cores,ram_gib,threads,qps,latency_ms,read_p99_ms,repeat"
    tables = named_tables.read(own_table(folder, head, rows))
    first, second = (tables.of_dataset(name) for name in tables.runs["dataset"].drop_duplicates())
    return tables, first, second


def test_a_p99_that_differs_everywhere_is_told_though_throughput_is_alike(tmp_path):
    tables, first, second = versions(tmp_path, tail=2.6, odd=2.6)
    assert latency_times(first, second)["p99"] == pytest.approx(2.6, rel=0.05)
    assert latency_times(second, first)["p99"] == pytest.approx(1 / 2.6, rel=0.05)
    told = comparing.beside(tables)
    times = [of.values["of"][0].values["p99"] for of in told.values()]
    assert times == [pytest.approx(1 / 2.6, rel=0.05), pytest.approx(2.6, rel=0.05)]
    assert holds([*told.values()], "short-beside-one", verdict="same", p99=pytest.approx(2.6, rel=0.05))


@pytest.mark.parametrize(
    "of",
    [{"tail": 1.1, "odd": 1.1}, {"tail": 2.0, "odd": 0.8}, {"tail": 2.0, "odd": 2.0, "specs": (4, 8)}, {"speed": 0.5}],
    ids=["little", "not everywhere", "few configurations", "as throughput does"],
)
def test_a_p99_that_differs_little_or_as_throughput_does_is_not(tmp_path, of):
    _, first, second = versions(tmp_path, **of)
    assert latency_times(first, second)["p99"] is None


def test_noise_alone_tells_no_p99_apart(tmp_path):
    found = []
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        _, first, second = versions(folder, noise_sd=0.2, seed=seed)
        found.append(latency_times(first, second)["p99"])
    assert found == [None] * 20


@pytest.mark.parametrize(("reads", "writes", "told"), [(1.25, 0.75, True), (0.8, 0.85, False), (1.05, 0.95, False)])
def test_slower_reads_for_faster_writes_are_told_though_throughput_is_alike(tmp_path, reads, writes, told):
    random, rows = np.random.default_rng(4), []
    for version, of_reads, of_writes in (("6.0", 1.0, 1.0), ("8.0", reads, writes)):
        for c in (4, 8):
            for threads in (64, 256):
                us = threads / (1700 * c) * 1e6 * random.normal(1, 0.02, 2)
                rows.append(f"{version},{c}c,{c},{threads},a,{1700 * c},{of_reads * us[0]:.0f},{of_writes * us[1]:.0f}")
    tables = named_tables.read(
        own_table(tmp_path, "server_version,spec,cores,threads,workload,qps,read_us,update_us", rows)
    )
    parts = [of.values["of"][0].values for of in comparing.beside(tables).values()]
    near = pytest.approx([1 / reads, 1 / writes, reads, writes], rel=0.05) if told else [None] * 4
    assert [part[of] for part in parts for of in ("reads", "writes")] == near
