"""Every page, in light and dark and at 320 px: axe finds nothing, nothing scrolls sideways.

The pages are listed in tests/browser/pages, one module for each part of the product. Add a line
to PAGES of one for each page you write: a name, who looks, and the address built from tests.world
(add the rows your page needs there). Where a page has states worth checking (a dialog open, an
error summary), give the third element more: a function of (page, world) that goes there and brings
the page into the state.

Pages and states are only looked at. They share one world, to which neither a page nor the way to a
state can write, and one window for each person. A page that writes as it is opened is
`alone(url(...))`, and a state whose way there writes is marked `@writes`: those find the world as
it was made, in tests/browser/test_axe_states.py.
"""

from types import SimpleNamespace

import psycopg2
import pytest
from django.db import connection

from tests.browser.helpers import check_page
from tests.browser.pages import PAGES
from tests.browser.shared import Windows, cookies_of_all, empty_all, read_only
from tests.world import make_world

pytestmark = pytest.mark.django_db
LOOKS = [row for row in PAGES if row[2].__code__.co_argcount == 1]
STATES = [row for row in PAGES if row[2].__code__.co_argcount == 2]
READING = [row for row in STATES if not hasattr(row[2], "writes")]
WRITING = [row for row in STATES if hasattr(row[2], "writes")]


@pytest.fixture(scope="module")
def scene(chromium, server, connections_of_server, django_db_blocker):
    """The world, a window for each person, and the cookies with which they have signed in."""
    chromium.running()  # with Playwright's loop this thread gets another connection
    with django_db_blocker.unblock():
        world = make_world()
        windows = Windows(chromium, server)
        try:
            with read_only():
                yield SimpleNamespace(world=world, windows=windows, cookies=cookies_of_all(world))
                windows.close()
                connections_of_server.wait_for_end()
        finally:
            empty_all()


@pytest.mark.parametrize(
    ("persona", "address"), [row[1:] for row in LOOKS], ids=[row[0] for row in LOOKS]
)
def test_page(browser, scene, persona, address):
    with scene.windows.lend(persona, scene.cookies[persona]) as page:
        response = page.goto(address(scene.world))
        assert response.status < 400, f"{page.url} answers {response.status}"
        check_page(page)


@pytest.mark.parametrize(
    ("persona", "go"), [row[1:] for row in READING], ids=[row[0] for row in READING]
)
def test_state(browser, scene, persona, go):
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")  # nor may the way there
    with scene.windows.lend(persona, scene.cookies[persona]) as page:
        go(page, scene.world)
        check_page(page)


def test_no_page_that_is_looked_at_can_write(scene):
    """A page that tries fails, which `test_page` sees."""
    parameters = connection.get_connection_params() | {"cursor_factory": None}
    server = psycopg2.connect(**parameters)
    try:
        cursor = server.cursor()
        cursor.execute("SHOW transaction_read_only")
        assert cursor.fetchone() == ("on",)
    finally:
        server.close()


def test_every_name_is_there_once():
    names = [row[0] for row in PAGES]
    assert len(names) == len(set(names))
