# Every target sets up what it needs; a fresh clone wants only Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JOBS ?= 2

.PHONY: demo test test-all mutants lint bench bench-quality bench-papers clean

$(READY): pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

demo: $(READY)
	$(BIN)/python -m aucmax.demo

test: $(READY)
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: $(READY)
	$(BIN)/python -m pytest -n $(JOBS)

# small wrong changes of the library, each of which the tests must notice
mutants: $(READY)
	$(BIN)/python -m tests.mutants.run --jobs $(JOBS)

# The site has a virtual environment of its own, so that the tests' one stays small.
DOCS := .venv-docs
.PHONY: docs
$(DOCS)/.ready: pyproject.toml requirements-dev.txt requirements-docs.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

docs: $(DOCS)/.ready
	$(DOCS)/bin/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "the site is in docs/_build/html/index.html"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	mkdir -p out
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.pairwise
	$(BIN)/python -m benchmarks.frontdoor
	$(BIN)/python -m benchmarks.nystroem
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.grids
	$(BIN)/python -m benchmarks.checking
	$(BIN)/aucmax bench rates --store out/bench.sqlite
	$(BIN)/python -m benchmarks.evaluate

# the papers' tables, rates and figures; QUICK=--quick for coarser grids and fewer repeats
bench-papers: $(READY)
	mkdir -p out
	$(BIN)/aucmax bench run all $(QUICK) --store out/papers.sqlite
	$(BIN)/aucmax bench rates $(QUICK) --store out/papers.sqlite
	$(BIN)/aucmax bench times --store out/papers.sqlite
	$(BIN)/aucmax bench figures $(QUICK) --store out/papers.sqlite
	$(BIN)/aucmax report $(QUICK) --store out/papers.sqlite -o out/papers.html

bench-quality: $(READY)
	$(BIN)/python -m benchmarks.quality

clean:
	rm -rf $(DOCS) docs/_build docs/algorithms docs/api docs/gallery
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis out
