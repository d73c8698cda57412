"""Looking for the paragraphs of questions: what is found, what is left alone, and as a job."""

import datetime as dt
import threading

import pytest
from django.utils import timezone

from annotation.contexts import services as contexts_services
from annotation.contexts.searches import JOB_KIND, count_unsearched
from annotation.contexts.services import ParagraphCounts
from annotation.contexts.writer_context import shown_contexts
from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, ContextParagraph, ContextSearch, Job, Project, Question
from tests import factories
from tests.annotation.contexts.helpers import (
    BEGAN,
    ENDED,
    asked,
    compute,
    found,
    open_question,
    pair,
)
from tests.annotation.long_answers import helpers
from wikipedia.articles import page_texts as pages
from wikipedia.providers.base import ProviderUnavailable

pytestmark = pytest.mark.django_db


class TestFinding:
    def test_the_right_paragraphs_with_where_they_are_from(self, project):
        question = open_question(project)
        tally = compute(project)
        assert found(question) == {0: (BEGAN, True), 1: (ENDED, True)}
        row = question.contexts.get(position=0)
        assert (row.title, row.path, row.rev_id) == ("Ferry of Lund", "Ferry_of_Lund", None)
        assert row.url == "https://en.wikipedia.org/wiki/Ferry_of_Lund"
        assert 0.1 < row.score < 1
        assert shown_contexts([question.pk])[question.pk][1].text == ENDED
        assert tally == ParagraphCounts(
            questions=1, disambiguations=3, found=2, shown=2, without=1, pages=2
        )

    def test_one_of_the_file_itself_is_not_looked_for(self, project):
        question = open_question(
            project,
            [
                pair("When did it first cross?", "1765", context="It began in 1765."),
                pair("When did it last cross?", "1911", context="No context provided"),
            ],
        )
        tally = compute(project)
        assert found(question) == {1: (ENDED, True)}
        assert (tally.disambiguations, tally.given, tally.found) == (2, 1, 1)

    def test_no_page_is_read_where_every_one_was_given(self, project):
        open_question(project, [pair("When?", "1765", context="In 1765.")], pages=("Nowhere",))
        tally = compute(project)
        assert (tally.questions, tally.given, tally.pages_missing) == (1, 1, 0)
        assert not count_unsearched(project)

    def test_the_page_of_a_pair_is_read_too_and_no_page_twice(self, project):
        pairs = [pair("When did the ferry last cross?", "1911", page="Lund boat")]
        question = open_question(project, pairs, pages=("Ferry of  Lund", "Ferry of Lund"))
        tally = compute(project)
        assert found(question) == {0: (ENDED, True)}
        assert tally.pages == 2  # a redirect is not known to be one before it is read

    def test_a_page_that_is_not_there_is_counted(self, project):
        question = open_question(project, pages=("Nowhere", "Ferry of Lund"))
        open_question(project, pages=("Nowhere", "Neverland"))
        tally = compute(project)
        assert found(question) == {0: (BEGAN, True), 1: (ENDED, True)}
        assert (tally.pages, tally.pages_missing) == (4, 3)
        assert tally.missing == ["Nowhere", "Neverland"]
        assert question.context_search.missing == ["Nowhere"]

    def test_what_is_below_the_threshold_is_kept_and_not_shown(self, project):
        Project.objects.filter(pk=project.pk).update(context_threshold=0.99)
        question = open_question(project)
        tally = compute(project)
        assert found(question) == {0: (BEGAN, False), 1: (ENDED, False)}
        assert shown_contexts([question.pk]) == {question.pk: {}}
        assert (tally.found, tally.shown) == (2, 0)

    @pytest.mark.parametrize(
        "context",
        [
            {},
            {"qa_pairs": None, "wikipages": 3},
            {"qa_pairs": [3, {"question": 4, "wikipage": 5}], "wikipages": ["Lund", {"title": 1}]},
            {"qa_pairs": {"question": "When?"}},
        ],
    )
    def test_a_file_of_another_shape_is_no_problem(self, project, context):
        helpers.open_question(project, timezone.now(), context=context)
        assert compute(project).found == 0
        assert not count_unsearched(project)


