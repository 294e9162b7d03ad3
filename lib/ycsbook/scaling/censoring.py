"""Points that are only lower bounds of what the server can do, and least squares that respects them.

A point that the number of client threads held back says "at least so much". Its residual is the square root of its
deviance in the censored normal model (Tobit): none where the law lies far above it, the plain distance where the law
lies below. Squares of such residuals add to those of measured points, so the solver and the profile intervals stay
as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.special import log_ndtr

from ycsbook.scaling.profile import Problem

# Beyond so many standard errors above a bound the residual underflows, and its derivative is 0 / 0.
_FAR_ABOVE = 8.0
_LN_SQRT_2PI = 0.5 * np.log(2 * np.pi)


def lower_bound_residual(above: np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Signed-root deviance of lower bounds, and its derivative.

    Parameters
        above: ln fitted - ln bound, any shape.
        error: the residual standard error of ln X, > 0.
    Returns
        error * sqrt(-2 ln Phi(above / error)), and its derivative in `above`; both 0 far above the bound.
    References
        Tobin (1958), Econometrica 26; deviance residuals: McCullagh and Nelder (1989), Generalized Linear Models, 2.4.
    Examples
        >>> [round(float(v), 3) for v in lower_bound_residual(np.array([-0.3, 0.0, 0.3]), 0.03)[0]]
        [0.31, 0.035, 0.0]
    """
    z = above / error
    near = z < _FAR_ABOVE
    z = np.where(near, z, 0.0)
    log_tail = log_ndtr(z)
    root = np.sqrt(-2 * log_tail)
    slope = -np.exp(-0.5 * z**2 - _LN_SQRT_2PI - log_tail) / root
    return np.where(near, error * root, 0.0), np.where(near, slope, 0.0)


@dataclass(frozen=True)
class Observed(Problem):
    """A problem some of whose points are lower bounds, and whose law may have a factor for each point.

    Attributes
        censored: (n,) bool, True for a lower bound.
        error: standard error of ln X that decides how soft a bound is.
        covariates: (n, q): the law's last q parameters times these are added to ln X (RAM).
    """

    censored: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    error: float = 1.0
    covariates: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def model(self, anchor: np.ndarray, weight: np.ndarray | None = None) -> Callable:
        """Residuals and Jacobian for parameters (c, theta), one anchor per problem."""
        plain = super().model(anchor)
        bounds, extra = np.flatnonzero(self.censored), self.covariates.shape[1]

        def residuals(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            residual, jacobian = plain(parameters)
            if extra:
                residual = residual + parameters[:, -extra:] @ self.covariates.T
                jacobian[..., -extra:] += self.covariates
            if len(bounds):
                softened, slope = lower_bound_residual(residual[:, bounds], self.error)
                residual[:, bounds] = softened
                jacobian[:, bounds] *= slope[..., None]
            if weight is not None:
                residual, jacobian = residual * weight, jacobian * weight[..., None]
            return residual, jacobian

        return residuals

    def log_fitted(self, best: np.ndarray) -> np.ndarray:
        """ln of the fitted throughput at each point."""
        g, _ = self.law.log_shape(self.x, best[None, 1:])
        extra = self.covariates.shape[1]
        return best[0] + g[0] + (self.covariates @ best[-extra:] if extra else 0.0)

    @property
    def exact(self) -> np.ndarray:
        """(n,) bool: the points that are measurements."""
        return ~self.censored
