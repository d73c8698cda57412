.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev
export PYTHONWARNINGS ?= default

.PHONY: help setup demo test check fix lock

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(RUN)/uv:
	$(PYTHON) -c 'import sys; sys.exit("Ambit needs Python 3.11 or newer; set PYTHON=python3.x") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(RUN)/pip install --quiet --disable-pip-version-check uv==0.13.8

$(INSTALLED): requirements.txt | $(RUN)/uv
	$(RUN)/uv pip install --quiet --python $(RUN)/python -r requirements.txt
	@touch $@

$(INSTALLED_DEV): requirements.txt requirements-dev.txt | $(RUN)/uv
	$(RUN)/uv pip install --quiet --python $(RUN)/python -r requirements-dev.txt
	@touch $@ $(INSTALLED)

setup: $(INSTALLED) ## Install what running Ambit needs into .venv

demo: setup ## Start everything with the demo project; Ctrl-C stops it
	@PYTHONWARNINGS=ignore $(RUN)/python manage.py demo

test: $(INSTALLED_DEV) ## Run every test
	$(RUN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

check: $(INSTALLED_DEV) ## Run every static check, as CI does
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/codespell
	$(RUN)/python docs/words.py
	$(RUN)/djade --check $$(git ls-files 'templates/*.html')
	$(RUN)/python manage.py makemigrations --check --dry-run
	$(RUN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null
	SECRET_KEY=$$($(RUN)/python -c 'import secrets; print(secrets.token_urlsafe(64))') \
	  HTTPS=True ALLOWED_HOSTS=ambit.example $(RUN)/python manage.py check --deploy --fail-level WARNING

fix: $(INSTALLED_DEV) ## Let the formatters mend what they can
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .
	$(RUN)/djade $$(git ls-files 'templates/*.html') || true

lock: $(INSTALLED_DEV) ## Compile the pinned requirements from pyproject.toml
	$(RUN)/uv pip compile --quiet --no-header --no-emit-index-url --no-annotate pyproject.toml -o requirements.txt
	$(RUN)/uv pip compile --quiet --no-header --no-emit-index-url --no-annotate --group dev -c requirements.txt pyproject.toml -o requirements-dev.txt
