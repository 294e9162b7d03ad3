"""Runs of several logs, and of the run store: what lies in one folder is one run."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import RunLogError
from ycsbook.ingest import beside, parsing
from ycsbook.ingest.files import identity
from ycsbook.ingest.files.scan import MANIFEST, STREAMS
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.output import Output
from ycsbook.ingest.runs import manifest
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.ingest.runs.clients import merge
from ycsbook.ingest.runs.rows import Histogram
from ycsbook.ingest.runs.runs import RunEvidence, add_run
from ycsbook.verdicts import Warn


class _Run(NamedTuple):
    """What the logs of one run give; `known` and `warnings` only of several clients."""

    log: RunLog
    histograms: dict[str, Histogram]
    digest: str
    rejected: list[RunLogError]
    known: Verdict | None = None
    warnings: tuple[Warn, ...] = ()


def add_clients(output: Output, item: IngestItem, format: str) -> None:
    """Add the run of several clients.

    Raises
        RunLogError: they are no clients of one run, or one of them is no log.
    """
    run = _merged(output, item, format)
    run_id = output.run_id(item.name, run.digest)
    columns = output.user_columns(item.first_file)
    evidence = RunEvidence(
        run_id,
        run.log,
        columns,
        run.histograms,
        source=str(item.first_file),
        known=run.known,
        warnings=run.warnings,
    )
    add_run(output.rows, evidence)
    output.done(item, run.log.format, [run_id], run.rejected)


def add_stored(output: Output, item: IngestItem, format: str) -> None:
    """Add a run of the store.

    Raises
        RunLogError: its manifest or its logs cannot be read, or hold several runs.
    """
    folder = item.files[0]
    facts = manifest.load(folder)
    run = _merged(output, item, format, facts) if item.clients else _alone(output, item)
    run_id = output.unique_id(manifest.run_columns(facts)["run_id"] or identity.run_id(folder.name, run.digest))
    evidence = RunEvidence(
        run_id,
        run.log,
        output.user_columns(folder / MANIFEST),
        run.histograms,
        facts,
        folder,
        source=str(folder),
        changed=manifest.changed(facts, folder),
        known=run.known,
        warnings=run.warnings,
    )
    rejected = [*run.rejected, *add_run(output.rows, evidence)]
    output.done(item, run.log.format, [run_id], rejected)


def _alone(output: Output, item: IngestItem) -> _Run:
    """The run of one client, in its folder of the store."""
    folder = item.files[0]
    files = [folder / name for name in STREAMS if (folder / name).is_file()]
    logs = parsing.ycsb_runs(files) or [RunLog()]
    if len(logs) > 1:
        raise RunLogError(files[0], None, f"holds {len(logs)} runs; a run folder holds one")
    distributions = output.beside(item, logs)
    return _Run(logs[0], distributions.per_run[0], identity.digest_of(files), distributions.rejected)


def _merged(output: Output, item: IngestItem, format: str, facts: Mapping | None = None) -> _Run:
    """The run that several clients made; `facts`: its manifest."""
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
    merged = merge(logs, in_buckets, manifest.clocks_ahead_s(facts or {}, len(logs)))
    together = {
        name: replace(h, source=", ".join(of_client[name].source for of_client in histograms if name in of_client))
        for name, h in merged.histograms.items()
    }
    return _Run(merged.log, together, identity.digest_of(files), rejected, merged.verdict, merged.warnings)
