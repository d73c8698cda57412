"""A judge model is asked everything once, both ways, only while somebody allows it."""

import json
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job
from evaluation.models import Judgment
from modeling.judges import queries, running
from modeling.judges import services as judges_services
from modeling.models import CachedReply, JudgeModel, JudgeRun, ModelJudgment
from tests import factories
from tests.evaluation.factories import make_item, make_study, make_system
from tests.modeling.chat import Reply
from tests.modeling.judges.conftest import work_on

pytestmark = pytest.mark.django_db


def test_every_pair_is_judged_in_both_orders(study, judging, add, run):
    judge = add(study)
    job = run(judge)
    assert (job.state, job.problem, job.done, job.total) == ("done", "", 4, 4)
    assert job.result == {
        "judged": 4, "refused": 0, "unreadable": 0, "unanswered": 0, "known": 0,
    }  # fmt: skip
    rows = ModelJudgment.objects.order_by("item__position", "swapped")
    assert [(row.item.position, row.swapped) for row in rows] == [
        (0, False), (0, True), (1, False), (1, True),
    ]  # fmt: skip
    sent = [json.loads(body["messages"][1]["content"]) for body in judging.chat.bodies]
    assert list(sent[0]["answers"].values()) == list(sent[1]["answers"].values())[::-1]
    assert {body["temperature"] for body in judging.chat.bodies} == {0}
    values = [value for _, value in queries.read_judgments(judge)]
    assert [(value.left, value.choices["overall"]) for value in values[:2]] == [
        ("Amber", -1), ("Blue", -1),
    ]  # fmt: skip
    assert not Judgment.objects.exists()  # those of people are apart
    assert JudgeRun.objects.get().ended_at is not None


def test_repeats_are_for_people(study, judging, add, run):
    first = study.items.first()
    make_item(study, first.question, first.first, first.second, repeats=first)
    assert run(add(study)).done == 4


def test_tokens_and_cost_are_counted_and_asking_twice_costs_once(
    study, judging, add, run, rosa, settings
):
    settings.LLM_PRICE_IN, settings.LLM_PRICE_OUT = Decimal(2), Decimal(10)
    run(add(study))
    [row] = queries.list_progress(study)
    assert (row.tokens_in, row.tokens_out, row.cost) == (400, 80, Decimal("0.0016"))
    assert (row.done, row.asked, row.running) == (4, 4, False)
    judges_services.remove_judge(judge=row.judge, by=rosa, now=timezone.now())
    judge = add(study)
    job = run(judge)
    assert (job.result["known"], len(judging.chat.bodies)) == (4, 4)
    [row] = queries.list_progress(study)
    assert (row.judged, row.tokens_in, row.cost) == (4, 0, Decimal(0))


def test_what_is_refused_or_unreadable_is_counted_and_not_guessed(study, judging, add, run):
    replies = iter(
        [
            Reply("I like answer 1."),
            Reply('{"refusal": "No."}'),
            Reply(body=json.dumps(
                {"choices": [{"message": {"content": None, "refusal": "No."}}]}
            ).encode()),
        ]
    )  # fmt: skip
    good = judging.content
    judging.content = lambda: next(replies).content() if len(judging.chat.bodies) < 4 else good()
    job = run(add(study))
    assert (job.state, job.result["unreadable"], job.result["refused"]) == ("done", 1, 2)
    assert job.result["judged"] == 1
    bad = ModelJudgment.objects.exclude(outcome="judged")
    assert [row.response for row in bad] == [None] * 3
    assert all(row.problem for row in bad)


def test_nothing_is_sent_without_leave(study, judging, add, run, rosa):
    with pytest.raises(Conflict, match="unless you allow it"):
        add(study, allowed=False)
    judge = add(study)
    judges_services.change_allowance(judge=judge, allowed=False, by=rosa, now=timezone.now())
    with pytest.raises(Conflict, match="Nobody allows"):
        run(judge)
    judge.refresh_from_db()
    assert (judge.allowed_by, judge.allowed_at) == (None, None)
    assert not judging.chat.bodies
    judges_services.change_allowance(judge=judge, allowed=True, by=rosa, now=timezone.now())
    assert run(judge).done == 4
    said = AuditEntry.objects.filter(target=f"study:{study.pk}").order_by("pk")
    assert [row.action for row in said] == ["judge_added", "judge_disallowed", "judge_allowed"]
    assert {row.data["host"] for row in said} == {"127.0.0.1"}


def test_a_run_stops_where_leave_is_withdrawn(study, judging, add, run, rosa):
    judge = add(study)

    run_one = running.prompts.parse_verdict

    def parse(text, item):
        JudgeModel.objects.update(allowed_by=None, allowed_at=None)
        return run_one(text, item)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running.prompts, "parse_verdict", parse)
        job = run(judge)
    assert (job.state, job.done, len(judging.chat.bodies)) == ("failed", 1, 1)
    assert "Nobody allows" in job.problem


def test_a_draft_gets_no_judges_and_a_model_judges_a_study_once(study, judging, add):
    with pytest.raises(Conflict, match="draft"):
        add(make_study(study.project, state="draft"))
    add(study)
    with pytest.raises(Conflict, match="judges this study already"):
        add(study)
    assert add(make_study(study.project, state="closed")).model == "tiny-1"


