"""Axe and narrow screens for states whose way there writes (tests/browser/test_axe.py).

Each finds the world as it was made. The rows of the one before are put back, and its session is
ended before that, so that nothing its page still sends can reach them.
"""

from types import SimpleNamespace

import pytest

from tests.browser.helpers import Requests, check_page, session_cookies
from tests.browser.shared import KeptWorld, Windows, end_sessions
from tests.browser.test_axe import WRITING


@pytest.fixture(scope="module")
def scene(chromium, server, connections_of_server, django_db_blocker):
    chromium.running()  # with Playwright's loop this thread gets another connection
    with django_db_blocker.unblock():
        kept, windows = KeptWorld(), Windows(chromium, server)
        try:
            with Requests() as requests:
                yield SimpleNamespace(kept=kept, windows=windows, requests=requests)
            windows.close()
            connections_of_server.wait_for_end()
        finally:
            kept.end()


@pytest.fixture
def world(scene):
    yield scene.kept.of_one_test()
    end_sessions(scene.requests)
    scene.kept.bring_back()


@pytest.mark.parametrize(
    ("persona", "go"), [row[1:] for row in WRITING], ids=[row[0] for row in WRITING]
)
def test_state(browser, scene, world, persona, go):
    with scene.windows.lend(persona, session_cookies(world.people[persona])) as page:
        go(page, world)
        check_page(page)
