"""Gold items are drawn, mixed in, judged; they are never data, and nobody is told."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict, Denied
from annotation.exports.selection import Selection
from annotation.golds import drawing as gold_drawing
from annotation.golds import services as golds_services
from annotation.models import (
    Assignment,
    AuditEntry,
    GoldFlag,
    GoldItem,
    GoldVerdict,
    Membership,
    PayEntry,
    Question,
    Task,
)
from annotation.people import services as people_services
from annotation.stages import registry as stages
from annotation.stages.gold_items import Host
from annotation.work import assignments, tasks
from annotation.work import submissions_export as submissions
from tests import factories
from tests.annotation.golds import checks


def test_a_tenth_of_the_work_is_gold():
    plan = checks.plan(checks.make(3))
    drawn = sum(
        gold_drawing.task_lot(plan, task) < gold_drawing.lot_threshold(plan)
        for task in range(9_000)
    )
    assert drawn == pytest.approx(1_000, abs=100)


def test_gold_items_come_among_the_other_work():
    project = checks.make(6)
    plan = checks.plan(project, rate=50)
    assert plan.items.count() == 6
    assert all(item.task.gold and item.task.seats == 1 for item in plan.items.all())
    ann = factories.make_member(project, "annotator")
    came = []
    for _ in range(12):
        work = checks.take(ann, project)
        came.append(work.gold)
        checks.submit(work, "no" if work.gold else "yes")
    assert came.count(True) == 6
    assert came[:6] != [True] * 6 != came[6:]


def test_the_same_seed_draws_the_same_and_another_seed_does_not():
    project = checks.make(60)
    hosts = [Host(pk, pk, "", "dev") for pk in range(1, 400)]

    def lots(seed):
        plan = checks.plan(project, seed=seed)
        return [
            gold_drawing.task_lot(plan, host.task) < gold_drawing.lot_threshold(plan)
            for host in hosts
        ]

    assert lots(1) == lots(1) != lots(2)


def test_saving_again_draws_no_more_and_a_lower_rate_takes_untouched_items_away():
    project = checks.make(40)
    plan = checks.plan(project, rate=30)
    many = set(plan.items.values_list("host", flat=True))
    checks.plan(project, rate=30)
    assert set(plan.items.values_list("host", flat=True)) == many
    ann = factories.make_member(project, "annotator")
    held = checks.take_gold(ann, project)
    checks.plan(project, rate=5)
    few = set(plan.items.values_list("host", flat=True))
    assert few < many
    assert GoldItem.objects.filter(task=held.task).exists()
    checks.plan(project, rate=0)
    assert list(plan.items.values_list("task", flat=True)) == [held.task_id]


def test_new_tasks_get_theirs_by_the_clock_and_left_over_items_are_closed():
    project = checks.make(5)
    plan = checks.plan(project, rate=50)
    assert plan.items.count() == 5
    question = factories.make_question(project, context={"answer": "by pier 9"})
    tasks.open_tasks(question_ids=[question.pk], now=timezone.now())
    assert golds_services.keep_up(now=timezone.now()) == 1
    assert golds_services.keep_up(now=timezone.now()) == 0
    Task.objects.filter(gold=False).update(seats=0)
    golds_services.keep_up(now=timezone.now())
    assert not Task.objects.filter(seats__gt=0).exists()
    assert plan.items.filter(retired_at=None).count() == 0


def test_a_submission_is_judged_and_is_no_data():
    project = checks.make(20)
    plan = checks.plan(project, rate=40)
    ann = factories.make_member(project, "annotator")
    work = checks.take_gold(ann, project)
    before = work.task.question.state
    checks.submit(work, "yes")
    verdict = GoldVerdict.objects.get(assignment=work)
    assert (verdict.missed, verdict.user, verdict.plan) == (True, ann, plan)
    work.refresh_from_db()
    assert work.state == "submitted"
    assert not work.used
    assert Question.objects.get(pk=work.task.question_id).state == before
    with snapshot():
        exported = b"".join(submissions.export_records(project, Selection()))
    assert f'"assignment":{work.pk},'.encode() not in exported
    ordinary = Assignment.objects.filter(state="submitted", gold=False)
    assert exported.count(b'"unit"') == ordinary.count() == submissions.count_records(project)
    right = checks.take_gold(ann, project)
    checks.submit(right, "no")
    assert GoldVerdict.objects.get(assignment=right).missed is False


def test_a_gold_item_can_never_be_data():
    project = checks.make(20)
    checks.plan(project, rate=40)
    ann, staff = (
        factories.make_member(project, "annotator"),
        factories.make_member(project, "admin"),
    )
    work = checks.take_gold(ann, project)
    checks.submit(work, "yes")
    with pytest.raises(IntegrityError, match="assignment_gold_is_never_data"), transaction.atomic():
        Assignment.objects.filter(pk=work.pk).update(used=True)
    with pytest.raises(Conflict, match="never data"):
        assignments.use_again(assignment=work, note="", by=staff, now=timezone.now())


def test_returned_work_is_judged_again():
    project = checks.make(20)
    checks.plan(project, rate=40)
    ann, staff = (
        factories.make_member(project, "annotator"),
        factories.make_member(project, "admin"),
    )
    work = checks.take_gold(ann, project)
    checks.submit(work, "yes")
    now = timezone.now()
    assignments.return_to_author(assignment=work, note="Look again.", by=staff, now=now)
    work.refresh_from_db()
    assert not work.used
    assignments.resume_assignment(assignment=work, by=ann, now=timezone.now())
    checks.submit(work, "no")
    assert GoldVerdict.objects.get(user=ann).missed is False


def test_judging_takes_four_statements():
    project = checks.make(20)
    checks.plan(project, rate=50)
    ann = factories.make_member(project, "annotator")
    counts = {}
    for gold in (False, True, False, True):  # the process is warm the second time
        while (work := checks.take(ann, project)).gold is not gold:
            checks.submit(work, "no" if work.gold else "yes")
        with CaptureQueriesContext(connection) as queries:
            checks.submit(work, "no" if gold else "yes")
        counts[gold] = len(queries)
    # What an ordinary submission writes of its question is not needed here.
    assert counts[True] <= counts[False] + 4


def miss(project, ann, times):
    for _ in range(times):
        checks.submit(checks.take_gold(ann, project), "yes")


def test_who_misses_too_many_is_paused_once_and_counted_anew_when_resumed():
    project = checks.make(60)
    plan = checks.plan(project, rate=50, enough=3, missed=2)
    ann, staff = (
        factories.make_member(project, "annotator"),
        factories.make_member(project, "admin"),
    )
    miss(project, ann, 2)
    assert not GoldFlag.objects.exists()
    miss(project, ann, 1)
    flag = GoldFlag.objects.get()
    assert (flag.user, flag.seen, flag.missed, flag.paused) == (ann, 3, 3, True)
    with pytest.raises(Denied, match="no new work") as refused:
        checks.take(ann, project)
    assert "gold" not in str(refused.value).lower()
    written = AuditEntry.objects.filter(project=project.pk).order_by("pk")
    actions = list(written.values_list("action", flat=True))
    assert actions.count("gold_flagged") == actions.count("membership_paused") == 1
    golds_services.resume_person(plan=plan, user=ann.pk, by=staff, now=timezone.now())
    miss(project, ann, 2)
    assert GoldFlag.objects.count() == 1
    miss(project, ann, 1)
    assert GoldFlag.objects.count() == 2
    people_services.lift_pause(
        membership=Membership.objects.get(user=ann, project=project), by=staff, now=timezone.now()
    )
    miss(project, ann, 2)
    assert GoldFlag.objects.count() == 2


def test_people_can_be_flagged_without_a_pause_and_by_share():
    project = checks.make(40)
    checks.plan(project, rate=50, enough=4, missed=None, share=50, pauses=False)
    ann = factories.make_member(project, "annotator")
    for verdict in ("yes", "no", "yes", "no"):
        checks.submit(checks.take_gold(ann, project), verdict)
    flag = GoldFlag.objects.get()
    assert (flag.seen, flag.missed, flag.paused) == (4, 2, False)
    assert checks.take(ann, project) is not None


def test_staff_pause_and_resume_and_others_may_not():
    project = checks.make(20)
    plan = checks.plan(project)
    ann, staff = (
        factories.make_member(project, "annotator"),
        factories.make_member(project, "admin"),
    )
    now = timezone.now()
    for service in (golds_services.pause_person, golds_services.resume_person):
        with pytest.raises(Denied):
            service(plan=plan, user=ann.pk, by=ann, now=now)
    golds_services.pause_person(plan=plan, user=ann.pk, by=staff, now=now)
    with pytest.raises(Denied):
        checks.take(ann, project)
    golds_services.resume_person(plan=plan, user=ann.pk, by=staff, now=now)
    assert checks.take(ann, project)


def test_finished_questions_become_items_for_those_who_have_not_seen_them():
    project = checks.make(30, people=2)
    ann, ben = (factories.make_member(project, "annotator") for _ in range(2))
    for user in (ann, ben):
        for _ in range(10):
            checks.submit(checks.take(user, project), "yes")
    finished = Question.objects.filter(project=project, state="accepted")
    assert finished.count() == 10
    plan = checks.plan(project, rate=50, source="finished")
    assert plan.items.filter(kind="finished").count() == 10
    item = plan.items.first()
    assert item.expected == {"verdict": "yes"}
    assert sorted(item.task.barred) == sorted([ann.pk, ben.pk])
    cleo = factories.make_member(project, "annotator")
    work = checks.take_gold(cleo, project)
    checks.submit(work, "no")
    assert GoldVerdict.objects.get().missed
    assert Question.objects.get(pk=work.task.question_id).state == "accepted"
    checks.plan(project, rate=50, source="finished")
    assert plan.items.filter(kind="finished").count() == 10


def test_questions_that_finish_after_the_draw_become_items_too():
    project = checks.make(30, people=2)
    plan = checks.plan(project, rate=50, source="finished")
    assert plan.items.count() == 0
    for _ in range(2):
        person = factories.make_member(project, "annotator")
        for _ in range(10):
            checks.submit(checks.take(person, project), "yes")
    assert golds_services.keep_up(now=timezone.now()) == 10
    assert golds_services.keep_up(now=timezone.now()) == 0
    hosts = plan.items.values_list("host", flat=True)
    assert len(set(hosts)) == 10


def test_half_of_each_is_drawn_by_the_seed():
    project = checks.make(60, people=2)
    for _ in range(2):
        person = factories.make_member(project, "annotator")
        for _ in range(30):
            checks.submit(checks.take(person, project), "yes")
    plan = checks.plan(project, rate=50, source="both")
    kinds = list(plan.items.values_list("kind", flat=True))
    assert len(kinds) == 30
    assert 8 <= kinds.count("copy") <= 22


def test_settings_that_make_no_sense_are_refused_with_a_sentence():
    project = checks.make(3)
    for wrong in (
        {"rate": 60},
        {"missed": None, "share": None},
        {"share": 0},
        {"enough": 0},
        {"source": "thin air"},
        {"seed": 2**70},
    ):
        with pytest.raises(Conflict):
            checks.plan(project, **wrong)
    none = {"golds": None, "no_golds": "It is an art."}
    stages.register(type("Bare", (type(stages.get_stage(checks.STAGE)),), none)())
    with pytest.raises(Conflict, match=r"It is an art\. Leave the rate at 0\."):
        checks.plan(project)


def test_the_author_reads_of_a_gold_item_what_they_read_of_other_work():
    from validation.outcomes import status

    project = checks.make(20)
    checks.plan(project, rate=40)
    ann = factories.make_member(project, "annotator")
    work = checks.take_gold(ann, project)
    checks.submit(work, "yes")
    told = status.list_submissions(ann)
    [line] = [line for line in told if line.assignment.pk == work.pk]
    finished = work.task.question.state == "accepted"
    assert line.status == (status.Status.WRITTEN if finished else status.Status.WAITING)
    Question.objects.filter(pk=work.task.question_id).update(state="accepted")
    [line] = [line for line in status.list_submissions(ann) if line.assignment.pk == work.pk]
    assert line.status == status.Status.WRITTEN


def test_pay_is_normal():
    project = checks.make(20)
    project.policies.update(pay="0.50", pay_accepted="0.25")
    checks.plan(project, rate=40)
    ann = factories.make_member(project, "annotator")
    right = checks.take_gold(ann, project)
    checks.submit(right, "no")
    wrong = checks.take_gold(ann, project)
    checks.submit(wrong, "yes")

    def paid(work):
        return sorted(str(row.amount) for row in PayEntry.objects.filter(assignment=work))

    # Acceptance is paid as for other work: where the question is finished and the answer right.
    assert paid(wrong) == ["0.50"]
    assert paid(right) in (["0.50"], ["0.25", "0.50"])
