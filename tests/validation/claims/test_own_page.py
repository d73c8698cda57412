"""The page of one's own submission: what it says, to whom, and when."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Annotation, Assignment, KeptWarning, PayEntry
from annotation.work import assignments, changing
from tests import factories
from tests.stages.window import words_of
from tests.validation.claims.conftest import TRAINS
from tests.validation.conftest import kept, several


@pytest.fixture
def look():
    """look(person, turn): the page as they see it."""

    def look(person, turn, status=200):
        client = Client()
        client.force_login(person)
        answer = client.get(reverse("submission-view", args=[turn.pk]))
        assert answer.status_code == status
        return answer.text

    return look


def part(html, heading):
    """Return the words of the card with this heading."""
    return words_of(html[html.index(f">{heading}") :].split("</section>")[0])


class TestBeforeItIsDecided:
    def test_nobody_else_s_words_are_there(self, look, disagreed, ann, ben, turn_of):
        text = words_of(look(ann, turn_of(ann)))
        assert "1869" in text
        assert "25 March 1843" not in text
        assert "2010" not in text
        assert "Also accepted" not in text
        assert "Missing from yours" not in text

    def test_it_can_be_changed_and_says_how_long(self, look, disagreed, ann, rosa, turn_of, now):
        turn = turn_of(ann)
        assert "You can change this until a validator opens it" in look(ann, turn)
        changing.begin_change(assignment=turn, by=ann, now=now)
        text = look(ann, turn)
        assert "You are changing this" in text
        assert "Leave it as it was" in text
        response = several(("When did it open to boats?", "1843"), (TRAINS, "1869"))
        sent = kept(turn, response, now)
        changing.submit_change(assignment=turn, response=sent, by=ann, now=now)
        text = look(ann, turn)
        assert "boats" in part(text, "What you submitted")
        assert "When did it open to people?" in part(text, "Before you changed it")
        team = Client()
        team.force_login(rosa)
        page = team.get(reverse("question-view", args=[turn.project.slug, disagreed.pk])).text
        assert "When did it open to people?" in page.split("Before it was changed")[1]

    def test_it_says_who_opened_it_but_not_the_minute(
        self, look, disagreed, project, ann, val, turn_of, now
    ):
        assignments.take_next(project=project, stage="validation", by=val, now=now)
        text = part(look(ann, turn_of(ann)), "Change it")
        assert "the validator opened it on" in text
        assert ":" not in text.split("opened it on")[1].split(".")[0]
        assert val.name not in text


class TestOnceItIsDecided:
    def test_each_pair_has_its_fate(self, look, bens, ann, turn_of):
        text = look(ann, turn_of(ann))
        own = part(text, "What you submitted, and the outcome")
        assert "Not accepted" in own
        assert "2010" in part(text, "Missing from yours")

    def test_whoever_left_reads_only_their_own(self, look, bens, ann, turn_of):
        turn = turn_of(ann)
        ann.memberships.all().delete()
        text = words_of(look(ann, turn))
        assert "1869" in text
        assert "2010" not in text
        assert "Change it" not in text
        assert "Ask the team" not in text

    def test_others_get_nothing(self, look, bens, ann, ben, rosa, turn_of):
        look(ben, turn_of(ann), status=404)
        look(rosa, turn_of(ann), status=404)


class TestEvidence:
    @pytest.fixture
    def turn(self, disagreed, ann, turn_of):
        turn = turn_of(ann)
        quote = factories.make_own_quote(turn, "25 March 1843")
        pair = Annotation.objects.get(assignment=turn).pairs.first()
        pair.answers.update(quote=quote)
        KeptWarning.objects.filter(annotation=pair.annotation).delete()
        pair.annotation.kept_warnings.create(
            rule="many_words_added", field="pair-0-question", reason="Or it could be 1998."
        )
        turn.quote = quote
        return turn

    def test_quotes_lead_to_the_article_as_it_was_read(self, look, turn, ann):
        text = look(ann, turn)
        address = reverse("submission-quote", args=[turn.pk, turn.quote.pk])
        assert f'href="{address}#quote"' in text
        assert "You kept a warning:" in text
        assert "“Or it could be 1998.”" in text
        client = Client()
        client.force_login(ann)
        page = client.get(address).text
        assert "What you quoted" in page
        assert "25 March 1843" in page

    def test_quotes_and_pages_are_for_who_read_them(self, turn, ann, ben, rosa):
        visit = factories.make_visit(turn)
        for name, number in (("quote", turn.quote.pk), ("page", visit.pk)):
            address = reverse(f"submission-{name}", args=[turn.pk, number])
            for person, status in ((ann, 200), (ben, 404), (rosa, 404)):
                client = Client()
                client.force_login(person)
                assert client.get(address).status_code == status
            another = Assignment.objects.get(user=ben)
            client.force_login(ben)
            other = reverse(f"submission-{name}", args=[another.pk, number])
            assert client.get(other).status_code == 404
        ann.memberships.all().delete()
        client.force_login(ann)
        assert client.get(address).status_code == 404

    def test_pages_and_pay_are_facts(self, look, turn, ann, now):
        factories.make_visit(turn)
        PayEntry.objects.create(
            **{"user": ann, "project": turn.project, "assignment": turn, "at": now},
            **{"kind": "submitted", "number": 1, "amount": "0.75", "currency": "USD"},
        )
        text = look(ann, turn)
        assert "0.75 USD" in part(text, "Facts")
        assert "Thames Tunnel" in part(text, "Pages you read")

    def test_the_number_of_queries_does_not_grow(self, turn, ann):
        client = Client()
        client.force_login(ann)
        address = reverse("submission-view", args=[turn.pk])
        client.get(address)
        with CaptureQueriesContext(connection) as few:
            client.get(address)
        annotation = Annotation.objects.get(assignment=turn)
        for number in range(2, 12):
            pair = annotation.pairs.create(position=number, question=f"Number {number}?")
            pair.answers.create(position=0, text=str(number), quote=turn.quote)
            factories.make_visit(turn, path=f"Page_{number}", title=f"Page {number}")
        with CaptureQueriesContext(connection) as many:
            client.get(address)
        assert len(many) == len(few)
        assert len(many) <= 34
