"""A page for each question of a file without pages: the first of the top five of a search (N2)."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.imports.import_rules import parse_rules
from annotation.imports.services import check_file, import_questions
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from natural_questions import found_pages, pages
from natural_questions.parsed_pages import parsed_of
from tests import factories
from tests.wikipedia.conftest import data_dir, lund_index, snapshot, zim  # noqa: F401
from wikipedia.html.page import PageMissing
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.registry import provider_for

pytestmark = pytest.mark.django_db
QUESTIONS = [
    {"question": "where is the harbour of lund with its ferry", "answer": ["Lund"]},
    {"question": "xyzzy qwzzk", "answer": []},
]


@pytest.fixture
def project(snapshot):  # noqa: F811
    return factories.make_project(protocol="nq", snapshot=snapshot)


def lines(*records):
    return io.BytesIO("\n".join(map(json.dumps, records)).encode())


def bring(project, *records, **options):
    defaults = {"format": "nq-open", "split": "dev", "by": None, "now": timezone.now()}
    return import_questions(project=project, file=lines(*records), **defaults | options)


def test_the_first_article_that_is_found_becomes_the_page(project):
    tally = bring(project, *QUESTIONS)
    assert (tally.created, tally.left_out, tally.rejected) == (1, {"no_page": 1}, 0)
    question = Question.objects.get()
    hits = provider_for(project.snapshot).search(question.text, limit=5).hits
    page = pages.page_of(question)
    assert question.context["title"] == hits[0].title == page.record["document_title"]
    assert question.known_answers == ["Lund"]
    parsed = parsed_of(question.pk)
    assert parsed.boxes
    assert len(question.context["kinds"]) == len(page.record["long_answer_candidates"])
    assert "<script" not in page.record["document_html"]


def test_importing_again_searches_nothing_and_changes_nothing(project, monkeypatch):
    bring(project, QUESTIONS[0])
    before = pages.page_of(Question.objects.get())
    monkeypatch.setattr(found_pages, "_search_page", lambda *args: pytest.fail("searched"))
    assert bring(project, QUESTIONS[0], QUESTIONS[0]).unchanged == 2
    assert pages.page_of(Question.objects.get()) == before


def test_what_cannot_be_read_is_passed_over(project, monkeypatch):
    provider = provider_for(project.snapshot)
    hits = provider.search(QUESTIONS[0]["question"], limit=5).hits
    assert len(hits) > 1
    load = provider.load_page

    def load_others(path):
        if path == hits[0].path:
            raise PageMissing("It is gone.")
        return load(path)

    monkeypatch.setattr(provider, "load_page", load_others)
    bring(project, QUESTIONS[0])
    assert Question.objects.get().context["title"] == hits[1].title


def test_a_check_and_a_filter_search_nothing(project, monkeypatch):
    monkeypatch.setattr(found_pages, "_search_page", lambda *args: pytest.fail("searched"))
    check = check_file(project=project, file=lines(*QUESTIONS), format="nq-open", split="dev")
    assert (check.tally.created, check.tally.left_out) == (2, {"no_page": 0})
    tally = bring(project, *QUESTIONS, rules=parse_rules(["do"], ""))
    assert tally.left_out == {"no_page": 0, "no_form": 2}


def test_without_an_index_files_without_pages_are_refused():
    bare = factories.make_project(protocol="nq")
    with pytest.raises(Conflict, match="does not fit a project of Natural Questions"):
        bring(bare, *QUESTIONS)


def test_a_wikipedia_that_does_not_answer_stops_the_import(project, monkeypatch, capsys, tmp_path):
    def fail(query, **options):
        raise ProviderUnavailable("The wiki does not answer.")

    monkeypatch.setattr(provider_for(project.snapshot), "search", fail)
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines(*QUESTIONS).read())
    with pytest.raises(CommandError, match=r"does not answer\. What was imported before stays"):
        call_command("import_questions", project.slug, str(path))
    assert not Question.objects.exists()


def test_the_page_starts_a_job_that_says_what_was_found(project, client_as, rosa, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    staff = client_as(rosa)
    file = SimpleUploadedFile("log.jsonl", lines(*QUESTIONS).read())
    address = staff.post(reverse("import-create", args=[project.slug]), {"file": file})["Location"]
    page = staff.get(address).content.decode()
    assert "a page is searched for each question" in page
    answer = staff.post(address, {"split": "dev"})
    job = Job.objects.get(kind="import")
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    done = staff.get(answer["Location"]).content.decode()
    assert "1 without an article among the top 5 of the search" in done
    assert Question.objects.get().job == job
