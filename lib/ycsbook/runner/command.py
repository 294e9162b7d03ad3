"""Builds the command line of one YCSB process: it holds every setting that is measured, and no secret. A REST gateway
is loaded by wrk: each connection waits for its answer, as YCSB's threads do."""

import math
import os
import re
import shlex
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from ycsbook import paths
from ycsbook.errors import ToolError
from ycsbook.ingest.failover import LEDGER
from ycsbook.operations import WRITE_CONCERN_WORDS
from ycsbook.params import PlannedRun
from ycsbook.params.experiments import YCSB
from ycsbook.processes import Guard
from ycsbook.runner.generator import Generator
from ycsbook.secrets import HIDDEN, Secret, clean_environment, hosts
from ycsbook.servers.kinds import rest
from ycsbook.store.atomic import writing

# YCSB keeps counts of operations in a Java int.
ENDLESS = 2**31 - 1
DRIVERS_POOL = 100
# The scheme of a SQL server's URI, and the database that its table is in.
SQL, DATABASE = "mysql", "ycsb"
PROPERTIES_PREFIX = ".ycsb-"
PROPERTIES_SUFFIX = ".properties"
_PROPERTIES_HOLE = "{properties}"

WRK_SCRIPT = rest.SOURCES / "requests.lua"
# As long as a client waits for an answer before it counts as lost.
WRK_TIMEOUT_S = 30
# The first seconds of a gateway go into compiling and opening connections.
WARM_UP_S = 2

_SET_BY_THE_SWEEP = {"w", "readpreference", "maxpoolsize"}
# Number formats follow the locale, timestamps the time zone; last, so that no option of the sweep changes them.
_JAVA_PINNED = ("-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8")


@dataclass(frozen=True)
class Command:
    """One YCSB process, ready to be started.

    Parameters
        argv: program and arguments; where the properties file belongs, a hole that `argv_with` fills.
        properties: text of the properties file with the server's URL: secret.
        env: the whole environment of the process.
        shown: the command as one line for a shell started in the repository, without secrets and without paths of
            this machine where these can be avoided; says in a comment what the properties file holds.
        hdr: folder in which YCSB writes one .hdr file per operation.
        hidden: what must stand in no log of it.
        reports_progress: whether it tells how many operations are finished while it runs.
    """

    argv: tuple[str, ...]
    properties: str = field(repr=False)
    env: dict[str, str] = field(repr=False)
    shown: str
    hdr: Path
    hidden: tuple[Secret, ...] = ()
    reports_progress: bool = True

    def argv_with(self, properties_file: Path) -> list[str]:
        return [str(properties_file) if part == _PROPERTIES_HOLE else part for part in self.argv]

    def write_properties(self, folder: Path) -> Path:
        """Make the folder for .hdr files, and a new file in `folder` with the properties, for its owner alone, which
        the caller deletes. StoreError: a folder cannot be written; nothing is left then."""
        with writing(folder):
            self.hdr.mkdir(parents=True, exist_ok=True)
            # mkstemp: mode 0600 from the first moment, and a name that nobody else has prepared.
            descriptor, name = tempfile.mkstemp(dir=folder, prefix=PROPERTIES_PREFIX, suffix=PROPERTIES_SUFFIX)
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    file.write(self.properties)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        return Path(name)


def build(
    run: PlannedRun, phase: Literal["load", "run"], *, generator: Generator, uri: Secret, folder: Path
) -> Command:
    """The YCSB process that loads a planned run's records or makes the run. Pure: touches no file. The w,
    readPreference and maxPoolSize of the URI give way to the sweep's settings; .hdr files go to the subfolder hdr of
    the run's folder. Raises ToolError for an experiment, of which an official distribution knows nothing."""
    hdr = folder.absolute() / "hdr"
    # More threads than records: YCSB lowers the number itself, with a warning in the middle of its results.
    threads = run.threads if phase == "run" else min(run.sweep.load_threads, run.sweep.records)
    properties = {**_workload(run, phase), **_server(run, phase, generator, threads), **_measurement(hdr, run, phase)}
    if run.sweep.measures.ledger:
        properties["ledger.folder"] = folder.absolute() / LEDGER
    options = ["-load" if phase == "load" else "-t", "-s", "-db", binding(run, generator), "-threads", str(threads)]
    if phase == "run" and run.sweep.target_ops_s is not None:
        options += ["-target", str(max(1, round(run.sweep.target_ops_s)))]
    options += ["-P", _PROPERTIES_HOLE]
    for key, value in properties.items():
        options += ["-p", f"{key}={value}"]
    classpath = os.pathsep.join(str(jar) for jar in generator.classpath)
    java = [*run.sweep.java_options, *_JAVA_PINNED, "-cp", classpath, "site.ycsb.Client"]
    argv = (str(generator.java), *java, *options)
    address = _address(uri)
    # A SQL server is told its password apart from its address.
    passwords = [Secret(address["jdbc.password"])] if address.get("jdbc.password") else []
    return Command(
        argv=argv,
        properties=properties_text(address),
        env=clean_environment(LC_ALL="C.UTF-8", TZ="UTC"),
        shown=_shown(argv, uri, generator, folder.absolute()),
        hdr=hdr,
        hidden=(uri, *passwords),
    )


