"""Concerns: who may raise, withdraw and decide, and what becomes of the question."""

import datetime as dt

import pytest
from django.urls import reverse

from annotation.access.work import check_can_see_answers
from annotation.core.refusals import Conflict, Denied
from annotation.long_answers.concerns import services as concerns_services
from annotation.models import (
    AuditEntry,
    Concern,
    LongAnswer,
    PayEntry,
    Question,
    StagePolicy,
    Task,
)
from annotation.monitoring import queries as monitoring_queries
from annotation.projects import services as projects_services
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.long_answers import helpers

State = Question.State
LATER = dt.timedelta(minutes=5)


def raise_it(assignment, by, now, about=(), reason="They mean the same.", **more):
    return concerns_services.raise_concern(
        assignment=assignment, disambiguations=about, reason=reason, by=by, now=now, **more
    )


def decide(concern, by, now, state="upheld", note="Both disambiguations are one."):
    return concerns_services.decide_concern(concern=concern, state=state, note=note, by=by, now=now)


def state(question):
    question.refresh_from_db()
    return question.state


def actions():
    return list(
        AuditEntry.objects.filter(action__startswith="concern")
        .order_by("pk")
        .values_list("action", flat=True)
    )


class TestRaising:
    def test_nobody_new_gets_the_question(self, project, question, mine, ann, ben, now):
        concern = raise_it(mine, ann, now, about=[1, 0, 1])
        assert (concern.assignment, concern.author, concern.state) == (mine, ann, "open")
        assert concern.disambiguations == [0, 1]
        assert concern.about == "Disambiguations 1 and 2"
        assert state(question) == State.FLAGGED
        assert helpers.take(project, ben, now) is None
        assert Task.objects.get(question=question).seats == 0
        assert actions() == ["concern_raised"]
        entry = AuditEntry.objects.get(action="question_state")
        assert entry.data == {"before": "imported", "after": "flagged"}

    def test_its_writer_goes_on_and_is_counted(self, question, concern, mine, ann, now):
        assignments.submit_response(assignment=mine, response=helpers.response(), by=ann, now=now)
        assert LongAnswer.objects.filter(author=ann).exists()
        assert state(question) == State.FLAGGED

    def test_parked_and_submitted_work_can_raise_one(self, project, question, mine, ann, ben, now):
        assignments.park_assignment(assignment=mine, reason="Unsure", by=ann, now=now)
        assert raise_it(mine, ann, now).about == "The question as a whole"
        concerns_services.withdraw_concern(concern=Concern.objects.get(), by=ann, now=now)
        theirs = helpers.answer(project, ben, now)
        assert raise_it(theirs, ben, now, about=[0]).about == "Disambiguation 1"
        assert state(question) == State.FLAGGED

    def test_a_second_one_changes_the_first(self, question, concern, mine, ann, now):
        again = raise_it(mine, ann, now, about=[0, 1], reason="They are one.")
        assert again.pk == concern.pk
        concern.refresh_from_db()
        assert (concern.disambiguations, concern.reason) == ([0, 1], "They are one.")
        raise_it(mine, ann, now, about=[0, 1], reason="They are one.")
        assert Concern.objects.count() == 1
        assert actions() == ["concern_raised", "concern_changed"]
        changed = AuditEntry.objects.get(action="concern_changed")
        assert changed.data["before"]["reason"] == "Trains ran through it earlier, too."

    def test_two_writers_can_raise_one_each(self, project, question, ann, ben, now):
        mine, theirs = helpers.take(project, ann, now), helpers.take(project, ben, now)
        raise_it(mine, ann, now)
        raise_it(theirs, ben, now)
        assert Concern.objects.filter(state="open").count() == 2

    def test_a_change_to_a_decided_one_raises_nothing(self, concern, mine, ann, rosa, now):
        decide(concern, rosa, now, "dismissed", "They differ.")
        with pytest.raises(Conflict, match="the question is kept"):
            raise_it(mine, ann, now, changes=concern.pk)
        assert Concern.objects.count() == 1
        raise_it(mine, ann, now, reason="Read the article.")  # unprompted: a new one
        assert Concern.objects.count() == 2

    @pytest.mark.parametrize(
        ("about", "reason", "sentence"),
        [
            ([2], "Wrong.", "Choose among the disambiguations"),
            ([-1], "Wrong.", "Choose among the disambiguations"),
            ([0], " \n ", "Say what is wrong"),
            ([0], "x" * 5001, "at most 5,000 characters. It has 5,001"),
        ],
    )
    def test_what_says_nothing_is_refused(self, question, mine, ann, now, about, reason, sentence):
        with pytest.raises(Conflict, match=sentence):
            raise_it(mine, ann, now, about=about, reason=reason)
        assert not Concern.objects.exists()
        assert state(question) == State.IMPORTED

    def test_only_the_whole_question_where_readings_are_not_given(self, mine, ann, now):
        mine.inputs = StagePolicy.Inputs.QUESTION
        with pytest.raises(Conflict, match="Choose among the disambiguations"):
            raise_it(mine, ann, now, about=[0])
        assert raise_it(mine, ann, now).disambiguations == []

    def test_not_by_others_nor_after_the_turn(self, mine, ann, ben, now):
        with pytest.raises(Denied, match="Someone else has this question"):
            raise_it(mine, ben, now)
        assignments.give_back(assignment=mine, by=ann, now=now)
        with pytest.raises(Conflict, match="no longer have this question"):
            raise_it(mine, ann, now)

    def test_not_by_who_left(self, project, mine, ann, now):
        project.memberships.filter(user=ann).delete()
        with pytest.raises(Denied, match="no longer work in this project"):
            raise_it(mine, ann, now)

    def test_not_on_an_excluded_question(self, project, question, ann, ben, rosa, now):
        mine, theirs = helpers.take(project, ann, now), helpers.take(project, ben, now)
        decide(raise_it(mine, ann, now), rosa, now)
        with pytest.raises(Conflict, match="already excluded this question"):
            raise_it(theirs, ben, now)

    def test_not_in_a_project_without_readings(self, rosa, now):
        other = factories.make_project(slug="short")
        assignment = factories.make_assignment(
            factories.make_task(other), factories.make_member(other, "annotator")
        )
        with pytest.raises(Conflict, match="There are none"):
            raise_it(assignment, assignment.user, now)


