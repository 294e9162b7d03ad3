"""Small files of every format to damage: own runs of YCSB, and others written here after the formats' descriptions."""

from pathlib import Path

from ycsbook.ingest import readers

DATA = Path(__file__).parents[1] / "data" / "ycsb"

YCSB_014 = """YCSB Client 0.1
Command line: -db com.yahoo.ycsb.db.HBaseClient -P /tmp/workloada -threads 6 -p columnfamily=cf -t
 10 sec: 185680 operations; 18543.89 current ops/sec; [UPDATE AverageLatency(us)=1692.38] [READ AverageLatency(us)=12.5]
 20 sec: 371000 operations; 18532.00 current ops/sec; [UPDATE AverageLatency(us)=1692.38] [READ AverageLatency(us)=12.5]
[OVERALL], RunTime(ms), 20000.0
[OVERALL], Throughput(ops/sec), 18550.0
[UPDATE], Operations, 185000
[UPDATE], AverageLatency(us), 600.5
[UPDATE], MinLatency(us), 12
[UPDATE], MaxLatency(us), 99000
[UPDATE], 95thPercentileLatency(ms), 1
[UPDATE], 99thPercentileLatency(ms), 4
[UPDATE], Return=0, 185000
[UPDATE], 0, 180000
[UPDATE], 1, 4000
[UPDATE], 4, 999
[UPDATE], >1000, 1
[READ], Operations, 186000
[READ], AverageLatency(us), 40.25
[READ], MinLatency(us), 2
[READ], MaxLatency(us), 9000
[READ], Return=0, 185990
[READ], Return=-1, 10
"""

GO_YCSB = """***************** properties *****************
"threadcount"="8"
"dotransactions"="true"
"mongodb.url"="mongodb://user:canary-pw@10.0.0.7:27017/ycsb"
**********************************************
READ   - Takes(s): 10.0, Count: 110092, OPS: 11010.1, Avg(us): 3822, Min(us): 90, Max(us): 90000, 50th(us): 3000, \
90th(us): 5000, 95th(us): 6000, 99th(us): 9000, 99.9th(us): 20000, 99.99th(us): 80000
READ_ERROR - Takes(s): 9.0, Count: 5, OPS: 0.5, Avg(us): 3822, Min(us): 90, Max(us): 9000, 99th(us): 9000
TOTAL  - Takes(s): 10.0, Count: 110092, OPS: 11010.1, Avg(us): 3822, Min(us): 90, Max(us): 90000, 99th(us): 9000
READ   - Takes(s): 20.0, Count: 220092, OPS: 11000.1, Avg(us): 3822, Min(us): 90, Max(us): 90000, 50th(us): 3000, \
90th(us): 5000, 95th(us): 6000, 99th(us): 9000, 99.9th(us): 20000, 99.99th(us): 80000
TOTAL  - Takes(s): 20.0, Count: 220092, OPS: 11000.1, Avg(us): 3822, Min(us): 90, Max(us): 90000, 99th(us): 9000
Run finished, takes 20.01s
READ   - Takes(s): 20.0, Count: 220100, OPS: 11000.2, Avg(us): 3822, Min(us): 90, Max(us): 90000, 50th(us): 3000, \
90th(us): 5000, 95th(us): 6000, 99th(us): 9000, 99.9th(us): 20000, 99.99th(us): 80000
READ_ERROR - Takes(s): 19.0, Count: 5, OPS: 0.5, Avg(us): 3822, Min(us): 90, Max(us): 9000, 99th(us): 9000
TOTAL  - Takes(s): 20.0, Count: 220100, OPS: 11000.2, Avg(us): 3822, Min(us): 90, Max(us): 90000, 99th(us): 9000
"""

GO_YCSB_JSON = """[{"Operation":"READ","Takes(s)":"10.0","Count":"1000","OPS":"100.0","Avg(us)":"800","Min(us)":"90",\
"Max(us)":"9000","50th(us)":"700","90th(us)":"1500","95th(us)":"2000","99th(us)":"5000","99.9th(us)":"8000",\
"99.99th(us)":"9000"}]
Run finished, takes 10.002s
[{"Operation":"READ","Takes(s)":"10.0","Count":"1001","OPS":"100.1","Avg(us)":"800","Min(us)":"90",\
"Max(us)":"9000","50th(us)":"700","90th(us)":"1500","95th(us)":"2000","99th(us)":"5000","99.9th(us)":"8000",\
"99.99th(us)":"9000"}]
"""

GO_YCSB_CSV = "operation,timestamp_us,latency_us\n" + "".join(
    f"{'READ' if i % 2 else 'UPDATE'},{1_700_000_000_000_000 + i * 997},{100 + i * 37 % 900}\n" for i in range(60)
)

_SUMMARY = (
    ("OVERALL", "RunTime(ms)", "10000"), ("OVERALL", "Throughput(ops/sec)", "100.0"), ("READ", "Operations", "1000"),
    ("READ", "AverageLatency(us)", "830.163"), ("READ", "MinLatency(us)", "90"), ("READ", "MaxLatency(us)", "27935"),
    ("READ", "95thPercentileLatency(us)", "2000"), ("READ", "99thPercentileLatency(us)", "7935"),
    ("READ", "Return=OK", "1000"), ("CLEANUP", "Operations", "4"), ("CLEANUP", "AverageLatency(us)", "4.5"),
)  # fmt: skip
_OBJECTS = [f'{{"metric":"{a}","measurement":"{b}","value":{c}}}' for a, b, c in _SUMMARY]
JSON_ARRAY = "[" + ",".join(_OBJECTS) + "]\n"
JSON_JOINED = "} {".join(o.strip("{}") for o in _OBJECTS).join("{}") + "\n"

