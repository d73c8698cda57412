"""Handing work in, and every way it can be too late, too early or too often."""

import datetime as dt

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.generation.responses import GenerationResponse, WrittenPair, to_json
from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    AuditEntry,
    Event,
    KeptWarning,
    Membership,
    Project,
)
from annotation.sheets.answers import AnswerForm
from annotation.sheets.fields import Keep
from annotation.work import assignments
from tests import factories
from tests.annotation.work.helpers import easy, multiple, read_a_page, seats_add_up, single
from wikipedia.models import Quote, ShownPage

TEXT = "The Thames Tunnel opened to people on foot in 1843 and to trains in 1869."


@pytest.fixture
def work(project, ann, now):
    """Ann works on a question that asks for two people, and has read a page."""
    easy(project)
    assignment = factories.make_assignment(factories.make_task(project), ann)
    read_a_page(assignment, now, TEXT)
    return assignment


def quote_of(page, by, now):
    return Quote.objects.create(
        page=page,
        exact="1843",
        start=46,
        end=50,
        block_kind="paragraph",
        made_by="selection",
        created_by=by,
        created_at=now,
    )


def test_it_writes_the_annotation_and_the_pay(work, ann, now):
    type(work.policy).objects.filter(pk=work.policy_id).update(pay="0.75")
    work.policy.refresh_from_db()
    annotation = assignments.submit_response(assignment=work, response=multiple(), by=ann, now=now)
    assert (annotation.kind, annotation.author) == ("multiple", ann)
    pairs = [(p.question, [a.text for a in p.answers.all()]) for p in annotation.pairs.all()]
    assert pairs == [(p.question, [a.text for a in p.answers]) for p in multiple().pairs]
    work.refresh_from_db()
    assert (work.state, work.submitted_at, work.ended_at) == ("submitted", now, now)
    assert work.lease_ends_at is None
    assert work.handed_over_at == now
    assert str(work.pay) == "0.75"
    assert work.draft == to_json(multiple())
    assert AuditEntry.objects.get(action="assignment_submitted").actor == ann.pk
    seats_add_up()


def test_submitting_twice_gives_the_first_answer(work, ann, now):
    first = assignments.submit_response(assignment=work, response=single("1843"), by=ann, now=now)
    stale = Assignment.objects.get(pk=work.pk)
    again = assignments.submit_response(assignment=stale, response=single("1869"), by=ann, now=now)
    assert again.pk == first.pk
    assert list(Answer.objects.values_list("text", flat=True)) == ["1843"]
    assert AuditEntry.objects.filter(action="assignment_submitted").count() == 1


def test_only_the_chosen_kind_is_kept(work, ann, now):
    both = GenerationResponse(kind="single", pairs=multiple().pairs, single=single().single)
    annotation = assignments.submit_response(assignment=work, response=both, by=ann, now=now)
    assert [pair.question for pair in annotation.pairs.all()] == [""]
    work.refresh_from_db()
    assert len(work.draft["pairs"]) == 2  # the draft still has what was typed


def test_no_answer_keeps_its_reason(work, ann, now):
    none = GenerationResponse(kind="none", none_reason="The article does not say.")
    annotation = assignments.submit_response(assignment=work, response=none, by=ann, now=now)
    assert (annotation.kind, annotation.none_reason) == ("none", "The article does not say.")
    assert not annotation.pairs.exists()


def test_feedback_is_stored_apart(work, ann, now):
    response = GenerationResponse(kind="single", single=single().single, feedback="Nice one.")
    assignments.submit_response(assignment=work, response=response, by=ann, now=now)
    work.refresh_from_db()
    assert work.feedback == "Nice one."


def test_errors_refuse_with_the_report_and_change_nothing(work, ann, now):
    with pytest.raises(assignments.ResponseRefused) as refused:
        assignments.submit_response(assignment=work, response=GenerationResponse(), by=ann, now=now)
    assert not refused.value.report.can_submit
    assert refused.value.status == 422
    work.refresh_from_db()
    assert work.state == "active"
    assert not Annotation.objects.exists()


