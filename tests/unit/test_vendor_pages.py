"""Vendors' pages: what they hold reads back, and a page that does not is never handed out."""

import functools

import pytest
from report_samples import EIGHTEEN, local_sweep, local_tables, vendor_sweep, vendor_tables

from ycsbook import anomalies, documents, params, paths
from ycsbook.errors import PublishError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published import page as vendor_page
from ycsbook.ingest.published.published import read_published
from ycsbook.provenance import environment
from ycsbook.report import vendor
from ycsbook.report.vendor import profiles
from ycsbook.tables import Tables, from_rows

SEEDS = ("qingcloud-4.0.3", "tencent-2020-08")
FIGURES = ["spec_label", "cores", "ram_gib", "workload", "read_fraction", "threads", "throughput_ops_s",
           "cpu_utilisation", "write_concern"]  # fmt: skip


def read_back(text, tmp_path):
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    rows, rejected = vendor_page.read(Source(path))
    assert rejected == []
    return Tables(from_rows(rows.runs, "runs"), from_rows(rows.operations, "operations"))


def figures(tables, *, cpu=True):
    columns = FIGURES if cpu else [c for c in FIGURES if c != "cpu_utilisation"]
    means = tables.operations.pivot(index="run_id", columns="operation", values="mean_us")
    runs = tables.runs.merge(means, left_on="run_id", right_index=True)
    return runs[[*columns, "READ", "UPDATE"]].sort_values(["workload", "spec_label", "threads"]).reset_index(drop=True)


@pytest.mark.parametrize("profile", ["qingcloud", "tencent"])
@pytest.mark.parametrize("name", SEEDS)
def test_what_vendors_published_reads_back_from_both_pages(name, profile, tmp_path):
    sweep = params.load(f"params/{name}.yml")
    tables = read_published(sweep.server.published)
    text = vendor.page(sweep, tables, profile, environment(sweep, [], {}))

    found = figures(read_back(text, tmp_path))
    assert len(found) == len(tables.runs)
    assert found.equals(figures(tables))


def test_the_pages_have_the_shape_of_their_vendors():
    sweep = params.load("params/qingcloud-4.0.3.yml")
    tables = read_published(sweep.server.published)
    ours = vendor.page(sweep, tables, "qingcloud", environment(sweep, [], {}))

    assert ours.startswith('---\ntitle: "MongoDB 4.0.3 at QingCloud"\n')
    assert '<td colspan="4"><b>MongoDB 规格 2核4G</b></td>' in ours
    assert ours.count("<table>") == 2 and "云服务器规格为 8核32GB" in ours
    assert ours.count("mongodb://<mongodb_user_name>:<mongodb_user_password>@<mongodb_ip>:<mongodb_port>/") == 5
    theirs = vendor.page(sweep, tables, "tencent")
    assert "| 2核4G | 100 | 9069 | 21520 | 175 |\n" in theirs and "CPU" not in theirs


@functools.cache
def published(name, profile):
    sweep = params.load(f"params/{name}.yml")
    tables = read_published(sweep.server.published)
    said = documents.of(tables)
    found = anomalies.find(tables, documents=said)
    page = vendor.page(sweep, tables, profile, environment(sweep, [], {}), documents=said)
    return page, tables, found[found["severity"] == "error"]


def test_a_page_of_published_rows_prints_no_option_that_its_source_does_not():
    qingcloud, _, _ = published("qingcloud-4.0.3", "qingcloud")
    tencent, _, _ = published("tencent-2020-08", "tencent")

    for page in (qingcloud, tencent):
        assert "2147483647" not in page and "maxexecutiontime" not in page and "1200" not in page
    assert "10000000" not in qingcloud and "-threads 1 " not in qingcloud and "准备约 10GB 测试数据" in qingcloud
    assert (
        "/ycsb?authSource=admin -p mongodb.upsert=true -threads 200 -p mongodb.writeConcern=unacknowledged "
        ">runlog.txt &\n"
    ) in qingcloud
    assert "-p table=test -threads 300 -p recordcount=10000000 >loadlog.txt" in tencent
    assert (
        "-p table=test -p recordcount=10000000 -p readproportion=0.95 -p updateproportion=0.05 -p insertproportion=0 "
        "-p operationcount=100000 -threads 100 >runlog.txt &\n"
    ) in tencent


