# Everything from a fresh clone: `make report`, `make test`. Works with GNU make 3.81 and newer.
# The work is in lib/setup.sh (a bare machine becomes a working one) and in `ycsbook` (everything else).

PARAMS ?= params/local.yml
ARGS ?=
FUZZ_SECONDS ?= 60

BINDINGS := lib/ycsb-bindings
JAR := $(BINDINGS)/target/ycsb-bindings.jar
VENV_READY := .venv/.ready
JAR_READY := $(BINDINGS)/target/.ready
NATIVE := lib/ycsbook/native
NATIVE_READY := $(NATIVE)/.ready

.DEFAULT_GOAL := help
# One step at a time: two set-up steps would fight over the system's package manager.
.NOTPARALLEL:
.PHONY: help setup report test bench faults docs docs-reports lab clean FORCE

help: ## this list
	@echo 'make TARGET [PARAMS=params/NAME.yml]; the first use sets the machine up'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(VENV_READY) $(JAR_READY) $(NATIVE_READY) ## install what is missing, make .venv, build; repeating it is free

report: setup ## benchmark, analyse and write output/NAME/report.html for PARAMS (params/local.yml)
	@.venv/bin/ycsbook report "$(PARAMS)"

test: setup ## the whole test suite, the live one against a real mongod included (ARGS="-k word" for a part)
	@sh lib/setup.sh test
	@.venv/bin/pytest $(ARGS)

bench: setup ## what ingest, fits, harness and reports cost, whether intervals hold: long, 1.6 GB in /tmp (ARGS=--quick)
	@.venv/bin/python tests/bench/bench_ingest.py $(ARGS)
	@.venv/bin/python tests/bench/bench_fits.py $(filter --quick --json,$(ARGS))
	@.venv/bin/python tests/bench/bench_alarms.py $(filter --quick --json,$(ARGS))
	@.venv/bin/python tests/bench/bench_harness.py $(filter --quick --json,$(ARGS))
	@.venv/bin/python tests/bench/bench_reports.py $(filter --quick --json,$(ARGS))

faults: setup ## damaged files and hostile input: the tests, then three minutes of fuzzing (FUZZ_SECONDS=60 a group)
	@.venv/bin/pytest tests/faults
	@.venv/bin/python tests/faults/fuzz.py all --seconds $(FUZZ_SECONDS)

docs: setup ## build docs/ into output/docs and check it: links, nothing fetched, published numbers follow from their data
	@.venv/bin/python -m ycsbook.report.site.build docs output/docs

docs-reports: setup ## make the vendors' reports again and publish them in docs/reports (ARGS=--force over edited pages)
	@.venv/bin/ycsbook report params/qingcloud-4.0.3.yml
	@.venv/bin/ycsbook report params/tencent-2020-08.yml
	@.venv/bin/ycsbook publish output/qingcloud-4.0.3 --to docs/reports --site sphinx --profile qingcloud $(ARGS)
	@.venv/bin/ycsbook publish output/tencent-2020-08 --to docs/reports --site sphinx --profile tencent $(ARGS)

lab: setup ## JupyterLab on the notebooks folder
	@.venv/bin/jupyter labextension disable --level=sys_prefix "@jupyterlab/apputils-extension:announcements" 2>/dev/null
	@.venv/bin/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

clean: ## delete output and build products; never data/runs
	@rm -rf output/* $(BINDINGS)/target $(NATIVE)/logs.so $(NATIVE)/.ready .pytest_cache .hypothesis .ruff_cache
	@find . \( -path ./.venv -o -path ./data \) -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +
	@echo 'clean    output/* and build products are deleted; kept: data/runs (your measurements) and .venv (rm -rf .venv)'

# An environment that was moved or half made is made again: the stamp holds the folder it was made in.
ifneq ($(shell cat $(VENV_READY) 2>/dev/null),$(CURDIR))
$(VENV_READY): FORCE
endif
$(VENV_READY): requirements.lock pyproject.toml
	@sh lib/setup.sh venv

ifeq ($(wildcard $(JAR)),)
$(JAR_READY): FORCE
endif
$(JAR_READY): $(BINDINGS)/pom.xml $(shell find $(BINDINGS)/src -type f 2>/dev/null)
	@sh lib/setup.sh jar

ifeq ($(wildcard $(NATIVE)/logs.so),)
$(NATIVE_READY): FORCE
endif
$(NATIVE_READY): $(NATIVE)/logs.c
	@sh lib/setup.sh native
