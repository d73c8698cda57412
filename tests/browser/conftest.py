"""A real Chromium against the real application, for tests under tests/browser.

    def test_something(page, world):
        sign_in(page, world.people["annotator"])
        page.goto("/projects/")                   # relative to the live server
        check_axe(page)

`page` is one window of one person; `new_page()` opens another person's window beside it. Any
console error, script error or violation of the content security policy fails the test when it
ends; what a test provokes on purpose it allows first: `allow_problem(page, "status of 409")`.
Import `sign_in`, `check_axe`, `check_reflow` and `allow_problem` from tests.browser.helpers.
"""

import functools
import os
import shutil
from contextlib import suppress

import psutil
import pytest
from django.conf import settings
from playwright.sync_api import Error, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests import limit
from tests.browser.helpers import PROBLEMS, Connections, watch
from tests.browser.slow import TIMEOUT, delay_scripts, slow_down
from tests.world import make_world

ARGUMENTS = [
    "--no-sandbox",  # Chromium refuses to run as root with its sandbox
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Each window would start a hidden page for the address bar, which takes a third of a test's
    # time. The option counts once, so what Playwright leaves out is named here again.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,"
    "ThirdPartyStoragePartitioning,OptimizationHints,NetworkTimeServiceQuerying,"
    "PreconnectToSearch,"
    # With it Chromium forgets to close a page that is loading anew, and the test waits for ever
    # (github.com/microsoft/playwright/issues/42068).
    "RenderDocument",
]

expect.set_options(timeout=TIMEOUT)


def pytest_collection_modifyitems(items):
    """Everything here drives a browser."""
    for item in items:
        if "tests/browser/" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@functools.cache
def find_problem() -> str | None:
    """Say why no browser can be used here; None where one starts. Asked once in each process."""
    path = chromium_path()
    with sync_playwright() as playwright:
        try:
            playwright.chromium.launch(executable_path=path, args=ARGUMENTS).close()
        except Error as error:
            if path is None:
                return "no Chromium was found: neither on PATH nor Playwright's own"
            return f"Chromium does not start ({path}): {str(error).strip().splitlines()[0]}"
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Skip before anything is made for a test that no browser can run."""
    if problem := find_problem():
        pytest.skip(problem)


def chromium_path() -> str | None:
    """Return where Debian's Chromium is; None where only Playwright's own can be there.

    The one without windows takes half the time for a page.
    """
    found = map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))
    return next(filter(None, found), None)


@pytest.fixture(scope="session", autouse=True)
def static_root():
    """WhiteNoise warns of a missing folder; the live server reads static files in place."""
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)


class Chromium:
    """One Chromium for all tests here: Debian's when it is on PATH, else Playwright's own."""

    def __init__(self):
        self.playwright = self.browser = None

    def running(self):
        """Return the browser; it is started when there is none."""
        if self.browser is None:
            self.playwright = sync_playwright().start()
            self.browser = self.playwright.chromium.launch(
                executable_path=chromium_path(), args=ARGUMENTS
            )
        return self.browser

    def kill(self):
        """End it at once, where it may no longer answer. What waits for it fails."""
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it may have ended since it was listed
                if process.name().startswith(("chrom", "node")):
                    process.kill()
        self.stop()

    def stop(self):
        playwright, self.playwright, self.browser = self.playwright, None, None
        if playwright:
            playwright.stop()


@pytest.fixture(scope="package")
def chromium():
    # Playwright's loop runs in this thread, which Django takes for asynchronous code.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    chromium = Chromium()
    try:
        yield chromium
        if chromium.browser:
            chromium.browser.close()
    finally:
        chromium.stop()
        if before is None:
            del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
        else:
            os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture
def browser(chromium, request):
    """The browser; the next test gets another where this one had to be ended."""
    yield chromium.running()
    if limit.CUT in request.node.stash:
        chromium.kill()


@pytest.fixture(scope="session")
def server(plain_settings, django_db_setup):
    """The application at a real address. What it shows must be committed: ask for `world`,
    `transactional_db` or what a module shares."""
    server = LiveServer("localhost")
    delay_scripts(server.thread.httpd)
    server._live_server_modified_settings.enable()
    yield server
    server._live_server_modified_settings.disable()
    server.stop()


@pytest.fixture(scope="session")
def connections_of_server(server):
    """Counts from the first page on."""
    return Connections(server.thread.httpd)


def open_window(browser, server, **options):
    """Open a window with cookies of its own, whose complaints are collected."""
    defaults = {
        "base_url": server.url,
        "viewport": {"width": 1280, "height": 900},
        "reduced_motion": "reduce",
        "locale": "en-GB",
    }
    context = browser.new_context(**defaults | options)
    context.set_default_timeout(TIMEOUT)
    page = watch(context.new_page())
    slow_down(page)
    return page


@pytest.fixture
def new_page(request, browser, server, connections_of_server, transactional_db):
    """Open windows, each with cookies of its own; fails on what their consoles complained of."""
    contexts = []

    def open_page(**options):
        page = open_window(browser, server, **options)
        contexts.append(page.context)
        return page

    yield open_page
    problems = [
        problem
        for context in contexts
        for page in context.pages
        for problem in PROBLEMS.pop(page, [])
    ]
    if limit.CUT in request.node.stash:
        return  # it may not answer
    for context in contexts:
        context.close()
    connections_of_server.wait_for_end()
    assert not problems, "the browser complained:\n" + "\n".join(problems)


@pytest.fixture
def page(new_page):
    """One window, signed out."""
    return new_page()


@pytest.fixture
def world(transactional_db):
    """The rows of tests.world, visible to the live server."""
    return make_world()
