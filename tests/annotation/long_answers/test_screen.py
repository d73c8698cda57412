"""The page of a long answer on the server: what it shows, saves, refuses and hands in."""

import datetime as dt
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import (
    Assignment,
    ContextParagraph,
    Event,
    Feedback,
    LongAnswer,
    Membership,
    StagePolicy,
)
from annotation.services import assignments
from tests import factories
from tests.annotation.long_answers import helpers
from tests.annotation.work.conftest import open_page
from tests.annotation.work.test_budget import BUDGET, with_imports
from wikipedia.models import Quote

HX = {"HX-Request": "true"}
WITHOUT_TRAINS = helpers.TEXT.replace("7 December 1869", "the seventh of December 1869")


@pytest.fixture
def work(project, question, ann, now):
    """Ann's question, in hand since a moment ago."""
    return helpers.take(project, ann, timezone.now())


@pytest.fixture
def web(client_as, ann):
    return client_as(ann)


def url(name, assignment):
    return reverse(f"work-{name}", args=[assignment.pk])


def form(assignment=None, **changes):
    """The fields of the form of a long answer that no rule asks about."""
    fields = {
        "version": assignment.draft_version if assignment else 0,
        "long_answer": helpers.TEXT,
        "piece-0-content": helpers.KNOWLEDGE[0].content,
        "piece-0-page": helpers.KNOWLEDGE[0].page,
        "piece-0-quote": "",
        "feedback": "",
    }
    return fields | {name.replace("__", "-"): value for name, value in changes.items()}


def reload(assignment):
    return Assignment.objects.get(pk=assignment.pk)


