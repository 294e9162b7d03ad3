"""One URI for both drivers: who answers is verified by Python's and by the load generator's, and only a URI that asks
for it switches that off; on real mongods with certificates of their own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pymongo
import pytest

from ycsbook.errors import ToolError
from ycsbook.params import Sweep, plan
from ycsbook.processes import Guard
from ycsbook.runner import command, generator
from ycsbook.secrets import Secret
from ycsbook.servers import kind, mongodb, private
from ycsbook.servers.kinds.uri import preflight
from ycsbook.servers.mongod import Mongod
from ycsbook.servers.private import Access
from ycsbook.verdicts import Warn

pytestmark = [pytest.mark.live, pytest.mark.matrix]

SWEEP = Sweep.model_validate(
    {
        "name": "tls",
        "server": {"kind": "uri"},
        "specs": [{"name": "any", "cores": 1, "ram_gib": 1, "uri_env": "TLS_TEST_URI"}],
        "workloads": ["a"],
        "threads": [1],
        "records": 20,
        "java_options": ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"],
    }
)


YCSBOOK = Path(sys.executable).with_name("ycsbook")
UNVERIFIED = """
name: unverified
server: {kind: uri}
specs:
  - {name: 2c, cores: 2, ram_gib: 4, uri_env: TLS_TEST_URI}
