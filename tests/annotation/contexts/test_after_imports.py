"""From a file to its contexts: the import's own job, and the commands."""

import json
from io import StringIO

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.imports import services as imports_services
from annotation.models import AuditEntry, Job, Question
from tests import factories
from tests.annotation.contexts.helpers import BEGAN, ENDED, asked, found, open_question
from wikipedia.articles import page_texts as pages
from wikipedia.providers.base import ProviderUnavailable

pytestmark = pytest.mark.django_db


def lines(count=2, **more):
    records = [
        {
            "id": f"ferry-{number}",
            "question": "when did the ferry of lund cross",
            "context": asked() | more,
        }
        for number in range(count)
    ]
    return b"".join(json.dumps(each).encode() + b"\n" for each in records)


def upload(project, by, content):
    return imports_services.start_import(
        project=project,
        file=ContentFile(content, name="lund.jsonl"),
        file_name="lund.jsonl",
        format="jsonl",
        split="dev",
        strict=False,
        by=by,
        now=timezone.now(),
    )


class TestJob:
    def test_an_import_is_followed_by_a_search(self, project, rosa, run, woken):
        assert run(upload(project, rosa, lines())).state == "done"
        job = Job.objects.get(kind="contexts")
        assert (job.created_by, woken[-1]) == (rosa, job.pk)
        assert run(job).state == "done"
        for question in Question.objects.all():
            assert found(question) == {0: (BEGAN, True), 1: (ENDED, True)}

    def test_the_same_file_again_starts_none(self, project, rosa, run):
        run(upload(project, rosa, lines()))
        run(Job.objects.get(kind="contexts"))
        run(upload(project, rosa, lines()))
        assert Job.objects.filter(kind="contexts").count() == 1

    def test_a_file_that_says_something_else_starts_another(self, project, rosa, run):
        run(upload(project, rosa, lines(1)))
        run(Job.objects.get(kind="contexts"))
        run(upload(project, rosa, lines(1, wikipages=[{"title": "King of Lund"}])))
        run(Job.objects.get(kind="contexts", state="queued"))
        assert set(found(Question.objects.get())) == {1}

    def test_until_then_no_paragraph_stands_beside_another_disambiguation(self, project, rosa, run):
        run(upload(project, rosa, lines(2)))
        run(Job.objects.get(kind="contexts"))
        first, second = Question.objects.order_by("pk")
        pairs = asked()["qa_pairs"]
        run(upload(project, rosa, lines(1, qa_pairs=pairs[::-1])))
        assert found(first) == {}
        assert set(found(second)) == {0, 1}
        run(Job.objects.get(kind="contexts", state="queued"))
        assert found(first) == {1: (ENDED, True), 2: (BEGAN, True)}

    def test_what_was_found_stays_where_the_disambiguations_stay(self, project, rosa, run):
        run(upload(project, rosa, lines(1)))
        run(Job.objects.get(kind="contexts"))
        run(upload(project, rosa, lines(1, more=1)))
        assert set(found(Question.objects.get())) == {0, 1}
        assert Job.objects.filter(kind="contexts").count() == 1

    def test_none_where_no_long_answers_are_written(self, rosa, run, woken):
        other = factories.make_project()
        factories.make_member(other, "researcher", user=rosa)
        run(upload(other, rosa, lines()))
        assert not Job.objects.filter(kind="contexts").exists()


class TestCommand:
    def call(self, *args):
        out = StringIO()
        call_command(*args, stdout=out, stderr=StringIO())
        return out.getvalue()

    def test_it_prints_its_counts(self, project):
        question = open_question(project, pages=("Nowhere", "Ferry of Lund"))
        counts = json.loads(self.call("compute_contexts", project.slug, "--json"))
        assert counts == {
            "questions": 1, "opened": 0, "disambiguations": 3, "given": 0, "found": 2,
            "shown": 2, "without": 1, "pages": 2, "pages_missing": 1, "missing": ["Nowhere"],
        }  # fmt: skip
        assert set(found(question)) == {0, 1}
        entry = AuditEntry.objects.get(action="contexts_searched")
        assert (entry.actor, entry.data["found"]) == (None, 2)

    def test_the_second_run_has_nothing_to_do_unless_again(self, project):
        open_question(project)
        said = self.call("compute_contexts", project.slug)
        assert said == (
            "1 questions with 3 disambiguations: 0 came with a paragraph, for 2 one was found "
            "(2 at or above the threshold), 1 have none. 0 of 2 pages named were not found.\n"
        )
        assert json.loads(self.call("compute_contexts", project.slug, "--json"))["questions"] == 0
        again = self.call("compute_contexts", project.slug, "--json", "--again")
        assert json.loads(again)["questions"] == 1

    def test_what_it_cannot_do_it_says(self, project, monkeypatch):
        with pytest.raises(CommandError, match="There is no project 'nothing'"):
            self.call("compute_contexts", "nothing")
        with pytest.raises(CommandError, match="belong to long answers") as refused:
            self.call("compute_contexts", factories.make_project().slug)
        assert refused.value.returncode == 2

    def test_a_wiki_that_does_not_answer(self, project, monkeypatch):
        open_question(project)
        open_question(project, pages=("Elsewhere",))
        read = pages.page_text

        def silent(snapshot, title):
            if title == "Elsewhere":
                raise ProviderUnavailable("The wiki does not answer now.")
            return read(snapshot, title)

        monkeypatch.setattr(pages, "page_text", silent)
        stopped = "Stopped after 1 questions: The wiki does not answer now. Run the same command"
        with pytest.raises(CommandError, match=stopped) as problem:
            self.call("compute_contexts", project.slug)
        assert problem.value.returncode == 1

    def test_the_import_says_how_to_find_them(self, project, tmp_path):
        file = tmp_path / "lund.jsonl"
        file.write_bytes(lines())
        said = self.call(
            "import_questions", project.slug, str(file), "--format", "jsonl", "--split", "dev"
        )
        assert said.endswith(
            "2 questions have no context paragraphs yet. Look for them before anyone writes: "
            f"manage.py compute_contexts {project.slug}\n"
        )
        self.call("compute_contexts", project.slug)
        again = self.call(
            "import_questions", project.slug, str(file), "--format", "jsonl", "--split", "dev"
        )
        assert "compute_contexts" not in again
