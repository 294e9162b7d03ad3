"""Runs of several logs, and of the run store: what lies in one folder is one run."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ycsbook.errors import RunLogError
from ycsbook.ingest import beside, parsing
from ycsbook.ingest.files import identity
from ycsbook.ingest.files.scan import MANIFEST, STREAMS
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.output import Output
from ycsbook.ingest.runs import manifest
from ycsbook.ingest.runs.clients import merge
from ycsbook.ingest.runs.runs import RunEvidence, add_run

# A run without what its folder says of it, its digest, and what of it cannot be read.
_Run = tuple[RunEvidence, str, list[RunLogError]]


def add_clients(output: Output, item: IngestItem, format: str) -> None:
    """Add the run of several clients.

    Raises
        RunLogError: they are no clients of one run, or one of them is no log.
    """
    run, digest, rejected = _merged(output, item, format, {})
    run_id = output.run_id(item.name, digest)
    said = output.user_columns(item.first_file)
    add_run(output.rows, replace(run, run_id=run_id, said=said, source=str(item.first_file)))
    output.done(item, run.log.format, [run_id], rejected)


def add_stored(output: Output, item: IngestItem, format: str) -> None:
    """Add a run of the store.

    Raises
        RunLogError: its manifest or its logs cannot be read, or hold several runs.
    """
    folder = item.files[0]
    facts = manifest.load(folder)
    run, digest, rejected = _merged(output, item, format, facts) if item.clients else _alone(output, item)
    run_id = output.unique_id(manifest.run_columns(facts)["run_id"] or identity.run_id(folder.name, digest))
    run = replace(
        run,
        run_id=run_id,
        said=output.user_columns(folder / MANIFEST),
        facts=facts,
        folder=folder,
        source=str(folder),
        changed=manifest.changed(facts, folder),
    )
    output.done(item, run.log.format, [run_id], [*rejected, *add_run(output.rows, run)])


def _alone(output: Output, item: IngestItem) -> _Run:
    """The run of one client, in its folder of the store."""
    folder = item.files[0]
    files = [folder / name for name in STREAMS if (folder / name).is_file()]
    logs = parsing.ycsb_runs(files) or [RunLog()]
    if len(logs) > 1:
        raise RunLogError(files[0], None, f"holds {len(logs)} runs; a run folder holds one")
    distributions = output.beside(item, logs)
    run = RunEvidence("", logs[0], histograms=distributions.per_run[0])
    return run, identity.digest_of(files), distributions.rejected


def _merged(output: Output, item: IngestItem, format: str, facts: Mapping) -> _Run:
    """The run that several clients made; `facts`: its manifest, if any."""
    logs, histograms, files = [], [], []
    rejected: list[RunLogError] = []
    first_files: dict[str, Path] = {}
    for client in item.clients:
        _, runs = parsing.runs(client, format)
        first, digest = client.files[0], identity.digest_of(client.files)
        if digest in first_files:
            raise RunLogError(
                first, None, f"is the same log as {first_files[digest]}, so they are no clients of one run"
            )
        first_files[digest] = first
        if len(runs) != 1:
            raise RunLogError(first, None, f"holds {len(runs)} runs; a client of a run has one")
        logs += runs
        distributions = output.beside(client, runs)
        histograms += distributions.per_run
        rejected += distributions.rejected
        files += client.files
    # Sums need the buckets, also of what was measured to the microsecond.
    in_buckets = [{name: beside.in_buckets(h) for name, h in of_client.items()} for of_client in histograms]
    merged = merge(logs, in_buckets, manifest.clocks_ahead_s(facts, len(logs)))
    together = {
        name: replace(h, source=", ".join(of_client[name].source for of_client in histograms if name in of_client))
        for name, h in merged.histograms.items()
    }
    run = RunEvidence("", merged.log, histograms=together, known=merged.verdict, warnings=merged.warnings)
    return run, identity.digest_of(files), rejected
