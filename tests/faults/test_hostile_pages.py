"""Published evidence of somebody else under `publish --check`: bounded memory, and a line for what is mistyped."""

import gzip
import json

import pytest
from confined import confined

from ycsbook import opening
from ycsbook.errors import PublishError
from ycsbook.report.site import evidence


def test_a_table_that_inflates_to_gigabytes_takes_little_memory(tmp_path):
    folder = tmp_path / evidence.FOLDER
    folder.mkdir()
    with gzip.open(folder / "runs.csv.gz", "wb", compresslevel=1) as packed:
        for _ in range(200):
            packed.write(b"\n" * 10_000_000)
    with pytest.raises(PublishError, match=f"unpacks to more than {opening.MAX_TABLE_BYTES:,} bytes"):
        confined(evidence.read, tmp_path, memory_mib=400)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("environment.json", []),
        ("environment.json", {"a": 1}),
        ("environment.json", {"a": {"b": {"c": "d"}}}),
        ("environment.json", "x"),
        ("environment.json", None),
        ("rejected.json", {"a": "b"}),
        ("rejected.json", [1]),
        ("rejected.json", [["a"]]),
        ("rejected.json", [["a", "b", "c"]]),
        ("rejected.json", [[["a"], "b"]]),
    ],
)
def test_mistyped_json_is_refused_in_a_line(tmp_path, name, content):
    (tmp_path / name).write_text(json.dumps(content))
    schema = {"environment.json": dict[str, dict[str, str]], "rejected.json": list[tuple[str, str]]}[name]
    with pytest.raises(PublishError, match=name) as caught:
        evidence._json(tmp_path / name, schema)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), ""])
def test_deep_and_broken_json_is_refused_in_a_line(tmp_path, text):
    (tmp_path / "environment.json").write_text(text)
    with pytest.raises(PublishError, match="cannot be read as JSON"):
        evidence._json(tmp_path / "environment.json")
