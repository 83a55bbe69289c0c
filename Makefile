# Python that .venv is made with: PYTHON=python3.12 make demo. Kept until another one is named.
MADE_WITH := $(shell cat .venv/demo 2>/dev/null)
PYTHON ?= $(or $(MADE_WITH),python3)
ifneq ($(PYTHON),$(MADE_WITH))
.PHONY: .venv/demo
endif
FITS := import ensurepip, sys, venv; print("yes" if sys.version_info >= (3, 11) else "no")

# Python compiles what it imports, so that pip need not compile everything.
PIP := .venv/bin/pip install --quiet --disable-pip-version-check --no-compile

# The tests start hundreds of processes; each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

# Each process gets neighbouring tests, so that a module's fixtures are set up once; one that is done takes tests of others.
PARALLEL := -n auto --dist worksteal

.PHONY: help demo test check hbase test-hbase test-long verify pages site clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile

demo: .venv/demo ## one screen that measures what row keys decide
	.venv/bin/rowbook demo

test: .venv/ready ## the tests, in minutes, on all cores
	.venv/bin/pytest $(PARALLEL)

check: .venv/ready ## lint, format, types; pyright needs node
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 .venv/bin/pyright # no look for a newer pyright

hbase: .venv/ready ## a real HBase until Ctrl-C; needs Java 17 and Maven; DATA=dir keeps its data, PORT=9090
	@.venv/bin/python -m tests.programs.hbase $(if $(DATA),--data '$(DATA)') $(if $(PORT),--port $(PORT))

test-hbase: .venv/ready ## what touches a store, on a real HBase; TESTS=tests/domains/orders
	.venv/bin/pytest $(PARALLEL) --hbase -m "hbase and not long" $(TESTS)

test-long: .venv/ready ## the tests that take longer; TESTS=tests/domains/orders
	.venv/bin/pytest $(PARALLEL) -m long $(TESTS)

verify: .venv/ready ## every check there is, in hours, with Java 17, Maven, npm and Chromium; PARTS="copies faults"
	.venv/bin/python -m tests.programs.verify $(PARTS)

pages: .venv/ready ## write what pages, transcripts and stories show anew
	.venv/bin/python -m tests.programs.pictures
	.venv/bin/python -m tests.programs.readmes
	.venv/bin/python -m tests.programs.transcripts
	.venv/bin/python -m tests.programs.stories

site: .venv/ready ## the pages as a static site in build/site; CHECK=--smoke opens a few in Chromium, CHECK=--check all
	@.venv/bin/python -m tests.programs.site $(CHECK)

clean: ## remove .venv, the site and all caches
	rm -rf .venv build/site* build/explorer .*_cache .hypothesis $$(find . -name .venv -prune -o -name __pycache__ -print)

# Written last, so that an interrupted install starts again from nothing.
.venv/demo: pyproject.toml requirements.txt hatch_build.py shared/__init__.py domains/__main__.py
	$(if $(findstring yes,$(shell $(PYTHON) -c '$(FITS)' 2>/dev/null)),,$(error $(PYTHON) is not Python 3.11 or newer with venv (on Debian also python3-venv): install one, or name one: make PYTHON=python3.12))
	@rm -f $@
	$(if $(filter $(MADE_WITH),$(PYTHON)),,@echo 'Making .venv with $(PYTHON)' && $(PYTHON) -m venv --clear .venv)
	@echo 'Installing into .venv what the commands need: requirements.txt'
	@$(PIP) --require-hashes -r requirements.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@echo '$(PYTHON)' > $@

.venv/ready: .venv/demo requirements-dev.txt
	@rm -f $@
	@echo 'Installing into .venv what the tests need, too: requirements-dev.txt'
	@$(PIP) --require-hashes -r requirements-dev.txt
	@touch $@
