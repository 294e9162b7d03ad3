### What sentences are put together from: lists, times, the names of specs and workloads.

## Lists: COMMAS joins by commas, AND and OR as they say, CLAUSES by semicolons, SENTENCES follow each other.

list-commas = { $rest }, { $last }
list-and = { $rest } and { $last }
list-or = { $rest } or { $last }
list-clauses = { $rest }; { $last }
list-sentences = { $rest } { $last }
percent-sign = {" %"}
list-more = { $shown } and { $more } more

## Times, for DURATION.

duration = { $hours ->
    [0] { $minutes ->
        [0] { $seconds } s
       *[other] { $minutes } min{ $seconds ->
            [0] {""}
           *[other] {" "}{ $seconds } s
        }
    }
   *[other] { $hours } h{ $minutes ->
        [0] {""}
       *[other] {" "}{ $minutes } min
    }
}
duration-short = { DIGITS($seconds) } s

## What a run or a cell of runs is called.

# 32 cores, 240 GB; the slug where the shape is unknown. In a list without the comma.
spec = { $cores ->
    [missing] { $spec }
   *[other] { cores }{ $ram_gib ->
        [missing] {""}
       *[other] , { NUM($ram_gib) } { $ram_unit }
    }
}
spec-listed = { $cores ->
    [missing] { $spec }
   *[other] { cores }{ $ram_gib ->
        [missing] {""}
       *[other] {" "}{ NUM($ram_gib) } { $ram_unit }
    }
}
cores = { $cores ->
    [one] { NUM($cores) } core
   *[other] { NUM($cores) } cores
}
# A published mix is its reads to its writes, in percent.
mix = { $reads ->
    [missing] { $workload ->
        [load] loading
        [insert] inserts
        [missing] unknown mix
        [d] D (read latest + insert)
        [e] E (scan + insert)
        [f] F (read-modify-write)
       *[other] workload { $workload }
    }
   *[other] { $reads }:{ $writes }
}
threads = { $threads ->
    [-1] own threads
    [missing] unknown threads
    [one] { NUM($threads) } thread
   *[other] { NUM($threads) } threads
}
at-threads = { $threads ->
    [missing] {""}
    [-1] {" "}at each spec's own thread count
    [0] {" "}at the best thread count
   *[other] {" "}at { threads }
}
in-threads = { $threads ->
    [missing] {""}
    [-1] {" "}(own thread counts)
    [0] {" "}(best thread count)
   *[other] {" "}({ threads })
}
cell = { spec }, { mix }, { threads }
spec-mix = { spec }, { mix }
spec-mix-plain = { spec-listed } { mix }
spec-threads = { spec }, { threads }
row = { spec-listed } { mix } { threads }
