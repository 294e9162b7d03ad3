"""A spec's name against its columns."""

import pytest
from page_samples import own_table

from ycsbook import anomalies, messages, named_tables, trust


@pytest.mark.parametrize(
    ("spec", "cores", "ram", "said"),
    [
        ("8c32g", 16, 32, "spec 8c32g is said to have 16 cores and 32 GiB of RAM"),
        ("8核32GB", 8, 64, "is said to have 8 cores and 64 GiB of RAM"),
        ("8c32g", 16, "", "spec 8c32g is said to have 16 cores"),
        ("8c32g", 8, 29.8, ""),  # 32 GB
        ("8c32g", 8, "", ""),
        ("c5.2xlarge", 16, 32, ""),  # no size
        ("8c32g x2", 16, 64, ""),  # of two
    ],
)
def test_a_name_that_contradicts_its_columns_is_warned_of_and_in_doubt(tmp_path, spec, cores, ram, said):
    rows = [f"{spec},{cores},{ram},{t},a,{y}" for t, y in ((64, 29851), (128, 29350))]
    rows += [f"4c16g,4,16,{t},a,{y}" for t, y in ((64, 15506), (128, 15605))]
    tables = named_tables.read(own_table(tmp_path, "spec,cores,ram_gib,threads,workload,qps", rows))
    found = anomalies.find(tables)
    told = messages.worded(found).query("rule == 'spec_label'")
    assert [(row["severity"], said in row["message"]) for _, row in told.iterrows()] == (
        [("warning", True)] * bool(said)
    )
    assert trust.grades(tables.runs, found).tolist() == ["D" if said else "C"] * 2 + ["C"] * 2
