"""Studies from draft to closed: the draw, the items, the tasks, and what is refused."""

import datetime as dt
import io
import json
import uuid
from functools import partial

import pytest
from django.utils import timezone

from annotation.contexts.searches import count_unsearched
from annotation.core.refusals import Conflict, Denied
from annotation.imports.services import import_questions
from annotation.imports.undoing import undo_import
from annotation.models import Assignment, AuditEntry, Job, Qualification, StagePolicy, Task
from annotation.projects import stuck_work
from evaluation.models import DeletedDraft, Item, Study
from evaluation.studies import services as studies_services
from evaluation.studies.models import KEPT_FOR
from evaluation.studies.preview import build_preview, warnings_of
from evaluation.systems.services import delete_system
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.work.helpers import in_parallel
from tests.evaluation.factories import make_output, make_questions, make_study, make_system

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)


@pytest.fixture
def draft(project, systems):
    return make_study(project, systems, state="draft", size=4, repeats=25)


def start(study, by):
    studies_services.start_study(study=study, by=by, now=NOW)
    return list(study.items.select_related("repeats").order_by("position"))


def refused(study, by, *words):
    before = AuditEntry.objects.count()
    with pytest.raises(Conflict) as refusal:
        studies_services.start_study(study=study, by=by, now=NOW)
    for word in words:
        assert word in str(refusal.value)
    study.refresh_from_db()
    assert study.state == "draft"
    assert not Item.objects.filter(study=study).exists()
    assert AuditEntry.objects.count() == before


# --- drafts --------------------------------------------------------------------------------------


def test_a_draft_begins_with_three_criteria_and_a_seed_of_its_own(project, rosa):
    one = studies_services.create_study(project=project, by=rosa, now=NOW)
    other = studies_services.create_study(project=project, by=rosa, now=NOW)
    assert [row["key"] for row in one.criteria] == ["comp", "fluency", "overall"]
    assert all(row["label"] and row["wording"] for row in one.criteria)
    assert (one.title, other.title) == ("Study 1", "Study 2")
    assert one.seed != other.seed


def test_a_copy_has_the_design_and_the_systems_of_its_source(draft, systems, rosa):
    Study.objects.filter(pk=draft.pk).update(raters=3, shown="plain", steps=5)
    draft.refresh_from_db()
    copy = studies_services.create_study(project=draft.project, source=draft, by=rosa, now=NOW)
    for field in studies_services.DESIGN:
        assert getattr(copy, field) == getattr(draft, field), field
    assert list(copy.systems.all()) == systems
    assert copy.state == "draft"
    assert copy.seed != draft.seed


def test_only_staff_of_the_project_touch_a_study(draft):
    judge = factories.make_member(draft.project, "judge")
    deleted = DeletedDraft(project=draft.project)
    with pytest.raises(Denied, match="Only researchers"):
        studies_services.restore_draft(deleted=deleted, by=judge, now=NOW)
    for action in (
        studies_services.start_study,
        studies_services.close_study,
        studies_services.delete_study,
    ):
        with pytest.raises(Denied, match="Only researchers"):
            action(study=draft, by=judge, now=NOW)
    with pytest.raises(Denied, match="Only researchers"):
        studies_services.create_study(project=draft.project, by=judge, now=NOW)
    with pytest.raises(Denied, match="Only researchers"):
        studies_services.change_study(
            study=draft, changes={"size": 1}, systems=[], by=judge, now=NOW
        )
    assert Study.objects.get().state == "draft"