workloads: [a]
threads: [1]
records: 20
operations: 50
table: unverified
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx128m]
"""


class Served:
    """A mongod with certificates for some hosts, and the URI options that name their files."""

    def __init__(self, guard: Guard, folder: Path, hosts: tuple[str, ...]):
        self.certificates = private.make_certificates(folder, hosts)
        self.server = Mongod(guard, folder, cache_gib=0.25, access=_Lenient(tls=self.certificates))
        self.ca = f"tls=true&tlsCAFile={quote(str(self.certificates.authority))}"

    def uri(self, options: str) -> Secret:
        return Secret(f"mongodb://anna:s3cr3t-tls@127.0.0.1:{self.server.port}/ycsb?authSource=admin&{options}")


class _Lenient(Access):
    """Lets ycsbook itself in to wait for the server, whatever its certificate says."""

    def client(self, port, *, as_user=True, **options):
        return super().client(port, as_user=as_user, **{"tlsAllowInvalidHostnames": True, **options})


def serve(guard, folder, *hosts):
    served = Served(guard, folder, hosts)
    with served.server.client() as client:
        client.admin.command("createUser", "anna", pwd="s3cr3t-tls", roles=["root"])
    return served


@pytest.fixture(scope="module")
def good(guard, tmp_path_factory):
    served = serve(guard, tmp_path_factory.mktemp("good one"), "127.0.0.1")
    yield served
    served.server.stop()


@pytest.fixture(scope="module")
def misnamed(guard, tmp_path_factory):
    served = serve(guard, tmp_path_factory.mktemp("misnamed"), "elsewhere.example")
    yield served
    served.server.stop()


def load(uri: Secret, folder: Path) -> subprocess.CompletedProcess:
    """The load generator with this URI."""
    built = command.build(plan(SWEEP)[0], "load", generator=generator.find(), uri=uri, folder=folder)
    argv = [*built.argv_with(built.write_properties(folder)), "-p", "mongodb.serverSelectionTimeoutMs=4000"]
    done = subprocess.run(argv, env=built.env, capture_output=True, text=True, timeout=60, check=False)
    assert "s3cr3t" not in done.stdout + done.stderr
    return done


def complaint(done: subprocess.CompletedProcess) -> str:
    assert done.returncode in (69, 78), done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("ycsbook: ")]
    return line


def drop(server: Mongod) -> None:
    with server.client() as client:
        client.ycsb.usertable.drop()


def test_a_verified_server_takes_records_from_both(good, tmp_path):
    uri = good.uri(good.ca)
    assert preflight(uri).version == good.server.version
    done = load(uri, tmp_path)
    assert done.returncode == 0, done.stderr
    with good.server.client() as client:
        assert client.ycsb.usertable.count_documents({}) == 20
    drop(good.server)
    assert mongodb.tls_verified(uri) is True


@pytest.mark.parametrize("case", ["unknown authority", "wrong host"])
def test_a_server_that_cannot_be_verified_is_refused_in_one_line_by_both(good, misnamed, tmp_path, monkeypatch, case):
    # A certificate that signed itself is one of an authority that nobody named.
    uri = good.uri("tls=true") if case == "unknown authority" else misnamed.uri(misnamed.ca)
    reasons = {
        "unknown authority": (
            "certificate verify failed|unable to get local issuer",
            "unable to find valid certification",
        ),
        "wrong host": ("IP address mismatch|doesn't match", "No subject alternative names"),
    }[case]
    monkeypatch.setattr(mongodb, "LIMIT_S", 1.0)
    with pytest.raises(ToolError, match=f"no TLS connection: .*({reasons[0]})") as caught:
        preflight(uri)
    assert "\n" not in str(caught.value) and "s3cr3t" not in str(caught.value)
    line = complaint(load(uri, tmp_path))
    assert re.search(f"no TLS connection: .*{reasons[1]}", line) and "tlsCAFile" in line


@pytest.mark.parametrize(
    ("options", "which"),
    [
        ("tls=true&tlsInsecure=true", "good"),
        ("tls=true&tlsAllowInvalidCertificates=true", "good"),
        ("tlsAllowInvalidHostnames=true&FILE", "misnamed"),
    ],
)
def test_only_a_uri_that_asks_for_it_is_served_unverified_and_the_manifest_says_so(
    request, tmp_path, monkeypatch, options, which
):
    served = request.getfixturevalue(which)
    uri = served.uri(options.replace("FILE", served.ca))
    done = load(uri, tmp_path)
    assert done.returncode == 0, done.stderr
    drop(served.server)
    monkeypatch.setenv("TLS_TEST_URI", uri.reveal())
    servers = kind.start(SWEEP, None, tmp_path)
    target = servers.prepare(SWEEP.specs[0])
    assert target.facts["tls"] == "not verified" and target.warnings == (Warn.TLS_NOT_VERIFIED,)


def test_a_run_that_was_not_verified_is_warned_of_in_manifest_tables_and_findings(misnamed, tmp_path):
    params, store, tables = tmp_path / "unverified.yml", tmp_path / "runs", tmp_path / "tables"
    params.write_text(UNVERIFIED)
    environment = {**os.environ, "TLS_TEST_URI": misnamed.uri("tls=true&tlsInsecure=true").reveal()}
    for asked in (
        ["run", params, "--store", store],
        ["ingest", store, "--out", tables],
        ["anomalies", tables, "--json"],
    ):
        done = subprocess.run(
            [YCSBOOK, *map(str, asked)], capture_output=True, text=True, timeout=120, check=False, env=environment
        )
        assert done.returncode == 0, done.stderr
    drop(misnamed.server)
    (manifest,) = (json.loads(path.read_text()) for path in store.glob("unverified-2c-a-*/manifest.json"))
    assert manifest["warnings"] == ["TLS_NOT_VERIFIED"] and manifest["server"]["tls"] == "not verified"
    (finding,) = [f for f in json.loads(done.stdout) if "tls not verified" in str(f)]
    assert "tlsCAFile" in str(finding)


def test_a_certificate_of_ones_own_is_shown_to_a_server_that_asks(guard, tmp_path):
    (tmp_path / "files").mkdir()
    pair = private.make_certificates(tmp_path / "files")

    class Strict(Access):
        def server_options(self):
            return [o for o in super().server_options() if o != "--tlsAllowConnectionsWithoutCertificates"]

        def client(self, port, *, as_user=True, **options):
            return super().client(port, as_user=as_user, **{"tlsCertificateKeyFile": str(pair.server), **options})

    with Mongod(guard, tmp_path / "db", cache_gib=0.25, access=Strict(tls=pair)) as server:
        ca = f"mongodb://127.0.0.1:{server.port}/ycsb?tls=true&tlsCAFile={quote(str(pair.authority))}"
        own = Secret(f"{ca}&tlsCertificateKeyFile={quote(str(pair.server))}")
        assert preflight(own).version == server.version
        done = load(own, tmp_path)
        assert done.returncode == 0, done.stderr
        with server.client() as client:
            assert client.ycsb.usertable.count_documents({}) == 20
        assert load(Secret(ca), tmp_path).returncode == 69


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("tls=true&tlsCAFile=/nowhere/ca.pem", r"mongodb\.url: tlsCAFile: '/nowhere/ca\.pem' cannot be read"),
        ("tlsCAFile=EMPTY", r"mongodb\.url: tlsCAFile: the file holds no certificate"),
        ("tlsCertificateKeyFile=CA", r"tlsCertificateKeyFile: the file holds no unencrypted PKCS#8 private key"),
        ("tls=false&tlsCAFile=CA", "tlsCAFile: stands beside tls=false"),
    ],
)
def test_files_that_are_none_are_named_by_the_binding(good, tmp_path, options, said):
    empty = tmp_path / "empty.pem"
    empty.touch()
    filled = options.replace("=EMPTY", f"={empty}").replace("=CA", f"={quote(str(good.certificates.authority))}")
    assert re.search(said, complaint(load(good.uri(filled), tmp_path)))


def test_the_authoritys_key_is_nowhere(good):
    folder = good.certificates.authority.parent
    keys = [p for p in folder.glob("*.pem") if b"PRIVATE KEY" in p.read_bytes()]
    assert keys == [good.certificates.server]
    assert os.stat(good.certificates.server).st_mode & 0o077 == 0


def test_python_is_at_least_as_choosy_about_old_servers_as_java():
    jar = next(p for p in generator.find().classpath if p.name.startswith("mongodb-driver-core"))
    constants = subprocess.run(
        ["javap", "-constants", "-cp", jar, "com.mongodb.connection.ServerDescription"],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    (oldest,) = re.findall(r"int MIN_DRIVER_WIRE_VERSION = (\d+);", constants)
    assert int(oldest) <= pymongo.MIN_SUPPORTED_WIRE_VERSION
