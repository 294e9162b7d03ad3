"""The commands about scaling: the laws, the smallest spec for a load, and what to run next."""

from math import inf, isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import messages, names, printing
from ycsbook.commands import Json, SourceArgument, grades_of, opened, sweep_of
from ycsbook.errors import ParamsError
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import within
from ycsbook.units import significant

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from ycsbook.params import PricesAndGoals
    from ycsbook.scaling import Analysis
    from ycsbook.tables import Tables

# An interval whose high end is more than so many times its low end says nothing.
_NOTHING_SAID = 10
# What computes is loaded by the functions that need it: --help does not wait for it.
ParamsOption = Annotated[
    Path | None,
    typer.Option("--params", help="Params file with prices, goals and further specs; needs no server for that."),
]


def scaling(
    source: SourceArgument,
    params: ParamsOption = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Also each law, with what it says, and each step.")] = False,
    as_json: Json = False,
) -> None:
    """How throughput grows with cores, and which law may be claimed.

    With prices in a params file --all says what more cores cost.
    """
    from ycsbook import named_tables
    from ycsbook.scaling.limits import flat_sweeps
    from ycsbook.scaling.points import UnfitError
    from ycsbook.store import parquet

    sweep, (tables, folder) = sweep_of(source, params), opened(source)
    if sweep is not None:
        named_tables.check_prices(sweep, tables)
    analysis = _analysis(tables)
    if folder:
        parquet.write(analysis.tables(), folder)
    if as_json:
        parts = {"fits": "glance", "terms": "tidy", "choices": "choices", "marginals": "marginals", "joint": "joint",
                 "threads": "threads", "limits": "limits"}  # fmt: skip
        printing.print_json({name: printing.records(getattr(analysis, part)) for name, part in parts.items()})
    if analysis.glance.empty:
        raise UnfitError(fact("scaling-nothing", pattern="{spec}/run.log"))
    if as_json:
        return
    _print_growth(tables.runs, grades_of(source, tables, sweep), flat_sweeps(analysis.limits))
    if every:
        _print_laws(analysis, sweep)
        return
    _print_claims(analysis)
    print(messages.text("scaling-more"))


def _print_claims(analysis: "Analysis") -> None:
    from ycsbook.scaling import claims

    series: dict[tuple[str, Fact], list[Fact]] = {}
    facts = (messages.facts_of(analysis.choices, column) for column in ("series", "verdict"))
    unknown, needed = [], {}
    for law, title, verdict in zip(analysis.choices["law"], *facts, strict=True):
        if few := claims.few_measured(verdict):
            unknown.append(fact("scaling-own-points", series=title, n=few["n"], of=few["of"], at=few["at"]))
            needed = {"needed": few["needed"], "needed_x": few["needed_x"]}
            continue
        series.setdefault((law, verdict), []).append(title)
    for (law, verdict), titles in series.items():
        listed = names.listed("series", titles)
        printing.paragraph(messages.text("scaling-verdicts", **listed, law=law or None, verdict=verdict), indent="  ")
    if unknown:
        listed = names.listed("series", unknown)
        printing.paragraph(messages.text("scaling-few-measured", **listed, **needed), indent="  ")


