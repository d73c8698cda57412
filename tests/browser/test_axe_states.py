"""Axe and narrow screens for states that a page is brought into (tests/browser/test_axe.py)."""

import pytest

from tests.browser.helpers import sign_in
from tests.browser.test_axe import STATES, check_page


@pytest.mark.parametrize(
    ("persona", "go"), [row[1:] for row in STATES], ids=[row[0] for row in STATES]
)
def test_state(page, world, persona, go):
    sign_in(page, world.people[persona])
    go(page, world)
    check_page(page)
