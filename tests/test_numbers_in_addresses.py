"""A number in an address may be any number: what is not there is not found, and nothing breaks."""

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests import factories
from tests.annotation.long_answers import helpers

HUGE = (2**31, 2**63, 10**40)


def numbered(resolver=None, prefix=""):
    """Addresses with a number in them, as format strings with {slug} and {number}."""
    for each in (resolver or get_resolver()).url_patterns:
        route = prefix + str(each.pattern)
        if isinstance(each, URLResolver):
            yield from numbered(each, route)
        elif isinstance(each, URLPattern) and not route.startswith("admin"):
            converters = {}
            for part in route.split("<")[1:]:
                kind, _, name = part.split(">")[0].rpartition(":")
                converters[name] = kind
            if "int" in converters.values() and set(converters.values()) <= {"int", "slug", "path"}:
                yield route


def test_there_are_some():
    assert len(list(numbered())) > 60


@pytest.mark.django_db
@pytest.mark.parametrize("protocol", ["ambigqa", "asqa"])
def test_none_is_too_large(protocol):
    project = helpers.make_project() if protocol == "asqa" else factories.make_project()
    staff = factories.make_member(project, "researcher", "admin", "annotator")
    client = Client(raise_request_exception=False)
    client.force_login(staff)
    broken = []
    for route in numbered():
        for number in HUGE:
            address = "/" + fill(route, project.slug, number)
            for call in (client.get, client.post):
                with transaction.atomic():
                    if call(address).status_code >= 500:
                        broken.append((call.__name__, route, number))
                    transaction.set_rollback(True)  # the next one meets a sound transaction
    assert not broken


def fill(route, slug, number):
    parts = []
    for part in route.split("<"):
        head, closed, rest = part.partition(">")
        if not closed:
            parts.append(part)
            continue
        kind = head.rpartition(":")[0]
        parts.append({"int": str(number), "slug": slug, "path": "x"}[kind] + rest)
    return "".join(parts)