def test_a_draft_can_be_changed_and_deleted_and_a_started_study_cannot(draft, systems, rosa):
    studies_services.change_study(
        study=draft, changes={"raters": 2}, systems=systems[:2], by=rosa, now=NOW
    )
    assert (draft.raters, draft.systems.count()) == (2, 2)
    start(draft, rosa)
    with pytest.raises(Conflict, match="cannot be changed"):
        studies_services.change_study(
            study=draft, changes={"raters": 5}, systems=systems, by=rosa, now=NOW
        )
    with pytest.raises(Conflict, match="cannot be deleted"):
        studies_services.delete_study(study=draft, by=rosa, now=NOW)
    draft.refresh_from_db()
    assert (draft.raters, draft.systems.count()) == (2, 2)
    other = studies_services.create_study(project=draft.project, by=rosa, now=NOW)
    studies_services.delete_study(study=other, by=rosa, now=NOW)
    assert list(Study.objects.all()) == [draft]


def test_a_deleted_draft_comes_back_as_it_was(draft, systems, rosa):
    changes = {"pairing": "reference", "reference": systems[0], "raters": 3, "title": "Pilot two"}
    studies_services.change_study(study=draft, changes=changes, systems=systems, by=rosa, now=NOW)
    before = Study.objects.values().get(pk=draft.pk)
    deleted = studies_services.delete_study(study=draft, by=rosa, now=NOW)
    assert not Study.objects.exists()
    later = NOW + dt.timedelta(days=29)
    back = studies_services.restore_draft(deleted=deleted, by=rosa, now=later)
    assert Study.objects.values().get() == before | {"saved_at": later}
    assert list(back.systems.all()) == systems
    assert not DeletedDraft.objects.exists()
    with pytest.raises(Conflict, match="brought back already"):
        studies_services.restore_draft(deleted=deleted, by=rosa, now=later)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.data) == ("study_restored", {"title": "Pilot two"})


def test_a_deleted_draft_comes_back_without_systems_that_are_gone(draft, systems, rosa):
    changes = {"pairing": "reference", "reference": systems[0]}
    studies_services.change_study(study=draft, changes=changes, systems=systems, by=rosa, now=NOW)
    deleted = studies_services.delete_study(study=draft, by=rosa, now=NOW)
    delete_system(system=systems[0], by=rosa, now=NOW)
    back = studies_services.restore_draft(deleted=deleted, by=rosa, now=NOW)
    assert (back.pairing, back.reference, list(back.systems.all())) == ("all", None, systems[1:])


def test_a_deleted_draft_is_forgotten_after_thirty_days(draft, rosa):
    deleted = studies_services.delete_study(study=draft, by=rosa, now=NOW)
    later = NOW + KEPT_FOR
    with pytest.raises(Conflict, match="can no longer be"):
        studies_services.restore_draft(deleted=deleted, by=rosa, now=later)
    other = studies_services.create_study(project=draft.project, by=rosa, now=later)
    studies_services.delete_study(study=other, by=rosa, now=later)
    assert [row.number for row in DeletedDraft.objects.all()] == [other.pk]


def test_changes_close_together_are_one_line_of_the_log(draft, systems, rosa):
    adam = factories.make_member(draft.project, "researcher")
    minutes = (0, 9, 10, 12, 12)
    for by, minute in zip((rosa, rosa, rosa, adam, rosa), minutes, strict=True):
        now = NOW + dt.timedelta(minutes=minute)
        studies_services.change_study(
            study=draft, changes={"raters": 2}, systems=systems, by=by, now=now
        )
    entries = AuditEntry.objects.filter(action="study_changed").order_by("pk")
    assert [entry.actor for entry in entries] == [rosa.pk, rosa.pk, adam.pk, rosa.pk]


@pytest.mark.django_db(transaction=True)
def test_one_form_makes_one_draft_however_often_it_is_sent(project, systems, rosa):
    key = uuid.uuid4()

    def save(size):
        return studies_services.keep_draft(
            project=project, form_key=key, changes={"size": size}, systems=systems, by=rosa, now=NOW
        ).pk

    assert len(set(in_parallel([partial(save, size) for size in (1, 2, 3, 4)]))) == 1
    assert Study.objects.get().form_key == key