IIBENCH_TSV = (
    "tot_inserts\telap_secs\tcum_ips\tint_ips\tcum_qry_avg\tint_qry_avg\tcum_qps\tint_qps\texceptions\n"
    + "".join(f"{n}00000\t{n * 4}\t25000,00\t25000,00\t1.25\t1.25\t0.5\t0.5\t0\n" for n in range(1, 6))
)

_ZEROS = "\t0" * 7
IIBENCH_PYTHON = (
    "i_sec\tt_sec\ti_ips\tt_ips\ti_qps\tt_qps\tmax_i\tmax_q\tt_ins\tt_query\tretry_i\tretry_q\tx1\tx2\tx3\tx4\tx5\n"
    + "".join(
        f"10.0\t{n}0.0\t10000\t10000\t50\t50\t900\t800\t{n}00000\t{n}500\t0\t0\t0\t0\t0\t0\t0\n" for n in (1, 2, 3)
    )
    + "Totals: 30.0 secs, 10000.0 rows/sec, 300000 rows, 4500 queries\n"
)

MONGOTEST = """D:dist>java -jar mongotest.jar mongo insert 500000 100 192.168.1.12 dbtest
Total thread:100
Total run time:10404 sec
Per-thread rows:500000
Per-thread mongo insert Result:48row/sec
Total rows:50000000
Total mongo insert Result:4805row/sec
"""

SYSBENCH = """sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)

Running the test with following options:
Number of threads: 16

[ 10s ] thds: 16 tps: 1200.10 qps: 24002.50 (r/w/o: 16801.00/4801.00/2400.50) lat (ms,95%): 20.37 \
err/s: 0.00 reconn/s: 0.00
[ 20s ] thds: 16 tps: 1199.90 qps: 23997.50 (r/w/o: 16799.00/4799.00/2399.50) lat (ms,95%): 20.37 \
err/s: 0.00 reconn/s: 0.00
SQL statistics:
    queries performed:
        read:                            336000
        write:                           96000
        other:                           48000
        total:                           480000
    transactions:                        24000  (1199.98 per sec.)
    queries:                             480000 (23999.60 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          20.0003s
    total number of events:              24000

Latency (ms):
         min:                                    4.10
         avg:                                   13.33
         max:                                   98.70
         95th percentile:                       20.37
         sum:                               319920.00

Threads fairness:
    events (avg/stddev):           1500.0000/2.10
    execution time (avg/stddev):   19.9950/0.00
"""

JMETER = "timeStamp,elapsed,label,responseCode,responseMessage,success,allThreads\n" + "".join(
    f"{1_700_000_000_000 + i * 100},{10 + i % 7},Mongo {'find' if i % 2 else 'insert'},200,OK,true,4\n"
    for i in range(14)
)

RAW = "READ latency raw data: op, timestamp(ms), latency(us)\n" + "".join(
    f"READ,{1_700_000_000_000 + i * 10},{100 + i * 37 % 900}\n" for i in range(60)
)

PAGE = """## Results
### Reads/Writes 50:50

| 规格 | 并发数 | QPS | RAL(us) | WAL(us) | CPU 利用率 |
| --- | --- | --- | --- | --- | --- |
| 2核4G | 100 | 9069 | 21520 | 175 | 74% |
| 2核4G | 200 | 9169 | 42520 | 175 | 78% |
```
| 4核8G | 100 | 18069 | 11520 | 175 | 74% |

### Reads/Writes 95:5
<table><tr><th>spec</th><th>threads</th><th>throughput(ops/sec)</th><th>RAL(us)</th><th>WAL(us)</th></tr>
<tr><td rowspan="2">8 cores 16 GB</td><td>64</td><td>20000</td><td>3000</td><td>2000</td></tr>
<tr><td>128</td><td>21000</td><td>6000</td><td>2500</td></tr></table>
"""

OTHERS = {
    "ycsb-json": (JSON_ARRAY, JSON_JOINED),
    "go-ycsb": (GO_YCSB, GO_YCSB_JSON, GO_YCSB_CSV),
    "iibench": (IIBENCH_TSV, IIBENCH_PYTHON),
    "mongotest": (MONGOTEST,),
    "sysbench": (SYSBENCH,),
    "jmeter": (JMETER,),
    readers.RAW: (RAW,),
    readers.PAGE: (PAGE,),
}


def ycsb() -> list[bytes]:
    """Logs of YCSB, of the own runs only those that a test can read many times."""
    files = [p for p in sorted(DATA.iterdir()) if p.suffix in (".out", ".err", ".log") and p.stat().st_size < 10_000]
    return [YCSB_014.encode(), *(p.read_bytes() for p in files), *_merged()]


def _merged() -> list[bytes]:
    """stderr and stdout of the own runs in one file."""
    names = ("01_mongod_load_a_t8_hdr", "08_maxexec", "13_server_restarted_midrun", "14_load_duplicates")
    return [(DATA / f"{n}.err").read_bytes() + (DATA / f"{n}.out").read_bytes() for n in names]


def hdr() -> list[bytes]:
    """.hdr files, the long ones cut to some intervals."""
    return [b"".join(p.read_bytes().splitlines(keepends=True)[:10]) for p in sorted((DATA / "hdr").glob("*.hdr"))]


def others() -> list[bytes]:
    return [text.encode() for texts in OTHERS.values() for text in texts]