class TestStaff:
    def raise_it(self, question, by, now, about=(), reason="They mean the same."):
        return concerns_services.raise_as_staff(
            question=question, disambiguations=about, reason=reason, by=by, now=now
        )

    def test_on_any_question(self, project, question, rosa, ann, now):
        concern = self.raise_it(question, rosa, now, about=[0])
        assert (concern.assignment, concern.author) == (None, rosa)
        assert state(question) == State.FLAGGED
        assert helpers.take(project, ann, now) is None

    def test_not_by_a_writer(self, question, ann, now):
        with pytest.raises(Denied, match="Only researchers and admins"):
            self.raise_it(question, ann, now)

    def test_a_reading_there_is_not(self, question, rosa, now):
        with pytest.raises(Conflict, match="Choose among"):
            self.raise_it(question, rosa, now, about=[7])

    def test_a_finished_import_keeps_its_work_and_comes_back(self, project, rosa, ada, now):
        finished = helpers.make_question(project, state=State.ACCEPTED)
        written = LongAnswer.objects.create(question=finished, text=helpers.TEXT, created_at=now)
        concern = self.raise_it(finished, rosa, now)
        assert state(finished) == State.FLAGGED
        tasks.open_tasks(question_ids=[finished.pk], now=now)
        assert not Task.objects.filter(question=finished).exists()
        decide(concern, ada, now)
        assert state(finished) == State.EXCLUDED
        assert LongAnswer.objects.filter(pk=written.pk).exists()
        concerns_services.reopen_concern(concern=concern, by=ada, now=now)
        assert state(finished) == State.FLAGGED
        decide(concern, ada, now, "dismissed", "")
        assert state(finished) == State.ACCEPTED
        assert not Task.objects.filter(question=finished).exists()

    def test_a_question_without_a_task_yet_gets_it_when_it_is_kept(self, project, rosa, ada, now):
        waiting = helpers.make_question(project)
        concern = self.raise_it(waiting, rosa, now)
        assert tasks.open_tasks(question_ids=[waiting.pk], now=now) == 0
        decide(concern, ada, now, "dismissed", "")
        assert state(waiting) == State.IMPORTED
        assert Task.objects.get(question=waiting).seats == 2