def test_a_draft_is_brought_back_once_by_two_at_once(transactional_db):
    project = asqa.make_project()
    rosa = factories.make_member(project, "researcher")
    draft = studies_services.create_study(project=project, by=rosa, now=NOW)
    deleted = studies_services.delete_study(study=draft, by=rosa, now=NOW)

    def restore():
        return studies_services.restore_draft(deleted=deleted, by=rosa, now=NOW)

    results = in_parallel([restore] * 3)
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 2 + ["Study"]
    assert Study.objects.get().pk == draft.pk


def test_a_system_of_another_project_is_refused(draft, rosa):
    stranger = make_system(asqa.make_project())
    for changes, chosen in (({}, [stranger]), ({"reference": stranger}, [])):
        with pytest.raises(Conflict, match="another project"):
            studies_services.change_study(
                study=draft, changes=changes, systems=chosen, by=rosa, now=NOW
            )


def test_one_answer_at_a_time_always_asks_what_it_says(draft, systems, rosa):
    changes = {"pairing": "alone", "accuracy": False}
    studies_services.change_study(study=draft, changes=changes, systems=systems, by=rosa, now=NOW)
    assert draft.accuracy


# --- starting ------------------------------------------------------------------------------------


def test_start_plans_items_and_opens_a_task_for_each(draft, rosa):
    Study.objects.filter(pk=draft.pk).update(raters=2, pairing="all")
    items = start(draft, rosa)
    assert (draft.state, draft.started_at) == ("running", NOW)
    once = [item for item in items if item.repeats is None]
    assert len(once) == 4 * 3
    assert len(items) - len(once) == 3  # 25 per cent
    tasks = {task.unit: task for task in Task.objects.filter(policy__stage="comparison")}
    assert set(tasks) == {item.unit for item in items}
    for item in items:
        task = tasks[item.unit]
        assert (task.people, task.seats, task.position) == (2, 2, item.position)
        assert task.question_id == item.question_id
        expected = tasks[item.repeats.unit] if item.repeats else None
        assert task.after == expected
    entry = AuditEntry.objects.get(action="study_started")
    assert entry.data["items"] == 15
    assert entry.data["seed"] == draft.seed


def test_the_same_seed_and_files_make_the_same_items_in_any_project(draft, rosa):
    """Ids of rows differ; places in the file, names of systems and the seed do not."""

    def items(study):
        return [
            (item.question.external_id, item.first.name, item.second.name, item.swapped)
            for item in study.items.select_related("question", "first", "second")
        ]

    twin = asqa.make_project()
    by = factories.make_member(twin, "researcher")
    # In another order, so that the order of ids is another one, too.
    rows = [make_system(twin, name) for name in ("Coral", "Amber", "Blue")]
    for question in reversed(make_questions(twin, 4)):
        for system in rows:
            make_output(system, question)
    other = make_study(twin, rows, state="draft", size=3, repeats=25, seed=draft.seed)
    Study.objects.filter(pk=draft.pk).update(size=3)
    start(draft, rosa)
    start(other, by)
    assert items(draft) == items(other)


def test_authors_never_get_their_own_texts(draft, systems, rosa):
    """A text of one author, a text of the other, and the same author twice."""
    ann, ben = factories.make_user("Ann Ash"), factories.make_user("Ben Birch")
    systems[0].outputs.update(author=ann)
    systems[1].outputs.update(author=ben)
    systems[2].outputs.update(author=ann)
    Study.objects.filter(pk=draft.pk).update(pairing="all", repeats=0)
    items = start(draft, rosa)
    authors = {systems[0].pk: ann.pk, systems[1].pk: ben.pk, systems[2].pk: ann.pk}
    for item in items:
        task = Task.objects.get(unit=item.unit)
        assert task.barred == sorted({authors[item.first_id], authors[item.second_id]})


