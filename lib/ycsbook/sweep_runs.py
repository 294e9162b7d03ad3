"""A params file and its runs in a store: the plan, how to make it, its state, and the runs that count. Nothing here
loads data frames: a sweep of a week is looked at often, and from small machines."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, cached_property
from os.path import commonprefix
from pathlib import Path
from typing import Any

from ycsbook import messages, params, paths, secrets
from ycsbook.errors import ParamsError, ToolError, YcsbookError, one_line
from ycsbook.params import Sweep
from ycsbook.params.expand import variation_text
from ycsbook.provenance import utc_now
from ycsbook.runner import generator
from ycsbook.runner.progress import in_notebook, shown, snapshot
from ycsbook.runner.selection import Selection
from ycsbook.store import lock
from ycsbook.store.runs import PARTIAL, RunStore
from ycsbook.verdicts import Outcome, joined, reasons_in

# The state of a run that nobody has made.
MISSING = "missing"
# Finished, but its files are gone or changed since.
ALTERED = "altered"
# A report that grows is written no oftener, nor for more of the time than this share: nothing is measured meanwhile.
LEAST_S, SHARE = 30.0, 0.01


class SweepRuns:
    """The runs that a params file asks for, and what a store has of them. A relative path of a params file counts from
    the repository. Raises ParamsError where the params file is not what it should be."""

    def __init__(self, params_file: str | Path, *, store: str | Path = paths.RUNS):
        self.params_file = paths.resolve(params_file)
        self.sweep = params.load(self.params_file)
        if self.sweep.anomalies:
            # Rules alone know their names, and need data frames; told before anything is measured, not after.
            from ycsbook.anomalies import Settings

            try:
                Settings.of(self.sweep.anomalies)
            except ParamsError as e:
                raise ParamsError(f"{self.params_file}: {e}") from None
        self.store = RunStore(paths.resolve(store))

    def plan_rows(self, selection: Selection | None = None) -> list[dict]:
        """The runs of a selection in order, a dict each: run_id, spec, workload, threads, repeat, variation (the
        settings that vary, in words), expected_s, state, reasons. Without a load generator, which is said on stderr,
        none counts as done: what is done was made with this very one."""
        # Here: what starts servers takes longer to load than `ycsbook status` takes.
        from ycsbook.runner.sweep import planned_runs

        available, unavailable = planned_runs(self.sweep, selection or Selection(), self.store, _client)
        rows = []
        for run in (*available, *unavailable):
            state = _state(self.store.manifest(run.run_id) or {}, self.store)
            way = f"set {run.spec.uri_env}" if run.spec.uri_env else "none of this kind is here"
            rows.append({
                "run_id": run.run_id, **_settings(run.inputs, dict(run.variation)), "expected_s": run.expected_s,
                "state": state["outcome"] if run.server else f"no server: {way}", "reasons": state["reasons"],
            })  # fmt: skip
        return rows

    def run_rows(self, selection: Selection | None = None, study: Callable[[], Any] | None = None) -> list[dict]:
        """Make the runs that are not there yet, showing progress; the plan as it then stands, as `plan_rows`. `study`
        gives the Study whose report grows with the runs; None: none does."""
        from ycsbook.runner import sweep  # as above

        selection = selection or sweep.ALL
        available, _ = sweep.planned_runs(self.sweep, selection, self.store)
        since = utc_now() if selection.force else ""
        if selection.force or not all(self.store.is_completed(r.run_id) for r in available):
            growing = GrowingReport(study, available) if study else None
            with shown(available, self.store, since):
                sweep.run(self.sweep, self.store, selection, growing, available)
            if growing:
                growing.stopped()
        self.look_again()
        return self.plan_rows(selection)

    def status_rows(self) -> list[dict]:
        """Each planned run as the store has it, whoever made it and whether or not its server is to be had now.

        A dict each: run_id (as stored; empty: none), spec, workload, threads, repeat, variation (the settings that
        vary, in words), outcome (a word of verdicts.Outcome, or running, or missing), reasons, started_at, ended_at.
        Repeats beyond the plan's follow those of the plan.
        """
        self.look_again()
        # What a killed runner left is nobody's run.
        running = self.store.under_way() if lock.is_held(self.store.root) else []
        planned = params.plan(self.sweep)
        stored = {_key(m["inputs"]): m for m in self.manifests if m.get("phase") == "run"}
        if self.sweep.until:
            # Of the matrix a question needs a part only, and which is not known before.
            planned = [run for run in planned if _key(run.inputs) in stored]
        rows = [self._status_row(stored.pop(_key(run.inputs), {}), run.inputs, dict(run.variation)) for run in planned]
        rows += [self._status_row(m, m["inputs"], m.get("variation", {})) for m in stored.values()]
        for partial in running:
            name = partial.name.removesuffix(PARTIAL).rpartition("-")[0]
            alike = [row for row, run in zip(rows, planned, strict=False) if run.run_id.rpartition("-")[0] == name]
            # Variations share the name: they are made in the plan's order.
            for row in sorted(alike, key=lambda row: row["outcome"] == Outcome.COMPLETED)[:1]:
                row["outcome"] = "running"
        return rows

    def _status_row(self, manifest: dict, inputs: dict, variation: Mapping[str, object]) -> dict:
        return {
            "run_id": manifest.get("run_id", ""),
            **_settings(inputs, variation),
            **_state(manifest, self.store),
            "started_at": manifest.get("started_at", ""),
            "ended_at": manifest.get("ended_at", ""),
        }

    @cached_property
    def manifests(self) -> list[dict]:
        """The manifests of the runs that the sweep asks for: the loads of its data, then the runs in plan order.

        A run counts when it was made with the plan's inputs, whichever client build and server made it; of several the
        newest. Repeats beyond those of the plan count too, behind them.
        """
        planned = [run.inputs for run in params.plan(self.sweep)]
        planned_at = {_key(inputs): i for i, inputs in enumerate(planned)}
        repeated = {_key({**inputs, "repeat": 1}) for inputs in planned}
        data = {_data_key(inputs) for inputs in planned}
        newest: dict[tuple, dict] = {}
        for manifest in self.store.manifests():
            if manifest.get("dataset") != self.sweep.name:
                continue
            inputs, phase = manifest.get("inputs", {}), manifest.get("phase")
            target = inputs.get("target_ops_s") if self.sweep.search_rate else None
            if target is not None:
                # One of those that a search found to be needed, behind the run at full speed that it began with.
                inputs = {**inputs, "target_ops_s": None}
            if phase == "run" and _key(inputs) in planned_at:
                at = ("run", planned_at[_key(inputs)], "" if target is None else f"{target:020.3f}")
            elif phase == "run" and _key({**inputs, "repeat": 1}) in repeated:
                at = ("run", len(planned) + int(inputs["repeat"]), f"{_key(inputs)} {target}")
            elif phase == "load" and _data_key(inputs) in data:
                at = ("load", 0, manifest["run_id"])
            else:
                continue
            if at not in newest or _worth(manifest) >= _worth(newest[at]):
                newest[at] = manifest
        return [newest[at] for at in sorted(newest)]

    def look_again(self) -> None:
        self.__dict__.pop("manifests", None)


def without_address(sweep: Sweep) -> dict[str, str]:
    """The specs whose server has no address yet, each with the environment variable for it."""

    def is_set(variable: str) -> bool:
        return any(map(secrets.variable, (variable, f"{variable}{secrets.FILE_SUFFIX}")))

    return {spec.name: spec.uri_env for spec in sweep.specs if spec.uri_env and not is_set(spec.uri_env)}


def variables(names: Iterable[str]) -> str:
    """Environment variables as text; more than three as what they begin with."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) <= 3:
        return ", ".join(distinct)
    return f"{commonprefix(distinct)}* ({len(distinct)})"  # noqa: RUF071 of names, not of paths