def test_the_server_counts_pages_and_seconds_itself(project, ann, now):
    assignment = factories.make_assignment(factories.make_task(project), ann, seen_at=now)
    with pytest.raises(assignments.ResponseRefused) as refused:
        assignments.submit_response(
            assignment=assignment, response=single(), by=ann, now=now + dt.timedelta(seconds=20)
        )
    rules = {finding.field for finding in refused.value.report.blocking}
    assert {"pages", "time"} <= rules
    read_a_page(assignment, now, TEXT)
    assignments.submit_response(
        assignment=assignment, response=single(), by=ann, now=now + dt.timedelta(seconds=61)
    )
    assignment.refresh_from_db()
    assert assignment.active_seconds == 61


def test_a_warning_needs_a_reason_and_the_reason_is_stored(work, ann, now):
    unseen = single("Brunel")
    with pytest.raises(assignments.ResponseRefused) as refused:
        assignments.submit_response(assignment=work, response=unseen, by=ann, now=now)
    (finding,) = refused.value.report.blocking
    assert finding.level == "warning"
    keep = Keep(finding.rule, finding.field, "It is in the picture.")
    kept = GenerationResponse(kind="single", single=unseen.single, keeps=(keep,))
    annotation = assignments.submit_response(assignment=work, response=kept, by=ann, now=now)
    row = KeptWarning.objects.get(annotation=annotation)
    assert (row.rule, row.field, row.reason) == (finding.rule, finding.field, keep.reason)
    assert Event.objects.get(kind="warning_kept").data["reason"] == keep.reason


def test_a_reason_for_a_warning_that_did_not_fire_is_not_stored(work, ann, now):
    response = GenerationResponse(
        kind="single",
        single=single().single,
        keeps=(Keep("long-answer", "single-answer", "Just so."),),
    )
    assignments.submit_response(assignment=work, response=response, by=ann, now=now)
    assert not KeptWarning.objects.exists()


def test_own_quotes_are_linked_and_others_are_left_off(work, ann, ben, now):
    page = ShownPage.objects.get()
    mine, his = quote_of(page, ann, now), quote_of(page, ben, now)
    elsewhere = ShownPage.objects.create(
        snapshot=factories.make_snapshot(),
        path="X",
        title="X",
        retrieved_at=now,
        text="1843",
        text_sha256="x",
    )
    foreign = quote_of(elsewhere, ann, now)
    forms = tuple(
        AnswerForm(text, quote)
        for text, quote in (("1843", mine.pk), ("in 1843", his.pk), ("foot", foreign.pk))
    )
    response = GenerationResponse(kind="single", single=(*forms, AnswerForm("trains", 10**12)))
    assignments.submit_response(assignment=work, response=response, by=ann, now=now)
    stored = Answer.objects.order_by("position").values_list("quote_id", flat=True)
    assert list(stored) == [mine.pk, None, None, None]


def test_somebody_else_cannot_hand_it_in(work, ben, now):
    with pytest.raises(Denied, match="omeone else"):
        assignments.submit_response(assignment=work, response=single(), by=ben, now=now)


def expire(assignment, now):
    type(assignment).objects.filter(pk=assignment.pk).update(
        lease_ends_at=now - dt.timedelta(minutes=5)
    )
    assignments.reclaim_seats(policy_id=assignment.policy_id, now=now)


def test_late_but_nobody_else_came_so_it_is_accepted(work, ann, now):
    expire(work, now)
    assignments.submit_response(assignment=work, response=single(), by=ann, now=now)
    work.refresh_from_db()
    assert work.state == "submitted"
    assert AuditEntry.objects.get(action="assignment_submitted").data == {"late": True}
    seats_add_up()


