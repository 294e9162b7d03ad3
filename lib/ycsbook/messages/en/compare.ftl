### What a comparison of two sets of tables shows.

compare-higher = higher
compare-lower = lower
compare-not-shown = not shown
compare-hidden = not shown: { compare-in-turn }
compare-in-turn = with the { PERCENT($effect) } % assumed between two occasions it may be chance; measure both in turn
compare-unrepeated = not shown: nothing was repeated, and too few specs tell the scatter
compare-depends = depends on the cores: { FIXED($at_fewest, digits: 2) } at { $fewest ->
    [one] 1 core
   *[other] { NUM($fewest) } cores
} to { FIXED($at_most, digits: 2) } at { NUM($most) }{ $even_from ->
    [missing] {""}
   *[other] , equal between { NUM($even_from) } and { NUM($even_to) }
}
compare-some = { COMMAS($parts) }
compare-some-part = { $higher ->
    [true] higher
   *[false] lower
} on { AND($specs, $specs_more) } ({ $low ->
    [missing] {""}
   *[other] { FIXED($low, digits: 2) } to{" "}
}{ FIXED($high, digits: 2) } times)
compare-not-comparable = not comparable: { $reason }

## Why two cells are not comparable

compare-mixes = the mixes differ: { PERCENT($b, digits: 0) } % reads against { PERCENT($a, digits: 0) } %
compare-unacknowledged = only { $side } sent its writes with write concern 0, unanswered
compare-suspect = the row of { $side } breaks Little's law
compare-inconsistent = the row of { $side } gains more than its threads
compare-no-run = { $side } has no run of this workload with { $threads ->
    [missing] an unknown number of threads
   *[other] { threads }
}
compare-no-cores = its cores are unknown, and { $side } has no such spec
compare-no-curve = { $side } has fewer than two core counts, and not this spec
compare-outside = { $cores ->
    [one] 1 core lies
   *[other] { NUM($cores) } cores lie
} outside what { $side } measured ({ NUM($first) } to { NUM($last) })

## What else differs

compare-differs = { $what ->
    [vendor] vendor
    [server_version] server version
    [topology] topology
    [write_concern] write concern
    [clients] client processes
    [format] read from
    [target_ops_s] target throughput in ops/s
   *[throughput] throughput
}: { $b } against { $a }
compare-doubted = rests also on rows in doubt (D: does not fit other rows, F: impossible): { CLAUSES($rows, $rows_more) }
compare-doubted-rows = { $side ->
    [missing] {""}
   *[other] { $side }{" "}
}{ $mix }{ at-threads } { COMMAS($specs) }
compare-unknown = unknown
compare-values = { COMMAS($values) }
compare-measures = { AND($values) }
compare-measure = { $column ->
    [steady_ops_s] without the warm-up
    [goodput_ops_s] successful operations only
   *[throughput_ops_s] all operations
}
compare-unanswered = both with write concern 0: writes were sent, not answered, and nobody knows how many succeeded
compare-unnamed = neither says which server it was: they are compared as if it were the same one

## The whole

