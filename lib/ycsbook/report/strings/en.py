"""The sentences of a report in English."""

EN: dict = {
    "kicker": "YCSB benchmark report",
    "skip": "Skip to the report",
    "contents": "Contents",
    "footer": "Made by ycsbook from the tables beside this page. The same inputs give the same bytes.",
    "severity": {"error": "Error", "warning": "Warning", "notice": "Notice", "note": "Note"},
    "rules": {
        "little_law": "Little's law broken",
        "thread_regression": "loss with more threads",
        "more_cores_slower": "slower with more cores",
        "more_ram_slower": "slower with more RAM",
        "little_family": "Little's law out of family",
        "repair_hint": "possible typing errors",
        "unacked_writes": "unacknowledged writes",
        "writes_slower_than_reads": "back-pressure of writes",
        "write_latency_outliers": "write latencies out of family",
        "cpu_contradiction": "CPU contradicts threads",
        "superlinear_threads": "gain beyond the threads",
        "cpu_per_operation": "CPU per operation out of family",
        "scaling_outlier": "far from the scaling law",
        "not_saturated": "server's CPU not the limit",
        "stall": "throughput stood still",
        "degradation": "drift within a run",
        "warmup": "warm-up",
        "sawtooth": "periodic swings",
        "tail": "long latency tail",
        "pool": "connection pool too small",
        "invalid_run": "doubtful runs",
        "host_drift": "the host changed",
        "settings_implausible": "implausible settings",
        "change_point": "change in the history",
        "noise": "noise of the repeats",
    },
    "evidence": {"repeats": "repeated runs", "single": "single runs", "published": "published rows"},
    "what_to_do": "What to do:",
    "interval": "{value} (95 % interval {low} to {high})",
    # facts under the title
    "fact_cores": "Cores of a spec",
    "fact_server": "Server",
    "fact_date": "Date",
    "fact_specs": "Specs",
    "fact_runs": "Runs",
    "fact_findings": "Findings",
    "runs_measured": "{n} measured",
    "runs_published": "{n} published rows",
    "runs_left_out": "{n} left out",
    # opening
    "opening": "How does throughput grow with cores?",
    "answer_doubling": "With {series}, each doubling of cores multiplies throughput by {factor} by the power law, "
    "from {first} ops/s on {first_spec} to {last} ops/s on {last_spec}{flaw}.",
    "answer_flaw_one": "; one of its points breaks Little's law",
    "answer_flaw": "; {n} of its points break Little's law",
    "answer_range": "Over all {n} series the factor lies between {low} and {high}{unknown}.",
    "answer_unknown": "; for {n} of them the points identify no law",
    "answer_no_fit": "With {series}, throughput goes from {first} ops/s on {first_spec} to {last} ops/s on "
    "{last_spec}; these points support no scaling law.",
    "answer_findings": "The checks flagged {n}: {rules}.",
    "answer_no_findings": "No check flagged anything.",
    "no_points": "No run was completed and no published row is at hand, so there is nothing to plot.",
    "worst": "Worst findings",
    "worst_rest": "{n} more under “Findings”.",
    "series": "workload {workload} at {threads} threads",
    # results
    "results": "Results",
    "results_note": "QPS is {y}; RAL and WAL are the mean read and write latencies. {spread}",
    "y": {
        "steady_ops_s": "the steady throughput, successful operations per second without the warm-up",
        "goodput_ops_s": "successful operations per second over the whole run",
        "throughput_ops_s": "YCSB's overall throughput, which counts failed operations too",
    },
    "spread": "Measured values are means ± standard deviation over {n} repeats.",
    "spread_one": "Measured values come from one run each: no spread is known.",
    "published_note": "Published values stand as their source prints them.",
    "w0_note": "Write concern 0: the write latency is the time to send, and nobody knows whether the writes succeeded.",
    "spec": "Spec",
    "threads": "Threads",
    "qps": "QPS (ops/s)",
    "ral": "RAL (us)",
    "wal": "WAL (us)",
    "cpu": "CPU",
    "measured": "{heading}, measured",
    "published": "{heading}, published",
    "workload": "Workload",
    "workload_title": "Workload {name}",
    "workload_reads": "Workload {name}, {share} reads",
    # scaling
    "scaling": "Scaling per workload and threads",
    "scaling_alt": "{y} over cores on a log scale for workload {workload}, one colour per thread count ({threads}). "
    "{finding}",
    "scaling_caption": "{dataset}; {server}; {date}; n = {n}. {points}{law}{dashed}{bounds}{rings}.",
    "caption_points": "Points are {y}",
    "caption_points_both": "Filled points are {measured}, hollow ones {published}",
    "caption_law": ", lines the {law} law, bands its 95 % interval",
    "caption_y": {
        "steady_ops_s": "the steady throughput of each run without its warm-up (steady_ops_s)",
        "goodput_ops_s": "the successful operations per second of each whole run (goodput_ops_s)",
        "throughput_ops_s": "YCSB's overall throughput of each run (throughput_ops_s)",
    },
    "caption_y_published": "the published values ({y})",
    "caption_dashed": ", dashed beyond the measured cores",
    "caption_rings": "; rings are findings, the worst ones named",
    "caption_bounds": "; faint points are lower bounds or left out of the fit",
    "limits": "What limited each point",
    "limits_counted": "Of {n} points: {told}{slower}.",
    "limits_slower": "; {n} of those bound by the server lose throughput with more threads",
    "limits_note": "Decided from throughput, latency, thread counts and the server's CPU alone, before any law is "
    "fitted. Only what the server's CPU limited is a measurement of the server; all else is a lower bound for it, and "
    "what contradicts itself is left out.",
    "limit_kinds": {
        "server": "bound by the server", "concurrency": "bound by the number of threads",
        "elsewhere": "bound elsewhere", "contradiction": "contradictory", "inconsistent": "inconsistent",
        "suspect": "suspect", "undecided": "undecided", "single": "one thread count only",
    },
    "limit_retrograde": ", slower with more threads",
    "limit_kind": "Limit",
    "limit_utilisation": "X R / N",
    "limit_reason": "Because",
    "scatter_note": "What 95 % is claimed of: {notes}",
    "unit_runs": "{n} runs",
    "unit_rows": "{n} published rows",
    "facet_title": "{factors} per doubling ({threads} threads)",
    "parameters": "Parameters",
    "parameters_note": "The law drawn above, per series, with 95 % intervals. λ is the throughput of one core.",
    "verdicts": "What may be claimed",
    "verdicts_note": "Errors are on ln X: 0.05 is about 5 %. The law drawn in the plot bears a star.",
    "local_elasticities": "Local elasticities",
    "elasticities_note": "From one core count to the next: 1 is proportional growth, 0 no growth at all.",
    "no_fits": "There are too few points for any fit.",
    "group": "Series", "law": "Law", "term": "Parameter", "estimate": "Estimate", "conf": "95 % interval",
    "n_obs": "Points", "n_specs": "Core counts", "loo_error": "Leave-one-out error", "residual_se": "Residual error",
    "aicc": "AICc", "verdict": "Verdict", "step": "Cores", "gain": "Gain", "elasticity": "Elasticity",
    "step_basis": "Over",
    # marginals
    "marginals": "What more cores and more RAM bring",
    "marginals_note": "Paid counts cores, as no prices are known; brought for paid is 1 where throughput grows as the "
    "price does. Intervals are of the factor brought, from the noise between repeats.",
    "marginals_note_prices": "Paid is the ratio of the prices of the params file; brought for paid is 1 where "
    "throughput grows as the price does. Intervals are of the factor brought, from the noise between repeats.",
    "cost_ratio": "Paid", "efficiency": "Brought for paid", "ops_per_core": "ops/s per core added",
    "ops_per_gib": "ops/s per GiB added", "ram_step": "RAM", "cores_at": "cores",
    # capacity
    "capacity": "The smallest spec for the goal",
    "capacity_note": "The probability that another server of the spec reaches the goal counts how uncertain the law is "
    "and how far the measured specs scatter around it. Nothing is said beyond the measured cores.",
    "capacity_measured": "Measured (ops/s)", "capacity_law": "Law (ops/s)",
    "capacity_new": "New server, 95 % (ops/s)", "capacity_probability": "Probability",
    "capacity_p99": "p99 (ms)", "capacity_cost": "Per million operations",
    # threads
    "threads_section": "{low} against {high} threads",
    "threads_none": "Each spec was measured at one thread count only, so nothing can be compared.",
    "threads_title_loss": "{workload}\n{n} of {total} specs lose throughput, at worst {worst}",
    "threads_title_none": "{workload}\nno loss is flagged, the median change is {median}",
    "threads_alt": "Throughput of each spec at {low} and at {high} threads, workload {workload}. {finding}",
    "threads_caption": "{dataset}; {server}; {date}; n = {n} specs. Dots are the means of each spec.",
    "qps_at": "QPS at {threads}", "change": "Change",
    # findings
    "findings": "Findings and what to do",
    "findings_none": "None of the checks fired.",
    "findings_count": "{n} findings, the gravest first.",
    "findings_grouped": "{n} findings, those with one cause as one: {groups}, the gravest first.",
    # latency
    "latency": "Latency percentiles",
    "latency_none": "The source gives mean latencies only: no percentiles can be shown.",
    "latency_note": "Latencies in us: the median of the repeats, and for p99 also their lowest to highest. Percentiles "
    "of several runs are never averaged.",
    "p99_range": "p99, lowest to highest",
    "latency_alt": "Latency over percentile on a log scale. {finding}.",
    "latency_caption": "{dataset}; {server}; {date}; n = {n} runs. Median run of each spec; deeper colours are more "
    "cores.",
    "operation": "Operation",
    "latency_title": "{workload}, {operation}",
    "latency_finding": "p99 from {low} to {high} ms over all specs",
    # time series
    "time": "Throughput over time",
    "time_none": "The source gives no time series.",
    "time_alt": "Throughput per interval since the start of the run. {finding}.",
    "time_caption": "{dataset}; {server}; {date}; n = {n} runs. The shaded warm-up is left out of the steady "
    "throughput; deeper colours are more cores.",
    "time_title": "{workload}, {threads} threads",
    # method
    "method": "Method",
    "method_closed": "Each YCSB thread waits for its answer before it sends the next operation. Such a closed loop "
    "obeys Little's law, N = X (R + Z): threads N, throughput X, mean latency R weighted by operation counts, think "
    "time Z. The utilisation X R / N cannot exceed 1; a row where it does contradicts itself.",
    "method_laws": "Laws fitted to ln X per workload and thread count, over the means of the specs; p is the number of "
    "cores:",
    "laws": "linear   X(p) = λ p\n"
    "power    X(p) = λ pᵃ\n"
    "Amdahl   X(p) = λ p / (1 + σ (p − 1))\n"
    "USL      X(p) = λ p / (1 + σ (p − 1) + κ p (p − 1))",
    "method_fits": "σ is contention, κ crosstalk, λ the throughput of one core. Intervals come from the profile "
    "likelihood with the cut t²(n − k). A law is claimed only where the points can tell it from the others; “not "
    "identifiable from these points” is a result. At a fixed number of threads the ceiling N / R bends every curve and "
    "looks like crosstalk.",
    "method_ram": "Where specs differ in RAM at the same cores, their points are drawn and fitted one by one and never "
    "averaged. On a local server the RAM axis is nearly flat, because the operating system caches the files too.",
    "settings": "Settings",
    "setting": "Setting", "value": "Value", "basis": "Basis",
    # environment, provenance
    "environment": "Environment",
    "provenance": "Provenance",
    "name": "Name",
    "source": "Source: {title}{publisher}{date}{document}.",
    "cores_by": "How cores were enforced",
    "cores_by_none": "The cores of the specs were recorded, not enforced, in {n} runs: the operating "
    "system offers no way.",
    "cores_by_way": "Cores were enforced by {way} in {n} runs.",
    "host_speed": "Speed of the host",
    "host_steady": "A probe before and after each run found the host's own speed within {low} to {high} of where it "
    "was (n = {n}).",
    "host_changed": "The host's own speed moved to {low}–{high} of what it was during a run (n = {n}); {moved} runs "
    "moved by more than 10 % and should be repeated.",
    "both_figures": "Whole run and steady part",
    "both_note": "Both throughput figures of every measured run, in ops/s. The whole run includes the client's "
    "warm-up.",
    "whole": "Whole run", "steady": "Steady", "warmup": "Warm-up (s)", "ratio": "Whole / steady", "repeat": "Repeat",
    "outcome": "Outcome", "reason": "Reason", "warnings": "Warnings", "run": "Run",
    "warnings_section": "Warnings",
    "source_column": "Source",
    "rejected": "Runs left out",
    "rejected_none": "No run failed or was left out.",
    "rejected_note": "These runs are in no figure and no fit.",
}  # fmt: skip
