"""Reports in Chinese say everything that reports in English say."""

import pytest
import report_samples as samples

from ycsbook import messages, names, provenance, scaling
from ycsbook.plots import style
from ycsbook.report import build

# A promise in all its variations.
pytestmark = pytest.mark.matrix


def test_names_of_the_environment_are_said_and_those_of_others_stay_as_they_are():
    sweep = samples.local_sweep()
    sweep = sweep.model_copy(update={"report": sweep.report.model_copy(update={"lang": "zh"})})
    tables = samples.local_tables()
    groups = {
        "Machine": {"memory (GiB)": "23.5", "cores and memory": "server"},
        "Server": {"cores of a spec": "some words", "WiredTiger cache": "as deployed"},
    }
    analysis, found = scaling.analyse(tables.runs, tables.operations), samples.findings(tables.runs)
    blocks = build(sweep, tables, analysis, found, groups).section("environment").blocks
    assert [(block.title, *(row.cells for row in block.blocks[0].rows)) for block in blocks] == [
        ("机器", ("内存（GiB）", "23.5"), ("cores and memory", "server")),
        # The tables know how the cores were brought about, whatever the words of the environment are.
        ("服务器", ("规格的核数", "CPU 配额（cgroup v1，周期 10 ms）"), ("WiredTiger 缓存", "按部署时的配置")),
    ]


def test_every_name_that_measured_runs_give_the_environment_has_a_message():
    server = {"kind": "uri", "version": "6.0", "topology": "standalone", "cores_enforced_by": "", "cores": 2.0,
              "ram_gib": 8.0, "rtt_us": 200.0, "cores_short": {"wanted": 3.0, "usable": 2}}  # fmt: skip
    manifest = {"phase": "run", "workload": {"name": "a"}, "threads": 4, "command": "java", "server": server,
                "spec": {"name": "1c"}}  # fmt: skip
    groups = provenance.environment(samples.local_sweep(), [manifest], {})
    names = {*groups, *(name for group in ("Machine", "Server", "Load generator") for name in groups[group])}
    assert [name for name in names if messages.named("environment", name) != name] == []
    same_in_chinese = {name for name in names if messages.named("environment", name, "zh") == name}
    assert same_in_chinese == {"CPU", "Python", "YCSB", "Java", "cores"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_says_that_a_font_is_missing(lang, monkeypatch):
    sweep = samples.vendor_sweep(samples.EIGHTEEN)
    sweep = sweep.model_copy(update={"report": sweep.report.model_copy(update={"lang": lang})})
    tables = samples.vendor_tables(sweep)
    analysis, found = scaling.analyse(tables.runs, tables.operations), samples.findings(tables.runs)

    def opening() -> list[str]:
        return [getattr(b, "text", "") for b in build(sweep, tables, analysis, found, {}).section("finding").blocks]

    assert messages.text("opening-no-font", lang) not in opening()
    monkeypatch.setattr(style, "cjk_font", lambda: "")
    # An English page has no Chinese letter to draw.
    assert (messages.text("opening-no-font", lang) in opening()) == (lang == "zh")


@pytest.mark.parametrize(
    ("workload", "en", "zh"),
    [
        ("a", "50:50", "50:50"), ("d", "D (read latest + insert)", "D（读最新 + 插入）"),
        ("f", "F (read-modify-write)", "F（读-改-写）"), ("oltp", "workload oltp", "负载 oltp"),
    ],
)  # fmt: skip
def test_ycsbs_workloads_that_are_no_shares_are_called_by_what_they_do(workload, en, zh):
    mix = names.mix({"workload": workload, "read_fraction": 0.5 if workload == "a" else float("nan")})
    assert (messages.say(mix, "en"), messages.say(mix, "zh")) == (en, zh)
