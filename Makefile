# `make demo` and `make test` are all the set-up there is: each makes $(VENV) and installs what it needs, once.
# To use an environment that is ready (the gate does): make test VENV=/path/to/env INSTALLED=1

PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3.11)
VENV ?= .venv
PY := $(VENV)/bin/python
STORY ?= examples/phone.txt
PYTEST_ARGS ?=

# A stamp is renewed when a file that decides what is installed has changed.
INSTALL_INPUTS := pyproject.toml constraints.txt hatch_build.py
ifdef INSTALLED
RUN_READY :=
DEV_READY :=
else
RUN_READY := $(VENV)/.ready-run
DEV_READY := $(VENV)/.ready-dev
endif

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench clean
.DELETE_ON_ERROR:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(RUN_READY) ## explain a bundled story (STORY=FILE for another)
	@$(VENV)/bin/disproof explain $(STORY)

# The networks of the tests are tiny: a second thread costs more than it gives, a second process (-n) does not. The tests
# of a file share what they set up, so they stay together.
test: export OMP_NUM_THREADS ?= 1
test: $(DEV_READY) ## run all tests (PYTEST_ARGS="-m 'not slow'" for the quick ones)
	$(VENV)/bin/pytest -n auto --dist loadfile $(PYTEST_ARGS)

check: $(DEV_READY) ## lint, formatting and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(PY) hatch_build.py
	$(VENV)/bin/mypy

format: $(DEV_READY) ## rewrite the files as `make check` wants them
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(DEV_READY) ## time the command line, tagging and solving
	$(PY) tests/bench/bench_explain.py
	$(PY) tests/bench/bench_scale.py --plot build/scale.png

clean: ## remove the environment, links and caches
	rm -rf .venv .editable .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build
	find . -path ./.git -prune -o -name __pycache__ -type d -exec rm -rf {} +

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit("disproof needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.x") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.ready-run: $(INSTALL_INPUTS) | $(PY)
	@echo "Installing into $(VENV) (some minutes, once)" >&2
	@$(PY) -m pip install -qq --disable-pip-version-check -c constraints.txt -e .
	@touch $@

# The tests' environment can run the demo too.
$(VENV)/.ready-dev: $(INSTALL_INPUTS) | $(PY)
	@echo "Installing into $(VENV) (some minutes, once)" >&2
	@$(PY) -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.ready-run
