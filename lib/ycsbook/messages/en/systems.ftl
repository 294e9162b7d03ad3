### What reports say of experiments (ycsbook.report.systems).

## Several experiments.

plot-records = { $records ->
    [one] 1 document
   *[other] { FIXED($records) } documents
}
plot-records-axis = documents
plot-server-cpu-us = server CPU for one operation (µs, log scale)

## Create, read, update, delete (ycsbook.report.systems.crud).

system-crud-operation = { $operation ->
    [insert-one] inserting
    [insert-increasing] inserting with growing keys
    [insert-many] inserting many at once
    [update-key] updating by key
    [update-many] updating many at once
    [find-key] finding by key
    [find-index] finding by an index
    [find-prefix] finding by first letters
    [find-pattern] finding by part of a text
    [find-sorted] sorting without an index
    [find-compound] sorting by a compound index
    [delete-key] deleting by key
    [delete-many] deleting many at once
   *[other] { $operation }
}
system-crud-verdict = { $name }, { plot-records }, { $threads ->
    [one] 1 thread
   *[other] { $threads } threads
}: { $alone ->
    [true] { DIGITS($fast_ops, digits: 3) } operations a second of { $fast }.
   *[false] { $fast } is fastest, with { DIGITS($fast_ops, digits: 3) } a second; { $slow } is slowest, with { DIGITS($slow_ops, digits: 3) }.
}
system-crud-gateways = { $name }, { $threads ->
    [one] 1 connection
   *[other] { $threads } connections
}: { DIGITS($ops, digits: 3) } operations a second of { $operation }. There are { AND($parts) }.
system-crud-gateway = { DIGITS($ops, digits: 3) } through { $name } ({ SIG($factor) } times fewer)
system-crud-durable = InnoDB has each write on the disk before it answers. MongoDB with write concern 1 and MyISAM do not: their writes may be lost with the machine.
system-crud-about = { $about ->
    [servers] Servers
    [pattern] Parts of texts
    [prefix] First letters
    [order] Order
    [keys] Keys
    [together] Many at once
    [records] More documents
    [threads] Threads
    [fastest] Operations
    [indexes] Indexes
    [write_concern] Write concern
   *[seed] In 2012
}
factor-interval = { $low ->
    [missing] {""}
   *[other] {" "}(95 %: { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) })
}
system-crud-pattern = Finding by part of a text, without an index, is { WITHIN($factor, $low, $high) } times slower than finding by key{ factor-interval }, with { plot-records }.
system-crud-prefix = With an index, finding by first letters is { WITHIN($factor, $low, $high) } times as fast as finding by part of a text{ factor-interval }.
system-crud-order = A compound index makes sorting { WITHIN($factor, $low, $high) } times as fast{ factor-interval }.
system-crud-keys = Inserting with keys that grow is { WITHIN($factor, $low, $high) } times as fast as with keys that the driver makes{ factor-interval }.
system-crud-together = { $together } at once are, for each document, faster than one by one: { COMMAS($parts) }.
system-crud-records = With { DIGITS($times) } times the documents, { $operation } loses most: it is { WITHIN($factor, $low, $high) } times as fast{ factor-interval }.
system-crud-seed = MongoDB 2.0, { plot-records }: { COMMAS($parts) }. Server, network and client differ.
system-crud-seed-part = { $operation } { DIGITS($then, digits: 3) } a second (here { DIGITS($now, digits: 3) })
system-crud-part = { $operation } (x{ SIG($factor) })
system-crud-between = { plot-records }: { $n_faster ->
    [0] {""}
   *[other] { $one } is faster than { $other } at { AND($faster) }.{" "}
}{ $n_slower ->
    [0] {""}
   *[other] { $other } is faster than { $one } at { AND($slower) }.{" "}
}{ $n_alike ->
    [0] {""}
   *[other] No difference is shown for { AND($alike) }.{" "}
}{ $single ->
    [true] Nothing was repeated, so small differences may be noise.
   *[false] {""}
}
system-crud-overview = Every operation
system-crud-overview-title = { $n ->
    [one] One operation
   *[other] { $n } operations
}, the slowest to the left
system-crud-overview-alt = A dot for each server and number of documents on the line of each of { $n ->
    [one] 1 operation
   *[other] { $n } operations
}; further right is faster.
system-crud-overview-caption = { $dataset }; { $server }, { $date }; { runs }.
system-crud-then-and-now = Then and now
system-crud-then = { $engine ->
    [mongo] MongoDB 2.0
    [innodb] MySQL 5.5, InnoDB
   *[other] MySQL 5.5, MyISAM
}, 2012
system-crud-seed-title = { $operation }, { $threads ->
    [one] 1 thread
   *[other] { $threads } threads
}
system-crud-seed-alt = Bars of 2012 beside today's: { $operation }, by the number of documents.
system-crud-seed-caption = Hatched: the slides of JRJC (2012; 10 threads; Xeon E5310, 8 GB; client two hops away, 3 ms). Filled: measured here, client and server on one machine. MyISAM's places in its series are assumed.
system-crud-every = All figures
system-crud-note = Operations per second are the geometric mean of repeats. An operation of the kind “many at once” concerns { $together } documents. { $single ->
    [true] Nothing was repeated, so no interval is known.
   *[false] Intervals are 95 %, from the noise of repeated runs.
}
system-crud-column = { $column ->
    [operation] Operation
    [records] Documents
    [indexes] Indexes
    [write_concern] Write concern
   *[threads] Threads
}
system-crud-column-ops = { $name }, ops/s
system-crud-column-p99 = { $name }, p99 ms
system-crud-column-ratio = { $one } / { $other }
system-crud-threads = { $operation }: { DIGITS($one_ops, digits: 3) } a second with { $one ->
    [one] 1 thread
   *[other] { $one } threads
}, at best { DIGITS($ops, digits: 3) } with { $threads }{ $last ->
    [missing] {""}
   *[other] ; with { $last } it falls to { WITHIN($factor, $low, $high) } of that{ factor-interval }
}.
system-crud-varied = { $setting ->
    [indexes] { $value ->
        [one] 1 index
       *[other] { $value } indexes
    } instead of { $base }
   *[other] Write concern { $value } instead of { $base }
}: { $n ->
    [0] no difference is shown
   *[other] the speed of { AND($parts) } changes
}.
system-crud-over-threads = { $n ->
    [one] One operation
   *[other] { $n } operations
} over client threads
system-crud-over-threads-alt = A line for each operation from { $low } to { $high } client threads.
system-crud-by-threads = By client threads
system-mongotest-2010 = mongotest, 2010
system-mongotest = In mongotest's layout
system-mongotest-note = As mongotest printed it in 2010: whole seconds and whole rows per second, the rest cut off.
system-crud-ratio = { WITHIN($factor, $low, $high) }{ $low ->
    [missing] {""}
   *[other] {" "}({ WITHIN($low, $low, $high) }–{ WITHIN($high, $low, $high) })
}

