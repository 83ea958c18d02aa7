# Everything runs in a .venv of the checkout; pip is all that is needed.
PYTHON ?= python3
BIN := .venv/bin
# What is installed is compiled when it is first imported: most of it never is.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# The shared parallel test run: one process a core.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

.PHONY: help venv demo test paper extras lint format docs bench quality reproduce pretrained clean

help:  ## what there is to make
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/core: pyproject.toml | .venv/bin/python
	$(INSTALL) --editable .
	touch $@

# the core and all else at once
.venv/dev: pyproject.toml paper/pyproject.toml | .venv/bin/python
	$(INSTALL) --editable '.[dev]' --editable paper
	touch .venv/core $@

venv: .venv/dev  ## the package, colayer-paper and the developer tools in .venv

demo: .venv/core  ## the whole story in about a minute
	$(BIN)/colayer demo

test: venv  ## all tests of colayer
	$(PYTEST)

paper: venv  ## the tests of colayer-paper
	$(PYTEST) paper/tests

# the pinned torch first: an extra would choose another build
.venv/extras: .venv/dev
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable '.[bayes,compare,gym,neural,ray,routing]' pyepo
	touch $@

extras: .venv/extras  ## the tests of the extras bayes, compare, gym, neural, ray and routing, and against PyEPO
	COLAYER_EXTRAS=1 $(BIN)/python -m pytest -n auto --dist loadgroup tests/extras paper/tests/extras

lint: venv  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: venv  ## let ruff write
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: venv  ## the site, into build/site/
	$(BIN)/python docs/_site/diagrams.py
	$(BIN)/python docs/_site/figures.py
	$(BIN)/python docs/_site/day.py
	$(BIN)/python docs/_site/build.py

bench: venv  ## speed, as ratios measured side by side
	$(BIN)/python -m pytest benchmarks --benchmark-only --benchmark-columns=min,median,rounds

quality: venv  ## solution quality over the paper's test instances, problem by problem
	$(BIN)/python benchmarks/quality_single_machine.py
	$(BIN)/python benchmarks/quality_spanning_tree.py
	$(BIN)/python benchmarks/quality_vehicle_scheduling.py

reproduce: venv  ## the paper's experiments, small, with their report
	$(BIN)/colayer reproduce --scale small

pretrained: venv  ## learn the shipped weights anew
	$(BIN)/python -m colayer_paper.pretrain

clean:  ## remove what make made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .numba_cache .hypothesis \
		.benchmarks dist build demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
