"""Every sentence of a report that does not come from the data, by language: one module each."""

from ycsbook.errors import PublishError
from ycsbook.report.strings.en import EN

TEXTS: dict[str, dict] = {"en": EN}


def texts(lang: str) -> dict:
    """All texts in a language.

    Raises
        PublishError: the language has no texts yet.
    """
    if lang not in TEXTS:
        raise PublishError(
            f"report.lang: got {lang!r}, expected one of {', '.join(TEXTS)}; "
            "set 'report: {lang: en}' in the params file"
        )
    return TEXTS[lang]
