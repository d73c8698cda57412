"""A world that many tests share, and a window for each person who looks at it."""

import copy
from contextlib import contextmanager

from django.db import connection
from django.test import TransactionTestCase
from playwright.sync_api import Error

from accounts.models import Session
from tests import emptying
from tests.browser.conftest import open_window
from tests.browser.helpers import PROBLEMS, forget_complaints, session_cookies
from tests.world import make_world

# Nothing stays of a page, and nothing that it sends or keeps as it is left meets the next test.
LEAVE = """async () => {
  await fetch("/static/img/mark.svg", { cache: "no-store" });
  globalThis.fetch = () => new Promise(() => {});
  for (const store of [localStorage, sessionStorage]) store.clear();
  Storage.prototype.setItem = () => {};
}"""


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


def empty_all():
    """Leave no row, and no connection, behind when the tests of a module are over."""
    emptying.empty(TransactionTestCase())
    connection.close()


class KeptWorld:
    """A world that is as it was made whenever it is brought back."""

    def __init__(self):
        self.made, self.kept = make_world(), emptying.can_delete_all(connection)
        if self.kept:
            emptying.keep_rows()

    def of_one_test(self):
        """Return rows that a test may change without changing those of the next."""
        return copy.deepcopy(self.made)

    def bring_back(self):
        if self.kept:
            emptying.bring_rows_back()
        else:
            emptying.empty(TransactionTestCase())
            self.made = make_world()

    def end(self):
        if self.kept:
            emptying.forget_rows()
        empty_all()


class Windows:
    """A window for each person of a world; opened anew where one was lost."""

    def __init__(self, chromium, server):
        self.chromium, self.server, self.pages, self.lost = chromium, server, {}, []

    @contextmanager
    def lend(self, persona, cookies):
        """Yield the window as if it were new, and fail on what its console complained of.

        Where anything fails the next test gets another.
        """
        page = self._of(persona)
        try:
            page.context.add_cookies(cookies)
            yield page
            problems = list(PROBLEMS[page])
            self._clear(page)
        except BaseException:
            self.lost.append(self.pages.pop(persona))
            raise
        assert not problems, "the browser complained:\n" + "\n".join(problems)

    def _of(self, persona):
        page = self.pages.get(persona)
        if page is None or page.is_closed() or not page.context.browser.is_connected():
            page = self.pages[persona] = open_window(self.chromium.running(), self.server)
        return page

    def _clear(self, page):
        page.unroute_all(behavior="wait")
        try:
            page.evaluate(LEAVE)
        except Error:  # the page went on by itself meanwhile
            page.evaluate(LEAVE)
        page.goto("about:blank")
        page.context.clear_cookies()
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light")
        forget_complaints(page)

    def close(self):
        for page in (*self.pages.values(), *self.lost):
            PROBLEMS.pop(page, None)
            if page.context.browser.is_connected():
                page.context.close()


def end_sessions(requests):
    """Let no request of a page that is left reach the rows any more; wait for those that have."""
    Session.objects.all().delete()
    requests.wait_for_end()


def cookies_of_all(world):
    return {persona: session_cookies(user) for persona, user in world.people.items()}
