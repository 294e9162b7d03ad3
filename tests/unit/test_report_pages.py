"""Whole reports of several shapes: what stands in them."""

import base64
import hashlib
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import product

import nbformat
import pandas as pd
import pytest
import report_samples as samples
import yaml

from ycsbook import anomalies, documents, messages, params, paths, scaling, trust
from ycsbook.batch import notebook_page
from ycsbook.facts import fact, in_columns
from ycsbook.ingest.published.published import read_published
from ycsbook.plots import style
from ycsbook.report import Report, build, html, markdown, pictures, results, write
from ycsbook.report.blocks import Figure, Panel, Section, Table
from ycsbook.report.rows import ReportRows
from ycsbook.report.scaling import residuals
from ycsbook.tables import Tables


def make(sweep, tables, findings=None, **options) -> Report:
    findings = anomalies.find(tables) if findings is None else findings
    return build(sweep, tables, scaling.analyse(tables.runs), findings, samples.ENVIRONMENT, **options)


@cache
def published(name: str) -> tuple[Report, Tables, scaling.Analysis]:
    tables = read_published(paths.PUBLISHED / f"{name}.csv")
    found = anomalies.find(tables, documents=documents.of(tables))
    analysis = scaling.analyse(tables.runs, tables.operations)
    return build(params.load(paths.PARAMS / f"{name}.yml"), tables, analysis, found, {}), tables, analysis


@pytest.fixture(scope="module")
def local() -> Report:
    tables = samples.local_tables()
    runs = tables.runs[tables.runs["outcome"] == "completed"]
    return make(samples.local_sweep(), tables, samples.findings(runs))


@pytest.fixture(scope="module")
def vendor() -> Report:
    sweep = samples.vendor_sweep(samples.EIGHTEEN)
    return make(sweep, samples.vendor_tables(sweep))


class Outline(HTMLParser):
    """Headings, images and ids of a page."""

    def __init__(self, page: str):
        super().__init__()
        self.levels, self.images, self.ids, self.links, self.tags = [], [], [], [], set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        attributes = dict(attrs)
        self.tags.add(tag)
        self.levels += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []
        # Pictures stand in the page itself; what is named by none is what they have in common.
        described = {"img": "alt", "svg": "aria-label"}.get(tag)
        self.images += [attributes[described]] if described and "aria-hidden" not in attributes else []
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if tag == "a" else []


@pytest.mark.parametrize("shape", ["local", "vendor"])
def test_html_is_well_ordered_described_and_small(shape, request):
    page = html.page(request.getfixturevalue(shape))
    outline = Outline(page)
    assert outline.levels[0] == 1
    assert outline.levels.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(outline.levels, outline.levels[1:], strict=False))
    assert outline.images
    assert all(len(alt) > 20 for alt in outline.images)
    assert len(outline.ids) == len(set(outline.ids))
    assert {link[1:] for link in outline.links if link.startswith("#")} <= set(outline.ids)
    assert outline.links
    assert page.count("<script") == 1
    script = page.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src" in page
    used = set(re.findall(r'(?: href="|url\()#([\w-]+)', page))
    assert used and used <= set(outline.ids)
    assert len(page.encode()) < 700_000


