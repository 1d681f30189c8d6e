# make demo | test | test-gpu | bench | bench-gpu | lint | docs. Needs only make and Python >= 3.11: each target builds what it
# needs in $(VENV).
PYTHON ?= python3
VENV ?= .venv

python := $(VENV)/bin/python

.PHONY: help demo test test-gpu bench bench-gpu lint docs compiled pure

help:
	@echo "make demo    train the digits CNN and print what one training step became"
	@echo "make test    run the tests, a sample of the large tables; PYTEST_ARGS=--whole for all of them"
	@echo "make test-gpu   run the tests that need a GPU, and the frontend's, layers' and optimizers' on it"
	@echo "make bench   print the speed ratios of tests/benchmarks"
	@echo "make bench-gpu   write docs/benchmarks_gpu.md, measured on this machine's GPU"
	@echo "make lint    ruff, mypy and the import layers"
	@echo "make docs    the site, in build/docs; it needs no network"
	@echo "make compiled   compile the hot modules beside their sources; make pure removes them"
	@echo "PYTHON=python3.12 chooses an interpreter, VENV=path an environment."

demo: $(VENV)/.installed-demo
	$(python) examples/digits_cnn.py

# The tests import lazygrad in many processes: they keep its bytecode.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.installed-test
	$(python) -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal $(PYTEST_ARGS)

# A GPU is one device: tests run one after another.
test-gpu: $(VENV)/.installed-test
	$(python) -m lazygrad doctor
	$(python) -m pytest tests/gpu $(PYTEST_ARGS)
	$(python) -m pytest --device cuda tests/frontend tests/nn tests/autograd tests/func tests/optim $(PYTEST_ARGS)

bench-gpu: $(VENV)/.installed-bench
	$(python) -m tests.benchmarks.gpu

bench: $(VENV)/.installed-bench
	$(python) -m tests.benchmarks

lint: $(VENV)/.installed-dev
	$(VENV)/bin/ruff check
	$(python) -m mypy
	$(VENV)/bin/lint-imports

docs: $(VENV)/.installed-docs
	$(python) -m sphinx --quiet --fail-on-warning --keep-going --builder html docs build/docs

compiled: $(VENV)/.installed-test
	LAZYGRAD_COMPILED=1 $(python) -m pip install --quiet --no-deps --editable .

pure:
	find lazygrad -name '*.so' -delete

# One stamp per extra, renewed when the dependencies change; an environment that already exists is only added to.
$(VENV)/.installed-%: pyproject.toml | $(python)
	$(python) -m pip install --quiet --editable '.[$*]'
	@touch $@

$(python):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "lazygrad needs Python >= 3.11, found: $$($(PYTHON) --version 2>&1); try: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