class TestWithdrawing:
    def test_frees_the_question(self, project, question, concern, ann, ben, now):
        concerns_services.withdraw_concern(concern=concern, by=ann, now=now)
        assert concern.state == "withdrawn"
        assert state(question) == State.IMPORTED
        assert helpers.take(project, ben, now) is not None
        concerns_services.withdraw_concern(
            concern=concern, by=ann, now=now
        )  # a button pressed twice
        assert actions() == ["concern_raised", "concern_withdrawn"]

    def test_not_by_others_nor_after_a_decision(self, question, concern, ann, rosa, now):
        with pytest.raises(Denied, match="Only the person who raised"):
            concerns_services.withdraw_concern(concern=concern, by=rosa, now=now)
        decide(concern, rosa, now)
        with pytest.raises(Conflict, match="the question is excluded"):
            concerns_services.withdraw_concern(concern=concern, by=ann, now=now)
        assert state(question) == State.EXCLUDED


class TestDeciding:
    def test_upheld_excludes(self, project, question, concern, ben, rosa, now):
        decided = decide(concern, rosa, now + LATER)
        assert (decided.state, decided.note) == ("upheld", "Both disambiguations are one.")
        assert (decided.decided_by, decided.decided_at) == (rosa, now + LATER)
        assert state(question) == State.EXCLUDED
        assert helpers.take(project, ben, now) is None
        assert actions() == ["concern_raised", "concern_upheld"]

    def test_dismissed_frees(self, project, question, concern, ben, rosa, now):
        decide(concern, rosa, now, "dismissed", "")
        assert state(question) == State.IMPORTED
        assert helpers.take(project, ben, now) is not None

    def test_work_goes_on_counting_while_it_waits(
        self, project, question, ann, ben, mine, rosa, now
    ):
        theirs = helpers.take(project, ben, now)
        concern = raise_it(mine, ann, now)
        assignments.submit_response(assignment=theirs, response=helpers.response(), by=ben, now=now)
        assignments.submit_response(assignment=mine, response=helpers.response(), by=ann, now=now)
        assert state(question) == State.FLAGGED
        decide(concern, rosa, now, "dismissed", "")
        assert state(question) == State.ACCEPTED

    def test_a_reason_is_needed_to_exclude(self, question, concern, rosa, now):
        with pytest.raises(Conflict, match="Say why the question is excluded"):
            decide(concern, rosa, now, note="  ")
        assert state(question) == State.FLAGGED

    @pytest.mark.parametrize("wrong", ["open", "withdrawn", "", "nonsense"])
    def test_only_the_two_decisions(self, concern, rosa, now, wrong):
        with pytest.raises(Conflict, match="excluded or kept"):
            decide(concern, rosa, now, wrong)

    def test_not_by_a_writer(self, concern, ben, now):
        with pytest.raises(Denied, match="Only researchers and admins"):
            decide(concern, ben, now)

    def test_who_raised_it_leaves_it_to_others(self, question, rosa, ada, now):
        concern = concerns_services.raise_as_staff(
            question=question, disambiguations=[], reason="One.", by=rosa, now=now
        )
        with pytest.raises(Denied, match="Another member of the team decides"):
            decide(concern, rosa, now)
        decide(concern, ada, now)
        with pytest.raises(Denied, match="Another member of the team decides"):
            concerns_services.reopen_concern(concern=concern, by=rosa, now=now)

    def test_unless_they_are_the_only_staff(self, question, rosa, ada, now):
        concern = concerns_services.raise_as_staff(
            question=question, disambiguations=[], reason="One.", by=rosa, now=now
        )
        ada.is_active = False
        ada.save()
        decide(concern, rosa, now)
        assert state(question) == State.EXCLUDED

    def test_a_decided_one_is_not_decided_again(self, concern, rosa, ada, now):
        decide(concern, rosa, now)
        decide(concern, rosa, now + LATER)  # a button pressed twice
        concern.refresh_from_db()
        assert concern.decided_at == now
        stale = Concern.objects.get()
        with pytest.raises(Conflict, match="Nothing was changed"):
            decide(stale, ada, now, "dismissed", "")
        assert actions() == ["concern_raised", "concern_upheld"]

    def test_each_concern_of_a_question_by_itself(self, project, question, ann, ben, rosa, now):
        mine, theirs = helpers.take(project, ann, now), helpers.take(project, ben, now)
        first, second = raise_it(mine, ann, now), raise_it(theirs, ben, now)
        decide(first, rosa, now, "dismissed", "")
        assert state(question) == State.FLAGGED
        decide(second, rosa, now)
        assert state(question) == State.EXCLUDED
        concerns_services.reopen_concern(concern=second, by=rosa, now=now)
        decide(second, rosa, now, "dismissed", "")
        assert state(question) == State.IMPORTED

    def test_a_withdrawn_one_is_decided_by_nobody(self, concern, ann, rosa, now):
        concerns_services.withdraw_concern(concern=concern, by=ann, now=now)
        with pytest.raises(Conflict, match="withdrawn this concern"):
            decide(concern, rosa, now)
        with pytest.raises(Conflict, match="withdrawn this concern"):
            concerns_services.reopen_concern(concern=concern, by=rosa, now=now)


