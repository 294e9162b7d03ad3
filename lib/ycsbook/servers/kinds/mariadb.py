"""A MariaDB server of our own, its specs emulated, with which the CRUD experiment compares MongoDB; and its records."""

import contextlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook.errors import ToolError, shown
from ycsbook.params import Spec, Sweep
from ycsbook.processes import Guard, GuardedProcess, polls
from ycsbook.secrets import Secret, clean_environment, redact
from ycsbook.servers import mongod, private, quota
from ycsbook.servers.kind import BenchmarkRecords, RecordShape, Target
from ycsbook.servers.private import HOST, POLL_S, NewText, Program, on_free_port, require_space, started
from ycsbook.units import BYTES_PER_GIB

if TYPE_CHECKING:
    import pymysql

NOT_MEASURED = (
    "YCSB's own mixes have no SQL binding here, 'experiment: crud' has one; 'ycsbook probe PARAMS' starts the server "
    "and says what it is"
)
USER = "ycsbook"
DATABASE = "ycsb"
ENGINE_NAMES = {"": "InnoDB", "innodb": "InnoDB", "myisam": "MyISAM"}
_MARKERS = "ycsbook_datasets"
# As servers/mongodb.INDEXES has them. MyISAM's keys have up to 1,000 bytes: 200 characters of four bytes fit.
_INDEXES = ("INDEX (age)", "INDEX (test1)", "INDEX (age, test2)")
_TEXT = "VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL"
# By column of samples.csv, the status variables that are added up.
_STATUS: Mapping[str, tuple[str, ...]] = {
    "inserts": ("Com_insert",),
    "queries": ("Com_select",),
    "updates": ("Com_update",),
    "deletes": ("Com_delete",),
    "connections": ("Threads_connected",),
    "network_bytes": ("Bytes_received", "Bytes_sent"),
}
# What MyISAM does not count.
_STATUS_OF_INNODB: Mapping[str, tuple[str, ...]] = {
    "cache_bytes": ("Innodb_buffer_pool_bytes_data",),
    "cache_dirty_bytes": ("Innodb_buffer_pool_bytes_dirty",),
    "read_bytes": ("Innodb_data_read",),
    "written_bytes": ("Innodb_data_written", "Innodb_os_log_written"),
}
ANSWER_S = 0.5
ENGINES = ("InnoDB", "MyISAM", "Aria")
# A connection for each client thread, and ours.
MAX_CONNECTIONS = 5000
# How safe a write is once it is acknowledged: what the manifest tells of it.
_DURABILITY = ("innodb_flush_log_at_trx_commit", "innodb_flush_method", "sync_binlog", "log_bin", "delay_key_write")
START_LIMIT_S = 30.0
MAKE_LIMIT_S = 120.0
RESIZE_LIMIT_S = 60.0
# Debian keeps daemons where only root's PATH looks, Fedora in libexec.
_DAEMON_FOLDERS = ("/usr/sbin", "/usr/libexec", "/usr/local/sbin")
PROGRAM = Program(
    name="mariadbd",
    variable="MARIADBD_BIN",
    how_to_get="install it: Debian apt-get install mariadb-server-core mariadb-client-core, Fedora dnf install "
    "mariadb-server, macOS brew install mariadb, conda install -c conda-forge mariadb; or set MARIADBD_BIN to the path "
    "of mariadbd",
    version_options=("--no-defaults", "--version"),
    version_pattern=r"Ver (\d+\.\d+\.\d+)\S*MariaDB",
    version_line="Ver ...-MariaDB",
)
# Cache sizes are whole numbers of these.
_CHUNK_BYTES = 1024**2


