"""RAM beside cores: left to the scatter, as a factor for each ratio of RAM to cores, or as a power of RAM."""

from dataclasses import replace

import numpy as np
import pandas as pd

from ycsbook.errors import FitError, shown
from ycsbook.scaling.laws import Law

WAYS = ("apart", "group", "covariate")


def with_ram(law: Law, means: pd.DataFrame, ram: str) -> tuple[Law, np.ndarray]:
    """The law with its terms for RAM, and what they multiply at each point.

    Parameters
        means: spec means: cores, ram_gib.
        ram: `apart` - specs that differ in RAM are points of one curve, and RAM adds to their scatter; `group` - one
            curve's shape, and a factor of its own for each ratio of RAM to cores against the commonest ratio;
            `covariate` - X is also proportional to a power of RAM, and the curve is that of the median RAM.
    Returns
        (law, covariates (n, q)): ln X gains covariates @ the law's last q parameters.
    Raises
        FitError: no such way, RAM unknown, or RAM that follows from the cores, so that they cannot be told apart.
    """
    if ram not in WAYS:
        raise FitError(f"ram: got {shown(ram)}, expected one of {', '.join(WAYS)}")
    if ram == "apart":
        return law, np.zeros((len(means), 0))
    gib = means["ram_gib"].to_numpy(float) if "ram_gib" in means else np.full(len(means), np.nan)
    if not (gib > 0).all():
        raise FitError(f'ram="{ram}": the RAM of {int((~(gib > 0)).sum())} of {len(gib)} specs is not known')
    columns = _power(gib) if ram == "covariate" else _ratios(means, gib)
    cores = np.log(means["cores"].to_numpy(float)) if "cores" in means else np.zeros(len(means))
    design = np.column_stack([np.ones(len(gib)), cores, *columns.values()])
    if np.linalg.matrix_rank(design) < 2 + len(columns) or not columns:
        raise FitError(
            f'ram="{ram}": RAM follows from the cores here ({len(columns) + 1} ratios of GiB to cores), so the two '
            'cannot be told apart; measure specs of equal cores with different RAM, or use ram="apart"'
        )
    return _extended(law, tuple(columns)), np.column_stack(list(columns.values()))


def _power(gib: np.ndarray) -> dict[str, np.ndarray]:
    centred = np.log(gib / np.median(gib))
    return {"ram_exponent": centred} if centred.any() else {}


def _ratios(means: pd.DataFrame, gib: np.ndarray) -> dict[str, np.ndarray]:
    ratio = np.round(gib / means["cores"].to_numpy(float), 6)
    values, counts = np.unique(ratio, return_counts=True)
    reference = values[counts.argmax()]
    return {f"ln_factor {v:g} GiB/core": (ratio == v).astype(float) for v in values if v != reference}


def _extended(law: Law, names: tuple[str, ...]) -> Law:
    """The same shape with parameters that it does not depend on: they act at the points."""
    q = len(names)

    def log_shape(p: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, gradient = law.log_shape(p, theta[..., :-q])
        return g, np.concatenate([gradient, np.zeros((*g.shape, q))], axis=-1)

    return replace(
        law, terms=(*law.terms, *names), low=(*law.low, *[-np.inf] * q), high=(*law.high, *[np.inf] * q),
        starts=tuple((*start, *[0.0] * q) for start in law.starts), log_shape=log_shape,
    )  # fmt: skip
