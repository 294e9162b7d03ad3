"""The command line that is built from a planned run."""

import dataclasses
import shlex
import stat
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.errors import StoreError
from ycsbook.params import PlannedRun, Sweep, plan
from ycsbook.params.experiments import STANDARD
from ycsbook.runner import command
from ycsbook.runner.generator import Generator
from ycsbook.secrets import Secret

LIB = paths.BINDINGS / "target" / "lib"
OWN = Generator(
    java=Path("/opt/java/bin/java"),
    java_version="17.0.1",
    classpath=(paths.BINDINGS / "target" / "ycsb-bindings.jar", LIB / "core-0.17.0.jar"),
    db_class="ycsbook.MongoDbClient",
    ycsb_version="0.17.0",
    binding_version="0.1.0",
    driver_version="5.14.0",
    digest="0" * 64,
)
URI = Secret("mongodb://anna:s3cr%40t@db.example:27017/ycsb?w=0&tls=true&readPreference=nearest&maxPoolSize=7")


def planned(workload="a", **settings) -> PlannedRun:
    values = {
        "name": "unit",
        "server": {"kind": "mongod"},
        "specs": [{"name": "any", "cores": 1, "ram_gib": 1}],
        "workloads": [workload],
        "threads": [16],
        "min_duration": "4.2s",
    }
    return plan(Sweep.model_validate(values | settings))[0]


def build(run: PlannedRun, phase="run", *, generator=OWN, uri=URI, folder=Path("/data/run 1")) -> command.Command:
    return command.build(run, phase, generator=generator, uri=uri, folder=folder)


def properties(built: command.Command) -> dict[str, str]:
    pairs = [built.argv[i + 1] for i, word in enumerate(built.argv) if word == "-p"]
    return dict(pair.split("=", 1) for pair in pairs)


def option(built: command.Command, name: str) -> str:
    return built.argv[built.argv.index(name) + 1]


def test_a_timed_run():
    built = build(planned(records=5000, target_ops_s=1000.4))
    assert built.argv[0] == "/opt/java/bin/java"
    client = built.argv.index("site.ycsb.Client")
    assert built.argv[client + 1 : client + 3] == ("-t", "-s")
    assert (option(built, "-db"), option(built, "-threads"), option(built, "-target")) == (OWN.db_class, "16", "1000")
    assert properties(built) == {
        "workload": "site.ycsb.workloads.CoreWorkload",
        "table": "usertable",
        "recordcount": "5000",
        "fieldcount": "10",
        "fieldlength": "100",
        "readallfields": "true",
        "readproportion": "0.5",
        "updateproportion": "0.5",
        "insertproportion": "0.0",
        "scanproportion": "0.0",
        "readmodifywriteproportion": "0.0",
        "requestdistribution": "zipfian",
        "insertorder": "hashed",
        "measurement.interval": "both",
        "operationcount": "2147483647",
        "maxexecutiontime": "5",
        "mongodb.writeConcern": "acknowledged",
        "mongodb.readPreference": "primary",
        "mongodb.upsert": "false",
        "batchsize": "1",
        "mongodb.maxPoolSize": "100",
        "measurementtype": "hdrhistogram",
        "hdrhistogram.percentiles": "50,90,95,99,99.9",
        "hdrhistogram.fileoutput": "true",
        "hdrhistogram.output.path": "/data/run 1/hdr/",
        "status.interval": "1",
    }


def test_a_load_is_not_throttled_and_not_timed():
    built = build(planned(records=3, load_threads=8, target_ops_s=1000.0, batch_size=50, upsert=True), "load")
    assert "-load" in built.argv
    assert "-t" not in built.argv
    assert "-target" not in built.argv
    assert option(built, "-threads") == "3"  # never more than records
    found = properties(built)
    assert "maxexecutiontime" not in found
    assert (found["operationcount"], found["batchsize"], found["mongodb.upsert"]) == ("3", "50", "true")


def test_a_run_with_batches_in_its_load_sends_single_inserts():
    assert properties(build(planned("d", batch_size=50)))["batchsize"] == "1"


def test_a_run_of_so_many_operations_is_not_timed():
    found = properties(build(planned("e", operations=1234)))
    assert found["operationcount"] == "1234"
    assert not {"maxexecutiontime", "insertcount"} & found.keys()


@given(insert=st.integers(1, 100), records=st.integers(1, 2**31 - 1))
def test_a_timed_zipfian_run_draws_from_the_loaded_records(insert, records):
    share = insert / 100
    mix = {"name": "grow", "insert": share, "read": 1 - share}
    found = properties(build(planned(mix, records=records)))
    # CoreWorkload: (int) (opcount * insertproportion * 2.0), where Java's cast stops at the largest int
    drawn_beside = min(int(int(found["operationcount"]) * float(found["insertproportion"]) * 2.0), 2**31 - 1)
    assert int(found["insertcount"]) + drawn_beside == records
    assert -(2**31) <= int(found["insertcount"]) <= 2**31 - 1


@pytest.mark.parametrize("workload", ["a", "c", "d", {"name": "u", "insert": 1.0, "distribution": "uniform"}])
def test_other_runs_need_no_insert_count(workload):
    assert "insertcount" not in properties(build(planned(workload)))


