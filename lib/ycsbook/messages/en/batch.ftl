### What is said when reports are made: by the commands, and on the page that a batch ends in.

batch-title = Batch of reports
batch-compare = { $command } compares { $n ->
    [2] them
   *[other] two of these
}.
batch-made = { NUM($made) } of { $reports ->
    [one] 1 report
   *[other] { NUM($reports) } reports
} made.
batch-unsuccessful = { $runs ->
    [one] 1 run was unsuccessful
   *[other] { NUM($runs) } runs were unsuccessful
}; the report says why
