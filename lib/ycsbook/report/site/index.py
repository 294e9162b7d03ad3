"""The main numbers of reports and their history, and the index: a block between two marks of anybody's page."""

import math
import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from ycsbook import messages, trust
from ycsbook.errors import PublishError
from ycsbook.messages.formats import change, fixed, gathered, number, significant
from ycsbook.plots import scaling, style
from ycsbook.report import pictures
from ycsbook.report.markdown import cell, table
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.report.site import tree
from ycsbook.report.site.evidence import PublishedEvidence
from ycsbook.report.site.tree import Record, Site
from ycsbook.units import bars

MAX_HISTORY = 200


def main_numbers(evidence: PublishedEvidence) -> dict:
    """Slug, title, language, date, server, and of every workload and number of threads the highest throughput.

    `numbers` holds a dict each: workload, mix, threads, spec, best_ops_s (mean of a spec's repeats, ops/s) with its
    grade of trust, and by what each doubling of cores multiplies throughput, as the report leads with, for all threads
    of a workload: factor, low, high (95 %), growth_threads (as in Growth), None where there is none. Then of the rows
    not in doubt, or of all where all are: per_core_ops_s and per_core_spec, the most per core; latency_us, the lowest
    mean latency of reads; levels, cores and mean throughput (ops/s) of each core count. `doubtful` of `rows` rows are
    in doubt. Nothing is rounded: what is rounded twice is printed as another number than the page prints.
    """
    sweep = evidence.sweep
    rows = ReportRows(sweep, evidence.tables)
    return {
        "slug": sweep.name,
        "title": rows.title,
        "lang": sweep.report.lang,
        "date": rows.date,
        "server": rows.server,
        "runs": len(rows.fitted),
        "source": {"publisher": sweep.source.publisher, "url": sweep.source.url} if sweep.source else {},
        "numbers": _numbers(rows, Short(rows, evidence.findings)),
    }


def printed(best: list[dict]) -> list[dict]:
    written = {"best_ops_s": fixed, "per_core_ops_s": fixed,
               "levels": lambda levels: [[cores, fixed(ops)] for cores, ops in levels],
               **dict.fromkeys(("factor", "low", "high", "latency_us"), significant)}  # fmt: skip
    return [{key: written[key](value) if key in written else value for key, value in row.items()} for row in best]


def _numbers(rows: ReportRows, short: Short) -> list[dict]:
    points, factors = short.points, ("factor", "low", "high")
    growth = {workload: short.trusted(main) for workload, main in short.main.items()}
    best = []
    for workload in rows.workloads:
        of_workload = points[points["workload"] == workload]
        for threads, cells in of_workload.groupby("threads", dropna=False):
            means = np.exp(np.log(cells["y"]).groupby(cells["name"], sort=False).mean())
            sound = cells[~cells["grade"].isin(trust.DOUBTFUL)]
            best.append(
                {
                    "workload": workload, "mix": rows.say(rows.mix(workload)),
                    "threads": None if math.isnan(threads) else int(threads),
                    "spec": means.idxmax(), "best_ops_s": float(means.max()),
                    "grade": max(cells.loc[cells["name"] == means.idxmax(), "grade"], key=trust.GRADES.index),
                    **{name: _known(getattr(growth.get(workload), name, math.nan)) for name in factors},
                    "growth_threads": _known(getattr(growth.get(workload), "threads", math.nan)),
                    **_trusted(cells if sound.empty else sound),
                    "doubtful": int(cells["grade"].isin(trust.DOUBTFUL).sum()), "rows": len(cells),
                }
            )  # fmt: skip
    return best


