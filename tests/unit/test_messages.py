import itertools
import math
import pickle
import re
from collections import defaultdict
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor
from hypothesis import example, given
from hypothesis import strategies as st

from ycsbook import messages
from ycsbook.errors import MessageError
from ycsbook.facts import Fact, fact, from_json
from ycsbook.messages.formats import Members, change, functions, percent

FOLDER = Path(messages.__file__).parent
LANGUAGES = messages.languages()
# A number of each plural category of the languages there are.
PLURALS = {"one": 1, "other": 7}
LISTS = {"COMMAS", "AND", "OR", "CLAUSES", "SENTENCES"}
# What a variable is given where nothing is said about it, by what is done with it.
PLAIN, NUMBER, LIST = "name", 1234.5, ["first", "second", "third", "fourth", "fifth"]


class Uses(Visitor):
    """What a message does with its variables: values to choose by, functions, and the messages that it names."""

    def __init__(self):
        self.variants, self.called, self.named, self.variables = defaultdict(list), defaultdict(set), set(), set()

    def visit_SelectExpression(self, node: ast.SelectExpression) -> None:
        if isinstance(node.selector, ast.VariableReference):
            for variant in node.variants:
                key = variant.key
                value = key.name if isinstance(key, ast.Identifier) else float(key.value)
                self.variants[node.selector.id.name].append(value)
        self.generic_visit(node)

    def visit_FunctionReference(self, node: ast.FunctionReference) -> None:
        for place, argument in enumerate(node.arguments.positional):
            if isinstance(argument, ast.VariableReference):
                # After a list comes how many more there are.
                self.called[argument.id.name].add(node.id.name if place == 0 else "NUM")
        self.generic_visit(node)

    def visit_VariableReference(self, node: ast.VariableReference) -> None:
        self.variables.add(node.id.name)

    def visit_MessageReference(self, node: ast.MessageReference) -> None:
        self.named.add(node.id.name)


@cache
def entries(lang: str) -> dict[str, ast.Message]:
    found = {}
    for file in sorted((FOLDER / lang).glob("*.ftl")):
        resource = FluentParser().parse(file.read_text("utf-8"))
        assert not [part for part in resource.body if isinstance(part, ast.Junk)], file
        found |= {part.id.name: part for part in resource.body if isinstance(part, ast.Message | ast.Term)}
    return found


@cache
def uses(lang: str, key: str) -> Uses:
    """Of a message and of all that it names."""
    found = Uses()
    found.visit(entries(lang)[key])
    for other in sorted(found.named - {key}):
        more = uses(lang, other)
        for name, values in more.variants.items():
            found.variants[name] += values
        for name, called in more.called.items():
            found.called[name] |= called
        found.variables |= more.variables
    return found


def candidates(use: Uses, name: str) -> list[object]:
    """The values of a variable that lead to different sentences."""
    if use.called[name] & LISTS:
        return [LIST, LIST[:1], LIST[:2], *([None] if "missing" in use.variants[name] else [])]
    chosen, values = use.variants[name], []
    numbers = bool(use.called[name]) or set(chosen) & {"one"} or any(isinstance(key, float) for key in chosen)
    for key in dict.fromkeys(chosen):
        if key in ("true", "false"):
            values.append(key == "true")
        elif key == "missing":
            values.append(None)
        elif not (numbers and isinstance(key, str)):
            values.append(key)
    if numbers:
        values += [PLURALS["other"], PLURALS["one"], NUMBER, 0.0] + ([math.nan] if "missing" in chosen else [])
    return values or [PLAIN]


def renderings(lang: str, key: str) -> list[str]:
    """The message with every value of every variable, and every pair of those that it chooses by."""
    use = uses(lang, key)
    choices = {name: candidates(use, name) for name in sorted(use.variables)}
    usual = {name: values[0] for name, values in choices.items()}
    sets = [usual | {name: value} for name, values in choices.items() for value in values]
    for (a, of_a), (b, of_b) in itertools.combinations(choices.items(), 2):
        sets += [usual | {a: x, b: y} for x, y in itertools.product(of_a, of_b)]
    attributes = ["", *(f".{attribute.id.name}" for attribute in entries(lang)[key].attributes)]
    return [messages.text(key + part, lang, **values) for part in attributes for values in sets or [{}]]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_message_is_said_in_every_way(lang):
    for key, entry in entries(lang).items():
        if isinstance(entry, ast.Message):
            for sentence in renderings(lang, key):
                assert not re.search(r"missing|nan\b|None(?! of)|[{}]|\?\?\?|  ", sentence), (key, sentence)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_languages_have_the_same_messages_with_the_same_values(lang):
    assert set(entries(lang)) == set(entries("en")) == set(messages.keys(lang))
    for key, entry in entries("en").items():
        assert uses(lang, key).variables == uses("en", key).variables, key
        assert {a.id.name for a in entries(lang)[key].attributes} == {a.id.name for a in entry.attributes}, key


