# `make` lists the targets. Each makes the virtual environment first where it is absent.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DOCS   := $(VENV)/.docs
DASHBOARDS := $(VENV)/.dashboards
OPTUNA := $(VENV)/.optuna-dashboard
TESTED := $(VENV)/.tested
# Not $(BIN)/pip: where set-up was stopped as it made the environment, that may never have come.
INSTALL := $(BIN)/python -m pip install --quiet --constraint constraints.txt
# On all cores, where pip uses one. What is no Python of this version (a template) stays as it is.
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib

JOBS   ?=
SEEDS  ?=
SET    ?=
EXPERIMENT ?= demo
SWEEP  ?= speech-mocha-small
TRIALS ?=
RUN    := $(BIN)/mocha-lightning run
# One word of the shell, whatever quotes the name has.
quoted = '$(subst ','\'',$(1))'
FOLDER := $(call quoted,data.folder=$(DATA))
SOURCE := $(call quoted,data.source=$(DATA))
RUN_OPTIONS := $(if $(JOBS),--jobs $(JOBS)) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SET),--set $(SET))

.DEFAULT_GOAL := help
ABLATIONS := $(addprefix ablation-,chunk-size energy-dim receptive-field offset)
# What needs data that nobody can bring along asks for them before minutes go into an environment.
ONE_SCALE := $(filter demo digits digits-all librispeech noise reordering documentation aa sweep-grids,$(MAKECMDGOALS))
WITH_DATA := $(if $(DATA),$(READY),no-data)

.PHONY: help setup demo digits digits-all wsj librispeech $(ABLATIONS) matcha noise reordering documentation
.PHONY: sweep-speech sweep-summarization sweep-grids optuna-dashboard no-study
.PHONY: cnn_dailymail reproduce no-data compare published aa sync dashboard view parameters schematic speed benchmark test lint format clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / {printf "  make %-24s %s\n", $$1, $$2}' Makefile

