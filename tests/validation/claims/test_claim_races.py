"""Claims and rulings that race, each on a PostgreSQL connection of its own."""

import pytest
from django.db import connection, transaction

from annotation.core.refusals import Conflict
from annotation.faq import services as faq_services
from annotation.feedback import services as feedback_services
from annotation.models import AuditEntry, FaqEntry, Message, Question, Thread
from annotation.threads import services as threads_services
from annotation.work import assignments
from tests import factories
from tests.annotation.work.helpers import in_parallel, seats_add_up
from tests.validation.claims.conftest import made_of, only
from tests.validation.conftest import one, outcomes_hold
from validation.claims import services as claims_services
from validation.claims.ruling_form import RulingEdits
from validation.decisions.queries import decision_of
from validation.models import Decision, Ruling

pytestmark = pytest.mark.django_db(transaction=True)
SET = made_of(((), ("1843",)))


def of(results, kind):
    return [each for each in results if isinstance(each, kind)]


def fresh(thread):
    return Thread.objects.select_related(
        "assignment__task__question", "assignment__project", "project"
    ).get(pk=thread.pk)


def change(thread, edited, by, now, basis):
    return lambda: claims_services.change_result(
        thread=fresh(thread), edited=edited, basis=basis, reason="So.", by=by, now=now
    )


def in_force(question):
    return Decision.objects.filter(question=question, in_force=True).count()


def test_two_of_staff_decide_at_once(claimed, bens, rosa, ada, now):
    basis = claims_services.get_standing(bens.pk).basis
    results = in_parallel(
        [
            change(claimed, SET, rosa, now, basis),
            change(claimed, RulingEdits(exclude=True), ada, now, basis),
            lambda: claims_services.uphold_result(
                thread=fresh(claimed), reason="No.", by=ada, now=now
            ),
        ]
    )
    assert len(of(results, Ruling)) == 1
    assert len(of(results, Conflict)) == 2, results
    assert in_force(bens) == 1
    assert Ruling.objects.count() == 1
    seats_add_up()
    outcomes_hold()


def test_claims_of_both_generators_are_decided_at_once(claimed, bens, ben, rosa, ada, turn_of, now):
    other = claims_services.open_claim(assignment=turn_of(ben), text="Mine.", by=ben, now=now)
    basis = claims_services.get_standing(bens.pk).basis
    results = in_parallel(
        [
            change(claimed, SET, rosa, now, basis),
            change(other, RulingEdits(exclude=True), ada, now, basis),
        ]
    )
    assert len(of(results, Ruling)) == len(of(results, Conflict)) == 1, results
    assert in_force(bens) == 1
    state = Question.objects.get(pk=bens.pk).state
    assert state == Decision.objects.get(question=bens, in_force=True).outcome
    seats_add_up()
    outcomes_hold()


def test_a_ruling_is_undone_by_two(claimed, bens, rosa, ada, now):
    ruling = change(
        claimed, RulingEdits(exclude=True), rosa, now, claims_services.get_standing(bens.pk).basis
    )()
    mine = Ruling.objects.select_related("thread__assignment__task__question")

    def undo(by):
        return lambda: claims_services.undo_ruling(ruling=mine.get(pk=ruling.pk), by=by, now=now)

    assert in_parallel([undo(rosa), undo(ada)]) == [None, None]
    assert AuditEntry.objects.filter(action="claim_ruling_undone").count() == 1
    assert Question.objects.get(pk=bens.pk).state == "edited"
    assert in_force(bens) == 1


def test_undone_while_the_other_generator_is_left_out(claimed, bens, ben, rosa, ada, turn_of, now):
    """Whoever is first: the question is answered again, and no decision is in force."""
    ruling = change(
        claimed, RulingEdits(exclude=True), rosa, now, claims_services.get_standing(bens.pk).basis
    )()
    mine = Ruling.objects.select_related("thread__assignment__task__question")
    results = in_parallel(
        [
            lambda: claims_services.undo_ruling(ruling=mine.get(pk=ruling.pk), by=rosa, now=now),
            lambda: assignments.soft_reject(
                assignment=turn_of(ben), note="Copied.", by=ada, now=now
            ),
        ]
    )
    assert not of(results[1:], Exception)
    assert not of(results[:1], Exception) or isinstance(results[0], Conflict)
    assert Question.objects.get(pk=bens.pk).state == "generating"
    assert in_force(bens) == 0
    seats_add_up()
    outcomes_hold()


def test_a_validator_submits_while_staff_decide(
    project, claimed, bens, ann, ben, val, rosa, ada, turn_of, now
):
    """The decision was reversed and a second validator is at it: staff wait, or come first."""
    basis = claims_services.get_standing(bens.pk).basis
    vera = factories.make_member(project, "validator", name="Vera Vogt")
    assignments.soft_reject(assignment=turn_of(val), note="Look again.", by=ada, now=now)
    assert Question.objects.get(pk=bens.pk).state == "validating"
    turn = assignments.take_next(project=project, stage="validation", by=vera, now=now)
    response, said = factories.opened(turn)
    response = only("1869")(response, said)
    results = in_parallel(
        [
            lambda: assignments.submit_response(
                assignment=turn, response=response, by=vera, now=now
            ),
            change(claimed, SET, rosa, now, basis),
        ]
    )
    assert not isinstance(results[0], Exception), results
    assert isinstance(results[1], Conflict), results
    assert in_force(bens) == 1
    assert Question.objects.get(pk=bens.pk).state == "edited"
    assert Thread.objects.get().state == "open"
    seats_add_up()
    outcomes_hold()