def properties_text(properties: dict[str, str]) -> str:
    """Text that Java's Properties.load reads back as the identical map; plain ASCII."""
    return "".join(f"{_escaped(key)}={_escaped(value)}\n" for key, value in properties.items())


def _escaped(text: str) -> str:
    # Everything Properties.load could take for syntax, and everything beyond ASCII, as UTF-16 code units.
    units = text.encode("utf-16-be", "surrogatepass")
    points = (int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2))
    return "".join(chr(p) if re.match(r"[A-Za-z0-9._/@%?&,-]", chr(p)) else f"\\u{p:04x}" for p in points)


def binding(run: PlannedRun, generator: Generator) -> str:
    """The class that speaks to the server. Raises ToolError for an experiment with an official distribution."""
    if run.sweep.experiment == YCSB:
        return generator.db_class
    if generator.official:
        raise ToolError(
            f"experiment {run.sweep.experiment}: the distribution in YCSB_HOME={generator.home} has no such "
            "operations; unset YCSB_HOME to use the project's own"
        )
    return run.sweep.measures.bindings[run.sweep.server_of(run.spec).kind]


def _workload(run: PlannedRun, phase: str) -> dict[str, object]:
    sweep, mix = run.sweep, run.workload
    common = {"workload": sweep.measures.workload_class, "table": sweep.table, "recordcount": sweep.records}
    fields = {"fieldcount": sweep.field_count, "fieldlength": sweep.field_length}
    if sweep.experiment != YCSB:
        of_experiment = {"operation": mix.operation, "together": sweep.batch_size}
        if sweep.measures.starts_empty:
            # What the records look like that a run makes itself, and how often it asks for some.
            of_experiment |= {"indexes": sweep.indexes, "perquery": sweep.documents_per_query}
        else:
            fields = {}
        of_experiment = {f"{sweep.experiment}.{name}": value for name, value in of_experiment.items()}
        return {**common, **of_experiment, **fields, **_length(run, phase)}
    return {
        **common,
        **fields,
        "insertorder": sweep.insert_order,
        "readallfields": "true",
        "readproportion": mix.read,
        "updateproportion": mix.update,
        "insertproportion": mix.insert,
        "scanproportion": mix.scan,
        "readmodifywriteproportion": mix.readmodifywrite,
        "requestdistribution": mix.distribution,
        **_length(run, phase),
    }


def _length(run: PlannedRun, phase: str) -> dict[str, object]:
    """When it ends: a load after its records, a run after its operations if the sweep gives them, else by time."""
    if phase == "load":
        # The workload class reads the count in this phase as well, and fails without one.
        return {"operationcount": run.sweep.records}
    if run.operations is not None:
        return {"operationcount": run.operations}
    endless = {"operationcount": ENDLESS, "maxexecutiontime": math.ceil(run.sweep.min_duration)}
    # CoreWorkload draws zipfian keys from insertcount + 2 x operationcount x insertproportion numbers and throws away
    # those not inserted yet: with an endless count thousands of draws for each operation. An insertcount that makes the
    # sum `records` leaves the loaded records, which is what YCSB's uniform distribution draws from too.
    expected = min(int(ENDLESS * run.workload.insert * 2.0), ENDLESS)
    if run.workload.distribution == "zipfian" and expected:
        endless["insertcount"] = run.sweep.records - expected
    return endless


def _server(run: PlannedRun, phase: str, generator: Generator, threads: int) -> dict[str, object]:
    sweep = run.sweep
    batch = {"batchsize": sweep.batch_size if phase == "load" else 1}
    if sweep.server_of(run.spec).kind == "mariadb":
        return batch
    preference = re.sub(r"(?=[A-Z])", "_", sweep.read_preference).lower()
    # A load is not what is measured, and unacknowledged inserts could be lost unseen.
    concern = 1 if phase == "load" and sweep.write_concern == 0 else sweep.write_concern
    pool = "mongodb.maxconnections" if generator.official else "mongodb.maxPoolSize"
    return {
        "mongodb.writeConcern": WRITE_CONCERN_WORDS[str(concern)],
        "mongodb.readPreference": preference,
        "mongodb.upsert": str(sweep.upsert).lower(),
        **batch,
        pool: max(threads, DRIVERS_POOL),
    }