def _trusted(sound: pd.DataFrame) -> dict:
    """The figures of the rows not in doubt; None where they are not known."""
    cells = sound[sound["cores"] > 0].assign(y=lambda rows: np.log(rows["y"]))
    cells = cells.groupby(["name", "cores"], as_index=False)["y"].mean()
    per_core = np.exp(cells["y"]) / cells["cores"]
    levels = np.exp(cells["y"].groupby(cells["cores"]).mean())
    return {
        "per_core_ops_s": _known(per_core.max()), "latency_us": _known(sound["ral_us"].min()),
        "per_core_spec": "" if cells.empty else cells.loc[per_core.idxmax(), "name"],
        "levels": [[float(cores), float(ops)] for cores, ops in levels.items()],
    }  # fmt: skip


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def continued(before: Record, now: dict) -> list[dict]:
    """The history with the last publication, unless that was of the same runs or throughputs."""
    last = before.report
    if not last.get("numbers") or last.get("runs_sha256") == now["runs_sha256"] or _best(last) == _best(now):
        return before.history
    entry = {key: last.get(key) for key in ("date", "server", "runs", "runs_sha256", "numbers")}
    return [*before.history, entry][-MAX_HISTORY:]


def _best(report: dict) -> list[tuple]:
    # Records of before kept a decimal.
    return [(_key(best), best["spec"], round(best["best_ops_s"])) for best in report["numbers"]]


def _key(numbers: dict) -> tuple[str, int]:
    return numbers["workload"], numbers["threads"]


BEGIN, END = "<!-- ycsbook:begin -->", "<!-- ycsbook:end -->"
_BLOCK = re.compile(f"{re.escape(BEGIN)}\n(.*?){re.escape(END)}", re.DOTALL)
# The pictures of all datasets, beside the index.
_OVERVIEW = "ycsbook-overview-{}.svg"
# Says the message of a key with values, in the language of the index.
Say = Callable[..., str]


def site_of(to: Path) -> str:
    """The site generator of this tree, by its published pages; empty where there are none."""
    pages = published(to)
    sites = [tree.read(to).site, *(page.site for page in pages.values())]
    return next(filter(None, sites), "") if pages or present_block(to / tree.index_name(sites[0])) else ""


def planned(to: Path, site: Site, new: list[tuple[str, Record]], *, force: bool = False) -> tree.Planned:
    """The index of a tree with these pages in it, and its pictures. Only the block between the marks is ours, and
    recorded; it may stand anywhere in a page made by hand. `new`: pages about to be written, by the name of their
    folder; `force`: replace a block edited by hand, add one to a page that has none. PublishError: the tree is for
    another site, the page has no place for the block, or the block was edited."""
    present_site = site_of(to)
    if present_site and present_site != site:
        raise PublishError(
            f"{to}: holds pages for {present_site}, asked was --site {site}; publish with --site {present_site}, "
            "into another folder, or remove what was published there"
        )
    path, before = to / tree.index_name(site), tree.read(to)
    records = published(to) | dict(new)
    text, drawn = block(records, site), overviews(records)
    if not path.is_file():
        title = messages.text("site-title", _lang(records))
        head = f'---\ntitle: "{title}"\n---\n' if site == "hugo" else f"# {title}\n"
        page = f"{head}\n{BEGIN}\n{text}{END}\n"
    elif (between := _BLOCK.search(present := tree.text(path))) is None:
        if not force:
            raise PublishError(
                f"{path}: was not published by ycsbook and has no place for the index; add the lines {BEGIN} and {END} "
                "where it shall stand, or add them at its end with --force"
            )
        page = f"{present.rstrip()}\n\n{BEGIN}\n{text}{END}\n"
    else:
        is_ours = between[1] == text or before.is_ours(path.name, tree.sha256(between[1].encode()))
        if before.files and not force and not is_ours:
            raise PublishError(f"{path}: its index was edited since it was published; keep the edit outside the marks "
                               f"{BEGIN} and {END}, or replace it with --force")  # fmt: skip
        page = present[: between.start(1)] + text + present[between.end(1) :]
    hashes = {name: tree.sha256(content) for name, content in {path.name: text.encode(), **drawn}.items()}
    return tree.Planned(to, {path.name: page.encode(), **drawn}, Record(site, files=hashes), before)


