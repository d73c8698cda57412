"""Importing finished work: what is written, what a second file changes, what is refused."""

import json

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.imports import services as imports_services
from annotation.imports.services import BrokenFile, start_import
from annotation.jobs import services as jobs_services
from annotation.jobs.services import RunningJob
from annotation.models import AuditEntry, Job, Question, Task
from annotation.work import assignments, seats
from tests import factories
from tests.validation.conftest import one
from tests.validation.release.conftest import ambignq, pairs, record, single
from validation.decisions import services as decisions_services
from validation.models import AcceptedAnnotation, AcceptedQuestion, Decision
from validation.verdicts.responses import AnswerRow, Form, ProposedSet, ValidationResult

pytestmark = pytest.mark.django_db

TWO = pairs(("When?|In which year?", "1843", "in 1843"), ("When again?", "1869"))


def decide(question, now, source="staff", text="25 March 1843", by=None):
    row = AnswerRow("a", forms=(Form(text),))
    return decisions_services.decide_question(
        question=question,
        result=ValidationResult((ProposedSet("single", (row,)),), "edit", excluded=False),
        said=[],
        source=source,
        by=by,
        now=now,
    )


def test_each_annotation_is_accepted_as_it_is(project, bring_in, now):
    assert bring_in(ambignq(record(1, single("1843"), TWO, single("1843")))) == (1, 0, 0, 0, [])
    question = Question.objects.get()
    assert question.state == "accepted"
    assert not Task.objects.exists()
    decision = Decision.objects.get()
    assert (decision.source, decision.outcome, decision.change) == ("import", "accepted", "none")
    assert (decision.made_by, decision.covers, decision.created_at) == (None, [], now)
    first, second, third = AcceptedAnnotation.objects.order_by("position")
    assert (first.kind, second.kind, third.kind) == ("single", "multiple", "single")
    assert [str(each) for pair in first.pairs.all() for each in pair.answers.all()] == ["1843"]
    assert not AcceptedQuestion.objects.filter(pair__accepted__in=[first, third]).exists()
    one_pair, other = second.pairs.all()
    assert [each.text for each in one_pair.questions.all()] == ["When?", "In which year?"]
    assert [each.text for each in one_pair.answers.all()] == ["1843", "in 1843"]
    assert [each.text for each in other.answers.all()] == ["1869"]
    assert not any(each.edited or each.source_id for each in AcceptedQuestion.objects.all())


def test_nobody_is_sent_to_a_finished_question(project, bring_in, ann, now):
    bring_in(ambignq(record(1, single("1843"))))
    assert assignments.take_next(project=project, stage="generation", by=ann, now=now) is None
    # The state stays where the engine looks at it again.
    question = Question.objects.get()
    assert seats.settle_questions([question.pk], "ambigqa", now=timezone.now()) == {}


def test_a_second_import_changes_nothing(project, bring_in):
    file = [record(n, single("1843"), TWO) for n in range(3)]
    bring_in(ambignq(*file))
    before = [list(model.objects.order_by("pk").values()) for model in (Question, Decision)]
    assert bring_in(ambignq(*file)) == (0, 0, 3, 0, [])
    assert [list(m.objects.order_by("pk").values()) for m in (Question, Decision)] == before


def test_an_annotation_that_the_file_changed_replaces_its_decision(project, bring_in, rosa):
    bring_in(ambignq(record(1, single("1843")), record(2, single("1869"))))
    first = Decision.objects.get(question__external_id="r1")
    changed = record(1, single("1843", "in 1843"))
    assert bring_in(ambignq(changed, record(2, single("1869"))), by=rosa) == (0, 1, 1, 0, [])
    first.refresh_from_db()
    second = Decision.objects.get(question__external_id="r1", in_force=True)
    assert (first.in_force, second.replaces_id, second.made_by) == (False, first.pk, rosa)
    entry = AuditEntry.objects.get(action="decision_replaced")
    assert (entry.actor, entry.target) == (rosa.pk, f"question:{second.question_id}")
    assert Question.objects.get(external_id="r1").context["annotations"] == changed["annotations"]
    assert bring_in(ambignq(changed)) == (0, 0, 1, 0, [])