def test_of_published_rows_without_their_document_only_what_the_params_call_printed_is_told():
    sweep = params.load("params/qingcloud-4.0.3.yml")
    page = vendor.page(sweep, read_published(sweep.server.published), "qingcloud")

    load, run, *_ = (line for line in page.split("\n") if "ycsb.sh" in line)
    assert load.endswith("&w=0' -p recordcount=<recordcount> >loadlog.txt &")
    assert run.endswith(
        "&w=0' -p recordcount=<recordcount> -p mongodb.upsert=true -p operationcount=<operationcount> "
        "-threads 100 >runlog.txt &"
    )
    assert "10000000" not in page and " GB" not in page


@pytest.mark.parametrize("profile", ["qingcloud", "tencent"])
@pytest.mark.parametrize("name", SEEDS)
def test_a_row_that_an_error_names_stands_as_printed_and_is_told_outside_the_page(name, profile, tmp_path):
    page, tables, errors = published(name, profile)

    assert len(errors) > 0 and figures(read_back(page, tmp_path)).equals(figures(tables))
    assert "ycsbook" not in page and "备注" not in page
    *_, told = vendor.deviations(params.load(f"params/{name}.yml"), tables, errors)
    for error in errors.itertuples():
        row = tables.runs.set_index("run_id").loc[error.run_ids]
        assert f"{row['throughput_ops_s']:.0f}" in page
        assert f"{row['cores']:g} cores {row['ram_gib']:g} GB" in told and f"{row['threads']:g} threads" in told


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "seed"), [(SEEDS[0], "000_ea78662ed150f1d1.txt"), (SEEDS[1], "001_4d2e067b1c8c05a6.txt")]
)
def test_a_page_of_published_rows_has_its_vendors_title_sections_and_versions(name, seed, shared):
    page, _, _ = published(name, name.split("-")[0])
    theirs = (shared / "seeds" / seed).read_text(encoding="utf-8")

    def headings(text):
        return [line.lstrip("# ").strip() for line in text.split("\n") if line.startswith("##")]

    assert headings(page) == headings(theirs)
    sweep = params.load(f"params/{name}.yml")
    assert (
        f'title: "{sweep.source.title}"' in page and documents.of(_tables(sweep))[name]["environment"]["server"] in page
    )


def _tables(sweep):
    return read_published(sweep.server.published)


def test_the_commands_of_measured_runs_are_the_real_ones():
    page = vendor.page(local_sweep(), local_tables(), "tencent")

    assert "JAVA_OPTS=-XX:TieredStopAtLevel=1 ./bin/ycsb.sh run mongodb" in page
    assert "-p recordcount=" in page and "maxexecutiontime=5 -threads 16 " in page and "来源" not in page


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "seed"), [(SEEDS[0], "000_ea78662ed150f1d1.txt"), (SEEDS[1], "001_4d2e067b1c8c05a6.txt")]
)
def test_our_page_reads_as_the_vendors_own(name, seed, shared, tmp_path):
    sweep = params.load(f"params/{name}.yml")
    text = vendor.page(sweep, read_published(sweep.server.published), name.split("-")[0])
    theirs = read_back((shared / "seeds" / seed).read_text(encoding="utf-8"), tmp_path)

    assert figures(read_back(text, tmp_path)).equals(figures(theirs))


@pytest.mark.parametrize("profile", ["qingcloud", "tencent"])
def test_measured_runs_are_printed_as_the_means_of_their_repeats(profile, tmp_path):
    tables = local_tables()
    found = read_back(vendor.page(local_sweep(), tables, profile), tmp_path)

    completed = tables.runs[tables.runs["outcome"] == "completed"]
    means = completed.groupby(["cores", "workload", "threads"])["steady_ops_s"].mean().round()
    got = found.runs.set_index(["cores", "workload", "threads"])["throughput_ops_s"].sort_index()
    assert got.tolist() == means.sort_index().tolist()
    assert set(found.runs["spec_label"]) == {"0.25核0.25GB", "0.5核0.5GB", "0.75核0.75GB", "1核1GB"}
    assert found.runs["cpu_utilisation"].between(0.7, 1).all()


@pytest.mark.parametrize("profile", ["qingcloud", "tencent"])
def test_a_page_of_measured_runs_tells_its_machine_in_chinese_and_what_its_throughput_is(profile):
    facts = {
        "Machine": {"CPU": "EPYC", "cores": "2", "memory (GiB)": "23.5"},
        "Load generator": {"YCSB": "0.17.0", "MongoDB driver": "5.14.0"},
        "Server": {"cores of a spec": "CPU quota (cgroup v1, 10 ms period)", "WiredTiger cache": "as deployed"},
    }
    text = vendor.page(local_sweep(), local_tables(), profile, facts)

    assert "EPYC、2 核、23.5 GiB RAM" in text and "YCSB 0.17.0、MongoDB 驱动 5.14.0" in text
    assert "规格的核数：CPU 配额（cgroup v1，周期 10 ms）" in text and "缓存 按部署时的配置" in text
    assert "不含预热阶段" in text


