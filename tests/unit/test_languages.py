"""Reports in Chinese say everything that reports in English say."""

import ast
import re
import string
from pathlib import Path

import pytest
import report_samples as samples
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import anomalies, paths, scaling
from ycsbook.plots import style, words
from ycsbook.report import build, strings, translation
from ycsbook.report.translation import matching
from ycsbook.scaling.limits import _DECISIONS
from ycsbook.study import Study
from ycsbook.tables import Tables

LIBRARY = paths.REPOSITORY / "lib" / "ycsbook"


def flat(texts: dict, before: str = "") -> dict[str, str]:
    found = {}
    for key, value in texts.items():
        found |= flat(value, f"{before}{key}.") if isinstance(value, dict) else {before + key: value}
    return found


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_texts_with_the_same_places():
    english, chinese = flat(strings.texts("en")), flat(strings.texts("zh"))
    assert english.keys() == chinese.keys()
    assert {key: places(text) for key, text in english.items()} == {key: places(t) for key, t in chinese.items()}
    assert strings.texts("en").keys() >= {"opening", "findings", "residuals"}


def test_no_english_sentence_is_left_in_the_chinese_texts():
    prose = {key for key, text in flat(strings.texts("zh")).items() if translation.is_prose(text)}
    assert prose == {"w0_note"}  # it explains the term: 写关注（write concern）


def test_every_word_of_a_picture_is_chinese():
    assert {text for text in words.WORDS_ZH.values() if text.isascii()} == {"Amdahl", "USL"}
    assert {key: places(key) for key in words.WORDS_ZH} == {k: places(v) for k, v in words.WORDS_ZH.items()}
    assert dict(words.of("en")) == {}


# What the rules, laws and limits can say: every string in their modules that is more than a word.
_SCALING = (
    "analysis",
    "capacity",
    "capacity_words",
    "claims",
    "elasticity",
    "fitted",
    "joint",
    "knee",
    "marginals",
    "select",
)
SAYING = sorted(
    path.relative_to(LIBRARY).as_posix()
    for path in (
        *(LIBRARY / "anomalies").glob("*.py"), *(LIBRARY / "scaling" / f"{n}.py" for n in _SCALING),
        LIBRARY / "verdicts.py",
    )
    if path.name not in ("registry.py", "settings.py")  # the rules' reference page, and the errors of params files
)  # fmt: skip
# Causes, which join findings and are never shown, and an annotation.
UNSAID = {"not saturated", "not completed", "printed counts", "small losses with more threads", "Fit | None"}
# Names and calls in sentences, with a text that they may hold; anything else is 7.
HELD = {
    "where": "local: ", "of_dataset": "local: ", "why": " (stalled)", "which": "all", "side": "higher", "aside": "",
    "at_least": "", "_aside": "", "wording.spec": "2 cores 4 GB", "spec": "2 cores 4 GB", "wording.mix": "50:50",
    "wording.cell": "2 cores 4 GB, 50:50, 7 threads", "wording.threads": "7 threads", "wording.count": "7 rows",
    "rows": "7 rows", "mix": "50:50",
}  # fmt: skip


def sayings(path: Path) -> dict[str, int]:
    """The sentences that a module makes, with their lines; where something is put in stands a sample of it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise | ast.JoinedStr):
            silent.update(child for child in ast.walk(node) if child is not node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(node.value)
        elif (isinstance(node, ast.keyword) and node.arg in ("cannot_know", "source")) or (
            isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("_CANNOT_KNOW", "_SOURCE")
        ):
            silent.update(ast.walk(node))
    found = {written(node): node.lineno for node in ast.walk(tree) if node not in silent and isinstance(node, ast.expr)}
    return {text: line for text, line in found.items() if SENTENCE.search(text) and text not in UNSAID}


SENTENCE = re.compile(r"[A-Za-z]{2,}\S*\s.*[A-Za-z]{2,}")


def written(node: ast.AST) -> str:
    """The text that an expression writes."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else held(v.value) for v in node.values)
    return ""


def held(node: ast.AST) -> str:
    if isinstance(node, ast.IfExp):
        return written(node.body)
    name = ast.unparse(node.func if isinstance(node, ast.Call) else node)
    return HELD.get(name, "7")


@pytest.mark.parametrize("module", SAYING)
def test_whatever_a_module_can_say_is_said_in_chinese(module):
    said = sayings(LIBRARY / module)
    assert {text: line for text, line in said.items() if translation.said(text, "zh") == text} == {}


def test_the_modules_say_something():
    assert sum(len(sayings(LIBRARY / module)) for module in SAYING) > 250


def test_every_way_to_decide_a_limit_is_said_in_chinese():
    for _, template in _DECISIONS.values():
        for interval in ("", " (95 % interval 1.18 to 1.25)"):
            for falls in ("", " (retrograde: fewer threads do more)"):
                text = template.format(
                    high=200.0, low=100.0, ratio=1.234, interval=interval, falls=falls, cpu=88.0, spec="32c64g",
                    best=2.5, best_interval=interval, broken="1.100 at 100 and 1.200 at 200", innocent="; this row is "
                    "paired with that one", utilisation=1.2,
                )  # fmt: skip
                assert not translation.is_prose(translation._phrase(text, 0)), text


