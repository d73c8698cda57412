"""Making questions as a job: tried, added, killed, undone; the page and the API."""

import json
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.imports import undoing
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from qampari.making import jobs, pages
from qampari.making.choices import read_choice
from qampari.making.judging import WordsJudge
from qampari.models import Candidate, EvidenceVerdict
from tests import factories
from tests.qampari.making.conftest import CHOICES, DEMO
from tests.wikipedia.wikidata.entities import as_dump, as_lines, item, statement, write
from wikipedia.wikidata.folders import delete_graph

pytestmark = pytest.mark.django_db
NOW = timezone.now
CHOICE = read_choice(DEMO)


@pytest.fixture
def start(project, rosa):
    def start(*, try_only=False, choice=CHOICE, judge="words"):
        return jobs.start_making_job(
            project=project, graph="demo", choice=choice, judge=judge, try_only=try_only,
            by=rosa, now=NOW(),
        )  # fmt: skip

    return start


def run(job):
    jobs_services.claim_and_run(job_id=job.pk, clock=NOW)
    job.refresh_from_db()
    return job


def test_a_run_adds_its_questions_and_undoing_it_removes_them(start, rosa, client_as, project):
    job = run(start())
    assert (job.state, job.problem) == ("done", "")
    (question,) = Question.objects.all()
    assert (question.job, question.split) == (job, "test")
    assert question.text == "Which bridges and tunnels cross the River Thames?"
    assert Candidate.objects.filter(question=question).count() == 6
    assert job.result["created"] == 1
    assert job.result["counts"]["found"] == {"simple": 3, "simple_kept": 1}
    assert "3 simple queries" in job.log[-1][1]
    page = client_as(rosa).get(reverse("job-detail", args=[project.slug, job.pk]))
    assert reverse("import-undo", args=[project.slug, job.pk]) in page.content.decode()
    assert undoing.undo_import(job=job, by=rosa, now=NOW()) == 1
    assert not Question.objects.exists()


def test_a_try_shows_questions_and_adds_none(start, rosa, client_as, project):
    job = run(start(try_only=True))
    (shown,) = job.result["shown"]["sample"]
    assert (shown["count"], len(shown["answers"])) == (6, 3)
    assert not Question.objects.exists()
    page = client_as(rosa).get(reverse("job-detail", args=[project.slug, job.pk]))
    text = page.content.decode()
    assert "cross the River Thames?" in text
    assert "and 3 more answers" in text
    assert "2 left out: too few answers that a page shows" in text
    assert "Which spacecraft are or were operated by NASA? 0 of 7 answers have evidence." in text
    evidence = job.result["counts"]["evidence"]
    assert (evidence["facts"], [each["facts"] for each in evidence["levels"]]) == (19, [10] * 5)
    assert "by threshold: 10 at 0.00195, 10 at 0.3" in text
    assert f"19 facts were looked for, {evidence['with_sentence']} have a sentence" in text
    assert reverse("make-questions", args=[project.slug]) in text


def test_each_fact_is_judged_once_and_kept(start, monkeypatch):
    first = run(start())
    kept = list(EvidenceVerdict.objects.order_by("value", "item").values_list())
    assert len(kept) == first.result["counts"]["triples"]
    supported = EvidenceVerdict.objects.filter(score=1.0)
    assert all(row.text and row.path for row in supported)

    def judge(*_):
        raise AssertionError("was judged before")

    monkeypatch.setattr(WordsJudge, "score_windows", judge)
    Question.objects.all().delete()
    again = run(start())
    assert again.state == "done"
    assert again.result["counts"] == first.result["counts"]
    assert list(EvidenceVerdict.objects.order_by("value", "item").values_list()) == kept


def test_another_wording_is_judged_anew(start):
    run(start())
    before = EvidenceVerdict.objects.count()
    Question.objects.all().delete()
    own = json.loads(json.dumps(DEMO))
    own["relations"][0]["statement"] = "{answer} leads over or under the {subject}."
    run(start(choice=read_choice(own)))
    assert EvidenceVerdict.objects.count() == before + 6


@pytest.mark.parametrize("place", [1, 6, 11])
def test_a_run_that_is_killed_ends_with_the_same_questions(start, monkeypatch, place):
    """It dies while a page is read, and again before its questions are in; none is there twice."""
    whole = run(start())
    (question,) = Question.objects.all()
    expected = (question.external_id, question.text, question.context)
    Question.objects.all().delete()
    EvidenceVerdict.objects.all().delete()
    read, seen = pages.SnapshotPages._read, []

    def die(self, title):
        seen.append(title)
        if len(seen) == place:
            raise SystemExit
        return read(self, title)

    monkeypatch.setattr(pages.SnapshotPages, "_read", die)
    monkeypatch.setattr(jobs, "_QUERIES_AT_ONCE", 1)
    job = start()
    with pytest.raises(SystemExit):
        run(job)
    Job.objects.filter(pk=job.pk).update(state="queued")
    saved = jobs.RecordWriter.write_records
    monkeypatch.setattr(jobs.RecordWriter, "write_records", _import_and_die(saved))
    with pytest.raises(SystemExit):
        run(job)
    monkeypatch.setattr(jobs.RecordWriter, "write_records", saved)
    Job.objects.filter(pk=job.pk).update(state="queued")
    job = run(job)
    (question,) = Question.objects.all()
    assert (question.external_id, question.text, question.context) == expected
    assert job.result["counts"] == whole.result["counts"]


