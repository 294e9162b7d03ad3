### Why a run did not complete: what its logs, its plan and its server show. Reasons are joined by semicolons.

reasons = { CLAUSES($reasons) }
# What an older version of this one wrote down.
reason-text = { $text }

# A line about a run: where it was read from, how it ended, and why.
run-unfinished = { $source }: { $outcome }: { $reason }

## Which of several clients.

reason-of-clients = { COMMAS($clients) }: { $reason }
reason-client = client { $client }

## What a log shows by itself.

reason-summaries = the log has { $n ->
    [0] no
   *[other] { $n }
} { $ycsb ->
    [true] [OVERALL] { $n ->
        [0] block
       *[other] blocks
    }
   *[false] final { $n ->
        [0] summary
       *[other] summaries
    }
}, expected one
reason-last-status = its last status line is of { DURATION($seconds) } after the start: the client was ended, or what came later is lost
reason-nothing = nothing of a run is in it: the client printed nothing, or to another file
reason-no-clock = run time { NUM($runtime_ms) } ms, throughput { NUM($throughput_ops_s) } ops/s: no clock that runs forward gives that
reason-mean-of-logs = fractions where operations are counted: a mean of several logs; ingest those logs instead
reason-clock-went-back = the client's clock went back during the run: its duration is wrong
reason-clock-set = the clock of this machine was set by { $seconds } s during the run: its run time and throughput are wrong
reason-summary-empty = { FIXED($operations) } operations were finished, but the summary lists none
reason-no-operation = no operation was finished
reason-cut = the log ends within its summary
reason-never-succeeded = every { $operation } failed ({ FIXED($n) })
reason-no-success = no operation succeeded in the last { DURATION($seconds) }
reason-runs-in-log = the log holds { $n } runs, expected one
reason-codes = the return codes of an operation do not add up to its count
reason-totals = the summary lists { FIXED($listed) } operations, [OVERALL] stands for { FIXED($overall) }
reason-first-error = first error: { $text }
reason-first-error-of-client = first error of client { $client }: { $text }
reason-clients-apart = the clients did not all run at the same time; the log of each says when it ran
reason-clients-without-clock = a client's log has no status lines with a clock, so nobody can tell whether the clients ran at the same time; run YCSB with -s, and keep stderr

## What was planned and not done.

reason-records = { FIXED($inserted) } records were inserted, expected { FIXED($planned) }
reason-threads = { $ran } client threads ran, expected { $planned }
reason-too-short = ran { FIXED($seconds, digits: 1) } s, expected { NUM($planned) } s
reason-operations = { FIXED($finished) } operations were finished, expected { FIXED($planned) }
reason-failures = { FIXED($failed) } of { FIXED($attempted) } operations failed ({ PERCENT($share, digits: 2) }%), allowed are { PERCENT($allowed, digits: 2) }% (max_failed)

## A failover whose audit proves nothing (ycsbook.runner.failover).

reason-not-struck = the client had ended before the { failover-role } was to be struck: more operations, or fewer a second, let the schedule be kept
reason-failover-error = the failover was not carried out to its end: { $text }
reason-not-read-back = the documents could not be read back: { $text }
reason-ledger-line = the ledger is damaged or cut: { $file }, line { FIXED($line) }
reason-ledger-missing = the ledger lacks { FIXED($n) } writes
reason-ledger-unanswered = { FIXED($n) } writes have no answer in the ledger
reason-ledger-strange = { FIXED($n) } writes or documents are not of this run
reason-ledger-twice = { FIXED($n) } documents were read back twice

## What ended it, or changed it afterwards.

reason-ended-early = ended early: { $stop_reason }
reason-others-ended = the other clients were ended then
reason-client-error = it ended with an error: { $text }
reason-worker-lost = its worker was lost
reason-worker-silent = its worker has not answered for { NUM($seconds) } s
reason-client-was-the-limit = the client was the limit: made again with { $clients } clients
reason-server-restarted = the server started anew, or another member answered, after { DURATION($seconds) }
reason-server-gone = the server does not answer any more
reason-server-taken = another runner took the server { $hosts } over meanwhile
reason-server-silent = the server told nothing in the last { DURATION($seconds) }
reason-changed = changed since the run was made: { COMMAS($files) }
run-altered = gone or altered since: { COMMAS($files, $more) }; it is made again by the next run

## A sweep that is watched

watch-progress = { $name }: { NUM($done) } of { NUM($total) } done{ $seconds ->
    [0] {""}
   *[other] , about { DURATION($seconds) } left
}
watch-current = now: { $run }{ $pace ->
    [missing] {""}
   *[other] {" "}{ $pace }
}
watch-idle = nobody is measuring now
watch-run = { $at } { $spec }, { $workload }, { NUM($threads) } thr., repeat { NUM($repeat) }: { $outcome }{ $reasons ->
    [missing] {""}
   *[other] : { $reasons }
}
watch-findings = { $n ->
    [one] 1 finding so far
   *[other] { NUM($n) } findings so far{ $shown ->
        [missing] {""}
       *[other] , the { NUM($shown) } gravest:
    }
}

## A folder to work in

init-done = { $folder } is ready. Next: cd { $folder }; ycsbook doctor; ycsbook report params/qingcloud-4.0.3.yml
