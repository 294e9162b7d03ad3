"""Columns that are the servers' specs by what their cells hold, whatever they are headed, in pages and CSVs."""

import pandas as pd
import pytest
from page_samples import markdown, read

from ycsbook import named_tables

SHAPES = ("4C16G", "8 vCPU / 32 GB", "16 vCPU, 64 GiB")
HEADINGS = (
    "Size", "Server", "Machine", "Flavor", "Node", "Shape", "Config", "Configuration", "Hardware", "VM", "Type",
    "Instance", "SKU", "Plan", "Tier", "配置", "机型", "实例类型", "CPU / RAM",
)  # fmt: skip


def tables_of(folder, headings, rows, name):
    """A page or a CSV with these rows."""
    path = folder / name
    if name.endswith("md"):
        path.write_text(markdown(headings, *rows, above="50:50"), encoding="utf-8")
    else:
        pd.DataFrame(rows, columns=headings).assign(mix="50:50").to_csv(path, index=False)
    return named_tables.read(path)


@pytest.mark.parametrize("name", ["page.md", "own.csv"])
@pytest.mark.parametrize("heading", HEADINGS)
def test_a_column_of_shapes_is_the_spec_whatever_its_heading(tmp_path, heading, name):
    rows = [(shape, n, 1000 * (at + 1)) for at, shape in enumerate(SHAPES) for n in (64, 128)]
    runs = tables_of(tmp_path, (heading, "Threads", "QPS"), rows, name).runs
    assert runs["cores"].tolist() == [4, 4, 8, 8, 16, 16] and runs["ram_gib"].iloc[-1] == 64
    assert runs["dataset"].nunique() == 1 and "COLUMNS_UNREAD" not in " ".join(runs["warnings"])


@pytest.mark.parametrize("name", ["page.md", "own.csv"])
def test_beside_a_column_of_shapes_types_of_instances_and_prices_name_no_data_sets(tmp_path, name):
    types = ("m5.xlarge", "m5.2xlarge", "m5.4xlarge")
    rows = [(types[at], shape, n, 1000 * (at + 1), 520 * 2**at, f"{2**at / 10} $") for at, shape in enumerate(SHAPES)
            for n in (64, 128)]  # fmt: skip
    headings = ("实例类型", "规格", "线程数", "QPS", "价格(元/月)", "$/hour")
    runs = tables_of(tmp_path, headings, rows, name).runs
    assert runs["dataset"].nunique() == 1 and runs["cores"].tolist() == [4, 4, 8, 8, 16, 16]


@pytest.mark.parametrize("name", ["page.md", "own.csv"])
def test_kinds_of_instances_beside_their_shapes_are_data_sets(tmp_path, name):
    rows = [(kind, shape, 64, 1000 * (at + 1)) for kind in ("通用型", "独享型") for at, shape in enumerate(SHAPES)]
    runs = tables_of(tmp_path, ("实例类型", "规格", "线程数", "QPS"), rows, name).runs
    assert runs["dataset"].nunique() == 2 and runs["cores"].tolist() == [4, 8, 16] * 2


@pytest.mark.parametrize("heading", ["Type", "Server", "Machine"])
def test_types_of_instances_beside_their_cores_are_the_specs(tmp_path, heading):
    rows = [(f"{kind}.{size}", cores, 1000 * cores) for kind in ("m5", "m5a") for size, cores in
            (("xlarge", 4), ("2xlarge", 8))]  # fmt: skip
    rows = [(of, cores, 4 * cores, 64, qps) for of, cores, qps in rows]
    runs = tables_of(tmp_path, (heading, "vCPU", "RAM (GB)", "Threads", "QPS"), rows, "page.md").runs
    assert runs["spec"].tolist() == ["m5.xlarge", "m5.2xlarge", "m5a.xlarge", "m5a.2xlarge"]
    assert runs["dataset"].nunique() == 1 and runs["cores"].tolist() == [4, 8, 4, 8]


def test_a_load_generator_of_some_shape_is_no_server(tmp_path):
    rows = [(shape, "16C32G", 64, 1000 * (at + 1)) for at, shape in enumerate(SHAPES)]
    rows, told = read(tmp_path, markdown(("规格", "客户端规格", "线程数", "QPS"), *rows, above="50:50"))
    assert [r["cores"] for r in rows.runs] == [4, 8, 16]
    assert not told


def test_shapes_left_of_figures_for_each_thread_count(tmp_path):
    rows = [(shape, 1000 * (at + 1), 1100 * (at + 1)) for at, shape in enumerate(SHAPES)]
    found, told = read(tmp_path, markdown(("Size", "100 threads", "200 threads"), *rows, above="## QPS, 50:50"))
    assert [(r["cores"], r["threads"]) for r in found.runs][:3] == [(4, 100), (4, 200), (8, 100)] and not told


@pytest.mark.parametrize(
    ("clients", "each"),
    [
        ("Client machines", "Threads per client"),
        ("Clients", "Threads / client"),
        ("Clients", "Threads (per client)"),
        ("client_nodes", "threads_per_client"),
        ("Number of YCSB processes", "Threads per process"),
        ("客户端数", "单客户端线程数"),
        ("压测机台数", "每台压测机线程数"),
    ],
)
@pytest.mark.parametrize("name", ["page.md", "own.csv"])
def test_threads_of_each_client_times_the_clients_are_the_threads(tmp_path, clients, each, name):
    rows = [(shape, n, 200 // n, 1000 * (at + 1) * n) for at, shape in enumerate(SHAPES) for n in (1, 2)]
    runs = tables_of(tmp_path, ("Spec", clients, each, "QPS"), rows, name).runs
    assert set(runs["threads"]) == {200} and len(runs) == 6 and runs["dataset"].nunique() == 2
    same = tables_of(tmp_path, ("Spec", clients, each, "QPS"), [(of, 2, 100, 1000) for of in SHAPES], name).runs
    assert set(same["threads"]) == {200} and same["dataset"].nunique() == 1