def test_late_and_the_seat_is_gone_so_the_text_is_kept(work, ann, now):
    project = work.project
    expire(work, now)
    for name in ("Ben Baker", "Cleo Cole"):
        other = factories.make_member(project, "annotator", name=name)
        assignments.take_next(project=project, stage="generation", by=other, now=now)
    ended = dt.datetime(2026, 3, 5, 16, 5, tzinfo=dt.UTC)
    Assignment.objects.filter(pk=work.pk).update(ended_at=ended)
    with pytest.raises(Conflict) as late:
        assignments.submit_response(assignment=work, response=single(), by=ann, now=now)
    assert str(late.value) == (
        "Your time ended at 16:05 and someone else has this question now. "
        "Your text is kept under Drafts."
    )
    work.refresh_from_db()
    assert (work.state, work.draft, work.draft_version) == ("expired", to_json(single()), 1)
    assert not Annotation.objects.exists()
    seats_add_up()


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_project_that_does_not_run_accepts_nothing_but_keeps_the_text(work, ann, now, state):
    Project.objects.filter(pk=work.project_id).update(state=state)
    with pytest.raises(Conflict, match=state):
        assignments.submit_response(assignment=work, response=single(), by=ann, now=now)
    work.refresh_from_db()
    assert (work.state, work.draft) == ("active", to_json(single()))


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("parked", "Resume it first"),
        ("returned", "released this question"),
        ("skipped", "skipped"),
    ],
)
def test_what_is_not_in_work_is_not_accepted_but_kept(project, ann, now, state, sentence):
    assignment = factories.make_assignment(factories.make_task(project), ann, state)
    with pytest.raises(Conflict, match=sentence):
        assignments.submit_response(assignment=assignment, response=single(), by=ann, now=now)
    assignment.refresh_from_db()
    assert (assignment.state, assignment.draft) == (state, to_json(single()))


def test_who_left_the_project_hands_nothing_in(work, ann, now):
    Membership.objects.filter(user=ann).delete()
    with pytest.raises(Denied, match="no longer have the role"):
        assignments.submit_response(assignment=work, response=single(), by=ann, now=now)
    work.refresh_from_db()
    assert (work.state, work.draft) == ("active", to_json(single()))


def test_states_of_the_question_follow(project, ann, ben, now):
    easy(project)
    task = factories.make_task(project)
    for person, state in ((ann, "generating"), (ben, "accepted")):
        assignment = factories.make_assignment(task, person)
        read_a_page(assignment, now, TEXT if person is ann else None)
        assignments.submit_response(assignment=assignment, response=single(), by=person, now=now)
        task.question.refresh_from_db()
        assert task.question.state == state
        task.refresh_from_db()
    rows = AuditEntry.objects.filter(action="question_state").order_by("id")
    assert [row.data for row in rows] == [
        {"before": "imported", "after": "generating"},
        {"before": "generating", "after": "accepted"},
    ]


def test_it_takes_at_most_nine_statements(work, ann, now, django_assert_max_num_queries):
    page = ShownPage.objects.get()
    quote = quote_of(page, ann, now)
    pairs = (
        WrittenPair(multiple().pairs[0].question, (AnswerForm("1843", quote.pk),)),
        multiple().pairs[1],
    )
    fresh = Assignment.objects.select_related("task__question", "policy", "project__snapshot").get()
    with django_assert_max_num_queries(11):  # nine, and the savepoint with its release
        response = GenerationResponse(kind="multiple", pairs=pairs)
        assignments.submit_response(assignment=fresh, response=response, by=ann, now=now)


def test_a_plain_answer_takes_eight_statements(work, ann, now, django_assert_max_num_queries):
    fresh = Assignment.objects.select_related("task__question", "policy", "project__snapshot").get()
    with django_assert_max_num_queries(10):  # with the savepoint and its release
        assignments.submit_response(assignment=fresh, response=single(), by=ann, now=now)