def _client() -> str:
    """The hash of the load generator; empty, and why on stderr, where there is none."""
    try:
        return generator.find().digest
    except ToolError as e:
        print(f"ycsbook: {one_line(str(e))}; planned without it, so none counts as done", file=sys.stderr)
        return ""


def _state(manifest: dict, store: RunStore) -> dict[str, str]:
    if manifest and (files := store.altered(manifest)):
        why = messages.text("run-altered", files=files[:3], more=max(len(files) - 3, 0))
        return {"outcome": ALTERED, "reasons": why}
    reason = joined(reasons_in(manifest))
    return {"outcome": manifest.get("outcome", MISSING), "reasons": messages.say(reason) if reason else ""}


def _settings(inputs: dict, variation: Mapping[str, object]) -> dict:
    run = {"spec": inputs["spec"]["name"], "workload": inputs["workload"]["name"], "threads": inputs["threads"]}
    return {**run, "repeat": inputs["repeat"], "variation": variation_text(variation)}


def _worth(manifest: dict) -> tuple[bool, str]:
    """The rank of a run among those with the same inputs: completed before others, then the newest."""
    return manifest["outcome"] == Outcome.COMPLETED, manifest.get("ended_at", "")


def _key(inputs: dict) -> str:
    """The key of a run: its inputs without the client build and the server's identity."""
    settings = {k: v for k, v in inputs.items() if k != "client"}
    return json.dumps({**settings, "server": _shape(inputs)}, sort_keys=True)