def test_questions_without_an_answer_or_excluded_are_not_drawn(draft, systems, rosa):
    first, second, *rest = sorted(draft.project.questions.all(), key=lambda row: row.external_id)
    systems[1].outputs.filter(question=first).delete()
    second.state = "excluded"
    second.save()
    refused(draft, rosa, "asked for 4 questions", "only 2 of dev", "every chosen system")
    Study.objects.filter(pk=draft.pk).update(size=2)
    items = start(draft, rosa)
    assert {item.question_id for item in items} == {row.pk for row in rest}


@pytest.mark.parametrize("context", [{}, {"qa_pairs": []}, {"qa_pairs": "no"}, {"qa_pairs": [1]}])
def test_questions_without_disambiguations_are_drawn_only_where_none_are_asked_about(
    draft, rosa, context
):
    draft.project.questions.update(context=context)
    refused(draft, rosa, "No question of dev", "disambiguations")
    Study.objects.filter(pk=draft.pk).update(accuracy=False)
    assert start(draft, rosa)


def test_a_saved_draft_has_a_policy_whose_pay_can_be_set_before_it_starts(draft, systems, rosa):
    assert build_preview(draft, systems).policy is None
    studies_services.change_study(
        study=draft, changes={"split": "test"}, systems=systems, by=rosa, now=NOW
    )
    assert str(build_preview(draft, systems).policy) == "comparison, test"


def test_a_policy_is_made_where_there_is_none_and_kept_where_there_is(draft, systems, rosa):
    StagePolicy.objects.filter(stage="comparison").delete()
    start(draft, rosa)
    policy = StagePolicy.objects.get(project=draft.project, stage="comparison")
    assert policy.split == "dev"
    StagePolicy.objects.filter(pk=policy.pk).update(pay="0.75")
    start(make_study(draft.project, systems, state="draft", size=4), rosa)
    assert str(StagePolicy.objects.get(pk=policy.pk).pay) == "0.75"


@pytest.mark.parametrize(
    ("chosen", "fields", "words"),
    [
        (1, {}, "at least two systems"),
        (0, {"pairing": "alone"}, "at least one system"),
        (3, {"split": "test"}, "Amber has no answers on test."),
        (3, {"size": 5}, "asked for 5 questions, and only 4 of dev"),
        (3, {"criteria": []}, "Add a criterion"),
    ],
)
def test_what_cannot_start_says_why_and_changes_nothing(
    project, systems, rosa, chosen, fields, words
):
    study = make_study(project, systems[:chosen], state="draft", **{"size": 4} | fields)
    refused(study, rosa, words)
    found = build_preview(study, systems[:chosen]).problems
    assert words in " ".join(problem.sentence for problem in found)


def test_the_reference_must_be_among_the_systems(project, systems, rosa):
    study = make_study(
        project, systems[:2], state="draft", size=4, pairing="reference", reference=systems[2]
    )
    refused(study, rosa, "not among the chosen ones")


def test_a_closed_project_starts_nothing(draft, rosa):
    draft.project.state = "closed"
    draft.project.save()
    refused(draft, rosa, "Run it again")


# --- beside other work ---------------------------------------------------------------------------


def imported(project, rosa, finished=False, **record):
    """Import a question of long answers, as finished work or not."""
    pairs = asqa.TUNNEL["qa_pairs"]
    whole = {"ambiguous_question": "when did it open", "qa_pairs": pairs, "annotations": []}
    file = io.BytesIO(json.dumps({"dev": {"new": whole | record}}).encode())
    options = {"format": "asqa", "split": "dev", "finished": finished}
    import_questions(project=project, file=file, by=rosa, now=NOW, **options)
    return project.questions.get(external_id="new")


def study_of(question, rosa):
    """A running study of one question, with one item."""
    systems = [make_system(question.project) for _ in range(2)]
    for system in systems:
        make_output(system, question)
    study = make_study(question.project, systems, state="draft", size=1, repeats=0)
    start(study, rosa)
    return study


