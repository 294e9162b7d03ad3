import pytest

from ycsbook import paths
from ycsbook.errors import ParamsError


def test_a_relative_path_counts_from_the_repository():
    assert paths.resolve("params/local.yml") == paths.PARAMS / "local.yml"
    assert paths.resolve("/elsewhere/a.yml").as_posix() == "/elsewhere/a.yml"


@pytest.mark.parametrize("value", [5, None, ["a"]])
def test_what_is_no_path_is_said_to_be_none(value):
    with pytest.raises(ParamsError, match=r"expected the path of a file or folder"):
        paths.resolve(value)