def test_an_export_under_way_reads_one_decision(claimed, bens, rosa, now):
    """A release reads within one snapshot: the decision of before or after, never none or two."""
    job = change(claimed, SET, rosa, now, claims_services.get_standing(bens.pk).basis)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        before = decision_of(bens.pk)
        (done,) = in_parallel([job])
        assert isinstance(done, Ruling)
        assert decision_of(bens.pk) == before
        assert in_force(bens) == 1
    assert decision_of(bens.pk) == done.decision


def test_claimed_from_two_windows(bens, ann, turn_of, now):
    results = in_parallel(
        [
            lambda text=text: claims_services.open_claim(
                assignment=turn_of(ann), text=text, by=ann, now=now
            )
            for text in ("One.", "Two.", "Two.")
        ]
    )
    assert len({thread.pk for thread in results}) == 1
    assert Thread.objects.count() == 1
    assert set(Message.objects.values_list("text", flat=True)) == {"One.", "Two."}


def test_withdrawn_while_staff_decide(claimed, bens, ann, rosa, now):
    results = in_parallel(
        [
            lambda: threads_services.withdraw_thread(thread=fresh(claimed), by=ann, now=now),
            change(claimed, SET, rosa, now, claims_services.get_standing(bens.pk).basis),
        ]
    )
    assert len(of(results, Conflict)) == 1, results
    state = Thread.objects.get().state
    assert (state, Ruling.objects.count()) in [("withdrawn", 0), ("changed", 1)]


def test_two_answer_a_question_and_both_are_kept(bens, ann, rosa, ada, turn_of, now):
    thread = threads_services.open_thread(
        assignment=turn_of(ann), kind="question", text="Why?", by=ann, now=now
    )
    results = in_parallel(
        [
            lambda who=who: threads_services.answer_thread(
                thread=fresh(thread), text=who.name, by=who, now=now
            )
            for who in (rosa, ada)
        ]
    )
    assert len(of(results, Message)) == 2, results
    assert AuditEntry.objects.filter(action="thread_answered").count() == 1


def test_one_entry_of_the_faq_for_one_thread(bens, ann, rosa, ada, turn_of, now):
    thread = threads_services.open_thread(
        assignment=turn_of(ann), kind="question", text="Why?", by=ann, now=now
    )
    threads_services.answer_thread(thread=thread, text="So.", by=rosa, now=now)
    results = in_parallel(
        [
            lambda who=who: faq_services.add_from_thread(thread=fresh(thread), by=who, now=now)
            for who in (rosa, ada)
        ]
    )
    assert results[0] == results[1]
    assert FaqEntry.objects.count() == 1


def test_entries_added_and_moved_at_once_keep_an_order(project, rosa, ada, now):
    first = [
        faq_services.add_entry(project=project, question=f"Q{n}?", answer="A.", by=rosa, now=now)
        for n in range(4)
    ]

    def move(entry, direction, by):
        own = FaqEntry.objects.select_related("project").get(pk=entry.pk)
        return lambda: faq_services.move_entry(entry=own, direction=direction, by=by, now=now)

    results = in_parallel(
        [
            move(first[1], "up", rosa),
            move(first[2], "up", ada),
            move(first[0], "down", ada),
            lambda: faq_services.add_entry(
                project=project, question="New?", answer="A.", by=ada, now=now
            ),
        ]
    )
    assert not of(results, Exception), results
    assert list(project.faq.values_list("position", flat=True)) == [0, 1, 2, 3, 4]


def test_a_quick_tag_pressed_twice(bens, ann, rosa, turn_of, now):
    turn = turn_of(ann)
    results = in_parallel(
        [lambda: feedback_services.give_feedback(assignment=turn, tag="good", by=rosa, now=now)] * 2
    )
    assert results[0] == results[1]
    assert Message.objects.count() == Thread.every.count() == 1


def test_an_agreement_is_changed_by_two_claims(
    project, question, ann, ben, rosa, ada, answer, turn_of, now
):
    """Nobody had decided before: still only one first decision."""
    answer(project, ann, one("1843"))
    answer(project, ben, one("1843"))
    both = [
        claims_services.open_claim(assignment=turn_of(who), text="No.", by=who, now=now)
        for who in (ann, ben)
    ]
    basis = claims_services.get_standing(question.pk).basis
    edited = made_of(((), ("1844",)))
    results = in_parallel(
        [
            change(thread, edited, who, now, basis)
            for thread, who in zip(both, (rosa, ada), strict=True)
        ]
    )
    assert len(of(results, Ruling)) == len(of(results, Conflict)) == 1, results
    assert in_force(question) == 1
