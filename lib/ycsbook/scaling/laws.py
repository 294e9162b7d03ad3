"""The scaling laws X(p) = lambda * exp(g(p)): throughput over cores, each with lambda = X(1).

Every law is lambda, the throughput of one core, times a shape without unit that is 1 at p = 1. A law here is that
shape's logarithm with its gradient, its parameters' bounds, where a search starts, and where it comes from. Other
packages add laws by the entry point group `ycsbook.laws`; `law` makes one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from ycsbook.errors import FitError

GROUP = "ycsbook.laws"
# How far a term is moved to measure a gradient that a law does not give, as a share of it.
_STEP = 1e-6

LogShape = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Law:
    """One law.

    Attributes
        name, formula, reference: for people.
        terms: names of the shape's parameters, lambda left out; low, high: their bounds; starts: where a search begins.
        log_shape: (p of shape (..., n), theta of shape (..., m)) -> (g of shape (..., n), its gradient
            (..., n, m)); not finite where the shape is not positive.
        min_x, min_df: fewest distinct core counts, and residual degrees of freedom, for which the law may be claimed.
    """

    name: str
    formula: str
    terms: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    starts: tuple[tuple[float, ...], ...]
    log_shape: LogShape
    min_x: int
    min_df: int
    reference: str

    @property
    def parameters(self) -> int:
        """How many parameters the law has, lambda included."""
        return 1 + len(self.terms)


def _linear(p: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    g = np.log(p) + np.zeros((*theta.shape[:-1], 1))
    return g, np.zeros((*g.shape, 0))


def _power(p: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    log_p = np.log(p) + np.zeros((*theta.shape[:-1], 1))
    return theta[..., :1] * log_p, log_p[..., None]


def _usl(p: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    contention, crosstalk = p - 1, p * (p - 1)
    below = 1 + theta[..., :1] * contention + theta[..., 1:2] * crosstalk
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.log(p) - np.log(below), np.stack([-contention / below, -crosstalk / below], axis=-1)


def _amdahl(p: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    g, gradient = _usl(p, np.concatenate([theta, np.zeros_like(theta)], axis=-1))
    return g, gradient[..., :1]


LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        Law("linear", "X(p) = lambda p", (), (), (), ((),), _linear, 3, 1, "proportional scaling"),
        Law(
            "power", "X(p) = lambda p^exponent", ("exponent",), (-2.0,), (4.0,), ((1.0,),), _power, 3, 1,
            "constant elasticity: the exponent is d ln X / d ln p",
        ),
        Law(
            "amdahl", "X(p) = lambda p / (1 + sigma (p - 1))", ("sigma",), (0.0,), (1.0,),
            ((0.005,), (0.1,), (0.7,)), _amdahl, 4, 2, "Amdahl (1967), AFIPS 30",
        ),
        Law(
            "usl", "X(p) = lambda p / (1 + sigma (p - 1) + kappa p (p - 1))", ("sigma", "kappa"), (0.0, 0.0),
            (1.0, 1.0), tuple((s, k) for s in (0.001, 0.05, 0.5) for k in (1e-5, 1e-3, 3e-2)), _usl, 5, 3,
            "Gunther (2007), Guerrilla Capacity Planning, ch. 4-6",
        ),
    )
}  # fmt: skip


@cache
def all_laws() -> dict[str, Law]:
    """The laws above and those of other packages, by name. Raises FitError: what a package adds is not a law, or has
    the name of another."""
    # It takes longer to load than a fit.
    from importlib.metadata import entry_points

    laws = dict(LAWS)
    for entry in entry_points(group=GROUP):
        where = f"the law {entry.name!r} of the package {entry.dist.name}"
        try:
            added = entry.load()
        except Exception as e:
            raise FitError(f"{where}: {entry.value} cannot be imported: {type(e).__name__}: {e}") from e
        if not isinstance(added, Law):
            raise FitError(f"{where}: got {type(added).__name__}, expected what ycsbook.scaling.law returns")
        if added.name in laws:
            raise FitError(f"{where}: there is a law {added.name!r} already; give it another name")
        laws[added.name] = added
    return laws


def law(
    name: str, formula: str, shape: Callable[..., np.ndarray], terms: Mapping[str, tuple[float, float, float]],
    *, gradient: Callable[..., np.ndarray] | None = None, reference: str = "",
) -> Law:  # fmt: skip
    """A law made from a plain function.

    Parameters
        name, formula, reference: for people.
        shape: (p, *terms) -> throughput in any unit, by numpy functions; positive inside the bounds.
        terms: by name the lowest value, the highest, and one where a search may begin.
        gradient: (p, *terms) -> d ln shape / d term, stacked on a last axis; None: it is measured by small steps.
    Examples
        >>> halving = law("halving", "X(p) = lambda p^a / 2", lambda p, a: p**a / 2, {"a": (0.0, 2.0, 0.8)})
        >>> halving.log_shape(np.array([1.0, 4.0]), np.array([0.5]))[0].round(4)
        array([0.    , 0.6931])
    """
    low, high, start = (tuple(float(bounds[i]) for bounds in terms.values()) for i in range(3))

    def log_of(p: np.ndarray, theta: np.ndarray) -> np.ndarray:
        columns = [theta[..., i : i + 1] for i in range(len(terms))]
        with np.errstate(all="ignore"):
            return np.log(shape(p, *columns)) - np.log(shape(np.ones(1), *columns))

    def slopes(p: np.ndarray, theta: np.ndarray) -> np.ndarray:
        steps = _STEP * np.maximum(np.abs(theta), _STEP)
        moved = [np.where(np.arange(len(terms)) == i, steps, 0.0) for i in range(len(terms))]
        return np.stack(
            [(log_of(p, theta + d) - log_of(p, theta - d)) / (2 * steps[..., i : i + 1]) for i, d in enumerate(moved)],
            axis=-1,
        )

    def given(p: np.ndarray, theta: np.ndarray) -> np.ndarray:
        columns = [theta[..., i : i + 1] for i in range(len(terms))]
        return gradient(p, *columns) - gradient(np.ones(1), *columns)

    def log_shape(p: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return log_of(p, theta), (slopes if gradient is None else given)(p, theta)

    return Law(name, formula, tuple(terms), low, high, (start,), log_shape, len(terms) + 3, len(terms) + 1, reference)


def usl_peak(sigma: float, kappa: float) -> float:
    """The core count where the USL is highest: sqrt((1 - sigma) / kappa); infinite without crosstalk.

    Examples
        >>> round(usl_peak(0.02671591, 7.690945e-4), 1)
        35.6
    """
    return float("inf") if kappa <= 0 else float(np.sqrt(max(1 - sigma, 0.0) / kappa))
