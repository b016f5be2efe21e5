# Everything runs in .venv; nothing is installed outside it except the system packages named in .ci/system-packages.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help setup demo test check bench corpus faults docs format lock clean

help:
	@echo "make demo    a whole turn on the embedded board: thread, desk, map, PDF"
	@echo "make test    the tests     make check   format, lint, types, architecture"
	@echo "make bench   benchmarks    make corpus  how well the orders are understood    make docs  pages made from the program"
	@echo "make faults  every write on the forum under every fault, as a table"

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml .ci/system-packages
	@bash .ci/system-packages run
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@echo "Готовлю прогноз боёв (один раз, около минуты)…"
	@$(BIN)/forum-gm forecast --ruleset steel_rose docs/примеры/бой.toml -n 100 --json >/dev/null
	@touch $(STAMP)

demo: setup
	@$(BIN)/forum-gm demo

test: setup
	@bash .ci/system-packages test
	@$(BIN)/python -m pytest -n auto --dist loadgroup

check: setup
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

format: setup
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: setup
	@$(BIN)/python -m pytest benchmarks --benchmark-enable

corpus: setup
	@$(BIN)/python -m tests.corpus $(ARGS)

faults: setup
	@$(BIN)/python tests/forum_gm/forums/matrix.py

# The pages that are made from the program: players' guides, reference of commands and settings.
docs: setup
	@$(BIN)/python -m forum_gm.handbook

# Needs uv; the lock pins every package with its hashes for all platforms.
lock:
	uv pip compile pyproject.toml --extra dev --output-file requirements.lock --generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock"

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
