"""Predictions of teams: the limits, what is refused and how, and how they are scored."""

import datetime as dt
import re

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from evaluation.benchmark import scoring, submitting
from evaluation.models import BenchmarkEntry, Output, System
from evaluation.scores.measuring import score_systems
from tests import factories
from tests.evaluation import factories as made
from tests.evaluation.benchmark import scenes
from tests.evaluation.benchmark.scenes import HIDDEN, SECRET, predict, send
from tests.evaluation.reports.test_papers_read import SINGLE, bring


def test_predictions_are_scored_as_a_system_of_the_project_would_be(benchmark, project, red, now):
    entry = send(benchmark, red, now, predict(18))
    assert entry.state == "scored", entry.problem
    assert entry.figures["str_em"]["value"] == 37.5
    system = made.make_system(project, "Same")
    for question in Question.objects.filter(project=project, split="test"):
        made.make_output(system, question, predict(18)[question.external_id])
    [own] = score_systems(project, "test", [system])
    for name, figure in entry.figures.items():
        score = own.figures[name]
        assert figure["value"] == round(score.value, 1)
        if score.interval:
            bounds = [round(score.interval.low, 1), round(score.interval.high, 1)]
            assert [figure["low"], figure["high"]] == bounds


def test_an_entry_is_no_system_of_the_project(benchmark, project, red, staff, now, client_as):
    send(benchmark, red, now)
    assert not System.objects.exists()
    assert not Output.objects.exists()
    client = client_as(staff)
    listed = client.get(reverse("api-systems", args=[project.slug])).json()
    assert listed["results"] == []


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (predict(ids=range(HIDDEN - 1)), "24 questions of the test split, and nothing else"),
        (predict() | {"d1": "1843"}, "Of its 25 records, 24 do; 1 are"),
        (predict() | {"nowhere": "1843"}, "1 are empty, unreadable"),
        (predict() | {"t3": ""}, "23 do; 1 are empty"),
        (predict() | {"t3": " \u200b"}, "23 do; 1 are empty"),
        (predict() | {"t3": 7}, "23 do"),
        (predict() | {"t3": {"a": ["b"]}}, "23 do"),
        ([{"id": "t1", "answer": "x"}] * HIDDEN, "1 do; 23 are"),
        ({}, ""),
        ([], ""),
    ],
)
def test_a_file_that_is_not_whole_is_refused_by_one_sentence_and_does_not_count(
    benchmark, red, now, data, sentence
):
    entry = send(benchmark, red, now, data)
    assert (entry.state, entry.month_place, entry.year_place) == ("failed", None, None)
    assert sentence in entry.problem
    assert SECRET not in entry.problem
    assert not re.search(r"\bt\d+\b", entry.problem)
    assert submitting.count_sent(entry.team, now) == (0, 0)


HOSTILE = [
    b"PK\x03\x04" + b"\0" * 2000,  # a ZIP, which nothing opens
    b"\x1f\x8b\x08" + b"\0" * 500,
    b"[" * 100_000,
    b'{"t1": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    b'{"t1": "\\ud800"}',
    b'{"t1": 1e999, "t2": NaN}',
    b'{"t1": "a", "t1": "b"}',
    b"\xff\xfe{\x00}",
    b"null",
    b"",
    b" " * 5000,
]


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_refused_with_a_sentence(
    benchmark, project, red, now, content, client_as
):
    client = client_as(red)
    address = reverse("benchmark-entries", args=[project.slug])
    data = {"name": "BART", "shown": "private", "file": scenes.upload(content)}
    response = client.post(address, data)
    if response.status_code == 302:
        entry = BenchmarkEntry.objects.get()
        jobs_services.claim_and_run(job_id=entry.job_id, clock=lambda: now)
        entry.refresh_from_db()
        assert entry.state == "failed"
        assert entry.problem.endswith(".")
        assert "fault" not in entry.problem
    else:
        assert response.status_code == 422
        assert "There is a problem" in response.text
    assert submitting.count_sent(benchmark.teams.get(), timezone.now()) == (0, 0)


def test_a_file_over_the_limit_is_refused(benchmark, project, red, now, client_as, settings):
    settings.IMPORT_MAX_BYTES = 1000
    client = client_as(red)
    file = SimpleUploadedFile("p.json", b"{" + b" " * 2_000_000 + b"}")
    data = {"name": "BART", "shown": "private", "file": file}
    response = client.post(reverse("benchmark-entries", args=[project.slug]), data)
    assert response.status_code == 422
    assert "The maximum is" in response.text
    assert not BenchmarkEntry.objects.exists()


def test_what_is_said_is_the_same_whether_answers_are_right_or_wrong(benchmark, red, now):
    short = predict(ids=range(HIDDEN - 1))
    right = send(benchmark, red, now, short)
    wrong = send(benchmark, red, now, dict.fromkeys(short, "I do not know."))
    assert right.problem == wrong.problem


def test_five_a_month_and_twenty_a_year(benchmark, red, now):
    at = dt.datetime(2026, 1, 31, 23, 59, tzinfo=dt.UTC)
    for _ in range(5):
        send(benchmark, red, at, run=False)
    with pytest.raises(Conflict, match="5 this month"):
        send(benchmark, red, at, run=False)
    # A new month in UTC, whatever the clock elsewhere says.
    entry = send(benchmark, red, at + dt.timedelta(minutes=1), run=False)
    assert (entry.month, entry.month_place, entry.year_place) == (2, 1, 6)
    for month in (3, 4, 5):
        for _ in range(5 if month < 5 else 4):
            send(benchmark, red, at.replace(month=month, day=1), run=False)
    with pytest.raises(Conflict, match="20 this year"):
        send(benchmark, red, at.replace(month=12), run=False)
    send(benchmark, red, at.replace(year=2027), run=False)