def words_of(answer):
    """What a page or a reply says, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text))


def part(answer, name):
    """The part of a page or a reply with this id, from its tag to the next id."""
    found = re.search(rf'<\w+[^>]* id="{name}"(.*?)(?=<li|<section|</ul>|\Z)', answer.text, re.S)
    assert found, f"no part {name}"
    return re.sub(r"\s+", " ", found[0])


def draft(web, work, fragment=True, **changes):
    return web.post(url("draft", work), form(work, **changes), headers=HX if fragment else {})


class TestPage:
    def test_it_has_what_the_writer_is_given(self, web, work):
        answer = web.get(url("page", work))
        said = words_of(answer)
        assert answer.status_code == 200
        assert "Write a coherent and detailed answer to the question below" in said
        assert "2 ways to read it" in said
        assert "When did the Thames Tunnel open to walkers?" in said
        assert "March 25, 1843" in said  # every form, not only the first
        assert "Walkers first used the tunnel on 25 March 1843 and paid a penny each." in said
        assert "No context was found for this one." in said
        assert "under CC BY-SA 4.0" in said
        for goal in ("Is complete.", "Explains.", "Reads well.", "Can be checked."):
            assert goal in said
        assert "one hour is fine" in said
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
            Feedback.objects.create(assignment=done, text=text, given_by=rosa, created_at=now)
        said = words_of(web.get(url("page", work)))
        assert "Lovely beginning." in said
        assert "Say who came first." not in said

    def test_without_readings_it_says_so(self, client_as, project, ann, now):
        helpers.open_question(project, now, context={})
        answer = client_as(ann).get(url("page", helpers.take(project, ann, timezone.now())))
        assert "This question came without readings." in words_of(answer)

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
        StagePolicy.objects.filter(pk=work.policy_id).update(inputs="question")

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


class TestDraft:
    def test_it_is_saved_and_looked_through(self, web, work):
        answer = draft(web, work, long_answer=WITHOUT_TRAINS)
        assert answer.status_code == 200
        assert reload(work).draft["text"] == WITHOUT_TRAINS
        assert "1 of 2" in words_of(answer)
        line = part(answer, "answer-1")
        at = WITHOUT_TRAINS.index("25 March 1843")
        assert f'data-start="{at}" data-words="25 March 1843"' in line
        assert "“7 December 1869” is not in your text as it is accepted." in answer.text
        assert 'value="insert 2 0"' in answer.text

    def test_a_part_of_a_longer_word_counts_and_says_so(self, client_as, project, ann, now):
        pair = {"question": "Who?", "short_answers": ["art"], "context": None, "wikipage": None}
        helpers.open_question(project, now, context={"qa_pairs": [pair], "wikipages": []})
        work = helpers.take(project, ann, timezone.now())
        answer = draft(client_as(ann), work, long_answer="There was a party in it.")
        assert "1 of 1" in words_of(answer)
        assert "Inside “party”. The score counts it, also as part of a longer word." in words_of(
            answer
        )

    @pytest.mark.parametrize("before", ["😀 ", "İİ ", "e\u0301 ", "\n\n", "ﬁ "])
    def test_places_are_code_points(self, web, work, before):
        text = f"{before}It opened on March 25, 1843."
        answer = draft(web, work, long_answer=text)
        at = reload(work).draft["text"].index("March")
        assert f'data-start="{at}" data-words="March 25, 1843"' in part(answer, "answer-1")

    def test_said_in_other_words(self, web, work):
        words = "the seventh of December 1869"
        said = {"said-1": words, "said-1-at": WITHOUT_TRAINS.index(words)}
        answer = draft(web, work, long_answer=WITHOUT_TRAINS, **said)
        assert "2 of 2" in words_of(answer)
        assert "In your words." in part(answer, "answer-2")
        assert 'value="unsay 2"' in answer.text

    def test_words_that_went_away_are_named(self, web, work):
        answer = draft(web, work, said__1="the seventh", long_answer="It opened in 1843, March.")
        assert "“the seventh”, which said it, is no longer in your text." in answer.text

    def test_how_much_can_be_checked(self, web, work):
        said = words_of(draft(web, work, long_answer="25 March 1843 zebra"))
        assert "75 % of your words are in the inputs or your evidence." in said
        assert "Once you write" in words_of(draft(web, reload(work), long_answer=""))

    def test_nothing_is_asked_before_a_field_was_left(self, web, work):
        few = draft(web, work, long_answer="Twice.", piece__0__page="")
        assert "say also why" not in few.text
        assert "Which page are these" not in few.text
        left = draft(web, reload(work), long_answer="Twice.", touched=["long-answer", "piece-1"])
        assert "say also why" in left.text

    def test_each_warning_shown_is_logged_once(self, web, work):
        for _ in range(2):
            draft(web, reload(work), long_answer="Twice.", touched=["long-answer"])
        shown = Event.objects.filter(assignment=work, kind="warning_shown")
        rules = sorted((each.data["rule"], each.data["field"]) for each in shown)
        assert rules == [
            ("missing-answer", "answer-1"),
            ("missing-answer", "answer-2"),
            ("text-too-short", "long-answer"),
        ]

    def test_a_quote_is_shown_where_it_was_found(self, web, work, project, ann, ben):
        mine, theirs = (factories.make_shown(project.snapshot, title=t) for t in ("Mine", "Theirs"))
        quotes = [
            Quote.objects.create(
                page=page, block_kind="paragraph", exact="25 March", start=1, end=9,
                made_by="selection", created_by=user, created_at=timezone.now(),
            )
            for page, user in ((mine, ann), (theirs, ben))
        ]  # fmt: skip
        answer = draft(web, work, piece__0__quote=quotes[0].pk)
        assert "Found in Mine" in words_of(answer)
        answer = draft(web, reload(work), piece__0__quote=quotes[1].pk)
        assert "Theirs" not in answer.text

    def test_markup_is_text(self, web, work):
        nasty = '<img src=x onerror="alert(1)"> {{ 7|add:1 }}'
        said = {"said-1": nasty, "said-1-at": "0"}
        fields = form(
            work, long_answer=nasty, piece__0__content=nasty, piece__0__page=nasty, feedback=nasty,
            **said,
        )  # fmt: skip
        assert "<img" not in web.post(url("draft", work), fields, headers=HX).text
        assert "<img src=x" not in web.get(url("page", work)).text

    def test_the_other_window_was_faster(self, web, work):
        draft(web, work, long_answer="Theirs.")
        answer = draft(web, work, long_answer="Mine.", piece__0__page="Another page")
        assert answer.status_code == 409
        said = words_of(answer)
        assert "Long answer" in said
        assert "Piece 1, page" in said
        assert reload(work).draft["text"] == "Theirs."
        kept = web.post(
            url("draft", work),
            form(work, long_answer="Mine.", action="overwrite 1"),
            headers=HX,
        )
        assert kept.status_code == 200
        assert reload(work).draft["text"] == "Mine."

    def test_a_conflict_without_scripts_keeps_what_was_typed(self, web, work):
        draft(web, work, long_answer="Theirs.")
        answer = draft(web, work, fragment=False, long_answer="Mine.")
        assert answer.status_code == 409
        assert ">\nMine.</textarea>" in answer.text

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"long_answer": "x" * 20_001}, "The long answer has 20,001 characters."),
            ({"piece-0-quote": "x"}, "quote"),
            ({"keep-rule": ["a"], "keep-field": []}, "do not line up"),
            ({f"piece-{n}-page": "P" for n in range(60)}, "There are 60 pieces. The most is 50."),
        ],
    )
    def test_what_cannot_be_read_is_named(self, web, work, changes, sentence):
        answer = web.post(url("draft", work), form(work) | changes, headers=HX)
        assert answer.status_code == 422
        assert sentence in answer.text
        assert reload(work).draft == {}

    def test_it_renews_the_lease(self, web, work):
        past = timezone.now() - dt.timedelta(minutes=20)
        Assignment.objects.filter(pk=work.pk).update(
            lease_ends_at=past + dt.timedelta(minutes=30), seen_at=past
        )
        draft(web, work)
        assert reload(work).lease_ends_at > timezone.now() + dt.timedelta(minutes=59)


class TestPresses:
    @pytest.mark.parametrize(
        ("press", "fields", "expected", "anchor"),
        [
            ("insert 2", {}, {"text": f"{WITHOUT_TRAINS} 7 December 1869"}, "answer-2"),
            ("insert 1 1", {}, {"text": f"{WITHOUT_TRAINS} March 25, 1843"}, "answer-1"),
            ("insert 1 7", {}, {"text": WITHOUT_TRAINS}, "answer-1"),
            ("insert 9", {}, {"text": WITHOUT_TRAINS}, "answer-9"),
            ("insert x", {}, {"text": WITHOUT_TRAINS}, "write"),
            (
                "say 2",
                {"words-2": " the seventh "},
                {
                    "said": [
                        {
                            "disambiguation": 1,
                            "words": "the seventh",
                            "at": WITHOUT_TRAINS.index("the seventh"),
                        }
                    ]
                },
                "answer-2",
            ),
            ("unsay 2", {"said-1": "the seventh", "said-1-at": "1"}, {"said": []}, "answer-2"),
            ("save", {}, {"text": WITHOUT_TRAINS}, "write"),
            ("rm -rf", {}, {"text": WITHOUT_TRAINS}, "write"),
        ],
    )
    def test_press(self, web, work, press, fields, expected, anchor):
        answer = web.post(
            url("draft", work), form(work, long_answer=WITHOUT_TRAINS, action=press) | fields
        )
        assert answer.status_code == 302
        assert answer.url == f"{url('page', work)}#{anchor}"
        saved = reload(work).draft
        assert {name: saved[name] for name in expected} == expected

    def test_pieces_come_and_go_with_their_reasons(self, web, work):
        fields = form(work, action="add-piece", piece__4__content="Second.", piece__4__page="P")
        fields |= {
            "keep-rule": ["piece-not-found"] * 2,
            "keep-field": ["piece-1", "piece-5"],
            "keep-reason": ["One.", "Two."],
        }
        answer = web.post(url("draft", work), fields)
        assert answer.url.endswith("#piece-3")
        saved = reload(work).draft
        assert [each["content"] for each in saved["knowledge"]] == [
            helpers.KNOWLEDGE[0].content, "Second.", "",
        ]  # fmt: skip
        fields = form(reload(work), action="delete-piece 0")
        fields |= {"piece-1-content": "Second.", "piece-1-page": "P"}
        fields |= {
            "keep-rule": ["piece-not-found"] * 2,
            "keep-field": ["piece-1", "piece-2"],
            "keep-reason": ["One.", "Two."],
        }
        answer = web.post(url("draft", work), fields)
        assert answer.url.endswith("#piece-1")
        saved = reload(work).draft
        assert [each["content"] for each in saved["knowledge"]] == ["Second."]
        assert [(k["field"], k["reason"]) for k in saved["keeps"]] == [("piece-1", "Two.")]

    @pytest.mark.parametrize("place", ["7", "x", "-1", ""])
    def test_a_piece_that_is_not_there(self, web, work, place):
        web.post(url("draft", work), form(work, action=f"delete-piece {place}"))
        assert len(reload(work).draft["knowledge"]) == 1

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            ("in 1900", "Reading 2: “in 1900” is not in your text."),
            ("", "Reading 2: write the words of your text that say it."),
        ],
    )
    def test_words_that_say_nothing_are_refused(self, web, work, words, sentence):
        fields = form(work, action="say 2") | {"words-2": words}
        assert sentence in web.post(url("draft", work), fields, headers=HX).text
        answer = web.post(url("draft", work), fields, follow=True)
        assert sentence in answer.text

    def test_no_room_for_more(self, web, work):
        full = {f"piece-{n}-page": "P" for n in range(50)}
        fields = form(work, action="add-piece") | full
        answer = web.post(url("draft", work), fields, headers=HX)
        assert "There are 51 pieces. The most is 50." in answer.text
        fields = form(work, action="insert 2", long_answer="x" * 19_990)
        answer = web.post(url("draft", work), fields, headers=HX)
        assert "The long answer would have 20,006 characters." in answer.text


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
        assert re.search(r'id="checks-card" data-wait="\d+"', answer.text)

    def test_too_late_while_somebody_else_has_it(self, web, work, project, ann, ben):
        StagePolicy.objects.filter(pk=work.policy_id).update(people=1)
        Assignment.objects.filter(pk=work.pk).update(
            lease_ends_at=timezone.now() - dt.timedelta(hours=3)
        )
        work.task.seats = 0
        work.task.save()
        assert helpers.take(project, ben, timezone.now()) is not None
        answer = web.post(url("submit", work), form(work), headers=HX)
        assert answer.status_code == 409
        assert not LongAnswer.objects.exists()

    def test_a_newer_draft_of_another_window_is_shown_first(self, web, work):
        draft(web, work, long_answer="Theirs.")
        answer = web.post(url("submit", work), form(work), headers=HX)
        assert answer.status_code == 409
        assert not LongAnswer.objects.exists()


class TestEnded:
    def test_submitted(self, web, work, ann, rosa, now):
        said = (helpers.said(1, "the seventh of December 1869"),)
        response = helpers.response(text=WITHOUT_TRAINS, said=said)
        assignments.submit(assignment=work, response=response, by=ann, now=timezone.now())
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
            ("returned", "You gave this question back."),
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
        assert ("Note of the team: Both count." in words) == held

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
        assignments.submit(assignment=work, response=helpers.response(), by=ann, now=timezone.now())
        helpers.answer(project, ben, timezone.now())
        assert "Accepted as written" in words_of(web.get(reverse("home")))
        words = words_of(web.get(reverse("submission-list")))
        assert "Accepted as written" in words

    def test_my_submissions_show_it(self, web, work, ann, rosa):
        assignments.submit(assignment=work, response=helpers.response(), by=ann, now=timezone.now())
        Feedback.objects.create(
            assignment=work, text="Lovely.", given_by=rosa, created_at=timezone.now()
        )
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
        assignments.submit(assignment=work, response=response, by=ann, now=timezone.now())
        LongAnswer.objects.update(
            keeps=[{"rule": "text-too-short", "field": "long-answer", "reason": "It says all."}]
        )
        answer = client_as(rosa).get(reverse("question-view", args=[project.slug, question.pk]))
        words = words_of(answer)
        assert WITHOUT_TRAINS in words
        assert "Answer 2 said in other words: “the seventh of December 1869”" in words
        assert "It was sold." in words
        assert "Kept because: It says all." in words
        assert "Return it, or leave it out" in words
        address = reverse("quote-view", args=[project.slug, quote.pk])
        assert address in answer.text
        shown = client_as(rosa).get(address)
        assert shown.status_code == 200


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
    assert first <= 11
    assert many_page == few_page <= 15
    assert many_draft == few_draft <= 12


def test_first_load(web, work):
    draft(web, work)
    answer = web.get(url("page", work))
    names = set(re.findall(r'(?:src|href)="/static/([^"#?]+)', answer.text))
    assert {"css/base.css", "js/long-answer.js", "css/long-answer.css", "icons.svg"} <= names
    files = set()
    for name in names:
        found = finders.find(name)
        assert found, f"{name} is not there"
        with_imports(Path(found).resolve(), files)
    sizes = {path.name: path.stat().st_size for path in files} | {"page": len(answer.content)}
    total = sum(sizes.values())
    table = "\n".join(f"{size:7} {name}" for name, size in sorted(sizes.items()))
    print(f"{total} bytes of {BUDGET}\n{table}")  # noqa: T201 - shown with -s
    assert total <= BUDGET, f"{total} bytes:\n{table}"
