# Two commands do everything on a fresh machine with python3: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := runs/world-without-capitals
# Tests of a file stay together, for what they share is made once for each process.
PARALLEL := --numprocesses auto --maxprocesses 4 --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help setup demo check test coverage lint browser stress attack format docs bench results world

help:  ## list the commands
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(VENV)/.installed  ## make .venv with the command faan in it

demo: setup $(DEMO)/config.json  ## capitals that a model was never told, with reasons (minutes the first time)
	@echo "The model was never told which of 29,000 cities is the capital of which country. Five examples:"
	$(BIN)/faan suggest $(DEMO) --examples examples/capitals.tsv --top 2 --explain \
	  --head Peru --head Bulgaria --head Namibia --head Iran
	$(BIN)/faan explain $(DEMO) Peru "Lima, Peru" --examples examples/capitals.tsv --draw $(DEMO).svg --force
	@echo "To review such suggestions in a browser:"
	@echo "    $(BIN)/faan serve $(DEMO)"

$(DEMO)/config.json: | setup
	$(BIN)/faan fit world --without capital --without nearest_capital_abroad -o $(DEMO)

check: lint  ## ruff, mypy and the fast tests: under two minutes
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

test: lint browser  ## run all checks and tests
	$(BIN)/python -m pytest $(PARALLEL) --durations 20

# The folder, not the package: else coverage imports numpy twice. Loops that numba compiles count as never run.
coverage: $(VENV)/.installed-dev  ## lines that the fast tests never run, by file
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" --cov src/faan --cov-report term-missing:skip-covered

# Tests of the page need a browser. Only root can install it here; without one they are skipped, which CI does not allow.
browser:
	@command -v chromedriver >/dev/null 2>&1 && { command -v chromium || command -v google-chrome; } >/dev/null 2>&1 && exit 0; \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; } \
	    || { echo "no Chromium: tests of the page are skipped. As root: apt-get install chromium chromium-driver"; exit 0; }; \
	  echo "installing Chromium for tests of the page"; \
	  { apt-get install -y -qq chromium chromium-driver || { apt-get update -qq && apt-get install -y -qq chromium chromium-driver; }; } >/dev/null 2>&1 \
	    || echo "Chromium could not be installed: tests of the page are skipped"

lint: $(VENV)/.installed-dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

stress: $(VENV)/.installed-dev browser  ## every test of the page 30 times, while all cores are kept busy by something else
	@for core in $$(seq $$(getconf _NPROCESSORS_ONLN)); do $(BIN)/python -c "while True: pass" & busy="$$busy $$!"; done; trap "kill $$busy" EXIT; \
	  $(BIN)/python -m pytest --count 30 --repeat-scope session tests/web/test_browser.py tests/web/test_reviewing.py tests/web/test_verdicts.py

attack: $(VENV)/.installed-dev  ## mutated files, folders and requests for ATTACK_MINUTES (20); keeps what does harm in tests/regressions/
	$(BIN)/python -m tools.attack

format: $(VENV)/.installed-dev  ## let ruff tidy the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.installed-dev  ## build the documentation as a site into site/ (open site/index.html; needs no network)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "open site/index.html"

bench: $(VENV)/.installed-dev  ## measure speed and memory (minutes, gigabytes; beside PyKEEN on NELL-One with FAAN_DATA)
	$(BIN)/python benchmarks/graph.py
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/fewshot.py scale
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/serve.py
	$(BIN)/python benchmarks/reconcile.py
	$(BIN)/python benchmarks/sparql.py
	@if [ -d $(DEMO) ]; then $(BIN)/python benchmarks/suggest.py $(DEMO); \
	else echo "make demo makes the model that speed of suggestions is measured with"; fi
	@if [ -n "$$FAAN_DATA" ]; then $(BIN)/python benchmarks/embed.py nell && $(BIN)/python benchmarks/embed.py scale \
	  && $(BIN)/python benchmarks/fewshot.py steps && $(BIN)/python benchmarks/fewshot.py queries; \
	else echo "FAAN_DATA names no folder with NELL-One: what needs it is not measured"; fi

results: $(VENV)/.installed-dev  ## write docs/results.md again from results/
	$(BIN)/python tools/write_results.py

world:  ## build the bundled graph again from its sources
	$(PYTHON) -m venv .venv-world
	.venv-world/bin/python -m pip install --quiet --requirement tools/world-requirements.txt
	.venv-world/bin/python tools/build_world.py

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	  || { echo "faan needs Python 3.10 or newer as '$(PYTHON)'. Install it (Debian: apt-get install python3 python3-venv) or say where it is: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv is missing. Install it (Debian: apt-get install python3-venv) and try again."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# torch comes first and alone: an open range would pull gigabytes of GPU libraries.
$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[web]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@