compare-p99 = p99 is { FIXED($times, digits: 2) } times as high where both were measured.
compare-trade = Where both were measured, reads take { FIXED($reads, digits: 2) } times as long and writes { FIXED($writes, digits: 2) } times.
compare-nothing = The two have nothing that can be compared.
compare-sides = { $b } against { $a }.
compare-mean-depends = { $mix }, { threads }: { $some ->
    [true] { $verdict }; no difference is shown in the mean of equal specs.
   *[false] the ratio { $verdict }.
}
compare-all = In each of { NUM($n) } series { $b } does { $close ->
    [true] {""}
   *[false] { FIXED($least, digits: 2) } to{" "}
}{ FIXED($most, digits: 2) } times the throughput.
compare-mean = { $mix }, { threads }: { WITHIN($ratio, $low, $high) } times the throughput, { $by ->
    [specs] the mean of equal specs
    [law] by their laws
   *[growth] by the lines of their growth
} (95 %: { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) }): { $verdict ->
    [higher] more
    [lower] less
    [hidden] no difference shown: { compare-in-turn }
    [many] no difference shown, as several are tested at once and the interval is of this one alone
   *[none] no difference shown
}.
compare-counts = { $tested ->
    [one] 1 cell
   *[other] { NUM($tested) } cells
} tested ({ NUM($equal) } on equal specs{ $by_law ->
    [0] {""}
   *[other] , { NUM($by_law) } by the law of { $b }
}{ $between ->
    [0] {""}
   *[other] , { NUM($between) } between measured core counts of { $b }
}): higher in { NUM($higher) }, lower in { NUM($lower) }, no difference shown in { NUM($open) }{ $apart ->
    [0] {""}
    [one] ; 1 of { NUM($cells) } is not comparable
   *[other] ; { NUM($apart) } of { NUM($cells) } are not comparable
}.
compare-cells-need-more = A single cell must differ by more to show it, as { NUM($n) } are tested at once.
compare-occasion = not measured in turn: two occasions are assumed to differ by { PERCENT($effect) } %, which is in every interval
compare-scatter = Where nothing was repeated, the scatter of the specs around their law, or around the line of their growth, stands in for noise.
compare-assumed = Some rows are of single runs, and too few specs tell their noise. { PERCENT($noise) } % a run is assumed for them. A difference of less than { PERCENT($difference, digits: 0) } % is not told from that.

## Whether more was lost than is allowed

gate-word = { $verdict ->
    [slower] slower
    [faster] faster
    [holds] not slower
   *[not-shown] not shown
}
gate-all = all together
gate-heading = { $verdict ->
    [slower] Slower by more than { PERCENT($limit) } %
    [faster] Faster
    [holds] Not slower by more than { PERCENT($limit) } %
   *[not-shown] Not shown: a loss of { PERCENT($limit) } % cannot be told from noise
}
gate-verdict = { $verdict ->
    [slower] Slower: more than { PERCENT($limit) } % is lost in { $slower ->
        [0] all cells together
       *[other] { NUM($slower) } of { $cells ->
            [one] 1 cell
           *[other] { NUM($cells) } cells
        }
    }. The worst is { $row }: { WITHIN($ratio, $low, $high) } times as fast as before ({ WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) }).
    [faster] Faster, and no cell lost more than { PERCENT($limit) } %.
    [holds] Not slower: no cell lost more than { PERCENT($limit) } %.
   *[not-shown] Not shown: in { NUM($open) } of { $cells ->
        [one] 1 cell
       *[other] { NUM($cells) } cells
    } the runs do not tell whether more than { PERCENT($limit) } % is lost. { $apart ->
        [true] Runs of both in turn, on one occasion, tell most.
       *[false] More repeats would.
    }
}
gate-together = All together: { WITHIN($ratio, $low, $high) } times as fast{ $low ->
    [missing] {""}
   *[other] , { PERCENT($confidence) } % interval { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) }
}.
gate-found-from = { $loss ->
    [missing] Nothing was repeated, so that nothing tells the noise.
   *[other] A loss of { PERCENT($loss, digits: 0) } % in one cell would have been found in four of five such comparisons.
}
gate-occasions = { $n ->
    [0] Both were measured in turn.
    [1] Both were measured on different occasions. Two occasions are assumed to differ by { PERCENT($effect) } %. With at least { $least } earlier ones (--history) it is measured.
   *[other] How much occasions differ was measured by { $n } earlier ones.
}
gate-left-out = Not compared: { CLAUSES($parts) }.
gate-left-out-cells = { $n ->
    [one] 1 cell
   *[other] { NUM($n) } cells
} ({ $reason })
gate-no-counterpart = not in all of the earlier ones
gate-every = { $n ->
    [one] 1 row
   *[other] All { NUM($n) } rows
}
gate-more = --all lists { $n ->
    [one] 1 more cell that is
   *[other] { NUM($n) } more cells that are
} not slower.
