"""Long answers handed in, put aside, and seen afterwards by their writers and the team."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import (
    Assignment,
    LongAnswer,
    Membership,
    StagePolicy,
)
from annotation.work import assignments
from tests import factories
from tests.annotation.long_answers import helpers
from tests.annotation.long_answers.screen import (
    HX,
    WITHOUT_TRAINS,
    draft,
    form,
    reload,
    url,
    words_of,
)
from wikipedia.models import Quote


class TestSubmit:
    def test_it_is_handed_in_and_the_next_is_taken(self, web, work, project, now):
        second = helpers.open_question(project, now, text="when did the second one open")
        answer = web.post(url("submit", work), form(work), headers=HX)
        following = Assignment.objects.get(task__question=second)
        assert answer.headers["HX-Redirect"] == url("page", following)
        assert LongAnswer.objects.get().text == helpers.TEXT
        again = web.post(url("submit", work), form(work), follow=True)
        assert "You have submitted this question already." in again.text
        assert LongAnswer.objects.count() == 1

    def test_without_scripts(self, web, work):
        answer = web.post(url("submit", work), form(work), follow=True)
        assert "Submitted. No other question is ready for you here." in answer.text

    def test_what_is_to_do_is_shown_and_what_was_typed_kept(self, web, work):
        fields = form(work, long_answer=WITHOUT_TRAINS)
        answer = web.post(url("submit", work), fields)
        assert answer.status_code == 422
        assert "There is a problem" in answer.text
        assert '<a href="#answer-2">' in answer.text
        assert reload(work).draft["text"] == WITHOUT_TRAINS
        assert not LongAnswer.objects.exists()

    def test_an_override_and_a_reason_are_handed_in(self, web, work):
        words = "the seventh of December 1869"
        fields = form(work, long_answer=WITHOUT_TRAINS, piece__0__content="", piece__0__page="")
        fields |= {"said-1": words, "said-1-at": "0"}
        fields |= {
            "keep-rule": ["new-words"], "keep-field": ["knowledge"], "keep-reason": ["Known."],
        }  # fmt: skip
        assert web.post(url("submit", work), fields).status_code == 302
        answer = LongAnswer.objects.get()
        override = answer.overrides.get()
        assert answer.text[override.start : override.end] == words
        assert [each["reason"] for each in answer.keeps] in ([], ["Known."])

    def test_the_time_is_asked_for_where_there_is_a_least(self, web, work):
        StagePolicy.objects.filter(pk=work.policy_id).update(minimum_seconds=60)
        answer = web.post(url("submit", work), form(work), headers=HX)
        assert answer.status_code == 422
        assert "A long answer needs 60 seconds." in answer.text
        assert re.search(r'id="checks-card"[^>]* data-wait="\d+"', answer.text)


class TestEnded:
    def test_submitted(self, web, work, ann, rosa, now):
        said = (helpers.said(1, "the seventh of December 1869"),)
        response = helpers.response(text=WITHOUT_TRAINS, said=said)
        assignments.submit_response(assignment=work, response=response, by=ann, now=timezone.now())
        words = words_of(web.get(url("page", work)))
        assert "What you submitted" in words
        assert WITHOUT_TRAINS in words
        assert helpers.KNOWLEDGE[0].content in words
        assert "Answer 2 is there in other words: “the seventh of December 1869”" in words

    @pytest.mark.parametrize(
        ("state", "sentence"),
        [
            ("parked", "Parked: “Which one?”"),
            ("expired", "Your time ended"),
            ("skipped", "You skipped this question"),
            ("returned", "You released this question."),
        ],
    )
    def test_not_in_hand(self, web, work, state, sentence):
        draft(web, work, said__1="the seventh", long_answer=WITHOUT_TRAINS)
        held = state == "parked"
        Assignment.objects.filter(pk=work.pk).update(
            state=state,
            park_reason="Which one?" if held else "",
            staff_note="Both count." if held else "",
            skip_reason="subjective" if state == "skipped" else "",
            ended_at=None if held else timezone.now(),
            lease_ends_at=timezone.now() if held else None,
        )
        words = words_of(web.get(url("page", work)))
        assert sentence in words
        assert WITHOUT_TRAINS in words
        assert ("Note from the team: Both count." in words) == held

    def test_nothing_was_written(self, web, work):
        Assignment.objects.filter(pk=work.pk).update(
            state="returned", ended_at=timezone.now(), lease_ends_at=None
        )
        assert "Nothing was written." in web.get(url("page", work)).text

    def test_who_left_keeps_the_own_text(self, web, work, ann):
        draft(web, work)
        Assignment.objects.filter(pk=work.pk).update(
            state="returned", ended_at=timezone.now(), lease_ends_at=None
        )
        Membership.objects.filter(user=ann).delete()
        answer = web.get(url("page", work))
        assert "The Thames Tunnel opened twice." in answer.text
        assert "a penny each" not in answer.text


class TestElsewhere:
    def test_my_work_says_what_a_draft_holds(self, web, work):
        draft(web, work)
        assert "33 words, 1 piece of knowledge" in words_of(web.get(reverse("home")))
        draft(web, reload(work), long_answer="", piece__0__content="")
        assert "Nothing written yet" in words_of(web.get(reverse("home")))

    def test_my_work_says_what_became_of_it(self, web, work, project, ann, ben, now):
        assignments.submit_response(
            assignment=work, response=helpers.response(), by=ann, now=timezone.now()
        )
        helpers.answer(project, ben, timezone.now())
        assert "Accepted as written" in words_of(web.get(reverse("home")))
        words = words_of(web.get(reverse("submission-list")))
        assert "Accepted as written" in words

    def test_my_submissions_show_it(self, web, work, ann, rosa):
        assignments.submit_response(
            assignment=work, response=helpers.response(), by=ann, now=timezone.now()
        )
        factories.make_feedback(work, rosa, text="Lovely.")
        words = words_of(web.get(reverse("submission-view", args=[work.pk])))
        assert helpers.TEXT in words
        assert "Lovely." in words
        assert "For the audit" not in words

    def test_staff_see_it_with_everything(self, client_as, work, project, question, ann, rosa):
        page = factories.make_shown(project.snapshot, title="Thames Tunnel")
        quote = Quote.objects.create(
            page=page, block_kind="paragraph", exact="25 March", start=1, end=9,
            made_by="selection", created_by=ann, created_at=timezone.now(),
        )  # fmt: skip
        said = (helpers.said(1, "the seventh of December 1869"),)
        pieces = (helpers.KNOWLEDGE[0].__class__("It was sold.", "Thames Tunnel", quote.pk),)
        response = helpers.response(text=WITHOUT_TRAINS, said=said, knowledge=pieces)
        assignments.submit_response(assignment=work, response=response, by=ann, now=timezone.now())
        LongAnswer.objects.update(
            keeps=[{"rule": "text-too-short", "field": "long-answer", "reason": "It says all."}]
        )
        answer = client_as(rosa).get(reverse("question-view", args=[project.slug, question.pk]))
        words = words_of(answer)
        assert WITHOUT_TRAINS in words
        assert "Answer 2 said in other words: “the seventh of December 1869”" in words
        assert "It was sold." in words
        assert "Kept because: It says all." in words
        assert "Return or reject" in words
        address = reverse("quote-view", args=[project.slug, quote.pk])
        assert address in answer.text
        shown = client_as(rosa).get(address)
        assert shown.status_code == 200
