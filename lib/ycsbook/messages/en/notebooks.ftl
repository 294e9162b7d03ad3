### What notebooks show besides the parts of a report.

part-nothing = Nothing to say here: the runs have no such figures
findings-every = Each of the { $n } findings by itself
compared-workload = Mix
compared-basis = By
compared-ratio = Ratio
compared-p = p, adjusted
compared-differs = What else differs