def test_a_question_that_is_judged_can_still_get_paragraphs_for_writers(project, rosa):
    question = imported(project, rosa)
    study = study_of(question, rosa)
    judge = factories.make_member(project, "judge")
    assert count_unsearched(project) == 1
    factories.make_assignment(Task.objects.get(unit=f"{study.pk}-0"), judge)
    assert count_unsearched(project) == 1
    factories.make_assignment(Task.objects.get(policy__stage="long_answers"), judge)
    assert count_unsearched(project) == 0


def test_a_question_that_is_imported_again_as_finished_is_judged_all_the_same(project, rosa):
    study = study_of(imported(project, rosa), rosa)
    written = {"long_answer": "It opened twice, in 1843 and in 1869.", "knowledge": []}
    question = imported(project, rosa, finished=True, annotations=[written])
    assert question.state == "accepted"
    assert [task.unit for task in question.tasks.all()] == [f"{study.pk}-0"]


def test_an_import_whose_questions_are_judged_cannot_be_undone(project, rosa):
    question = imported(project, rosa)
    times = {"created_by": rosa, "created_at": NOW, "ended_at": NOW}
    job = Job.objects.create(project=project, kind="import", state="done", **times)
    project.questions.filter(pk=question.pk).update(job=job)
    study_of(question, rosa)
    with pytest.raises(Conflict, match="A study uses some"):
        undo_import(job=job, by=rosa, now=NOW)
    assert project.questions.filter(pk=question.pk).exists()


def test_a_repeat_waits_and_is_not_stuck_until_the_pair_is_done(draft, rosa):
    """Nobody may take it before they have judged the pair, which they still can."""
    items = start(draft, rosa)
    [again] = [item for item in items if item.repeats]
    judge = factories.make_member(draft.project, "judge")

    def number():
        return [
            (row.policy.stage, row.questions) for row in stuck_work.list_stuck_work([draft.project])
        ]

    assert number() == []
    for item in items[:4]:
        held = factories.make_assignment(Task.objects.get(unit=item.unit), judge)
        assert number() == []
        ended = {"state": "submitted", "submitted_at": NOW, "ended_at": NOW, "lease_ends_at": None}
        Assignment.objects.filter(pk=held.pk).update(**ended)
    assert number() == []
    draft.project.memberships.filter(user=judge).delete()
    other = factories.make_member(draft.project, "judge")
    assert number() == [("comparison", 1)]
    first = Assignment.objects.get(task__unit=again.repeats.unit)
    Assignment.objects.filter(pk=first.pk).update(user=other)
    assert number() == []


# --- closing -------------------------------------------------------------------------------------


def test_a_closed_study_asks_for_no_more_and_cannot_be_opened_again(draft, rosa):
    start(draft, rosa)
    studies_services.close_study(study=draft, by=rosa, now=NOW)
    assert (draft.state, draft.closed_at) == ("closed", NOW)
    assert not Task.objects.filter(policy__stage="comparison", seats__gt=0).exists()
    for action in (studies_services.close_study, studies_services.start_study):
        with pytest.raises(Conflict):
            action(study=draft, by=rosa, now=NOW)


def test_whoever_has_an_item_in_hand_when_a_study_closes_keeps_it(draft, rosa):
    start(draft, rosa)
    judge = factories.make_member(draft.project, "judge")
    held = factories.make_assignment(Task.objects.get(unit=f"{draft.pk}-0"), judge)
    studies_services.close_study(study=draft, by=rosa, now=NOW)
    held.refresh_from_db()
    assert held.state == "active"
    assert not Task.objects.filter(policy__stage="comparison", seats__gt=0).exists()


# --- the preview ---------------------------------------------------------------------------------


