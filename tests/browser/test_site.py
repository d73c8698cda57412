"""The site of docs/ as Sphinx builds it: its search works from the disk, and axe finds nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.helpers import check_axe, check_reflow

ROOT = Path(__file__).resolve().parents[2]
FRONT = "# Front\n\n```{toctree}\n:caption: Reference\npay\n```\n"
PAY = (
    "# Pay\n\nThe ledger keeps every entry.\n\n## Entries\n\n| kind | amount |\n| --- | --- |\n"
    "| bonus | `1.50` |\n\n```text\nusage: manage.py pay\n```\n\n[To the front](index.md)\n\n"
)
PAY += f"| {' | '.join('abcdefghijkl')} |\n|{' --- |' * 12}\n|{' wide |' * 12}\n"
PAY += f"\n```text\n{'--option VALUE ' * 30}\n```\n"


@pytest.fixture(scope="module")
def small_site(tmp_path_factory):
    """Two pages, with the configuration and theme of the whole site."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    (source / "docs").mkdir()
    (source / "docs/index.md").write_text(FRONT, encoding="utf-8")
    (source / "docs/pay.md").write_text(PAY, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-n", "-c", str(ROOT / "docs")]
    subprocess.run([*command, str(source), str(built)], check=True)
    return built


@pytest.fixture
def window(browser):
    window = browser.new_page()
    yield window
    window.close()


def test_search_works_from_the_disk(small_site, window):
    window.goto(f"{(small_site / 'search.html').as_uri()}?q=ledger")
    expect(window.locator("#search-results li a").first).to_have_text("Pay")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_axe_finds_nothing(small_site, window, scheme, width):
    window.emulate_media(color_scheme=scheme)
    window.set_viewport_size({"width": width, "height": 900})
    window.goto((small_site / "docs/pay.html").as_uri())
    check_axe(window)
    check_reflow(window)
