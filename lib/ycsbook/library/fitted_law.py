"""A law fitted to one's own data: its parameters and intervals, what may be claimed of it, predictions and pictures."""

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ycsbook import messages
from ycsbook.columns import THROUGHPUTS
from ycsbook.errors import DataError, FitError, shown
from ycsbook.facts import Fact, fact
from ycsbook.ingest.published.own_cells import number
from ycsbook.ingest.published.page_headings import meaning
from ycsbook.library.questions import Data, answering, tables_of
from ycsbook.messages.formats import significant
from ycsbook.plots import scaling as plots
from ycsbook.plots import style
from ycsbook.scaling import Fit, all_laws, claims
from ycsbook.scaling.analysis import judged, lower_bounds, places, sound
from ycsbook.scaling.claims import LackOfFit
from ycsbook.scaling.fitting import describe, select
from ycsbook.scaling.limits import limits
from ycsbook.scaling.points import OWN_THREADS, at_own_threads, without_ceiling
from ycsbook.scaling.profile import Peak

_SERIES = ("dataset", "outcome", "workload", "threads", "spec")
_WIDTH, _HEIGHT = 6.4, 4.6


def fit(data: Data, x: str = "cores", y: str = "qps", law: str | None = None, **where: object) -> "FittedLaw":
    """Fit a scaling law to one series of runs: throughput over cores, or over client threads.

    Parameters
        data: a data frame with a row per run and columns for x and y; or tables, or a name that `read` takes. Repeats
            are rows of their own. With more columns (threads, latencies, cpu) more is known: rows that cannot be right
            are left out, and where it shows what limits the others, those that the server did not limit are lower
            bounds.
        x: the column of cores, or of threads.
        y: the column of the throughput, ops/s.
        law: linear, power, amdahl, usl, or a law of another package; None: the one that the points support best.
        where: which rows, where the data hold several series: threads=200, workload="a".
    Raises
        DataError: columns are missing or hold what they cannot, or there are several series; tells all mistakes.
        FitError: the points do not suffice for the law.
    References
        Gunther (2007), Guerrilla Capacity Planning, ch. 4-6; how it is fitted and what is claimed: docs/method.md.
    Examples
        Gunther's ray tracer, images per hour on up to 64 processors:

        >>> import pandas as pd
        >>> import ycsbook as yb
        >>> df = pd.DataFrame({"cores": [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64],
        ...                    "qps": [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310]})
        >>> fit = yb.fit(df, law="usl")
        >>> print(fit.predict([32, 96]).round(0).to_string(index=False))
         cores   qps   low  high  extrapolated interval_law
          32.0 251.0 239.0 264.0         False          usl
          96.0 324.0 261.0 351.0          True          usl
    """
    column, throughput = meaning(x), meaning(y)
    mistakes = []
    if column not in ("cores", "threads"):
        mistakes.append(
            f"x: got {shown(x)}, expected a column of cores or threads; rename yours to what it is most like"
        )
    if throughput not in THROUGHPUTS:
        mistakes.append(f"y: got {shown(y)}, expected a column of throughput, such as qps")
    if law is not None and law not in all_laws():
        mistakes.append(f"law: got {shown(law)}, expected None or one of {', '.join(all_laws())}")
    if mistakes:
        raise DataError(*mistakes)
    tables = tables_of(data, (column, throughput))
    rows = judged(tables.runs, limits(tables.runs, tables.operations), column)
    if y in THROUGHPUTS:
        # Not the one that is looked at where there are several.
        rows = rows.assign(y=tables.runs[y], y_column=y)
    rows = rows[rows["y"] > 0]
    if column == "cores" and not where.keys() & {"threads"}:
        rows = at_own_threads(rows)
    rows = _series(rows, column, where)
    points = sound(without_ceiling(rows) if column == "cores" else rows, column)
    # Of threads that nobody noted it is not known that their number was fixed.
    fit_points = points.drop(columns="threads", errors="ignore") if rows["threads"].isna().all() else points
    with answering():
        if points.empty:
            raise FitError(
                messages.text("law-all-left-out", n=len(rows)) if len(rows) else f"no row has {x} and {y} > 0"
            )
        choice = select(fit_points, column, "y", places=places(points[column].to_numpy(float)))
    name = law or choice.law
    if name not in choice.fits:
        raise FitError(messages.say(choice.refusals.get(name, choice.sentence)))
    fitted = choice.fits[name]
    # A law that is asked for by name is shown, whether or not the points tell which law it is.
    chosen = name == choice.law and (law is None or choice.verdict.key == claims.CLAIMED)
    of_it = (choice.sentence, choice.verdict) if chosen else (describe(fitted), fitted.verdict)
    return FittedLaw(fitted, rows, str(x), str(y), *of_it, len(tables.runs))


