"""What a million operations cost."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.units import SECONDS_PER_HOUR

MILLION = 1e6


def per_million(points: pd.DataFrame, prices: Mapping[str, float]) -> pd.DataFrame:
    """The points with the cost of a million operations: price per hour / (3,600 X) x 10^6, and its interval from X's.

    Parameters
        points: one row per spec: spec, fitted (ops/s), run_low, run_high (its 95 % interval for a new server, ops/s;
            NaN where unknown). A server in less than full use costs as much per hour for fewer operations.
        prices: price per hour by spec, in any one currency. A spec without a price gets NaN.
    Returns
        points with price_per_hour, cost_per_million, cost_low and cost_high, in that currency.
    Raises
        FitError: there is no price at all, or one that is not a number > 0.
    Examples
        >>> points = pd.DataFrame({"spec": ["8c64g"], "fitted": [50e3], "run_low": [40e3], "run_high": [60e3]})
        >>> per_million(points, {"8c64g": 0.9})[["cost_per_million", "cost_low", "cost_high"]].iloc[0].round(4).tolist()
        [0.005, 0.0042, 0.0062]
    """
    if not prices:
        raise FitError("cost: no prices are known; add 'prices: {spec: amount per hour}' to the params file")
    for spec, amount in prices.items():
        if not (np.isfinite(amount) and amount > 0):
            raise FitError(f"cost: got {amount:g} per hour as the price of {spec}, expected a number > 0")
    price = points["spec"].map(lambda spec: prices.get(spec, np.nan)).astype(float)
    per_hour = {
        c: points[x] * SECONDS_PER_HOUR / MILLION
        for c, x in (("cost_per_million", "fitted"), ("cost_low", "run_high"), ("cost_high", "run_low"))
    }
    return points.assign(price_per_hour=price, **{c: price / millions for c, millions in per_hour.items()})