def _print_laws(analysis: "Analysis", sweep: "PricesAndGoals | None") -> None:
    from ycsbook.scaling import claims
    from ycsbook.scaling.steps import with_prices

    fits = analysis.glance
    series = [fact("series-law", series=analysis.series[f.group], law=f.law) for f in fits.itertuples()]
    verdicts = claims.without_repeated_reasons(series, messages.facts_of(fits, "verdict"))
    rows = [
        [messages.say(analysis.series[fit.group]), fit.law, _points(fit), _percent(fit.residual_se)]
        for fit in fits.itertuples()
    ]
    printing.table(["series", "law", "points", "scatter"], rows, below=list(map(messages.say, verdicts)))
    steps = messages.worded(with_prices(analysis.marginals, sweep.prices)) if sweep else analysis.marginals
    titles = messages.facts_of(analysis.choices, "series")
    verdicts = claims.without_repeated_reasons(titles, messages.facts_of(analysis.choices, "verdict"))
    for choice, title, verdict in zip(analysis.choices.itertuples(), titles, verdicts, strict=True):
        # Where nothing could be fitted the sentence is the verdict's reason once more.
        printing.paragraph(_claim(title, verdict, choice.sentence if choice.law else ""), indent="  ")
        for step in steps[steps["group"] == choice.group].itertuples():
            printing.paragraph(f"  {step.sentence}", indent="    ")
    for key, table in (("scaling-joint", analysis.joint), ("scaling-threads", analysis.threads)):
        for law in table.drop_duplicates("group").to_dict("records"):
            title = fact(key, series=messages.fact_of(law, "series"))
            sentence = law["sentence"] if law.get("law", "joint") else ""
            printing.paragraph(_claim(title, messages.fact_of(law, "verdict"), sentence), indent="  ")
    scatter = fits["residual_se"].dropna()
    printing.paragraph(messages.text("scaling-scatter", low=scatter.min(), high=scatter.max()))


def _print_growth(runs: "pd.DataFrame", grades: "pd.Series", flat: "Mapping[tuple, Fact]") -> None:
    """Prints how each series grows over the measured cells, without a law; leaves rows in doubt out where others are
    enough. A sentence on a workload that no cores change stands for all its series."""
    from ycsbook import trust
    from ycsbook.scaling.growth import growths, with_more_threads
    from ycsbook.scaling.growth_facts import average, in_service, plateau, ram_adds
    from ycsbook.scaling.points import at_own_threads, with_throughput
    from ycsbook.scaling.steps import cores_and_ram_effects

    rows = at_own_threads(with_throughput(runs))
    rows = rows.assign(grade=rows["run_id"].map(grades))
    doubted = rows[rows["grade"].isin(trust.DOUBTFUL) & (rows["y"] > 0)]
    sound = growths(rows.drop(doubted.index))
    for sentence in flat.values():
        printing.paragraph(messages.say(sentence), indent="  ")
    series = growths(rows)
    ram = ram_adds(series, rows, cores_and_ram_effects(rows.drop(doubted.index)))
    for growth in series:
        if growth.kind in flat:
            continue
        mix = names.mix(rows[rows["workload"] == growth.workload].iloc[0])
        whose = f"{growth.dataset}: " if rows["dataset"].nunique() > 1 else ""
        doubted_here = doubted[growth.is_of(doubted)]
        specs = [f"{spec} ({grade})" for spec, grade in zip(doubted_here["spec"], doubted_here["grade"], strict=True)]
        trusted = growth.trusted(sound)
        facts = [average(trusted, mix, ram=ram)]
        more = with_more_threads(trusted, series)
        # That it falls is in the average.
        if trusted.falls or not trusted.upper < 1:
            facts += plateau(trusted, mix, more)
        if more is None and (trusted.stops or trusted.bend):
            facts += in_service(trusted, mix, series)
        if specs:
            facts.append(fact("scaling-doubted", **names.listed("specs", specs), left_out=trusted is not growth))
        for sentence in facts:
            printing.paragraph(whose + messages.say(sentence), indent="  ")


