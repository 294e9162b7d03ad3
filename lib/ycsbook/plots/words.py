"""The words that pictures hold beside names from the data, by language."""

from collections.abc import Mapping


def of(lang: str) -> Mapping[str, str]:
    """English text to the text in a language; what is not in it stays as it is."""
    return {}
