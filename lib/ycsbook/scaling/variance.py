"""The noise of a run: ln X = cell + round + run, estimated over all repeated cells of a dataset at once."""

import numpy as np
import pandas as pd

from ycsbook.scaling.cells import CELL, Noise


def run_noise(rows: pd.DataFrame) -> Noise:
    """The noise of a run, pooled over cells; variance NaN and df 0 without repeats.

    A round is what all cells have in common when a sweep goes over them once more: a host that is slow for an hour
    makes a whole round slow, and is no noise of a cell. Rounds are taken out where they were recorded.

    Parameters
        rows: one row per run: y (ops/s), the columns of CELL, and `repeat`, the number of the round.
    """
    rows = rows[rows["y"] > 0]
    # Logs whose server is unknown are nobody's repeats; a cell of one run says nothing and would only be a column more.
    rows = rows.assign(spec=rows["spec"].where(rows["spec"] != "", rows["run_id"]))
    rows = rows[rows.groupby(CELL, dropna=False)["y"].transform("size") > 1]
    if rows.empty:
        return Noise(float("nan"), 0)
    cells = rows.groupby(CELL, dropna=False).ngroup().to_numpy()
    rounds = pd.factorize(rows["repeat"].fillna(1.0))[0]
    design = np.column_stack([_indicators(cells), _indicators(rounds)[:, 1:]])
    log_y = np.log(rows["y"].to_numpy(float))
    coefficients, _, rank, _ = np.linalg.lstsq(design, log_y, rcond=None)
    df = len(rows) - int(rank)
    if df < 1:
        return Noise(float("nan"), 0)
    return Noise(float(np.square(log_y - design @ coefficients).sum() / df), df)


def _indicators(codes: np.ndarray) -> np.ndarray:
    return (codes[:, None] == np.arange(codes.max() + 1)).astype(float)