def test_the_preview_counts_what_start_makes(draft, systems, rosa):
    Study.objects.filter(pk=draft.pk).update(raters=2, pairing="all", minutes=6)
    draft.refresh_from_db()
    policy = StagePolicy.objects.get_or_create(
        project=draft.project, stage="comparison", split="dev"
    )[0]
    StagePolicy.objects.filter(pk=policy.pk).update(pay="12.00", pay_basis="hour")
    figures = build_preview(draft, systems).estimate
    assert (figures.judgments, figures.repeats) == (24, 6)
    assert figures.hours == pytest.approx(3)
    assert str(figures.cost) == "36.00"
    StagePolicy.objects.filter(pk=policy.pk).update(pay="0.50", pay_basis="unit")
    assert str(build_preview(draft, systems).estimate.cost) == "15.00"
    items = start(draft, rosa)
    assert 2 * len(items) == figures.judgments + figures.repeats


def test_the_preview_says_who_is_missing_and_why_and_which_judges_are_staff(draft, systems):
    draft.raters = 2
    shown = build_preview(draft, systems)
    assert not shown.can_start
    assert shown.shortage == "Needs 2 raters, and no one in this project is a judge."
    assert shown.on_raters == "0 judges can work now, 2 too few."
    ann = factories.make_member(draft.project, "judge", name="Ann Ash")
    shown = build_preview(draft, systems)
    assert shown.shortage == "Needs 2 raters, 1 can work."
    assert shown.on_raters == "1 judge can work now, 1 too few."
    factories.make_member(draft.project, "judge", name="Ben Birch")
    shown = build_preview(draft, systems)
    assert (shown.can_start, shown.shortage, shown.warnings) == (True, "", ())
    assert shown.on_raters == "2 judges can work now."
    factories.make_member(draft.project, "researcher", user=ann)
    [warning] = build_preview(draft, systems).warnings
    assert "Ann Ash can also manage this project" in warning
    exam = Qualification.objects.create(
        project=draft.project,
        title="Comparing answers",
        kind="long_answer",
        guideline_version=0,
        by_hand=True,
        instant_feedback=False,
        created_at=NOW,
    )
    StagePolicy.objects.create(
        project=draft.project, stage="comparison", split="dev", qualification=exam
    )
    draft.project.memberships.filter(role="judge", user=ann).update(paused_at=timezone.now())
    shown = build_preview(draft, systems)
    assert shown.shortage == "Needs 2 raters, none can work."
    assert shown.on_raters == (
        "0 judges can work now, 2 too few: Ann Ash is paused and Ben Birch has not passed "
        "“Comparing answers”."
    )
    begun = Study(raters=2, project=draft.project)
    assert warnings_of(begun, shown.raters)[0].startswith("Each item asks for 2 people, and no")


# --- at once -------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_starts_at_once_make_one_set_of_items(draft, rosa):
    def begin():
        studies_services.start_study(study=Study.objects.get(pk=draft.pk), by=rosa, now=NOW)
        return "started"

    results = in_parallel([begin] * 4)
    assert sorted(type(result).__name__ for result in results) == ["Conflict"] * 3 + ["str"]
    positions = list(draft.items.order_by("position").values_list("position", flat=True))
    assert positions == list(range(len(positions)))
    assert Task.objects.filter(policy__stage="comparison").count() == len(positions)
    assert AuditEntry.objects.filter(action="study_started").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_change_and_a_start_at_once_leave_items_of_one_design(draft, systems, rosa):
    def begin():
        studies_services.start_study(study=Study.objects.get(pk=draft.pk), by=rosa, now=NOW)

    def change():
        study = Study.objects.get(pk=draft.pk)
        studies_services.change_study(
            study=study, changes={"size": 2}, systems=systems[:2], by=rosa, now=NOW
        )

    results = in_parallel([begin, change] * 2)
    assert sum(result is None for result in results) in (1, 2, 3)
    draft.refresh_from_db()
    assert draft.state == "running"
    items = draft.items.all()
    assert len({item.question_id for item in items}) == draft.size
    used = {system for item in items for system in (item.first_id, item.second_id)}
    assert used == set(draft.systems.values_list("pk", flat=True))
