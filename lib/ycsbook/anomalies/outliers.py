"""Rows that are wrong by what stands beside them: copies to the last digit, rows that changed places, wrong numbers of
digits; specs far from the law of the others, and single runs that miss all their neighbours."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import special

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import last_place
from ycsbook.anomalies.neighbours import FITS, MISFIT, between, outside
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import KIND
from ycsbook.facts import fact
from ycsbook.scaling.cells import MAD_TO_SD
from ycsbook.scaling.laws import LAWS, Law
from ycsbook.scaling.limits import LimitKind, judge
from ycsbook.scaling.pairs import beyond, holm
from ycsbook.scaling.problem import Problem, solve

# A figure of four digits: one of so many, in units of the last place that is printed.
_LONG = 1000
# Rows of two specs at the same threads may agree in one figure by chance, and then in the latency that follows from it.
_OF_OTHER_SPECS = 3
# Where nothing tells the last place.
_UNKNOWN_PLACE = 1e-3


@rule(
    cannot_know="which of the rows is the copy, where throughput x latency / threads of each is like the others'",
    source="Little (1961): N threads have N = X R, so with equal X and R the threads are equal as well",
)
def copied_rows(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """Rows of a workload with equal throughput and mean latencies, to the last digit, and other threads or specs.

    Of two specs at the same threads three figures must have four digits and more, at other threads two. The finding
    is about the row that Little's law contradicts, where it contradicts one.
    """
    keys = [*KIND, "workload", "throughput_ops_s"]
    runs = evidence.runs[(evidence.runs["throughput_ops_s"] > 0) & (evidence.runs["spec"] != "")]
    place = runs.groupby(list(KIND))["throughput_ops_s"].transform(last_place)
    runs = runs.assign(long=_is_long(runs["throughput_ops_s"], place))
    runs = runs[runs.duplicated(keys, keep=False)]
    if runs.empty:
        return
    operations = evidence.tables.operations
    place = operations.groupby("operation")["mean_us"].transform(last_place)
    means = operations.assign(long=_is_long(operations["mean_us"], place))
    means = means[means["run_id"].isin(runs["run_id"]) & means["mean_us"].notna()]
    figures = {
        run_id: frozenset(zip(of["operation"], of["mean_us"], strict=True)) for run_id, of in means.groupby("run_id")
    }
    long = means.groupby("run_id")["long"].sum().to_dict()
    runs = runs.assign(figures=runs["run_id"].map(figures), long=runs["long"] + runs["run_id"].map(long).astype(float))
    for _, rows in runs.dropna(subset="figures").groupby([*keys, "figures"], sort=False):
        same_threads, enough = rows["threads"].nunique() < 2, 0
        if rows["spec"].nunique() > 1:
            enough = _OF_OTHER_SPECS if same_threads else _OF_OTHER_SPECS - 1
        elif same_threads:
            continue
        cells = rows[rows["long"] >= enough].drop_duplicates(["spec", "threads"])
        if len(cells) > 1:
            listed = map(names.cell_listed, cells.sort_values(["cores", "ram_gib", "threads"]).to_dict("records"))
            message = fact("copied_rows", **names.listed("cells", listed), same_threads=same_threads)
            yield Finding("warning", rows["dataset"].iloc[0], evidence.blamed(tuple(rows["run_id"])), message)


def _is_long(figures: pd.Series, place: pd.Series) -> pd.Series:
    return (figures / place.where(place > 0, _UNKNOWN_PLACE) >= _LONG).astype(float)


@rule(
    budget=0.0001,
    cannot_know="whether the rows were exchanged, or each is wrong by itself; and nothing of one mix at fewer than "
    "three thread counts, where two servers may differ so",
    source="three standard deviations of two single runs at the assumed noise do not fit, two do; no such pair in "
    "simulated clean sweeps, peaks, falling ladders and runs that stall among them",
)
def swapped_rows(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """Two rows of a mix, of two specs at the same threads or of one spec, that both miss their neighbours by more than
    single runs do, and would both fit them if they were exchanged; or all rows of two specs, or a repeat of two
    configurations, each far from the others of its own and near those of the other."""
    for pairs in evidence.exchanged_specs:
        first, second = (evidence.cells.loc[[*labels]] for labels in zip(*pairs, strict=True))
        run_ids = tuple(r for ids in (*first["run_ids"], *second["run_ids"]) for r in ids)
        yield Finding(
            "warning", first["dataset"].iloc[0], run_ids,
            fact("swapped_rows-specs", n=len(pairs), first=names.spec(first.iloc[0]),
                 second=names.spec(second.iloc[0])),
            effect=float(np.expm1(second["log_y"].mean() - first["log_y"].mean())), cause="swapped",
        )  # fmt: skip
    cells = evidence.cells.assign(y=np.exp(evidence.cells["log_y"]))
    # A repeat of either configuration.
    runs = evidence.levels.assign(run_ids=[(run_id,) for run_id in evidence.levels["run_id"]])
    of_runs = [runs.loc[[at, other]] for at, other in runs["partner"].items() if other > at]
    for pair in (*(cells.loc[[*labels]] for labels in evidence.swapped), *of_runs):
        first, second = pair.sort_values(["cores", "ram_gib", "threads"]).to_dict("records")
        yield Finding(
            "warning", first["dataset"], (*first["run_ids"], *second["run_ids"]),
            fact("swapped_rows", first=names.cell(first), second=names.cell(second), first_ops=first["y"],
                 second_ops=second["y"]),
            effect=float(pair["y"].min() / pair["y"].max() - 1), cause="swapped", advice=fact("copied_rows-advice"),
        )  # fmt: skip


@rule(
    cannot_know="whether a digit is wrong or a run stalled; two neighbours that are wrong alike fit each other",
    source="the next thread counts and servers bound a row, which is a factor of two beyond them all, and within them "
    "once divided by 10, 100 or 1000",
)
def wrong_digits(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """A written row without latencies that is off all its neighbours, other thread counts and smaller and larger
    servers, by about a power of ten, or all rows of a spec off the servers beside it: a warning."""
    for at, power in evidence.wrong_digits.items():
        row = evidence.cells.loc[at]
        yield Finding(
            "warning", row["dataset"], row["run_ids"],
            fact("wrong_digits", cell=names.cell(row), ops=np.exp(row["log_y"]), power=power,
                 fits=np.exp(row["log_y"]) / 10.0**power),
            effect=10.0**power - 1, cause="digits",
        )  # fmt: skip


BUDGET = 0.0003
# With fewer degrees of freedom left the law bends to the outlier, or nothing is extreme.
LEAST_DF = 3
# Choosing the law that suits all points but one makes that one look odd: half of each level is left to that.
_CHOICE = 0.5
# Points closer to the law than this are on it, to rounding.
_EXACT = 1e-6
_SERIES = [*KIND, "workload", "threads"]


@rule(
    budget=BUDGET,
    cannot_know="whether the spec or the law is wrong: RAM, a ceiling of the threads or a step in the machine bends a "
    "curve as well. Two outliers may hide each other. Points that their threads or a target are shown to limit are "
    "left out.",
    source="externally studentised residuals, t with n - k - 1 degrees of freedom, by Holm over all points: Cook and "
    "Weisberg (1982), Residuals and Influence in Regression, ch. 2.",
    defaults={"note_level": 0.01},
)
def scaling_outlier(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Specs whose mean throughput misses the law by more than the others' scatter explains: a warning within the budget
    where half of its runs do, or its only run by more than the assumed noise; a note at the family-wise `note_level`.

    The law is the one with the lowest AICc when each law may leave out its worst point: an outlier must not choose it.
    """
    cells = evidence.compared
    # What limits them costs more than all else here: of cells too few for any law nobody needs to know.
    if cells.groupby(_SERIES, dropna=False).size().max() - min(law.parameters for law in LAWS.values()) <= LEAST_DF:
        return
    is_below_its_server = judge(cells, evidence.noise)["limit_kind"].isin([LimitKind.CONCURRENCY, LimitKind.ELSEWHERE])
    points = cells[(cells["cores"] > 0) & cells["threads"].notna() & ~is_below_its_server]
    for _, part in _beside_their_laws(points).groupby(list(KIND), sort=True):
        adjusted = holm(part["p"].to_numpy())
        for row in part.assign(adjusted=adjusted)[adjusted <= _CHOICE * settings["note_level"]].to_dict("records"):
            is_sure = row["adjusted"] <= _CHOICE * BUDGET and _is_beyond_its_runs(evidence, row)
            effect = float(np.expm1(row["log_y"] - row["fitted"]))
            yield Finding(
                "warning" if is_sure else "note", row["dataset"], row["run_ids"],
                fact("scaling_outlier", cell=names.cell(row), observed=np.exp(row["log_y"]), effect=effect,
                     fitted=np.exp(row["fitted"]), law=row["law"], errors=abs(row["studentised"])),
                "repeats" if row["n"] > 1 else "single", effect,
            )  # fmt: skip


