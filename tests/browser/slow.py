"""A slow machine for browser tests, to find those that do not wait (CONTRIBUTING.md)."""

import os
import time

# How many times slower the browser's processor is, and how many milliseconds later scripts come.
PROCESSOR = float(os.environ.get("AMBIT_SLOW_BROWSER") or 1)
DELAY = float(os.environ.get("AMBIT_SLOW_SCRIPTS") or 0)
# How long tests wait for what a page shows, in milliseconds.
TIMEOUT = 10_000 * max(PROCESSOR, 1 + DELAY / 100)


def slow_down(page):
    """Slow the processor of a window, if the environment asks for it; popups keep their speed."""
    if PROCESSOR != 1:
        protocol = page.context.new_cdp_session(page)
        protocol.send("Emulation.setCPUThrottlingRate", {"rate": PROCESSOR})


def delay_scripts(httpd):
    """Let a server wait before each script.

    Not Chromium's emulation of a slow network, which would undo that of none (`set_offline`).
    """
    application = httpd.get_app()

    def later(environ, start_response):
        if environ["PATH_INFO"].endswith(".js"):
            time.sleep(DELAY / 1000)
        return application(environ, start_response)

    if DELAY:
        httpd.set_app(later)
