# `make train` and `make test` do everything: a virtual environment, the installation, the run.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: train test lint check benchmark table curve clean

train: $(VENV)/installed
	$(RUN) -m dmc train --minutes 3 --savedir runs/$(shell date +%Y-%m-%d-%H%M%S)

test: $(VENV)/installed
	$(RUN) -m pytest -n 2

lint: $(VENV)/installed
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

check: lint test

benchmark: $(VENV)/installed
	$(RUN) -m benchmarks.speed

# The table in the README: each agent against three of each. PUBLISHED=FILE adds the published PPO network.
AGENTS := random greedy rule dmc:runs/table $(if $(PUBLISHED),published-ppo:$(PUBLISHED))
table: runs/table/network.safetensors
	$(RUN) -m eval tournament $(AGENTS) --deals 1000 --out runs/table/report

runs/table/network.safetensors: | $(VENV)/installed
	$(RUN) -m dmc train --minutes 10 --savedir runs/table --eval-deals 0

# The learning curve in results/dmc: 90 minutes with the default settings, against PUBLISHED=FILE.
curve: runs/curve/network.safetensors
	$(RUN) -m eval curve runs/curve --against published-ppo:$(PUBLISHED) --no-others \
		--points 19 --deals 3000 --out runs/curve/report
	cp runs/curve/report/curve.csv runs/curve/report/curve.png results/dmc/

runs/curve/network.safetensors: | $(VENV)/installed
	$(RUN) -m dmc train --minutes 90 --save-interval 5 --savedir runs/curve

clean:
	rm -rf $(VENV)
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/installed: requirements-dev.txt setup.cfg
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet -r requirements-dev.txt
	touch $@
