"""Parking a long answer: asked, answered there and in the FAQ, kept for the same person."""

import datetime as dt

import pytest
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.faq import services as faq_services
from annotation.long_answers.concerns import services as concerns_services
from annotation.long_answers.response import LongAnswerResponse, from_json, to_json
from annotation.models import Assignment, LongAnswer, Question, Task, Thread
from annotation.threads import queries as threads_queries
from annotation.threads import services as threads_services
from annotation.work import assignments, drafts, leases
from annotation.work.team_questions import park_and_ask
from tests import factories
from tests.annotation.long_answers import helpers

State = Assignment.State
HOUR = dt.timedelta(hours=1)
ASKED = "Does the tunnel for trains count as the same tunnel?"
ANSWERED = "Yes: the article speaks of one tunnel throughout."


def text(response):
    return " ".join(response.content.decode().split())


def park(turn, by, now, reason="Unsure about the second disambiguation"):
    return assignments.park_assignment(assignment=turn, reason=reason, by=by, now=now)


def write(turn, by, now, said="A first sentence."):
    drafts.save_draft(
        assignment=turn,
        draft=to_json(LongAnswerResponse(text=said)),
        version=turn.draft_version,
        by=by,
        now=now,
    )
    turn.refresh_from_db()


@pytest.fixture
def mine(project, question, ann, now):
    return helpers.take(project, ann, now)


class TestAsking:
    def test_the_answer_arrives_on_the_parked_task_and_in_the_faq(
        self, client_as, project, mine, ann, rosa, now
    ):
        client = client_as(ann)
        answer = client.post(
            reverse("work-park", args=[mine.pk]), {"reason": ASKED, "ask": "yes"}, follow=True
        )
        assert "The team’s answer will appear there, too." in text(answer)
        mine.refresh_from_db()
        assert (mine.state, mine.park_reason) == (State.PARKED, ASKED)
        thread = Thread.objects.get()
        assert (thread.kind, thread.assignment) == (Thread.Kind.PARK, mine)
        waiting = text(client_as(rosa).get(reverse("claim-list", args=[project.slug])))
        assert "Question on parked work" in waiting
        claim = reverse("claim-view", args=[project.slug, thread.pk])
        asked = text(client_as(rosa).get(claim))
        assert ASKED in asked
        assert "When did the Thames Tunnel open to trains?" in asked
        assert "Accepted now" not in asked
        client_as(rosa).post(
            reverse("claim-answer", args=[project.slug, thread.pk]), {"text": ANSWERED}
        )
        _, parked = threads_queries.list_thread_news(ann)
        assert [message.text for message in parked[mine.pk].messages.all()] == [ANSWERED]
        home = text(client_as(ann).get(reverse("home")))
        assert ANSWERED in home
        assert "The team has answered" in home
        page = text(client_as(ann).get(reverse("work-page", args=[mine.pk])))
        assert ANSWERED in page
        client_as(rosa).post(reverse("claim-to-faq", args=[project.slug, thread.pk]))
        entry = project.faq.get()
        assert (entry.question, entry.answer, entry.thread) == (ASKED, ANSWERED, thread)
        assert ANSWERED in text(client_as(ann).get(reverse("project-faq", args=[project.slug])))

    def test_who_parks_reads_what_the_faq_says_first(
        self, client_as, project, mine, ann, rosa, now
    ):
        faq_services.add_entry(project=project, question=ASKED, answer=ANSWERED, by=rosa, now=now)
        address = reverse("work-faq", args=[mine.pk])
        assert ANSWERED in text(client_as(ann).get(address, {"reason": "the same tunnel"}))

    def test_the_answer_is_still_there_after_resuming(self, client_as, mine, ann, rosa, now):
        parked = park_and_ask(assignment=mine, reason=ASKED, by=ann, now=now)
        threads_services.answer_thread(thread=Thread.objects.get(), text=ANSWERED, by=rosa, now=now)
        assignments.resume_assignment(assignment=parked, by=ann, now=now)
        page = text(client_as(ann).get(reverse("submission-view", args=[mine.pk])))
        assert ANSWERED in page

    def test_a_question_about_submitted_work_is_asked_beside_it(
        self, client_as, project, question, ann, rosa, now
    ):
        mine = helpers.answer(project, ann, now)
        thread = threads_services.open_thread(
            assignment=mine, kind="question", text="Was it long enough?", by=ann, now=now
        )
        address = reverse("claim-view", args=[project.slug, thread.pk])
        page = text(client_as(rosa).get(address))
        assert "trains ran through the tunnel from 7 December 1869" in page
        assert "The East London Railway Company bought the tunnel in 1865." in page
        assert "Nothing was submitted" not in page


