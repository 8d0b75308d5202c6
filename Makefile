# Each target first makes a virtual environment in .venv with everything installed, if there is none.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

# REFERENCE=FOLDER holds the published programs' traces and parameters, for the tests that compare with them.
REFERENCE := $(BIG2_REFERENCE_DATA)
export BIG2_REFERENCE_DATA := $(REFERENCE)
# Tests start hundreds of processes: each must find compiled modules, since pip compiles none here.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install train play site test test-kit slow frameworks attacks mutants reference lint size docs report release-data engine check bench dist
.PHONY: lock clean
.PHONY: table curves paper paper-catch5 exploiters published published-catch5
.PRECIOUS: runs/curve-%/finished runs/paper-%/finished runs/exploit-%/finished

install: $(VENV)/installed

train: $(VENV)/installed
	$(RUN) -m dmc train --minutes 3 --savedir runs/$(shell date +%Y-%m-%d-%H%M%S)

# Serve the web page and open it in a browser; Ctrl-C stops it. Playing needs a tenth of what training needs.
PLAY := $(if $(wildcard $(VENV)/installed),$(VENV),.venv-play)
play: $(PLAY)/installed
	$(PLAY)/bin/big2 serve

.venv-play/installed: setup.cfg
	$(PYTHON) -m venv .venv-play
	.venv-play/bin/python -m pip install --disable-pip-version-check --no-compile -e '.[play]'
	touch $@

# Four processes suit two cores: many tests wait.
test: $(VENV)/installed
	$(RUN) -m pytest -n 4 --dist worksteal

# The tests of the package that the games share, and the examples: some two minutes.
test-kit: $(VENV)/installed
	$(RUN) -m pytest -n 4 --dist worksteal tests/kit tests/docs/test_examples.py

# The tests marked slow, which `make test` leaves out: about ten minutes.
slow: $(VENV)/installed
	$(RUN) -m pytest -n 4 --dist worksteal -m slow

# Train the examples with other libraries, each in an environment of its own with the versions of the noxfile: minutes.
frameworks: $(VENV)/installed
	$(VENV)/bin/nox -s frameworks

# The tests that attack the program, in about fifteen minutes; prints the table of CONTRIBUTING.md.
attacks: $(VENV)/installed
	$(RUN) -m pytest -n 3 --dist worksteal -m attack

# Count the small errors in rules, inputs, statistics, views and search that no test notices: two hours on two cores.
mutants: $(VENV)/installed
	$(RUN) -m pip install --disable-pip-version-check --quiet cosmic-ray==8.7.0  # another version may choose other mutants
	$(RUN) -m benchmarks.mutants

# The tests that compare with the published programs; they need REFERENCE.
reference: $(VENV)/installed
	@test -n "$(REFERENCE)" || (echo "set REFERENCE=FOLDER or BIG2_REFERENCE_DATA" >&2; exit 1)
	$(RUN) -m pytest -q tests/big2/test_reference.py tests/big2/agents/test_published.py tests/catch5/test_reference.py

lint: $(VENV)/installed
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports

# Lines of Python by package, of all source and of the tests, then of JavaScript, CSS and HTML (`web`), each with its ceiling.
# tests/docs/test_contributing.py holds them; a commit that passes a ceiling raises it here.
CEILINGS := rlcard_kit:7740 rlcard_big2:9460 rlcard_catch5:4585 rlcard_play:7165 eval:6285 training:3250 dmc:2560 ppo:1265 \
	benchmarks:1140 wasm:890 page:260 examples:1570 docs:590 requirements:60 source:46830 tests:29205 web:9915
