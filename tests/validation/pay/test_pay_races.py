"""Racing submissions, decisions and returns post once: threads with connections of their own."""

from dataclasses import replace

import pytest
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from annotation.core.refusals import Denied
from annotation.models import Assignment, PayEntry, Question
from annotation.pay import services as pay_services
from annotation.work import assignments, seats, tasks
from tests import factories
from tests.annotation.work.helpers import in_parallel, read_a_page
from tests.validation.conftest import kept, one, outcomes_hold, several
from tests.validation.simulated import first_correct, validate
from validation.audits import services as audits_services
from validation.models import SubmissionOutcome

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def turns(project, ann, ben):
    """Ann and Ben are on the same question, paid on submission and on acceptance."""
    project.policies.update(pay="0.75", pay_accepted="0.10")
    question = factories.make_question(project)
    now = timezone.now()
    tasks.open_tasks(question_ids=[question.pk], now=now)
    found = []
    for person in (ann, ben):
        turn = assignments.take_next(project=project, stage="generation", by=person, now=now)
        read_a_page(turn, now)
        found.append(turn)
    return found


def submit(turn, said=None):
    now = timezone.now()
    mine = Assignment.objects.select_related("policy", "project", "task__question", "user").get(
        pk=turn.pk
    )
    response = kept(mine, said or one("1843"), now)
    return assignments.submit_response(assignment=mine, response=response, by=mine.user, now=now)


def sums():
    rows = PayEntry.objects.values("user", "kind").annotate(sum=Sum("amount")).order_by()
    return {(row["user"], row["kind"]): str(row["sum"]) for row in rows}


def test_eight_racing_submits_of_two_people_post_each_once(turns, ann, ben):
    results = in_parallel([lambda turn=turn: submit(turn) for turn in turns for _ in range(4)])
    assert not [each for each in results if isinstance(each, Exception)]
    # Both said 1843: accepted automatically, in the transaction of whoever came second.
    assert PayEntry.objects.count() == 4
    assert sums() == {
        (person.pk, kind): amount
        for person in (ann, ben)
        for kind, amount in (("submitted", "0.75"), ("accepted", "0.10"))
    }
    assert SubmissionOutcome.objects.count() == 2
    outcomes_hold()


def test_racing_decisions_and_settling_pay_each_pair_once(turns, val, rosa, ann, ben):
    """A60: five validations of one question and as many settlings at once pay each pair once."""
    project = turns[0].project
    Assignment.objects.update(pay=0)
    project.policies.update(pay=0, pay_accepted=0, pay_pair="0.15", pay_pairs_max=2)
    two = several(("When did it open to people?", "1843"), ("When did it open to trains?", "1869"))
    submit(turns[0])
    submit(turns[1], two)
    now = timezone.now()
    turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
    given = factories.given_for(turn)
    response = kept(turn, replace(given.stored, verdicts=(True,) * len(given.said)), now)
    question = turn.task.question_id

    def settle():
        return seats.settle_questions([question], "ambigqa", now=timezone.now())

    def validate():
        mine = Assignment.objects.select_related("policy", "project", "task__question", "user")
        return assignments.submit_response(
            assignment=mine.get(pk=turn.pk), response=response, by=val, now=timezone.now()
        )

    def leave_out():
        mine = Assignment.objects.select_related("policy", "project").get(pk=turns[0].pk)
        assignments.soft_reject(assignment=mine, note="Hm.", by=rosa, now=timezone.now())

    results = in_parallel([validate] * 5)
    assert not [each for each in results if isinstance(each, Exception)]
    assert sums() == {(ann.pk, "pairs"): "0.15", (ben.pk, "pairs"): "0.30"}
    assert PayEntry.objects.count() == 2
    results = in_parallel([leave_out, leave_out, settle_alone(settle), settle_alone(settle)])
    assert not [e for e in results if isinstance(e, Exception) and not isinstance(e, Denied)]
    # The question is open again, so that nothing on it is accepted until it is answered.
    assert sums() == {(ann.pk, "pairs"): "0.00", (ben.pk, "pairs"): "0.00"}
    assert PayEntry.objects.count() == 4
    outcomes_hold()


