### The atlas: all published tables on one page.

atlas-title = Atlas of published YCSB tables
atlas-intro = What publishers print, as data, judged by one rule. A question mark says that the page does not say it, or that the rows allow no figure.
atlas-settings = What decides whether figures may be compared
atlas-groups = Figures, in groups that may be compared
atlas-why = A group holds rows of the same mix, with writes acknowledged or not, and with data that fit into half the memory (about WiredTiger's cache) or not. Neither groups nor the tables of a group are ranked: threads, round trips, records and years differ as well. The highest throughput is as printed, with the grade of its row: A and B repeated, C a single run or one under 20 minutes, D contradicted, F cannot be right as printed. Per core, latency and threads are of rows that are not D or F. Of data the size is that of the page, or 1 kB a record.
atlas-publishers = What the data say of each publisher
atlas-follows = Each number follows from the tables in data/published; `ycsbook publish --atlas --check --to docs` derives them again.
atlas-mix = { $mix ->
    [a] 50 % reads, 50 % updates
    [b] 95 % reads, 5 % updates
    [c] reads only
    [load] load
   *[other] { $name ->
        [insert] inserts only
       *[other] { $reads } % reads, { $rest } % other operations
    }{ $name ->
        [insert] {""}
        [missing] {""}
       *[other] {" "}(workload { $name })
    }
}
atlas-acknowledged = { $state ->
    [yes] writes acknowledged
    [no] writes not acknowledged
    [no-writes] no writes
   *[unknown] write concern not said
}
atlas-in-ram = { $state ->
    [yes] data fit into the cache (half the memory)
    [no] data larger than the cache (half the memory)
   *[unknown] data or memory not said
}
atlas-throttled = throttled to a target
atlas-table = Table
atlas-highest = Highest ops/s
atlas-at = At
atlas-threads = { $n } threads
atlas-grade = Its grade
atlas-per-core = Most ops/s per core
atlas-latency = Lowest mean read latency (ms)
atlas-threads-effect = What more threads bring (median of specs)
atlas-trust = Rows by grade
atlas-server = Server
atlas-topology = Topology
atlas-concern = Write concern
atlas-records = Records
atlas-data = Data (GiB)
atlas-ram = RAM (GiB)
atlas-threads-heading = Threads
atlas-clients = Clients
atlas-rtt = Round trip (ms)
atlas-nothing = No rule finds anything in its tables.
atlas-all-impossible = { $n ->
    [one] Its only row cannot be right as printed
   *[other] Not one of its { $n } rows can be right as printed
}
