"""Who may open what: every URL, walked by somebody in every role.

The URLs are collected from the resolver, so a new one fails `test_every_url_has_a_row` until it
has a row in ROWS of a module of tests/access. To add one:

    "noun-verb": Row(lambda w: [w.slug, w.job.pk], get=MANAGERS),

- The key is the URL's name, with its namespace ("wikipedia:asset").
- The function gives the URL's arguments from tests/world.py; make what you need there.
- `get` and `post` say what each persona gets; what is left out must answer 405. Take one of the
  expectations of tests/access/expected.py; `but(MEMBERS, annotator=302)` changes some of it;
  `answers(MANAGERS, 302)` is the same people with another status for those who may.
- `data` is what is posted, as a dict or a function of the world. Each POST is rolled back, so it
  should be complete enough to succeed: then a missing check shows as 302 instead of 403.

Strangers (and staff of the installation, who are strangers to the project) get 404, members
without the right 403, whoever is signed out is sent to sign in.
"""

import pytest
from django.contrib.admin import site
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from tests.access import PARTS, ROWS
from tests.access.expected import OK
from tests.world import PERSONAS, make_world


def named_urls(resolver, namespace=""):
    """Yield (name with namespace, pattern) of every URL below a resolver."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from named_urls(pattern, inner)
        else:
            yield f"{namespace}{pattern.name or pattern.pattern}", pattern


URLS = dict(named_urls(get_resolver()))
MODEL_PAGES = tuple(
    f"admin:{model._meta.app_label}_{model._meta.model_name}_" for model in site._registry
)
ADMIN_URLS = {name: pattern for name, pattern in URLS.items() if name.startswith("admin:")}


def test_every_url_has_a_row():
    missing = sorted(URLS.keys() - ADMIN_URLS.keys() - ROWS.keys())
    assert not missing, f"add a row to ROWS for: {', '.join(missing)}"


def test_every_row_is_there_once():
    assert len(ROWS) == sum(len(part.ROWS) for part in PARTS)


def test_every_row_has_a_url():
    assert not sorted(ROWS.keys() - URLS.keys())


def test_every_row_names_everybody():
    for name, row in ROWS.items():
        assert set(row.get) == set(row.post) == set(PERSONAS), name


@pytest.fixture(scope="module")
def all_of_it(django_db_setup, django_db_blocker):
    """The world, made once: every request is rolled back, and so is this at the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = make_world()
        yield world, signed_in(world)
        transaction.set_rollback(True)


@pytest.fixture
def world(all_of_it, db):
    return all_of_it[0]


@pytest.fixture
def clients(all_of_it, db):
    return all_of_it[1]


def signed_in(world):
    """Return persona -> a client of their own, signed in."""
    found = {persona: Client() for persona in PERSONAS}
    for persona, user in world.people.items():
        if user:
            found[persona].force_login(user)
    return found


def statuses(clients, method, address, data=None):
    """Return persona -> status; what a request changed is rolled back."""
    found = {}
    for persona, client in clients.items():
        cookies = client.cookies.copy()
        with transaction.atomic():
            response = getattr(client, method)(address, data)
            if response.streaming:
                b"".join(response)
            found[persona] = response.status_code
            transaction.set_rollback(True)
        client.cookies = cookies
    return found


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("name", sorted(ROWS))
def test_access(clients, world, name, method):
    row = ROWS[name]
    address = reverse(name, args=row.args(world))
    data = row.data(world) if callable(row.data) else row.data
    found = statuses(clients, method, address, data if method == "post" else None)
    expected = getattr(row, method)
    wrong = {who: f"{found[who]} instead of {expected[who]}" for who in PERSONAS
             if found[who] != expected[who]}  # fmt: skip
    assert not wrong, f"{method.upper()} {address} ({name}): {wrong}"


# Nobody's own: pictures of the archive, kept for a month, and a script.
PUBLIC_FILES = {"wikipedia:asset", "next-page-script"}


@pytest.mark.parametrize(
    "name", sorted(name for name, row in ROWS.items() if row.get["admin"] == OK)
)
def test_nothing_for_one_person_is_kept_by_a_cache_that_others_share(clients, world, name):
    response = clients["admin"].get(reverse(name, args=ROWS[name].args(world)))
    if response.streaming:
        b"".join(response)
    said = response.headers.get("Cache-Control", "")
    assert "private" in said
    page = response["Content-Type"].startswith("text/html")
    assert "no-store" in said or (page and "no-cache" in said) or name in PUBLIC_FILES


@pytest.mark.parametrize(
    "name",
    sorted(name for name, row in ROWS.items() if name.startswith(("project-", "qualification-"))),
)
def test_every_tab_has_its_words(clients, world, name):
    """What a page shows must not take the place of the tabs above it."""
    response = clients["admin"].get(reverse(name, args=ROWS[name].args(world)))
    page = "" if response.streaming else response.content.decode()
    assert '<a href=""></a>' not in page


def admin_address(name, pattern):
    """Return an address that matches an admin pattern; no row needs to be there."""
    values = {
        "object_id": "1",
        "id": "1",
        "content_type_id": "1",
        "app_label": "annotation",
    }
    if not pattern.name:  # the catch-all, and the old address of a row
        return "/admin/annotation/project/1/"
    names = pattern.pattern.regex.groupindex or pattern.pattern.converters
    return reverse(name, kwargs={each: values[each] for each in names})


def test_the_admin_is_for_staff(clients, world):
    assert len(ADMIN_URLS) > 80
    wrong = []
    # No role of a project counts here: the highest stands for all.
    clients = {who: clients[who] for who in ("anonymous", "stranger", "admin", "staff")}
    for name, pattern in sorted(ADMIN_URLS.items()):
        address = admin_address(name, pattern)
        for method in ("get", "post"):
            found = statuses(clients, method, address)
            staff = found.pop("staff")
            if not set(found.values()) <= {302, 403, 405}:
                wrong.append(f"{method} {address}: {found}")
            # Staff without a model's permission: Django's own rights decide.
            if name.startswith(MODEL_PAGES) and staff not in (302, 403):
                wrong.append(f"{method} {address}: staff gets {staff}")
    assert not wrong, "\n".join(wrong)
