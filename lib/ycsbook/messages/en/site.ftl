### The index of published reports.

site-title = Reports
site-report = Report
site-best = Highest ops/s
site-spec = On spec
site-factor = × per doubling of cores
site-date = Date
site-trend = Trend
site-vendor = { $title }, in the shape of { $profile }
site-vendors = The same figures
site-figure = Throughput over cores: { $title }
site-history = { $title }: { $n ->
    [one] published once
   *[other] published { $n } times
}
site-follows = Each number follows from the tables beside its page; `ycsbook publish --check` derives them again.
site-alt = Throughput in ops/s at each publication: { $values }
