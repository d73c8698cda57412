"""Nothing that says who a generator is reaches a validator: no name, number, order or time."""

import hmac
import re

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.pseudonyms import derive_pseudonym
from annotation.models import Annotation, Answer, Assignment, Event, Project, QAPair
from annotation.work import assignments
from tests import factories
from tests.stages.window import fields_of
from tests.validation.verdicts.conftest import FIRST, HX, SECOND, url
from validation.verdicts import queries as verdicts_queries
from validation.verdicts.tokens import column_token, quote_token
from wikipedia.models import Quote, ShownPage

# Far apart and far from anything a page counts, so that a hit is a leak.
BIG = 770_000_000
TABLES = (
    *("accounts_user", "annotation_assignment", "annotation_annotation", "annotation_qapair"),
    *("annotation_answer", "annotation_event", "wikipedia_quote", "wikipedia_shownpage"),
)
TEXT = "The new London Bridge opened in 1831. The present one opened on 17 March 1973."


def count_from(table, start):
    """Let the table's ids go on from here; return where they were."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) + 1 FROM " + table)  # noqa: S608
        before = cursor.fetchone()[0]
        cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, start])
        return before


@pytest.fixture
def scene(project, question, answer, now, val):
    """Two generators with telling names, whose every row has a telling number; a quote of each."""
    before = [count_from(table, BIG + place * 1_000_000) for place, table in enumerate(TABLES)]
    people = [
        factories.make_member(
            project, "annotator", name=name, email=f"{name.split()[0]}@secret.example"
        )
        for name in ("Zebulon Quixote", "Wilhelmina Fjord")
    ]
    page = ShownPage.objects.create(
        snapshot=project.snapshot,
        path="London_Bridge",
        title="London Bridge",
        retrieved_at=now,
        text=TEXT,
        text_sha256="1" * 64,
    )
    quoted = ("opened in 1831", "17 March 1973")
    for who, said, words in zip(people, (FIRST, SECOND), quoted, strict=True):
        annotation = answer(project, who, said)
        start = TEXT.index(words)
        quote = Quote.objects.create(
            page=page,
            section_path=["Bridges"],
            block_kind="paragraph",
            exact=words,
            prefix=TEXT[max(0, start - 32) : start],
            suffix="",
            start=start,
            end=start + len(words),
            made_by="selection",
            created_by=who,
            created_at=now,
        )
        Answer.objects.filter(pair__annotation=annotation).update(quote=quote)
        Event.objects.create(
            assignment=annotation.assignment,
            kind="page_open",
            at=now,
            data={"path": "London_Bridge", "title": "London Bridge"},
        )
    for table, start in zip(TABLES, before, strict=True):
        count_from(table, start + 1000)  # what the validator makes has small numbers
    turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
    assert turn.pk < BIG
    return people, turn


def secrets(people):
    """Everything that would tell who somebody is, as it would stand in a page."""
    found = set()
    for who in people:
        found |= {who.name, *who.name.split(), who.email, str(who.key)}
        found |= {
            derive_pseudonym(who, scope=scope)
            for scope in ("", *Project.objects.values_list("slug", flat=True))
        }
        found |= {str(who.pk)}
    for model in (Assignment, Annotation, QAPair, Answer, Quote, Event):
        found |= {str(pk) for pk in model.objects.filter(pk__gt=BIG).values_list("pk", flat=True)}
    return {each for each in found if each}


def told(response):
    # The name of a request is made of random digits.
    named = [(name, value) for name, value in response.items() if name != "X-Request-ID"]
    headers = "\n".join(f"{name}: {value}" for name, value in named)
    cookies = str(response.cookies)
    return f"{headers}\n{cookies}\n{response.content.decode()}"


def check(response, people):
    text = told(response)
    for secret in secrets(people):
        assert secret not in text, f"{secret} is in {response.request['PATH_INFO']}"
    assert not re.search(r"77\d{7}", text)


def article(monkeypatch):
    """An article for every path, so that the reader has something to show."""
    from wikipedia.articles.reader import render_article
    from wikipedia.html.page import SourcePage

    def read(assignment, path):
        source = SourcePage(
            path=path,
            title="London Bridge",
            html=f"<p>{TEXT}</p>",
            page_id=1,
            rev_id=2,
            rev_timestamp=None,
            url="https://en.wikipedia.org/wiki/London_Bridge",
            redirect_from=None,
            retrieved_at=timezone.now(),
        )
        return source, render_article(source, page_url=lambda p: p, asset_url=lambda p: p)

    for module in ("annotation.reading.services", "annotation.reading.views"):
        monkeypatch.setattr(f"{module}.read_article", read)


def test_nothing_on_any_page_or_reply(scene, client_as, val, monkeypatch):
    people, turn = scene
    assert len(secrets(people)) > 20
    client = client_as(val)
    page = client.get(url("page", turn))
    check(page, people)
    fields = fields_of(page.text)
    for number, action in enumerate(
        ("", "combine", "separate r1", "exclude r1", "undo", "reset", "add", "move-down r1")
    ):
        more = {"action": action, "version": number, "select": ["r1", "r2"]}
        reply = client.post(url("draft", turn), fields | more, headers=HX)
        assert reply.status_code == 200, action
        check(reply, people)
    conflict = client.post(url("draft", turn), fields | {"version": 0, "feedback": "x"}, headers=HX)
    assert conflict.status_code == 409
    check(conflict, people)
    check(client.post(url("submit", turn), fields | {"version": 8}), people)
    article(monkeypatch)
    links = re.findall(r'href="([^"]*via=validator_chip[^"]*)"', page.text)
    assert any("#quote-c" in link for link in links)
    for link in dict.fromkeys(links):
        check(client.get(link, headers=HX), people)
    for name in ("page", "guidelines"):
        check(client.get(url(name, turn)), people)
    check(client.get("/"), people)
    check(client.get(url("search", turn), {"q": "bridge"}, headers=HX), people)
    check(client.post(url("park", turn), {"reason": "Which?"}, follow=True), people)
    check(client.get(url("page", turn)), people)


def test_nothing_is_told_to_other_clients(scene, client_as, val, monkeypatch):
    people, turn = scene
    article(monkeypatch)
    client = client_as(val)

    def post(name, **body):
        address = reverse(f"api-work-{name}", args=[turn.pk])
        answer = client.post(address, body, content_type="application/json")
        check(answer, people)
        return answer.json()

    work = client.get(reverse("api-work", args=[turn.pk]))
    check(work, people)
    [quote] = work.json()["given"]["annotations"][0]["pairs"][0]["quotes"]
    assert re.fullmatch("c[0-9a-f]{15}", quote["id"])
    page = post("read", path=quote["path"], via="validator_chip")
    assert quote["id"] in [shown["id"] for shown in page["quotes"]]
    sent = {"version": work.json()["version"], "response": work.json()["response"]}
    assert post("draft", **sent)["given"] == work.json()["given"]
    for name in ("reading", "suggestions"):
        check(client.get(reverse(f"api-work-{name}", args=[turn.pk])), people)


def test_nothing_after_it_was_submitted(scene, client_as, val):
    people, turn = scene
    client = client_as(val)
    fields = fields_of(client.get(url("page", turn)).text)
    fields |= {"verdict-1": ["correct"], "verdict-2": ["incorrect"]}
    check(client.post(url("submit", turn), fields), people)
    ended = client.get(url("page", turn))
    assert "What you decided" in ended.text
    check(ended, people)
    check(client.get("/"), people)


def test_a_quote_is_shown_in_the_article_under_a_name_of_its_own(
    scene, client_as, val, monkeypatch
):
    people, turn = scene
    article(monkeypatch)
    client = client_as(val)
    html = client.get(url("page", turn)).text
    link, token = re.search(r'href="([^"]*)#quote-(c[0-9a-f]{15})"', html).groups()
    reply = client.get(link, headers=HX)
    assert f'"id": "{token}"' in reply.text
    assert '"exact": "opened in 1831"' in reply.text
    check(reply, people)
    event = Event.objects.get(assignment=turn, kind="page_open")
    assert event.data["via"] == "validator_chip"
    assert token not in str(event.data)
    assert not re.search(r"77\d{7}", str(event.data))


def test_a_generator_sees_no_quote_of_a_colleague(scene, project, ann, client_as, monkeypatch, now):
    """What a validator may see, nobody else may: generation keeps people apart."""
    article(monkeypatch)
    factories.make_question(project)
    turn = factories.make_assignment(factories.make_task(project), ann)
    reply = client_as(ann).get(f"/work/{turn.pk}/read/London_Bridge", headers=HX)
    assert "17 March 1973" in reply.text
    assert '"exact"' not in reply.text


def test_neither_the_order_nor_the_tokens_are_the_same_for_two_validators(scene):
    _people, turn = scene
    other = Assignment.objects.get(pk=turn.pk)
    orders, tokens = set(), set()
    for pk in range(1, 40):
        other.pk = pk
        orders.add(
            tuple(each.annotation for each in verdicts_queries.list_column_annotations(other))
        )
        tokens.add(column_token(pk, 5))
        tokens.add(quote_token(pk, 5))
    assert len(orders) == 2
    assert len(tokens) == 78


def test_tokens_are_keyed(settings):
    before = column_token(1, 2)
    settings.SECRET_KEY = "another"
    assert not hmac.compare_digest(before, column_token(1, 2))


def test_no_time_of_anybody_is_shown(scene, client_as, val):
    """The only times on the page are the validator's own."""
    _people, turn = scene
    stamp = "2001-02-03T04:05:06+00:00"
    Assignment.objects.filter(pk__gt=BIG).update(
        started_at=stamp, submitted_at=stamp, ended_at=stamp, seen_at=stamp
    )
    html = client_as(val).get(url("page", turn)).text
    assert not re.search(r"2001|3 February|04:05", html)