$(READY): pyproject.toml constraints.txt
	@command -v $(or $(strip $(PYTHON)),'') >/dev/null || { echo "error: no '$(PYTHON)' here; name a Python 3.11 or newer: make PYTHON=..." >&2; exit 2; }
	@test "$$($(PYTHON) -c 'import sys; print(sys.version_info >= (3, 11))' 2>/dev/null)" = True || { echo "error: $(PYTHON) is no Python 3.11 or newer; name another: make PYTHON=..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@# torch by itself and first: asked for by its exact version, no other package can choose it.
	$(INSTALL) --no-compile "$$(grep '^torch==' constraints.txt)"
	$(INSTALL) --no-compile --editable '.[espeak,dev]'
	@$(COMPILE) || true
	@touch $@

$(DOCS): $(READY)
	$(INSTALL) --editable '.[docs]'
	@touch $@

$(DASHBOARDS): $(READY)
	$(INSTALL) --editable '.[dashboards]'
	@touch $@

$(OPTUNA): $(READY)
	$(INSTALL) --editable '.[optuna-dashboard]'
	@touch $@

$(TESTED): $(READY)
	$(INSTALL) --no-compile --editable '.[dashboards,ray,slurm]'
	@$(COMPILE) || true
	@touch $@

setup: $(READY)  ## Make the virtual environment (.venv) with exact versions

demo: $(READY)  ## Soft, hard monotonic and MoChA attention on synthetic speech, 3 seeds each, with t-tests
	$(RUN) experiments/demo.yaml $(RUN_OPTIONS)

digits: $(WITH_DATA)  ## The same on real recordings: make digits DATA=folder of Free Spoken Digit Dataset wavs
digits-all: $(WITH_DATA)  ## The same with MoChA of w = 4 and 8 and CTC besides
librispeech: $(WITH_DATA)  ## The comparison of Table 1 on LibriSpeech: make librispeech DATA=folder
digits digits-all librispeech:
	$(RUN) experiments/$@.yaml --set $(FOLDER) $(RUN_OPTIONS)

ifneq ($(SCALE),)
ifneq ($(ONE_SCALE),)
$(error SCALE is for wsj, the ablations, matcha, cnn_dailymail, sweep-speech and sweep-summarization: leave it out of make $(firstword $(ONE_SCALE)))
endif
endif
ifeq ($(MAKECMDGOALS),reproduce)
ifeq ($(SCALE),)
$(error make reproduce SCALE=small (three hours on two cores), or SCALE=paper DATA=folder of the LDC's disks)
else ifeq ($(SCALE),paper)
override SCALE :=
endif
endif
# SCALE=small asks the question of the demonstration's recogniser and synthetic speech.
ifeq ($(SCALE),small)
FILE = experiments/$@-small.yaml
NEEDS := $(READY)
ON :=
else ifeq ($(SCALE),)
FILE = experiments/$@.yaml
NEEDS := $(WITH_DATA)
ON := --set $(FOLDER)
else
$(error SCALE is $(SCALE): it can be small, or left out for the paper's size)
endif

wsj: $(NEEDS)  ## Table 1 at the paper's size: make wsj DATA=folder of the LDC's disks; make wsj SCALE=small
ablation-chunk-size: $(NEEDS)  ## Section 4, w = 2, 3, 4, 6, 8: DATA=folder of the LDC's disks, or SCALE=small
ablation-energy-dim: $(NEEDS)  ## Section 4.1, monotonic with twice d, MoChA with half (DATA or SCALE)
ablation-receptive-field: $(NEEDS)  ## Section 4.1, monotonic over wider convolutions (DATA or SCALE)
ablation-offset: $(NEEDS)  ## The initial r of MoChA's monotonic energy (DATA or SCALE)
matcha: $(NEEDS)  ## Appendix C, chunks from stop to stop against MoChA and monotonic (DATA or SCALE)
wsj $(ABLATIONS) matcha:
	$(RUN) $(FILE) $(ON) $(RUN_OPTIONS)

noise: $(READY)  ## Why hard decoding fails: noise, gain and r against what the head leaves undecided
reordering: $(READY)  ## How much reordering each mechanism can express: soft, monotonic, MoChA of four w, MAtChA
noise reordering:
	$(RUN) experiments/$@.yaml $(RUN_OPTIONS)

documentation: $(DOCS)  ## Summaries of API documentation, which pip brings: soft, monotonic, MoChA, none
	$(RUN) experiments/documentation.yaml $(RUN_OPTIONS)

# The hub has the data where no folder is named; the small one reads API documentation then.
ifeq ($(SCALE),small)
NEWS_NEEDS := $(if $(DATA),$(READY),$(DOCS))
NEWS_FROM := $(if $(DATA),--set data.class_path=mocha_lightning.data.CnnDailyMail $(SOURCE))
else
NEWS_NEEDS := $(READY)
NEWS_FROM := $(if $(DATA),--set $(SOURCE))
endif

cnn_dailymail: $(NEWS_NEEDS)  ## Table 2 at the paper's size, from the hub or DATA=folder; make cnn_dailymail SCALE=small
	$(RUN) $(FILE) $(NEWS_FROM) $(RUN_OPTIONS)

# The same command goes on where it stood, and in another terminal it works beside the first.
SEEK := $(BIN)/mocha-lightning sweep
SEEK_OPTIONS = $(RUN_OPTIONS) $(if $(TRIALS),--trials $(TRIALS))
TWIN := $(if $(filter small,$(SCALE)),-small)
sweep-speech: $(NEEDS)  ## Seek r and w of MoChA, then r of monotonic (DATA=folder of the LDC's disks, or SCALE=small)
	$(SEEK) sweeps/speech-mocha$(TWIN).yaml $(ON) $(SEEK_OPTIONS)
	$(SEEK) sweeps/speech-monotonic$(TWIN).yaml $(ON) $(SEEK_OPTIONS)

sweep-summarization: $(NEWS_NEEDS)  ## The same on summaries, from the hub or DATA=folder; SCALE=small reads API documentation
	$(SEEK) sweeps/summarization-mocha$(TWIN).yaml $(NEWS_FROM) $(SEEK_OPTIONS)
	$(SEEK) sweeps/summarization-monotonic$(TWIN).yaml $(NEWS_FROM) $(SEEK_OPTIONS)

sweep-grids: $(READY)  ## Every r, then every w, with three seeds each, on synthetic speech
	$(SEEK) sweeps/speech-offset-small.yaml $(SEEK_OPTIONS)
	$(SEEK) sweeps/speech-chunk-size-small.yaml $(SEEK_OPTIONS)

STUDY = $(firstword $(STORAGE) $(addprefix sqlite:///,$(wildcard runs/$(SWEEP)/study.db)) $(wildcard runs/$(SWEEP)/study.journal))
optuna-dashboard: $(if $(STUDY),$(OPTUNA),no-study)  ## A sweep as it goes, in a browser: make optuna-dashboard SWEEP=name
	$(BIN)/optuna-dashboard $(call quoted,$(STUDY))

no-study:
	@echo "error: runs/$(SWEEP) has no study: name a sweep (SWEEP=), or its database (STORAGE=)" >&2; exit 2

# What fails keeps nothing else from being done; the same command goes on with what is left.
ALSO := $(MAKE) --no-print-directory
reproduce: $(NEEDS)  ## All of the paper and a page over it: SCALE=small (3 hours), or SCALE=paper DATA=disks NEWS=folder
	@status=0; \
	for each in wsj $(ABLATIONS) matcha; do $(ALSO) $$each SCALE=$(SCALE) || status=1; done; \
	$(ALSO) cnn_dailymail SCALE=$(SCALE) DATA='$(subst ','\'',$(NEWS))' || status=1; \
	for each in documentation reordering noise parameters schematic speed; do \
		$(ALSO) $$each SCALE= DATA= || status=1; \
	done; \
	$(BIN)/mocha-lightning index || status=1; exit $$status

no-data:
	@echo "error: $(MAKECMDGOALS) needs data: make $(firstword $(MAKECMDGOALS)) DATA=folder (make help says of what)" >&2; exit 2

compare: $(READY)  ## Two variants by every test: make compare A=mocha_w2 B=soft EXPERIMENT=demo
	$(BIN)/mocha-lightning compare -- $(foreach each,EXPERIMENT A B,$(if $($(each)),$(call quoted,$($(each)))))

aa: $(READY)  ## One variant against itself, 160 short runs: the p values of 20 comparisons without an effect
	$(RUN) experiments/aa.yaml --seeds $(shell seq 0 159) $(if $(JOBS),--jobs $(JOBS)) --wandb disabled
	$(BIN)/mocha-lightning aa aa

sync: $(READY)  ## Upload to Weights & Biases what was kept offline in runs/ (needs `wandb login`)
	$(BIN)/mocha-lightning sync

dashboard: $(DASHBOARDS)  ## A workspace and a report at W&B: make dashboard EXPERIMENT=demo (OFFLINE=1 writes files)
	$(BIN)/mocha-lightning dashboard $(call quoted,$(EXPERIMENT)) $(if $(OFFLINE),--offline)

view: $(READY)  ## The W&B runs of an experiment in the terminal, without an account: make view EXPERIMENT=demo
	@$(BIN)/mocha-lightning view $(call quoted,$(EXPERIMENT))

# For who keeps the results, from a commit without changes; what has no runs here stays published.
published: $(READY)  ## Write reports/published and the tables of README and docs anew, from all that is in runs/
	$(BIN)/mocha-lightning aa $(if $(wildcard runs/aa),aa,reports/published/aa) --reports reports/published
	$(BIN)/mocha-lightning parameters experiments/wsj.yaml experiments/cnn_dailymail.yaml --reports reports/published
	$(BIN)/mocha-lightning schematic --reports reports/published
	$(BIN)/mocha-lightning index --reports reports/published
	$(BIN)/python reports/readme.py

parameters: $(READY)  ## How many parameters the models of Tables 1 and 2 have, part by part
	$(BIN)/mocha-lightning parameters experiments/wsj.yaml experiments/cnn_dailymail.yaml

schematic: $(READY)  ## The paper's Figure 1, drawn from the mechanisms' own hard decoding
	$(BIN)/mocha-lightning schematic

speed: $(READY)  ## The paper's speed benchmark: attention alone, in compiled code (4 minutes, on a quiet machine)
	$(BIN)/mocha-lightning speed

benchmark: $(READY)  ## How long alignments, training steps, hard decoding and streaming take (5 minutes)
	@echo "Four benchmarks, on one thread; together about five minutes where nothing else runs."
	@for each in alignments training_step hard_decoding streaming; do $(BIN)/python benchmarks/$$each.py || exit; done

test: $(TESTED)  ## Run the tests
	@# More than there may be cores: many tests wait for processes of their own. Hundreds of these
	@# would compile the same files if none kept what it compiled, and these the same kernels.
	$(BIN)/python -c 'import mocha_lightning.attention'
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --numprocesses 3 --dist worksteal --durations 10

lint: $(READY)  ## Check style (ruff) and types (mypy)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## Rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Remove the virtual environment and tool caches (never runs/, reports/ or cache/)
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache *.egg-info
