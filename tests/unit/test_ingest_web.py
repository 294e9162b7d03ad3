"""Pages that are ingested by their address: fetched once from a real server, kept, and bounded."""

import http.server
import sys
import threading
from contextlib import contextmanager

import pytest

from ycsbook import cli
from ycsbook.errors import RunLogError
from ycsbook.ingest.files import web
from ycsbook.store import parquet

PAGE = """<html><body><h1>MongoDB 6.0 performance</h1><h2>50% reads, 50% updates</h2><table>
<tr><th>Spec</th><th>Threads</th><th>QPS</th><th>RAL (us)</th><th>WAL (us)</th></tr>
<tr><td>2C4G</td><td>100</td><td>9000</td><td>21000</td><td>900</td></tr>
<tr><td>4C8G</td><td>100</td><td>19000</td><td>10000</td><td>500</td></tr>
</table></body></html>"""


class Pages(http.server.BaseHTTPRequestHandler):
    """A page, one that has moved, one that leads to a file, one that is cut, and nothing else."""

    def do_GET(self):
        self.server.asked += 1
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "/page" if self.path == "/moved" else "file:///etc/passwd")
            self.end_headers()
        elif self.path.startswith(("/page", "/cut")):
            text = PAGE.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text[:50] if self.path == "/cut" else text)
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with serving(Pages) as running:
        yield running


@contextmanager
def serving(handler):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.asked = 0
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def at(server, path):
    return f"http://127.0.0.1:{server.server_port}{path}"


@pytest.mark.parametrize("path", ["/page", "/moved"])
def test_a_page_is_fetched_once_kept_and_read(server, path, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ycsbook", "ingest", at(server, path), "--out", str(tmp_path)])
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert not ended.value.code, capsys.readouterr().err
    asked = server.asked
    assert asked == (1 if path == "/page" else 2)
    (page,) = (tmp_path / "pages").iterdir()
    assert page.read_text() == PAGE and page.suffix == ".html"
    runs = parquet.read(tmp_path).runs
    assert sorted(zip(runs["cores"], runs["throughput_ops_s"], strict=True)) == [(2, 9000), (4, 19000)]
    web.saved(at(server, path), tmp_path / "pages", again=True)
    assert server.asked == 2 * asked


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/none", "404 'Not Found'"),
        ("/cut", "early|IncompleteRead"),
        ("/moved-to-a-file", "Redirection to url .{,2}file:///etc/passwd.{,2} is not allowed"),
    ],
)
def test_what_cannot_be_fetched_is_one_line(server, path, reason, tmp_path):
    with pytest.raises(RunLogError, match=reason) as refused:
        web.saved(at(server, path), tmp_path)
    assert "\n" not in str(refused.value) and "save the page" in str(refused.value) and not list(tmp_path.iterdir())


def test_a_page_without_end_is_refused(server, monkeypatch, tmp_path):
    monkeypatch.setattr(web, "MAX_BYTES", 100)
    with pytest.raises(RunLogError, match="is larger than 100 bytes"):
        web.saved(at(server, "/page"), tmp_path)


def test_a_server_that_is_not_there_and_an_address_with_a_password_are_refused(tmp_path):
    with serving(Pages) as gone:
        address = at(gone, "/page")
    with pytest.raises(RunLogError, match="Connection refused"):
        web.saved(address, tmp_path)
    with pytest.raises(RunLogError, match="holds a user or password") as refused:
        web.saved("http://user:s3cret@127.0.0.1/page", tmp_path)
    assert "s3cret" not in str(refused.value)
