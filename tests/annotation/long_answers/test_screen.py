"""The page of a long answer on the server: what it shows, and how much it weighs."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import (
    Assignment,
    ContextParagraph,
    Event,
)
from tests import factories
from tests.annotation.long_answers import helpers
from tests.annotation.long_answers.screen import (
    HX,
    draft,
    form,
    reload,
    url,
    words_of,
)
from tests.annotation.work.conftest import open_page
from tests.weights import check_weight


class TestPage:
    def test_it_has_what_the_writer_is_given(self, web, work):
        answer = web.get(url("page", work))
        said = words_of(answer)
        assert answer.status_code == 200
        assert "Write a coherent and detailed answer to the question below" in said
        assert "2 disambiguations" in said
        assert "When did the Thames Tunnel open to walkers?" in said
        assert "March 25, 1843" in said  # every form, not only the first
        assert "Walkers first used the tunnel on 25 March 1843 and paid a penny each." in said
        assert "No context was found for this one." in said
        assert "Pages open in English Wikipedia, 2 January 2024, under CC BY-SA; each names" in said
        for goal in ("Is complete.", "Explains.", "Reads well.", "Can be checked."):
            assert goal in said
        assert "Take your time: it stays yours while you work." in said
        assert said.count("Yours until") == 1
        assert " fine" not in said  # no second figure beside the one of the lease
        assert "Raise a concern" in said

    def test_pages_lead_into_the_reader(self, web, work):
        text = web.get(url("page", work)).text
        assert text.count(f"/work/{work.pk}/read/Thames_Tunnel?via=title") == 2
        assert f"/work/{work.pk}/read/East_London_line?via=title" in text

    def test_a_context_that_was_looked_for_names_its_page(self, web, work):
        ContextParagraph.objects.create(
            question_id=work.task.question_id, position=1, text="Trains came in 1869.",
            title="East London line", path="A/East_London_line", score=0.4, shown=True,
            created_at=timezone.now(),
        )  # fmt: skip
        text = web.get(url("page", work)).text
        assert "Trains came in 1869." in text
        assert f"/work/{work.pk}/read/A/East_London_line?via=title" in text
        assert "No context was found" not in text

    def test_what_was_read_is_marked(self, web, work):
        assert "you read this" not in web.get(url("page", work)).text
        open_page(work, "Thames_Tunnel")
        assert web.get(url("page", work)).text.count("you read this") == 1

    def test_what_the_team_said_last(self, web, work, project, ann, rosa, now):
        assert "From your last review" not in web.get(url("page", work)).text
        done = factories.make_assignment(
            factories.make_task(project, helpers.make_question(project), stage="long_answers"),
            ann, state="submitted",
        )  # fmt: skip
        for text in ("Say who came first.", "Lovely beginning."):
            factories.make_feedback(done, rosa, text=text)
        said = words_of(web.get(url("page", work)))
        assert "Lovely beginning." in said
        assert "Say who came first." not in said

    def test_without_readings_it_says_so(self, client_as, project, ann, now):
        helpers.open_question(project, now, context={})
        answer = client_as(ann).get(url("page", helpers.take(project, ann, timezone.now())))
        assert "This question came without disambiguations." in words_of(answer)

    def test_nothing_inline(self, web, work):
        text = web.get(url("page", work)).text
        assert not re.search(r"\sstyle=|<style|<script(?![^>]* src=)|\son\w+=", text)

    def test_looking_changes_nothing(self, web, work):
        before = Assignment.objects.filter(pk=work.pk).values().get()
        web.get(url("page", work))
        assert Assignment.objects.filter(pk=work.pk).values().get() == before
        assert not Event.objects.filter(kind="warning_shown").exists()

    def test_others_find_nothing(self, client_as, work, ben, rosa):
        for user in (ben, rosa):
            for name in ("page", "draft", "submit"):
                call = client_as(user).get if name == "page" else client_as(user).post
                assert call(url(name, work)).status_code == 404


class TestOnlyTheQuestion:
    SECRETS = ("1843", "1869", "walkers", "East London", "a penny", "ways to read", "Short answers")

    @pytest.fixture(autouse=True)
    def regime(self, work):
        Assignment.objects.filter(pk=work.pk).update(inputs="question")

    def test_the_page_has_nothing_else(self, web, work):
        text = web.get(url("page", work)).text
        assert not [secret for secret in self.SECRETS if secret in text]
        assert 'data-left="search"' in text

    def test_neither_has_a_reply(self, web, work):
        answer = draft(web, work, long_answer="It opened twice.")
        assert not [secret for secret in self.SECRETS[:4] if secret in answer.text]
        assert "of your words are in the question or your evidence" in words_of(answer)

    def test_presses_about_readings_do_nothing(self, web, work):
        draft(web, work, long_answer="It opened.", action="insert 1")
        assert reload(work).draft["text"] == "It opened."

    def test_refused_without_evidence(self, web, work):
        fields = form(work, piece__0__content="", piece__0__page="")
        answer = web.post(url("submit", work), fields, headers=HX)
        assert answer.status_code == 422
        assert "Nothing shows yet where this comes from." in answer.text
        assert "disambiguation" not in answer.text


def queries(call):
    with CaptureQueriesContext(connection) as captured:
        assert call().status_code == 200
    return len(captured)


def test_queries_do_not_grow(web, work, project, ann):
    first = queries(lambda: web.get(url("page", work)))
    open_page(work)
    few_draft = queries(lambda: draft(web, work))
    few_page = queries(lambda: web.get(url("page", work)))
    many = form(reload(work))
    for number in range(1, 30):
        many |= {f"piece-{number}-content": f"Fact {number}.", f"piece-{number}-page": "River"}
    for _ in range(20):
        open_page(work)
    many_draft = queries(lambda: web.post(url("draft", work), many, headers=HX))
    many_page = queries(lambda: web.get(url("page", work)))
    print("queries", first, few_page, few_draft)  # noqa: T201 - shown with -s
    assert first <= 6
    assert many_page == few_page <= 11
    assert many_draft == few_draft <= 8


def test_first_load(web, work):
    draft(web, work)
    check_weight(
        web,
        url("page", work),
        "js/annotation/long_answers/long-answer.js",
        "css/annotation/long_answers/long-answer.css",
    )
