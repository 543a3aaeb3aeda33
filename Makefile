# Every target sets up what it needs: only Python 3.11+ and make have to be there.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# One file of pinned versions per library stack: PyMC 5 on Python 3.11, PyMC 6 from 3.12 on.
STACK := $(shell $(PYTHON) -c 'import sys; print("pymc5" if sys.version_info < (3, 12) else "pymc6")')
TYPES := build/types

.PHONY: help demo test quick lint types docs notebooks bench validate constraints clean

help:
	@echo "make demo         install, run the main job on the embedded data set, say where to look"
	@echo "make test         install, run the whole test suite"
	@echo "make quick        the tests that take seconds"
	@echo "make lint types   ruff, mypy"
	@echo "make docs         build the documentation, warnings are errors"
	@echo "make notebooks    execute every notebook and store its output"
	@echo "make bench        speed, as ratios against a peer in the same run"
	@echo "make validate     the long checks: every matrix, calibration, studies"
	@echo "make constraints  renew the pinned versions of this interpreter's stack"
	@echo "make clean        remove what the other targets made"

$(INSTALLED): pyproject.toml constraints/$(STACK).txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints/$(STACK).txt --editable '.[dev]'
	touch $@

demo: $(INSTALLED)
	$(BIN)/bayescorr scores demo
	$(BIN)/bayescorr report demo --seed 1 --out report

test: $(INSTALLED)
	$(BIN)/python -m pytest

quick: $(INSTALLED)
	$(BIN)/python -m pytest -m "not slow"

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# mypy follows no import hooks, so it is shown the package the way a wheel lays it out.
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

# A new environment with the newest versions that pyproject.toml allows, frozen.
constraints:
	rm -rf build/constraints && $(PYTHON) -m venv build/constraints
	build/constraints/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	build/constraints/bin/python -m pip freeze --all --exclude pip --exclude bayescorr > constraints/$(STACK).txt

clean:
	rm -rf $(VENV) build dist report docs/_build docs/reference/generated docs/tutorials *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	find bayescorr models tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
