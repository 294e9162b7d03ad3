"""How much one more run would save of a law's interval: its design."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ycsbook.scaling.cells import student_t
from ycsbook.scaling.laws import LAWS
from ycsbook.scaling.points import SHAPE

GOAL = "goal"


@dataclass(frozen=True)
class Design:
    """A group's law, linear in its parameters near its fit: its points' rows of J (n, k), and the gradient (k,) of what
    is to be known. points: spec, cores, ram_gib and n_runs of each row. term: what is to be known: goal, kappa or
    exponent. law, theta: the law and its shape's parameters. scatter: s, of ln X. Source: Atkinson, Donev and Tobias
    (2007), Optimum Experimental Designs, with SAS, ch. 17."""

    law: str
    theta: np.ndarray
    points: pd.DataFrame
    jacobian: np.ndarray
    gradient: np.ndarray
    term: str
    scatter: float

    @property
    def width(self) -> float:
        """Half the interval's width in units of s: t sqrt(g' (J'J)^-1 g), t with n - k degrees of freedom."""
        n, k = self.jacobian.shape
        inverse = np.linalg.pinv(self.jacobian.T @ self.jacobian, hermitian=True)
        variance = float(self.gradient @ inverse @ self.gradient)
        return float(student_t(n - k)) * float(np.sqrt(max(variance, 0.0)))

    def saved_by(self, other: "Design") -> float:
        """The share of the interval's width that another design saves; the scatter s is taken as it is."""
        return 1 - other.width / self.width if self.width > 0 else 0.0

    def with_point(self, shape: dict) -> "Design":
        """With one more spec: spec, cores and ram_gib."""
        row = _jacobian(self.law, self.theta, np.array([shape["cores"]]))
        points = pd.concat([self.points, pd.DataFrame([{**shape, "n_runs": 1.0}])], ignore_index=True)
        return replace(self, points=points, jacobian=np.vstack([self.jacobian, row]))

    def with_repeat(self, i: int, variance: float) -> "Design":
        """With one more repeat of point i, the variance between repeats of ln X being known: a spec's mean misses the
        law by the scatter between specs and by its repeats' noise; only the latter shrinks."""
        runs = float(self.points["n_runs"].iloc[i])
        remaining = 1 - variance / max(self.scatter**2, 1e-300) * (1 / runs - 1 / (runs + 1))
        jacobian = self.jacobian.copy()
        jacobian[i] /= np.sqrt(max(remaining, runs / (runs + 1)))
        n_runs = self.points["n_runs"].to_numpy(float) + (np.arange(len(self.points)) == i)
        return replace(self, points=self.points.assign(n_runs=n_runs), jacobian=jacobian)


def design_of(tidy: pd.DataFrame, glance: pd.DataFrame, points: pd.DataFrame, goal: float | None) -> Design | None:
    """The USL where it could be fitted, else the power law; None where neither could. tidy, glance: fit_tidy and
    fit_glance of one group. points: fit_augment of it, without lower bounds. goal: ops/s that are wanted; None: the
    term that decides the claim is aimed at."""
    for law, term in (("usl", "kappa"), ("power", "exponent")):
        terms = tidy[tidy["law"] == law].set_index("term")["estimate"]
        if terms.empty or (law == "usl" and points["cores"].min() < 1):
            continue
        theta, cores = terms[list(LAWS[law].terms)].to_numpy(float), points["cores"].to_numpy(float)
        jacobian = _jacobian(law, theta, cores)
        if len(cores) <= jacobian.shape[1] or np.linalg.matrix_rank(jacobian) < jacobian.shape[1]:
            continue
        if goal:
            # The cores at which the law first reaches the goal, at most twice the measured ones.
            grid = np.geomspace(cores.min(), 2 * cores.max(), 257)
            g, _ = LAWS[law].log_shape(grid, theta[None, :])
            reached = np.log(float(terms["lambda"])) + g[0] >= np.log(goal)
            at = grid[reached.argmax() if reached.any() else -1]
            aim, gradient = GOAL, _jacobian(law, theta, np.array([at]))[0]
        else:
            aim, gradient = term, np.eye(jacobian.shape[1])[1 + LAWS[law].terms.index(term)]
        scatter = float(glance.loc[glance["law"] == law, "residual_se"].iloc[0])
        shapes = points[[*SHAPE, "n_runs"]].reset_index(drop=True)
        return Design(law, theta, shapes, jacobian, gradient, aim, scatter)
    return None


def _jacobian(law: str, theta: np.ndarray, cores: np.ndarray) -> np.ndarray:
    _, gradient = LAWS[law].log_shape(cores, theta[None, :])
    return np.concatenate([np.ones((len(cores), 1)), gradient[0]], axis=1)