## What operations cost the server (ycsbook.report.systems).

system-resources = What it costs the server
system-resources-title = CPU time of the server for one operation
system-resources-alt = A dot for each server and number of threads on the line of each of { $n ->
    [one] 1 workload
   *[other] { $n } workloads
}; further left is cheaper.
system-resources-caption = { $dataset }; { $server }, { $date }.
system-resources-note = Means over repeats, in the steady part of each run. The data are as they were before the run, of a run that inserts into an empty collection as after it. Bytes are those that the server itself counts.
system-resources-column = { $column ->
    [server_cpu_us_per_op] CPU µs/op
    [server_rss_peak_gib] Memory GiB
    [written_bytes_per_op] Written B/op
    [read_bytes_per_op] Read B/op
    [network_bytes_per_op] Network B/op
    [data_bytes] Data MiB
    [storage_bytes] Files MiB
   *[index_bytes] Indexes MiB
}

## Several systems in one report (ycsbook.report.together).

together-title = Systems
together-systems = Systems
together-verdict = { $n ->
    [one] 1 system was
   *[other] { $n } systems were
} measured{ $left_out ->
    [0] {""}
   *[other] , { $left_out } left out
}.
together-left-out = Left out
together-more = Everything else about it: { $command }

## Failover (ycsbook.report.systems.failover).

