"""What becomes of one file when its folder is ingested, and why."""

from pathlib import Path

from ycsbook.errors import RunLogError
from ycsbook.facts import Fact
from ycsbook.ingest import readers, reading
from ycsbook.ingest.files.scan import scan
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding import contents, detect
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.output import Result


def explain(path: Path) -> list[str | Fact]:
    """What there is to say: sentences that stand behind the file's name, and why runs of it did not complete.

    Raises
        RunLogError: there is no such file, or it cannot be read.
    """
    listed = scan([path])
    if listed.errors:
        raise listed.errors[0]
    folder = next((folder for folder in listed.folders.values() if folder.named), None)
    if folder is None:
        raise RunLogError(path, None, "is a folder; name one of its files")
    (name,) = folder.named
    folder.everything, folder.named = True, set()
    items, errors = detect.group(listed)
    own = folder.join(name)
    item = next((item for item in items if own in (file.path for file in item.stats)), None)
    if path.name.startswith("."):
        return ["is passed over: it is hidden; a file that is named itself is read"]
    if item is None:
        rejected = [error.reason for error in errors if str(error.path) == own]
        return [f"is passed over: it {reason}" for reason in rejected or [_passed_over(folder, name)]]
    results = [result for _, results in reading.read([item], Annotations()) for result in results]
    beside = sorted({file.path for file in item.stats} - {own})
    together = [f"is read together with {', '.join(beside)}"] if beside else []
    return [line for result in results for line in _said_of(result)] + together


def _passed_over(folder: contents.Folder, name: str) -> str:
    return contents.never_looked_into(folder, name) or readers.described(
        Source(Path(folder.join(name))).head(readers.SNIFF_BYTES)
    )


def _said_of(result: Result) -> list[str | Fact]:
    """What a file gave."""
    if not (result.run_ids or result.rejected):
        head = Source(result.item.first_file).head(readers.SNIFF_BYTES)
        return [f"is passed over: it {readers.described(head)}"]
    lines = [f"is read as {result.format}: {', '.join(result.outcomes)}"] if result.run_ids else []
    lines += [f"is rejected: it {error.reason}" for error in result.rejected]
    return [*lines, *result.unfinished, *result.remarks]