def capacity(
    source: SourceArgument,
    *,
    qps: Annotated[float | None, typer.Option("--qps", help="Operations per second wanted.")] = None,
    workload: Annotated[
        str, typer.Option("--workload", "-w", help="Its mix or name, such as 50:50 or a; else each.")
    ] = "",
    threads: Annotated[float | None, typer.Option("--threads", help="Client threads; else the best measured.")] = None,
    p99_ms: Annotated[float | None, typer.Option("--p99-ms", help="Highest 99th percentile of latency, ms.")] = None,
    params: ParamsOption = None,
    as_json: Json = False,
) -> None:
    """The smallest spec that carries a load. With its probability, and what a million operations cost on it.

    Goals that are not given are those of the params file, in which "prices: {8c32g: 0.45}" is enough for costs.
    """
    from ycsbook import named_tables, trust
    from ycsbook.scaling.capacity import answers, hopeless
    from ycsbook.scaling.limits import limits, shared_ceilings

    sweep, (tables, _) = sweep_of(source, params), opened(source)
    if sweep is not None:
        named_tables.check_prices(sweep, tables)
        qps = sweep.goals.qps if qps is None else qps
        p99_ms = sweep.goals.p99_ms if p99_ms is None else p99_ms
    if qps is None:
        raise ParamsError("capacity: how much is wanted? Say --qps, or 'goals: {qps: 80000}' in the file of --params")
    for name, value in (("--qps", qps), ("--threads", threads), ("--p99-ms", p99_ms)):
        if value is not None and not 0 < value < inf:
            raise ParamsError(f"capacity: {name}: got {value:g}, expected a number > 0")
    limited = limits(tables.runs, tables.operations)
    capacities = trust.capacity(
        tables.runs, limited, grades_of(source, tables, sweep), qps=qps, workload=workload, threads=threads,
        p99_ms=p99_ms, percentiles=tables.percentiles, prices=sweep.prices if sweep else None,
        specs={s.name: (s.cores, s.ram_gib) for s in sweep.specs} if sweep else None,
    )  # fmt: skip
    asked = [spec.name for spec in sweep.specs] if sweep else []
    marked = capacities.assign(spec=capacities["spec"] + capacities["mark"])
    capacities = capacities.drop(columns=["doubted", "mark"])
    sentences = list(map(messages.say, [*answers(marked, qps, p99_ms, asked), *shared_ceilings(limited).values()]))
    note = messages.text("capacity-note")
    if as_json:
        printing.print_json({"answers": sentences, "note": note, "specs": printing.records(capacities)})
        return
    for sentence in sentences:
        printing.paragraph(sentence, indent="  ")
    if p99_ms is None and hopeless(capacities):
        return
    print()
    _print_capacities(marked, sweep.currency if sweep else "")
    printing.paragraph(note)
    if sweep is not None and not sweep.prices:
        example = "prices: {spec: amount per hour}"
        printing.paragraph(messages.text("capacity-no-prices", file=str(params or source), example=example))


def _print_capacities(marked: "pd.DataFrame", currency: str) -> None:
    from ycsbook.scaling.capacity import titles

    unit, columns = f", {currency}" if currency else "", {}
    if (kinds := titles(marked)) is not None:
        columns["dataset"] = kinds
    if marked["workload"].nunique() > 1:
        columns["mix"] = printing.mixes(marked)
    columns |= {
        "spec": marked["spec"], "threads": map(printing.threads, marked["threads"]),
        "measured": map(_measured, marked["observed"], marked["at_least"]),
        "law": map(within, marked["fitted"], marked["run_low"], marked["run_high"]),
        "again": map(_chance, marked["again"]),
        "new server (95 %)": map(_span, marked["run_low"], marked["run_high"]),
        "chance": map(_chance, marked["probability"]),
    }  # fmt: skip
    if marked["p99_us"].notna().any():
        columns["p99 ms"] = map(significant, marked["p99_us"] / 1e3)
    columns["enough"] = ["yes" if suffices else "" for suffices in marked["suffices"]]
    if marked["cost_per_million"].notna().any():
        costs = marked["cost_per_million"], marked["cost_low"], marked["cost_high"]
        columns[f"per hour{unit}"] = map(significant, marked["price_per_hour"])
        columns[f"per million operations{unit}"] = map(_cost, *costs)
    rows = list(map(list, zip(*columns.values(), strict=True)))
    printing.table(list(columns), rows, under=[head for head in columns if head.startswith(("new server", "per "))])