def test_one_is_never_said_with_a_plural():
    for key, entry in entries("en").items():
        if isinstance(entry, ast.Message):
            counted = [
                name for name in uses("en", key).variables if isinstance(candidates(uses("en", key), name)[0], int)
            ]
            for sentence in renderings("en", key) if counted else ():
                wrong = re.search(r"(?<![\d.,:−+-])1 (cores|threads|runs|rows|points|specs|repeats|groups)\b", sentence)
                assert not wrong, (key, sentence)


def test_a_fact_is_its_content():
    cell = fact("cell", threads=np.int64(16), share=np.float64(0.5), ram_gib=float("nan"), names=["a", "b"], known=True)
    assert cell.values == {"threads": 16, "share": 0.5, "ram_gib": None, "names": ("a", "b"), "known": True}
    assert {cell: 1}[fact("cell", **cell.values)] == 1 and cell != fact("cell", threads=17)
    outer = fact("stall", cell=cell, all=[cell, fact("other")], limit=math.inf)
    assert from_json("stall", outer.values_json()) == outer and pickle.loads(pickle.dumps(outer)) == outer
    assert from_json("stall", "") == Fact("stall", {})
    with pytest.raises(TypeError, match="at: got object, expected a text"):
        fact("stall", at=object())


def test_lists_and_times():
    three = ["1c1g", "2c2g", "4c4g"]
    assert messages.text("list-more", shown="a, b", more=2) == "a, b and 2 more"
    for seconds, en, zh in (
        (0.2512, "0.25 s", "0.25 s"), (0, "0 s", "0 s"), (75, "1 min 15 s", "1 分钟 15 s"),
        (1200, "20 min", "20 分钟"), (7262, "2 h 1 min", "2 小时 1 分钟"), (7200, "2 h", "2 小时"),
    ):  # fmt: skip
        assert (_called("DURATION", seconds), _called("DURATION", seconds, lang="zh")) == (en, zh)
    assert (
        _called("COMMAS", three) == "1c1g, 2c2g, 4c4g" and _called("COMMAS", three, 2) == "1c1g, 2c2g, 4c4g and 2 more"
    )
    assert _called("AND", three[:2], lang="zh") == "1c1g和2c2g" and _called("COMMAS", []) == ""


def _called(function: str, value: object, more: int = 0, lang: str = "en") -> str:
    call = functions(partial(messages.text, lang=lang))[function]
    return call(Members(value), more) if isinstance(value, list) else call(value)


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
@example(0.997)
@example(99.97)
@example(99_999.97)
@example(1e-7)
def test_no_figure_has_an_exponent(value):
    call = functions(messages.text)
    for name in ("NUM", "FIXED", "DIGITS", "OPS", "PERCENT", "CHANGE", "SIG"):
        assert "e" not in call[name](value), name
    for digits in (1, 2, 3):
        assert "e" not in call["DIGITS"](value, digits=digits) + call["PERCENT"](value, significant=digits)


def test_no_figure_but_nothing_is_written_as_zeros():
    call = functions(messages.text)["FIXED"]
    said = [call(value, digits=2) for value in (0.00023, 0.0049, 0.01, 0.994, 0.0)]
    assert said == ["0.00023", "0.0049", "0.01", "0.99", "0.00"]


def test_what_cannot_be_said_names_key_and_file(tmp_path):
    with pytest.raises(MessageError, match=r"messages/zh: there is no message 'no-such'"):
        messages.text("no-such", "zh")
    with pytest.raises(MessageError, match=r"common\.ftl: threads: Unknown external: threads; the values given are n"):
        messages.text("threads", n=3)
    with pytest.raises(MessageError, match="there is no language 'fr'; the languages are en, zh"):
        messages.text("threads", "fr", threads=3)


def test_long_and_odd_values_are_said():
    sentence = messages.text("mix", reads=None, writes=None, workload="w" * 100_000)
    assert sentence.endswith("w…") and len(sentence) < 2_500
    assert messages.text("mix", reads=None, writes=None, workload="{ threads }\n=") == "workload { threads }\n="


def test_sentences_of_a_table():
    table = pd.DataFrame({
        "message_key": ["threads", ""], "message_values": [fact("threads", threads=1).values_json(), ""],
        "message": ["old", "old"],
    })  # fmt: skip
    assert messages.worded(table)["message"].tolist() == ["1 thread", ""]
    assert messages.say(messages.fact_of(table.iloc[0], "message"), "zh") == "1 线程"


def test_nearly_all_is_not_said_to_be_all():
    assert [change(value) for value in (-0.9954, -0.9989, -1.0, -0.994, 0.997)] == [
        "−99.5 %", "−99.9 %", "−100 %", "−99 %", "+100 %",
    ]  # fmt: skip
    assert [percent(value, digits=0, lost=1) for value in (0.9954, 1.0, 0.66)] == ["99.5", "100", "66"]
    assert percent(0.9954, digits=0) == "100"
