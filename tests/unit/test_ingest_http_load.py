"""wrk, ab and hey: their reports alone, several in a page, with failures, and excerpts without an end."""

import pytest
from log_harness import one, parsed

from ycsbook import ingest
from ycsbook.ingest import readers
from ycsbook.ingest.readers import http_load
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome

WRK = """$ wrk -t4 -c64 -d30s --latency http://user:canary7@10.0.0.9/orders
Running 30s test @ http://user:canary7@10.0.0.9/orders
  4 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     5.25ms    2.10ms  61.50ms   91.20%
    Req/Sec     3.05k   120.00     3.40k    70.00%
  Latency Distribution
     50%    4.90ms
     99%   12.30ms
  360000 requests in 30.00s, 41.00MB read
  Socket errors: connect 0, read 10, write 0, timeout 30
  Non-2xx or 3xx responses: 60
Requests/sec:  12000.00
Transfer/sec:      1.37MB
"""
AB = """This is ApacheBench, Version 2.3 <$Revision: 1903618 $>

Server Software:        demo
Concurrency Level:      20
Time taken for tests:   4.000 seconds
Complete requests:      8000
Failed requests:        16
Requests per second:    2000.00 [#/sec] (mean)
Time per request:       10.000 [ms] (mean)
Time per request:       0.500 [ms] (mean, across all concurrent requests)
Transfer rate:          300.10 [Kbytes/sec] received

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    1   0.5      1       4
Total:          2   10   3.1      9      44

Percentage of the requests served within a certain time (ms)
  50%      9
  99%     21
 100%     44 (longest request)
"""
HEY = """$ hey -c 32 -z 10s http://127.0.0.1:8080/

Summary:
  Total:\t10.0040 secs
  Slowest:\t0.0900 secs
  Fastest:\t0.0010 secs
  Average:\t0.0125 secs
  Requests/sec:\t2549.9800

Response time histogram:
  0.001 [1]\t|
  0.010 [25000]\t|■■■■

Latency distribution:
  50% in 0.0110 secs
  99% in 0.0400 secs

Details (average, fastest, slowest):
  DNS+dialup:\t0.0001 secs, 0.0010 secs, 0.0900 secs

Status code distribution:
  [200]\t25480 responses
  [503]\t20 responses

Error distribution:
  [10]\tGet "http://127.0.0.1:8080/": EOF
"""


@pytest.mark.parametrize(
    ("text", "calls", "threads", "latencies"),
    [
        (WRK, (360_040, 100), 64, (5250, 61_500, 4900, 12_300)),
        (AB, (8000, 16), 20, (10_000, 44_000, 9000, 21_000)),
        (HEY, (25_510, 30), 32, (12_500, 90_000, 11_000, 40_000)),
    ],
    ids=["wrk", "ab", "hey"],
)
def test_a_report_is_a_run(tmp_path, text, calls, threads, latencies):
    log = one(http_load, tmp_path, text)
    request = log.by_operation["REQUEST"]
    assert ((log.attempted, log.failed), log.threads) == (calls, threads)
    percentiles = dict(request.percentiles)
    assert (request.mean_us, request.max_us, percentiles[50], percentiles[99]) == latencies
    assert log.throughput_ops_s == pytest.approx(calls[0] / (log.runtime_ms / 1000))
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    assert not checks.counts_disagree(log) and not log.truncated
    assert "canary7" not in repr(log)


def test_a_page_may_quote_several(tmp_path):
    page = f"# Web tier\n\n## Before\n\n```\n{WRK}```\n\n## After\n\n```\n{AB}```\n\n```\n{HEY}```\n\n{WRK}"
    assert readers.format_of(page.encode()) == http_load.FORMAT
    assert [log.attempted for log in parsed(http_load, tmp_path, page)] == [360_040, 8000, 25_510, 360_040]
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "web.md").write_text(page)
    runs = ingest.read([tmp_path / "pages"]).runs
    assert (runs["outcome"] == "completed").all() and (runs["format"] == http_load.FORMAT).all()


def test_an_excerpt_counts_where_the_page_goes_on(tmp_path):
    text = AB[AB.index("Concurrency") : AB.index("Transfer rate")]
    assert one(http_load, tmp_path, f"```\n{text}```\n").throughput_ops_s == 2000
    assert checks.verdict(one(http_load, tmp_path, text)).outcome == Outcome.INCOMPLETE


def test_a_rate_that_does_not_follow_is_a_conflict(tmp_path):
    assert one(http_load, tmp_path, WRK.replace("12000.00", "13000.00")).conflicts == ("rate",)


def test_minutes_of_two_decimals_do_not_blur_the_rate(tmp_path):
    minutes = WRK.replace("360000 requests in 30.00s", "720600 requests in 1.00m")
    log = one(http_load, tmp_path, minutes)
    assert log.runtime_ms == pytest.approx(60_050) and not log.conflicts
    assert log.by_operation["REQUEST"].ok / log.runtime_ms * 1000 == pytest.approx(12_000, rel=1e-3)
    assert one(http_load, tmp_path, minutes.replace("720600", "126").replace("12000.00", "2.11")).runtime_ms == 60_000


@pytest.mark.parametrize("text", ["Requests/sec:  820\n", "Summary:\n  Total: 10 MB\n", "we ran wrk -t4 http://x/\n"])
def test_what_resembles_it_is_none(text):
    assert not readers.format_of(text.encode())


def test_what_one_report_leaves_out_is_not_taken_from_the_next(tmp_path):
    first = AB[AB.index("Time taken") :].replace("(mean)", "(mean)   # calls", 1)
    second = AB[AB.index("Concurrency") :].replace("20\n", "40     <<<< twice\n", 1)
    for text in (first + second, first[: first.index("Transfer")] + second):
        logs = parsed(http_load, tmp_path, text)
        assert [log.threads for log in logs] == [None, 40]
    assert one(http_load, tmp_path, first).throughput_ops_s == 2000
    lines = AB[AB.index("Concurrency") : AB.index("Time per")].splitlines(keepends=True)
    assert one(http_load, tmp_path, f"```\n{lines[-1]}{''.join(lines[:-1])}```\n").threads == 20