def next_runs(
    source: SourceArgument,
    params: ParamsOption = None,
    n: Annotated[
        int, typer.Option("--number", "-n", metavar="NUMBER", min=1, max=100, help="How many suggestions.")
    ] = 5,
    as_json: Json = False,
) -> None:
    """The runs that would narrow the intervals most. Also the threads from which on operations only queue."""
    from ycsbook import trust
    from ycsbook.columns import KIND
    from ycsbook.scaling.cells import cells, noise, with_utilisation
    from ycsbook.scaling.limits import flat_sweeps, shared_ceilings
    from ycsbook.scaling.next_runs import suggest
    from ycsbook.scaling.pairs import knee
    from ycsbook.scaling.points import UnfitError

    sweep, (tables, _) = sweep_of(source, params), opened(source)
    analysis = _analysis(tables)
    flat = flat_sweeps(analysis.limits)
    doubted = trust.doubts(analysis.limits, tables.runs, grades_of(source, tables, sweep))["doubted"]
    # Between repeats, of the kind with the most of them; unknown where nothing was repeated.
    kinds = noise(cells(with_utilisation(tables.runs, tables.operations))).values()
    most = max(kinds, key=lambda kind: kind.df, default=None)
    variance = most.variance if most else nan
    suggestions = messages.worded(suggest(analysis, sweep, n, repeat_variance=variance, doubted=doubted))
    knees = messages.worded(knee(tables.runs, tables.operations, analysis.limits))
    if as_json:
        printing.print_json({"runs": printing.records(suggestions), "knee": printing.records(knees)})
    if analysis.limits.empty:
        raise UnfitError(fact("limits-nothing"))
    if as_json:
        return
    shared = shared_ceilings(analysis.limits)
    for sentence in (*flat.values(), *shared.values()):
        printing.paragraph(messages.say(sentence), indent="  ")
    if suggestions.empty and not flat and not shared:
        print(messages.text("next-nothing"))
    knees = knees[[key not in flat for key in knees[[*KIND, "workload"]].itertuples(index=False, name=None)]]
    for i, row in enumerate(suggestions.itertuples(), 1):
        printing.paragraph(f"{i:2} {row.sentence}", indent="   ")
    with_knee = knees[knees["knee_threads"].notna()]
    for sentence in with_knee["sentence"]:
        printing.paragraph(sentence, indent="  ")
    # A ladder that is asked for shows the knee as well.
    if len(with_knee) < len(knees) and "ladder" not in set(suggestions["suggestion"]):
        first = messages.facts_of(knees[knees["knee_threads"].isna()], "sentence")[0]
        unknown = messages.text("next-knees-unknown", n=len(knees) - len(with_knee), of=len(knees), first=first)
        printing.paragraph(unknown, indent="  ")


def _analysis(tables: "Tables") -> "Analysis":
    from ycsbook.scaling import analyse

    return analyse(tables.runs, tables.operations).with_tables(messages.worded)


def _claim(title: Fact, verdict: Fact, sentence: str) -> str:
    """What may be claimed of a series, then what the fit says."""
    return f"{messages.text('scaling-verdict', title=title, verdict=verdict)} {sentence}".rstrip()


def _points(fit: tuple) -> str:
    """How many points a fit has, such as "15 points, 5 of them the server's own, 3 core counts, 3 left out"."""
    at_server = fit.n_obs - fit.n_censored if fit.n_censored > 0 else None
    left_out = 0 if fit.n_left_out != fit.n_left_out else fit.n_left_out
    return messages.text("scaling-points", n=fit.n_obs, own=at_server, cores=fit.n_specs, left_out=left_out)


def _measured(observed: float, at_least: bool) -> str:
    return ("≥ " if at_least and not isnan(observed) else "") + significant(observed)


def _cost(per_million: float, low: float, high: float) -> str:
    return within(per_million, low, high) + ("" if isnan(per_million) else f" ({_span(low, high)})")


def _chance(probability: float) -> str:
    from ycsbook.scaling.capacity import surety

    short = {"probability-high": "> 99 %", "probability-low": "< 1 %", "probability-unknown": "–"}
    return short.get((chance := surety(probability)).key) or messages.say(chance)


def _span(low: float, high: float) -> str:
    """An interval; words where it spans a factor that says nothing."""
    if high > _NOTHING_SAID * low:
        return "too few specs"
    return "–" if isnan(low) and isnan(high) else printing.interval(low, high)


def _percent(share: float) -> str:
    return "–" if isnan(share) else f"{100 * share:.0f} %"