def _series(rows: pd.DataFrame, x: str, where: dict[str, object]) -> pd.DataFrame:
    mistakes = []
    for label, value in where.items():
        column = meaning(label)
        if column not in rows:
            mistakes.append(f"{label}: no such column to choose rows by; expected one of {', '.join(_SERIES)}")
            continue
        chosen = rows[rows[column] == (number(value) if rows[column].dtype.kind == "f" else str(value))]
        if chosen.empty:
            mistakes.append(f"{label}={value!r}: no row; there are {_values(rows[column])}")
        rows = chosen
    for column in (c for c in _SERIES if c != x and (c != "spec" or x == "threads")):
        if rows[column].nunique() > 1:
            first_value = rows[column].iloc[0]
            example = f"{column}={f'{first_value:g}' if isinstance(first_value, float) else repr(str(first_value))}"
            other = "threads" if x == "cores" else "cores"
            # Where x has one value, one of them would leave a single point.
            alone = column in ("threads", "spec") and rows[x].nunique() == 1 < rows[other].nunique()
            over = f"all at one number of {x}: fit over {other}, x={other!r}"
            how = over if alone else f"say which, such as {example}"
            mistakes.append(f"{column}: several ({_values(rows[column])}), which no one curve describes; {how}")
    if mistakes:
        raise DataError(*mistakes)
    return rows


def _values(values: pd.Series) -> str:
    names = [f"{v:g}" if isinstance(v, float) else str(v) or "unnamed" for v in values.drop_duplicates()]
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "") or "none"