def _data_key(inputs: dict) -> str:
    """The key of a load: the server's kind, the spec and the data."""
    data = {k: inputs.get(k) for k in ("spec", "table", *params.OF_RECORDS)}
    return json.dumps({**data, "server": _shape(inputs)}, sort_keys=True)


def _shape(inputs: dict) -> dict:
    return {k: v for k, v in inputs.get("server", {}).items() if k != "identity"}


class GrowingReport:
    """The report of a sweep that is being made: rewritten behind a run, where a sweep takes long enough to pay for it.
    One that cannot be written stops no run: it is said once, on stderr. `study` gives the Study of the sweep when it
    is first needed; `planned`: the runs, as they are known at the start."""

    def __init__(self, study: Callable[[], Any], planned: list[params.PlannedRun]):
        self._study, self._planned = cache(study), planned
        self._next_s = time.monotonic() + LEAST_S
        self._has_failed = self._is_there = self._is_shown = False

    def __call__(self) -> None:
        if time.monotonic() >= self._next_s:
            self._write("report-running")

    def stopped(self) -> None:
        """Write the report once more, as one that does not grow: whoever looks at the page must not wait."""
        if self._is_there:
            self._write("report-stopped")

    def _write(self, key: str) -> None:
        begun_s = time.monotonic()
        try:
            study = self._study()
            # What is loaded once says nothing of what the next report costs.
            begun_s = time.monotonic()
            study.look_again()
            if not self._is_there and (other := study.made_from()):
                raise YcsbookError(f"{study.folder}: holds the report of {other}; rename one of the two sweeps")
            report, progress = study.report(details=False), snapshot(self._planned, study.store)
            key = "report-measured" if progress.done >= progress.total else key
            counted = {"done": progress.done, "total": progress.total, "at": f"{datetime.now(UTC):%H:%M}"}
            state = messages.text(key, report.lang, **counted)
            study.write_report(replace(report, state=state, reloads=key == "report-running"), whole=False)
            self._is_there = True
            if in_notebook():
                self._show(report)
        except YcsbookError as e:
            if not self._has_failed:
                print(f"ycsbook: the report of what is there so far: {one_line(str(e))}", file=sys.stderr)
            self._has_failed = True
        took_s = time.monotonic() - begun_s
        self._next_s = time.monotonic() + max(LEAST_S, took_s / SHARE)

    def _show(self, report: Any) -> None:
        from IPython.display import Markdown, display

        from ycsbook.report.markdown import item  # here: what draws reports takes seconds to load

        lines = [item(*of, report.lang) for of in report.in_short.lines]
        text = Markdown("\n".join([report.in_short.verdict, "", *lines]))
        display(text, display_id=f"in-short-{id(self)}", update=self._is_shown)
        self._is_shown = True
