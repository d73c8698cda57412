"""What a process loads when it starts: commands and pages only what they need."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import run_checks
from django.core.management import get_commands, load_command_class
from django.urls import get_resolver

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
OURS = {"accounts", "annotation", "config", "demo", "operations", "validation", "wikipedia"}
# What apps register: the modules that bring it, and a few of what these need.
REGISTERED = {
    "config.protocols",
    "annotation.extension",
    "annotation.generation.stage",
    "validation.agreement.project_report",
    "evaluation.extension",
    "modeling.extension",
    "modeling.training",
    "natural_questions.extension",
    "qampari.making",
    "qampari.extension",
    "demo.tour",
}
# Pages, the API, sign-in, the queue, Wikipedia and figures: tenths of a second each.
FORBIDDEN_IN_COMMANDS = [
    "config.urls",
    "config.celery",
    "celery",
    "kombu",
    "rest_framework.views",
    "rest_framework.serializers",
    "drf_spectacular.openapi",
    "allauth.account.views",
    "lxml",
    "nh3",
    "markdown_it",
    "tantivy",
    "libzim",
    "requests",
    "numpy",
    "scipy",
    "sklearn",
]
# What writes data, and libraries for that: only once there is something to write.
WRITING = {
    "annotation.exports.dataset",
    "annotation.exports.forms",
    "annotation.stages.registry",
    "annotation.sheets.sheet",
    "validation.release.services",
    "modeling.base",
    "django_filters",
    "isal",
    "jinja2",
    "packaging",
}


def loaded_by(program, *arguments):
    """Return the names of the modules in a process of its own that has run the program."""
    code = f"""
import json, sys
try:
    {program}
finally:
    print(json.dumps(sorted(sys.modules)))
"""
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, timeout=60
    )
    return set(json.loads(ended.stdout.splitlines()[-1]))


@pytest.mark.parametrize(("command", "app"), [("export", "annotation"), ("release", "validation")])
def test_a_command_loads_no_pages_no_queue_and_no_libraries_of_other_work(command, app):
    modules = loaded_by(
        "import manage; manage.main()", command, "no-such-project", "--format=ambignq", "--output=-"
    )

    assert {"annotation.models", f"{app}.management.commands.{command}"} <= modules
    assert not modules & set(FORBIDDEN_IN_COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "no-such-project", "--format=ambignq", "--output=-"],
        ["release", "no-such-project", "--format=ambignq", "--output=-"],
        ["create_admin", "--help"],
        ["--help"],
    ],
)
def test_a_command_that_needs_nothing_that_apps_register_loads_none_of_it(arguments):
    modules = loaded_by("import manage; manage.main()", *arguments)

    assert {"annotation.models", "modeling.models", "qampari.models"} <= modules
    assert not modules & (REGISTERED | WRITING | set(FORBIDDEN_IN_COMMANDS))


def test_a_command_loads_only_the_kinds_of_what_apps_register_that_it_asks_for():
    modules = loaded_by("import manage; manage.main()", "create_project", "--help")

    assert {"config.protocols", "validation.agreement.project_report"} <= modules
    assert not modules & {f"{app}.extension" for app in OURS | {"evaluation", "modeling"}}


def test_a_worker_loads_what_apps_register_before_its_first_job():
    modules = loaded_by(
        "import config.celery; import django; django.setup(); "
        "config.celery.worker_init.send(sender=None)"
    )

    assert modules >= REGISTERED


def test_scoring_loads_no_framework_and_no_large_library():
    modules = loaded_by(
        "from metrics import cli; cli.main(sys.argv[1:], prog='score')",
        *("ambigqa", "--references", "no-such-file", "--predictions", "no-such-file"),
    )

    assert {"metrics.ambigqa", "metrics.inputs.ambigqa"} <= modules
    assert not modules & {"django", "numpy", "orjson", "isal", "dataclasses", "shutil"}


def test_pages_load_what_every_page_needs_before_the_first_request():
    modules = loaded_by("import config.wsgi")

    assert {"config.urls", "rest_framework.views", "lxml.html", "tantivy", "celery"} <= modules
    assert modules >= REGISTERED
    assert not modules & {"celery.bin.celery", "numpy", "libzim.writer", "demo.loading"}


def test_no_command_of_ours_checks_the_program_first():
    """Django's checks load every page."""
    own = {name: app for name, app in get_commands().items() if app in OURS}

    assert {"export", "release", "worker", "demo", "add_wiki"} <= set(own)
    for name, app in own.items():
        assert load_command_class(app, name).requires_system_checks == [], name


def test_the_checks_find_nothing():
    """They are not run when a process starts, so they are run here, over the admin's pages too."""
    assert get_resolver().url_patterns
    assert run_checks() == []