@dataclass(frozen=True, repr=False)
class FittedLaw:
    """What `fit` gives: a law with its parameters, and what may be said of it.

    Attributes
        fit: the fit itself, with all that the scaling package knows of it.
        rows: the rows of the series, with what limits each (`limit_kind`) and whether it was `left_out`.
        x, y: the columns, as they were named.
        sentence, verdict: what the law says, and whether that may be claimed, as facts.
        n_rows: how many rows there were.
    """

    fit: Fit
    rows: pd.DataFrame
    x: str
    y: str
    sentence: Fact
    verdict: Fact
    n_rows: int

    @property
    def law(self) -> str:
        """The law's name."""
        return self.fit.law.name

    @property
    def is_claimed(self) -> bool:
        """Whether the law may be claimed; `summary` says why not."""
        return self.verdict.key == claims.CLAIMED

    @property
    def parameters(self) -> pd.DataFrame:
        """term, estimate, std_error, conf_low and conf_high (95 %, profile likelihood); lambda in ops/s."""
        return self.fit.parameters

    @property
    def covariance(self) -> pd.DataFrame:
        """The covariance of the estimates, terms by terms; NaN for a term that lies at a bound."""
        return self.fit.covariance

    @property
    def peak(self) -> Peak:
        """Where the curve of a USL is highest, as at, low and high (95 %), in units of x; infinite where none is.
        Raises FitError where the law has no peak."""
        return self.fit.peak

    @property
    def lack_of_fit(self) -> LackOfFit:
        """Specs of equal x against the law, an F test with df, pure_df, f and p; NaN where too few have equal x."""
        return claims.lack_of_fit(self.fit)

    @property
    def residuals(self) -> pd.DataFrame:
        """One row per point, which is a spec's mean over its repeats.

        Returns
            x and y under their names, fitted (ops/s), residual (ln y - ln fitted), lower_bound (whether something else
            than the server limited it), n_runs, and spec.
        """
        means, problem = self.fit.means, self.fit.problem
        frame = pd.DataFrame({
            self.x: problem.x, self.y: np.exp(problem.log_y), "fitted": np.exp(problem.log_y - self.fit.residuals),
            "residual": self.fit.residuals, "lower_bound": ~problem.exact, "n_runs": means["n_runs"].to_numpy(),
        })  # fmt: skip
        return frame.assign(spec=means["spec"].to_numpy()) if "spec" in means else frame

    def predict(self, x: object, *, interval: str = "curve") -> pd.DataFrame:
        """The throughput at x.

        Parameters
            x: one value or many, > 0.
            interval: curve (95 % of the law's mean) or run (of a new run on a new spec).
        Returns
            x and y under their names; low, high (ops/s; NaN: the points cannot tell); extrapolated: whether x lies
            outside the points shown to be the server's own (of all points, where nothing shows what limits them), as
            one that was measured as a lower bound may; interval_law, the law that low and high are of: outside it is
            the usl, widened to hold this law's value, as laws that agree inside part there.
        Raises
            FitError: x is not positive, or no such interval.
        """
        predicted = self.fit.predict(x, interval=interval)
        names = {self.fit.x: self.x, "fitted": self.y, "conf_low": "low", "conf_high": "high"}
        return predicted.rename(columns=names)

    def summary(self, lang: str = "en") -> str:
        """What the law says, its parameters with 95 % intervals, what may be claimed, lack of fit, as text (en, zh)."""
        return "\n".join([self._title(lang), "", self._table().to_string(), "", *self._sentences(lang)])

    def plot(self, lang: str = "en") -> Figure:
        """The points, the law with its 95 % band, dashed beyond what was measured; in the style of the reports. Where
        the points cannot tell the law there is no curve, unless it was asked for by name."""
        at = places(self.fit.problem.x)
        curve = self.fit.curve(at).assign(
            cores=at, group="", threads=self._threads, outcome=self.rows["outcome"].iloc[0]
        )
        rows = self.rows.assign(cores=self.rows[self.fit.x], threads=self._threads, spec_label="")
        rows["bound"] = lower_bounds(rows) if self.fit.x == "cores" else False
        flagged = dict.fromkeys(rows.loc[rows["left_out"], "run_id"], 0)
        with style.picture(_HEIGHT, _WIDTH) as (picture, axes):
            more = {"law": self.law, "title": self._finding(lang)}
            if self.verdict.key == "not-identifiable":
                curve, more = curve[:0], {"title": messages.text("fit-none", lang, x=self.fit.x)}
            plots.facet(axes, rows, curve, flagged=flagged, lang=lang, **more)
            self._label(axes, lang)
        return picture

    def plot_residuals(self, lang: str = "en") -> Figure:
        """How far each point lies from the law, in per cent; lower bounds are faint."""
        means = self.fit.means
        frame = pd.DataFrame({
            "cores": self.fit.problem.x, "threads": self._threads, "residual": self.fit.residuals,
            "measured": self.fit.problem.exact, "ram_gib": means.get("ram_gib", np.nan),
        })  # fmt: skip
        with style.picture(_HEIGHT, _WIDTH) as (picture, axes):
            plots.residuals(axes, frame, title=self._finding(lang), lang=lang)
            self._label(axes, lang)
        return picture

    def __repr__(self) -> str:
        return f"<FittedLaw {self.law}: {self.y} over {self.x}, {len(self.fit.means)} points; summary() says more>"

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{escape(sentence)}</p>" for sentence in self._sentences("en"))
        return f"<div><p><b>{escape(self._title('en'))}</b></p>{self._table().to_html()}{lines}</div>"

    @property
    def _threads(self) -> float:
        """The thread count of the whole series; NaN where threads are what varies, and of each spec at its own."""
        threads = float(self.rows["threads"].iloc[0])
        return float("nan") if self.fit.x == "threads" or threads == OWN_THREADS else threads

    def _label(self, axes, lang: str) -> None:
        if self.fit.x == "threads":
            axes.set_xlabel(messages.text("plot-threads", lang))

    def _title(self, lang: str) -> str:
        return messages.text("fit-title", lang, law=self.law, x=self.fit.x, n=len(self.fit.means), runs=len(self.rows))

    def _finding(self, lang: str) -> str:
        first, last = self.fit.range
        ends = self.fit.predict([first, last], interval=None)["fitted"]
        names = {"law": self.law, "x": self.fit.x, "first": first, "last": last, "claimed": self.is_claimed}
        return messages.text("fit-finding", lang, low=ends.iloc[0], high=ends.iloc[1], **names)

    def _table(self) -> pd.DataFrame:
        table = self.parameters.set_index("term").rename_axis(None)
        names = {"estimate": "estimate", "std_error": "std. error", "conf_low": "2.5 %", "conf_high": "97.5 %"}
        return table.rename(columns=names).map(significant)[list(names.values())]

    def _sentences(self, lang: str) -> list[str]:
        test = self.lack_of_fit
        left_out = int(self.rows["left_out"].sum())
        parts = [
            self.sentence,
            fact("fit-verdict", verdict=self.verdict),
            fact("fit-lack", x=self.fit.x, p=test.p, shown=bool(test.p < claims.LACK_OF_FIT)),
            fact("fit-left-out", n=left_out),
            fact("fit-other-rows", n=self.n_rows - len(self.rows)),
        ]
        return [sentence for sentence in (messages.say(part, lang) for part in parts) if sentence]
