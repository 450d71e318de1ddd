# Targets create the virtual environment that they use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo smoke lint test docs slow-test test-oldest test-slurm format package benchmark lock clean

demo: $(VENV)/ready  ## run the default study; show the paper's published one, and compute a sample of it again
	$(BIN)/snakemake --cores all
	$(BIN)/snakemake --cores all --configfile config/paper.yaml --config published=only
	$(BIN)/vjmgp verify --published --shipped --runs 20
	@echo "Open $(CURDIR)/results/full/report.html: the paper's study, with a link to the one just computed."

smoke: $(VENV)/ready  ## run a small study, from download to report
	$(BIN)/snakemake --cores all --configfile config/smoke.yaml

lint: $(VENV)/ready-dev  ## check the code without running it
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m benchmarks.house
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

test: lint  ## check the code and run all tests
	$(BIN)/python -m pytest -n auto

docs: $(VENV)/ready-dev  ## build the documentation site into build/site; warnings and broken links are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

slow-test: $(VENV)/ready-dev  ## run whole grids and the whole competitors experiment; about an hour
	$(BIN)/python -m pytest -n auto -m slow -s

test-oldest: .venv-oldest/ready  ## get the same results with the oldest versions that pyproject.toml allows
	.venv-oldest/bin/python -m pytest -W default tests/engine/test_golden.py tests/tables/test_dataset.py \
		tests/formulas/test_formulas.py tests/regressor/test_regressor.py

test-slurm: $(VENV)/ready-dev  ## test a real SLURM cluster of two nodes, as root; about 12 minutes
	$(BIN)/python -m pytest -m slurm -rs tests/workflow/test_slurm.py

package: $(VENV)/bin/python  ## build wheel and sdist in dist/ and check them
	$(BIN)/pip install --quiet build twine
	rm -rf dist build
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*

benchmark: $(VENV)/ready-dev  ## measure speed; about half an hour
	$(BIN)/python -m benchmarks.speed

format: $(VENV)/ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

lock:  ## write today's versions into requirements.lock
	rm -rf .lock && $(PYTHON) -m venv .lock
	.lock/bin/pip install --quiet ".[dev]"
	.lock/bin/pip freeze --exclude vjmgp | sed -e '/^vjmgp /d' -e 's/^\(torch==[^+]*\)+.*/\1/' > requirements.lock
	rm -rf .lock build

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/ready: $(VENV)/bin/python requirements.lock pyproject.toml
	$(BIN)/pip install --quiet --constraint requirements.lock --editable ".[workflow]"
	touch $@

$(VENV)/ready-dev: $(VENV)/bin/python requirements.lock pyproject.toml
	$(BIN)/pip install --quiet --constraint requirements.lock --editable ".[dev]"
	touch $@ $(VENV)/ready

# The lower bounds of pyproject.toml as exact versions: `>=` becomes `==`.
.venv-oldest/ready: pyproject.toml
	rm -rf .venv-oldest && $(PYTHON) -m venv .venv-oldest
	sed -n '/^dependencies/,/^competitors/s/^  "\([a-z0-9-]*\)>=\([^",]*\).*",.*/\1==\2/p' pyproject.toml \
		> .venv-oldest/versions
	.venv-oldest/bin/pip install --quiet --constraint .venv-oldest/versions --editable ".[plots,sympy,excel]" \
		hypothesis mpmath pmlb pyarrow pytest
	touch $@

clean:
	rm -rf $(VENV) .venv-oldest .lock build .snakemake
