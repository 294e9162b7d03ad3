"""Params files measured one after the other and told in one report: the systems of docs/systems.md."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ycsbook import fingerprints, messages, paths
from ycsbook.errors import ParamsError, ToolError, YcsbookError, one_line
from ycsbook.report import Report, Written, write
from ycsbook.report.together import together
from ycsbook.servers import kind
from ycsbook.study import Study
from ycsbook.verdicts import Outcome

NAME = "systems"
PARAMS = paths.PARAMS / NAME


@dataclass(frozen=True)
class Measured:
    """The joint report; what was left out, and why; which systems failed or hold unsuccessful runs."""

    written: Written
    report: Report
    left_out: tuple[tuple[str, str], ...]
    failed: tuple[str, ...]


def files() -> list[Path]:
    """The systems' params files."""
    return sorted(PARAMS.glob("*.yml"))


def measure(
    params_files: Sequence[Path],
    *,
    store: Path = paths.RUNS,
    folder: Path | None = None,
    on_begin: Callable[[str], None] = lambda name: None,
) -> Measured:
    """Make the runs that are missing, each system's report, and the joint one.

    What lacks a program is left out; what fails is, too, and named in `failed`. What is measured is kept.

    Parameters
        folder: of the joint report; default output/systems.
        on_begin: called with the name of each system.
    Raises
        ParamsError: two files have one name, or one is wrong.
        YcsbookError: nothing at all could be measured.
    """
    studies = [Study(path, store=store) for path in params_files]
    names = [study.sweep.name for study in studies]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ParamsError(f"the name {twice[0]!r} stands in two params files; each system needs its own")
    reports: list[tuple[str, Report]] = []
    left_out: list[tuple[str, str]] = []
    failed: list[str] = []
    for study in studies:
        name = fingerprints.short(study.params_file)
        on_begin(name)
        try:
            study.run_rows()
        except YcsbookError as e:
            left_out.append((name, one_line(str(e))))
            failed += [] if isinstance(e, ToolError) and not study.manifests else [name]
            if not any(m["phase"] == "run" and m["outcome"] == Outcome.COMPLETED for m in study.manifests):
                continue
        try:
            # Of what was measured before it failed as well.
            report = study.report()
            study.write_report(report)
        except YcsbookError as e:
            left_out.append((name, one_line(str(e))))
            failed.append(name)
            continue
        reports.append((f"ycsbook report {name}", report))
        left_out += [(name, one_line(f"spec {spec}: {why}")) for spec, why in kind.absent(study.sweep).items()]
        failed += [name] if any(m["outcome"] != Outcome.COMPLETED for m in study.manifests) else []
    if not reports:
        raise YcsbookError(f"no system could be measured: {'; '.join(f'{name}: {why}' for name, why in left_out)}")
    report = together(messages.text("together-title"), NAME, reports, left_out)
    return Measured(write(report, folder or paths.OUTPUT / NAME), report, tuple(left_out), tuple(failed))
