"""What browser tests do again and again."""

import functools
import json
import socket
import threading
import time

from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.db import connection
from django.test import Client

from tests.browser.slow import TIMEOUT

PROBLEMS = {}
_allowed = {}


def watch(page):
    """Collect what the page's console complains of, CSP violations included."""
    problems = PROBLEMS.setdefault(page, [])
    allowed = _allowed.setdefault(page, [])

    def note(kind, text):
        # The browser itself complains of a request that failed; htmx says it once more.
        if text.startswith(("htmx:afterRequest", "htmx:sendError")):
            return
        if not any(part in text for part in allowed):
            problems.append(f"{kind} at {page.url}: {text}")

    page.on("console", lambda message: message.type == "error" and note("console", message.text))
    page.on("pageerror", lambda error: note("script error", str(error)))
    return page


def allow_problem(page, part):
    """Expect console errors that contain `part`, such as "status of 409"."""
    _allowed[page].append(part)


def forget_complaints(page):
    """Forget what a page complained of and what was allowed, before another test uses it."""
    PROBLEMS[page].clear()
    _allowed[page].clear()


def sign_in(page, user):
    """Sign somebody in by session cookie; None signs out."""
    page.context.clear_cookies()
    page.context.add_cookies(session_cookies(user))


def session_cookies(user):
    """Begin a session of somebody; return its cookie for a window, and none for None."""
    if user is None:
        return []
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return [
        {
            "name": name,
            "value": client.cookies[name].value,
            "domain": "localhost",
            "path": "/",
            "httpOnly": True,
            "sameSite": "Lax",
        }
    ]


AXE = """([context, options]) =>
  axe.run(context ?? document, options).then(({ violations }) => violations)"""


@functools.cache
def axe_script():
    return Axe().axe_script


def check_axe(page, *, context=None, label="", rules=None):
    """Fail with a readable list when axe finds anything: by every rule, best practices too, or by
    those that are named."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    if not page.evaluate("'axe' in globalThis"):  # half a megabyte, once for a page
        page.evaluate(axe_script())
    violations = page.evaluate(AXE, [context, options])
    lines = []
    for violation in violations:
        lines.append(f"{violation['id']} ({violation['impact']}): {violation['help']}")
        for node in violation["nodes"]:
            why = node["failureSummary"].replace("\n", " ")
            lines.append(f"    {json.dumps(node['target'])}  {node['html'][:160]}\n      {why}")
    assert not violations, f"axe on {page.url} {label}\n" + "\n".join(lines)


def check_reflow(page, width=320):
    """Fail when the page scrolls sideways on a narrow screen (WCAG 1.4.10)."""
    before = page.viewport_size
    page.set_viewport_size({"width": width, "height": 800})
    wide = page.evaluate(
        """(width) => document.scrollingElement.scrollWidth <= width ? [] :
          [...document.querySelectorAll("body *")]
            .filter((node) => node.getBoundingClientRect().right > width + 0.5)
            .map((node) => `${node.localName}.${node.getAttribute("class")}`)
            .slice(0, 12)""",
        width,
    )
    scroll = page.evaluate("document.scrollingElement.scrollWidth")
    page.set_viewport_size(before)
    assert scroll <= width, f"{page.url} is {scroll} px wide on {width} px: {', '.join(wide)}"


def check_page(page):
    """Axe by all rules in light; the theme changes colours alone, so by contrast in dark."""
    page.wait_for_load_state()
    assert page.locator("h1").first.is_visible()  # what has no size, axe passes over
    page.emulate_media(color_scheme="light")
    check_axe(page, label="light")
    page.emulate_media(color_scheme="dark")
    check_axe(page, label="dark", rules=["color-contrast"])
    check_reflow(page)


class Connections:
    """The connections of browsers to the live server, counted as it accepts and ends them.

    A test's end empties all tables, which meets every request that is still under way.
    """

    def __init__(self, httpd):
        self.address, self.count, self.changed = httpd.server_address, 0, threading.Condition()
        accept, serve = httpd.process_request, httpd.process_request_thread

        def process_request(request, address):
            self._count(1)
            accept(request, address)

        def process_request_thread(request, address):
            try:
                serve(request, address)
            finally:
                self._count(-1)

        httpd.process_request, httpd.process_request_thread = (
            process_request,
            process_request_thread,
        )

    def _count(self, change):
        with self.changed:
            self.count += change
            self.changed.notify_all()

    def wait_for_end(self, seconds=30.0):
        """Wait until all are at their end; the browsers must be closed already."""
        # Connections are accepted in turn: once this one is answered, all before it are counted.
        with socket.create_connection(self.address, timeout=seconds) as last:
            last.sendall(b"GET /static/img/mark.svg HTTP/1.0\r\nHost: localhost\r\n\r\n")
            while last.recv(65536):
                pass
        with self.changed:
            ended = self.changed.wait_for(lambda: self.count == 0, seconds)
        assert ended, f"the live server still has {self.count} connections after {seconds:.0f} s"


class Requests:
    """The requests that are being answered, by the live server or a client of Django."""

    def __init__(self):
        self.count, self.changed = 0, threading.Condition()

    def __enter__(self):
        request_started.connect(self._begin)
        request_finished.connect(self._end)
        return self

    def __exit__(self, *_):
        request_started.disconnect(self._begin)
        request_finished.disconnect(self._end)

    def _begin(self, **_):
        with self.changed:
            self.count += 1

    def _end(self, **_):
        with self.changed:
            self.count -= 1
            self.changed.notify_all()

    def wait_for_end(self, seconds=30.0):
        with self.changed:
            ended = self.changed.wait_for(lambda: self.count == 0, seconds)
        assert ended, f"{self.count} requests are not answered after {seconds:.0f} s"


def becomes(page, look, wanted):
    """Wait until `look()` gives what is wanted: rows of the live server, or what scripts know."""
    end = time.monotonic() + TIMEOUT / 1000
    while (seen := look()) != wanted and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert seen == wanted


def arrived(page, part):
    """Wait for a part of the page that a press leads to, and until that page's scripts run.

    What is typed before they run is kept by the browser, but a key does nothing.
    """
    part.wait_for(state="attached")
    page.wait_for_load_state()


def time_passes(page, milliseconds):
    """Move the time of a page on, in which `page.clock.install()` was called, and wait until what
    it sends then is on its way: what it must not send would be there."""
    page.clock.run_for(milliseconds)
    page.evaluate("() => fetch('/static/img/mark.svg', { cache: 'no-store' }).then(() => null)")


def runs(page, script):
    """Wait until a script below static/js runs that the page loads only when it needs it."""
    loaded = """(script) => performance.getEntriesByType("resource")
      .some(({ name }) => new URL(name).pathname.endsWith(`/${script}`))"""
    page.wait_for_function(loaded, arg=script)
    page.evaluate("(script) => import(`/static/js/${script}`).then(() => true)", script)


def settle(seconds=TIMEOUT / 2000):
    """Wait until the live server is done with what pages have sent so far."""
    quiet, end = 0, time.monotonic() + seconds
    while quiet < 3 and time.monotonic() < end:
        time.sleep(0.05)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            quiet = 0 if cursor.fetchone()[0] else quiet + 1
