"""Fixtures every test may use. Personas: ann and ben annotate, rosa researches, ada
administers, stan is a stranger to the project."""

import datetime as dt
import gc
import itertools
import os
import sys
from collections import Counter
from pathlib import Path
from types import BuiltinMethodType, FunctionType, MethodType

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import DEFAULT_DB_ALIAS, connection
from django.template.backends import jinja2
from django.test import TransactionTestCase, override_settings
from django.test.signals import template_rendered
from django.test.utils import setup_databases, teardown_databases
from django.utils import timezone
from jinja2 import Environment

from annotation import registration
from tests import budget, emptying, factories
from tests.template import prepare_template

TransactionTestCase._fixture_teardown = emptying.empty
registration.make_all()  # as servers and workers do; some tests put other rows beside these
# How fast examples are found and tried depends on what else the machine does.
hypothesis.settings.register_profile(
    "ambit", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("ambit")

REALDATA = Path(os.environ.get("AMBIT_REALDATA") or "../shared/data").resolve()


@pytest.fixture(scope="session")
def realdata() -> Path:
    """The folder of real data sets; skips, saying so, where it is missing."""
    if not REALDATA.is_dir():
        pytest.skip(f"real data not found at {REALDATA}; set AMBIT_REALDATA")
    return REALDATA


_render = jinja2.Template.render


class Given(dict):
    """What a page is given: also what context processors add after the test's client has it."""

    def __copy__(self):
        return self


def _render_and_tell(self, context=None, request=None):
    """Draw a page and tell the test's client what it was given, as Django's own engine does."""
    context = Given(context or {})
    template_rendered.send(sender=self, template=self.template, context=context)
    return _render(self, context, request)


METHODS = (MethodType, BuiltinMethodType, FunctionType)


class Uncalled:
    """A method that a template has looked up: it can be called, and nothing else."""

    def __init__(self, method):
        self.method = method

    def __call__(self, *args, **kwargs):
        return self.method(*args, **kwargs)

    def refuse(self, *_):
        raise TypeError(f"A template uses {self.method} without calling it.")

    __bool__ = __str__ = __html__ = __iter__ = __len__ = __eq__ = __getitem__ = refuse
    __hash__ = None


_look_up = Environment.getattr


def _checked_look_up(self, value, name):
    found = _look_up(self, value, name)
    return Uncalled(found) if isinstance(found, METHODS) else found


@pytest.fixture(autouse=True, scope="session")
def watched_templates():
    """Let tests read `response.context`, and find methods that templates forget to call."""
    jinja2.Template.render = _render_and_tell
    Environment.getattr = _checked_look_up


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix, django_test_environment, django_db_blocker
):
    """Let the database of this process be a copy of one in which the migrations have run."""
    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = prepare_template()


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker, django_db_modify_db_settings):
    """Make the database of this process for whatever asks for it first.

    pytest-django looks for tests with its marker. Where a module alone made the rows of its tests,
    there was none, and they were written to the database of the settings.
    """
    with django_db_blocker.unblock():
        made = setup_databases(
            verbosity=0, interactive=False, aliases={DEFAULT_DB_ALIAS}, serialized_aliases=()
        )
    yield
    with django_db_blocker.unblock():
        teardown_databases(made, verbosity=0)