class TestUndoing:
    def test_the_concern_waits_again(self, question, concern, ann, rosa, now):
        decide(concern, rosa, now)
        assert (
            concerns_services.mark_read(assignment=concern.assignment, until=now, by=ann, now=now)
            == 1
        )
        concerns_services.reopen_concern(concern=concern, by=rosa, now=now)
        concern.refresh_from_db()
        assert (concern.state, concern.note, concern.decided_by) == ("open", "", None)
        assert concern.read_at is None
        assert state(question) == State.FLAGGED
        entry = AuditEntry.objects.get(action="concern_reopened")
        assert entry.data["note"] == "Both disambiguations are one."
        concerns_services.reopen_concern(
            concern=concern, by=rosa, now=now
        )  # a button pressed twice
        assert actions() == ["concern_raised", "concern_upheld", "concern_reopened"]

    def test_not_beside_another_of_the_same_person(self, question, concern, mine, ann, rosa, now):
        decide(concern, rosa, now, "dismissed", "They differ.")
        raise_it(mine, ann, now, reason="Again.")
        with pytest.raises(Conflict, match="raised another one"):
            concerns_services.reopen_concern(concern=concern, by=rosa, now=now)
        concern.refresh_from_db()
        assert concern.state == "dismissed"


class TestPay:
    @pytest.fixture(autouse=True)
    def paid(self, project):
        project.policies.update(pay="1.50", pay_accepted="0.25")

    def sums(self):
        found = {}
        for entry in PayEntry.objects.all():
            found[entry.user.name] = found.get(entry.user.name, 0) + float(entry.amount)
        return found

    def test_work_on_an_excluded_question_stays_paid(self, project, question, ann, ben, rosa, now):
        mine = helpers.answer(project, ann, now)
        helpers.answer(project, ben, now)
        both = {"Ann Archer": 1.75, "Ben Baker": 1.75}
        assert self.sums() == both
        concern = raise_it(mine, ann, now)
        assert self.sums() == both
        decide(concern, rosa, now)  # wrong disambiguations are no fault of who wrote
        assert self.sums() == both
        concerns_services.reopen_concern(concern=concern, by=rosa, now=now)
        decide(concern, rosa, now, "dismissed", "")
        assert self.sums() == both

    def test_who_had_it_in_hand_is_paid_after_the_exclusion(
        self, project, question, mine, ann, ben, rosa, now
    ):
        theirs = helpers.take(project, ben, now)
        decide(raise_it(mine, ann, now), rosa, now)
        assignments.submit_response(assignment=theirs, response=helpers.response(), by=ben, now=now)
        assert self.sums() == {"Ben Baker": 1.75}
        assert state(question) == State.EXCLUDED


