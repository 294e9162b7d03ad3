"""Servers that speak MongoDB's language and leave out what a mongod tells, or are too old."""

import contextlib
import socketserver
import struct
import threading

import bson
import pytest

from ycsbook.errors import ToolError
from ycsbook.secrets import Secret
from ycsbook.servers import mongodb
from ycsbook.servers.kind import RecordShape
from ycsbook.servers.kinds.uri import preflight
from ycsbook.servers.mongodb import MongoCounters, MongoDataset

HELLO = {
    "ok": 1.0, "isWritablePrimary": True, "maxWireVersion": 21, "minWireVersion": 0, "maxBsonObjectSize": 1 << 24,
    "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000,
}  # fmt: skip
ANSWERS = {
    "no system": {"hostInfo": {}, "dbStats": {}, "collStats": {}, "serverStatus": {}, "buildInfo": {}},
    "empty system": {"hostInfo": {"system": {}}, "dbStats": {"fsTotalSize": 10}, "collStats": {"size": None}},
    "no numbers": {
        "hostInfo": {"system": {"numCores": "many", "memSizeMB": None}, "os": {}},
        "dbStats": {"fsTotalSize": "?", "fsUsedSize": 1},
        "serverStatus": {"opcounters": [], "connections": {"current": "few"}, "extra_info": None},
    },
    "system is no document": {"hostInfo": {"system": None}, "hello": {"topologyVersion": None, "localTime": "noon"}},
}


class Server(socketserver.ThreadingTCPServer):
    """Answers every command with `ok`, and with what its `answers` add."""

    daemon_threads, answers = True, {}

    class RequestHandlerClass(socketserver.BaseRequestHandler):
        def handle(self):
            while head := self.request.recv(16, 0x100):  # MSG_WAITALL
                length, request_id, _, code = struct.unpack("<iiii", head)
                body = self.request.recv(length - 16, 0x100)
                asked = (
                    bson.decode(body[5 : 5 + struct.unpack_from("<i", body, 5)[0]]) if code == 2013 else {"hello": 1}
                )
                name = next(iter(asked))
                answer = {
                    "ok": 1.0,
                    **(HELLO if name in ("hello", "ismaster") else {}),
                    **self.server.answers.get(name, {}),
                }
                if code == 2013:  # OP_MSG: no flags, one section of one document
                    self._send(request_id, 2013, struct.pack("<iB", 0, 0) + bson.encode(answer))
                else:  # OP_REPLY to the first greeting
                    self._send(request_id, 1, struct.pack("<iqii", 8, 0, 0, 1) + bson.encode(answer))

        def _send(self, request_id, code, body):
            self.request.sendall(struct.pack("<iiii", 16 + len(body), 1, request_id, code) + body)

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.RequestHandlerClass)


@contextlib.contextmanager
def uri_of(answers):
    """The URI of a server with these answers."""
    with Server() as server:
        server.answers = answers
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Secret(f"mongodb://127.0.0.1:{server.server_address[1]}/?directConnection=true")
        server.shutdown()


@pytest.mark.parametrize("case", ANSWERS)
def test_what_a_server_does_not_tell_is_missing_and_nothing_fails(case):
    with uri_of(ANSWERS[case]) as uri:
        target = preflight(uri)
        facts = [target.facts[name] for name in ("cores", "ram_gib", "free_gib", "clock_difference_s", "process")]
        assert (facts, target.version) == ([None, None, None, None, ""], "")
        assert target.rtt_us > 0
        with MongoCounters(uri) as counters:
            assert counters.read() == {} and counters.answers()
        assert MongoDataset(uri, "usertable", RecordShape(0, 1, 1)).size() == {"data_bytes": 0, "storage_bytes": 0}


def test_a_server_that_is_too_old_is_told_so(monkeypatch):
    monkeypatch.setattr(mongodb, "LIMIT_S", 2.0)
    with (
        uri_of({"hello": {"maxWireVersion": 7}, "ismaster": {"maxWireVersion": 7}}) as uri,
        pytest.raises(ToolError, match=r"too old: .*MongoDB 4\.4.*; upgrade it, or .*'ycsbook ingest'"),
    ):
        preflight(uri)