size:
	@for row in $(CEILINGS); do name=$${row%:*}; \
		case $$name in \
			source) set -- '*.py' ':!tests' ;; \
			tests) set -- 'tests/*.py' ;; \
			web) set -- '*.js' '*.ts' '*.css' '*.html' ':!tests' ':!examples' ;; \
			*) set -- "$$name/*.py" ;; \
		esac; \
		printf '%-16s%8d%8d\n' $$name $$(git ls-files -z -- "$$@" | xargs -0 cat | wc -l) $${row#*:}; \
	done

# Build the site in docs/_build. The notebook trains with NOTEBOOK_LIMIT: by decisions, which a busy machine reaches as well.
# `make site SITE=docs/_build/play` before it puts the page without a server on its front page, in place of a picture.
NOTEBOOK_LIMIT := --total-frames 20000
docs: $(VENV)/installed
	NOTEBOOK_LIMIT='$(NOTEBOOK_LIMIT)' PATH="$(CURDIR)/$(VENV)/bin:$$PATH" PYTHONPATH="$(CURDIR)" \
		$(RUN) -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build

# Write the report, docs/_build/report.pdf, from the files in results.
report: $(VENV)/installed
	$(RUN) -m pip install --disable-pip-version-check --quiet typst==0.14.0  # another version may break lines elsewhere
	mkdir -p docs/_build
	$(RUN) -c 'import typst; typst.compile("docs/report/report.typ", "docs/_build/report.pdf", root=".")'

# The results, the models, the records' schemas and the report of a commit as one archive, for a place that keeps data.
release-data: report
	mkdir -p dist
	git archive --format=zip --prefix=big2-data/ --add-file=docs/_build/report.pdf --output=dist/big2-data.zip HEAD \
		docs/results rlcard_big2/models rlcard_catch5/models docs/records.schema.json docs/catch5-records.schema.json CITATION.cff LICENSE

# Build the page without a server in SITE: files for any host, see docs/hosting.md.
SITE := page/build
site: $(VENV)/installed
	$(RUN) -m page $(SITE)

# Build the engine for JavaScript in wasm/build: `npm pack wasm/build` makes a package of it.
engine: $(VENV)/installed
	rm -rf wasm/build
	$(RUN) -m wasm

# Build the files of a release in dist. `nox` then tests the wheel with each Python version: see noxfile.py.
dist: $(VENV)/installed
	rm -rf dist
	$(RUN) -m build -C kernels=all
	$(RUN) -m zipfile -l dist/*.whl | grep kernels.xz
	$(RUN) -m twine check --strict dist/*

check: lint test docs

bench: $(VENV)/installed
	$(RUN) -m benchmarks.speed

# The table of docs/measuring.md: each agent against three copies of each other. PUBLISHED=FILE is the published PPO network.
AGENTS := random greedy rule big2-ppo big2-dmc-2026-11 published-ppo:$(PUBLISHED)
table: $(VENV)/installed | published
	rm -rf runs/table
	$(RUN) -m eval tournament $(AGENTS) --label $(filter-out published-ppo:%,$(AGENTS)) 'published PPO' --no-mixed \
		--deals 8000 --seed 2101 --out runs/table
	mkdir -p docs/results/agents
	cp runs/table/report.csv docs/results/agents

# The learning curves in results: the default settings against three copies of PUBLISHED=FILE, on the same deals.
MINUTES := 90
CURVES := $(patsubst %,docs/results/%/curve.csv,dmc ppo)
curves: $(CURVES)
	$(RUN) -m eval curve $(CURVES) --label DMC PPO --out results

docs/results/%/curve.csv: runs/curve-%/finished | published
	rm -rf runs/curve-$*/report
	$(RUN) -m eval curve runs/curve-$* --against published-ppo:$(PUBLISHED) --label 'the published PPO network' \
		--others none --points 21 --deals 3000 --out runs/curve-$*/report $(if $(filter ppo,$*),--options greedy)
	mkdir -p $(@D)
	cp runs/curve-$*/report/curve.csv runs/curve-$*/report/curve.png $(@D)

runs/curve-%/finished: | $(VENV)/installed
	$(RUN) -m $* train --minutes $(MINUTES) --save-interval 5 --savedir runs/curve-$*
	touch $@

published:
	@test -f "$(PUBLISHED)" || (echo "set PUBLISHED=FILE to your copy of the published network's parameters" >&2; exit 1)

# The papers' figures by their own settings, in docs/results/paper: `first` is Chow and Cheng's first 450,000 frames.
docs/results/paper/first/curve.csv: PLAY = --against random --others none --rules hkust
docs/results/paper/dmc/curve.csv: PLAY = --against random published-ppo:$(PUBLISHED) --label random 'published PPO' --others none --points 15
docs/results/paper/ppo/curve.csv: PLAY = --against random published-ppo:$(PUBLISHED) --label random 'published PPO' \
	--others last --points 8 --deals 2500 --options greedy
docs/results/paper/catch5/curve.csv: PLAY = --against random pass suit --others last --points 10 --deals 5000 --options greedy
runs/paper-first/finished: TRAIN = dmc train --num-actors 1 --minutes 4 --save-interval 1
runs/paper-dmc/finished: TRAIN = dmc train --rules charlesworth --num-actors 1 --minutes 90 --save-interval 6
runs/paper-ppo/finished: TRAIN = ppo train --minutes 45 --save-interval 3
runs/paper-catch5/finished: TRAIN = ppo train --game catch5 --minutes 10 --save-interval 1
paper: $(patsubst %,docs/results/paper/%/curve.csv,first dmc ppo catch5)

docs/results/paper/%/curve.csv: runs/paper-%/finished | published
	rm -rf runs/paper-$*/report
	$(RUN) -m eval curve runs/paper-$* $(PLAY) --out runs/paper-$*/report
	mkdir -p $(@D)
	cp runs/paper-$*/report/[!r]*.csv runs/paper-$*/report/[!r]*.png $(@D)

runs/paper-%/finished: | $(VENV)/installed
	$(RUN) -m $(TRAIN) --preset paper --learner-threads 1 --eval-deals 0 --savedir runs/paper-$*
	touch $@

# What training against an agent wins from it, alone and with search, in docs/results/exploit, on one core.
exploiters: $(patsubst %,docs/results/exploit/%/report.csv,big2-dmc-2026-11 big2-ppo rule published catch5-ppo)

AGENT = $(patsubst published,published-ppo:$(PUBLISHED),$*)
BASES = dmc:$(@D) big2-dmc-2026-11
SEARCHES = $(patsubst %,search:%$(comma)worlds=64$(if $(filter published,$*),$(comma)opponents=$(AGENT)),$(BASES))
comma := ,
docs/results/exploit/%/report.csv: runs/exploit-%/finished
	rm -rf $(@D) runs/exploit-$*/report runs/exploit-$*/search
	$(RUN) -m dmc export runs/exploit-$* $(@D) --games 0
	$(RUN) -m eval match $(AGENT) --paired $(BASES) --label exploiter start $* --deals 3000 --seed 2040 --out runs/exploit-$*/report
	$(RUN) -m eval match $(AGENT) --paired $(SEARCHES) --label exploiter start $* --deals 256 --seed 2041 --seconds 0 \
		--out runs/exploit-$*/search
	cp runs/exploit-$*/report/report.csv $(@D)
	cp runs/exploit-$*/search/report.csv $(@D)/search.csv

docs/results/exploit/catch5-ppo/report.csv: runs/exploit-catch5-ppo/finished
	rm -rf $(@D) runs/exploit-catch5-ppo/report
	$(RUN) -m dmc export runs/exploit-catch5-ppo $(@D) --games 0
	$(RUN) -m eval match dmc:$(@D) catch5-ppo --label exploiter catch5-ppo --game catch5 --deals 3000 --seed 2043 \
		--out runs/exploit-catch5-ppo/report
	cp runs/exploit-catch5-ppo/report/report.csv $(@D)

runs/exploit-%/finished: TRAIN = --minutes 15 --start-from rlcard_big2/models/dmc-2026-11 --lstm-size 128
runs/exploit-catch5-ppo/finished: TRAIN = --minutes 45 --game catch5
runs/exploit-%/finished: | $(VENV)/installed published
	$(RUN) -m dmc exploit $(AGENT) $(TRAIN) --num-actors 1 --learner-threads 1 --eval-deals 0 --savedir runs/exploit-$*
	touch $@

# Von York's figures 5.1 (earlier.csv, earlier.png) and 5.2 (opponents): 10,000 hands a point, as there.
paper-catch5: runs/curve-catch5/finished
	rm -rf runs/curve-catch5/paper
	$(RUN) -m eval curve runs/curve-catch5 --against random pass suit --others last --options greedy --points 21 \
		--deals 5000 --out runs/curve-catch5/paper
	mkdir -p docs/results/catch5
	cp $(foreach name,earlier opponents,$(foreach kind,csv png,runs/curve-catch5/paper/$(name).$(kind))) docs/results/catch5

runs/curve-catch5/finished: | $(VENV)/installed
	$(RUN) -m ppo train --game catch5 --preset strong --minutes $(MINUTES) --save-interval 4 --savedir runs/curve-catch5
	touch $@

# The paper's published network, PUBLISHED_CATCH5=FILE, and the baselines, by the rules of its program.
published-catch5: $(VENV)/installed
	@test -f "$(PUBLISHED_CATCH5)" || (echo "set PUBLISHED_CATCH5=FILE to your copy of the network's HDF5 file" >&2; exit 1)
	rm -rf runs/published-catch5
	$(RUN) -m eval tournament published-ppo:$(PUBLISHED_CATCH5),greedy random pass suit --game catch5 --rules march \
		--deals 5000 --label published random pass suit --out runs/published-catch5

# Renew requirements/dev.lock: versions and hashes for every Python and system. It leaves out torch, whose files differ by
# index (CUDA or not), and what torch alone needs.
lock: $(VENV)/installed
	echo torch | $(VENV)/bin/uv pip compile requirements/dev.txt --output-file requirements/dev.lock --upgrade --quiet \
		--universal --python-version 3.10 --generate-hashes --no-annotate --custom-compile-command 'make lock' \
		--excludes - --no-emit-package rlcard-big2 --no-emit-package pip

clean:
	rm -rf $(VENV) .venv-play
	find . -name __pycache__ -prune -exec rm -rf {} +

# First what is locked, then the rest: torch and this folder.
$(VENV)/installed: requirements/dev.txt requirements/dev.lock setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	awk '/^[^ ]/ {kept = /^uv==/} kept' requirements/dev.lock > $(VENV)/uv.txt  # it installs in a third of pip's time
	$(RUN) -m pip install --quiet --no-compile --require-hashes -r $(VENV)/uv.txt
	VIRTUAL_ENV=$(VENV) $(VENV)/bin/uv pip install --quiet --system-certs --no-deps --require-hashes -r requirements/dev.lock
	$(RUN) -m pip install --quiet --no-compile -r requirements/dev.txt
	touch $@