class MariadbTable(BenchmarkRecords):
    """The records in one table; their marker is a row of another. `engine`: as a params file names it."""

    def __init__(self, connect: Callable[..., "pymysql.Connection"], table: str, shape: RecordShape, engine: str):
        self._connect, self._engine = connect, ENGINE_NAMES[engine]
        super().__init__(table, shape, json.dumps({**shape.plain(), "engine": self._engine}, sort_keys=True))

    def _called(self, cursor) -> str:
        return f"{DATABASE}.{self._table}"

    def _make_anew(self, cursor, ours: bool) -> None:
        cursor.execute(f"DROP TABLE IF EXISTS `{self._table}`")
        columns = [
            "id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "age INT NOT NULL",
            *(f"test{n} {_TEXT}" for n in (1, 2, 3, 4)), *_INDEXES[: self._shape.indexes],
        ]  # fmt: skip
        cursor.execute(f"CREATE TABLE `{self._table}` ({', '.join(columns)}) ENGINE={self._engine}")

    def size(self) -> dict[str, int]:
        """How large the table is now, as the engine says: InnoDB in pages, some of them partly filled."""
        with self._reached() as cursor:
            cursor.execute(f"ANALYZE TABLE `{self._table}`")
            cursor.fetchall()
            cursor.execute(
                "SELECT data_length, index_length FROM information_schema.tables "
                "WHERE table_schema=%s AND table_name=%s",
                (DATABASE, self._table),
            )
            data, index = (int(size or 0) for size in cursor.fetchone() or (0, 0))
            return {"data_bytes": data, "storage_bytes": data + index, "index_bytes": index}

    def _count(self, cursor, exactly: bool = True) -> int:
        cursor.execute("SHOW TABLES LIKE %s", (self._table,))
        if cursor.fetchone() is None:
            return 0
        cursor.execute(f"SELECT COUNT(*) FROM `{self._table}`")
        return int(cursor.fetchone()[0])

    def _marker(self, cursor) -> tuple[str, str] | None:
        cursor.execute(f"SELECT state, shape FROM {_MARKERS} WHERE name=%s", (self._table,))
        return cursor.fetchone()

    def _mark(self, cursor, state: str) -> None:
        cursor.execute(f"REPLACE INTO {_MARKERS} VALUES (%s, %s, %s)", (self._table, state, self._settings))

    @contextlib.contextmanager
    def _reached(self) -> Iterator:
        try:
            # Nobody knows how long a large table takes to be counted or dropped.
            with self._connect(read_timeout=None) as connection, connection.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
                cursor.execute(f"USE {DATABASE}")
                cursor.execute(
                    f"CREATE TABLE IF NOT EXISTS {_MARKERS} (name VARCHAR(64) PRIMARY KEY, state TEXT, shape TEXT) "
                    "ENGINE=InnoDB"
                )
                yield cursor
        except _driver().MySQLError as e:
            raise ToolError(f"{DATABASE}.{self._table}: {shown(str(e))}") from None


class MariadbCounters:
    def __init__(self, connect: Callable[..., "pymysql.Connection"], engine: str):
        self._connect = connect
        self._places = {**_STATUS, **(_STATUS_OF_INNODB if ENGINE_NAMES[engine] == "InnoDB" else {})}

    def read(self) -> dict[str, float]:
        try:
            connection = self._connect(connect_timeout=ANSWER_S, read_timeout=ANSWER_S)
            with connection, connection.cursor() as cursor:
                cursor.execute("SHOW GLOBAL STATUS")
                status = dict(cursor.fetchall())
        except (_driver().MySQLError, OSError):
            return {}
        return {
            column: sum(float(status[name]) for name in names)
            for column, names in self._places.items()
            if all(name in status for name in names)
        }

    def answers(self) -> bool:
        try:
            self._connect(connect_timeout=ANSWER_S, read_timeout=ANSWER_S).close()
        except _driver().err.OperationalError as e:
            # One that is full answers, with a refusal.
            return e.args[0] == _driver().constants.ER.CON_COUNT_ERROR
        except (_driver().MySQLError, OSError):
            return False
        return True


def identity(sweep: Sweep, spec: Spec) -> str:
    return f"mariadbd {PROGRAM.version(find()[0])}"