@pytest.mark.parametrize(("concern", "word"), [(0, "unacknowledged"), (1, "acknowledged"), ("majority", "majority")])
def test_the_write_concern_in_ycsbs_words(concern, word):
    assert properties(build(planned(write_concern=concern)))["mongodb.writeConcern"] == word


def test_the_read_preference_in_ycsbs_words():
    built = build(planned(read_preference="secondaryPreferred"))
    assert properties(built)["mongodb.readPreference"] == "secondary_preferred"


def test_the_pool_holds_every_thread():
    assert properties(build(planned(threads=[200])))["mongodb.maxPoolSize"] == "200"


def test_no_secret_outside_the_properties():
    built = build(planned())
    for text in (repr(built), built.shown, " ".join(built.argv), " ".join(built.env.values())):
        assert "s3cr" not in text
        assert "anna" not in text
    assert "s3cr%40t" in built.properties


def test_the_environment_holds_what_java_needs_and_no_more(monkeypatch):
    monkeypatch.setenv("MONGO_URI_1C", "mongodb://anna:s3cr@host/")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xint")
    env = build(planned()).env
    assert env["TZ"] == "UTC"
    assert env["LC_ALL"] == "C.UTF-8"
    assert env.keys() <= {"TZ", "LANG", "LC_ALL", "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"}


@pytest.mark.parametrize(
    ("given_", "written"),
    [
        (URI.reveal(), "mongodb://anna:s3cr%40t@db.example:27017/ycsb?tls=true"),
        ("mongodb://h1,h2", "mongodb://h1,h2/"),
        ("mongodb://h1?W=1", "mongodb://h1/"),
        ("mongodb://h1/?replicaSet=r&w=majority;journal=true", "mongodb://h1/?replicaSet=r&journal=true"),
        ("mongodb+srv://h1/db", "mongodb+srv://h1/db"),
    ],
)
def test_the_url_without_what_the_sweep_sets(given_, written):
    built = build(planned(), uri=Secret(given_))
    assert built.properties == command.properties_text({"mongodb.url": written})


def test_the_shown_command_is_the_command(tmp_path):
    built = build(planned(java_options=["-Xmx1g", "-Duser.name=two words"]), folder=tmp_path)
    words = shlex.split(built.shown, comments=True)
    classpath = f"{OWN.classpath[0].relative_to(paths.REPOSITORY)}:{OWN.classpath[1].relative_to(paths.REPOSITORY)}"
    changed = {
        str(OWN.java): "java",
        option(built, "-cp"): classpath,
        f"hdrhistogram.output.path={tmp_path}/hdr/": "hdrhistogram.output.path=hdr/",
    }
    expected = [changed.get(word, word) for word in built.argv_with(Path("url.properties"))]
    assert words == expected
    assert "-Duser.name=two words" in words
    comment = "# url.properties: mongodb.url=mongodb://REDACTED@db.example:27017/..."
    assert built.shown.endswith(comment)
    assert str(paths.REPOSITORY) not in built.shown


def test_the_shown_command_of_an_official_distribution():
    home = Path("/opt/my ycsb")
    jars = (LIB / "HdrHistogram-2.2.2.jar", home / "lib" / "core-0.17.0.jar")
    official = dataclasses.replace(OWN, home=home, classpath=jars, db_class="site.ycsb.db.MongoDbClient")
    built = build(planned(), generator=official)
    assert properties(built)["mongodb.maxconnections"] == "100"
    assert "/opt" not in built.shown.removeprefix("java")
    echo = ["sh", "-c", f"printf '%s\\n' {built.shown}"]
    words = subprocess.run(echo, env={"YCSB_HOME": str(home)}, capture_output=True, text=True, check=True).stdout
    assert f"lib/ycsb-bindings/target/lib/HdrHistogram-2.2.2.jar:{home}/lib/core-0.17.0.jar" in words.splitlines()


def test_javas_locale_and_time_zone_follow_the_sweeps_options():
    argv = build(planned(java_options=["-Xmx1g", "-Duser.language=de"])).argv
    assert argv.index("-Duser.language=en") > argv.index("-Duser.language=de")
    assert {"-Duser.country=US", "-Duser.timezone=UTC"} <= set(argv)


def test_the_properties_file_is_its_owners_alone(tmp_path):
    built = build(planned(), folder=tmp_path / "run")
    written = built.write_properties(tmp_path)
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert written.parent == tmp_path
    assert written.read_text(encoding="ascii") == built.properties
    assert (tmp_path / "run" / "hdr").is_dir()
    assert option(built, "-P") != str(written)
    argv = built.argv_with(written)
    assert argv[argv.index("-P") + 1] == str(written)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        build(planned(), folder=tmp_path / "run").write_properties(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be written"):
        build(planned(), folder=tmp_path / "file").write_properties(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "run"]


@pytest.mark.parametrize("name", STANDARD)
def test_the_workload_file_says_the_same_as_the_sweeps_workload(name):
    text = (paths.BINDINGS / "workloads" / f"workload{name}").read_text(encoding="ascii")
    file = dict(line.split("=") for line in text.splitlines() if not line.startswith("#"))
    built = properties(build(planned(name)))
    for key in ("workload", "fieldcount", "fieldlength", "readallfields", "requestdistribution", "recordcount"):
        assert file[key] == built[key]
    shares = {key: float(value) for key, value in file.items() if key.endswith("proportion")}
    assert shares == {key: float(built[key]) for key in shares}
    assert sum(shares.values()) == 1