class TestLeftAlone:
    def test_a_question_that_somebody_has_opened(self, project, ann, now):
        question = open_question(project)
        helpers.take(project, ann, now)
        assert not count_unsearched(project)
        assert compute(project, again_before=timezone.now()) == ParagraphCounts()
        assert found(question) == {}

    def test_one_that_was_given_back(self, project, ann, now):
        question = open_question(project)
        task = question.tasks.get()
        factories.make_assignment(task, ann, state="returned")
        assert compute(project) == ParagraphCounts()

    def test_one_that_came_in_finished(self, project):
        helpers.make_question(project, context=asked(), state=Question.State.ACCEPTED)
        assert compute(project) == ParagraphCounts()

    def test_those_of_another_project(self, project):
        other = helpers.make_project(snapshot=project.snapshot)
        open_question(other)
        assert compute(project) == ParagraphCounts()
        assert count_unsearched(other) == 1

    def test_one_taken_while_its_pages_were_read(self, project, ann, monkeypatch):
        question = open_question(project)
        read = pages.page_text

        def taken_meanwhile(snapshot, title):
            helpers.take(project, ann, timezone.now())
            return read(snapshot, title)

        monkeypatch.setattr(pages, "page_text", taken_meanwhile)
        assert compute(project) == ParagraphCounts(opened=1)
        assert found(question) == {}

    def test_one_changed_while_its_pages_were_read_waits_again(self, project, monkeypatch):
        question = open_question(project)
        read = pages.page_text

        def changed_meanwhile(snapshot, title):
            Question.objects.filter(pk=question.pk).update(context=asked(pages=("Nowhere",)))
            return read(snapshot, title)

        monkeypatch.setattr(pages, "page_text", changed_meanwhile)
        assert compute(project) == ParagraphCounts(opened=1)
        assert count_unsearched(project) == 1

    def test_a_project_without_long_answers(self, rosa, project):
        other = factories.make_project()
        with pytest.raises(Conflict, match="belong to long answers"):
            compute(other)


class TestAgain:
    def test_what_was_looked_at_is_not_looked_at_again(self, project):
        question = open_question(project)
        compute(project)
        ContextParagraph.objects.update(text="As it was.")
        assert compute(project) == ParagraphCounts()
        assert found(question)[0] == ("As it was.", True)

    def test_unless_it_is_asked_for(self, project):
        question = open_question(project)
        compute(project)
        ContextParagraph.objects.update(text="As it was.")
        assert count_unsearched(project, again_before=timezone.now()) == 1
        assert compute(project, again_before=timezone.now()).questions == 1
        assert found(question) == {0: (BEGAN, True), 1: (ENDED, True)}
        assert ContextSearch.objects.count() == 1

    def test_or_an_import_changed_it(self, project):
        question = open_question(project)
        compute(project)
        changed = asked([pair("When did the ferry of Lund last cross?", "1911")])
        Question.objects.filter(pk=question.pk).update(context=changed | {"more": 1})
        assert count_unsearched(project) == 1
        compute(project)
        assert found(question) == {0: (ENDED, True)}

    def test_another_key_of_the_file_is_no_change(self, project):
        question = open_question(project)
        compute(project)
        Question.objects.filter(pk=question.pk).update(context=asked() | {"annotations": []})
        assert not count_unsearched(project)


