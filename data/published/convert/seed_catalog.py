"""What each seed document holds and where in it: a cloud vendor's page, another's, slides, two blog posts.

No figure stands here: figures are read from the documents. What the sidecars say of the environment are the
documents' own words, found by the patterns below; addresses and passwords of printed commands are left out.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import seed_figures

from ycsbook.ingest.published.page import parse_page
from ycsbook.ingest.published.published import VENDOR_COLUMNS

ReadFigures = Callable[[str, Path], list[dict]]


@dataclass(frozen=True)
class SeedDataset:
    """One data set to be made from a seed document.

    `title`, `date` and the values of `environment` and `facts` are patterns whose first group is the
    document's own wording; a text that starts with "=" is said by us, where the document says nothing.
    """

    dataset: str
    document: str  # the seed document's number
    rows: ReadFigures
    columns: tuple[str, ...]
    title: str
    publisher: str
    date: str
    environment: dict[str, str]
    facts: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def _vendor(vendor: str) -> ReadFigures:
    def rows(text: str, path: Path) -> list[dict]:
        out = []
        for row in parse_page(text, path):
            figures = row._asdict()
            out.append({"vendor": vendor, "source_line": figures.pop("line"), **figures})
        return out

    return rows


SEED_DATASETS = (
    SeedDataset(
        dataset="qingcloud-4.0.3",
        document="000",
        rows=_vendor("QingCloud"),
        columns=VENDOR_COLUMNS,
        title=r'title: "(.+)"',
        publisher="QingCloud",
        date="=",
        facts={
            "vendor": "=QingCloud",
            "server_version": r"MongoDB (4\.0\.3)-v1\.0\.0 ，Replica",
            "topology": r"，(Replica) 节点",
            "write_concern": r"-p mongodb\.writeConcern=(unacknowledged)",
        },
        environment={
            "client": r"客户端配置\s+(\S.*)",
            "server": r"测试对象配置\s+(\S.*)",
            "server_machine": r"  - (云服务器 企业型 e3)",
            "disk": r"  - 磁盘 (.+)",
            "data": r"准备(约 10GB) 测试数据",
            "load_options": r"ycsb\.sh load mongodb .+(-p mongodb\.writeConcern=\S+) >",
            "run_options": r"ycsb\.sh run mongodb .+(-p mongodb\.upsert=.+?) >",
        },
        notes=(
            "The page names neither its publisher nor a date; its commands are the same for 100 and 200 threads and "
            "for both mixes but for -threads and the workload file.",
            "Write concern unacknowledged: wal_us is the time to send, and nobody knows how many writes succeeded.",
            "The page does not say how long a run took, how many records were loaded or how often a run was repeated.",
        ),
    ),
    SeedDataset(
        dataset="tencent-2020-08",
        document="001",
        rows=_vendor("Tencent Cloud"),
        columns=VENDOR_COLUMNS,
        title=r"本文主要介绍针对(腾讯云数据库 MongoDB 实例进行标准化的性能测试)",
        publisher="Tencent Cloud",
        date=r"测试时间：(\d{4}年\d{1,2}月)",
        facts={
            "vendor": "=Tencent Cloud",
            "server_version": r"MongoDB (4\.0) 实例（副本集架构）",
            "topology": r"实例（(副本集)架构）",
            "write_concern": r"/admin\?w=(\d)",
            "rtt_us": r"CVM 到 MongoDB 实例的平均时延为(\d+\.\d+ms)",
        },
        environment={
            "client": r"客户端配置：(.+)",
            "server": r"测试对象：(.+)",
            "ycsb": r"(ycsb-0\.15\.0)/bin",
            "network_round_trip": r"时延：(Minimum = .+)",
            "data": r"准备数据(约10GB)，",
            "duration": r"- (`-p operationcount=100000`根据.+)",
            "load_options": r"ycsb load mongodb (?:.|\n)+?w=0 (-p table=\S+ -threads .+?)>",
            "run_options": r"ycsb run mongodb .+?w=0 (-p table=.+?) >",
        },
        notes=(
            "cpu_utilisation is the server's, as published.",
            "Write concern 0: wal_us is the time to send (most are below the round trip of 350 us), and nobody knows "
            "how many writes succeeded.",
            "The threads may have been spread over four clients where one did not saturate the server; the page does "
            "not say for which rows.",
        ),
    ),
    SeedDataset(
        dataset="crud-2012-queries",
        document="002",
        rows=seed_figures.query_charts,
        columns=(
            "dataset",
            "query",
            "engine",
            "records",
            "threads",
            "throughput_ops_s",
            "placement",
            "source_line",
        ),
        title="=MongoDB 2.0.2 and MySQL 5.5.19 compared: query charts",
        publisher="金融界（JRJC）",
        date=r'ObjectId\("([0-9a-f]{24})"\)',
        environment={
            "server": r"硬件配置：(.+)",
            "server_system": r"操作系统：(.+)",
            "databases": r"数据库：(.+)",
            "client": r"客户机：\s+(?:\S\s)?(位于.+)",
            "record": r"(一个Document的大小约为1KB)",
            "method": r"(并发分别为单线程、10线程、50线程、100线程)",
        },
        notes=(
            "The slides name no title and no date; the date is that of the ObjectId in their example record.",
            "The text of two charts survives, of the other charts only their titles.",
            "Both myisam series print three values for four sizes: their placement is assumed, smallest size first, "
            "and the fourth is missing.",
        ),
    ),
    SeedDataset(
        dataset="crud-2012-failover",
        document="002",
        rows=seed_figures.failover_counts,
        columns=("dataset", "write_concern", "succeeded", "failed", "lost", "duration_s", "source_line"),
        title="=MongoDB 2.0.2 replica set: inserts while a secondary and the primary are killed",
        publisher="金融界（JRJC）",
        date=r'ObjectId\("([0-9a-f]{24})"\)',
        environment={
            "server": r"硬件配置：(.+)",
            "server_system": r"操作系统：(.+)",
            "databases": r"数据库：(.+)",
            "topology": r"10线程10万数据、(一主两从)",
            "method": r"(根据不同的WriteConcern级别循环插入10万条数据，期间依次\s*kill掉一个secondary和primary)",
        },
        notes=(
            "The slides name no title and no date; the date is that of the ObjectId in their example record.",
            "write_concern is the Java driver 2.x's name: NORMAL does not wait for the server, SAFE waits for the "
            "primary, REPLICAS_SAFE for two members.",
            "Succeeded, failed and lost add up to the 100,000 inserts of each test.",
        ),
    ),
    SeedDataset(
        dataset="mongotest-2010",
        document="003",
        rows=seed_figures.mongotest_runs,
        columns=(
            "dataset",
            "operation",
            "threads",
            "duration_s",
            "rows_per_thread",
            "rows",
            "thread_throughput_ops_s",
            "throughput_ops_s",
            "source_line",
        ),
        title=r"title: (.+)",
        publisher="阿辉",
        date=r"date: (\d{4}-\d{2}-\d{2})",
        environment={
            "server": r"服务器：(.+)",
            "cpu": r"CPU: (.+)",
            "disk": r"硬盘：(.+)",
            "ram": r"内存：(.+)",
            "server_system": r"(windows 2003 .+)",
            "database": r"(mongodb 1\.40 .+)",
            "client": r"(测试程序在另一台服务器上跑.+)",
            "record": r"(测试程序写入的记录是每条1k多一点\(4 X 256字符，再加一个int，一个默认的_id\))",
            "command": r"dist>(java .+ mongo insert .+)",
        },
        notes=(
            "Rates are whole rows per second, cut off by the tool: 50,000,000 / 10,404 s = 4,805.8 prints 4805.",
            "The tool's select is READ here. The tables and charts of the post were pictures and are lost.",
        ),
    ),
    SeedDataset(
        dataset="iibench-wiredtiger",
        document="004",
        rows=seed_figures.iibench_durations,
        columns=("dataset", "server_version", "engine", "records", "duration_min", "stall", "source_line"),
        title=r"(MongoDB version 3\.2 Wiredtiger storage engine performance test) Chszs",
        publisher="chszs",
        date="=",
        environment={
            "storage": r"Storage device: (.+)",
            "cpu": r"Host Cpu:(.+)",
            "data": r"Test data set: (.+)",
            "tool": r"(Iibench-mongodb) Tool",
            "server_command": r"(numactl .+)",
        },
        notes=(
            "A machine translation of the post; it prints no date.",
            "No rate is printed: records / duration is an average over a run whose rate falls as the data grows.",
        ),
    ),
)
