"""The scaling laws X(p) = lambda * exp(g(p)): throughput over cores, each with lambda = X(1).

Every law is lambda, the throughput of one core, times a shape without unit that is 1 at p = 1. A law here is that
shape's logarithm with its gradient, its parameters' bounds, where a search starts, and where it comes from.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Shape = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Law:
    """One law.

    Attributes
        name, formula, reference: for people.
        terms: names of the shape's parameters, lambda left out.
        low, high: bounds of those parameters.
        starts: where the search begins; the best end is kept.
        log_shape: (p of shape (..., n), theta of shape (..., m)) -> (g of shape (..., n), its gradient
            (..., n, m)); not finite where the shape is not positive.
        min_x: fewest distinct core counts for which the law may be claimed.
        min_df: fewest residual degrees of freedom for the same.
    """

    name: str
    formula: str
    terms: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    starts: tuple[tuple[float, ...], ...]
    log_shape: Shape
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


def usl_peak(sigma: float, kappa: float) -> float:
    """The core count where the USL is highest: sqrt((1 - sigma) / kappa); infinite without crosstalk.

    Examples
        >>> round(usl_peak(0.02671591, 7.690945e-4), 1)
        35.6
    """
    return float("inf") if kappa <= 0 else float(np.sqrt(max(1 - sigma, 0.0) / kappa))
