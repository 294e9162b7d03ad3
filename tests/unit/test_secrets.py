"""Secrets never show."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import ToolError
from ycsbook.secrets import Secret, hosts, redact, uri_from_env

PASSWORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=4, max_size=20)


def test_a_secret_does_not_print_itself():
    secret = Secret("mongodb://u:canary@h/")
    assert "canary" not in f"{secret} {secret!r} {[secret]}"


@given(PASSWORDS)
def test_a_password_is_found_plain_and_encoded(password):
    encoded = quote(password, safe="")
    secret = Secret(f"mongodb://user:{encoded}@h:1,i:2/db?w=1")
    text = f"url={secret.reveal()} again {encoded} plain {password} end"
    clean = redact(text, [secret])
    assert encoded not in clean.replace("REDACTED", "") or encoded in "url= again  plain  end"
    assert f"user:{encoded}" not in clean


def test_any_credentials_in_a_url_are_hidden_without_knowing_them():
    assert redact("see mongodb+srv://bob:pw@host/x and mongodb://h/y") == (
        "see mongodb+srv://REDACTED@host/x and mongodb://h/y"
    )


def test_hosts_have_no_credentials():
    assert hosts(Secret("mongodb://u:p@a:1,b:2/db?x=y")) == "a:1,b:2"


def test_uri_from_env(monkeypatch):
    monkeypatch.delenv("MONGO_URI_X", raising=False)
    assert uri_from_env("MONGO_URI_X") is None
    monkeypatch.setenv("MONGO_URI_X", "mongodb://h/")
    assert uri_from_env("MONGO_URI_X").reveal() == "mongodb://h/"
    monkeypatch.setenv("MONGO_URI_X", "http://user:canary@h/")
    with pytest.raises(ToolError) as caught:
        uri_from_env("MONGO_URI_X")
    assert "canary" not in str(caught.value) and "MONGO_URI_X" in str(caught.value)


@pytest.mark.parametrize("password", [*(f"hunter{c}2s" for c in "/?#[@:"), "77?hunter"])
def test_a_password_that_is_not_encoded_is_refused_without_showing_any_of_it(monkeypatch, password):
    monkeypatch.setenv("MONGO_URI_X", f"mongodb://bob:{password}@host:27017/db")
    with pytest.raises(ToolError) as caught:
        uri_from_env("MONGO_URI_X")
    assert "percent-encoded" in str(caught.value) and "hunter" not in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("mongodb://h", "h"),
        ("mongodb://h:1,i:2/", "h:1,i:2"),
        ("mongodb://[::1]:27017/db", "[::1]:27017"),
        ("mongodb+srv://u:p%2F@cluster.example/?appName=a%40b", "cluster.example"),
        ("mongodb://u@h/admin?w=0&tls=true", "h"),
        ("mongodb://h?w=0", "h"),
    ],
)
def test_uris_as_people_have_them(monkeypatch, uri, expected):
    monkeypatch.setenv("MONGO_URI_X", uri)
    assert hosts(uri_from_env("MONGO_URI_X")) == expected