def test_the_order_of_answers_and_of_annotations_counts(project, bring_in):
    bring_in(ambignq(record(1, single("a", "b"), TWO)))
    assert bring_in(ambignq(record(1, single("b", "a"), TWO)))[:4] == (0, 1, 0, 0)
    assert bring_in(ambignq(record(1, TWO, single("b", "a"))))[:4] == (0, 1, 0, 0)


def test_what_was_decided_here_since_stands(project, bring_in, released, rosa, now):
    bring_in(ambignq(record(1, single("1843"))))
    decide(Question.objects.get(), now, by=rosa)
    data = released(project)[0]
    # The same file again says nothing new; another one would take the decision away.
    assert bring_in(ambignq(record(1, single("1843")))) == (0, 0, 1, 0, [])
    *counts, [error] = bring_in(ambignq(record(1, single("1844"))))
    assert counts == [0, 0, 0, 1]
    assert error == {
        "line": 1,
        "reason": "“r1” was decided in this project after it was imported, and that decision "
        "was kept. Change it in the project instead.",
    }
    assert released(project)[0] == data
    assert Question.objects.get().context["annotations"] == [single("1843")]


def test_a_question_that_waits_for_its_first_answer_is_finished(project, bring_in, ann, now):
    file = ambignq(record(1, single("1843")))
    assert bring_in(file, finished=False) == (1, 0, 0, 0, [])
    file.seek(0)
    assert bring_in(file) == (0, 1, 0, 0, [])
    assert Question.objects.get().state == "accepted"
    assert assignments.take_next(project=project, stage="generation", by=ann, now=now) is None
    entry = AuditEntry.objects.get(action="question_state")
    assert entry.data == {"before": "imported", "after": "accepted"}
    file.seek(0)
    assert bring_in(file) == (0, 0, 1, 0, [])
    # Imported as a question again, it stays finished.
    file.seek(0)
    assert bring_in(file, finished=False) == (0, 0, 1, 0, [])
    assert not Task.objects.exists()


@pytest.mark.parametrize("how", ["taken", "skipped", "submitted"])
def test_a_question_that_people_work_on_is_not_taken_from_them(
    project, bring_in, ask, answer, ann, now, how
):
    ask("r1", text="When was bridge 1 built?")
    if how == "submitted":
        answer(project, ann, one("1843"))
    else:
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        if how == "skipped":
            assignments.skip_question(assignment=turn, reason="subjective", by=ann, now=now)
    *counts, [error] = bring_in(ambignq(record(1, single("1843"))))
    assert counts == [0, 0, 0, 1]
    assert error["reason"].startswith("People work on “r1” in this project")
    assert not Decision.objects.exists()
    assert Task.objects.exists()


@pytest.mark.parametrize(
    ("annotations", "sentence"),
    [
        ([], "It has no annotations, so there is nothing to accept. Import it without"),
        ([{"type": "noAnswer"}], "Its annotations only say that no answer was found"),
        ([single()], "Annotation 1 has no answer."),
        ([single("a"), single("a", "")], "Annotation 2 has an empty answer at place 2."),
        ([pairs()], "Annotation 1 has no pairs."),
        ([pairs(("Q?", "a"), ("", "b"))], "Annotation 1, pair 2 has an empty question."),
        ([pairs(("Q?",))], "Annotation 1, pair 1 has no answer."),
        ([single(*"a" * 1001)], "Annotation 1 has 1,001 answers. The maximum is 1,000."),
        ([pairs(*[("Q?", "a")] * 1001)], "Annotation 1 has 1,001 pairs."),
        ([pairs(("a|" * 1000, "a"))], "Annotation 1, pair 1 has more than 1,000 phrasings."),
    ],
)
def test_a_record_that_holds_no_finished_work_is_named(project, bring_in, annotations, sentence):
    file = ambignq(record(1, *annotations), record(2, single("b")))
    created, _, _, rejected, [error] = bring_in(file)
    assert (created, rejected, error["line"]) == (1, 1, 1)
    assert error["reason"].startswith(f"Record 1, “r1”: {sentence}")


@pytest.mark.parametrize(
    "more",
    [
        {"viewed_doc_titles": "T"},
        {"viewed_doc_titles": [1]},
        {"used_queries": [{"query": "a"}]},
        {"used_queries": [{"query": "a", "results": [{"title": "T"}]}]},
        {"nq_doc_title": 3},
    ],
)
def test_what_a_release_could_not_write_is_refused(project, bring_in, more):
    *counts, [error] = bring_in(ambignq(record(1, single("a"), **more)))
    assert counts == [0, 0, 0, 1]
    assert f"“{next(iter(more))}”" in error["reason"]


