"""Every page, in light and dark and at 320 px: axe finds nothing, nothing scrolls sideways.

Add a line to PAGES for each page you write: a name, who looks, and the address built from
tests.world (add the rows your page needs there). Where a page has states worth checking (a
dialog open, an error summary), give the third element more: a function of (page, world) that
goes there and brings the page into the state.
"""

import pytest
from django.urls import reverse

from tests.browser.helpers import check_axe, check_reflow, sign_in


def url(name, *args):
    """Return a function of the world that gives the address; args are functions of it too."""
    return lambda world: reverse(name, args=[arg(world) for arg in args])


def slug(world):
    return world.slug


PAGES = [
    # name, persona, address of the world (or a function of (page, world) that goes there)
    ("sign in", "anonymous", url("account_login")),
]


@pytest.mark.parametrize(
    ("persona", "address"), [row[1:] for row in PAGES], ids=[row[0] for row in PAGES]
)
def test_page(page, world, persona, address):
    sign_in(page, world.people[persona])
    if address.__code__.co_argcount == 2:
        address(page, world)
    else:
        response = page.goto(address(world))
        assert response.status < 400, f"{page.url} answers {response.status}"
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        check_axe(page, label=theme)
    check_reflow(page)


def test_every_name_is_there_once():
    names = [row[0] for row in PAGES]
    assert len(names) == len(set(names))
