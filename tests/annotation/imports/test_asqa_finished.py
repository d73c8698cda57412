"""Long answers that come in finished: exact rows, again, changed, and what stands."""

import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.core.refusals import Conflict
from annotation.imports.services import BrokenFile, import_questions
from annotation.models import AuditEntry, Concern, Knowledge, LongAnswer, Question, Task
from tests.annotation.imports.asqa_files import answer, counts, record
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def run(project, now):
    def run(data, into=None, **options):
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        defaults = {"format": "asqa", "split": None, "by": None, "now": now}
        file = io.BytesIO(data)
        return import_questions(project=into or project, file=file, **defaults | options)

    return run


class TestFinished:
    EXACT = answer("  It did.\r\n", ("Said. ", None), (None, "Tunnel"), (None, None), ("", ""))

    def finished(self, run, *answers, key="a", **options):
        data = {"dev": {key: record("When did it open?", *answers)}}
        return run(data, finished=True, **options)

    def test_rows_hold_every_text_exactly(self, run, project, now):
        assert counts(self.finished(run, self.EXACT, answer("Second."))) == (1, 0, 0, 0)
        question = Question.objects.get()
        assert question.state == "accepted"
        assert list(question.context) == ["qa_pairs", "wikipages"]
        assert not Task.objects.exists()
        first, second = LongAnswer.objects.order_by("pk")
        assert (first.text, second.text) == ("  It did.\r\n", "Second.")
        assert (first.author, first.assignment, first.created_at) == (None, None, now)
        found = first.knowledge.values_list("position", "content", "page", "quote")
        assert list(found) == [
            (0, "Said. ", None, None),
            (1, None, "Tunnel", None),
            (2, None, None, None),
            (3, "", "", None),
        ]

    def test_again_changes_nothing(self, run):
        self.finished(run, self.EXACT)
        before = list(LongAnswer.objects.values()), list(Knowledge.objects.values())
        assert counts(self.finished(run, self.EXACT)) == (0, 0, 1, 0)
        assert (list(LongAnswer.objects.values()), list(Knowledge.objects.values())) == before

    def test_a_plain_import_after_it_changes_nothing(self, run):
        self.finished(run, self.EXACT)
        tally = run({"dev": {"a": record("When did it open?", self.EXACT)}})
        assert counts(tally) == (0, 0, 1, 0)
        question = Question.objects.get()
        assert (question.state, "annotations" in question.context) == ("accepted", False)
        assert not Task.objects.exists()

    @pytest.mark.parametrize(
        "changed",
        [
            [answer("Another.")],
            [answer("One.", ("c", "p")), answer("Two.")],
            [answer("Two."), answer("One.")],
            [answer("One.", ("c", None)), answer("Two.")],
        ],
    )
    def test_what_changed_takes_its_place(self, run, changed):
        self.finished(run, answer("One."), answer("Two."))
        assert counts(self.finished(run, *changed)) == (0, 1, 0, 0)
        found = [
            answer(row.text, *row.knowledge.values_list("content", "page"))
            for row in LongAnswer.objects.order_by("pk")
        ]
        assert found == changed
        assert AuditEntry.objects.filter(action="long_answers_replaced").count() == 1

    def test_questions_that_nobody_took_become_finished(self, run):
        run({"dev": {"a": record("When did it open?", answer())}})
        assert "annotations" in Question.objects.get().context
        assert counts(self.finished(run, answer())) == (0, 1, 0, 0)
        question = Question.objects.get()
        assert (question.state, "annotations" in question.context) == ("accepted", False)
        assert not Task.objects.exists()
        assert LongAnswer.objects.count() == 1

    def test_work_of_people_here_counts(self, run, project, ann, ben, now):
        run({"dev": {"a": record()}})
        helpers.take(project, ann, now)
        tally = self.finished(run, answer())
        assert "People work on “a” in this project" in tally.errors[0]["reason"]
        assert not LongAnswer.objects.exists()
        assert Task.objects.exists()

    @pytest.mark.parametrize("state", ["open", "upheld"])
    def test_a_concern_stands(self, run, project, ann, now, state):
        self.finished(run, answer())
        question = Question.objects.get()
        decided = {} if state == "open" else {"decided_by": ann, "decided_at": now, "note": "So."}
        Concern.objects.create(
            question=question, author=ann, reason="Why?", state=state, created_at=now, **decided
        )
        Question.objects.update(state="excluded" if decided else "flagged")
        before = Question.objects.get().state
        assert counts(self.finished(run, answer())) == (0, 0, 1, 0)
        tally = self.finished(run, answer("Another."))
        assert "A concern was raised about “a”" in tally.errors[0]["reason"]
        assert Question.objects.get().state == before
        assert LongAnswer.objects.get().text == "It opened twice. "

    @pytest.mark.parametrize(
        ("answers", "reason"),
        [
            ((), "It has no annotations, so there is nothing to accept."),
            ((answer("a"), answer("")), "Annotation 2 has an empty long answer."),
        ],
    )
    def test_a_record_without_work_is_named(self, run, answers, reason):
        tally = self.finished(run, *answers)
        assert tally.errors[0]["reason"].startswith(f"Record 1, “a”: {reason}")
        assert not Question.objects.exists()

    def test_strict_takes_all_or_nothing(self, run):
        with pytest.raises(BrokenFile, match="1 of 1 records were rejected"):
            self.finished(run, strict=True)

    def test_only_asqa_is_finished_here(self, run):
        with pytest.raises(Conflict, match="AmbigNQ, light or full holds annotations of another"):
            run([], format="ambignq", split="dev", finished=True)
        with pytest.raises(Conflict, match="holds questions without annotations"):
            run(b"", format="jsonl", split="dev", finished=True)

    def test_statements_do_not_grow_with_the_records(self, run):
        def statements(count):
            data = {"dev": {f"{count}-{n}": record("W?", self.EXACT) for n in range(count)}}
            with CaptureQueriesContext(connection) as found:
                run(data, finished=True)
            with CaptureQueriesContext(connection) as again:
                run(data, finished=True)
            return len(found), len(again)

        few = statements(2)
        assert statements(60) == few
        assert few[0] <= 22
