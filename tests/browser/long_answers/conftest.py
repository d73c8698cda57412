"""Somebody who writes a long answer over the demo archive."""

import pytest
from django.utils import timezone

from tests import archives, factories
from tests.annotation.long_answers import helpers
from tests.browser.helpers import sign_in


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    return folder


@pytest.fixture
def project(transactional_db, settings, demo_folder):
    """A project of long answers over the demo archive."""
    snapshot = archives.use(settings, demo_folder, demo_folder / "demo.zim", "demo")
    return helpers.make_project(snapshot=snapshot)


@pytest.fixture
def writer(project):
    return factories.make_member(project, "annotator", name="Ann Ash")


@pytest.fixture
def work(project, writer):
    """A long answer to be written."""
    now = timezone.now()
    helpers.open_question(project, now)
    return helpers.take(project, writer, now)


@pytest.fixture
def page(page, work, writer):
    page.set_viewport_size({"width": 1440, "height": 900})
    sign_in(page, writer)
    page.goto(f"/work/{work.pk}/")
    page.locator("#selection-bar[data-ready]").wait_for(state="attached")
    return page