def test_more_people_do_not_open_a_flagged_question(project, question, concern, ben, rosa, now):
    for policy in project.policies.all():
        tasks.change_people(policy=policy, people=4, by=rosa, now=now)
    assert state(question) == State.FLAGGED
    assert helpers.take(project, ben, now) is None


def test_a_paused_project_still_decides(project, question, concern, rosa, now):
    projects_services.change_state(project=project, state="paused", by=rosa, now=now)
    decide(concern, rosa, now)
    assert state(question) == State.EXCLUDED


@pytest.mark.parametrize("leave", ["give_back", "skip_question", "expire"])
def test_who_left_it_takes_no_question_up_that_is_set_aside(
    project, question, ann, rosa, ada, now, leave, client_as
):
    project.policies.update(people=3)
    mine = helpers.take(project, ann, now)
    if leave == "expire":
        now += dt.timedelta(hours=2)
        assignments.reclaim_seats(policy_id=mine.policy_id, now=now)
    else:
        more = {"reason": "subjective"} if leave == "skip_question" else {}
        getattr(assignments, leave)(assignment=mine, by=ann, now=now, **more)

    def page():
        return client_as(ann).get(reverse("work-page", args=[mine.pk])).text

    assert "Take it up again" in page()
    concern = concerns_services.raise_as_staff(
        question=question, disambiguations=[], reason="It is odd.", by=rosa, now=now
    )
    with pytest.raises(Conflict, match="A concern was raised about this question"):
        assignments.reopen_assignment(assignment=mine, by=ann, now=now)
    assert "A concern was raised about this question" in page()
    concerns_services.decide_concern(
        concern=concern, state="upheld", note="It is odd.", by=ada, now=now
    )
    with pytest.raises(Conflict, match="The team has excluded this question"):
        assignments.reopen_assignment(assignment=mine, by=ann, now=now)
    assert "The team has excluded this question" in page()
    assert "Take it up again" not in page()
    assert "someone else has" not in page()
    concerns_services.reopen_concern(concern=concern, by=ada, now=now)
    concerns_services.decide_concern(concern=concern, state="dismissed", by=ada, now=now)
    assert assignments.reopen_assignment(assignment=mine, by=ann, now=now).state == "active"


def test_staff_who_may_come_back_to_it_read_nothing_while_a_concern_waits(
    project, question, ann, ada, now
):
    project.memberships.create(user=ada, role="annotator", created_at=now)
    theirs = helpers.take(project, ada, now)
    assignments.give_back(assignment=theirs, by=ada, now=now)
    done = helpers.answer(project, ann, now)
    concern = raise_it(done, ann, now)
    with pytest.raises(Denied, match="You can still answer this question yourself"):
        check_can_see_answers(ada, question)
    assert monitoring_queries.list_latest_submissions(project, ann, reader=ada)[0] == []
    decide(concern, ada, now)
    check_can_see_answers(ada, question)
    assert monitoring_queries.list_latest_submissions(project, ann, reader=ada)[0] == [done]