def test_a_profile_of_the_users_own_is_found_by_name_and_by_path(tmp_path, monkeypatch):
    monkeypatch.setattr(profiles, "THEIRS", tmp_path)
    path = tmp_path / "acme.md.j2"
    path.write_text("ACME\n" + (profiles.OURS / "tencent.md.j2").read_text(encoding="utf-8"), encoding="utf-8")
    sweep = vendor_sweep(EIGHTEEN)

    by_name = vendor.page(sweep, vendor_tables(sweep), "acme")
    assert by_name.startswith("ACME") and by_name == vendor.page(sweep, vendor_tables(sweep), str(path))
    assert "acme" in profiles.names()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{{ row.qps }}", "{{ row.qps }}0", r"qps reads as \d+0, expected \d+"),
        ("{{ row.ral }} | {{ row.wal }}", "{{ row.wal }} | {{ row.ral }}", r"ral reads as"),
        ("{% for row in spec.rows %}", "{% for row in spec.rows[:1] %}", r"its page has no row 2核4GB.*200 threads"),
        ("### 读&更新比{{ w.reads }}:{{ w.writes }}", "### x", r"does not read back: "),
        ("RAL(us)", "RAL(ms)", r"ral reads as"),
        ("{{ row.threads }}", "{{ row.thread }}", r"acme\.md\.j2: cannot be filled in: .*no attribute 'thread'"),
        ("{% for w in workloads %}", "{% for w in %}", r"acme\.md\.j2:\d+: not a template"),
        ("YCSB", "{{ ''.__class__.__mro__ }}", r"acme\.md\.j2: cannot be filled in"),
        ("YCSB", "{{ threads.append(1) }}", r"acme\.md\.j2: cannot be filled in"),
    ],
)
def test_a_template_that_changes_or_loses_a_figure_is_refused(tmp_path, old, new, message):
    text = (profiles.OURS / "tencent.md.j2").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "acme.md.j2"
    path.write_text(text.replace(old, new), encoding="utf-8")
    sweep = vendor_sweep(EIGHTEEN)

    with pytest.raises(PublishError, match=message):
        vendor.page(sweep, vendor_tables(sweep), str(path))


@pytest.mark.parametrize("profile", ["qingcloud", "tencent"])
def test_other_peoples_texts_stay_texts(profile, tmp_path):
    title = 'A|b <script>alert(1)</script> """\n---\n{{ 7 * 7 }}'
    sweep = vendor_sweep(EIGHTEEN).model_copy(update={"title": title})
    text = vendor.page(sweep, vendor_tables(sweep), profile, {"Machine": {"CPU": "<img src=x>|mongodb://u:pw@h/d"}})

    assert "<script>" not in text.split("\n---\n", 1)[1].replace("\\<script\\>", "")
    assert "<img" not in text.replace("\\<img", "") and "u:pw" not in text and "49" not in text.split("##")[0]
    assert len(read_back(text, tmp_path).runs) == 72


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"vary": {"write_concern": [0, 1]}}, "varies write_concern"),
        ({"workloads": ["a", {"name": "b", "read": 0.5, "update": 0.5}]}, "workloads a and b both read 50%"),
    ],
)
def test_what_such_a_page_cannot_hold_is_refused(changes, message):
    with pytest.raises(PublishError, match=message):
        vendor.page(local_sweep(**changes), local_tables(), "tencent")


def test_runs_with_several_write_concerns_are_refused():
    tables = local_tables()
    tables.runs.loc[0, "write_concern"] = "majority"

    with pytest.raises(PublishError, match="write_concern 1 and majority"):
        vendor.page(local_sweep(), tables, "tencent")


def test_without_a_run_there_is_no_page():
    with pytest.raises(PublishError, match="there is no run"):
        vendor.page(local_sweep(), Tables(), "tencent")


@pytest.mark.parametrize("name", ["nobody", "../qingcloud", "/etc/passwd", "missing.md.j2"])
def test_an_unknown_profile_names_those_there_are(name):
    with pytest.raises(PublishError, match="no such profile, expected one of qingcloud, tencent"):
        profiles.find(name)


def test_every_profile_is_in_the_documents():
    page = (paths.REPOSITORY / "docs" / "publishing.md").read_text(encoding="utf-8")
    assert all(f"| `{path.name.removesuffix(profiles.SUFFIX)}` |" in page for path in profiles.OURS.glob("*"))
