### What limits a point. A message is the line of the decision that held.

limit-change = { $threads_to ->
    [one] 1 thread gives
   *[other] { NUM($threads_to) } threads give
} { WITHIN($ratio, $low, $high) } times what { NUM($threads_from) } { $threads_from ->
    [one] gives
   *[other] give
}{ $low ->
    [missing] {""}
   *[other] {" "}(95 % interval { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) })
}
limit-falls = { $falls ->
    [true] {" "}(fewer threads do more)
   *[false] {""}
}
limit-saturated = { limit-change }{ limit-falls }, so more threads bring little
limit-busy = the server's CPU is { PERCENT($cpu, digits: 0) } % busy
limit-bigger = { $spec } gives { DIGITS($best, digits: 3) } times as much{ $best_low ->
    [missing] {""}
   *[other] {" "}(95 % interval { DIGITS($best_low, digits: 3) } to { DIGITS($best_high, digits: 3) })
} at the same threads
limit-open = cannot tell

limit-little = throughput × latency / threads is { FIXED($utilisation, digits: 3) } in this row, and above 1.05 it is impossible
limit-held = throughput is the same on all servers, and the threads are inside the database for { PERCENT($utilisation, digits: 0) } % of their time: the client asks for no more
limit-throttled = it reaches its target throughput (target_ops_s): the server was asked for no more
limit-too-much = { limit-change }, which is more than the threads grew
limit-rises-full = { limit-change }, although { limit-busy }
limit-rises = { limit-change }: too few threads
limit-grows-free = { limit-change }, and { limit-busy }: too few threads
limit-fallen = { limit-change }: fewer threads do more, so this is not what the server can do
limit-flat-full = { limit-saturated }; { limit-busy }
limit-bigger-idle = { limit-bigger-faster }; { limit-busy }: not its cores but its disk, network or a quota
limit-bigger-much = { limit-bigger-faster }
limit-pool = { limit-change }{ limit-falls }; the client's pool has only { NUM($pool) } { $pool ->
    [one] connection
   *[other] connections
}
limit-in-flight = { limit-change }{ limit-falls }; no more than about { FIXED($calls) } calls were under way however many threads there were: raise maxPoolSize or add clients
limit-flat-free = { limit-saturated }; { limit-busy }
limit-flat-between = { limit-saturated }; { limit-busy }, neither full nor free
limit-bigger-faster = { limit-saturated }; { limit-bigger }
limit-bigger-held = { limit-saturated }; { limit-bigger }, but more threads bring that one more: { limit-open }
limit-bigger-same = { limit-saturated }; { limit-bigger }
limit-bigger-between = { limit-saturated }; { limit-bigger }: { limit-open } (between 1.10 and 1.25)
limit-no-bigger = { limit-saturated }; no spec with twice the cores and at least the RAM was measured at the same threads
limit-full-pair = { limit-busy }; { limit-change }{ limit-falls }
limit-full = { limit-busy }
limit-void = { limit-change }: cannot tell, as the connection pool may be the limit (nowhere in the table do more threads bring 25 % more)
limit-top = { limit-change }: throughput may still grow, as no more threads were tried
limit-between = { limit-change }: { limit-open } (between 1.10 and 1.25 per doubling of the threads)
limit-partner = no comparison: the row at its other thread count is impossible
limit-single = measured at one thread count only, which shows no limit

## The command `ycsbook limits`

limits-held = { $mix }: { NUM($first) } to { cores } all give about { SIG($ops) } ops/s, with threads inside the database for at most { PERCENT($used, digits: 0) } % of their time. So the client asks for no more: neither more cores nor more threads tell anything. Take away its target rate, or find what holds the client.
limits-flat = { $mix }: { NUM($first) } to { cores } all give about { SIG($ops) } ops/s. { NUM($times) } times the cores change nothing. So the limit is not the cores: it is the client, the network{ $counts ->
    [0] , the number of threads
    [one] , the number of threads
   *[other] {""}
}, the pool of connections, or what all these servers have alike. More specs tell nothing; first find what is full.
limits-shared = { where }From { cores } on { $n ->
    [2] both mixes stop
   *[other] all { NUM($n) } mixes stop
} at about { SIG($ops) } ops/s, though they differ at fewer cores. So what they share limits them, such as { $threads ->
    [1] too few threads, the client or the network: measure with more threads and a second client
   *[other] the client or the network: measure with a second client
} before you buy.
limits-nothing = nothing to judge: no completed run with a throughput
limits-more = --all lists each point with its reason.
compare-more = --all lists the { $n ->
    [one] cell
   *[other] { NUM($n) } cells
} of single specs.
