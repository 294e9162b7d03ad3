"""A load generator that stands in for Java: starts in a moment, really inserts, and prints the same log every time.

    home = stand_in.install(folder)        # then JAVA_HOME=home

It takes the same command line as YCSB, reads the server's URL from the properties file, inserts with pymongo, and
counts the records before a run: on half of them its operations fail. `home/how.json` changes how it behaves:
`seconds` is how long it goes on (0: the figures of its log are printed at once), `show_url` makes it print its URL,
`dated` the time as it is, `stepped_s` its run time longer, as YCSB does when the clock is set.
"""

import json
import os
import sys
from pathlib import Path

import psutil

VERSION = 'openjdk version "17.0.9" 2023-10-17'
SCRIPT = """#!{python} -ES
import json, os, sys, time
if sys.argv[1:] == ["-version"]:
    print({version!r}, file=sys.stderr)
    sys.exit(0)
sys.path[:0] = {path!r}
import pymongo
how = json.load(open(os.path.join({home!r}, "how.json")))
given, words = {{}}, iter(sys.argv[1:])
loading = "-load" in sys.argv
for word in words:
    if word == "-p":
        key, _, value = next(words).partition("=")
        given[key] = value
    elif word in ("-P", "-threads"):
        given[word] = next(words)
line = open(given["-P"]).read().strip()
url = line.split("=", 1)[1].encode().decode("unicode_escape")
if how.get("show_url"):
    print("new database url =", url, flush=True)
    print("connecting to", url, file=sys.stderr, flush=True)
records, threads = int(given["recordcount"]), int(given["-threads"])
begun, at = time.monotonic(), time.time() if how.get("dated") else 1767225600

def status(second, done):
    moment = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at + second))
    print(f"{{moment}}:000 {{second}} sec: {{done}} operations; {{done / max(second, 1)}} current "
          f"ops/sec; est completion in 1 second ", file=sys.stderr, flush=True)

with pymongo.MongoClient(url) as client:
    named = client.get_default_database("ycsb")
    table = (client["ycsb"] if named.name == "admin" else named)[given["table"]]
    second = 0
    status(second, 0)
    if loading:
        for first in range(0, records, 50):
            table.insert_many([
                {{"_id": f"user{{i}}", **{{f"field{{f}}": "x" * int(given["fieldlength"])
                  for f in range(int(given["fieldcount"]))}}}}
                for i in range(first, min(first + 50, records))
            ])
            time.sleep(how.get("seconds", 0) * 50 / records)
        done, failed, operation = records, 0, "INSERT"
    else:
        done, operation = 500 * threads, "READ"
        failed = 0 if table.estimated_document_count() >= records else done
        if float(given["insertproportion"]):
            table.insert_one({{"_id": f"user{{time.time_ns()}}"}})
        while time.monotonic() < begun + how.get("seconds", 0):
            time.sleep(0.1)
            second += 1
            status(second, 50 * second)
status(second + 1, done)
runtime = 1000 * max(1, int(given.get("maxexecutiontime", 1))) + 1000 * how.get("stepped_s", 0)
print(f"[OVERALL], RunTime(ms), {{runtime}}")
print(f"[OVERALL], Throughput(ops/sec), {{done * 1000 / runtime}}")
print(f"[{{operation}}], Operations, {{done}}")
for name, value in (("AverageLatency", 100 + threads), ("MinLatency", 10), ("MaxLatency", 9000),
                    ("50thPercentileLatency", 90), ("95thPercentileLatency", 300 * threads),
                    ("99thPercentileLatency", 800 * threads)):
    print(f"[{{operation}}], {{name}}(us), {{value}}")
if done > failed:
    print(f"[{{operation}}], Return=OK, {{done - failed}}")
if failed:
    print(f"[{{operation}}], Return=ERROR, {{failed}}")
"""


def install(folder: Path, **how: object) -> Path:
    """Write it; returns what JAVA_HOME has to be."""
    home = folder / "java"
    (home / "bin").mkdir(parents=True)
    program = home / "bin" / "java"
    found = [p for p in sys.path if p.endswith("site-packages")]
    program.write_text(SCRIPT.format(python=sys.executable, version=VERSION, path=found, home=str(home)))
    program.chmod(0o755)
    behave(home, **how)
    return home


def behave(home: Path, **how: object) -> None:
    """Change how the next one behaves."""
    (home / "how.json.new").write_text(json.dumps(how))
    os.replace(home / "how.json.new", home / "how.json")


def clients(store: Path) -> list[psutil.Process]:
    """Those that are at work for a store now."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = process.info["cmdline"] or []
        if "site.ycsb.Client" in line and str(store) in " ".join(line) and process.info["status"] != "zombie":
            found.append(process)
    return found
