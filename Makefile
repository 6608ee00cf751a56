# Each target does all of its own set-up; the first run installs, later ones start at once.
PYTHON ?= python3
VENV := .venv
VENV_OLD := .venv-datasets-3.6
VENV_BENCH := .venv-bench
RUN := $(VENV)/bin/python
JOBS ?= 2
SUPPORTED := 4.0.0 4.8.5 5.0.0
# the files with tests that are marked `contract`, which need no more than requirements-contract.txt
CONTRACT := tests/contract tests/hub/test_audio_dir.py tests/hub/test_clients.py tests/madb/test_build.py

.PHONY: dataset test test-all check release-check audit bench readme clean

dataset: $(VENV)/run          ## build the embedded synthetic sample and load it
	$(RUN) -m build run
	$(RUN) -m build show

test: $(VENV)/test $(VENV_OLD)/test   ## the test suite, on the newest `datasets` and on 3.6
	$(RUN) -m pytest -n $(JOBS) --dist loadscope -m "not slow"
	$(VENV_OLD)/bin/python -m pytest -n $(JOBS) --dist loadscope -m "contract and not slow" $(CONTRACT)

test-all: test                ## the long ones too: every supported minor of `datasets`, many kills
	$(RUN) -m pytest -n $(JOBS) --dist loadscope -m slow
	for version in $(SUPPORTED); do \
	  $(MAKE) .venv-datasets-$$version/test && .venv-datasets-$$version/bin/python -m pytest -n $(JOBS) --dist loadscope -m contract $(CONTRACT) || exit 1; \
	done

check: $(VENV)/test           ## lint, format, types
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

release-check: $(VENV)/run    ## build the sample anew and compare it with the last release: AGAINST=its tag or MANIFEST.json
	$(RUN) -m build release-check $(if $(AGAINST),--against $(AGAINST))

audit: $(VENV)/test           ## known vulnerabilities of all that is installed here; asks an advisory service
	$(RUN) -m pip install --quiet --requirement tests/requirements-audit.txt
	$(RUN) -m pip_audit --local --progress-spinner off

bench: dataset $(VENV_BENCH)/test     ## timings, as ratios between contenders in one run
	$(VENV_BENCH)/bin/python -m tests.bench

readme: $(VENV)/run           ## render README.md from its template and the committed results
	$(RUN) -m build card --readme

clean:                        ## everything that the other targets made
	rm -rf .venv* globalmood madb work report.html .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/run: requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --requirement requirements.txt
	touch $@

$(VENV)/test: tests/requirements.txt tests/requirements-contract.txt requirements-baselines.txt requirements-dask.txt $(VENV)/run
	$(RUN) -m pip install --quiet --requirement tests/requirements.txt
	touch $@

$(VENV_BENCH)/test: requirements.txt tests/bench/requirements.txt
	$(PYTHON) -m venv $(VENV_BENCH)
	$(VENV_BENCH)/bin/python -m pip install --quiet --requirement requirements.txt --requirement tests/bench/requirements.txt
	touch $@

$(VENV_OLD)/test: requirements.txt tests/requirements-contract.txt
	$(PYTHON) -m venv $(VENV_OLD)
	$(VENV_OLD)/bin/python -m pip install --quiet --requirement requirements.txt --requirement tests/requirements-contract.txt datasets==3.6.0
	touch $@

.venv-datasets-%/test: requirements.txt tests/requirements-contract.txt
	$(PYTHON) -m venv .venv-datasets-$*
	.venv-datasets-$*/bin/python -m pip install --quiet --requirement requirements.txt --requirement tests/requirements-contract.txt datasets==$*
	touch $@
