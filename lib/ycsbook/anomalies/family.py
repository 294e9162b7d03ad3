"""What is usual in a family of figures, so that a few wrong ones do not hide themselves."""

from dataclasses import dataclass

import numpy as np

# The median absolute deviation of a normal distribution is 1 / 1.4826 of its standard deviation.
MAD_TO_SD = 1.4826


@dataclass(frozen=True)
class Family:
    """Median and robust standard deviation of some figures."""

    median: float
    sd: float

    @classmethod
    def of(cls, values: np.ndarray, least_sd: float) -> "Family":
        """The family of these values.

        Parameters
            values: at least one number, no NaN.
            least_sd: the standard deviation is taken to be no less: where most values agree to the last digit the
                deviation of the others would have no measure.
        References
            Hampel (1974), The influence curve and its role in robust estimation, JASA 69, 383-393.
        Examples
            >>> Family.of(np.array([1.0, 2.0, 3.0, 4.0, 100.0]), 0.1)
            Family(median=3.0, sd=1.4826)
        """
        median = float(np.median(values))
        return cls(median, max(float(MAD_TO_SD * np.median(np.abs(values - median))), least_sd))

    def deviations(self, values: np.ndarray) -> np.ndarray:
        """How many robust standard deviations values lie above the median."""
        return (values - self.median) / self.sd
