"""A law that another package adds: the example of docs/extending.md, installed as packages are."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from ycsbook import messages, paths
from ycsbook.errors import FitError
from ycsbook.scaling import LAWS, fit, laws, select
from ycsbook.store import parquet
from ycsbook.tables import from_rows

EXAMPLE = (paths.REPOSITORY / "docs" / "extending.md").read_text(encoding="utf-8").partition("## Laws")[2]
CORES = np.array([1, 2, 3, 4, 6, 8, 12, 16], dtype=float)
LEVELLING = 1e4 * (1 - np.exp2(-CORES / 2.5)) * np.exp(0.01 * np.resize([1, -1, -1, 1], len(CORES)))


def install(folder, module="levelling:levelling"):
    (folder / "levelling.py").write_text(re.search(r"```python\n(.*?)```", EXAMPLE, re.DOTALL)[1])
    metadata = folder / "levelling-0.1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: levelling\nVersion: 0.1\n")
    (metadata / "entry_points.txt").write_text(f"[ycsbook.laws]\nlevelling = {module}\n")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install the example, with what its entry point names."""

    def of(module="levelling:levelling"):
        install(tmp_path, module)
        monkeypatch.syspath_prepend(str(tmp_path))
        laws.all_laws.cache_clear()

    yield of
    sys.modules.pop("levelling", None)
    laws.all_laws.cache_clear()


def points():
    return pd.DataFrame({"cores": CORES, "spec": [f"{c:g}c" for c in CORES], "goodput_ops_s": LEVELLING})


def test_it_is_fitted_chosen_and_named(installed):
    installed()
    assert list(laws.all_laws()) == [*LAWS, "levelling"]
    half = fit(points(), "levelling").parameters.set_index("term").loc["half"]
    assert half["conf_low"] < 2.5 < half["conf_high"]
    choice = select(points())
    assert (choice.law, choice.verdict.key) == ("levelling", "claimed")
    assert "the levelling law gives" in messages.say(choice.sentence)
    assert "levelling模型" in messages.say(choice.sentence, "zh")


def test_a_measured_gradient_is_the_given_one():
    def gradient(p, e):
        return (np.log(p) + 0 * e)[..., None]

    given = laws.law("a", "", lambda p, e: p**e, {"e": (0.0, 2.0, 0.5)}, gradient=gradient)
    measured = laws.law("b", "", lambda p, e: p**e, {"e": (0.0, 2.0, 0.5)})
    theta = np.array([[0.7], [1.3]])
    assert measured.log_shape(CORES, theta)[0] == pytest.approx(LAWS["power"].log_shape(CORES, theta)[0])
    assert measured.log_shape(CORES, theta)[1] == pytest.approx(LAWS["power"].log_shape(CORES, theta)[1], abs=1e-6)
    assert given.log_shape(CORES, theta)[1] == pytest.approx(LAWS["power"].log_shape(CORES, theta)[1])


def test_the_command_and_the_tables_have_it(tmp_path):
    site, tables = tmp_path / "site", tmp_path / "tables"
    site.mkdir()
    install(site)
    rows = points().assign(run_id=points()["spec"], workload="a", threads=64.0, phase="run", outcome="completed")
    parquet.write({"runs": from_rows(rows.to_dict("records"), "runs")}, tables)
    command = [sys.executable, "-c", "from ycsbook import cli; cli.main()", "scaling", str(tables), "--json"]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    fits = {row["law"]: row for row in json.loads(done.stdout)["fits"]}
    assert set(fits) == {*LAWS, "levelling"}
    assert fits["levelling"]["residual_se"] < 0.02


@pytest.mark.parametrize("module", ["levelling:shape", "levelling:nothing", "nowhere:law"])
def test_what_is_no_law_is_refused_with_its_package(installed, module):
    installed(module)
    with pytest.raises(FitError, match="the law 'levelling' of the package levelling"):
        laws.all_laws()
