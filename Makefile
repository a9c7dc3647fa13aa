# `make` alone lists the targets; each explains itself in the sentence after `##`.
PYTHON ?= python3
BIN := .venv/bin
# A lock lists everything, so nothing is resolved: asked for `coverage[toml]`, pip would rather have a release that is newer than the lock, and stop.
LOCKED := --require-hashes --no-deps
PIP := -m pip --disable-pip-version-check install --quiet
SELF := --no-deps --no-build-isolation --editable .

.DEFAULT_GOAL := help
.PHONY: board board-page figures fortress help demo test lint wheel coverage test-slow test-cluster fuzz bench bench-embed bench-growth bench-results bench-counts bench-page load races schemas docs lock format clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.run-stamp ## Install, measure a few memory policies on a small synthetic world, write an HTML report.
	$(BIN)/memgauge demo

# Hundreds of processes import the package: where nothing may be cached, each would compile it again.
test coverage test-slow: export PYTHONDONTWRITEBYTECODE =
test: .venv/.dev-stamp ## Run what CI runs: lint, types, arrows, the wheel outside the checkout, tests.
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint wheel
	@$(BIN)/python -m compileall -q -j 0 src tests/support chaos bench tools # once, and not by every worker at the same time
	@$(BIN)/python tools/warm_tests.py # the same
	$(BIN)/pytest $(WORKERS) -m "not slow"

# Two workers more than cores: half of the time tests wait for processes of their own, or for a browser.
WORKERS := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2) --dist worksteal

lint: .venv/.dev-stamp ## Check style, format, types and arrows.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

wheel: .venv/.dev-stamp ## Build the wheel, and run the demo from it outside the checkout.
	tools/check_wheel.sh

coverage: .venv/.dev-stamp ## Run the tests with branch coverage, and fail below what pyproject.toml asks for.
	$(BIN)/pytest $(WORKERS) -m "not slow" --cov --cov-branch --cov-report=term

test-slow: .venv/.dev-stamp ## Run the tests that take minutes, and all examples of every property.
	$(BIN)/pytest -m "slow or hypothesis" --hypothesis-profile=whole

fortress: .venv/.dev-stamp ## Try every attack on the instrument.
	$(BIN)/pytest $(WORKERS) tests/hostile/test_exploits.py

races: .venv/.dev-stamp ## Race memories that are right and wrong for minutes, with threads that change after every few instructions.
	$(BIN)/pytest -m slow tests/studies/golden/races

fuzz: .venv/.dev-stamp ## Spoil the files of every reader for SECONDS each (600), or of READERS; SEED repeats a pass.
	$(BIN)/python tools/fuzz.py --seconds $(or $(SECONDS),600) $(if $(SEED),--seed $(SEED)) $(READERS)

bench: .venv/.run-stamp .venv-bench/.stamp ## Compare speed with peers in an environment of their own, and with the least that is possible.
	$(BIN)/python -m bench rows
	$(BIN)/python -m bench budgets
	$(BIN)/python -m bench page

bench-embed: .venv/.dev-stamp .venv-bench-embed/.stamp ## Compare how fast texts are embedded with sentence-transformers; gigabytes of PyTorch.
	$(BIN)/python -m bench embed
	$(BIN)/python -m bench page

bench-growth: .venv/.run-stamp ## Measure how time and memory grow over four decades.
	$(BIN)/python -m bench growth
	$(BIN)/python -m bench page

bench-results: .venv/.run-stamp ## Build the site of a registry of a thousand submissions, and with one more.
	$(BIN)/python -m bench.boards

bench-counts: .venv/.run-stamp ## Count the instructions of the hot kernels; fail where one needs more than before.
	$(BIN)/python -m bench.counts

bench-page: .venv/.run-stamp ## Write docs/bench.md and its charts again from what was measured last.
	$(BIN)/python -m bench page

figures: .venv/.dev-stamp ## Draw every figure and screenshot of the documentation again, and write what its commands print; then read the diff.
	$(BIN)/python tools/pictures.py
	$(BIN)/python tools/refresh_docs.py
	$(MAKE) --no-print-directory bench-page board-page

board: .venv/.run-stamp ## Play the lanes of the published board that have no bundle yet, or LANES; hours from nothing.
	$(BIN)/memgauge study board play $(foreach lane,$(LANES),--lane $(lane))

board-page: .venv/.run-stamp ## Write docs/board.md and docs/samples.md again from the bundles of the board.
	$(BIN)/memgauge study board page --write --as-page docs/board.md
	$(BIN)/memgauge study board samples --write --as-page docs/samples.md

docs: .venv/.dev-stamp ## Build the documentation's site, with references from the code; REPRODUCE=all recomputes every figure.
	NO_MKDOCS_2_WARNING=1 REPRODUCE=$(or $(REPRODUCE),quick) $(BIN)/mkdocs build --quiet --strict
	@echo "Built: site/index.html"

schemas: .venv/.run-stamp ## Write the JSON Schemas of the sheets in results/ again.
	$(BIN)/python -m memgauge.submissions.sheets.schemas results

load: .venv/.dev-stamp ## Put CLIENTS (200) on every server of ours for SECONDS (120) each, or on SERVERS.
	$(BIN)/python tools/load.py --clients $(or $(CLIENTS),200) --seconds $(or $(SECONDS),120) $(SERVERS)

test-cluster: .venv-cluster/.stamp ## Run the tests that need Ray, in an environment of their own.
	.venv-cluster/bin/pytest -m cluster tests/runs/play/executors

lock: ## Write requirements/*.lock again from pyproject.toml (needs uv).
	tools/lock.sh

format: .venv/.dev-stamp ## Format the code and mend what the linter can mend.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## Remove environments, caches and build results; runs/ and demo/ stay.
	rm -rf .venv .venv-bench .venv-bench-embed .venv-cluster .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache htmlcov dist build .coverage .coverage.* site

%/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' || \
	  { echo "memgauge needs Python 3.11 to 3.14; name one with: make PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -m venv $* || \
	  { rm -rf $*; echo "$(PYTHON) cannot create environments; install its venv module (Debian: apt-get install python3-venv)."; exit 1; }

.venv/.run-stamp: requirements/run.lock requirements/build.lock pyproject.toml | .venv/bin/python
	$(BIN)/python $(PIP) $(LOCKED) -r requirements/run.lock -r requirements/build.lock
	$(BIN)/python $(PIP) $(SELF)
	@touch $@

.venv/.dev-stamp: requirements/dev.lock pyproject.toml | .venv/bin/python
	$(BIN)/python $(PIP) $(LOCKED) -r requirements/dev.lock
	$(BIN)/python $(PIP) $(SELF)
	@touch $@ .venv/.run-stamp

.venv-bench/.stamp: requirements/bench.lock pyproject.toml | .venv-bench/bin/python
	.venv-bench/bin/python $(PIP) $(LOCKED) -r requirements/bench.lock
	@touch $@

.venv-bench-embed/.stamp: requirements/bench-embed.lock | .venv-bench-embed/bin/python
	.venv-bench-embed/bin/python $(PIP) $(LOCKED) -r requirements/bench-embed.lock
	@touch $@

.venv-cluster/.stamp: requirements/cluster.lock pyproject.toml | .venv-cluster/bin/python
	.venv-cluster/bin/python $(PIP) $(LOCKED) -r requirements/cluster.lock
	.venv-cluster/bin/python $(PIP) $(SELF)
	@touch $@
