"""The page that runs a baseline, and its job."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Job
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(project, client_as, rosa, tiny, questions, woken):
    return client_as(rosa)


def address(project):
    return reverse("system-run", args=[project.slug])


def post(staff, project, **fields):
    return staff.post(address(project), {"baseline": "tiny", "split": "dev"} | fields)


def test_a_run_is_chosen_from_the_list_of_systems_and_watched(
    staff, project, run, django_capture_on_commit_callbacks, woken
):
    listed = staff.get(reverse("system-list", args=[project.slug])).content.decode()
    assert f'href="{address(project)}"' in listed
    form = staff.get(address(project)).content.decode()
    assert '<option value="tiny">Tiny</option>' in form
    assert '<option value="searcher">' not in form  # it gives no answers

    with django_capture_on_commit_callbacks(execute=True):
        reply = post(staff, project, missing="on")
    job = Job.objects.get()
    assert woken == [job.pk]
    assert reply.headers["Location"] == reverse("job-detail", args=[project.slug, job.pk])
    run(job)
    page = staff.get(reply.headers["Location"]).content.decode()
    for words in ("Answers of a baseline", "Tiny, dev", "5 of 5 questions", "5 new"):
        assert words in page
    assert f'href="{reverse("system-list", args=[project.slug])}"' in page
    log = staff.get(reverse("project-log", args=[project.slug])).content.decode()
    assert "Tiny, dev" in log


def test_what_lacks_something_is_named_and_cannot_be_chosen(staff, project, tiny, monkeypatch):
    from modeling.base import MissingModel

    def missing(self, corpus, options):
        raise MissingModel("The package “tiny” is not installed: pip install tiny.")

    monkeypatch.setattr(tiny, "__init__", missing)
    page = staff.get(address(project)).content.decode()
    assert "Not available here" in page
    assert "pip install tiny" in page
    assert '<option value="tiny">' not in page
    assert post(staff, project).status_code == 422
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"baseline": "robot"}, "“robot” is not in the list."),
        ({"split": "train"}, "“train” is not in the list."),
        ({"options": "top"}, "“top”: write it as name=value."),
        ({"options": "train=/etc/passwd"}, "Only manage.py predict can name a file."),
        ({"options": "train=test.jsonl"}, "name a split of this project: dev, test."),
        ({"options": "of=bm25,fid@/srv/models"}, "“of” cannot be set here."),
        ({"options": "model=facebook/bart-large"}, "“model” cannot be set here."),
        ({"options": "encoder = ../etc"}, "only manage.py predict can name folders of the server"),
    ],
)
def test_bad_input_gets_a_sentence_and_starts_nothing(staff, project, fields, sentence):
    reply = post(staff, project, **fields)
    assert reply.status_code == 422
    assert sentence in reply.content.decode()
    assert not Job.objects.exists()


def test_what_several_lack_is_said_once(client_as, rosa, project, questions, monkeypatch):
    from modeling import weights

    monkeypatch.setattr(weights, "find_spec", lambda name: None)
    page = client_as(rosa).get(address(project)).content.decode()
    assert page.count("index_wikipedia makes one of an archive") == 1
    assert page.count("torch and transformers are not installed here") == 1
    assert "T5 closed book; T5 with the reference disambiguations (oracle)</dt>" in page


def test_an_option_that_a_baseline_does_not_have_is_refused(staff, project):
    reply = post(staff, project, options="top=5")
    assert reply.status_code == 422
    assert "no option" in reply.content.decode()


def test_problems_of_questions_are_on_the_page_of_the_job(staff, project, run, tiny, monkeypatch):
    predict = tiny.predict

    def fail(self, asked):
        self.options = {"fails": "q3"}
        return predict(self, asked)

    monkeypatch.setattr(tiny, "predict", fail)
    job = run(Job.objects.get(pk=post(staff, project).headers["Location"].split("/")[-2]))
    page = staff.get(reverse("job-detail", args=[project.slug, job.pk])).content.decode()
    assert "1 without an answer" in page
    assert '<span dir="auto">q3</span>: The reply is too long.' in page


def test_a_project_without_questions_says_so(client_as, tiny):
    empty = factories.make_project()
    client = client_as(factories.make_member(empty, "researcher"))
    assert "Import questions first" in client.get(address(empty)).content.decode()


def test_the_page_costs_the_same_with_more_questions(staff, project):
    staff.get(address(project))

    def queries():
        with CaptureQueriesContext(
            connection,
        ) as captured:
            staff.get(address(project))
        return len(captured)

    before = queries()
    for n in range(20):
        factories.make_question(project, external_id=f"more-{n}")
    assert queries() == before
