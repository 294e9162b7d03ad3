"""A MariaDB server as the CRUD experiment uses it: its table, the room it takes, and what the server says of itself."""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ycsbook.errors import ToolError, shown
from ycsbook.servers.kind import BenchmarkRecords, RecordShape, Size

if TYPE_CHECKING:
    import pymysql

DATABASE = "ycsb"
ENGINES = {"": "InnoDB", "innodb": "InnoDB", "myisam": "MyISAM"}
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
Connect = Callable[..., "pymysql.Connection"]


class MariadbTable(BenchmarkRecords):
    """The records in one table; their marker is a row of another. `connect` makes a connection; `engine`: as a params
    file names it."""

    def __init__(self, connect: Connect, table: str, shape: RecordShape, engine: str):
        self._connect, self._engine = connect, ENGINES[engine]
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

    def size(self) -> Size:
        """How large the table is now, as the engine says: InnoDB in pages, some of them partly filled."""
        with self._reached() as cursor:
            cursor.execute(f"ANALYZE TABLE `{self._table}`")
            cursor.fetchall()
            cursor.execute(
                "SELECT data_length, index_length FROM information_schema.tables "
                "WHERE table_schema=%s AND table_name=%s",
                (DATABASE, self._table),
            )
            data, index = cursor.fetchone() or (0, 0)
            return Size(int(data or 0), int(data or 0) + int(index or 0), int(index or 0))

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
        import pymysql

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
        except pymysql.MySQLError as e:
            raise ToolError(f"{DATABASE}.{self._table}: {shown(str(e))}") from None


class MariadbCounters:
    """Reads the server's counters; empty where it does not answer."""

    def __init__(self, connect: Connect, engine: str):
        self._connect = connect
        self._places = {**_STATUS, **(_STATUS_OF_INNODB if ENGINES[engine] == "InnoDB" else {})}

    def read(self) -> dict[str, float]:
        import pymysql

        try:
            connection = self._connect(connect_timeout=ANSWER_S, read_timeout=ANSWER_S)
            with connection, connection.cursor() as cursor:
                cursor.execute("SHOW GLOBAL STATUS")
                status = dict(cursor.fetchall())
        except (pymysql.MySQLError, OSError):
            return {}
        return {
            column: sum(float(status[name]) for name in names)
            for column, names in self._places.items()
            if all(name in status for name in names)
        }

    def answers(self) -> bool:
        import pymysql

        try:
            self._connect(connect_timeout=ANSWER_S, read_timeout=ANSWER_S).close()
        except pymysql.err.OperationalError as e:
            # One that is full answers, with a refusal.
            return e.args[0] == pymysql.constants.ER.CON_COUNT_ERROR
        except (pymysql.MySQLError, OSError):
            return False
        return True
