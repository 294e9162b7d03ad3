"""The two vendors' params files ask for exactly what the vendors published, and say what is assumed."""

import pytest
import yaml

from ycsbook import paths
from ycsbook.ingest.published.published import read_published, read_sidecar
from ycsbook.params import load, plan
from ycsbook.params.sweep import Sweep

VENDORS = ("qingcloud-4.0.3", "tencent-2020-08")
# said about the sweep, not settings of a run
# What says nothing about how the page's runs were made: names, what only adds runs, and what is asked of the results.
NOT_SETTINGS = {
    "name", "title", "source", "report", "basis", "ladder", "vary", "prices", "currency", "goals", "anomalies",
    "experiment", "indexes", "documents_per_query", "search_rate", "until",
}  # fmt: skip


@pytest.fixture(params=VENDORS)
def sweep(request) -> Sweep:
    return load(paths.PARAMS / f"{request.param}.yml")


def test_the_matrix_is_the_published_one(sweep):
    runs = read_published(sweep.server.published).runs
    planned = sorted((r.spec.name, r.workload.name, r.workload.read, r.threads) for r in plan(sweep))
    assert planned == sorted(zip(runs.spec, runs.workload, runs.read_fraction, runs.threads, strict=True))
    assert set(runs.dataset) == {sweep.name}
    shapes = set(zip(runs.spec, runs.spec_label, runs.cores, runs.ram_gib, strict=True))
    assert {(s.name, s.label, s.cores, s.ram_gib) for s in sweep.specs} == shapes


def test_the_matrix_has_the_published_size():
    assert [len(plan(load(paths.PARAMS / f"{name}.yml"))) for name in VENDORS] == [18 * 2 * 2, 8 * 2 * 2]


def test_every_setting_is_written_out_and_marked_printed_or_assumed(sweep):
    written = yaml.safe_load((paths.PARAMS / f"{sweep.name}.yml").read_text(encoding="utf-8"))
    settings = set(Sweep.model_fields) - NOT_SETTINGS
    assert set(written) - NOT_SETTINGS == settings
    assert set(sweep.basis) == settings


def test_each_spec_has_its_own_variable_named_after_vendor_and_spec(sweep):
    vendor = sweep.name.partition("-")[0].upper()
    assert [s.uri_env for s in sweep.specs] == [f"{vendor}_URI_{s.name.upper()}" for s in sweep.specs]
    assert sweep.server.kind == "uri"


def test_the_server_is_what_the_sidecar_says(sweep):
    said = read_sidecar(sweep.server.published)
    assert (sweep.server.version, sweep.server.topology) == (said["facts"]["server_version"], said["facts"]["topology"])
    assert str(sweep.write_concern) == said["facts"]["write_concern"] == "0"
    assert (sweep.source.title, sweep.source.publisher, sweep.source.date, sweep.source.document) == (
        said["title"], said["publisher"], said["date"], said["document"],
    )  # fmt: skip


def test_about_ten_gigabytes_of_data(sweep):
    assert sweep.records * sweep.field_count * sweep.field_length == 10_000_000_000


def test_qingcloud_prints_upsert_but_no_duration_and_no_record_count():
    sweep = load(paths.PARAMS / "qingcloud-4.0.3.yml")
    assert sweep.upsert and sweep.basis["upsert"] == "printed"
    assert {sweep.basis[k] for k in ("min_duration", "records", "load_threads", "table")} == {"assumed"}
    options = read_sidecar(sweep.server.published)["environment"]
    assert "mongodb.upsert=true" in options["run_options"] and "upsert" not in options["load_options"]


def test_tencent_prints_records_duration_table_and_load_threads():
    sweep = load(paths.PARAMS / "tencent-2020-08.yml")
    assert (sweep.records, sweep.min_duration, sweep.table, sweep.load_threads) == (10_000_000, 1200, "test", 300)
    assert {sweep.basis[k] for k in ("records", "min_duration", "table", "load_threads")} == {"printed"}
    assert not sweep.upsert
    assert read_sidecar(sweep.server.published)["environment"]["load_options"] == (
        "-p table=test -threads 300 -p recordcount=10000000"
    )
