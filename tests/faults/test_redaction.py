"""A password that is known, or looks like one, whatever it was put through: percent-encoding, JSON, Python, Java, HTML,
decomposed letters, one after the other."""

import html
import json
import time
import unicodedata
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ycsbook.redaction import HIDDEN
from ycsbook.runner.command import properties_text
from ycsbook.secrets import Secret, redact

PASSWORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=4, max_size=16)
ENCODINGS = {
    "as it is": str,
    "percent": lambda text: quote(text, safe=""),
    "percent but /": lambda text: quote(text, safe="/"),
    "percent and +": quote_plus,
    "small digits": lambda text: quote(text, safe="").replace("%C", "%c").replace("%2F", "%2f"),
    "twice": lambda text: quote(quote(text, safe=""), safe=""),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON of Unicode": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "JSON with \\/": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text))[3:-3],
    "repr": lambda text: repr(text)[1:-1],
    "ascii": lambda text: ascii(text)[1:-1],
    "bytes": lambda text: repr(text.encode())[2:-1],
    "Java": lambda text: properties_text({"x": text}).strip().partition("=")[2],
    "HTML": html.escape,
    "entities": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "hexadecimal entities": lambda text: "".join(f"&#x{ord(c):X};" for c in text),
    "NFD": lambda text: unicodedata.normalize("NFD", text),
    "NFC": lambda text: unicodedata.normalize("NFC", text),
}
# What programs do one after the other: they decompose, encode for a URI, then print.
ORDERS = [
    (a, b, c)
    for a in ("as it is", "NFD", "NFC")
    for b in ("as it is", "percent", "percent but /", "percent and +", "twice", "small digits")
    for c in ENCODINGS
]


@given(password=PASSWORDS, order=st.sampled_from(ORDERS), data=st.data())
@example(password="000Ĩ", order=("NFD", "as it is", "bytes"), data=None)
@example(password="pä/ß@w'\"\\", order=("NFD", "percent but /", "JSON in JSON"), data=None)
def test_a_known_password_passes_in_no_encoding(password, order, data):
    uri = Secret(f"mongodb://anna:{quote(password, safe='')}@h1:27017/db")
    text = password
    for name in order:
        text = ENCODINGS[name](text)
    clean = redact(f"log <{text}> end", [uri])
    assert text not in clean.replace(HIDDEN, "") and clean.startswith("log <") and clean.endswith("> end")


@given(password=PASSWORDS, order=st.sampled_from(ORDERS))
def test_a_known_address_passes_in_no_encoding(password, order):
    uri = f"mongodb://anna:{quote(password, safe='')}@h1:27017/db"
    text = uri
    for name in order:
        text = ENCODINGS[name](text)
    encoded = ENCODINGS[order[2]](ENCODINGS[order[1]](quote(password, safe="")))
    assert encoded not in redact(f"at {text} .", [Secret(uri)]).replace(HIDDEN, "")


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("uri", ["mongodb://anna:hunter2s@h1/db", "postgres://anna:hunter2s@h1:5432/x?y=1"])
def test_the_password_of_an_unknown_address_passes_in_no_encoding(name, uri):
    clean = redact(f"using {ENCODINGS[name](uri)} now")
    assert "hunter2s" not in clean and HIDDEN in clean and clean.endswith(" now")


@pytest.mark.parametrize(
    "text",
    [
        "userpass=hunter2s", "dbpass: hunter2s", "USERPWD=hunter2s", "密码=hunter2s", "密码：hunter2s",
        "口令: hunter2s", "пароль=hunter2s", "Passwort: hunter2s", "contraseña=hunter2s", "パスワード＝hunter2s",
        "-p mongodb.password=hunter2s",
        '{"password": "hunter2s"}', '{\\"password\\": \\"hunter2s\\"}', "{'pwd': 'hunter 2s'}", "--password hunter2s",
        "password=&quot;hunter2s&quot;", "&quot;password&quot;: &quot;hunter2s&quot;", "api_key=hunter2s",
    ],
)  # fmt: skip
def test_what_is_named_as_a_password_is_hidden(text):
    assert "hunter" not in redact(text) and "2s" not in redact(text) and HIDDEN in redact(text)


@pytest.mark.parametrize(
    "text", ["bypass=true", "the compass: north", "[READ], Operations, 400", "at 40% of u0040", "a@b.example", "100%"]
)
def test_other_text_stays(text):
    assert redact(text, [Secret("mongodb://anna:hunter2s@h1/db")]) == text


def test_text_that_is_nearly_a_password_costs_linear_time():
    secret = Secret("mongodb://anna:%25%25%25aaaa%40@h1/db")
    for piece in ("%25", "%", "\\", "&amp;", "a", "mongodb://", "a:", "@", "password", '\\"'):
        begun = time.monotonic()
        redact(piece * (1_000_000 // len(piece)), [secret])
        assert time.monotonic() - begun < 20  # a hang, not a speed