class TestJob:
    def test_from_the_button_to_done(self, project, rosa, now, run):
        questions = [open_question(project) for _ in range(3)]
        job = run(contexts_services.start_search_job(project=project, by=rosa, now=now))
        assert (job.state, job.kind, job.done, job.total, job.unit) == (
            "done", "contexts", 3, 3, "questions",
        )  # fmt: skip
        assert (
            job.result
            == ParagraphCounts(
                questions=3, disambiguations=9, found=6, shown=6, without=3, pages=6
            ).as_json()
        )
        assert all(found(question)[1] == (ENDED, True) for question in questions)
        entry = AuditEntry.objects.get(action="job_done")
        assert (entry.actor, entry.data["found"]) == (rosa.pk, 6)

    def test_two_clicks_are_one_job(self, project, rosa, now, woken):
        open_question(project)
        job = contexts_services.start_search_job(project=project, by=rosa, now=now)
        assert contexts_services.start_search_job(project=project, by=rosa, now=now) == job
        with pytest.raises(Conflict, match="Wait until it ends"):
            contexts_services.start_search_job(project=project, again=True, by=rosa, now=now)

    def test_nothing_to_look_for_is_refused(self, project, rosa, now):
        with pytest.raises(Conflict, match="No question needs a search"):
            contexts_services.start_search_job(project=project, by=rosa, now=now)

    def test_only_staff_of_a_project_with_long_answers_that_is_not_closed(
        self, project, ann, rosa, now
    ):
        open_question(project)
        with pytest.raises(Denied, match="Only researchers"):
            contexts_services.start_search_job(project=project, by=ann, now=now)
        project.state = "closed"
        with pytest.raises(Conflict, match="closed"):
            contexts_services.start_search_job(project=project, by=rosa, now=now)
        project.state, project.protocol = "running", "ambigqa"
        with pytest.raises(Conflict, match="belong to long answers"):
            contexts_services.start_search_job(project=project, by=rosa, now=now)

    def test_again_looks_at_everything_that_nobody_opened(self, project, rosa, ann, now, run):
        opened, other = open_question(project), open_question(project)
        compute(project)
        helpers.take(project, ann, now)
        ContextParagraph.objects.update(text="As it was.")
        job = run(
            contexts_services.start_search_job(
                project=project, again=True, by=rosa, now=timezone.now()
            )
        )
        assert (job.state, job.total, job.result["questions"]) == ("done", 1, 1)
        assert found(opened)[0] == ("As it was.", True)
        assert found(other)[0] == (BEGAN, True)

    @pytest.mark.parametrize("again", [False, True])
    def test_a_killed_one_goes_on_where_it_stopped(
        self, project, rosa, now, run, monkeypatch, again
    ):
        questions = [open_question(project) for _ in range(3)]
        if again:
            compute(project)
            ContextParagraph.objects.update(text="As it was.")
        job = contexts_services.start_search_job(
            project=project, again=again, by=rosa, now=timezone.now()
        )
        search, seen = contexts_services._search, []

        def killed(asked, texts, on_step):
            seen.append(asked.pk)
            if len(seen) == 2:
                raise KeyboardInterrupt
            return search(asked, texts, on_step)

        monkeypatch.setattr(contexts_services, "_search", killed)
        with pytest.raises(KeyboardInterrupt):
            run(job)
        job.refresh_from_db()
        assert (job.state, job.done) == ("running", 1)
        jobs_services.requeue_stale_jobs(now=timezone.now() + dt.timedelta(seconds=31))
        run(job)
        assert (job.state, job.attempts, job.done, job.total) == ("done", 2, 3, 3)
        first, second, third = (question.pk for question in questions)
        assert seen == [first, second, second, third]
        assert job.result["questions"] == 3
        assert all(found(question)[0] == (BEGAN, True) for question in questions)

    def test_it_can_be_stopped_and_keeps_what_it_found(self, project, rosa, now, run, monkeypatch):
        first, second = open_question(project), open_question(project)
        job = contexts_services.start_search_job(project=project, by=rosa, now=now)
        store = contexts_services._store

        def stopped_after(*args):
            store(*args)
            if ContextSearch.objects.count() == 1:
                return
            Job.objects.filter(pk=job.pk).update(cancel_asked_at=timezone.now())

        monkeypatch.setattr(contexts_services, "_store", stopped_after)
        run(job)
        assert job.state == "cancelled"
        assert found(first)
        assert not found(second)
        assert count_unsearched(project) == 1

    def test_a_wiki_that_does_not_answer_is_named(self, project, rosa, now, run, monkeypatch):
        first, second = open_question(project), open_question(project, pages=("Elsewhere",))
        read = pages.page_text

        def silent(snapshot, title):
            if title == "Elsewhere":
                raise ProviderUnavailable("The wiki does not answer now.")
            return read(snapshot, title)

        monkeypatch.setattr(pages, "page_text", silent)
        job = run(contexts_services.start_search_job(project=project, by=rosa, now=now))
        assert job.state == "failed"
        assert job.problem == (
            "The wiki does not answer now. What was found is kept; search again to continue from "
            "there."
        )
        assert found(first)
        assert not found(second)
        monkeypatch.undo()

    def test_a_page_that_cannot_be_given_keeps_nobody_from_the_others(
        self, project, rosa, now, run, monkeypatch
    ):
        first = open_question(project, pages=("Elsewhere",))
        later = [open_question(project) for _ in range(2)]
        asked, read = [], pages.page_text

        def refusing(snapshot, title):
            asked.append(title)
            if title == "Elsewhere":
                raise ProviderUnavailable("The wiki cannot give this page.")
            return read(snapshot, title)

        monkeypatch.setattr(pages, "page_text", refusing)
        job = run(contexts_services.start_search_job(project=project, by=rosa, now=now))
        assert (job.state, job.done) == ("failed", 2)
        assert "The wiki cannot give this page." in job.problem
        assert all(found(each) for each in later)
        assert count_unsearched(project) == 1
        assert not found(first)
        for _ in range(5):
            open_question(project, pages=("Elsewhere",))
        asked.clear()
        job = run(contexts_services.start_search_job(project=project, by=rosa, now=now))
        assert (job.state, asked) == ("failed", ["Elsewhere"] * 3)

    def test_questions_that_came_meanwhile_are_looked_at_too(
        self, project, rosa, now, run, monkeypatch
    ):
        open_question(project)
        job = contexts_services.start_search_job(project=project, by=rosa, now=now)
        search, more = contexts_services._search, []

        def imported_meanwhile(asked, texts, on_step):
            if not more:
                more.append(open_question(project))
            return search(asked, texts, on_step)

        monkeypatch.setattr(contexts_services, "_search", imported_meanwhile)
        run(job)
        assert (job.done, job.total) == (2, 2)
        assert found(more[0])

    def test_the_worker_knows_the_kind(self):
        assert jobs_services.find_kind(JOB_KIND) is not None


