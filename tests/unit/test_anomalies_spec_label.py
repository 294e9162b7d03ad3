"""A spec's name against its columns."""

import pytest
from facts_in import holds
from page_samples import own_table

from ycsbook import anomalies, named_tables, trust
from ycsbook.messages import facts_of


@pytest.mark.parametrize(
    ("spec", "cores", "ram", "differ"),
    [
        ("8c32g", 16, 32, True),
        ("8核32GB", 8, 64, True),
        ("8c32g", 16, "", True),
        ("8c32g", 8, 29.8, False),  # 32 GB
        ("8c32g", 8, "", False),
        ("c5.2xlarge", 16, 32, False),  # no size
        ("8c32g x2", 16, 64, False),  # of two
    ],
)
def test_a_name_that_contradicts_its_columns_is_warned_of_and_in_doubt(tmp_path, spec, cores, ram, differ):
    rows = [f"{spec},{cores},{ram},{t},a,{y}" for t, y in ((64, 29851), (128, 29350))]
    rows += [f"4c16g,4,16,{t},a,{y}" for t, y in ((64, 15506), (128, 15605))]
    tables = named_tables.read(own_table(tmp_path, "spec,cores,ram_gib,threads,workload,qps", rows))
    found = anomalies.find(tables)
    told = found.query("rule == 'spec_label'")
    assert told["severity"].tolist() == ["warning"] * differ
    label = tables.runs["spec"].iloc[0]
    assert all(holds(of, "spec_label", spec=label, cores=cores, ram=ram or None) for of in facts_of(told, "message"))
    assert trust.grades(tables.runs, found).tolist() == ["D" if differ else "C"] * 2 + ["C"] * 2