class PrivateMariadb:
    """One mariadbd of our own; cores by quota, RAM by InnoDB's buffer pool, by the rule of the other private servers,
    so that two kinds of one spec have the same cache. Its data (`db/`), socket and logs go into the folder, which is
    private; its one user `ycsbook` has a random password that exists in memory only. ToolError: it is not
    installed, the folder cannot be written or is full, or the server ended or was silent, for which reason."""

    def __init__(self, sweep: Sweep, guard: Guard, folder: Path):
        if sweep.server.shape.keys() - {"engine"}:
            raise ToolError("server kind mariadb: topology, members, auth and tls are not offered; leave them out")
        self._engine = sweep.server.engine
        binary, install = find()
        _driver()
        require_space(folder, shutil.disk_usage(folder).free)
        _make_database(guard, binary, install, folder)
        self.folder, self._password = folder, Secret(secrets.token_urlsafe(24))
        # Carried out before the server listens, so nobody meets a user without a password.
        init = private.private_file(folder / "init.sql", _users(self._password).encode())
        cache_gib, output = mongod.cache_for(sweep.specs[0].ram_gib), folder / "mariadbd.out"
        answers = MariadbCounters(self.client, self._engine).answers

        def start_at(port: int) -> GuardedProcess:
            self.port = port
            return started(
                guard, _command(binary, folder, port, cache_gib, init), output, name="mariadbd",
                port=port, answers=answers, limit_s=START_LIMIT_S, log=NewText(output, folder / "mariadbd.log"),
                why=log_reason,
            )  # fmt: skip

        try:
            self.process = on_free_port(start_at)
        finally:
            init.unlink(missing_ok=True)
        self._quota = quota.choose(guard, self.process.pid)

    def check(self, spec: Spec) -> None:
        try:
            quota.check_cores(spec.cores, quota.usable_cores(self.process.pid))
        except ToolError as e:
            raise ToolError(f"spec {spec.name}: {e}") from None

    def prepare(self, spec: Spec) -> Target:
        self.unthrottle()
        cache_gib = mongod.cache_for(spec.ram_gib)
        self._set_cache_gib(cache_gib)
        support = dict(self._ask("SELECT LOWER(engine), support FROM information_schema.engines"))
        ((version,),) = self._ask("SELECT VERSION()")
        variables = dict(self._ask("SHOW GLOBAL VARIABLES"))
        self._quota.set_cores(spec.cores)
        return Target(
            uri=Secret(f"mysql://{USER}:{self._password.reveal()}@{HOST}:{self.port}/"),
            reach="private mariadbd",
            version=f"MariaDB {version.partition('-')[0]}",
            topology="standalone",
            cache_gib=cache_gib,
            cores_enforced_by=self._quota.name,
            rtt_us=None,
            pids=(self.process.pid,),
            facts={
                "engines": [engine for engine in ENGINES if support.get(engine.lower()) in ("YES", "DEFAULT")],
                "cores_not_enforced_by": self._quota.refused,
                "engine": ENGINE_NAMES[self._engine],
                "durability": {name: variables[name] for name in _DURABILITY if name in variables},
            },
        )

    def unthrottle(self) -> None:
        self._quota.set_cores(None)

    def dataset(self, target: Target, table: str, shape: RecordShape) -> MariadbTable:
        return MariadbTable(self.client, table, shape, self._engine)

    def counters(self, target: Target) -> contextlib.nullcontext[MariadbCounters]:
        return contextlib.nullcontext(MariadbCounters(self.client, self._engine))

    def close(self) -> None:
        self._quota.close()
        self.process.stop()

    def client(self, *, connect_timeout: float = 5, read_timeout: float | None = 30) -> "pymysql.Connection":
        """A new connection; close it, or use it in a `with`. Timeouts in seconds; None: waits for ever."""
        return _driver().connect(
            host=HOST, port=self.port, user=USER, password=self._password.reveal(), autocommit=True,
            connect_timeout=connect_timeout, read_timeout=read_timeout, write_timeout=30,
        )  # fmt: skip

    def _set_cache_gib(self, cache_gib: float) -> None:
        pool_bytes = _pool_bytes(cache_gib)
        self._ask(f"SET GLOBAL innodb_buffer_pool_size = {pool_bytes}")
        for _ in polls(RESIZE_LIMIT_S, POLL_S):
            if (now_bytes := self._ask("SELECT @@innodb_buffer_pool_size")[0][0]) == pool_bytes:
                return
        now_gib = now_bytes / BYTES_PER_GIB
        raise ToolError(f"mariadbd on port {self.port}: the buffer pool is {now_gib:g} GiB, expected {cache_gib:g}")

    def _ask(self, statement: str) -> tuple[tuple, ...]:
        mysql = _driver()
        try:
            with self.client() as connection, connection.cursor() as cursor:
                cursor.execute(statement)
                return tuple(cursor.fetchall())
        except mysql.MySQLError as e:
            reason = redact(str(e), [self._password])
            raise ToolError(f"mariadbd on port {self.port}: {shown(reason)}") from None


start = PrivateMariadb