def test_pages_of_notebooks_and_batches_may_do_what_reports_may_but_run_no_script(local, tmp_path):
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "asked.ipynb")
    pages = [html.render("batch.html.j2", title="", counted="", entries=[]), html.page(local)]
    pages.append(notebook_page.export(tmp_path / "asked.ipynb").read_text(encoding="utf-8"))

    policies = [re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', page) for page in pages]

    without_script = [[re.sub("script-src [^;]*; ", "", policy) for policy in found] for found in policies]
    assert without_script == [[html.policy()]] * 3
    assert ["script-src" in found[0] for found in policies] == [False, True, False]


def test_the_finding_comes_first_and_everything_has_its_place(local):
    anchors = [section.anchor for section in local.sections]
    assert anchors == [
        "finding", "results", "findings", "threads", "growth", "scaling", "limits", "marginals", "latency", "time",
        "method", "environment", "provenance", "rejected",
    ]  # fmt: skip
    *verdict, terms, scaled, by_threads, items = local.section("finding").blocks
    figures = (scaled, by_threads)
    # A line for each of its sentences.
    assert tuple(line.text for line in verdict) == local.in_short.said and len(verdict) >= 3
    assert verdict[0].text.startswith("50:50 at 16 threads: 3,220 ops/s at 0.25 cores, 12,300 at 1; ")
    shares = [fact("report-share", operation=name, share=0.5) for name in ("read", "update")]
    term = fact("short-term", mix=fact("mix", reads=50, writes=50, workload=None), shares=shares)
    assert terms.text == messages.text("short-terms", terms=[term], n=1)
    # A run did not complete.
    assert [about for about, _ in items.items] == ["Cores", "Threads", "Rows in doubt", "What to buy", "Not known"]
    assert re.search(r"and more RAM give ×1\.9\d", items.items[0][1])
    assert [figure.panels[0].name for figure in figures] == ["scaling-1", "threads-1"]
    assert [section.anchor for section in local.sections if not section.folded] == [
        "finding", "results", "findings", "rejected",
    ]  # fmt: skip


class Words(HTMLParser):
    """The words of a page outside tables; `first`: outside of what is folded as well."""

    def __init__(self, page: str):
        super().__init__()
        self.depth, self.all, self.first = {"table": 0, "details": 0, "style": 0, "script": 0}, 0, 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag in self.depth:
            self.depth[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in self.depth:
            self.depth[tag] -= 1

    def handle_data(self, data: str) -> None:
        if not (self.depth["table"] or self.depth["style"] or self.depth["script"]):
            self.all += len(data.split())
            self.first += 0 if self.depth["details"] else len(data.split())


@pytest.mark.parametrize("name", ["qingcloud-4.0.3", "tencent-2020-08"])
def test_a_report_can_be_read(name):
    page = html.page(published(name)[0])
    words = Words(page)
    assert 500 < words.first <= 1_500 and words.all <= 4_000
    # The first screen shows two figures, the others are folded away.
    assert page.split('id="results"')[0].count("<figure>") == 2
    assert len(page) < 1_900_000


def test_every_published_row_stands_in_the_markdown_table(vendor):
    tables = samples.vendor_tables(samples.vendor_sweep(samples.EIGHTEEN))
    lines = [line.replace(" ", "") for line in markdown.page(vendor).splitlines()]
    assert len(tables.runs) == 72
    for row in tables.runs.itertuples():
        start = f"|{row.cores:g}cores,{row.ram_gib:g}GB|{row.threads:g}|{row.throughput_ops_s:,.0f}|"
        assert any(line.startswith(start) for line in lines), start


def test_measured_stands_beside_published():
    sweep = samples.local_sweep()
    tables = samples.local_tables()
    twin = tables.runs[tables.runs["repeat"] == 1].assign(
        run_id="p-" + tables.runs["run_id"], outcome="published", steady_ops_s=float("nan"), goodput_ops_s=float("nan"),
        throughput_ops_s=4321.0,
    )  # fmt: skip
    both = Tables(runs=type(tables.runs)(samples.pd.concat([tables.runs, twin], ignore_index=True)))
    results = make(sweep, both, details=False).section("results")
    table = next(b for s in results.blocks if isinstance(s, Section) for b in s.blocks)
    assert isinstance(table, Table)
    assert [c.heading for c in table.columns][2:4] == ["QPS (ops/s), measured", "QPS (ops/s), published"]
    assert table.rows[0].cells[3] == "4,321"
    assert "±" in table.rows[0].cells[2]


def test_sections_without_data_say_so(vendor):
    assert "no percentiles" in vendor.section("latency").blocks[-1].text
    assert "no time series" in vendor.section("time").blocks[0].text


def test_a_sweep_without_any_run_still_reports():
    report = make(samples.local_sweep(), Tables())
    assert "nothing to plot" in report.section("finding").blocks[0].text
    assert "<h1>" in html.page(report)
    assert report.panels() == []


def test_failed_runs_are_listed_and_in_no_figure(local):
    assert "local-1c-a-t4-r4" in markdown.fragment(local.section("rejected"))
    frames = [figure.frame for section in local.sections for figure in section.figures()]
    assert all("local-1c-a-t4-r4" not in set(f.get("run_id", [])) for f in frames)


def test_both_throughput_figures_and_the_host_speed_are_told(local):
    told = markdown.fragment(local.section("provenance"))
    for text in (messages.text("method-both"), messages.text("method-host-speed"),
                 messages.text("method-cores", way="cgroup1", n=48)):  # fmt: skip
        assert text in told


def test_commands_are_redacted_once_more(local):
    for page in (html.page(local), markdown.page(local)):
        assert "REDACTED@h/ycsb" in page
        assert "u:pw" not in page


def test_markdown_has_no_raw_html_and_its_images_exist(local, tmp_path):
    written = write(local, tmp_path)
    text = written.markdown.read_text(encoding="utf-8")
    images = re.findall(r"!\[[^\n]*\]\((figures/[a-z0-9-]+\.(?:svg|png))\)", text)
    assert sorted(images) == sorted(p.relative_to(tmp_path).as_posix() for p in written.figures)
    outside = re.sub(r"```text\n.*?\n```", "", text, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<", outside)
    assert text.startswith("---\ntitle: ")


def test_figures_change_to_png_above_2000_points():
    with style.theme():
        light, axes = style.panel()
        axes.plot(range(2_000))
        heavy, axes = style.panel()
        axes.plot(range(2_001))
    assert pictures.suffix(light) == "svg"
    assert pictures.suffix(heavy) == "png"
    assert pictures.png(heavy).startswith(b"\x89PNG")
    page = html.fragment(Figure((Panel(heavy, "heavy", "two thousand and one points"),), "Heavy"))
    assert "data:image/png;base64," in page


def test_dark_pictures_use_the_partners_of_all_colours(local):
    light = pictures.svg(local.panels()[0].picture)
    assert style.INK in light
    (inline,), _ = pictures.inlined([light])
    left = re.sub(r"var\((--yb-\d+),#[0-9a-f]{6}\)", r"\1", inline.content)
    assert not any(colour in left for colour in style.DARK)
    used = set(re.findall(r"--yb-\d+", left))
    assert used and used <= set(re.findall(r"(--yb-\d+):#", pictures.dark_variables()))


def test_blocks_show_themselves_in_a_notebook(local):
    bundle = local.section("finding")._repr_mimebundle_()
    assert "<figure>" in bundle["text/html"]
    # A light notebook in a browser that prefers dark pages: pictures keep the colours of their own white ground.
    assert "prefers-color-scheme" not in bundle["text/html"] and 'class="paper"' in bundle["text/html"]
    assert bundle["text/plain"].startswith("### In short")
    # Whole, or a notebook would render the block once more for what is missing.
    assert bundle["text/markdown"] == bundle["text/plain"]
    assert "<script" not in bundle["text/html"] and "download=" not in bundle["text/html"]


def test_the_head_of_the_markdown_page_carries_what_the_params_say(local, vendor):
    told = {"weight": 3, "tags": ["ycsb", "a: b"], "draft": True, "date": "2020-09-01"}
    sweep = samples.local_sweep(report={"front_matter": told})
    report = make(sweep, samples.local_tables(), details=False)
    head = markdown.page(report).split("---\n")[1]
    assert yaml.safe_load(head) == {
        "title": report.title, "slug": "local", "lang": "en", "description": dict(report.fields)["description"], **told,
    }  # fmt: skip
    assert 'date: "2026-11-20"' in markdown.page(local)
    # The vendor's date is a month, which is no date for Hugo.
    assert "date" not in dict(vendor.fields)


def test_inputs_that_could_not_be_read_are_listed():
    tables = samples.local_tables()
    rejected = [("r7/ycsb.log:12", "two OVERALL lines"), ("r8/ycsb.log", "mongodb://u:secret@h/d is no log")]
    report = make(samples.local_sweep(), tables, rejected=rejected, details=False)
    told = markdown.fragment(report.section("rejected-inputs"))
    assert "r7/ycsb.log:12" in told and "two OVERALL lines" in told
    assert "secret" not in told


def test_stalls_are_marked_where_the_rule_sees_them():
    tables = samples.local_tables(seconds=30)
    stood = tables.intervals["run_id"].eq("local-1c-a-t16-r1") & tables.intervals["elapsed_s"].between(12, 17)
    tables.intervals.loc[stood, "throughput_ops_s"] = 0.0
    runs = tables.runs[tables.runs["outcome"] == "completed"]
    assert results.stalled(runs, tables.intervals, anomalies.Settings()) == {"local-1c-a-t16-r1": [(11.0, 17.0)]}
    off = anomalies.Settings.of({"stall": False})
    assert results.stalled(runs, tables.intervals, off) == {}
    figure = results.timeline(ReportRows(samples.local_sweep(), tables)).figures()[0]
    assert "Marked spans are stalls." in figure.caption
    marked = [
        panel.name for panel in figure.panels
        if any("stalled" in text.get_text() for text in panel.picture.axes[0].texts)
    ]  # fmt: skip
    assert marked == ["timeline-2"]


def test_residuals_name_the_spec_that_is_farthest_from_its_law():
    tables = samples.local_tables()
    analysis = scaling.analyse(tables.runs, tables.operations)
    figure = residuals(ReportRows(samples.local_sweep(), tables), analysis).figures()[0]
    titles = [panel.picture.axes[0].get_title(loc="left") for panel in figure.panels]
    # Of the one series whose points tell which law it is: the others' lines mean nothing.
    told = analysis.choices[analysis.choices["verdict_key"] == "claimed"]
    assert 0 < len(told) < len(analysis.choices) and set(figure.frame["group"]) == set(told["group"])
    for title, (_, rows) in zip(titles, figure.frame.groupby("workload"), strict=True):
        worst = rows.loc[rows["residual"].abs().idxmax()]
        assert f"farthest: {worst['name']}, {worst['threads']:g} threads, " in title


def test_what_limited_each_point_stands_beside_its_own_figures():
    report, tables, analysis = published("qingcloud-4.0.3")
    section = report.section("limits")
    assert section.blocks[0].text.startswith(
        "Of 72 points: 31 undecided; 26 bound by the server; 9 bound by the number of threads; 6 impossible"
    )
    shapes = tables.runs.drop_duplicates("spec").itertuples()
    called = {row.spec: f"{row.cores:g} cores, {row.ram_gib:g} GB" for row in shapes}
    grades = trust.grades(tables.runs, anomalies.find(tables))
    graded = analysis.limits.assign(grade=trust.of_cells(analysis.limits, tables.runs, grades))
    wanted = {
        (row.workload, called[row.spec], f"at-{row.threads:g}", row.limit_kind, row.grade)
        for row in graded.itertuples()
    }
    assert {"C", "D", "F"} <= set(graded["grade"])
    kinds = {
        f"{messages.text('limits-kind', kind=kind, retrograde=slower)} ({grade})": (kind, grade)
        for kind, slower, grade in product(set(analysis.limits["limit_kind"]), (False, True), trust.GRADES)
    }
    parts = [block for block in section.blocks if isinstance(block, Section)]
    shown = {
        (workload, row["name"], column, *kinds[row[column]])
        for workload, part in zip("ab", parts, strict=True)
        for row in part.blocks[0].frame.to_dict("records")
        for column in ("at-100", "at-200")
    }
    assert shown == wanted and len(shown) == 72


def test_what_is_left_after_the_last_whole_interval_is_not_drawn():
    tables = samples.local_tables()
    last = tables.intervals[tables.intervals["elapsed_s"] == 6.0]
    rest = last.assign(elapsed_s=6.02, interval_s=0.02, throughput_ops_s=0.0)
    longer = replace(tables, intervals=pd.concat([tables.intervals, rest], ignore_index=True))
    [shown], [expected] = (results.timeline(ReportRows(samples.local_sweep(), t)).figures() for t in (longer, tables))

    assert shown.frame.reset_index(drop=True).equals(expected.frame.reset_index(drop=True))


def test_a_finding_of_several_rules_names_them_as_people_do():
    page = markdown.page(published("qingcloud-4.0.3")[0])

    assert "; also: 50:50: every spec" in page and "little\\_family" not in page


def test_english_in_a_chinese_page_is_marked():
    sweep = samples.local_sweep(report={"lang": "zh"})
    page = html.page(make(sweep, samples.local_tables(), samples.findings(samples.local_tables().runs)))

    assert '<h1 lang="en">MongoDB on this machine</h1>' in page
    assert 'lang="en">负载' not in page


def test_an_effect_that_the_sentence_says_is_not_said_twice():
    tables = samples.local_tables()
    found = samples.findings(tables.runs[tables.runs["outcome"] == "completed"]).head(1)
    found = found.assign(effect=-0.62, conf_low=-0.64, conf_high=-0.6)
    drift = fact(
        "host_drift-rounds", configurations=fact("configurations", n=6), effect=-0.62, low=-0.64, high=-0.6, round=None
    )
    saying, silent = (
        markdown.page(
            make(samples.local_sweep(), tables, found.assign(**in_columns("message", message)), details=False)
        )
        for message in (drift, fact("rows", n=6))
    )

    # The head names it as well, as a likely cause.
    findings = [page[page.index("## Findings") :] for page in (saying, silent)]
    assert [page.count("−62 %") for page in findings] == [1, 1] and "6 rows (−62 % (−64 % to −60 %)" in findings[1]


def test_the_gravest_findings_come_with_what_to_do_the_others_in_a_line():
    _, first, others = published("tencent-2020-08")[0].section("findings").blocks

    assert 5 <= len(first.flags) <= 10 and not first.brief and all(flag.advice for flag in first.flags)
    # Those of one rule stand together, and notes wait behind graver ones.
    assert len({(flag.rule, flag.severity) for flag in first.flags}) == len(first.flags)
    (losses,) = [flag for flag in first.flags if flag.rule == "thread_regression"]
    assert len(losses.alike) == 5 and losses.command == "ycsbook run params/tencent-2020-08.yml --repeat 3"
    assert "note" not in {flag.severity for flag in first.flags}
    assert others.folded and others.blocks[0].brief and others.blocks[0].flags
