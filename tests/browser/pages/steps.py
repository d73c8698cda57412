"""What the lists of pages share: addresses of the world, and pages that refuse."""

from django.urls import reverse

from tests.browser.helpers import allow_problem


def url(name, *args):
    """Return a function of the world that gives the address; args are functions of it too."""
    return lambda world: reverse(name, args=[arg(world) for arg in args])


def writes(go):
    """Mark a state whose way there writes: it gets a world that nobody wrote to before."""
    go.writes = True
    return go


def alone(address):
    """Return a function that opens a page which writes as it is opened."""

    @writes
    def go(page, world):
        response = page.goto(address(world))
        assert response.status < 400, f"{page.url} answers {response.status}"

    return go


def slug(world):
    return world.slug


def annotator(world):
    return world.people["annotator"].pk


def refused(address, status):
    """Return a function that opens a page which answers with this error."""

    def go(page, world):
        allow_problem(page, f"status of {status}")
        assert page.goto(address(world)).status == status

    return go
