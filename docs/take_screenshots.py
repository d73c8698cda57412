"""Take the pictures of the README from a running demo: python docs/take_screenshots.py URL.

Works as annotator1 on a fresh demo; the password is read from AMBIT_DEMO_PASSWORD or from
AMBIT_DATA. Uses Debian's chromium when it is on PATH, else Playwright's own.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parent / "img"
DATA = Path(os.environ.get("AMBIT_DATA") or ".ambit")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def password() -> str:
    """Return the password of the demo's people."""
    return os.environ.get("AMBIT_DEMO_PASSWORD") or (DATA / "demo_password").read_text()


def sign_in(page: Page, base: str, login: str) -> None:
    """Sign one of the demo's people in."""
    page.goto(f"{base}/account/login/")
    page.get_by_label("E-mail address").fill(f"{login}@demo.localhost")
    page.get_by_label("Password").fill(password().strip())
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{base}/")


def work(page: Page, base: str) -> None:
    """Search, read and begin an answer."""
    sign_in(page, base, "annotator1")
    page.get_by_role("button", name="Take the next question").click()
    page.get_by_role("searchbox").fill("thames tunnel opening")
    page.keyboard.press("Enter")
    page.locator(".result a").first.click()
    page.locator("#article-title").wait_for()
    first = page.locator("textarea").first
    first.fill("When did the Thames Tunnel open to people on foot?")
    page.get_by_placeholder("As the page writes it").first.fill("25 March 1843")
    page.keyboard.press("Enter")
    page.locator("textarea").nth(1).fill("When did the Thames Tunnel open to trains")
    page.get_by_text("Saved").first.wait_for()
    page.wait_for_timeout(1500)
    page.screenshot(path=FOLDER / "work.png")


def project(page: Page, base: str) -> None:
    """The page of the project, as a researcher sees it."""
    sign_in(page, base, "researcher")
    page.goto(f"{base}/projects/demo/")
    page.screenshot(path=FOLDER / "project.png")


def main(base: str) -> None:
    """Take every picture."""
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=ARGUMENTS
        )
        for take in (work, project):
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            take(context.new_page(), base.rstrip("/"))
            context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000")