class TestKept:
    def test_its_seat_counts_and_the_same_person_comes_back(
        self, project, question, mine, ann, ben, now
    ):
        write(mine, ann, now)
        park(mine, ann, now)
        assert helpers.take(project, ben, now).task.question == question
        cat = factories.make_member(project, "annotator", name="Cat Cole")
        assert helpers.take(project, cat, now) is None
        assert Task.objects.get(question=question).seats == 0
        assignments.resume_assignment(assignment=mine, by=ann, now=now + HOUR)
        mine.refresh_from_db()
        assert from_json(mine.draft).text == "A first sentence."
        assert mine.lease_ends_at == now + 2 * HOUR

    def test_its_writer_gets_another_question_and_this_one_after_it(
        self, project, question, mine, ann, now
    ):
        park(mine, ann, now)
        other = helpers.open_question(project, now, text="who built the thames tunnel")
        second = helpers.take(project, ann, now)
        assert second.task.question == other
        with pytest.raises(Conflict, match="another question open"):
            assignments.resume_assignment(assignment=mine, by=ann, now=now)
        assignments.submit_response(assignment=second, response=helpers.response(), by=ann, now=now)
        assignments.resume_assignment(assignment=mine, by=ann, now=now)
        assignments.submit_response(assignment=mine, response=helpers.response(), by=ann, now=now)
        assert LongAnswer.objects.filter(author=ann).count() == 2

    def test_no_time_is_counted_while_it_lies(self, mine, ann, now):
        leases.record_activity(assignment=mine, by=ann, now=now + dt.timedelta(seconds=90))
        park(mine, ann, now + dt.timedelta(seconds=90))
        assignments.resume_assignment(assignment=mine, by=ann, now=now + 5 * HOUR)
        later = now + 5 * HOUR + dt.timedelta(seconds=30)
        assignments.submit_response(assignment=mine, response=helpers.response(), by=ann, now=later)
        mine.refresh_from_db()
        assert mine.active_seconds == 120

    def test_the_limit_of_the_project(self, project, question, mine, ann, now):
        project.parked_limit = 1
        project.save()
        park(mine, ann, now)
        helpers.open_question(project, now)
        second = helpers.take(project, ann, now)
        with pytest.raises(Conflict, match="1 question is parked, which is the maximum"):
            park(second, ann, now)
        second.refresh_from_db()
        assert second.state == State.ACTIVE
        assignments.give_back(assignment=mine, by=ann, now=now)
        park(second, ann, now)

    def test_when_its_time_ends_it_goes_to_somebody_else(self, project, question, ann, now):
        project.policies.update(people=1)
        single = helpers.open_question(project, now)
        Question.objects.filter(pk=question.pk).delete()
        mine = helpers.take(project, ann, now)
        write(mine, ann, now)
        park(mine, ann, now)
        hours = mine.policy.park_hours
        ben = factories.make_member(project, "annotator", name="Ben Baker")
        assert helpers.take(project, ben, now + hours * HOUR - HOUR) is None
        assert helpers.take(project, ben, now + hours * HOUR + HOUR).task.question == single
        mine.refresh_from_db()
        assert mine.state == State.EXPIRED
        assert from_json(mine.draft).text == "A first sentence."

    def test_it_can_be_kept_longer(self, mine, ann, now):
        park(mine, ann, now)
        until = mine.lease_ends_at
        assignments.extend_lease(assignment=mine, by=ann, now=now + HOUR)
        assert mine.lease_ends_at == until + HOUR

    def test_a_reason_is_needed(self, mine, ann, now):
        with pytest.raises(Conflict, match="what you are waiting for"):
            park(mine, ann, now, reason="  ")


class TestReturned:
    def test_work_sent_back_lies_parked_with_its_author_whatever_the_limit(
        self, client_as, project, question, ann, rosa, now
    ):
        project.parked_limit = 0
        project.save()
        mine = helpers.answer(project, ann, now)
        assignments.return_to_author(assignment=mine, note="Say who bought it.", by=rosa, now=now)
        mine.refresh_from_db()
        assert mine.state == State.PARKED
        assert from_json(mine.draft) == helpers.response()
        assert "Say who bought it." in text(client_as(ann).get(reverse("home")))
        page = text(client_as(ann).get(reverse("work-page", args=[mine.pk])))
        assert "Say who bought it." in page
        assignments.resume_assignment(assignment=mine, by=ann, now=now)
        assignments.submit_response(assignment=mine, response=helpers.response(), by=ann, now=now)
        assert LongAnswer.objects.get().author == ann


class TestConcern:
    def test_parked_work_on_an_excluded_question_is_resumed_and_handed_in(
        self, project, question, mine, ann, rosa, now
    ):
        concern = concerns_services.raise_concern(
            assignment=mine, disambiguations=[0], reason="Wrong year.", by=ann, now=now
        )
        park(mine, ann, now)
        concerns_services.decide_concern(
            concern=concern, state="upheld", note="So it is.", by=rosa, now=now
        )
        assignments.resume_assignment(assignment=mine, by=ann, now=now)
        assignments.submit_response(assignment=mine, response=helpers.response(), by=ann, now=now)
        assert LongAnswer.objects.get().author == ann
        question.refresh_from_db()
        assert question.state == Question.State.EXCLUDED
