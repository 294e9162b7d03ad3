"""From the seed documents to data/published/: tidy CSV files, each with a sidecar that says what it is.

.venv/bin/python data/published/convert/convert_seeds.py DOCUMENTS
"""

import csv
import hashlib
import io
import json
import re
import sys
from datetime import UTC, datetime
from math import isnan
from pathlib import Path

from seed_catalog import SEED_DATASETS, SeedDataset

from ycsbook import paths
from ycsbook.columns import GLOSSARY
from ycsbook.errors import RunLogError, YcsbookError, shown
from ycsbook.store import atomic
from ycsbook.units import US_PER_MS


def write_published(seeds_folder: Path, out_folder: Path) -> list[Path]:
    """Make every published CSV and its sidecar from the seed documents; returns the paths written.

    The same documents give the same bytes.

    Raises
        RunLogError: a document is missing or does not say what it should.
        StoreError: the folder cannot be written.
    """
    # everything is read before anything is written, so that a bad document leaves the old files whole
    made = [_make(published, _document(seeds_folder, published.document)) for published in SEED_DATASETS]
    written = []
    for dataset, table, sidecar in made:
        for path, content in ((out_folder / f"{dataset}.csv", table), (out_folder / f"{dataset}.json", sidecar)):
            atomic.write_bytes(path, content)
            written.append(path)
    return written


def _document(folder: Path, number: str) -> Path:
    found = sorted(folder.glob(f"{number}_*.txt"))
    if len(found) != 1:
        raise RunLogError(folder, None, f"got {len(found)} files named {number}_*.txt, expected one seed document")
    return found[0]


def _make(published: SeedDataset, document: Path) -> tuple[str, bytes, bytes]:
    raw = document.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as e:
        raise RunLogError(document, None, f"not UTF-8 text: {e}") from None
    rows = [{"dataset": published.dataset, **row} for row in published.rows(text, document)]
    table = _csv(rows, published.columns)
    sidecar = {
        "dataset": published.dataset,
        "title": _wording(published.title, text, document),
        "publisher": published.publisher,
        "date": _date(_wording(published.date, text, document)),
        "document": document.name,
        "document_sha256": hashlib.sha256(raw).hexdigest(),
        "csv": f"{published.dataset}.csv",
        "csv_sha256": hashlib.sha256(table).hexdigest(),
        "rows": len(rows),
        "facts": {key: _fact(key, p, text, document) for key, p in published.facts.items()},
        "environment": {key: _wording(p, text, document) for key, p in published.environment.items()},
        "columns": {name: {"unit": GLOSSARY[name][1], "meaning": GLOSSARY[name][2]} for name in published.columns},
        "notes": list(published.notes),
    }
    return published.dataset, table, (json.dumps(sidecar, ensure_ascii=False, indent=2) + "\n").encode()


def _csv(rows: list[dict], columns: tuple[str, ...]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    return out.getvalue().encode("utf-8")


def _plain(value: object) -> str:
    """A figure as it is printed: no trailing .0, nothing for missing."""
    if not isinstance(value, float):
        return str(value)
    return "" if isnan(value) else str(int(value)) if value.is_integer() else repr(value)


def _wording(pattern: str, text: str, document: Path) -> str:
    if pattern.startswith("="):
        return pattern[1:]
    match = re.search(pattern, text)
    if not match:
        raise RunLogError(document, None, f"not found: {shown(pattern)}; is it the same document?")
    return " ".join(match[1].split())


def _date(words: str) -> str:
    """`2020年8月` or an ISO date as an ISO date; of an ObjectId the month of its first four bytes (s since 1970)."""
    if match := re.fullmatch(r"(\d{4})年(\d{1,2})月", words):
        return f"{match[1]}-{int(match[2]):02d}"
    if re.fullmatch(r"[0-9a-f]{24}", words):
        return datetime.fromtimestamp(int(words[:8], 16), UTC).strftime("%Y-%m")
    return words


def _fact(key: str, pattern: str, text: str, document: Path) -> str | float:
    """A fact that runs are labelled with, in the tables' own words; the document must not say it in two ways."""
    words = _wording(pattern, text, document)
    if not pattern.startswith("=") and len(set(re.findall(pattern, text))) > 1:
        raise RunLogError(document, None, f"{key}: {shown(sorted(set(re.findall(pattern, text))))}, expected one value")
    match key:
        case "write_concern":
            return {"unacknowledged": "0"}.get(words, words)
        case "topology":
            return {"Replica": "replica_set", "副本集": "replica_set"}[words]
        case "rtt_us":
            return float(words.removesuffix("ms")) * US_PER_MS
        case _:
            return words


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: convert_seeds.py DOCUMENTS (the folder of the seed documents)")
    try:
        print(*write_published(Path(sys.argv[1]), paths.PUBLISHED), sep="\n")
    except YcsbookError as error:
        sys.exit(f"convert_seeds.py: {error}")