def _import_and_die(write):
    def written(self):
        yield from write(self)
        raise SystemExit

    return written


def test_a_worker_without_the_graph_passes_it_on(start, settings, tmp_path):
    job = start()
    settings.AMBIT_DATA = tmp_path
    jobs_services.claim_and_run(job_id=job.pk, clock=NOW)
    job.refresh_from_db()
    assert job.state == "queued"


def test_two_clicks_are_one_job_and_another_run_waits(start):
    first = start()
    assert start() == first
    assert start(try_only=True) != first
    with pytest.raises(jobs.Conflict, match="are being made"):
        start(choice=read_choice(DEMO | {"seed": 5}))


def test_a_model_waits_for_a_worker_with_models(start):
    assert jobs.task_of(start(judge="entailment").options) == "modeling.tasks.run_job"
    assert jobs.task_of({"judge": "words"}) == "annotation.tasks.run_job"


def test_without_weights_the_job_says_so(start, settings):
    settings.MODELS = {"entailment": "/nowhere"}
    job = run(start(judge="entailment"))
    assert job.state == "failed"
    assert "entailment" in job.problem or "not installed" in job.problem


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"score": 1.5}, "evidence_verdict_score"),
        ({"path": ""}, "evidence_verdict_has_its_place"),
        ({"end": 0}, "evidence_verdict_has_its_place"),
        ({"sentence": 99}, "evidence_verdict_has_its_place"),
        ({}, "evidence_verdict_once"),
    ],
)
def test_what_must_not_be_in_a_verdict(project, changes, name):
    def make(**more):
        values = {
            "project": project, "snapshot": "demo", "judge": "words 1", "wording": "a", "item": 1,
            "value": 2, "score": 0.5, "sentences": 1, "path": "Bridge", "start": 3, "end": 9,
            "sentence": 4,
        }  # fmt: skip
        EvidenceVerdict.objects.create(**values | more)

    make()
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        make(**({"item": 5} | changes if changes else {}))


# --- the page and the API -----------------------------------------------------------------------


def fill_in(**changes):
    values = {
        "graph": "demo", "least": 5, "most": 200, "share": 0.8, "judge": "words",
        "threshold": 0.5, "split": "strict", "seed": 0,
    }  # fmt: skip
    values |= {f"{s}_{k}": 9 for s in ("train", "dev", "test")
               for k in ("simple", "intersection", "composition")}  # fmt: skip
    return values | changes


def post(client, project, **changes):
    address = reverse("make-questions", args=[project.slug])
    return client.post(address, fill_in(**changes))


def choices_file(document):
    text = document if isinstance(document, str) else json.dumps(document)
    return SimpleUploadedFile("choices.json", text.encode())


def test_the_page_starts_a_run_and_a_try(project, rosa, client_as):
    client = client_as(rosa)
    page = client.get(reverse("make-questions", args=[project.slug])).content.decode()
    assert "Make questions with many answers" in page
    assert (
        reverse("make-questions", args=[project.slug])
        in client.get(reverse("project-overview", args=[project.slug])).content.decode()
    )
    answer = post(client, project, relations=choices_file(CHOICES.read_text()), **{"try": "1"})
    job = Job.objects.get()
    assert (answer.status_code, answer["Location"]) == (
        302, reverse("job-detail", args=[project.slug, job.pk]),
    )  # fmt: skip
    assert job.kind == jobs.TRY
    assert read_choice(job.options["choice"]).relations == CHOICE.relations
    post(client, project, relations=choices_file(CHOICES.read_text()))
    assert Job.objects.latest("pk").kind == jobs.MAKING


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"graph": "none"}, "“none” is not in the list"),
        ({"least": 9, "most": 5, "relations": DEMO}, "“least” is a whole number from 1 to 5"),
        ({}, "Choose at least two relations"),
        ({"share": 2}, "Share of the answers with evidence, at least:"),
        ({"relations": "x"}, "is not JSON"),
        ({"relations": "[]"}, "no object of JSON"),
        ({"relations": {"relations": [DEMO["relations"][0] | {"question": "<b>?"}]}}, "signs that"),
    ],
)
def test_what_is_wrong_is_said_on_the_page(project, rosa, client_as, changes, sentence):
    if "relations" in changes:
        changes = changes | {"relations": choices_file(changes["relations"])}
    answer = post(client_as(rosa), project, **changes)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Job.objects.exists()


