# Python that .venv is made with: PYTHON=python3.12 make demo. Kept until another one is named.
MADE_WITH := $(shell cat .venv/ready 2>/dev/null)
PYTHON ?= $(or $(MADE_WITH),python3)
ifneq ($(PYTHON),$(MADE_WITH))
.PHONY: .venv/ready
endif
FITS := import ensurepip, sys, venv; print("yes" if sys.version_info >= (3, 11) else "no")

# The tests start hundreds of processes; each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

# Each process gets neighbouring tests, so that a module's fixtures are set up once; one that is done takes tests of others.
PARALLEL := -n auto --dist worksteal

# The parts of the tests that take longer, and of those on HBase.
ONLY_designs := $(filter-out %/__pycache__/,$(wildcard tests/domains/*/)) tests/domains/test_contract.py
ONLY_crashes := tests/domains/test_crashes.py
ONLY_commands := tests/command_line tests/domains $(addprefix --ignore ,$(ONLY_designs) $(ONLY_crashes))
ONLY_rooms := tests --ignore tests/domains --ignore tests/command_line
PATHS = $(if $(ONLY),$(or $(ONLY_$(ONLY)),$(error ONLY: must be designs, crashes, commands or rooms (got $(ONLY)))))

.PHONY: help demo test test-long test-hbase test-copies test-cluster faults hbase opentsdb test-opentsdb compare-opentsdb bench-opentsdb lost-points move-opentsdb compare-hbase hot-spots claims growth tombstones key-times regions bench bench-hbase bench-large mutants readmes pictures transcripts check verify clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile

demo: .venv/ready ## one screen that measures what row keys decide
	.venv/bin/rowbook demo

test: .venv/ready ## the tests, in minutes, on all cores
	.venv/bin/pytest $(PARALLEL)

test-long: .venv/ready ## the tests that take longer; ONLY=designs, crashes, commands, rooms
	.venv/bin/pytest $(PARALLEL) -m long $(PATHS)

test-hbase: .venv/ready ## what touches a store, on a real HBase; needs Java 17 and Maven; ONLY=designs, crashes, commands, rooms
	.venv/bin/pytest $(PARALLEL) --hbase -m "hbase and not long" $(PATHS)

test-copies: .venv/ready ## packages that `rowbook new` makes, of every design and right variant: install, test, types, story; ONLY=orders,logs
	.venv/bin/python -m tests.programs.copies $(ONLY)

test-cluster: .venv/ready ## kill servers of an HBase cluster under load; needs Java 17 and Maven
	.venv/bin/pytest -m cluster tests/hbase/cluster

faults: .venv/ready ## break the network on purpose, beside plain happybase; takes minutes; GATEWAY=HOST:PORT, SEED=
	.venv/bin/python -m tests.programs.faults $(if $(GATEWAY),--gateway '$(GATEWAY)') $(if $(SEED),--seed '$(SEED)')

hbase: .venv/ready ## a real HBase until Ctrl-C; needs Java 17 and Maven; DATA=dir keeps its data, PORT=9090
	@.venv/bin/python -m tests.programs.hbase $(if $(DATA),--data '$(DATA)') $(if $(PORT),--port $(PORT))

opentsdb: .venv/ready ## a real OpenTSDB on an HBase of its own until Ctrl-C; needs Java 17 and Maven
	@.venv/bin/python -m tests.programs.opentsdb

test-opentsdb: .venv/ready ## the tables of tsdb beside a real OpenTSDB, in two minutes; needs Java 17 and Maven
	.venv/bin/pytest -m opentsdb tests/opentsdb

compare-opentsdb: .venv/ready ## random questions to tsdb and to a real OpenTSDB, about tables of three kinds, in five minutes; SEED=1, COUNT=3000
	.venv/bin/python -m tests.programs.opentsdb.questions --seed $(or $(SEED),1) --count $(or $(COUNT),3000)

bench-opentsdb: .venv/ready ## loads and questions of tsdb beside a real OpenTSDB on the same HBase; takes a quarter of an hour; QUICK=1, RECORD=1, ONLY=questions, loads, sparse
	.venv/bin/python -m tests.programs.opentsdb.bench $(if $(QUICK),--quick) $(if $(RECORD),--record) $(if $(ONLY),--only $(ONLY))

lost-points: .venv/ready ## how often a compaction loses an overwritten point, OpenTSDB's and ours, in a minute
	.venv/bin/python -m tests.programs.opentsdb.lost_points

move-opentsdb: .venv/ready ## three million points of a real OpenTSDB with 20 buckets, moved by the command line alone; POINTS=
	.venv/bin/python -m tests.programs.opentsdb.move $(if $(POINTS),--points $(POINTS))

compare-hbase: .venv/ready ## 200,000 random calls on the embedded store and a real HBase; OPERATIONS=, SEED=
	.venv/bin/python -m tests.programs.compare $(if $(OPERATIONS),--operations $(OPERATIONS)) $(if $(SEED),--seed '$(SEED)')

hot-spots: .venv/ready ## record where new rows of all designs land, by their keys and on a real HBase; minutes; CHECK=1 compares; ONLY=orders
	.venv/bin/python -m tests.programs.hot_spots $(if $(CHECK),--check) $(ONLY)

claims: .venv/ready ## record what a real HBase answers to published claims, for the pages; minutes; needs Java 17 and Maven; ONLY='"hot region"'
	.venv/bin/python -m tests.programs.claims $(ONLY)

growth: .venv/ready ## measure what questions read as the data grows, for the pictures; takes four minutes; ONLY=orders
	.venv/bin/python -m tests.programs.growth $(ONLY)

tombstones: .venv/ready ## record how long a page of profiles takes in rows with tombstones, in a minute; needs Java 17 and Maven
	.venv/bin/python -m tests.programs.tombstones

key-times: .venv/ready ## record how long a get takes by the length of its key, in a minute; needs Java 17 and Maven
	.venv/bin/python -m tests.programs.key_times

regions: .venv/ready ## record how tables split on a real HBase, and how large its files are; takes minutes; ONLY=logs
	.venv/bin/python -m tests.programs.regions $(ONLY)

bench: .venv/ready ## the benchmarks; QUICK=1 runs each once
	.venv/bin/python -m tests.programs.benchmarks $(if $(QUICK),--quick)

bench-hbase: .venv/ready ## domain code beside code by hand on a real HBase; needs Java 17 and Maven; QUICK=1
	.venv/bin/python -m tests.programs.benchmarks.bench_hbase $(if $(QUICK),--quick)

bench-large: .venv/ready ## a scan in a table of ten million rows; takes minutes and gigabytes
	.venv/bin/python -m tests.programs.benchmarks.bench_store --large

mutants: .venv/ready ## break the code on purpose; the tests must notice; PART=1/3, CHANGED=20 commits, NAMED='words'
	.venv/bin/python -m tests.programs.mutants $(if $(PART),--part '$(PART)') $(if $(CHANGED),--changed '$(CHANGED)') $(if $(NAMED),--named '$(NAMED)')

readmes: .venv/ready ## write the generated blocks of every README anew
	.venv/bin/python -m tests.programs.readmes

pictures: .venv/ready ## draw the pictures of the pages anew
	.venv/bin/python -m tests.programs.pictures

transcripts: .venv/ready ## write what the transcripts of the command line show anew
	.venv/bin/python -m tests.command_line.transcripts

check: .venv/ready ## lint, format, types; pyright needs node
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 .venv/bin/pyright # no look for a newer pyright

verify: ## every check there is, whole, in hours; needs Java 17, Maven and node
	$(MAKE) check
	$(MAKE) test-long
	$(MAKE) test-hbase
	$(MAKE) test-copies
	$(MAKE) test-cluster
	$(MAKE) test-opentsdb
	$(MAKE) compare-opentsdb
	$(MAKE) move-opentsdb
	$(MAKE) faults
	$(MAKE) mutants
	$(MAKE) bench QUICK=1
	$(MAKE) bench-hbase QUICK=1
	$(MAKE) hot-spots CHECK=1
	$(MAKE) test

clean: ## remove .venv and all caches
	rm -rf .venv .*_cache .hypothesis $$(find . -name .venv -prune -o -name __pycache__ -print)

# Written last, so that an interrupted install starts again from nothing.
.venv/ready: pyproject.toml requirements.txt hatch_build.py shared/__init__.py domains/command_line/launcher.py
	$(if $(findstring yes,$(shell $(PYTHON) -c '$(FITS)' 2>/dev/null)),,$(error $(PYTHON) is not Python 3.11 or newer with venv (on Debian also python3-venv): install one, or name one: make PYTHON=python3.12))
	@rm -f $@
	$(if $(filter $(MADE_WITH),$(PYTHON)),,$(PYTHON) -m venv --clear .venv)
	.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@echo '$(PYTHON)' > $@
