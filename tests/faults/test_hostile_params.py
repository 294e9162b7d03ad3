"""Params files and published evidence of somebody else: they run nothing but the load generator, and are refused in a
line where they ask for more."""

from pathlib import Path

import pytest
import yaml
from confined import confined

from ycsbook import params
from ycsbook.errors import ParamsError

MINIMAL = {
    "name": "local",
    "server": {"kind": "mongod"},
    "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}],
    "workloads": ["a"],
}


def load(folder: Path, **settings):
    path = folder / "p.yml"
    path.write_text(yaml.safe_dump(MINIMAL | settings))
    return params.load(path)


@pytest.mark.parametrize(
    "option",
    [
        "-XX:OnOutOfMemoryError=touch /tmp/x", "-XX:OnError=sh", "-XX:+HeapDumpOnOutOfMemoryError",
        "-XX:HeapDumpPath=1", "-XX:Flags=1", "-XX:VMOptionsFile=1", "-XX:ErrorFile=1", "-XX:+StartAttachListener",
        "-Xrunjdwp:transport=dt_socket", "-Xbootclasspath/a:x.jar", "-Xlog:gc:file=/tmp/x", "-Xloggc:x",
        "-agentlib:jdwp", "-javaagent:x.jar", "-Dcom.sun.management.jmxremote.port=1", "-Dx=y",
        "-Djava.system.class.loader=Evil", "-Djava.library.path=/tmp", "-Dlog4j2.formatMsgNoLookups=false",
        "-cp", "-jar", "Xmx1g", "@options", "",
        "--class-path=x", "--patch-module=java.base=x.jar", "--upgrade-module-path=x", "-Xmx1g\n-jar", "-Xmx1g -jar",
        "-Duser.language=de\n-jar", "--add-modules=x -jar",
    ],
)  # fmt: skip
def test_options_of_java_that_name_a_file_a_class_or_a_command_are_refused(tmp_path, option):
    with pytest.raises(
        ParamsError, match=r"p.yml:\d+: java_options\[0\].*: got .*expected an option that sets"
    ) as caught:
        load(tmp_path, java_options=[option])
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "option",
    [
        "-Xmx4g", "-Xms512m", "-Xss1m", "-Xint", "-Xshare:auto", "-Xlog:gc*=info", "-XX:+UseSerialGC",
        "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-XX:ActiveProcessorCount=8", "-XX:MaxRAMPercentage=50.0",
        "-XX:MaxGCPauseMillis=20",
        "-XX:G1HeapRegionSize=8m", "-XX:+AlwaysPreTouch",
        "-Duser.language=de", "-Djava.net.preferIPv4Stack=true",
        "--add-opens=java.base/java.nio=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
    ],
)  # fmt: skip
def test_options_of_java_for_memory_threads_collection_and_locale_are_taken(tmp_path, option):
    assert load(tmp_path, java_options=[option]).java_options == (option,)


@pytest.mark.parametrize("python", ["sh -c 'touch x'", "python3 -c x", "$(id)", "a;b", "x\ny"])
def test_the_python_of_a_host_is_a_path(tmp_path, python):
    with pytest.raises(ParamsError, match="expected the path of a program"):
        load(tmp_path, clients=2, cluster={"kind": "ssh", "hosts": ["h"], "python": python})


HUGE = {
    "an empty number by a tag": 'name: !!int ""\n',
    "a number of base 60": "records: !!int " + "1:" * 300_000 + "1\n",
    "many numbers of base 60": "threads: [" + "1:30:30, " * 60_000 + "1]\n",
    "a number of 600 KB": "records: " + "9" * 600_000 + "\n",
    "an octal number of 600 KB": "records: 0" + "7" * 600_000 + "\n",
    "a time by a tag": "name: !!timestamp 2001-99-99\n",
    "bytes by a tag": "name: !!binary =\n",
    "a set by a tag": "name: !!set {a: 1}\n",
    "a tag of its own": "name: !x y\n",
    "no tag": "name: ! y\n",
    "many repeats": "repeats: 2000000000\n",
    "many runs together": "repeats: 1000\nthreads: [" + ",".join(map(str, range(1, 1001))) + "]\n",
    "3,000 values": "vary: {records: [" + ",".join(map(str, range(1, 3001))) + "]}\n",
    "many values together": "vary:\n"
    + "".join(f"  {n}: {list(range(1, 11))}\n" for n in ("records", "operations", "field_count", "field_length")),
    "many specs": "specs:\n"
    + "".join(f"- {{name: s{i}, cores: 1, ram_gib: 1}}\n" for i in range(20_000))
    + "repeats: 20\n",
}


@pytest.mark.parametrize("case", HUGE)
def test_what_would_take_minutes_or_raise_anything_is_refused_in_a_line(tmp_path, case):
    path = tmp_path / "p.yml"
    given = HUGE[case].split(":")[0]
    path.write_text(yaml.safe_dump({k: v for k, v in MINIMAL.items() if k != given}) + HUGE[case])
    with pytest.raises(ParamsError) as caught:
        confined(params.load, path, seconds=30)
    lines = str(caught.value).splitlines()
    assert lines and all(len(line) < 600 and "p.yml" in line for line in lines), str(caught.value)[:2000]


def test_a_sweep_of_many_runs_is_taken(tmp_path):
    assert load(tmp_path, repeats=250, vary={"records": list(range(1, 101))}).repeats == 250
