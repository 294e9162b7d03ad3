"""Some runs' throughput, second by second."""

from collections.abc import Collection

from ycsbook.anomalies import Settings
from ycsbook.anomalies.series import course, series
from ycsbook.anomalies.stall import stretches
from ycsbook.explore import words
from ycsbook.explore.hover import Hovered, Mark
from ycsbook.plots import intervals, style
from ycsbook.tables import Tables

_HEIGHT, _WIDTH = 3.6, 8.4


def series_of(
    tables: Tables, run_ids: Collection[str], *, title: str = "", told: str = "", lang: str = "en"
) -> Hovered | None:
    """The throughput of some runs over time, warm-up shaded and stalls marked; None where none has a series.

    Vendors publish means only: there is no series behind a published row.

    Parameters
        title: above the picture; told: the same for those who do not see it, where it differs.
        lang: en or zh.
    """
    language = words.of(lang)
    whole = course(tables.intervals[tables.intervals["run_id"].isin(run_ids)])
    if whole.empty:
        return None
    runs = tables.runs[tables.runs["run_id"].isin(whole["run_id"])]
    frame = whole[["run_id", "elapsed_s", "throughput_ops_s"]].merge(
        runs[["run_id", "workload", "spec", "spec_label", "cores", "threads", "warmup_s"]], on="run_id"
    )
    frame["name"] = [style.spec_name(a, b) for a, b in zip(frame["spec_label"], frame["spec"], strict=True)]
    settings = Settings()
    limits = {name: settings.threshold("stall", name) for name in ("share", "seconds")}
    stalls = [span for one in series(runs, tables.intervals) for span in stretches(one, **limits)]
    with style.theme():
        picture, axes = style.panel(height=_HEIGHT, width=_WIDTH)
        intervals.series(axes, frame, warmup_s=frame["warmup_s"].max(), stalls=sorted(stalls), title=title,
                         words=language.words)  # fmt: skip
        style.legend(picture, style.thread_handles(frame["threads"], language.words))
    marks = tuple(
        Mark(row["run_id"], row["elapsed_s"], row["throughput_ops_s"], language.moment(row))
        for row in frame.to_dict("records")
    )
    n = frame["run_id"].nunique()
    said = language.texts["series_alt" if n > 1 else "series_alt_one"].format(n=n, title=told or title)
    return Hovered(picture, marks, said.strip())
