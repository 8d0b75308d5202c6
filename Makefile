# `make train` and `make test` do everything: a virtual environment, the installation, the run.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: train test lint check benchmark clean

train: $(VENV)/installed
	$(RUN) -m dmc train --minutes 3

test: $(VENV)/installed
	$(RUN) -m pytest -n 2

lint: $(VENV)/installed
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

check: lint test

benchmark: $(VENV)/installed
	$(RUN) -m benchmarks.speed

clean:
	rm -rf $(VENV)
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/installed: requirements-dev.txt setup.cfg
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet -r requirements-dev.txt
	touch $@