def test_racing_audits_decisions_and_settling_pay_a_match_once(turns, val, eve, rosa):
    """An audit is handed in while others settle and leave out: its bonus is paid once (A60)."""
    project = turns[0].project
    Assignment.objects.update(pay=0)
    project.policies.update(pay=0, pay_accepted=0, pay_match="0.50")
    submit(turns[0])
    submit(turns[1], one("1869"))
    now = timezone.now()
    validate(project, val, first_correct, turns[0].user, now)
    audits_services.draw_sample(project=project, split="dev", size=1, by=rosa, now=now)
    project.policies.filter(stage="audit").update(minimum_seconds=0)
    audit = assignments.take_next(project=project, stage="audit", by=eve, now=now)
    read_a_page(audit, now)
    question = audit.task.question_id

    def settle():
        return seats.settle_questions([question], "ambigqa", now=timezone.now())

    def leave_out(stage):
        mine = Assignment.objects.select_related("policy", "project").get(
            task__question=question, stage=stage
        )
        assignments.soft_reject(assignment=mine, note="Hm.", by=rosa, now=timezone.now())

    results = in_parallel([lambda: submit(audit)] * 4 + [settle_alone(settle)] * 2)
    assert not [each for each in results if isinstance(each, Exception)]
    assert sums() == {(val.pk, "match"): "0.50"}
    assert PayEntry.objects.count() == 1
    left_out = [lambda stage=stage: leave_out(stage) for stage in ("audit", "validation") * 2]
    results = in_parallel([*left_out, settle_alone(settle), settle_alone(settle)])
    assert not [e for e in results if isinstance(e, Exception) and not isinstance(e, Denied)]
    assert sums() == {(val.pk, "match"): "0.00"}
    assert PayEntry.objects.count() == 2


def settle_alone(settle):
    """Settle in a transaction of its own, with the question locked, as the engine does."""

    def act():
        with transaction.atomic():
            list(Question.objects.select_for_update().order_by("pk"))
            return settle()

    return act


def test_racing_returns_and_submits_leave_what_the_state_says(turns, rosa):
    for turn in turns:
        submit(turn)
    first = turns[0]

    def send_back():
        turn = Assignment.objects.select_related("policy", "project").get(pk=first.pk)
        assignments.return_to_author(assignment=turn, note="Hm.", by=rosa, now=timezone.now())

    def leave_out():
        turn = Assignment.objects.select_related("policy", "project").get(pk=turns[1].pk)
        assignments.soft_reject(assignment=turn, note="Hm.", by=rosa, now=timezone.now())

    results = in_parallel([send_back, send_back, leave_out, leave_out, lambda: submit(first)])
    assert not [e for e in results if isinstance(e, Exception) and not isinstance(e, Denied)]
    author, other = first.user_id, turns[1].user_id
    assert sums() == {
        (author, "submitted"): "0.00",
        (author, "accepted"): "0.00",
        (other, "submitted"): "0.75",
        (other, "accepted"): "0.00",
    }
    assert PayEntry.objects.count() == 7
    outcomes_hold()


def test_settling_past_the_lock_is_refused_by_the_database(turns):
    """Were the question not locked, the number of the entry would still let only one through."""
    submit(turns[0])
    Assignment.objects.filter(pk=turns[0].pk).update(pay="1.75")
    question = turns[0].task.question_id

    def settle():
        return pay_services.settle_pay(
            question_ids=[question], decided=[], protocol="ambigqa", now=timezone.now()
        )

    in_parallel([settle] * 6)
    assert sums() == {(turns[0].user_id, "submitted"): "1.75"}
    assert PayEntry.objects.count() == 2