system-failover-fault = { $fault ->
    [kill] killed
    [freeze] frozen
    [cut] cut off
    [split] split off
   *[other] { $fault }
}
system-failover-verdict = { SENTENCES($parts) }
system-failover-loss = With write concern { $concern }, { $lost ->
    [0] none of { FIXED($of) } acknowledged writes was lost.
   *[other] { FIXED($lost) } of { FIXED($of) } writes were lost { $silent ->
        [true] without a word
       *[false] although they had been acknowledged
    }.
}
system-failover-about = { $about ->
    [failed] Failed writes
    [primary] New primary
    [same] Same primary
    [seed] In 2012
   *[other] Write concern { $about }
}
system-failover-of-fault = { FIXED($lost) } where the primary was { $fault }
system-failover-lost-by = Lost: { COMMAS($parts) }.
system-failover-failed = { $failed ->
    [0] No write was reported as failed: the driver sends a write once more when a primary has gone (not with write concern 0).
   *[other] { FIXED($failed) } { $failed ->
        [one] write was
       *[other] writes were
    } reported as failed; { $resurrected ->
        [0] none of them was there afterwards.
       *[other] { FIXED($resurrected) } of them { $resurrected ->
            [one] was
           *[other] were
        } there all the same.
    }
}
system-failover-primary = After the strike on the primary the others had a new one in { $n ->
    [one] { FIXED($low, digits: 1) } s
   *[other] { FIXED($low, digits: 1) } to { FIXED($high, digits: 1) } s
}. They wait for { NUM($patience) } s before they vote.
system-failover-same = In { $n ->
    [one] 1 run
   *[other] { FIXED($n) } runs
} no other primary was elected.
system-failover-seed = MongoDB 2.0.2 lost { FIXED($normal) } of 100,000 writes with NORMAL (0), { FIXED($safe) } with SAFE (1) and { FIXED($replicas_safe) } with REPLICAS_SAFE (2 members).
system-failover-table = What became of every write
system-failover-column = { $column ->
    [fault] Fault
    [concern] Write concern
    [acknowledged] Confirmed
    [failed] Failed
    [unknown] Unknown
    [lost] Lost
    [resurrected] Failed, but there
    [elected_s] No primary, s
    [duration_s] Took, s
   *[lag_s] Lag, s
}
system-failover-note = Each run inserts { FIXED($records) } documents. A secondary, then the primary, is struck and comes back. Confirmed: acknowledged (with write concern 0: sent). Lost: confirmed and not there when the set is whole again. Unknown: the client was told nothing. No primary: from the strike until the members had one that takes writes. Lag: the largest of the last member behind the primary; one that is away falls behind. Split off: the client still reaches the member, the others do not.
system-failover-seconds = Second by second
system-failover-panel = Primary { $fault }, write concern { $concern }: { $lost ->
    [0] none lost
   *[other] { FIXED($lost) } lost
}
system-failover-alt = A bar for each second of the run in which members were { $fault }, with write concern { $concern }: writes that stayed, that were lost ({ FIXED($lost) }), and that failed.
system-failover-caption = { $dataset }; { $server }, { $date }. Writes by the second in which they were answered; after a gap the client catches up.
failover-role = { $role ->
    [primary] primary
   *[other] secondary
}
plot-failover-elapsed = seconds
plot-failover-writes = writes per second
plot-failover-part = { $part ->
    [kept] acknowledged
    [lost] of these lost
    [failed] failed
    [away] member away
   *[elected] new primary
}
system-failover-then-and-now = Then and now
system-failover-meaning = 2012: { $name } (write concern { $concern })
system-failover-today = today, killed: write concern { $concern }
system-failover-seed-note = 2012: slides of JRJC; MongoDB 2.0.2, three servers, 100,000 inserts while a secondary and the primary are killed. REPLICAS_SAFE waits for two members, which is not the same as majority: with more members two are no majority. Today's driver sends a write once more when the primary has gone, that of 2012 did not. Failed and lost writes are counted as today: what was neither reported as failed nor found.

## Index insertion (ycsbook.report.systems.insertion).

plot-inserts = documents/s
plot-inserted = inserted
plot-checkpoint = checkpoint
plot-slow-second = slow second

