"""What tests with real servers share."""

from collections.abc import Iterator

import pytest

from ycsbook.processes import Guard


@pytest.fixture(scope="module")
def guard() -> Iterator[Guard]:
    """Ends what the tests of a module start."""
    with Guard() as guard:
        yield guard
