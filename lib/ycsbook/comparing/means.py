"""One row per workload and thread count: the mean ratio over specs, which says more than each spec alone.

Single cells carry all the scatter between specs; their mean carries it divided by their number.
"""

from collections.abc import Iterator

import numpy as np

from ycsbook.comparing.sides import Side
from ycsbook.scaling.pairs import SMALLEST_VARIANCE

# With fewer differences than this their mean has no error worth the name.
FEWEST = 3


def means(a: Side, b: Side, rows: list[dict]) -> Iterator[dict]:
    """The mean ratio of each workload and thread count: over equal specs, else of a's specs to b's law.

    Over equal specs: the mean of ln ratios with its t interval, n - 1 degrees of freedom. By the law: the mean
    distance of a's specs from b's law, with the error of that law where a's specs have their (geometric) mean cores.

    Parameters
        rows: the cells of a against b, as ratios.compare makes them; those with a reason are left out.
    Returns
        Rows without ratio, with `difference` (mean of ln b - ln a) and `spreads`: variance and degrees of freedom of
        each part of its error.
    """
    sound = [row for row in rows if not row["reason"] and np.isfinite(row["ratio"])]
    for key in dict.fromkeys((row["workload"], row["threads"]) for row in sound):
        group = [row for row in sound if (row["workload"], row["threads"]) == key]
        equal = [float(np.log(row["ratio"])) for row in group if row["basis"] == "spec"]
        if len(equal) >= FEWEST:
            difference, basis, law_part = np.array(equal), "mean of specs", (0.0, np.inf)
        else:
            cells = a.groups[key].set_index("spec").loc[[row["spec_a"] for row in group]]
            if len(cells) < FEWEST or cells["cores"].isna().any() or not b.spans(*key, cells["cores"]):
                continue
            fitted, _ = b.law_at(*key, cells["cores"].to_numpy(float))
            difference, basis = fitted - cells["log_y"].to_numpy(float), "mean by law"
            _, error = b.law_at(*key, np.exp(np.log(cells[["cores"]]).mean().to_numpy(float)))
            law_part = (float(error[0] ** 2), b.law(*key).df)
        own = max(difference.var(ddof=1) / len(difference), SMALLEST_VARIANCE), len(difference) - 1
        yield {
            "a": a.name, "b": b.name, "workload": key[0], "spec_a": "", "spec_b": "", "threads": key[1],
            "evidence": group[0]["evidence"], "basis": basis, "reason": "",
            "difference": float(difference.mean()), "spreads": [own, law_part],
        }  # fmt: skip
