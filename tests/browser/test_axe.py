"""Every page, in light and dark and at 320 px: axe finds nothing, nothing scrolls sideways.

The pages are listed in tests/browser/pages, one module for each part of the product. Add a line
to PAGES of one for each page you write: a name, who looks, and the address built from tests.world
(add the rows your page needs there). Where a page has states worth checking (a dialog open, an
error summary), give the third element more: a function of (page, world) that goes there and brings
the page into the state.

Pages with an address are only looked at. They share one world, which no page can write to, and
one window for each person; one that writes as it is opened is `alone(url(...))`. States have a
world of their own.
"""

from contextlib import contextmanager

import psycopg2
import pytest
from django.db import connection
from django.test import TransactionTestCase

from tests import emptying
from tests.browser.conftest import open_window
from tests.browser.helpers import PROBLEMS, check_axe, check_reflow, session_cookies
from tests.browser.pages import PAGES
from tests.world import make_world

pytestmark = pytest.mark.django_db
LOOKS = [row for row in PAGES if row[2].__code__.co_argcount == 1]
STATES = [row for row in PAGES if row[2].__code__.co_argcount == 2]


def check_page(page):
    """Axe by all rules in light; the theme changes colours alone, so by contrast in dark."""
    page.wait_for_load_state()
    assert page.locator("h1").first.is_visible()  # what has no size, axe passes over
    page.emulate_media(color_scheme="light")
    check_axe(page, label="light")
    page.emulate_media(color_scheme="dark")
    check_axe(page, label="dark", rules=["color-contrast"])
    check_reflow(page)


@contextmanager
def read_only():
    """Refuse what new connections write; this one, which made the world, can still sign in."""
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        try:
            yield
        finally:
            cursor.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")


class Windows:
    """A window for each person, who signs in once; opened anew where one was lost."""

    def __init__(self, chromium, server, world):
        self.chromium, self.server, self.world, self.pages = chromium, server, world, {}
        self.cookies = {who: session_cookies(user) for who, user in world.people.items()}

    def of(self, persona):
        page = self.pages.get(persona)
        if page is None or page.is_closed() or not page.context.browser.is_connected():
            page = self.pages[persona] = open_window(self.chromium.running(), self.server)
            page.context.add_cookies(self.cookies[persona])
        return page

    def close(self):
        for page in self.pages.values():
            PROBLEMS.pop(page, None)
            page.context.close()


@pytest.fixture(scope="module")
def windows(chromium, server, connections_of_server, django_db_blocker):
    chromium.running()  # with Playwright's loop this thread gets another connection
    with django_db_blocker.unblock():
        world = make_world()
        windows = Windows(chromium, server, world)
        try:
            with read_only():
                yield windows
                windows.close()
                connections_of_server.wait_for_end()
        finally:
            emptying.empty(TransactionTestCase())


@pytest.mark.parametrize(
    ("persona", "address"), [row[1:] for row in LOOKS], ids=[row[0] for row in LOOKS]
)
def test_page(browser, windows, persona, address):
    page = windows.of(persona)
    response = page.goto(address(windows.world))
    assert response.status < 400, f"{page.url} answers {response.status}"
    check_page(page)
    problems, PROBLEMS[page][:] = list(PROBLEMS[page]), []
    assert not problems, "the browser complained:\n" + "\n".join(problems)


def test_no_page_that_is_looked_at_can_write(windows):
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