class TestAfterAnImport:
    def test_it_starts_by_itself(self, project, rosa, now, woken):
        open_question(project)
        job = contexts_services.start_after_import(project=project, by=rosa, now=now)
        assert (job.kind, job.created_by, job.options) == ("contexts", rosa, {"again": False})

    def test_once(self, project, rosa, now, woken):
        open_question(project)
        job = contexts_services.start_after_import(project=project, by=rosa, now=now)
        assert contexts_services.start_after_import(project=project, by=rosa, now=now) is None
        # One that runs may have passed the new questions by.
        Job.objects.filter(pk=job.pk).update(state="running")
        assert contexts_services.start_after_import(project=project, by=rosa, now=now) is not None

    def test_not_where_nothing_waits_or_nobody_writes_long_answers(self, project, rosa, now):
        assert contexts_services.start_after_import(project=project, by=rosa, now=now) is None
        open_question(project)
        project.protocol = "ambigqa"
        assert contexts_services.start_after_import(project=project, by=rosa, now=now) is None


@pytest.mark.django_db(transaction=True)
def test_a_job_that_waits_shows_that_it_lives(project, rosa, now, woken):
    open_question(project)
    job = jobs_services.claim_job(
        job_id=contexts_services.start_search_job(project=project, by=rosa, now=now).pk, now=now
    )
    work, beaten = jobs_services.RunningJob(job, timezone.now), threading.Event()
    with jobs_services.keep_heartbeat(work, every=0.01, also=lambda now: beaten.set()):
        assert beaten.wait(30)
    job.refresh_from_db()
    assert job.heartbeat_at > now
    Job.objects.filter(pk=job.pk).update(attempts=9, heartbeat_at=now)
    beaten.clear()
    with jobs_services.keep_heartbeat(work, every=0.01, also=lambda now: beaten.set()):
        assert beaten.wait(30)
    job.refresh_from_db()
    assert job.heartbeat_at == now  # another worker has it: not ours to speak for
