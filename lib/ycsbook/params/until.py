"""`until`: what a sweep is to find out, after which it stops, and what it may cost."""

from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from ycsbook import units
from ycsbook.params.values import Amount, Seconds, Strict

# Closer than this no client measures; further apart than this nothing is known.
_Share = Annotated[float, BeforeValidator(units.share), Field(ge=0.001, le=0.5)]
GOALS = ("factor", "regression", "qps")


class Goal(Strict):
    """One of three questions.

    Parameters
        factor: by what a doubling of cores multiplies throughput, to this share on either side.
        regression: whether more threads lose this share of throughput, for every spec and mix.
        qps: which spec is the smallest, or with prices the cheapest, that delivers so many ops/s.
    """

    factor: _Share | None = None
    regression: _Share | None = None
    qps: Amount | None = None

    @model_validator(mode="after")
    def _one(self) -> "Goal":
        if sum(getattr(self, name) is not None for name in GOALS) != 1:
            raise ValueError(f"expected one of {', '.join(GOALS)}, such as {{factor: 10 %}}")
        return self

    def __str__(self) -> str:
        name, value = next((name, value) for name in GOALS if (value := getattr(self, name)) is not None)
        return f"{name} {value:,.12g}" if name == "qps" else f"{name} {100 * value:.4g} %"


class Until(Strict):
    """The question of a sweep, and what the answer may cost at most: time of measuring, and the sum of the specs'
    prices per hour; without either, as much as every run of the plan."""

    goal: Goal
    max_hours: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_cost: Amount | None = None


def require_answerable(sweep, run_s: Seconds) -> None:
    """Refuse what no number of runs answers, or no run is left for.

    Parameters
        sweep: a Sweep with `until`. run_s: how long its shortest run takes, s.
    Raises
        ValueError: one line that names `until`, what was found and what was expected.
    """
    until, goal = sweep.until, sweep.until.goal
    if sweep.experiment != "ycsb" or sweep.vary or sweep.search_rate or sweep.server.kind == "published":
        other = next((n for n in ("vary", "search_rate") if getattr(sweep, n)), f"experiment {sweep.experiment}")
        raise ValueError(f"until: chooses among specs, workloads and threads alone, got {other}; leave one of them out")
    if goal.factor is not None and len({spec.cores for spec in sweep.specs}) < 2:
        raise ValueError("until: goal factor needs specs of two core counts or more; got one, which no growth shows in")
    if goal.regression is not None and len(sweep.threads) < 2 and not sweep.ladder:
        raise ValueError(f"until: goal regression compares thread counts; got threads: {list(sweep.threads)}")
    if until.max_hours is not None and until.max_hours * units.SECONDS_PER_HOUR < run_s:
        raise ValueError(
            f"until: max_hours: got {until.max_hours:g}, expected {run_s / units.SECONDS_PER_HOUR:.3g} at least: one "
            f"run takes {units.duration(run_s)}"
        )
    if until.max_cost is None:
        return
    if unpriced := [spec.name for spec in sweep.specs if spec.name not in sweep.prices]:
        raise ValueError(f"until: max_cost needs the price per hour of every spec; prices lacks {', '.join(unpriced)}")
    dearest = max(sweep.prices.values()) * run_s / units.SECONDS_PER_HOUR
    if until.max_cost < dearest:
        raise ValueError(f"until: max_cost: got {until.max_cost:g}, expected {dearest:.3g} at least: what one run of "
                         "the dearest spec costs")  # fmt: skip
