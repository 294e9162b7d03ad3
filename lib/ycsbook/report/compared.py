"""Two sets of tables beside each other, as blocks that show themselves in a notebook."""

from functools import cached_property, partial

import pandas as pd

from ycsbook import comparing, messages, names
from ycsbook.comparing.verdicts import is_mean
from ycsbook.messages.formats import DASH, fixed, number, within
from ycsbook.report.blocks import Column, Table, Text
from ycsbook.tables import Tables


class ComparedTables:
    """The throughput of `other` over that of `reference`, cell by cell; said in the language `lang`."""

    def __init__(self, reference: Tables, other: Tables, lang: str = "en"):
        self._sides, self._lang = (reference, other), lang

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        return messages.worded(comparing.compare(*self._sides))

    def conditions(self) -> Table:
        sentences = [messages.say(fact, self._lang) for fact in comparing.conditions(*self._sides)]
        column = Column("said", messages.text("compared-differs", self._lang))
        return Table(pd.DataFrame({"said": sentences}), (column,))

    def means(self) -> Table | Text:
        return self.cells(means=True)

    def summary(self) -> Text:
        return Text(messages.say(comparing.summary(self.comparisons), self._lang))

    def cells(self, *, means: bool = False) -> Table | Text:
        rows = self.comparisons[self.comparisons["basis"].map(is_mean).astype(bool) == means]
        if rows.empty:
            return Text(messages.text("compare-nothing", self._lang))
        called = names.mixes(rows)
        ends = zip(rows["conf_low"], rows["conf_high"], strict=True)
        frame = rows.assign(
            ratio=list(map(within, rows["ratio"], rows["conf_low"], rows["conf_high"])),
            interval=[
                DASH if pd.isna(low) else f"{within(low, low, high)} – {within(high, low, high)}" for low, high in ends
            ],
            words=[messages.say(fact, self._lang) for fact in messages.facts_of(rows, "verdict")],
            mix=[messages.say(called[workload], self._lang) for workload in rows["workload"]],
        )
        headings = {
            "mix": "compared-workload", "threads": "column-threads", "spec_a": "column-spec", "basis": "compared-basis",
            "ratio": "compared-ratio", "interval": "column-interval", "p": "compared-p", "words": "column-verdict",
        }  # fmt: skip
        if not (rows["spec_a"] != "").any():
            del headings["spec_a"]
        shows = {"threads": number, "ratio": str, "p": partial(fixed, digits=3)}
        columns = tuple(
            Column(
                name, messages.text(key, self._lang), shows.get(name, str),
                "right" if name in shows or name == "interval" else "left",
            )
            for name, key in headings.items()
        )  # fmt: skip
        return Table(frame, columns, group="mix")
