# Every target sets up what it needs; only Python 3.11+ and make must be installed.
PYTHON ?= python3
VENV ?= .venv
EXTRA ?= dev
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# One file of pinned versions per library stack: PyMC 5 on Python 3.11, PyMC 6 from 3.12 on.
STACK := $(shell $(PYTHON) -c 'import sys; print("pymc5" if sys.version_info < (3, 12) else "pymc6")')
TYPES := build/types
# Reference data beside the checkout. Tests that need it are skipped if it is not there.
DATA := $(wildcard ../shared/data)
ifneq ($(DATA),)
export BAYESCORR_DATA ?= $(abspath $(DATA))
endif

.PHONY: help demo test quick coverage lowest lint types docs notebooks bench validate constraints clean

help:
	@echo "make demo         install, analyse the embedded collection, write a report"
	@echo "make test         install, run the whole test suite"
	@echo "make quick        run the tests that take seconds"
	@echo "make coverage     run the whole test suite and measure branch coverage"
	@echo "make lowest       run the quick tests with the lowest versions that pyproject.toml allows"
	@echo "make lint types   run ruff and mypy"
	@echo "make docs         build the documentation; warnings are errors"
	@echo "make notebooks    execute every notebook and store its output"
	@echo "make bench        measure speed, as ratios to a peer in the same run"
	@echo "make validate     run the long checks: every matrix, calibration, studies"
	@echo "make constraints  update the pinned versions of this interpreter's stack"
	@echo "make clean        remove everything that the other targets created"

$(INSTALLED): pyproject.toml constraints/$(STACK).txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints/$(STACK).txt --editable '.[$(EXTRA)]'
	touch $@

demo: $(INSTALLED)
	$(BIN)/bayescorr scores demo
	$(BIN)/bayescorr report demo --seed 1 --out report

test: $(INSTALLED)
	$(BIN)/python -m pytest

quick: $(INSTALLED)
	$(BIN)/python -m pytest -m "not slow"

# Same tests as `make test`. Fails below `fail_under` in pyproject.toml.
coverage: $(INSTALLED)
	mkdir -p build
	$(BIN)/python -m pytest --cov --cov-report=term

lowest:
	NUMBA_CACHE_DIR=$(abspath build/lowest/numba) \
		$(MAKE) --no-print-directory VENV=build/lowest STACK=lowest EXTRA=test quick

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy does not follow import hooks, so it gets the package in the layout of a wheel.
types: $(INSTALLED)
	rm -rf $(TYPES) && mkdir -p $(TYPES)/bayescorr
	ln -s $(CURDIR)/bayescorr/* $(TYPES)/bayescorr/
	ln -s $(CURDIR)/models $(TYPES)/bayescorr/models
	cd $(TYPES) && $(abspath $(BIN))/mypy --config-file $(CURDIR)/pyproject.toml -p bayescorr

docs: $(INSTALLED)
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

notebooks: $(INSTALLED)
	$(BIN)/python scripts/run_notebooks.py

bench: $(INSTALLED)
	$(BIN)/python -m pytest benchmarks -n 0 --benchmark-only --benchmark-columns=min,median,rounds

validate: $(INSTALLED)
	$(BIN)/python scripts/validate.py

# Freeze a new environment with the newest versions that pyproject.toml allows.
constraints:
	rm -rf build/constraints && $(PYTHON) -m venv build/constraints
	build/constraints/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	build/constraints/bin/python -m pip freeze --all --exclude pip --exclude bayescorr > constraints/$(STACK).txt

clean:
	rm -rf $(VENV) build dist report docs/_build docs/reference/generated docs/tutorials *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find bayescorr models tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