def _measurement(hdr: Path, run: PlannedRun, phase: str) -> dict[str, object]:
    # With a target operations are due at fixed times, and latencies count from these as well: a server that stalls
    # would otherwise be asked less while it does, and hide it.
    open_loop = phase == "run" and run.sweep.target_ops_s is not None
    return {
        **({"measurement.interval": "both"} if open_loop else {}),
        "measurementtype": "hdrhistogram",
        "hdrhistogram.percentiles": "50,90,95,99,99.9",
        "hdrhistogram.fileoutput": "true",
        # YCSB appends the operation's name as it is: without the slash the files would stand beside the folder.
        "hdrhistogram.output.path": f"{hdr}/",
        "status.interval": 1,
    }


def _address(uri: Secret) -> dict[str, str]:
    parts = urlsplit(uri.reveal())
    if parts.scheme != SQL:
        return {"mongodb.url": _url(uri)}
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    where = f"jdbc:mariadb://{parts.hostname}:{parts.port}/{DATABASE}"
    return {"jdbc.url": where, "jdbc.user": user, "jdbc.password": password}


def _url(uri: Secret) -> str:
    """The URI without the options that the sweep sets: the official binding would prefer those in the URI."""
    text, _, query = uri.reveal().partition("?")
    options = [o for o in re.split("[&;]", query) if o and o.partition("=")[0].lower() not in _SET_BY_THE_SWEEP]
    scheme, _, address = text.partition("://")
    # The official binding appends its options to the text, which is a URI only with a slash after the hosts.
    slash = "" if "/" in address else "/"
    return f"{scheme}://{address}{slash}" + (f"?{'&'.join(options)}" if options else "")


def _shown(argv: tuple[str, ...], uri: Secret, generator: Generator, folder: Path) -> str:
    words = []
    for part in ("java", *argv[1:]):
        word = part.replace(f"{folder}/", "").replace(f"{paths.REPOSITORY}/", "")
        word = word.replace(_PROPERTIES_HOLE, "url.properties")
        pieces = word.split(f"{generator.home}/") if generator.home else [word]
        words.append('"$YCSB_HOME"/'.join(shlex.quote(piece) if piece or len(pieces) == 1 else "" for piece in pieces))
    scheme, _, address = uri.reveal().partition("://")
    user = f"{HIDDEN}@" if "@" in address.partition("?")[0] else ""
    if scheme == SQL:
        return f"{' '.join(words)}  # url.properties: jdbc.url={_address(uri)['jdbc.url']}, jdbc.user, jdbc.password"
    return f"{' '.join(words)}  # url.properties: mongodb.url={scheme}://{user}{hosts(uri)}/..."


def build_wrk(run: PlannedRun, url: str, folder: Path) -> Command:
    """The wrk that makes a planned run in its `folder` through the gateway at `url`. Raises ToolError without wrk."""
    argv = _wrk(run, url, run.workload.operation, run.sweep.min_duration)
    return Command(
        argv=tuple(argv),
        properties="",
        env=clean_environment(LC_ALL="C.UTF-8", TZ="UTC"),
        shown=shlex.join(["wrk", *argv[1:]]).replace(f"{paths.REPOSITORY}/", ""),
        hdr=folder.absolute() / "hdr",
        reports_progress=False,
    )


def warm_up(guard: Guard, run: PlannedRun, url: str) -> None:
    process = guard.start(_wrk(run, url, "find-key", WARM_UP_S))
    try:
        process.wait(WARM_UP_S + WRK_TIMEOUT_S)
    except TimeoutError:
        process.stop()


def _wrk(run: PlannedRun, url: str, operation: str, seconds: float) -> list[str]:
    gateway = rest.GATEWAYS[run.sweep.server_of(run.spec).gateway]
    return [
        os.fspath(rest.load_tool()), "-t1", f"-c{run.threads}", f"-d{math.ceil(seconds)}s",
        f"--timeout={WRK_TIMEOUT_S}s", "--latency", "-s", os.fspath(WRK_SCRIPT), url, "--",
        *gateway.request(operation), str(run.sweep.records),
    ]  # fmt: skip
