"""Numbers that were copied with a slip: all that differ from one in a single digit."""

import numpy as np


def one_digit_changed(values: np.ndarray) -> np.ndarray:
    """Every number that has one other digit than the given, in the same place, and as many digits.

    Digits after the decimal point stay as they are.

    Parameters
        values: (n,) numbers of at least 1; NaN gives NaN.
    Returns
        (n, m) with NaN where a row has fewer than the most.
    Examples
        >>> one_digit_changed(np.array([4287.0]))[0][[3, 35]]
        array([4283., 5287.])
        >>> int(np.isfinite(one_digit_changed(np.array([10.0]))).sum())
        17
    """
    values = np.asarray(values, dtype=float)
    known = np.isfinite(values) & (values >= 1)
    whole = np.where(known, values, 1.0)
    leading = np.floor(np.log10(whole) + 1e-12).astype(int)
    place = np.arange(int(leading.max(initial=0)) + 1)
    digit = np.floor(whole[:, np.newaxis] / 10.0**place) % 10
    other = np.arange(10.0)
    changed = whole[:, np.newaxis, np.newaxis] + (other - digit[..., np.newaxis]) * 10.0 ** place[:, np.newaxis]
    first = place == leading[:, np.newaxis]
    none = (
        (other == digit[..., np.newaxis])
        | (place > leading[:, np.newaxis])[..., np.newaxis]
        | (first[..., np.newaxis] & (other == 0))
        | ~known[:, np.newaxis, np.newaxis]
    )
    return np.where(none, np.nan, changed).reshape(len(values), place.size * other.size)
