# `make run` serves Viva, `make test` tests it; each sets up what it needs, from a fresh clone, and is quick the next time.
PYTHON_IN_VENV := .venv/bin/python
export PYTHONDONTWRITEBYTECODE ?= 1

.PHONY: run test check format bench measure mutants gpu setup setup-dev clean

run: setup
	@$(PYTHON_IN_VENV) app.py

setup:
	@scripts/setup.sh

setup-dev:
	@scripts/setup.sh dev

test: setup-dev
	@scripts/setup_debian.sh
	@HF_HUB_OFFLINE=1 TF_CPP_MIN_LOG_LEVEL=3 $(PYTHON_IN_VENV) -m pytest -n 2 --dist loadfile

check: setup-dev
	@.venv/bin/ruff format --check .
	@.venv/bin/ruff check .
	@.venv/bin/mypy .
	@.venv/bin/lint-imports

format: setup-dev
	@.venv/bin/ruff format .
	@.venv/bin/ruff check --fix .

# Quick benchmarks, side by side in one run; prints only.
bench: setup
	@$(PYTHON_IN_VENV) scripts/measure.py --quick --print

# Everything that takes long; writes docs/benchmarks.md.
measure: setup-dev
	@$(PYTHON_IN_VENV) scripts/measure.py

# The share of one-edit mutants of the bank's right submissions that its checks refuse (minutes).
mutants: setup
	@$(PYTHON_IN_VENV) -m knowledge mutants

# On a machine with an NVIDIA GPU that has torch, numpy, pyyaml and pytest; nothing is installed.
gpu:
	python3 -m pytest -c /dev/null --rootdir . -p no:cacheprovider -q -W ignore -m gpu tests/sandbox/test_gpu.py
	python3 -m sandbox bench --framework pytorch

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