@pytest.fixture
def bridges(project, tmp_path):
    """A graph whose types are Wikidata's, so that Ambit's relations have questions in it."""
    rows = [item(900_003_001, label="River Ald"), item(900_003_002, label="Ada Ash")]
    rows += [
        item(n, statement(n, 31, 12_280), statement(n, 177, 900_003_001), label=f"Bridge {n}")
        for n in range(900_003_010, 900_003_016)
    ]
    rows += [
        item(n, statement(n, 31, 11_424), statement(n, 57, 900_003_002), label=f"Film {n}")
        for n in range(900_003_020, 900_003_025)
    ]
    rows += [item(900_003_030, statement(900_003_030, 31, 11_446), label="A ship")]
    dump = write(tmp_path / "bridges.json", as_dump(as_lines(rows)))
    words = [str(dump), "--name", "bridges", "--processes", "0"]
    call_command("wikidata_graph", *words, stdout=StringIO(), stderr=StringIO())
    yield "bridges"
    delete_graph("bridges")


def test_relations_are_chosen_by_a_question_that_the_graph_can_answer(
    project, rosa, client_as, bridges
):
    client, address = client_as(rosa), reverse("make-questions", args=[project.slug])
    page = client.get(address, {"graph": bridges}).content.decode()
    assert "Which bridges cross River Ald? 6 answers: Bridge 900003010, Bridge 900003011" in page
    assert "Which films were directed by Ada Ash? 5 answers" in page
    assert page.count('name="asked"') == 2
    assert "has no question of those" in client.get(address, {"graph": "demo"}).content.decode()
    shown = post(client, project, graph=bridges, show="1")
    assert (shown.status_code, Job.objects.count()) == (200, 0)
    asked = ["P177/Q12280", "P57/Q11424"]
    post(client, project, graph=bridges, asked=asked)
    choice = read_choice(Job.objects.get().options["choice"])
    assert [relation.property for relation in choice.relations] == [57, 177]
    one = post(client, project, graph=bridges, asked=["P20/Q5"])
    assert (one.status_code, Job.objects.count()) == (422, 1)


def test_the_usual_choices_can_be_downloaded_and_given_back(project, rosa, client_as):
    client = client_as(rosa)
    file = client.get(reverse("making-choices", args=[project.slug]))
    assert file["Content-Disposition"] == 'attachment; filename="choices.json"'
    assert len(file.json()["relations"]) == 50
    post(client, project, relations=choices_file(file.content.decode()))
    assert Job.objects.get().options["choice"] == file.json()


def test_without_a_graph_or_lists_the_page_says_what_to_do(
    project, rosa, client_as, settings, tmp_path
):
    settings.AMBIT_DATA = tmp_path
    address = reverse("make-questions", args=[project.slug])
    assert "wikidata_graph" in client_as(rosa).get(address).content.decode()
    other = factories.make_project(slug="pairs")
    staff = factories.make_member(other, "researcher")
    page = client_as(staff).get(reverse("make-questions", args=["pairs"])).content.decode()
    assert "has no lists" in page


def test_the_api_starts_and_lists_runs(project, rosa, client_as):
    client, address = client_as(rosa), reverse("api-makings", args=[project.slug])
    body = {"graph": "demo", "choices": DEMO}
    started = client.post(address, body, content_type="application/json")
    assert started.status_code == 202
    run(Job.objects.get())
    job = client.get(started["Location"]).json()
    assert (job["state"], job["result"]["created"]) == ("done", 1)
    assert [row["id"] for row in client.get(address).json()["results"]] == [job["id"]]
    tried = client.post(address, body | {"try_only": True}, content_type="application/json")
    assert Job.objects.latest("pk").kind == jobs.TRY
    assert tried.status_code == 202


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "graph"),
        ({"graph": "none"}, "graph"),
        ({"graph": "demo", "judge": "people"}, "judge"),
        ({"graph": "demo", "choices": {"least": 0}}, "choices"),
        ({"graph": "demo", "choices": {"relations": [{"property": "P177"}]}}, "choices"),
    ],
)
def test_bad_input_names_its_field(project, rosa, client_as, body, field):
    address = reverse("api-makings", args=[project.slug])
    refused = client_as(rosa).post(address, body, content_type="application/json")
    assert refused.status_code == 400
    assert field in refused.json()
    assert not Job.objects.exists()


def test_only_staff_make_questions(project, client_as):
    person = factories.make_member(project, "annotator")
    address = reverse("make-questions", args=[project.slug])
    assert client_as(person).get(address).status_code == 403
    assert client_as(person).post(reverse("api-makings", args=[project.slug])).status_code == 403