system-insertion-indexes = { $indexes ->
    [missing] {""}
    [0] without secondary indexes
    [one] with 1 index
   *[other] with { NUM($indexes) } indexes
}
system-insertion-rate = { DIGITS($ips, digits: 3) } a second{ $indexes ->
    [missing] {""}
   *[other] {" "}{ system-insertion-indexes }
}
system-insertion-verdict = Documents go in at { AND($parts) }, until there are { FIXED($documents) }.
system-insertion-about = { $about ->
    [stalls] Stalls
    [checkpoints] Checkpoints
    [response] Slowest answer
    [cost] A document costs
   *[seed] In 2015
}
system-insertion-stall = { $seconds ->
    [0] No run stood still. The slowest second had { DIGITS($slowest, digits: 3) } documents, { PERCENT($share, significant: 2) } % of its run's mean ({ $label }).
   *[other] The longest time with next to no inserts is { DURATION($seconds) } ({ $label }).
}
system-insertion-checkpoints-shown = Slow seconds fall inside checkpoints more often than by chance (p = { DIGITS($p) }): { FIXED($inside) } of { FIXED($slow) }, while checkpoints take { PERCENT($share, significant: 2) } % of the time.{ system-insertion-during }
system-insertion-checkpoints-not-shown = It is not shown that slow seconds fall inside checkpoints more often than by chance (p = { DIGITS($p) }): { FIXED($inside) } of { FIXED($slow) }, while checkpoints take { PERCENT($share, significant: 2) } % of the time.{ system-insertion-during }
system-insertion-checkpoints-too-few = Nothing can be said of checkpoints: { $slow ->
    [one] 1 slow second
   *[other] { FIXED($slow) } slow seconds
} and { $n ->
    [one] 1 checkpoint
   *[other] { FIXED($n) } checkpoints
} are too few to tell anything from chance. Longer runs would tell.
system-insertion-checkpoints-no-slow = Nothing can be said of checkpoints: no second was slow.
system-insertion-checkpoints-no-checkpoints = Nothing can be said of checkpoints: none was seen while documents were inserted.
system-insertion-during = { $during ->
    [missing] {""}
   *[other] {" "}Inside them the usual second has { PERCENT($during, significant: 2) } % of the inserts around it.
}
system-insertion-response = An insert of { $together } documents took { DIGITS($ms, digits: 3) } ms at most.
system-insertion-cost = { CLAUSES($parts) }.
system-insertion-cost-part = { system-insertion-indexes } { DIGITS($cpu_us, digits: 3) } µs of the server's CPU and { DIGITS($bytes, digits: 3) } bytes written
system-insertion-seed = 200 million documents with one index took { AND($parts) }.{ $ips ->
    [missing] {""}
   *[other] {" "}Here one index lets in { DIGITS($ips, digits: 3) } a second.
} Server, disk and number of documents differ.
system-insertion-then = { NUM($minutes) } minutes on MongoDB { $version } ({ DIGITS($ips, digits: 3) } a second)
system-insertion-over-time = Inserts over time
system-insertion-title = { $label }: { $seconds ->
    [0] { $slow ->
        [0] no slow seconds
        [one] 1 slow second
       *[other] { $slow } slow seconds
    }
   *[other] stood still for { DURATION($seconds) }
}
system-insertion-alt = A line of the documents inserted each second, checkpoints shaded, slow seconds ringed. { $finding }
system-insertion-caption = { $dataset }; { $server }, { $date }; { runs }{ $more ->
    [0] {""}
   *[other] , { $more } more in the table
}. Shaded: a checkpoint was being written. Ringed: slow seconds, the slowest tenth of a run beside the half minute around them.
system-insertion-columns = As iibench reports it
system-insertion-note = ips: documents inserted per second. qps: queries per second beside them. Slowest insert and query: the longest answer, of { $together } documents at a time. CPU and bytes written: of the server, for each document; bytes are those that the server wrote to its disk, journal included. A dash: not known.
system-insertion-column = { $column ->
    [label] Run
    [indexes] Indexes
    [documents] Documents
    [seconds] Time
    [ips] ips
    [qps] qps
    [max_insert_ms] Slowest insert, ms
    [max_query_ms] Slowest query, ms
    [cpu_us] CPU, µs/doc
    [written_bytes] Written, B/doc
    [data_gib] Data, GiB
    [index_gib] Indexes, GiB
    [stall_s] Longest stall, s
    [slowest_ips] Slowest second, docs
    [checkpoints] Checkpoints
    [share] Their time
    [slow] Slow seconds
    [inside] Inside checkpoints
    [p] p
   *[stall] Longest stall
}
system-insertion-stalls = Stalls and checkpoints
system-insertion-stalls-note = A stall: less than 5 % of the run's usual rate. Slow seconds: the slowest tenth of a run's seconds, if below { PERCENT($below) } % of the median within { NUM($around_s) } seconds of them, and all stalls. p: how likely so many of them fall inside checkpoints by chance, from all circular shifts of the checkpoints against the inserts (Lotwick and Silverman 1982); a dash where there are too few to tell. That both happen together does not say which causes which.
system-insertion-then-and-now = Then and now
system-insertion-then-name = MongoDB { $version }, 2015
system-insertion-now-name = MongoDB { $version }
system-insertion-then-stall = about a minute
system-insertion-seconds = { $seconds ->
    [missing] –
    [0] none
   *[other] { DURATION($seconds) }
}
system-insertion-duration = { DURATION($seconds) }
system-insertion-seed-note = The document (chszs, MongoDB 3.2 Wiredtiger storage engine performance test) prints documents, minutes, and “a minute or so” without inserts on 3.2; documents per second are computed. Then: a Xeon E5-2680 with a P3600 SSD, a cache of 10 GB, a checkpoint every 900 s, the journal not compressed. Here: { cores }, a cache of { NUM($gib) } GiB. It says neither the size of a document, nor threads, nor batch size, nor where the client ran. Here client and server share the machine.
