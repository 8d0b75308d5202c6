# `make train` and `make test` do everything: a virtual environment, the installation, the run.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
SOURCES := $(shell find rlcard_big2 dmc eval -name '*.py')

.PHONY: train test lint check benchmark clean

train: $(VENV)/kernels
	$(RUN) -m dmc train --minutes 3

test: $(VENV)/kernels
	$(RUN) -m pytest -n 2

lint: $(VENV)/installed
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

check: lint test

benchmark: $(VENV)/kernels
	$(RUN) -m benchmarks.speed

clean:
	rm -rf $(VENV)
	find . -name '*.nb[ic]' -delete

$(VENV)/installed: requirements-dev.txt setup.cfg
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet -r requirements-dev.txt
	touch $@

# A compiled kernel does not notice that a kernel it calls has changed.
$(VENV)/kernels: $(VENV)/installed $(SOURCES)
	find rlcard_big2 dmc eval -name '*.nb[ic]' -delete
	touch $@