def spoken(tables: Tables) -> set[str]:
    """Every sentence about the runs in these tables."""
    found, analysis = anomalies.find(tables), scaling.analyse(tables.runs, tables.operations)
    frames = (
        found, anomalies.grouped(found), anomalies.main(found, 5), analysis.choices, analysis.glance, analysis.joint,
        analysis.limits, analysis.elasticities, analysis.marginals,
    )  # fmt: skip
    columns = ("message", "next_step", "group", "sentence", "verdict", "scatter", "reason", "basis", "limit", "law")
    return {str(text) for frame in frames for c in columns if c in frame for text in frame[c]}


@pytest.fixture(scope="module")
def all_spoken(tmp_path_factory) -> set[str]:
    folder = tmp_path_factory.mktemp("spoken")
    seeds = [Study(paths.REPOSITORY / "params" / f"{name}.yml", output=folder / name).tables() for name in SEEDS]
    vendor = samples.vendor_tables(samples.vendor_sweep(samples.EIGHTEEN))
    return set().union(*map(spoken, (*seeds, samples.local_tables(), vendor)))


SEEDS = ("qingcloud-4.0.3", "tencent-2020-08")


def test_nothing_in_the_reports_of_the_seeds_is_left_in_english(all_spoken):
    sentences = {text for text in all_spoken if translation.is_prose(text)}
    assert len(sentences) > 300
    assert {text for text in sentences if translation.said(text, "zh") == text} == set()


def test_no_english_word_stands_before_a_chinese_colon(all_spoken):
    begun = {word for text in all_spoken for word in re.findall(r"\b[a-z]{3,}：", translation.said(text, "zh"))}
    assert begun == set()


def test_numbers_and_names_stay_as_they_are(all_spoken):
    for text in sorted(all_spoken):
        chinese = translation.said(text, "zh")
        assert sorted(NUMBER.findall(chinese.replace("%", ""))) == sorted(NUMBER.findall(text.replace("%", ""))), text


NUMBER = re.compile(r"\d[\d.,]*\d|\d")


def test_english_and_what_is_not_known_stay_as_they_are():
    assert translation.said("repeat the pairs that matter at least 3 times", "en").startswith("repeat")
    unknown = "nobody has ever made a sentence like this one: 3 times"
    assert translation.said(unknown, "zh") == unknown
    assert translation.said("", "zh") == ""


def test_a_name_from_the_data_cannot_change_a_sentence():
    text = "{n} core: throughput, latency and threads do not agree"
    assert translation.said(text, "zh") == "{n} core：吞吐量、延迟与线程数互不相符"


@given(st.text(alphabet="ab 7.,;:(){}%−é核", max_size=60))
def test_any_text_is_translated_without_an_error(text):
    assert isinstance(translation.said(text, "zh"), str)
    assert isinstance(translation.said(f"{text}: throughput, latency and threads do not agree", "zh"), str)


def test_a_long_sentence_takes_one_pass_for_each_pattern():
    text = "16 threads give " * 5_000
    assert translation.said(text, "zh") == text


@pytest.mark.parametrize(
    "pair",
    [("no place", "nichts"), ("{a}{b}", "{a}{b}"), ("{a} of {b}", "{a}"), ("{a} of {a}", "{a}"), ("{a}", "{b}")],
)
def test_a_pattern_that_cannot_be_read_is_refused(pair):
    with pytest.raises(ValueError, match="pattern"):
        matching.pattern(*pair)


def test_a_place_takes_numbers_only_where_that_is_said_and_nothing_where_it_may_be_missing():
    one = matching.pattern("{#n} runs{tail?} in all", "{n}{tail}")
    assert one.match("12 runs in all") == {"n": "12", "tail": ""}
    assert one.match("12 runs, 3 late in all") == {"n": "12", "tail": ", 3 late"}
    assert one.match("some runs in all") is None
    assert one.match(" runs in all") is None
    assert matching.pattern("{a}: {b}", "{a}{b}").match("x: y: z") == {"a": "x", "b": "y: z"}
    assert matching.pattern("from {a} to", "{a}").match("from to") is None


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_report_says_that_a_font_is_missing(lang, monkeypatch):
    sweep = samples.vendor_sweep(samples.EIGHTEEN)
    sweep = sweep.model_copy(update={"report": sweep.report.model_copy(update={"lang": lang})})
    tables = samples.vendor_tables(sweep)
    analysis, found = scaling.analyse(tables.runs, tables.operations), samples.findings(tables.runs)

    def opening() -> list[str]:
        return [getattr(b, "text", "") for b in build(sweep, tables, analysis, found, {}).section("finding").blocks]

    assert strings.texts(lang)["no_font"] not in opening()
    monkeypatch.setattr(style, "cjk_font", lambda: "")
    assert strings.texts(lang)["no_font"] in opening()


def test_a_sentence_keeps_the_full_stop_of_its_language():
    told = translation.said(
        "From 1 to 4 cores the power law gives 3.0 times (2.0 to 4.0) the throughput (lambda 1,000 ops/s (900 to "
        "1,100), exponent 0.800 (0.700 to 0.900)); the specs scatter 4 % around it.", "zh"
    )  # fmt: skip
    assert told.endswith("%。")