@pytest.mark.parametrize("role", ["annotator", "judge", "expert", "validator"])
def test_only_staff_add_ask_and_remove(study, judging, add, role):
    judge = add(study)
    other = factories.make_member(study.project, role)
    for refused in (
        lambda: add(study, by=other),
        lambda: judges_services.start_run(judge=judge, by=other, now=timezone.now()),
        lambda: judges_services.remove_judge(judge=judge, by=other, now=timezone.now()),
        lambda: judges_services.change_allowance(
            judge=judge, allowed=False, by=other, now=timezone.now()
        ),
    ):
        with pytest.raises(Denied):
            refused()


def test_one_run_at_a_time(study, judging, add, rosa, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    judge = add(study)
    job = judges_services.start_run(judge=judge, by=rosa, now=timezone.now())
    assert judges_services.start_run(judge=judge, by=rosa, now=timezone.now()) == job
    with pytest.raises(Conflict, match="Stop that first"):
        judges_services.remove_judge(judge=judge, by=rosa, now=timezone.now())
    other = Job.objects.create(
        project=study.project, kind="judge_study", created_by=rosa, created_at=timezone.now()
    )
    with pytest.raises(IntegrityError, match="judge_run_one_at_a_time"), transaction.atomic():
        JudgeRun.objects.create(judge=judge, job=other)


def test_a_killed_worker_is_continued_and_pays_for_nothing_twice(
    study, judging, add, rosa, monkeypatch
):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    judge = add(study)
    job = judges_services.start_run(judge=judge, by=rosa, now=timezone.now())
    create, killed = ModelJudgment.objects.create, []

    def die(**fields):
        if ModelJudgment.objects.count() == 2 and not killed:
            killed.append(True)
            raise SystemExit  # the reply is there, its judgment is not
        return create(**fields)

    monkeypatch.setattr(running.ModelJudgment.objects, "create", die)
    with pytest.raises(SystemExit):
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert (job.state, job.done) == ("running", 2)
    late = timezone.now() + jobs_services.STALE_AFTER * 2
    assert jobs_services.requeue_stale_jobs(now=late) == 1
    job = work_on(job)
    assert (job.state, job.done, job.result["judged"]) == ("done", 4, 4)
    assert (len(judging.chat.bodies), CachedReply.objects.count()) == (4, 4)


def test_a_stopped_run_keeps_what_it_has_and_another_goes_on(study, judging, add, run, rosa):
    judge = add(study)
    seen = running._read_reply

    def read(row, item):
        if ModelJudgment.objects.count() == 1:
            Job.objects.update(cancel_asked_at=timezone.now())
        return seen(row, item)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_read_reply", read)
        job = run(judge)
    assert (job.state, ModelJudgment.objects.count()) == ("cancelled", 1)
    again = run(judge)
    assert (again.state, again.done, again.result["known"]) == ("done", 4, 1)
    assert again.pk != job.pk


def test_an_endpoint_that_says_nothing_ends_the_run(study, judging, chat, add, run, naps):
    chat.replies = [Reply(status=500)]
    job = run(add(study))
    assert (job.state, job.result["unanswered"]) == ("failed", 3)
    assert "3 items in a row" in job.problem
    assert not ModelJudgment.objects.exists()


def test_another_model_does_not_judge_in_the_name_of_the_first(study, judging, add, run, settings):
    judge = add(study)
    settings.LLM_MODEL = "other"
    job = run(judge)
    assert job.state == "failed"
    assert "the judge is tiny-1" in job.problem
    assert not judging.chat.bodies


def test_a_model_of_this_machine_judges_without_an_endpoint(study, models, add, run):
    judge = add(study, talker="local")
    assert judge.host == ""
    job = run(judge)
    assert (job.state, job.done) == ("done", 4)


@pytest.mark.parametrize(
    ("model", "fields", "wrote"),
    [
        ("tiny-1", {"name": "llm", "version": "tiny-1 p1"}, True),
        ("org/tiny-1", {"name": "Tiny-1"}, True),
        ("tiny-1", {"name": "llm", "version": "tiny-10 p1"}, False),
        ("tiny-1", {"name": "x", "options": {"model": "tiny-1"}}, True),
        ("tiny-1", {"name": "tiny-1", "kind": "human"}, False),
        ("a" * 60, {"name": "llm", "version": f"{'a' * 26}-{queries.crc32(b'a' * 60):08x}"}, True),
        ("tiny-1", {"name": "Amber"}, False),
    ],
)
def test_a_judge_of_its_own_answers_is_flagged(project, model, fields, wrote):
    judge = JudgeModel(model=model)
    assert queries.wrote_answers(judge, make_system(project, **fields)) is wrote


def test_progress_takes_the_same_queries_however_many_judges(
    study, judging, add, settings, django_assert_num_queries
):
    with django_assert_num_queries(1):
        assert queries.list_progress(study) == []
    for name in ("tiny-1", "tiny-2", "tiny-3"):
        settings.LLM_MODEL = name
        add(study)
    with django_assert_num_queries(5):
        assert len(queries.list_progress(study)) == 3