def _is_beyond_its_runs(evidence: Evidence, row: dict) -> bool:
    """Whether half of the spec's runs miss the law by half as much as their mean, so that it is no single run that
    stalled; of one run, whether it misses by more than single runs do."""
    off = row["log_y"] - row["fitted"]
    if row["n"] < 2:
        return bool(abs(off) >= -np.log1p(-beyond(evidence.noise[tuple(row[k] for k in KIND)].assumed)))
    y = evidence.runs.set_index("run_id")["y"].reindex(row["run_ids"]).to_numpy(float)
    return bool(np.sort((np.log(y) - row["fitted"]) * np.sign(off))[(len(y) - 1) // 2] >= abs(off) / 2)


def _beside_their_laws(points: pd.DataFrame) -> pd.DataFrame:
    """The points with the `law` chosen for their series and, by it without the point, `fitted` (ln y), `studentised`
    (the residual) and its two-sided `p`; NaN where a series has too few."""
    law, values = np.full(len(points), "", dtype=object), np.full((3, len(points)), np.nan)
    cores, log_y = points["cores"].to_numpy(float), points["log_y"].to_numpy(float)
    # Series over the same cores, as those of one sweep mostly are, are fitted at once.
    alike: dict[tuple, list[np.ndarray]] = {}
    for rows in points.groupby(_SERIES, dropna=False).indices.values():
        at = rows[np.argsort(cores[rows], kind="stable")]
        alike.setdefault(tuple(cores[at]), []).append(at)
    for x, series in alike.items():
        laws = [of for of in LAWS.values() if len(x) - of.parameters > LEAST_DF and len(set(x)) > of.parameters]
        if not laws:
            continue
        best = [_judged(law, np.array(x), log_y[np.stack(series)]) for law in laws]
        chosen = np.argmin([aicc for aicc, *_ in best], axis=0)
        for row, (at, k) in enumerate(zip(series, chosen, strict=True)):
            law[at] = laws[k].name
            values[:, at] = [value[row] for value in best[k][1:]]
    fitted, studentised, p = values
    return points.assign(law=law, fitted=fitted, studentised=studentised, p=p)


def _judged(law: Law, x: np.ndarray, log_y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """AICc of each series (series, n) without its worst point; and of each point, from the law fitted without it, ln y,
    the studentised residual and its two-sided p."""
    series, n = log_y.shape
    k, df = law.parameters + 1, n - 1 - law.parameters
    # One problem per point: all points but that one.
    all_but_one = np.tile(1 - np.eye(n), (series, 1))
    problem = Problem(law, x, np.repeat(log_y, n, axis=0))
    model = problem.model(np.ones(series * n), all_but_one)
    start = np.repeat(Problem(law, x, log_y).best().theta, n, axis=0)
    theta = solve(model, start, *problem.bounds()).theta
    residual, jacobian = model(theta)
    squares = np.maximum((residual**2).sum(axis=1), n * _EXACT**2).reshape(series, n)
    shape, gradient = law.log_shape(x, theta[:, 1:])
    is_own_point = np.tile(np.eye(n, dtype=bool), (series, 1))
    fitted = (theta[:, :1] + shape)[is_own_point].reshape(series, n)
    direction = np.concatenate([np.ones((series * n, 1)), gradient[is_own_point]], axis=1)
    # A parameter on its bound does not move, and adds nothing to the error.
    low, high = problem.bounds()
    free = (theta > low) & (theta < high)
    moving = jacobian * free[:, None]
    inverse = np.linalg.pinv(np.einsum("pni,pnj->pij", moving, moving), hermitian=True)
    pull = np.einsum("pi,pij,pj->p", direction * free, inverse, direction * free).reshape(series, n)
    t = (log_y - fitted) / np.sqrt(squares / df * (1 + pull))
    aicc = (n - 1) * np.log(squares.min(axis=1) / (n - 1)) + 2 * k + 2 * k * (k + 1) / (n - k - 2)
    return aicc, fitted, t, 2 * special.stdtr(df, -np.abs(t))


# So far off, ln X; by so many standard deviations of the difference of two runs; and by so many of what is usual
# between the servers of a table.
_LEAST, _ODD, _USUAL_ODD = float(np.log(1.4)), 4.5, 6.0


@rule(
    budget=0.0001,
    cannot_know="whether the run was disturbed, its figure is wrong, or the server does so at this thread count alone; "
    "nothing of the smallest and the largest server, where thread counts have effects of their own",
    source="the straight line between the servers beside it in ln X over ln cores, and what other thread counts do on "
    "all three; no such row in simulated clean sweeps of normal noise",
)
def lone_row(evidence: Evidence, _settings: Thresholds) -> Iterator[Finding]:
    """A single run 1.4 times too high or too low, and by 4.5 standard deviations, for the servers beside it and for the
    other thread counts of its own, which fit; or as far below both the next smaller and the next larger thread count,
    which fit without it: a warning. Effect: what it did over what would fit, minus 1.

    A curve that bends, and one that rises to a peak, is none.
    """
    cells = evidence.compared[~evidence.compared["throttled"] & (evidence.compared["threads"] > 0)]
    if not cells["n"].eq(1).any():
        return
    for kind, of_kind in cells.groupby(list(KIND)):
        beside = _beside(of_kind)
        usual_odd = _USUAL_ODD * MAD_TO_SD * float(beside["away"].abs().median()) if len(beside) else 0.0
        least = max(_LEAST, _ODD * np.sqrt(2 * evidence.noise[kind].or_assumed.variance), usual_odd)
        for at, away in {**dict(_off_ladders(of_kind, least)), **dict(_off_servers(beside, least))}.items():
            row = of_kind.loc[at]
            if row["n"] == 1:
                ops, change = float(np.exp(row["log_y"])), float(np.expm1(away))
                message = fact("lone_row", cell=names.cell(row), ops=ops, fits=ops / (1 + change), change=change)
                yield Finding("warning", row["dataset"], row["run_ids"], message, effect=change, cause="lone")


def _beside(cells: pd.DataFrame) -> pd.DataFrame:
    """The rows between two servers, by their labels: workload and spec, the ln X of the `smaller` server, of the row
    itself (`y`) and of the `larger` one, ln of the ratio of cores of the first two, and how far it is `away` from the
    line between them."""
    cells = cells[cells["cores"] > 0]
    at, log_y, x = between(cells), cells["log_y"].to_numpy(float), np.log(cells["cores"].to_numpy(float))
    (below, y, above), (x_below, x, x_above) = ([of[place] for place in at] for of in (log_y, x))
    away = y - below - (x - x_below) / (x_above - x_below) * (above - below)
    rows = cells.iloc[at[1]][["workload", "spec"]]
    return rows.assign(smaller=below, y=y, larger=above, cores_more=x - x_below, away=away)


def _off_servers(beside: pd.DataFrame, least: float) -> Iterator[tuple[int, float]]:
    """The label of each row so far off the line between two servers, and how far, where other thread counts of these
    three say that the server itself is not. beside: as _beside gives it."""
    # Growth that ends lies above the line, but grows no faster than the cores, and not beyond the larger server.
    grows = beside["y"] - beside["smaller"]
    bends = (grows <= beside["cores_more"] + FITS) & (beside["y"] <= beside["larger"] + least) & (beside["away"] > 0)
    for _, of_spec in beside.groupby(["workload", "spec"]):
        for at in of_spec.index[(of_spec["away"].abs() > least) & ~bends[of_spec.index]]:
            others = of_spec.drop(at)
            more = of_spec.loc[at, ["smaller", "y", "larger"]].astype(float) - others[["smaller", "y", "larger"]]
            at_ends = more[["smaller", "larger"]]
            is_odd = (more["y"] - at_ends.max(axis=1) > least) | (more["y"] - at_ends.min(axis=1) < -least)
            if len(others) and is_odd.all() and others["away"].abs().max() <= MISFIT:
                yield at, float(of_spec.at[at, "away"])


def _off_ladders(cells: pd.DataFrame, least: float) -> Iterator[tuple[int, float]]:
    """The label of each row far below both the next smaller and larger thread count of its server, where all others fit
    without it, and how far it lies below the line between these two, ln X."""
    for _, ladder in cells.sort_values("threads").groupby(["workload", "spec"]):
        log_y, octaves = ladder["log_y"].to_numpy(float), np.log2(ladder["threads"].to_numpy(float))
        away = outside(log_y, octaves) if len(ladder) > 2 else np.zeros(1)
        at = int(away.argmin())
        if not 0 < at < len(ladder) - 1 or away[at] >= -least:
            continue
        others = np.arange(len(ladder)) != at
        if np.abs(outside(log_y[others], octaves[others])).max() <= FITS:
            yield ladder.index[at], float(log_y[at] - np.interp(octaves[at], octaves[others], log_y[others]))
