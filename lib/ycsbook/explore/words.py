"""The texts of points and lists, in the language of widgets and pictures."""

from collections.abc import Iterable, Mapping
from functools import cache, partial
from math import nan

import pandas as pd

from ycsbook import messages, names, units
from ycsbook.facts import Fact, fact
from ycsbook.plots import style

# What the client prints beside the operations of the workload.
NOT_ASKED = ("CLEANUP", "TOTAL")


class Language:
    """The messages in one language, and what they say of runs.

    `text(key, ...)` says a message for a browser; `drawn(key, ...)` one inside of a picture, in `drawn_lang`: English
    where no font here has the language's letters.

    Raises
        MessageError: there is no catalogue of that language.
    """

    def __init__(self, lang: str):
        self.lang, self.drawn_lang = lang, style.drawn_language(lang)
        self.text = partial(messages.text, lang=lang)
        self.drawn = partial(messages.text, lang=self.drawn_lang)

    def say(self, what: Fact) -> str:
        """A fact in this language."""
        return messages.say(what, self.lang)

    def rule(self, name: str, *, drawn: bool = False) -> str:
        """The title of a rule."""
        return messages.title(name, self.drawn_lang if drawn else self.lang)

    def run(self, row: Mapping) -> str:
        """A run in a list: its spec, threads, repeat and throughput.

        Examples
            >>> row = {"spec": "8c", "spec_label": "", "workload": "a", "read_fraction": 0.5, "threads": 16.0,
            ...        "repeat": 2.0, "y": 8123.4}
            >>> of("en").run(row), of("zh").run(row)
            ('8c, 50:50, 16 threads, repeat 2: 8,123 ops/s', '8c，50:50，16 线程，第 2 次重复：8,123 ops/s')
        """
        run = self._shape(row)
        return run if pd.isna(row["y"]) else self.text("explore-run-line", run=run, value=row["y"])

    def lines(self, row: Mapping, latencies: Mapping[str, float]) -> tuple[str, ...]:
        """A point's words: the run, its throughput and where that comes from, its mean latencies (us), its id."""
        cpu = row["cpu_utilisation"]
        latencies_ms = {name.lower(): value / units.US_PER_MS for name, value in latencies.items()}
        means = self._listed(f"{name} {units.at_most(value, 3)} ms" for name, value in latencies_ms.items())
        return (
            self._shape(row),
            self.text("explore-throughput", value=row["y"], source=row["y_column"]),
            *([means] if means else []),
            *([self.text("explore-cpu", share=cpu)] if pd.notna(cpu) else []),
            row["run_id"],
        )

    def moment(self, row: Mapping) -> tuple[str, ...]:
        """A point's words in a series: the run, its throughput at that time, its id."""
        value = self.text("explore-at", elapsed=row["elapsed_s"], value=row["throughput_ops_s"])
        return self._listed((spec(row), self._threads(row))), value, row["run_id"]

    def _shape(self, row: Mapping) -> str:
        mix = self.say(names.mix(row)) if row["workload"] else ""
        repeat = self.text("explore-repeat", repeat=row["repeat"]) if row["repeat"] > 1 else ""
        return self._listed((spec(row), mix, self._threads(row), repeat))

    def _threads(self, row: Mapping) -> str:
        if pd.isna(row["threads"]):
            return self.text("explore-threads-unknown")
        return self.text("threads", threads=row["threads"])

    def _listed(self, parts: Iterable[str]) -> str:
        return self.text("list-commas", rest="", last="").join(filter(None, parts))


def laws(laws: Iterable[str]) -> dict[str, object]:
    """The values of a message that names laws, such as `power law`, `linear and power law` or `no law`."""
    facts = [fact("law-name", law=name) for name in laws]
    return {"laws": facts, "n": len(facts)}


def mix(runs: pd.DataFrame, workload: str) -> Fact:
    """What a workload of these runs is called."""
    return names.mixes(runs).get(workload) or names.mix({"workload": workload, "read_fraction": nan})


@cache
def of(lang: str) -> Language:
    """The language of that name, en or zh."""
    return Language(lang)


def spec(row: Mapping) -> str:
    """The name of a run's spec: the vendor's label, else the slug."""
    return style.spec_name(row["spec_label"], row["spec"])


def latencies(operations: pd.DataFrame) -> dict[str, dict[str, float]]:
    """The mean latency of each operation (us) by run id and operation, where it is known."""
    timed = operations[operations["mean_us"].notna() & ~operations["operation"].isin(NOT_ASKED)]
    means_us: dict[str, dict[str, float]] = {}
    for run_id, operation, mean_us in zip(timed["run_id"], timed["operation"], timed["mean_us"], strict=True):
        means_us.setdefault(run_id, {})[operation] = mean_us
    return means_us
