"""What must never be false is refused by the database itself, whoever writes."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.core import audit
from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    AuditEntry,
    Event,
    KeptWarning,
    Membership,
    QAPair,
    Question,
    StagePolicy,
    Task,
)
from tests import factories

NOW = timezone.now()


@pytest.fixture
def task(project):
    return factories.make_task(project)


@pytest.fixture
def held(task, ann):
    return factories.make_assignment(task, ann)


@pytest.fixture
def annotation(held, ann):
    return Annotation.objects.create(
        assignment=held, question=held.task.question, author=ann, kind="single", created_at=NOW
    )


def refused(name, write):
    """Assert that the database refuses the write by the constraint of this name."""
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        write()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (
            "assignment_state_known",
            {"state": "gone", "lease_ends_at": None, "ended_at": NOW},
        ),
        ("assignment_lease_iff_held", {"lease_ends_at": None}),
        ("assignment_lease_iff_held", {"state": "expired", "ended_at": NOW}),
        ("assignment_ended_iff_not_held", {"ended_at": NOW}),
        ("assignment_ended_iff_not_held", {"state": "returned", "lease_ends_at": None}),
        ("assignment_submitted_at_iff_submitted", {"submitted_at": NOW}),
        (
            "assignment_submitted_at_iff_submitted",
            {"state": "submitted", "lease_ends_at": None, "ended_at": NOW},
        ),
        ("assignment_skip_reason_iff_skipped", {"skip_reason": "subjective"}),
        (
            "assignment_skip_reason_iff_skipped",
            {"state": "skipped", "lease_ends_at": None, "ended_at": NOW},
        ),
        ("draft_version", {"draft_version": -1}),
        ("active_seconds", {"active_seconds": -1}),
    ],
)
def test_assignments(held, name, change):
    refused(name, lambda: Assignment.objects.filter(pk=held.pk).update(**change))


def test_nobody_gets_the_same_task_twice(held, task, ann):
    Assignment.objects.filter(pk=held.pk).update(state="returned", lease_ends_at=None, ended_at=NOW)
    task.refresh_from_db()
    refused("assignment_once_per_person", lambda: factories.make_assignment(task, ann))


def test_one_active_per_person_and_stage(held, project, ann):
    other = factories.make_task(project)
    refused("assignment_one_active_per_stage", lambda: factories.make_assignment(other, ann))
    factories.make_assignment(other, ann, "parked")  # parked ones may lie beside it


def test_seats_are_never_negative(task):
    refused("seats", lambda: Task.objects.filter(pk=task.pk).update(seats=-1))


def test_one_task_per_question_policy_and_unit(task, project):
    refused("task_once_per_question", lambda: factories.make_task(project, task.question))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("question_split_known", {"split": "gold"}),
        ("question_state_known", {"state": "lost"}),
        ("question_text_not_empty", {"text": ""}),
        ("question_id_not_empty", {"external_id": ""}),
    ],
)
def test_questions(task, name, change):
    refused(name, lambda: Question.objects.filter(pk=task.question_id).update(**change))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("policy_people_1_to_25", {"people": 0}),
        ("policy_people_1_to_25", {"people": 26}),
        ("policy_lease_at_least_a_minute", {"lease_minutes": 0}),
        ("policy_pay_not_negative", {"pay": -1}),
        ("policy_pay_match_not_negative", {"pay_match": "-0.01"}),
        ("policy_stage_named", {"stage": ""}),
    ],
)
def test_policies(task, name, change):
    refused(name, lambda: StagePolicy.objects.filter(pk=task.policy_id).update(**change))


def test_one_annotation_per_assignment(annotation):
    def write():
        Annotation.objects.create(
            assignment=annotation.assignment,
            question=annotation.question,
            author=annotation.author,
            kind="none",
            created_at=NOW,
        )

    refused("assignment_id", write)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("annotation_kind_known", {"kind": "maybe"}),
        ("annotation_reason_only_if_none", {"none_reason": "Nothing."}),
    ],
)
def test_annotations(annotation, name, change):
    refused(name, lambda: Annotation.objects.filter(pk=annotation.pk).update(**change))


def test_pairs_answers_and_kept_warnings(annotation):
    pair = QAPair.objects.create(annotation=annotation, position=0)
    refused(
        "pair_position_unique", lambda: QAPair.objects.create(annotation=annotation, position=0)
    )
    refused("answer_not_empty", lambda: Answer.objects.create(pair=pair, position=0, text=""))
    Answer.objects.create(pair=pair, position=0, text="1843")
    refused(
        "answer_position_unique", lambda: Answer.objects.create(pair=pair, position=0, text="x")
    )
    kept = {"annotation": annotation, "rule": "r", "field": "f"}
    refused("kept_warning_has_reason", lambda: KeptWarning.objects.create(**kept, reason=""))
    KeptWarning.objects.create(**kept, reason="Because.")
    refused(
        "kept_warning_once_per_field", lambda: KeptWarning.objects.create(**kept, reason="Again.")
    )


def test_events_are_a_log(held):
    event = Event.objects.create(assignment=held, kind="search", at=NOW, data={"query": "x"})
    refused(
        "event_append_only", lambda: Event.objects.filter(pk=event.pk).update(data={"query": "y"})
    )
    refused("event_kind_known", lambda: Event.objects.create(assignment=held, kind="nap", at=NOW))


def test_the_log_is_a_log(project):
    row = AuditEntry.objects.create(
        at=NOW, project=project.pk, action="invited", target="invitation:1",
        data={"email": "mina@example.org", "role": "annotator"},
    )  # fmt: skip
    rows = AuditEntry.objects.filter(pk=row.pk)
    for change in ({"action": "x"}, {"actor": 1}, {"project": None}, {"data": {}}, {"target": "x"}):
        refused("audit_append_only", lambda change=change: rows.update(**change))
    refused("audit_append_only", rows.delete)
    audit.replace_address(rows, "someone")
    assert rows.get().data == {"email": "someone", "role": "annotator"}


def test_memberships(project, ann):
    row = {"user": ann, "project": project, "created_at": NOW}
    refused("membership_once_per_role", lambda: Membership.objects.create(**row, role="annotator"))
    refused("membership_role_known", lambda: Membership.objects.create(**row, role="boss"))
    refused(
        "membership_experts_see_no_answers",
        lambda: Membership.objects.create(**row, role="expert"),
    )