@pytest.fixture(autouse=True, scope="session")
def plain_settings():
    """Fast hashing, no manifest, a cache of this process; also for what a module makes once."""
    storages = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    with override_settings(
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        STORAGES=storages,
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        WHITENOISE_AUTOREFRESH=True,
    ):
        yield


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Folders for the files of tests, none of which is made before something is written there."""
    parent = tmp_path_factory.mktemp("files")
    return (parent / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_files(settings, folders):
    """Files of each test apart, and nothing of the tests before in the cache."""
    settings.MEDIA_ROOT = next(folders)
    cache.clear()  # it counts attempts to sign in


@pytest.fixture
def now() -> dt.datetime:
    """One moment for a whole test."""
    return timezone.now()


@pytest.fixture
def project(db):
    """A running AmbigQA project over a snapshot that needs no archive."""
    return factories.make_project()


@pytest.fixture
def ann(project):
    return factories.make_member(project, "annotator", name="Ann Archer")


@pytest.fixture
def ben(project):
    return factories.make_member(project, "annotator", name="Ben Baker")


@pytest.fixture
def val(project):
    return factories.make_member(project, "validator", name="Val Vance")


@pytest.fixture
def eve(project):
    return factories.make_member(project, "expert", name="Eve Elder")


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher", name="Rosa Reed")


@pytest.fixture
def ada(project):
    return factories.make_member(project, "admin", name="Ada Adler")


@pytest.fixture
def stan(db):
    return factories.make_user(name="Stan Stone")


@pytest.fixture
def client_as(client):
    """Sign somebody in: client_as(ann).get(...)."""

    def sign_in(user):
        client.force_login(user)
        return client

    return sign_in


# What makes the tests of a marker run, where what they need is missing.
COMMANDS = {
    "browser": "make browser",
    "redis": "make programs",
    "mediawiki": "make programs",
    "latex": "make programs",
    "guide": "make programs",
    "realdata": "AMBIT_REALDATA=FOLDER make test",
    "slow": "AMBIT_SLOW=1 make test",
}
# Tests that share a process of xdist need the same.
NEEDS_OF_GROUPS = {"worker": "process", "models": "models"}
NEEDS = {*COMMANDS, *NEEDS_OF_GROUPS.values(), "patience"}
LEFT_OUT = pytest.StashKey[dict[str, int]]()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Let no search for garbage go through the modules and tests: they stay until the end.

    While they are made it would take a quarter of the time, and a second each time later.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what a group needs before tests are chosen by their markers."""
    for item in items:
        for group in item.iter_markers("xdist_group"):
            if need := NEEDS_OF_GROUPS.get(group.args[0]):
                item.add_marker(need)
        if item.get_closest_marker("slow") and not os.environ.get("AMBIT_SLOW"):
            item.add_marker(pytest.mark.skip(reason="it takes minutes"))


def pytest_runtest_setup(item):
    """Let models compute in one thread.

    Processes of tests share the cores, and threads of one that wait for each other spin.
    CTranslate2 sets the number for all that follows in the process.
    """
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


def pytest_deselected(items):
    """Count what `make test-quick` leaves out, by the first need of each."""
    config = items[0].config
    if config.option.markexpr:
        needs = (sorted(NEEDS & item.keywords.keys()) for item in items)
        config.stash[LEFT_OUT] = Counter(found[0] for found in needs if found)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash.get(LEFT_OUT, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take over what a process of xdist left out: each leaves out the same."""
    if left_out := getattr(node, "workeroutput", {}).get("left_out"):
        node.config.stash[LEFT_OUT] = left_out


def pytest_terminal_summary(terminalreporter):
    """Say at the end what was slow, and what was not run and why: such a run has shown less."""
    stats = terminalreporter.stats
    reports = [each for kind in stats.values() for each in kind if hasattr(each, "duration")]
    for line in budget.name_slow_tests(reports, NEEDS):
        terminalreporter.write_line(line)
    for line in budget.name_left_out(terminalreporter.config.stash.get(LEFT_OUT, {})):
        terminalreporter.write_line(line, yellow=True)
    skipped = Counter(map(describe_skip, stats.get("skipped", ())))
    for (reason, command), count in skipped.most_common():
        line = f"{count} skipped: {reason}"
        terminalreporter.write_line(f"{line}. To run: {command}" if command else line, yellow=True)


def describe_skip(report):
    """Return why a test was skipped, and the command that would make it run ("" for none)."""
    reason = str(report.longrepr[2]).removeprefix("Skipped: ")
    commands = [COMMANDS[marker] for marker in COMMANDS if marker in report.keywords]
    return reason, commands[0] if commands else ""
