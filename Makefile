# Two commands are all the set-up there is: `make demo` and `make test`. Both may be repeated at any time; what is done stays
# done, and a second start takes seconds.

SHELL := /bin/bash
BIN := .venv/bin
ENGINE := scripts/python -m scripts.engine
BROWSER := $(or $(FENCEPOST_TEST_BROWSER),required)

.DEFAULT_GOAL := help
.PHONY: help demo test check check-code check-units fuzz drills bench format lock venv engine image stop clean

help: ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10
	@echo
	@echo "DOCKER_HOST       the engine to use; else the docker context's, the system's, or one that is started"
	@echo "FENCEPOST_STATE   where an engine that is started keeps its data"
	@echo "FENCEPOST_CACHE   where copies of the sandbox image are kept"
	@echo "FENCEPOST_TEST_BROWSER=optional   make test: without a browser, leave the tests of the page out"

demo: image ## Start the web chat and print its address; no token, account or model needed (options in ARGS)
	@$(ENGINE) exec -- $(BIN)/fencepost demo $(ARGS)

test: image ## Run all tests, with a real Docker engine (options of pytest in ARGS)
	@[ "$(BROWSER)" != required ] || scripts/browser >/dev/null
	@FENCEPOST_TEST_DOCKER=required FENCEPOST_TEST_BROWSER=$(BROWSER) $(ENGINE) exec -- $(BIN)/pytest $(ARGS)

check: venv ## Check format, lint, types and import contracts, and run the unit tests: under a minute, no Docker
	@$(MAKE) --no-print-directory --output-sync=target --jobs=2 check-code check-units

check-code:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	scripts/typecheck-page

check-units:
	$(BIN)/pytest -q tests/unit

fuzz: image ## Run what the policy reads of code, for long, and compare with what it read (options in ARGS)
	@$(BIN)/python -m tests.fuzz.bash_fuzz --accepted 20000 $(ARGS)
	@$(ENGINE) exec -- $(BIN)/python -m tests.fuzz.python_fuzz --accepted 2000 $(ARGS)

drills: image ## Strike sandboxes and an engine of their own while 200 executions run (options in ARGS)
	@$(ENGINE) exec -- $(BIN)/python -m tests.drills.sandboxes $(ARGS)

bench: image ## Measure Fencepost beside its peers, in one run, and print ratios (options in ARGS)
	@$(ENGINE) exec -- $(BIN)/python -m bench $(ARGS)

format: venv ## Format the code and mend what the linter can
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: ## Write the requirements locks anew from pyproject.toml (ARGS=--upgrade for newer versions)
	@scripts/lock $(ARGS)

venv: ## Make the virtual environment, or find it up to date
	@scripts/python -m scripts.environment

engine: venv ## Find a Docker engine, or install and start one
	@$(ENGINE) up >/dev/null

image: engine ## Get the sandbox image: found, loaded or built
	@$(ENGINE) exec -- scripts/image >/dev/null

stop: ## Stop the Docker engine that was started for Fencepost; any other is left alone
	@$(ENGINE) stop

clean: ## Remove the virtual environment and what the tools left
	rm -rf .venv .venv.lock node_modules .node.lock .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage htmlcov build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
