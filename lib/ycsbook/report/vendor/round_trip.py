"""Whether a vendor's page says what it was made from: it is read as anybody's page and compared row by row."""

from math import isclose, isnan, nan

from ycsbook.errors import PublishError, RunLogError
from ycsbook.ingest.log.shapes import shape
from ycsbook.ingest.published.vendor_page import VendorRow, parse_page
from ycsbook.report.numbers import MISSING
from ycsbook.report.vendor.measurements import Measurement

_FIGURES = {"qps": "throughput_ops_s", "ral": "ral_us", "wal": "wal_us"}


def check(text: str, expected: list[Measurement], profile: str) -> None:
    """Read the page and compare its rows with those it was made from.

    A page may leave the CPU out, but not print another one.

    Raises
        PublishError: the page cannot be read, lacks a row, has one too many, or prints another figure.
    """
    page = f"profile {profile}"
    try:
        found = parse_page(text, page)
    except RunLogError as e:
        raise PublishError(f"the page does not read back: {e}") from None
    rows = {_key(row): row for row in found}
    for measured in expected:
        row = rows.pop(_expected_key(measured), None)
        name = f"{measured.label}, {measured.reads:.6g} reads, {measured.threads} threads"
        if row is None:
            raise PublishError(f"{page}: its page has no row {name} that can be read")
        for figure, got, wanted in _figures(row, measured):
            if not _same(got, wanted):
                raise PublishError(f"{page}: line {row.line}: {name}: {figure} reads as {got:g}, expected {wanted:g}")
    for row in rows.values():
        raise PublishError(f"{page}: line {row.line}: a row that was not measured: {row.spec_label}, {row.threads}")


def _figures(row: VendorRow, measured: Measurement) -> list[tuple[str, float, float]]:
    printed = measured.printed
    figures = [(key, getattr(row, column), _number(printed[key])) for key, column in _FIGURES.items()]
    if not isnan(row.cpu_utilisation):
        cpu = _number(printed["cpu"].removesuffix("%")) / 100
        figures.append(("cpu", row.cpu_utilisation, cpu))
    return figures


def _number(printed: str) -> float:
    # A page's latency of 0 means that there was no such operation.
    return nan if printed in (MISSING, "0", "0.00") else float(printed)


def _key(row: VendorRow) -> tuple:
    return row.spec_label, row.cores, row.ram_gib, round(row.read_fraction, 6), row.threads


def _expected_key(measured: Measurement) -> tuple:
    # What precedes the shape in a label, such as the word spec, is not part of it.
    said = shape(measured.label)
    return said.label, said.cores, said.ram_gib, round(measured.reads, 6), measured.threads


def _same(got: float, wanted: float) -> bool:
    return (isnan(got) and isnan(wanted)) or isclose(got, wanted, rel_tol=1e-12)
