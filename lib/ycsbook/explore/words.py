"""What points and lists say of a run, and the language that widgets and pictures speak."""

from collections.abc import Iterable, Mapping
from functools import cache, cached_property

import pandas as pd

from ycsbook import units
from ycsbook.plots import style
from ycsbook.plots import words as plot_words
from ycsbook.report import strings, translation

# What the client prints beside the operations of the workload.
NOT_ASKED = ("CLEANUP", "TOTAL")


class Language:
    """The texts of the report's catalogue in one language, and what they say of runs.

    `texts` are those that a browser draws; `drawn` those inside of pictures: English where no font here has the
    language's letters. `words` are the plots' own.

    Raises
        PublishError: there are no texts in that language.
    """

    def __init__(self, lang: str):
        self.lang, self.report = lang, strings.texts(lang)
        self.drawn_report = self.report if style.shows(self.report["kicker"]) else strings.texts("en")
        self.texts, self.drawn = self.report["explore"], self.drawn_report["explore"]
        self.words = plot_words.of(lang)

    def said(self, text: str) -> str:
        """A sentence or a name of the tables, which are in English."""
        return translation.said(text, self.lang)

    def rule(self, name: str, *, drawn: bool = False) -> str:
        """What people call a rule."""
        return (self.drawn_report if drawn else self.report)["rules"].get(name, name)

    def law(self, names: Iterable[str], *, drawn: bool = False) -> str:
        """What laws are called together: `power law`, `linear and power law`, `no law`."""
        texts = self.drawn_report if drawn else self.report
        told = [plot_words.word(self.words, name) if drawn else self.said(name) for name in names]
        if not told:
            return texts["explore"]["no_law"]
        return texts["law_legend"].format(law=texts["list_and"].join(told))

    def workload(self, name: str, *, drawn: bool = False) -> str:
        """What a workload is called above its runs; of no name: that they are of every one."""
        texts = self.drawn_report if drawn else self.report
        return texts["workload_title"].format(name=name) if name else texts["explore"]["every_run"]

    def run(self, row: Mapping) -> str:
        """A run in a list: its spec, threads, repeat and throughput.

        Examples
            >>> row = {"spec": "8c", "spec_label": "", "workload": "a", "threads": 16.0, "repeat": 2.0, "y": 8123.4}
            >>> of("en").run(row), of("zh").run(row)
            ('8c, workload a, 16 threads, repeat 2: 8,123 ops/s', '8c，负载 a，16 线程，第 2 次重复：8,123 ops/s')
        """
        told = self._shape(row)
        return told if pd.isna(row["y"]) else self.texts["run_line"].format(run=told, value=f"{row['y']:,.0f}")

    def lines(self, row: Mapping, latencies: Mapping[str, float]) -> tuple[str, ...]:
        """A point's words: the run, its throughput and where that comes from, its mean latencies (us), its id."""
        t, cpu = self.texts, row["cpu_utilisation"]
        means = self._listed(f"{name.lower()} {value / units.US_PER_MS:.3g} ms" for name, value in latencies.items())
        source = t["sources"].get(row["y_column"], row["y_column"])
        return (
            self._shape(row),
            t["throughput"].format(value=f"{row['y']:,.0f}", source=source),
            *([means] if means else []),
            *([t["cpu"].format(share=f"{100 * cpu:.0f}")] if pd.notna(cpu) else []),
            row["run_id"],
        )

    def moment(self, row: Mapping) -> tuple[str, ...]:
        """A point's words in a series: the run, its throughput at that time, its id."""
        value = self.texts["at"].format(elapsed=f"{row['elapsed_s']:g}", value=f"{row['throughput_ops_s']:,.0f}")
        return self._listed((spec(row), self._threads(row))), value, row["run_id"]

    def _shape(self, row: Mapping) -> str:
        t = self.texts
        workload = t["in_workload"].format(name=row["workload"]) if row["workload"] else ""
        repeat = t["repeat"].format(n=f"{row['repeat']:g}") if row["repeat"] > 1 else ""
        return self._listed((spec(row), workload, self._threads(row), repeat))

    def _threads(self, row: Mapping) -> str:
        t = self.texts
        return t["threads_unknown"] if pd.isna(row["threads"]) else t["n_threads"].format(n=f"{row['threads']:g}")

    def _listed(self, parts: Iterable[str]) -> str:
        return self._comma.join(filter(None, parts))

    @cached_property
    def _comma(self) -> str:
        return self.report["list_comma"]


@cache
def of(lang: str) -> Language:
    """The language of that name, en or zh."""
    return Language(lang)


def spec(row: Mapping) -> str:
    """What a run's spec is called: the vendor's label, else the slug."""
    return style.spec_name(row["spec_label"], row["spec"])


def latencies(operations: pd.DataFrame) -> dict[str, dict[str, float]]:
    """The mean latency of each operation (us) by run id and operation, where it is known."""
    known = operations[operations["mean_us"].notna() & ~operations["operation"].isin(NOT_ASKED)]
    found: dict[str, dict[str, float]] = {}
    for run_id, operation, mean in zip(known["run_id"], known["operation"], known["mean_us"], strict=True):
        found.setdefault(run_id, {})[operation] = mean
    return found