def test_no_answer_beside_an_answer_is_not_accepted(project, bring_in, released):
    bring_in(ambignq(record(1, single("a"), {"type": "noAnswer"})))
    assert json.loads(released(project)[0]) == [record(1, single("a"))]


def test_strict_takes_all_or_nothing(project, bring_in):
    with pytest.raises(BrokenFile, match="1 of 2 records were rejected"):
        bring_in(ambignq(record(1, single("a")), record(2)), strict=True)
    assert not Question.objects.exists()


def test_other_formats_and_protocols_are_refused(project, bring_in):
    with pytest.raises(Conflict, match="holds questions without annotations"):
        bring_in(ambignq(), format="jsonl")
    other = factories.make_project(protocol="asqa")
    with pytest.raises(Conflict, match=r"annotations of another kind.* Choose an ASQA file"):
        bring_in(ambignq(), into=other)
    with pytest.raises(Conflict, match="Import it into an ASQA project"):
        bring_in(ambignq(), format="asqa")


def test_statements_do_not_grow_with_the_records_of_a_batch(project, bring_in):
    def statements(first, count, again=False):
        file = ambignq(*[record(n, single("a"), TWO) for n in range(first, first + count)])
        with CaptureQueriesContext(connection) as found:
            assert bring_in(file)[2 if again else 0] == count
        return len(found)

    assert statements(0, 2) == statements(10, 100) <= 20
    assert statements(0, 2, again=True) == statements(10, 100, again=True) <= 20


class TestJob:
    @pytest.fixture
    def upload(self, project, rosa, now, monkeypatch):
        monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
        monkeypatch.setattr(imports_services, "BATCH", 2)
        content = ambignq(*[record(n, single("a"), TWO) for n in range(5)]).getvalue()
        return start_import(
            project=project,
            file=ContentFile(content, name="f.json"),
            file_name="f.json",
            format="ambignq",
            split="dev",
            strict=False,
            finished=True,
            by=rosa,
            now=now,
        )

    def test_a_job_whose_worker_died_goes_on_where_it_was(
        self, upload, project, released, now, monkeypatch
    ):
        class Killed(BaseException):
            pass

        saved = RunningJob.save

        def die_in_the_second_batch(self, **changes):
            saved(self, **changes)
            if changes.get("done") == 4:
                raise Killed

        monkeypatch.setattr(RunningJob, "save", die_in_the_second_batch)
        with pytest.raises(Killed):
            imports_services.run_job(
                RunningJob(jobs_services.claim_job(job_id=upload.pk, now=now), timezone.now)
            )
        monkeypatch.setattr(RunningJob, "save", saved)
        assert Decision.objects.count() == Question.objects.count() == 2
        Job.objects.filter(pk=upload.pk).update(state="queued")
        jobs_services.claim_and_run(job_id=upload.pk, clock=timezone.now)
        upload.refresh_from_db()
        assert (upload.state, upload.result["created"]) == ("done", 5)
        assert Decision.objects.count() == 5
        expected = [record(n, single("a"), TWO) for n in range(5)]
        assert json.loads(released(project)[0]) == expected

    def test_stopping_keeps_whole_batches(self, upload, rosa, monkeypatch):
        saved = RunningJob.save

        def ask_after_the_first_batch(self, **changes):
            saved(self, **changes)
            if changes.get("done") == 2:
                jobs_services.cancel_job(job=upload, by=rosa, now=timezone.now())

        monkeypatch.setattr(RunningJob, "save", ask_after_the_first_batch)
        jobs_services.claim_and_run(job_id=upload.pk, clock=timezone.now)
        upload.refresh_from_db()
        assert (upload.state, upload.done) == ("cancelled", 2)
        assert Decision.objects.count() == Question.objects.count() == 2
        assert set(Question.objects.values_list("state", flat=True)) == {"accepted"}

    def test_a_format_without_annotations_makes_no_job(self, project, rosa, now):
        with pytest.raises(Conflict, match="Choose an AmbigNQ file"):
            start_import(
                project=project,
                file=ContentFile(b"{}", name="f.json"),
                file_name="f.json",
                format="jsonl",
                split="dev",
                strict=False,
                finished=True,
                by=rosa,
                now=now,
            )