def published(to: Path) -> dict[str, Record]:
    folders = (folder for folder in tree.folders(to, deep=1) if folder != to)
    return {folder.name: page for folder in folders if (page := tree.read(folder)).files}


def present_block(path: Path) -> str | None:
    """The block that an index page has now; None where there is none."""
    block = _BLOCK.search(tree.text(path)) if path.is_file() else None
    return block[1] if block else None


def block(records: dict[str, Record], site: Site) -> str:
    """The index: throughput over cores, all datasets ranked per workload with their main numbers, and how they went."""
    reports = _reports(records)
    text = partial(messages.text, lang=_lang(records))
    parts = [
        f"![{cell(text('site-overview-alt', mix=mix))}]({_OVERVIEW.format(place)})"
        for place, mix in enumerate(_levels(records), 1)
    ]
    if reports:
        parts += [text("site-how"), _ranking(reports, site, text)]
        parts += filter(None, (_trend(r, text) for r in reports.values()))
        parts += [_vendors(records, site, text), text("site-follows")]
    parts.append(tree.listing({folder: _title(r, text) if r.profile else "" for folder, r in records.items()}, site))
    return "\n" + "\n\n".join(part for part in parts if part) + "\n\n"


def overviews(records: dict[str, Record]) -> dict[str, bytes]:
    drawn, lang = {}, style.drawn_language(_lang(records))
    for place, (mix, levels) in enumerate(_levels(records).items(), 1):
        best = levels.loc[levels["ops_s"].idxmax()]
        finding = messages.text(
            "site-overview", lang, mix=mix, dataset=best["dataset"], cores=best["cores"], ops=best["ops_s"]
        )
        with style.picture(height=3.9) as (picture, axes):
            scaling.over_cores(axes, levels, title=finding, lang=lang)
        drawn[_OVERVIEW.format(place)] = pictures.on_paper(pictures.svg(picture)).encode()
    return drawn


def _reports(records: dict[str, Record]) -> dict[str, Record]:
    return {folder: r for folder, r in sorted(records.items()) if r.report.get("numbers") and not r.profile}


def _levels(records: dict[str, Record]) -> dict[str, pd.DataFrame]:
    rows = [
        {"mix": best["mix"], "dataset": r.report.get("source", {}).get("publisher") or r.report["title"],
         "threads": best["threads"], "cores": cores, "ops_s": ops}
        for r in _reports(records).values()
        for best in r.report["numbers"]
        for cores, ops in best.get("levels", ())
    ]  # fmt: skip
    levels = pd.DataFrame(rows, columns=["mix", "dataset", "threads", "cores", "ops_s"])
    levels["threads"] = levels["threads"].astype(float)
    return {str(mix): level.reset_index(drop=True) for mix, level in levels.groupby("mix")}


def _lang(records: dict[str, Record]) -> str:
    langs = {r.report["lang"] for r in records.values() if r.report.get("lang")}
    return langs.pop() if len(langs) == 1 else "en"


def _ranking(reports: dict[str, Record], site: Site, text: Say) -> str:
    """A line for each mix and report, that with the highest throughput first; all of its fastest thread count."""
    columns = ("column-workload", "site-report", "opening-date", "site-best", "site-at", "column-trust",
               "site-per-core", "site-factor", "site-latency", "site-doubtful", "column-source")  # fmt: skip
    rule = [":---"] * 3 + ["---:", ":---", ":---", ":---", ":---", "---:", "---:", ":---"]
    lines, before = [], None
    for mix, folder, numbers in _ranked(reports):
        report = reports[folder].report
        best = max(numbers, key=lambda entry: entry["best_ops_s"])
        title = f"[{cell(report['title'])}]({tree.link(folder, site)})"
        if "report.html" in reports[folder].files:
            title += f" ([HTML]({folder}/report.html))"
        doubtful, rows = (sum(entry.get(name, 0) for entry in numbers) for name in ("doubtful", "rows"))
        most = max(numbers, key=lambda entry: entry.get("per_core_ops_s") or 0.0)
        per_core = text("site-ops-on", ops=most.get("per_core_ops_s"), spec=most.get("per_core_spec") or None)
        cells = [fixed(best["best_ops_s"]), text("site-spec-threads", spec=best["spec"], threads=best["threads"]),
                 best.get("grade", ""), per_core]  # fmt: skip
        latency_ms = min((entry["latency_us"] for entry in numbers if entry.get("latency_us")), default=math.nan) / 1e3
        after = [significant(latency_ms), text("site-of", n=doubtful, total=rows)]
        lines.append(["" if mix == before else cell(mix), title, cell(report["date"]), *map(cell, cells),
                      _factor(best, text), *map(cell, after), _source(report)])  # fmt: skip
        before = mix
    return table(map(text, columns), lines, rule)