def test_what_fails_frees_its_place_and_what_is_withdrawn_does_not(benchmark, red, now):
    entries = [send(benchmark, red, now) for _ in range(5)]
    submitting.withdraw_entry(entry=entries[1], by=red, now=now)
    with pytest.raises(Conflict):
        send(benchmark, red, now)
    BenchmarkEntry.objects.filter(pk=entries[0].pk).delete()
    assert send(benchmark, red, now, {"t1": "x"}).state == "failed"
    assert send(benchmark, red, now).month_place == 1


def test_the_database_holds_the_limits(benchmark, red, now):
    entry = send(benchmark, red, now)
    row = BenchmarkEntry.objects.filter(pk=entry.pk)
    for change in (
        {"month_place": 6},
        {"year_place": 21},
        {"month_place": 0},
        {"month_place": None},
        {"state": "failed"},
        {"state": "waiting"},
        {"shown": "all"},
        {"figures": {}},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            row.update(**change)
    other = send(benchmark, red, now)
    with pytest.raises(IntegrityError, match="month_place"), transaction.atomic():
        BenchmarkEntry.objects.filter(pk=other.pk).update(month_place=1)
    with pytest.raises(IntegrityError, match="year_place"), transaction.atomic():
        BenchmarkEntry.objects.filter(pk=other.pk).update(year_place=1)


def test_a_job_that_is_stopped_or_lost_does_not_count(benchmark, red, now, client_as):
    entry = send(benchmark, red, now, run=False)
    Job.objects.filter(pk=entry.job_id).update(state="failed", ended_at=now)
    assert submitting.count_sent(entry.team, now) == (0, 0)
    page = client_as(red).get(reverse("benchmark-entries", args=["bridges"])).text
    assert submitting.STOPPED in page
    assert send(benchmark, red, now).month_place == 1
    entry.refresh_from_db()
    assert (entry.state, entry.problem) == ("failed", submitting.STOPPED)


def test_a_fault_of_the_program_does_not_count_and_tells_nothing(benchmark, red, now, monkeypatch):
    def fail(*args):
        raise RuntimeError(f"{SECRET} 3 was expected")

    monkeypatch.setattr(scoring, "round_figures", fail)
    entry = send(benchmark, red, now)
    assert (entry.state, entry.problem) == ("failed", scoring.FAULT)


def test_a_lost_worker_is_followed_by_another_that_changes_nothing(benchmark, red, now):
    entry = send(benchmark, red, now)
    Job.objects.filter(pk=entry.job_id).update(state="queued", ended_at=None)
    jobs_services.claim_and_run(job_id=entry.job_id, clock=lambda: now)
    assert BenchmarkEntry.objects.get(pk=entry.pk).state == "scored"


def test_a_small_test_split_takes_no_predictions(benchmark, red, now):
    Question.objects.filter(external_id__in=[f"t{n}" for n in range(10)]).update(state="excluded")
    with pytest.raises(Conflict, match="tell of single questions"):
        send(benchmark, red, now)


def test_a_figure_over_few_questions_does_not_leave(benchmark, red, now):
    few = [f"t{n}" for n in range(10)]
    Question.objects.filter(external_id__in=few).update(context={})
    entry = send(benchmark, red, now)
    assert (entry.state, entry.problem) == ("failed", scoring.NOTHING)


def test_who_sends_too_many_files_waits(benchmark, red, client_as, settings):
    cache.clear()
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "benchmark_send": "1/h/user"}
    client, address = client_as(red), reverse("benchmark-entries", args=["bridges"])
    found = []
    for _ in range(2):
        data = {"name": "BART", "shown": "private", "file": scenes.upload(b"null")}
        found.append(client.post(address, data).status_code)
    assert found == [422, 429]


def test_people_of_the_project_send_nothing(benchmark, project, red, staff, now):
    with pytest.raises(Denied):
        send(benchmark, staff, now)
    factories.make_member(project, "annotator", user=red)
    with pytest.raises(Conflict, match="can know the answers"):
        send(benchmark, red, now)


def test_who_has_worked_in_the_project_sends_nothing(benchmark, project, red, now):
    question = Question.objects.get(external_id="d1")
    task = factories.make_task(project, question, stage="long_answers")
    factories.make_assignment(task, red, state="submitted")
    with pytest.raises(Conflict, match="have worked in it"):
        send(benchmark, red, now)


def test_answers_of_ambigqa_are_scored_and_texts_alone_are_not(db, now):
    project = factories.make_project(slug="several")
    names = [f"t{place}" for place in range(HIDDEN)]
    records = [
        {"id": name, "question": f"When did bridge {name} open?", "annotations": [SINGLE]}
        for name in names
    ]
    bring(project, records, "ambignq", "test", now)
    benchmark = scenes.make_benchmark(project, now)
    user = scenes.make_team_member(benchmark, "Reds", "Rita Rowe", now)
    entry = send(
        benchmark,
        user,
        now,
        {name: ["1843"] for name in names[:18]} | {name: ["1901"] for name in names[18:]},
    )
    assert entry.state == "scored", entry.problem
    assert entry.figures["f1_answer"]["value"] == 75.0
    assert "f1_answer.multi" not in entry.figures  # over no question
    texts = send(benchmark, user, now, dict.fromkeys(names, "It opened in 1843."))
    assert (texts.state, texts.problem) == ("failed", scoring.NOTHING)
    mixed = send(benchmark, user, now, {name: ["1843"] for name in names[1:]} | {"t0": "1843"})
    assert "same parts" in mixed.problem
