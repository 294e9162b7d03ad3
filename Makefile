# Everything from a fresh clone: `make report`, `make test`. Each gets what it needs beyond the core. Works with GNU make 3.81 and newer.
# The work is in lib/setup.sh (a bare machine becomes a working one) and in `ycsbook` (everything else).

PARAMS ?= params/local.yml
ARGS ?=
FUZZ_SECONDS ?= 60

BINDINGS := lib/ycsb-bindings
JAR := $(BINDINGS)/target/ycsb-bindings.jar
VENV_READY := .venv/.ready
JAR_READY := $(BINDINGS)/target/.ready

.DEFAULT_GOAL := help
# Set by some machines: every program would compile pandas and the rest of its modules anew.
unexport PYTHONDONTWRITEBYTECODE
# One step at a time: two set-up steps would fight over the system's package manager.
.NOTPARALLEL:
.PHONY: help setup live jar wheel report systems test test-all test-matrix test-tools lint counts bench faults docs docs-reports lab lock clean FORCE

help: ## this list
	@echo 'make TARGET [PARAMS=params/NAME.yml]; the first use sets the machine up'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(VENV_READY) ## the core: .venv for reading, fitting, reports, notebooks; repeating it is free

live: setup .venv/.live jar ## what runs on servers need besides: mongod and the load generator (by itself in `make report`)

jar: $(JAR_READY) ## the load generator alone, in lib/ycsb-bindings, for whoever has an environment of their own

wheel: setup jar ## a wheel that works without this repository, in dist/: pip install 'dist/ycsbook-....whl[local]'
	@.venv/bin/python -m pip wheel . --disable-pip-version-check --quiet --no-deps --no-build-isolation --wheel-dir dist
	@ls dist

report: setup ## benchmark, analyse and write output/NAME/report.html for PARAMS (params/local.yml)
	@! .venv/bin/ycsbook doctor "$(PARAMS)" --json 2>/dev/null | grep -q '"state": "missing"' || $(MAKE) --no-print-directory live
	@.venv/bin/ycsbook report "$(PARAMS)"

systems: live ## CRUD, MariaDB, index insertion, ... measured small in under 20 minutes, in one report: output/systems/report.html
	@sh lib/setup.sh mariadb || true
	@sh lib/setup.sh gateways || true
	@.venv/bin/ycsbook systems

test: test-tools ## the test suite in 8 minutes on 2 slow cores, one live sweep included (ARGS="-k word" for a part)
	@sh lib/setup.sh programs
	@.venv/bin/python tests/run.py 3 -m 'not matrix' $(ARGS)

test-all: test test-matrix ## and the matrices: all kinds of servers and clients, kills at any point, coverage of intervals

test-matrix: test-tools .venv/.docs
	@sh lib/setup.sh programs
	@.venv/bin/python tests/run.py 4 -m matrix

test-tools: live .venv/.lab .venv/.test

lint: setup .venv/.test ## ruff, its format, and the map of packages in CONTRIBUTING.md by import-linter
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/lint-imports --no-cache --no-logo

counts: setup .venv/.test ## how big the code is: lines, files, modules that one other needs, imports inside functions, packages
	@.venv/bin/python tests/counts.py

bench: test-tools ## what ingest, fits, harness and reports cost, whether intervals hold: long, 1.6 GB in /tmp (ARGS=--quick)
	@.venv/bin/python tests/bench/bench_ingest.py $(ARGS)
	@for name in fits alarms at_once until truth harness reports; do \
		.venv/bin/python tests/bench/bench_$$name.py $(filter --quick --json,$(ARGS)) || exit; done

faults: test-tools ## damaged files and hostile input: the tests, then three minutes of fuzzing (FUZZ_SECONDS=60 a group)
	@.venv/bin/pytest tests/faults
	@.venv/bin/python tests/faults/fuzz.py all --seconds $(FUZZ_SECONDS)
	@.venv/bin/python tests/faults/both_readers.py --count 5000

docs: setup .venv/.docs ## build docs/ into output/docs and check it: links, nothing fetched, published numbers follow from their data
	@.venv/bin/python docs/build_site.py docs output/docs

docs-reports: setup ## make the vendors' reports again and publish them in docs/reports (ARGS=--force over edited pages)
	@.venv/bin/ycsbook report params/qingcloud-4.0.3.yml
	@.venv/bin/ycsbook report params/tencent-2020-08.yml
	@.venv/bin/ycsbook publish output/qingcloud-4.0.3 --to docs/reports --site sphinx --profile qingcloud $(ARGS)
	@.venv/bin/ycsbook publish output/tencent-2020-08 --to docs/reports --site sphinx --profile tencent $(ARGS)
	@.venv/bin/ycsbook publish --atlas --to docs
	@.venv/bin/python docs/notebook_copies.py

lab: setup .venv/.lab ## JupyterLab on the notebooks folder
	@.venv/bin/jupyter labextension disable --level=sys_prefix "@jupyterlab/apputils-extension:announcements" 2>/dev/null
	@.venv/bin/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

lock: ## the locks made again with uv, after a change of bounds (UV=path of uv, ARGS=--upgrade for newer versions)
	@sh lib/lock.sh $(ARGS)

clean: ## delete output and build products; never data/runs
	@rm -rf output/* $(BINDINGS)/target .pytest_cache .hypothesis .ruff_cache
	@find . \( -path ./.venv -o -path ./data \) -prune -o -type d -name __pycache__ -prune -exec rm -rf {} +
	@echo 'clean    output/* and build products are deleted; kept: data/runs (your measurements) and .venv (rm -rf .venv)'

# An environment that was moved or half made is made again: the stamp holds the folder it was made in.
ifneq ($(shell cat $(VENV_READY) 2>/dev/null),$(CURDIR))
$(VENV_READY): FORCE
endif
$(VENV_READY): requirements.lock pyproject.toml
	@sh lib/setup.sh venv

# What an environment has beside the core; made again with it.
.venv/.%: requirements-%.lock $(VENV_READY)
	@sh lib/setup.sh $*

ifeq ($(wildcard $(JAR)),)
$(JAR_READY): FORCE
endif
$(JAR_READY): $(BINDINGS)/pom.xml $(shell find $(BINDINGS)/src -type f 2>/dev/null)
	@sh lib/setup.sh jar