def find() -> tuple[Path, Path]:
    """MARIADBD_BIN, else mariadbd on PATH or in the system's folders; and the mariadb-install-db beside it. Raises
    ToolError, which says how to get one, where there is none."""
    path = os.pathsep.join((os.environ.get("PATH", ""), *_DAEMON_FOLDERS))
    binary = PROGRAM.from_environment() or shutil.which("mariadbd", path=path)
    if binary is None:
        raise ToolError(f"mariadbd: not found; {PROGRAM.how_to_get}")
    binary = Path(binary).absolute()
    beside = (binary.parent, binary.parent.parent / "bin", binary.parent.parent / "scripts")
    install = shutil.which("mariadb-install-db", path=os.pathsep.join((*map(str, beside), path)))
    if install is None:
        raise ToolError(f"mariadb-install-db: not found; {PROGRAM.how_to_get}")
    return binary, Path(install)


def _driver():
    try:
        import pymysql
    except ImportError:
        raise ToolError("server kind mariadb needs the package pymysql; pip install 'ycsbook[mariadb]'") from None
    return pymysql


def _make_database(guard: Guard, binary: Path, install: Path, folder: Path) -> None:
    output = folder / "install.out"
    # Where the script looks for the programs that it calls.
    path = os.pathsep.join((os.environ.get("PATH", ""), str(binary.parent), *_DAEMON_FOLDERS))
    # Users without a password stand in it for the moment: init.sql removes them before anybody can connect.
    # A relative folder, because the script takes a path with a space in it for two.
    maker = guard.start(
        [
            install, "--no-defaults", *_user_options(), "--datadir=./db",
            "--auth-root-authentication-method=normal", "--skip-test-db",
        ],
        stdout=output, stderr=output, mode=0o600, cwd=folder, env=clean_environment(PATH=path, TMPDIR=str(folder)),
    )  # fmt: skip
    try:
        code = maker.wait(MAKE_LIMIT_S)
    except TimeoutError:
        maker.stop()
        raise ToolError(f"mariadb-install-db: not done after {MAKE_LIMIT_S:g} s") from None
    if code:
        lines = [line.strip() for line in output.read_text(errors="replace").splitlines() if line.strip()]
        fatal = next((line for line in lines if "ERROR" in line.upper()), lines[-1] if lines else "it says nothing")
        raise ToolError(f"mariadb-install-db: ended with code {code}: {shown(fatal)}")


def _users(password: Secret) -> str:
    # Of the characters of token_urlsafe none needs a quote.
    identified = f"IDENTIFIED BY '{password.reveal()}'"
    return (
        f"CREATE USER '{USER}'@'localhost' {identified};\n"
        f"CREATE USER '{USER}'@'{HOST}' {identified};\n"
        f"GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'localhost', '{USER}'@'{HOST}' WITH GRANT OPTION;\n"
        f"DELETE FROM mysql.global_priv WHERE User <> '{USER}' AND User <> 'mariadb.sys';\n"
        "FLUSH PRIVILEGES;\n"
    )


def _user_options() -> list[str]:
    """Options to run as the same user: root has to say so, others may not. By number: a container may have no names."""
    return ["--user=root"] if os.geteuid() == 0 else []


def _pool_bytes(cache_gib: float) -> int:
    return round(cache_gib * BYTES_PER_GIB / _CHUNK_BYTES) * _CHUNK_BYTES


def _command(binary: Path, folder: Path, port: int, cache_gib: float, init: Path) -> list[str]:
    return [
        str(binary),
        "--no-defaults",
        *_user_options(),
        f"--datadir={folder / 'db'}",
        # A relative name, inside the data folder: the path of a socket may have 107 characters.
        "--socket=mariadbd.sock",
        # Temporary tables of two servers in one folder have been taken for each other's.
        f"--tmpdir={folder}",
        f"--port={port}",
        f"--bind-address={HOST}",
        f"--pid-file={folder / 'mariadbd.pid'}",
        f"--log-error={folder / 'mariadbd.log'}",
        f"--init-file={init}",
        f"--innodb-buffer-pool-chunk-size={_CHUNK_BYTES}",
        f"--innodb-buffer-pool-size={_pool_bytes(cache_gib)}",
        "--skip-name-resolve",
        "--skip-log-bin",
        f"--max-connections={MAX_CONNECTIONS}",
    ]


def log_reason(text: str) -> str:
    """Why a mariadbd ended: the first error of its log, which the others follow from."""
    match = re.search(r"\[ERROR\] (?:\S+: (?=Fatal))?(.+)", text)
    return match[1].strip() if match else ""
