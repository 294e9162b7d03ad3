"""Clients whose lines stand in one file, or in files that are not called client: one run where they worked at once."""

import pytest
from test_ingest_clean_logs import log
from test_ingest_go_ycsb import LOG as GO_LOG

from ycsbook import ingest
from ycsbook.ingest.archive import update


def alternating(forms, logs):
    pairs = zip(*(text.splitlines() for text in logs), strict=True)
    return "".join(f"{form}{line}\n" for pair in pairs for form, line in zip(forms, pair, strict=True))


CLIENTS = [log(reads=3000), log(reads=2400)]


@pytest.mark.parametrize(
    "forms",
    [("ycsb-1  | ", "ycsb-2  | "), ("[pod/ycsb-run-x7k2p/ycsb] ", "[pod/ycsb-run-9zq4d/ycsb] "), ("b-1: ", "b-2: ")],
)
def test_printers_called_alike_that_worked_at_once_are_clients_of_one_run(tmp_path, forms):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "x.log").write_text(alternating(forms, CLIENTS))
    (row,) = ingest.read(logs).runs.to_dict("records")
    assert (row["clients"], row["threads"], row["operations"]) == (2, 16, 9400)
    assert row["throughput_ops_s"] == pytest.approx(9400 / 30, rel=0.01)
    (remark,) = update([logs], tmp_path / "tables").remarks
    assert "worked at the same time by their clocks" in remark


@pytest.mark.parametrize(
    "forms",
    [("[alpha] mongo-a: ", "[alpha] redis-b: "), ("10.0.0.5: ", "10.0.0.6: "), ("[4c16g] ", "[8c16g] ")],
)
def test_printers_of_other_names_addresses_and_specs_are_runs_of_their_own(tmp_path, forms):
    (tmp_path / "x.log").write_text(alternating(forms, CLIENTS))
    assert ingest.read(tmp_path).runs["clients"].tolist() == [1, 1]


def test_a_printer_that_is_called_by_a_spec_says_it(tmp_path):
    (tmp_path / "x.log").write_text(alternating(("[4c16g] ", "[8c16g] "), CLIENTS))
    runs = ingest.read(tmp_path).runs
    assert (runs["spec"].tolist(), runs["cores"].tolist()) == (["4c16g", "8c16g"], [4, 8])


@pytest.mark.parametrize(
    ("logs", "said"),
    [
        ([log(), log().replace(" 08:00:", " 08:07:")], "they did not all run at the same time"),
        ([GO_LOG, GO_LOG], "no clock in their lines tells"),
    ],
)
def test_those_that_did_not_or_of_which_nobody_knows_are_told(tmp_path, logs, said):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "x.log").write_text(alternating(("ycsb-1  | ", "ycsb-2  | "), logs))
    summary = update([folder], tmp_path / "tables")
    assert summary.runs == 2
    assert said in summary.remarks[0]


def test_files_numbered_behind_ycsb_are_clients_where_they_worked_at_once(tmp_path):
    for i, text in enumerate(CLIENTS):
        (tmp_path / f"ycsb-{i}.log").write_text(text)
    assert ingest.read(tmp_path).runs["clients"].tolist() == [2]
    (tmp_path / "ycsb-1.log").write_text(CLIENTS[1].replace("2026-11-21", "2026-11-22"))
    assert ingest.read(tmp_path).runs["clients"].tolist() == [1, 1]
