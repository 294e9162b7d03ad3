"""What a real JVM makes of the properties and the command line."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ycsbook.runner import command, generator

HERE = Path(__file__).parent
# Every code point, lone surrogates too, with the characters that mean something to Properties.load made frequent.
SYNTAX = st.sampled_from("=:#! \\\t\n\r\f\0\"'u0é€😀")
TEXT = st.text(st.one_of(SYNTAX, st.characters(exclude_categories=())), max_size=12)


@pytest.fixture(scope="module")
def java_reads():
    """A function that gives the map a JVM reads from a properties text; one JVM for all cases."""
    java = generator.find().java
    with subprocess.Popen(
        [java, "-XX:TieredStopAtLevel=1", HERE / "EchoProperties.java"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="ascii",
    ) as process:

        def read(text: str) -> dict[str, str]:
            process.stdin.write(text.encode("ascii").hex() + "\n")
            process.stdin.flush()
            pairs = (pair.split("=") for pair in process.stdout.readline().split())
            return {_text(key): _text(value) for key, value in pairs}

        yield read
        process.stdin.close()
    assert process.returncode == 0


def _text(hexadecimal: str) -> str:
    return bytes.fromhex(hexadecimal).decode("utf-16-be", "surrogatepass")


def _as_java_holds_it(text: str) -> str:
    # A pair of lone surrogates that happen to stand side by side is one character in UTF-16.
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


@given(st.dictionaries(TEXT.map(_as_java_holds_it), TEXT.map(_as_java_holds_it), max_size=4))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_java_reads_the_identical_properties(java_reads, properties):
    assert java_reads(command.properties_text(properties)) == properties


@pytest.mark.parametrize(
    "url",
    [
        "mongodb://u:p%40ss%3A%2F@127.0.0.1:27017/ycsb?w=1&tls=true",
        "mongodb://user:back\\slash#hash!=:@host/ ycsb",
        "mongodb://é:€@host/\\u0041\\",
    ],
)
def test_java_reads_the_identical_url(java_reads, url):
    assert java_reads(command.properties_text({"mongodb.url": url})) == {"mongodb.url": url}
