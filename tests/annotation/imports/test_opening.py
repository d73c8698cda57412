"""Questions that are imported closed: no one is given them until the team opens them."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.core.refusals import Conflict, Denied
from annotation.imports import opening
from annotation.imports.services import import_questions, start_import
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question, Task
from annotation.people.work_queries import list_work
from annotation.questions.queries import QuestionFilters, list_questions
from annotation.questions.services import move_questions
from annotation.work import assignments
from tests import factories

pytestmark = pytest.mark.django_db
FILE = b'{"id": "a", "question": "Who built it?"}\n{"id": "b", "question": "When was it?"}\n'


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


def bring(project, now, *, closed=True, content=FILE):
    return import_questions(
        project=project,
        file=io.BytesIO(content),
        format="jsonl",
        split="dev",
        by=None,
        now=now,
        closed=closed,
    )


def take(project, by, now):
    return assignments.take_next(project=project, stage="generation", by=by, now=now)


def open_all(project, by, now):
    ids = project.questions.values_list("pk", flat=True)
    return opening.open_questions(project=project, question_ids=ids, by=by, now=now)


def run_import(project, by, now, **choices):
    job = start_import(
        project=project,
        file=SimpleUploadedFile("q.jsonl", FILE),
        file_name="q.jsonl",
        format="jsonl",
        split="dev",
        strict=False,
        by=by,
        now=now,
        **choices,
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def test_the_engine_has_nothing_of_them_until_they_are_opened(project, rosa, ann, now):
    assert bring(project, now).created == 2
    assert not Task.objects.exists()
    assert take(project, ann, now) is None
    assert open_all(project, rosa, now) == 2
    assert take(project, ann, now).task.question.external_id == "a"
    with pytest.raises(Conflict, match="open already"):
        open_all(project, rosa, now)
    entry = AuditEntry.objects.get(action="questions_opened")
    assert (entry.actor, entry.data["questions"]) == (rosa.pk, 2)


def test_the_same_file_again_opens_nothing(project, now):
    bring(project, now)
    assert bring(project, now, closed=False).unchanged == 2
    assert not Task.objects.exists()


def test_only_staff_open_and_only_questions_of_the_project(project, ann, rosa, now):
    bring(project, now)
    other = factories.make_project()
    bring(other, now)
    with pytest.raises(Denied):
        open_all(project, ann, now)
    ids = other.questions.values_list("pk", flat=True)
    with pytest.raises(Conflict):
        opening.open_questions(project=project, question_ids=ids, by=rosa, now=now)
    assert not Task.objects.exists()


def test_a_closed_question_that_is_moved_stays_closed(project, rosa, now):
    bring(project, now)
    bring(project, now, closed=False, content=b'{"id": "c", "question": "Where is it?"}\n')
    ids = list(project.questions.values_list("pk", flat=True))
    move_questions(project=project, question_ids=ids, split="test", by=rosa, now=now)
    assert [task.question.external_id for task in Task.objects.all()] == ["c"]


def test_finished_work_cannot_be_closed(project, rosa, now):
    with pytest.raises(Conflict, match="Choose one of the two"):
        run_import(project, rosa, now, finished=True, closed=True)


def test_the_page_of_the_import_opens_them(project, rosa, ann, now, client_as):
    job, client = run_import(project, rosa, now, closed=True), client_as(rosa)
    page = reverse("job-detail", args=[project.slug, job.pk])
    assert "2 questions are not open yet" in client.get(page).text
    overview = client.get(reverse("project-overview", args=[project.slug])).text
    assert "Choose which to open" in overview
    press = reverse("import-open", args=[project.slug, job.pk])
    assert client_as(ann).post(press).status_code == 403
    client = client_as(rosa)
    assert "2 questions are open to annotators now." in client.post(press, follow=True).text
    assert "not open yet" not in client.get(page).text
    assert client.post(press).status_code == 409
    log = client.get(reverse("project-log", args=[project.slug])).text
    assert "to annotators: 2." in log


def test_an_open_import_offers_nothing_to_open(project, rosa, now, client_as):
    job = run_import(project, rosa, now)
    assert "closed" not in job.options
    page = client_as(rosa).get(reverse("job-detail", args=[project.slug, job.pk])).text
    assert "not open yet" not in page


def test_the_list_names_filters_and_opens_them(project, rosa, now, client_as):
    bring(project, now)
    bring(project, now, closed=False, content=b'{"id": "c", "question": "Where is it?"}\n')
    closed = list_questions(project, QuestionFilters(state="closed"))
    assert [question.external_id for question in closed] == ["a", "b"]
    client, page = client_as(rosa), reverse("project-questions", args=[project.slug])
    shown = client.get(page, {"state": "closed"}).text
    assert shown.count("<span>Not open yet</span>") == 2
    assert "Open to annotators" in shown
    data = {"action": "open", "question": [closed[0].pk], "query": "state=closed"}
    change = reverse("questions-change", args=[project.slug])
    assert "Opened 1 question." in client.post(change, data, follow=True).text
    assert set(Task.objects.values_list("question__external_id", flat=True)) == {"a", "c"}
    assert "open already" in client.post(change, data, follow=True).text
    assert "Open to annotators" not in client.get(page, {"text": "Where"}).text


def test_the_team_reads_why_nobody_has_work(project, rosa, ann, now):
    judge = factories.make_member(project, "judge")
    bring(project, now)
    notes = {each.facts.user: each.note for each in list_work([project], now=now)[project.pk]}
    assert notes[ann.pk].title == "The questions are not open yet"
    assert notes[judge.pk].title == "No work is open to the role judge"


def test_the_command_imports_closed_and_another_opens(project, tmp_path, capsys):
    path = tmp_path / "q.jsonl"
    path.write_bytes(FILE)
    call_command("import_questions", project.slug, str(path), "--closed")
    assert (Question.objects.count(), Task.objects.count()) == (2, 0)
    with pytest.raises(CommandError, match="No question waits"):
        call_command("open_questions", project.slug, "--split", "test")
    call_command("open_questions", project.slug)
    assert capsys.readouterr().out.endswith("2 questions are open now.\n")
    assert Task.objects.count() == 2
    with pytest.raises(CommandError, match="Choose one of the two"):
        call_command("import_questions", project.slug, str(path), "--closed", "--finished")


def test_the_api_imports_closed_and_opens(project, rosa, ann, client):
    def post(user, address, data=None):
        _, token = AuthToken.objects.create(user)
        return client.post(address, data or {}, headers={"Authorization": f"Token {token}"})

    address = reverse("api-import", args=[project.slug])

    def send(**fields):
        file = SimpleUploadedFile("q.jsonl", FILE)
        return post(rosa, address, {"file": file, "closed": "true", **fields})

    refused = send(format="ambignq", split="dev", finished="true")
    assert (refused.status_code, list(refused.json())) == (400, ["closed"])
    answer = send()
    assert answer.status_code == 202
    job = Job.objects.get()
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    assert (Question.objects.count(), Task.objects.count()) == (2, 0)
    press = reverse("api-import-open", args=[project.slug, job.pk])
    assert post(ann, press).status_code == 403
    assert post(factories.make_user(), press).status_code == 404
    assert post(rosa, press).json() == {"opened": 2}
    assert post(rosa, press).status_code == 409
    assert json.loads(json.dumps(Job.objects.get().options))["closed"] is True


def test_the_check_page_offers_it(project, rosa, client_as):
    client = client_as(rosa)
    answer = client.post(
        reverse("import-create", args=[project.slug]), {"file": SimpleUploadedFile("q.jsonl", FILE)}
    )
    page = client.get(answer["Location"]).text
    assert "Do not open them to annotators yet" in page
    assert "as soon as the questions are imported" in page
    chosen = {"closed": "on", "split": "dev"}
    page = client.post(answer["Location"], chosen | {"show": "1"}).text
    assert "once you open the questions" in page
    client.post(answer["Location"], chosen)
    jobs_services.claim_and_run(job_id=Job.objects.get(kind="import").pk, clock=timezone.now)
    assert (Question.objects.count(), Task.objects.count()) == (2, 0)