def _ranked(reports: dict[str, Record]) -> list[tuple[str, str, list[dict]]]:
    every = ((folder, numbers) for folder, page in reports.items() for numbers in page.report["numbers"])
    by_mix = gathered(((numbers.get("mix", numbers["workload"]), folder), numbers) for folder, numbers in every)
    best = {key: max(numbers["best_ops_s"] for numbers in all_of) for key, all_of in by_mix.items()}
    return [(*key, by_mix[key]) for key in sorted(by_mix, key=lambda key: (key[0], -best[key], key[1]))]


def _source(report: dict) -> str:
    source = report.get("source", {})
    name = cell(source.get("publisher", ""))
    return f"[{name or cell(source['url'])}](<{source['url']}>)" if source.get("url") else name


def _factor(best: dict, text: Say) -> str:
    if not (best["factor"] and best["low"] and best["high"]):
        return significant(best["factor"])
    effect = {name: significant(best[key]) for name, key in (("value", "factor"), ("low", "low"), ("high", "high"))}
    # A number and its interval stay on one line.
    growth = text("report-effect", **effect).replace(" ", "\N{NO-BREAK SPACE}")
    threads = best.get("growth_threads")
    return text("site-growth", growth=growth, threads=best["threads"] if threads is None else threads)


def _trend(page: Record, text: Say) -> str:
    published_reports, lines = [*page.history, page.report], []
    for key in map(_key, page.report["numbers"]) if page.history else ():
        entries = [(of["date"], best) for of in published_reports for best in of["numbers"] if _key(best) == key]
        values = [best["best_ops_s"] for _, best in entries]
        changes = [None, *(now / before - 1 if before else None for before, now in pairwise(values))]
        for i in range(len(entries) - 1, -1, -1) if len(entries) > 1 else ():
            newest = i == len(entries) - 1
            title_cells = [cell(entries[i][1].get("mix", key[0])), number(key[1]), bars(values)] if newest else [""] * 3
            lines.append([*title_cells, cell(entries[i][0]), fixed(values[i]), change(changes[i])])
    if not lines:
        return ""
    columns = ("column-workload", "column-threads", "site-trend", "opening-date", "site-best", "column-change")
    title = text("site-history", title=cell(page.report["title"]), n=len(page.history) + 1)
    return f"**{title}**\n\n" + table(map(text, columns), lines, [":---", "---:", ":---", ":---", "---:", "---:"])


def _vendors(records: dict[str, Record], site: Site, text: Say) -> str:
    pages = {folder: r for folder, r in sorted(records.items()) if r.profile}
    lines = []
    for folder, r in pages.items():
        different = cell(text("site-deviations", parts=r.report.get("deviations", [])))
        lines.append(f"- [{cell(_title(r, text))}]({tree.link(folder, site)}): {different}")
    return "\n".join([f"{text('site-vendors')}:", "", *lines]) if lines else ""


def _title(page: Record, text: Say) -> str:
    title = page.report.get("title", "")
    return text("site-vendor", title=title, profile=page.profile) if page.profile else title
