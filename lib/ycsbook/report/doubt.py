"""Which rows not to build on, in sentences: impossible ones, those whose operations failed, those that fit no others,
and a CPU column in doubt; and what neither the rows nor their source tell."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from ycsbook import names, trust
from ycsbook.columns import CELL
from ycsbook.facts import Fact, fact
from ycsbook.messages import fact_of
from ycsbook.messages.formats import ends, gathered, number
from ycsbook.report.head_rows import HeadRows
from ycsbook.scaling.cells import REACHED
from ycsbook.scaling.limits import CONTRADICTIONS, CPU_FULL
from ycsbook.scaling.points import slowest_p99_us
from ycsbook.scaling.repeats import UNLIKE, failed_beside_repeats, failed_share, short_beside_repeats
from ycsbook.scaling.steps import at_equal_ram_and_records, several_families
from ycsbook.tables import dicts
from ycsbook.units import MS_PER_S, US_PER_MS
from ycsbook.verdicts import Outcome, Warn

# Groups of rows, and specs of each, named in a sentence.
NAMED_IMPOSSIBLE = 8
# Of so many mixes the head names the core counts.
NAMED_MIXES = 3
# And of so many the highest rate that was kept.
NAMED_RATES = 2
# What may be wrong with a table or a machine as a whole, by the finding that shows it, the surest first.
_CAUSES = (
    "little_law-unit", "little_family-unit", "copied_rows", "wrong_digits", "swapped_rows", "swapped_rows-specs",
    "two_levels-groups", "slow_stretch", "host_drift-rounds", "host_drift-order", "percentile_below_mean",
    "little_law-client_threads", "little_law-client_ops",
)  # fmt: skip
NAMED_CAUSES = 2
# What nobody knows, and decides; the head names so much of it.
DECISIVE = {f"short-unknown-{gap}" for gap in ("writes", "records", "families", "length", "noise")}
NAMED_GAPS = 3
# A run that stood still for more than this share of its time is no steady one.
STALL_TELLS = 0.01
# So large a share of runs that did not complete is told first.
FAILED_TELLS = 0.1
# How long rows ran follows from the counts that their page prints.
PRINTED_LENGTHS = ("settings_implausible", "settings_implausible-stated")
# A server whose CPU is full cannot do so much more with more threads.
RISES_ON_FULL_CPU = 0.25


def facts(head: HeadRows) -> Iterator[Fact]:
    """The sentences. Runs that are set aside are none of the points, as their operations failed beside repeats whose
    did not, as they are far shorter than repeats or were held to a lower rate than others, as first rounds that say
    nothing of the later ones, or as they are far off repeats which agree."""
    points, findings, changes = head.points, head.findings, head.changes
    wrong = points["grade"] == "F"
    is_failed = wrong & trust.failed(points, findings)
    impossible, failed = points[wrong & ~is_failed], points[is_failed]
    if len(without_figure := _failed(head)):
        cells = map(names.cell_listed, dicts(without_figure))
        yield fact("short-not-completed", n=len(without_figure), **names.listed("rows", cells, NAMED_IMPOSSIBLE))
    yield from _left_out(findings, "short-far-below")
    together = _with_set_aside(head)
    is_failing = failed_beside_repeats(together)
    if is_failing.any():
        yield fact("short-set-aside", n=int(is_failing.sum()), **_failures(together, together[is_failing]))
    named = set(" ".join(_of_left_out(findings)["run_ids"]).split())
    is_other = ~is_failing & ~short_beside_repeats(together)
    if held := int((is_other & together["run_id"].isin(set(head.rows.set_aside["run_id"]) - named)).sum()):
        yield fact("short-held-back", n=held)
    if len(failed):
        yield fact("short-failed", n=len(failed), total=len(points), **_failures(points, failed))
    if len(impossible):
        busy = findings[findings["rule"] == "little_law"]
        by_little = set(impossible["run_id"]) <= set(" ".join(busy["run_ids"]).split())
        yield fact("short-impossible", n=len(impossible), total=len(points), by_little=by_little,
                   **names.listed("rows", _rows_named(points, impossible), NAMED_IMPOSSIBLE))  # fmt: skip
    doubted = points[points["grade"] == "D"]
    is_unsettled = doubted["run_id"].isin(trust.unsettled(doubted, findings))
    contradicted, unsettled = doubted[~is_unsettled], int(is_unsettled.sum())
    if len(contradicted):
        yield fact("short-contradicted", n=len(contradicted), more=bool(wrong.any()),
                   **names.listed("rows", _rows_named(points, contradicted), NAMED_IMPOSSIBLE))  # fmt: skip
    if unsettled:
        yield fact("short-unsettled", n=unsettled)
    for row in dicts(findings[findings["message_key"] == "repair_hint-common"]):
        hint = fact_of(row, "message").values
        yield fact("short-hint", **hint | {"cells": [change.values["cell"] for change in hint["changes"]]})
    # How often the CPU reads full where more threads still do much more: it is not the database's CPU alone.
    cpu = points.drop_duplicates("run_id").set_index("run_id")["cpu_utilisation"]
    full = [cpu.reindex(ids.split()).median() >= CPU_FULL for ids in changes["ids_low"]]
    refuted = int((np.array(full, bool) & (changes["change"] >= RISES_ON_FULL_CPU)).sum())
    if refuted >= CONTRADICTIONS:
        yield fact("short-cpu-refuted", n=refuted, total=len(changes), threads=changes["threads_high"].max(),
                   least=RISES_ON_FULL_CPU)  # fmt: skip


def verdicts(head: HeadRows) -> Iterator[Fact]:
    """What the head says of how the rows spoken about came about: that many others did not complete, that they stood
    still, or are rates that were asked for; early rounds that are left out, runs that are too short or of unlike
    length, and other work on the machine."""
    points, findings, together, failed = head.points, head.findings, _with_set_aside(head), _failed(head)
    total = len(together) + len(failed)
    if len(failed) and len(failed) >= FAILED_TELLS * total:
        same = len(failed) > 1 and failed["threads"].nunique(dropna=False) == 1 and points["threads"].nunique() > 1
        threads = failed["threads"].iloc[0] if same else None
        # Of a row of a table that has no figure nobody knows whether the run came to its end.
        blank = bool((failed["throughput_ops_s"].isna() & failed["outcome"].eq(Outcome.FAILED)).all())
        yield fact("short-verdict-failed", n=len(failed), total=total, threads=threads, blank=blank)
    # Runs that stood still, where that took a share of them which counts.
    stalls = findings[findings["message_key"].eq("stall") & findings["effect"].le(-STALL_TELLS)]
    stalls = stalls[stalls["run_ids"].isin(points["run_id"])]
    if len(stalls):
        lost = [fact_of(row, "message").values["lost_s"] for row in dicts(stalls)]
        yield fact("short-verdict-stalled", n=len(stalls), total=len(points), lost_s=max(lost))
    yield from _asked(points, together, head.rows.tables.percentiles)
    yield from _left_out(findings, "short-verdict-far-below")
    printed = findings[findings["message_key"].isin(PRINTED_LENGTHS)]
    for row in dicts(printed):
        yield fact("short-verdict-short", n=len(points), most=fact_of(row, "message").values["longest_s"], printed=True)
    aside = together[short_beside_repeats(together)]
    if len(aside):
        repeats = points.merge(aside[CELL].drop_duplicates())
        yield fact("short-verdict-lengths", apart=False, aside=True, n=len(aside), total=len(points) + len(aside),
                   most=aside["runtime_ms"].max() / MS_PER_S, least=repeats["runtime_ms"].min() / MS_PER_S,
                   **names.listed("specs", ()))  # fmt: skip
    # The runs that were too short for caches to settle, beside others of their mix that were much longer.
    short = points["warnings"].str.contains(Warn.SHORT_RUN, regex=False)
    both = short.groupby(points["workload"]).transform("nunique") > 1
    few, rest = (points[both & which & (points["runtime_ms"] > 0)] for which in (short, ~short))
    most, least = few["runtime_ms"].max() / MS_PER_S, rest["runtime_ms"].min() / MS_PER_S
    if least >= UNLIKE * most:
        specs = map(names.spec_listed, dicts(few.drop_duplicates("spec")))
        yield fact("short-verdict-lengths", apart=not few["spec"].isin(rest["spec"]).any(), aside=False, n=len(few),
                   total=len(few) + len(rest), most=most, least=least, **names.listed("specs", specs))  # fmt: skip
    # Not of those that a plan asked for.
    elif points["run_id"].isin(trust.runs_warned_of(findings, {Warn.SHORT_RUN})).all():
        yield fact("short-verdict-short", n=len(points), most=points["runtime_ms"].max() / MS_PER_S,
                   printed=False)  # fmt: skip
    busy = points["run_id"].isin(trust.runs_warned_of(findings, trust.CROWDED))
    if busy.any():
        yield fact("short-verdict-busy", n=int(busy.sum()), total=len(points))


def _asked(points: pd.DataFrame, together: pd.DataFrame, percentiles: pd.DataFrame) -> Iterator[Fact]:
    """Which rows reached the rate that was asked for, and so say nothing of what the server can do; which did not. Of
    servers that were asked for several rates, the highest that each kept, be it in a run that is set aside."""
    if rates := list(_rates_kept(together, percentiles)):
        yield fact("short-verdict-rates", **names.listed("rates", rates, NAMED_RATES))
        return
    reached = points["throttled"]
    if reached.any():
        left_out = len(together) - len(points)
        yield fact("short-verdict-asked", n=int(reached.sum()), total=len(points), left_out=left_out)
    missed = points[points["target_ops_s"].notna() & ~reached].sort_values("y", ascending=False, kind="stable")
    missed = missed.drop_duplicates(["workload", "spec", "target_ops_s"])
    several = points["spec"].nunique() > 1
    rows = [
        fact("short-missed", spec=names.spec(row) if several else names.mix(row), ops=row["y"],
             target=row["target_ops_s"])
        for row in dicts(missed)
    ]  # fmt: skip
    if rows:
        yield fact("short-verdict-missed", **names.listed("rows", rows, 2))


def _rates_kept(rows: pd.DataFrame, percentiles: pd.DataFrame) -> Iterator[Fact]:
    """Of each mix whose servers were all asked for several rates, and at the same threads, some of which were not kept:
    the highest rate that all repeats kept, on the smallest server and on the largest, its p99 and that of the next
    lower rate (ms, the slowest operation's, the median of repeats)."""
    asked = rows[rows["target_ops_s"] > 0].sort_values(["cores", "ram_gib"], kind="stable")
    asked = asked.assign(p99_ms=asked["run_id"].map(slowest_p99_us(percentiles)).astype(float) / US_PER_MS)
    for _, of_mix in asked.groupby("workload", sort=False):
        kept = of_mix["y"].fillna(of_mix["throughput_ops_s"]).ge(REACHED * of_mix["target_ops_s"])
        by_rate = of_mix.assign(kept=kept).groupby(["spec", "target_ops_s"]).agg({"kept": "all", "p99_ms": "median"})
        by_spec = {spec: part.droplevel("spec") for spec, part in by_rate.groupby("spec", sort=False)}
        if min(map(len, by_spec.values())) < 2 or kept.all() or of_mix["threads"].nunique(dropna=False) > 1:
            continue
        servers = dicts(of_mix.drop_duplicates("spec").iloc[[0, -1]].drop_duplicates("spec"))
        ends = [_highest_kept(server, by_spec[server["spec"]]) for server in servers]
        yield fact("short-rates", mix=names.mix(of_mix.iloc[0]), ends=ends)


def _highest_kept(server: dict, by_rate: pd.DataFrame) -> Fact:
    best = by_rate[by_rate["kept"]].tail(2)
    # The highest, and the next lower one.
    (rate, p99_ms), (lower, lower_p99_ms) = [*best["p99_ms"].items()][::-1] + [(None, None)] * (2 - len(best))
    return fact("short-rate", spec=names.spec_listed(server), least=by_rate.index.min(), rate=rate, p99_ms=p99_ms,
                lower=lower, lower_p99_ms=lower_p99_ms)  # fmt: skip


def why_none_completed(findings: pd.DataFrame) -> dict[str, object]:
    """Why runs did not complete, as the values `reasons` and `reasons_more` of a message."""
    rows = dicts(findings[findings["message_key"] == "invalid_run-not_completed"])
    values = fact_of(rows[0], "message").values if rows else {"reasons": None, "reasons_more": 0}
    return {name: values[name] for name in ("reasons", "reasons_more")}


def not_to_build_on(head: HeadRows) -> Iterator[Fact]:
    """The rows in doubt: how many, why, and of few mixes at which core counts all are, or some."""
    points, workloads = head.points, head.rows.workloads
    wrong, doubted = (points["grade"].isin(which) for which in (["F"], trust.DOUBTFUL))
    failed = wrong & trust.failed(points, head.findings)
    if not doubted.any():
        return
    mixes_at = []
    for workload in workloads if len(workloads) <= NAMED_MIXES else ():
        of_mix = points[(points["workload"] == workload) & (points["cores"] > 0)]
        by_cores = doubted[of_mix.index].groupby(of_mix["cores"]).agg(["any", "all"])
        whole, some = by_cores.index[by_cores["all"]], by_cores.index[by_cores["any"] & ~by_cores["all"]]
        if len(whole) or len(some):
            mixes_at.append(((tuple(whole), tuple(some)), names.mix(of_mix.iloc[0])))
    where = [
        fact("short-doubted-at", mixes=mixes, whole=list(map(number, whole)), n=len(whole),
             some=list(map(number, some)), n_some=len(some), last=max([*whole, *some]))
        for (whole, some), mixes in gathered(mixes_at).items()
    ]  # fmt: skip
    of_kinds = {"impossible": wrong & ~failed, "others": doubted & ~wrong, "failed": failed}
    counts = {kind: int(rows.sum()) for kind, rows in of_kinds.items()}
    kinds = [kind for kind, n in counts.items() if n]
    yield fact("short-verdict-doubt", n=int(doubted.sum()), total=len(points), **counts,
               why=kinds[0] if len(kinds) == 1 else "several", where=where, located=len(where) > 0)  # fmt: skip


def causes(findings: pd.DataFrame) -> Iterator[Fact]:
    """What the head says of where rows in doubt may come from: how many rows show it, or how far it went."""
    shown = {key: findings[findings["message_key"] == key] for key in _CAUSES}
    listed = [
        fact("short-cause", cause=key, n=len(set(" ".join(of["run_ids"]).split())), effect=of["effect"].iloc[0],
             **{name: fact_of(of.iloc[0], "message").values.get(name) for name in ("round", "first")})
        for key, of in shown.items()
        if len(of)
    ]  # fmt: skip
    if listed:
        yield fact("short-verdict-causes", causes=listed[:NAMED_CAUSES])


def _with_set_aside(head: HeadRows) -> pd.DataFrame:
    return pd.concat([head.points, head.rows.set_aside], ignore_index=True)


def _failed(head: HeadRows) -> pd.DataFrame:
    runs = head.rows.left_out
    return runs[runs["outcome"].isin([Outcome.FAILED, Outcome.INCOMPLETE]) & runs["phase"].ne("load")]


def _left_out(findings: pd.DataFrame, far_off: str) -> Iterator[Fact]:
    """Early rounds that are left out, and runs far off their repeats; far_off: the key of what is said of these."""
    for row in dicts(_of_left_out(findings)):
        key = "short-early" if row["rule"] == "early_rounds" else far_off
        yield fact(key, **fact_of(row, "message").values)


def _of_left_out(findings: pd.DataFrame) -> pd.DataFrame:
    return findings[findings["message_key"].isin(["early_rounds", "noise-left-out"])]


def _failures(points: pd.DataFrame, rows: pd.DataFrame) -> dict[str, object]:
    return ends(failed_share(rows)) | names.listed("rows", _rows_named(points, rows), NAMED_IMPOSSIBLE)


def _rows_named(points: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Fact]:
    """These rows by mix and threads; without the threads where all of a spec and a mix are among them."""
    pair = ["workload", "spec"]
    of_pair, of_all = (frame.groupby(pair)["spec"].transform("size") for frame in (rows, points))
    is_whole = (of_pair > 1) & (of_pair == of_all[rows.index])
    grouped = rows.assign(at=rows["threads"].mask(is_whole)).groupby(["workload", "at"], dropna=False, sort=False)
    for (_, threads), group in grouped:
        specs = names.listed("specs", map(names.spec_listed, dicts(group)), NAMED_IMPOSSIBLE)
        yield fact("short-rows-at", mix=names.mix(group.iloc[0]), threads=threads, **specs)


def gaps(head: HeadRows) -> list[Fact]:
    """What neither the rows nor their source tell."""
    rows, points, findings = head.rows, head.points, head.findings
    writes, operations = points[points["read_fraction"] != 1], rows.tables.operations
    # Of the counts in a page's commands.
    counts = findings.loc[findings["rule"] == "settings_implausible", "message_key"]
    # A row twice is no repeat, but a printed standard deviation shows some.
    cell = ["workload", "spec", "threads"]
    once = points.drop_duplicates([*cell, "repeat", "y", "ral_us", "wal_us"])
    is_repeated = once.groupby(cell, dropna=False).size().max() > 1
    unknown = {
        "writes": (writes["write_concern"] == "0").any(),
        "concern": (writes["write_concern"] == "").any() and rows.product == "MongoDB",
        "records": points["records"].nunique() > 1
        and points.groupby("spec")["records"].nunique().max() == 1
        and not at_equal_ram_and_records(points),
        "families": several_families(points),
        # Commands that cannot have run as they stand.
        "length": counts.eq("settings_implausible-default").any(),
        "counts": counts.str.endswith("example").any(),
        "threads": points["threads"].isna().all(),
        "clients": points["clients"].isna().all() and rows.sweep.clients != "auto",
        "clients-of-rows": points["clients"].isna().all() and rows.sweep.clients == "auto",
        "noise": not (is_repeated or points["printed_noise"].notna().any()),
        "cpu": points["cpu_utilisation"].isna().all(),
        "latency": operations["mean_us"].isna().all() and rows.tables.percentiles.empty,
        "slowest": rows.tables.percentiles.empty and operations["mean_us"].notna().any(),
        "date": not rows.dated,
    }
    return [fact(f"short-unknown-{gap}") for gap, there in unknown.items() if there and len(points)]


def unknown(gaps: Sequence[Fact]) -> Iterator[Fact]:
    """What the head says of these `gaps`."""
    if decisive := [gap for gap in gaps if gap.key in DECISIVE][:NAMED_GAPS]:
        yield fact("short-verdict-unknown", parts=decisive)
