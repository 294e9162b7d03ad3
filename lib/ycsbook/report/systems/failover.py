"""The section of a report about the failover experiment: which writes were lost, and how long there was no primary."""

import math
from collections.abc import Iterator
from functools import cached_property, partial

import pandas as pd

from ycsbook.facts import Fact, fact
from ycsbook.ingest.failover import CLASSES
from ycsbook.messages.formats import DASH, fixed
from ycsbook.params.experiments import FAILOVER
from ycsbook.plots import measured as plot
from ycsbook.report.blocks import Column, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.systems import Experiment, seed
from ycsbook.tables import dicts

SEED = "crud-2012-failover"
_CONCERNS = ("0", "1", "journaled", "majority")
# What the write concerns of 2012 are called today; two members of three are a majority, but w: 2 names no majority.
_SEED_CONCERNS = {"NORMAL": "0", "SAFE": "1", "REPLICAS_SAFE": "2"}
# Beside them stand today's runs of these.
_BESIDE = {"NORMAL": "0", "SAFE": "1", "REPLICAS_SAFE": "majority"}


class FailoverReport(Experiment):
    key = "system-failover"

    def __init__(self, rows: ReportRows):
        super().__init__(rows)
        self.seed = seed(SEED)
        self._columns = partial(rows.columns, "system-failover-column")
        self.of_seconds = rows.tables.failovers[rows.tables.failovers["event"] == ""]
        self.events = rows.tables.failovers[rows.tables.failovers["event"] != ""]

    @cached_property
    def runs(self) -> pd.DataFrame:
        """A row per run: `fault`, `write_concern`, the counts of CLASSES, `elected_s` and `written_s` (from the strike
        on the primary to the next one, by the members and by its first write; NaN: there was none before it came
        back), `away_s`, `lag_s` (the largest), `duration_s`."""
        measured = self.rows.measured.assign(fault=self.rows.measured["workload"].str.partition(",")[0])
        measured["duration_s"] = measured["runtime_ms"] / 1000
        counts = self.of_seconds.groupby("run_id")[list(CLASSES)].sum()
        counts["lag_s"] = self.of_seconds.groupby("run_id")["lag_s"].max()
        times = pd.DataFrame([{"run_id": run_id, **_times(events)} for run_id, events in self.events.groupby("run_id")])
        columns = ["run_id", "fault", "write_concern", "repeat", "duration_s", "name"]
        runs = measured[columns].merge(counts, left_on="run_id", right_index=True).merge(times, on="run_id")
        rank_by_value = {name: rank for names in (FAILOVER.operations, _CONCERNS) for rank, name in enumerate(names)}
        order = ["fault", "write_concern", "repeat"]
        return runs.sort_values(order, key=lambda c: c.map(rank_by_value).fillna(9) if c.name != "repeat" else c)

    def verdict(self) -> str:
        lost = self.runs.groupby("write_concern")[["lost", "acknowledged"]].sum()
        losses = [
            fact("system-failover-loss", concern=concern, silent=concern == "0", lost=lost.at[concern, "lost"],
                 of=lost.at[concern, "acknowledged"])
            for concern in self._concerns()
        ]  # fmt: skip
        return self.rows.say(fact("system-failover-verdict", parts=losses))

    def _concerns(self) -> list[str]:
        return list(dict.fromkeys(sorted(self.runs["write_concern"], key=_CONCERNS.index)))

    def lines(self) -> Iterator[tuple[str, Fact]]:
        for concern in self._concerns():
            losing_runs = self.runs[(self.runs["write_concern"] == concern) & (self.runs["lost"] > 0)]
            if len(losing_runs):
                losses = [
                    fact("system-failover-of-fault", fault=_fault(fault), lost=lost)
                    for fault, lost in losing_runs.groupby("fault", sort=False)["lost"].sum().items()
                ]
                yield concern, fact("system-failover-lost-by", concern=concern, parts=losses)
        failed, resurrected = self.runs["failed"].sum(), self.runs["resurrected"].sum()
        yield "failed", fact("system-failover-failed", failed=failed, resurrected=resurrected)
        elected = self.runs["elected_s"].dropna()
        if len(elected):
            patience = self.rows.sweep.server.election_timeout
            values = {"low": elected.min(), "high": elected.max(), "patience": patience}
            yield "primary", fact("system-failover-primary", n=len(elected), **values)
        if none := self.runs["elected_s"].isna().sum():
            yield "same", fact("system-failover-same", n=none)
        then = self.seed.set_index("write_concern")["lost"]
        yield "seed", fact("system-failover-seed", **{name.lower(): then[name] for name in _SEED_CONCERNS})

    def sections(self) -> tuple[Section, ...]:
        return self.table(), self.seconds(), self.beside_seed()

    def table(self) -> Section:
        heading = partial(self.text, "system-failover-column")
        columns = (
            Column("fault", heading(column="fault"), lambda name: self.rows.say(_fault(name))),
            Column("write_concern", heading(column="concern")),
            *self._columns(dict.fromkeys(CLASSES, fixed)),
            *self._columns(dict.fromkeys(("elected_s", "duration_s", "lag_s"), _seconds)),
        )
        note = Text(self.text("system-failover-note", records=self.rows.sweep.records), "note")
        table = Table(self.runs, columns, group="fault")
        return Section(self.text("system-failover-table"), "failover", (table, note))

    def seconds(self) -> Section:
        panels, frames = [], []
        for run in dicts(self.runs):
            seconds = self.of_seconds[self.of_seconds["run_id"] == run["run_id"]]
            events = self.events[self.events["run_id"] == run["run_id"]]
            values = {"fault": _fault(run["fault"]), "concern": run["write_concern"], "lost": run["lost"]}
            name = f"failover-{run['fault']}-{run['write_concern']}-{run['repeat']:.0f}"
            title, draw = fact("system-failover-panel", **values), partial(plot.answers, seconds=seconds, events=events)
            panels.append(self.rows.panel(name, "system-failover", title, draw, height=3.2, **values))
            frames.append(seconds.assign(fault=run["fault"], write_concern=run["write_concern"]))
        frame = pd.concat(frames, ignore_index=True).drop(columns=["event", "role"])
        figure = self.rows.figure("system-failover", panels, frame)
        return Section(self.text("system-failover-seconds"), "failover-seconds", (figure,))

    def beside_seed(self) -> Section:
        """The counts of 2012, each with today's of the same meaning where a member was killed."""
        records = []
        for then in dicts(self.seed):
            name = then["write_concern"]
            meaning = self.text("system-failover-meaning", name=name, concern=_SEED_CONCERNS[name])
            records.append({"concern": meaning, "acknowledged": then["succeeded"], **then})
            today = self.runs[(self.runs["fault"] == "kill") & (self.runs["write_concern"] == _BESIDE[name])]
            called = self.text("system-failover-today", concern=_BESIDE[name])
            records += dicts(today.assign(concern=called))
        counts = dict.fromkeys(("acknowledged", "failed", "lost"), fixed)
        note = Text(self.text("system-failover-seed-note"), "note")
        table = Table(pd.DataFrame(records), self._columns({"concern": str, **counts, "duration_s": _seconds}))
        return Section(self.text("system-failover-then-and-now"), "failover-2012", (table, note))


def _times(events: pd.DataFrame) -> dict[str, float]:
    """From the strike on the primary to the next primary and to its first write, s."""
    struck = events.loc[(events["event"] == "struck") & (events["role"] == "primary"), "elapsed_s"].min()
    after = events[events["elapsed_s"] >= struck]
    return {
        f"{event}_s": (after.loc[after["event"] == event, "elapsed_s"] - struck).min()
        for event in ("elected", "written")
    }


def _fault(name: str) -> Fact:
    return fact("system-failover-fault", fault=name)


def _seconds(value: float) -> str:
    return DASH if math.isnan(value) else fixed(value, digits=1)
