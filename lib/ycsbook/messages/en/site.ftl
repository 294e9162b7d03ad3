### The index of published reports.

site-title = Reports
site-report = Report
site-best = Highest ops/s
site-at = At
site-spec-threads = { $spec }, { threads }
site-per-core = Most per core
site-ops-on = { FIXED($ops) }{ $spec ->
    [missing] {""}
   *[other] {" "}({ $spec })
}
site-latency = Lowest mean read latency (ms)
site-doubtful = Rows in doubt
site-growth = { $growth }{ at-threads }
site-of = { $n } of { $total }
site-how = Per workload, the highest throughput first. Trust is the grade of that row: A and B repeated, C a single run or an unplanned one under 20 minutes, D contradicted, F cannot be right as printed. Lines, most per core and lowest latency are of rows not in doubt.
site-overview =
    { $mix }
    highest: { $dataset }, { cores }, { DIGITS($ops, digits: 3) } ops/s
site-overview-alt = Throughput over cores of all datasets, { $mix } reads to updates, one line per dataset and thread count
site-factor = × per doubling of cores
site-trend = Trend
site-vendor = { $title }, in the shape of { $profile }
site-vendors = The same figures
site-deviations = { CLAUSES($parts) }.
vendor-deviation-blanks = addresses, users and passwords are blanks
vendor-deviation-layout = widths and links of the original are left out
vendor-deviation-means = each figure is the mean of up to { $n } runs
vendor-deviation-rows = these rows cannot be right, and stand as printed, without a mark: { COMMAS($rows) }
site-history = { $title }: { $n ->
    [one] published once
   *[other] published { $n } times
}
site-follows = Each number follows from the tables beside its page; `ycsbook publish --check` derives them again.
