### What notebooks show besides the parts of a report.

part-nothing = Nothing to say here: the runs have no such figures
findings-every = Each of the { $n } findings by itself
compared-workload = Mix
compared-threads = Threads
compared-spec = Spec
compared-basis = By
compared-ratio = Ratio
compared-interval = 95 % interval
compared-p = p, adjusted
compared-verdict = Verdict
compared-differs = What else differs
