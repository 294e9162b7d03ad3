"""Every sentence of a report that does not come from the data, by language: one module each."""

import importlib

from ycsbook.errors import PublishError

LANGUAGES = ("en", "zh")


def texts(lang: str) -> dict:
    """All texts in a language.

    Raises
        PublishError: the language has no texts yet.
    """
    if lang not in LANGUAGES:
        raise PublishError(
            f"report.lang: got {lang!r}, expected one of {', '.join(LANGUAGES)}; "
            "set 'report: {lang: en}' in the params file"
        )
    return getattr(importlib.import_module(f"{__name__}.{lang}"), lang.upper())
