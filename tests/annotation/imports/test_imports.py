"""Importing questions: counts, idempotence, strictness, resuming, what is refused."""

import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.core.refusals import Conflict, Denied
from annotation.imports import services as imports_services
from annotation.imports.formats import WrongFormat
from annotation.imports.services import BrokenFile, ImportCounts, import_questions
from annotation.models import AuditEntry, Project, Question, Task
from tests import factories

pytestmark = pytest.mark.django_db


def jsonl(*records):
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
    return io.BytesIO(b"\n".join(lines))


def q(number, **extra):
    return {"id": f"q{number}", "question": f"what is number {number}", **extra}


@pytest.fixture
def run(project, now):
    def run(file, **options):
        defaults = {"format": "jsonl", "split": "dev", "by": None, "now": now}
        return import_questions(project=project, file=file, **defaults | options)

    return run


def counts(tally):
    return tally.created, tally.updated, tally.unchanged, tally.rejected


def test_questions_and_their_tasks_are_made(run, project):
    tally = run(jsonl(q(1, answers=["one"], page="P"), q(2, split="train")))
    assert counts(tally) == (2, 0, 0, 0)
    one, two = Question.objects.filter(project=project).order_by("pk")
    assert (one.external_id, one.text, one.split) == ("q1", "what is number 1", "dev")
    assert (one.known_answers, one.context, one.state) == (["one"], {"page": "P"}, "imported")
    assert two.split == "train"
    assert list(Task.objects.order_by("pk").values_list("question", "seats")) == [
        (one.pk, 2),
        (two.pk, 1),
    ]


def test_a_second_import_changes_nothing(run, monkeypatch):
    monkeypatch.setattr(imports_services, "BATCH", 2)
    records = [q(n, extra={"n": n, "deep": [1.5, None, True]}) for n in range(5)]
    run(jsonl(*records))
    before = list(Question.objects.order_by("pk").values())
    tasks = list(Task.objects.order_by("pk").values())
    assert counts(run(jsonl(*records))) == (0, 0, 5, 0)
    assert list(Question.objects.order_by("pk").values()) == before
    assert list(Task.objects.order_by("pk").values()) == tasks


def test_what_the_file_says_is_taken_over_and_what_it_omits_stays(run, project):
    run(jsonl(q(1, answers=["one"], a=1, b=2)))
    made = Question.objects.get()
    tally = run(jsonl({"id": "q1", "question": "what is the number 1", "b": 3}))
    assert counts(tally) == (0, 1, 0, 0)
    changed = Question.objects.get()
    assert (changed.pk, changed.created_at) == (made.pk, made.created_at)
    assert changed.text == "what is the number 1"
    assert (changed.known_answers, changed.context) == (["one"], {"a": 1, "b": 3})
    entry = AuditEntry.objects.get(action="question_text_changed")
    assert (entry.project, entry.target) == (project.pk, f"question:{made.pk}")
    assert entry.data == {"before": "what is number 1", "after": "what is the number 1"}


@pytest.mark.parametrize("state", ["active", "parked", "submitted", "expired"])
def test_the_text_stays_once_somebody_works_on_it(run, project, ann, now, state):
    run(jsonl(q(1)))
    saved = now if state == "expired" else None  # such an answer is still accepted, late
    factories.make_assignment(Task.objects.get(), ann, state=state, draft_saved_at=saved)
    tally = run(jsonl({"id": "q1", "question": "something else"}, q(2)))
    assert counts(tally) == (1, 0, 0, 1)
    assert "“what is number 1”, which someone is working on" in tally.errors[0]["reason"]
    assert Question.objects.get(external_id="q1").text == "what is number 1"
    # What people do not see may still be added.
    assert counts(run(jsonl(q(1, source="new")))) == (0, 1, 0, 0)


def test_the_text_may_change_after_everybody_gave_it_back(run, ann):
    run(jsonl(q(1)))
    factories.make_assignment(Task.objects.get(), ann, state="returned")
    assert counts(run(jsonl({"id": "q1", "question": "something else"}))) == (0, 1, 0, 0)


def test_a_question_stays_in_its_split(run):
    run(jsonl(q(1)))
    tally = run(jsonl(q(1)), split="test")
    assert counts(tally) == (0, 0, 0, 1)
    assert tally.errors == [
        {
            "line": 1,
            "reason": "The id “q1” is already in split dev. A question stays in its split.",
        }
    ]
    assert Question.objects.get().split == "dev"


def test_a_record_without_any_split_is_named(run):
    tally = run(jsonl(q(1), q(2, split="dev")), split=None)
    assert counts(tally) == (1, 0, 0, 1)
    assert "names no split" in tally.errors[0]["reason"]


@pytest.mark.parametrize("size", [1, 2, 500])
def test_ids_twice_in_one_file(run, monkeypatch, size):
    """The first one counts, wherever batches end; the later is an error only if it differs."""
    monkeypatch.setattr(imports_services, "BATCH", size)
    tally = run(jsonl(q(1), q(2), q(1), {"id": "q2", "question": "another"}, q(1, x=1)))
    assert counts(tally) == (2, 0, 1, 2)
    assert [error["line"] for error in tally.errors] == [4, 5]
    assert "was on line 2 already, with something else" in tally.errors[0]["reason"]
    assert Question.objects.get(external_id="q2").text == "what is number 2"
    assert Question.objects.get(external_id="q1").context == {}


def test_the_same_id_in_two_projects(run, project, now):
    run(jsonl(q(1)))
    other = factories.make_project()
    tally = import_questions(
        project=other, file=jsonl(q(1)), format="jsonl", split="dev", by=None, now=now
    )
    assert counts(tally) == (1, 0, 0, 0)


def test_bad_lines_are_named_and_nothing_good_is_lost(run):
    tally = run(jsonl(q(1), b"\xff", q(3), {"id": "x"}, b'{"id": 5, "question": "q"}', q(6)))
    assert counts(tally) == (3, 0, 0, 3)
    assert [error["line"] for error in tally.errors] == [2, 4, 5]


def test_strict_changes_nothing_when_a_line_is_bad(run):
    run(jsonl(q(1)))
    with pytest.raises(BrokenFile) as broken:
        run(jsonl(q(1, x=1), q(2), b"{", q(4, split="dev")), strict=True)
    assert "1 of 4 lines were rejected, so nothing was imported." in str(broken.value)
    assert counts(broken.value.tally) == (0, 0, 0, 1)
    assert broken.value.tally.errors[0]["line"] == 3
    assert Question.objects.get().context == {}


def test_strict_also_counts_what_the_project_refuses(run):
    run(jsonl(q(1)))
    with pytest.raises(BrokenFile):
        run(jsonl(q(2), q(1)), split="test", strict=True)
    assert Question.objects.count() == 1


def test_strict_imports_a_good_file(run):
    assert counts(run(jsonl(q(1), q(2), q(1)), strict=True)) == (2, 0, 1, 0)


def test_errors_are_kept_to_a_thousand_and_all_counted(run):
    tally = run(jsonl(q(1), *[b"{"] * 1_500))
    assert counts(tally) == (1, 0, 0, 1_500)
    assert len(tally.errors) == 1_000


def test_going_on_where_it_was_left(run, monkeypatch):
    """What was counted before is not counted again, and earlier ids are remembered."""
    monkeypatch.setattr(imports_services, "BATCH", 2)
    records = [q(1), b"{", q(3), q(4), q(3), {"id": "q1", "question": "else"}]
    seen = []

    class Killed(Exception):
        pass

    def kill_second(number, tally):
        seen.append((number, tally.as_json()))
        if number == 4:
            raise Killed

    with pytest.raises(Killed):
        run(jsonl(*records), on_save=kill_second)
    assert Question.objects.count() == 1
    number, saved = seen[0]
    tally = run(jsonl(*records), start_at=number, tally=ImportCounts(**saved))
    assert counts(tally) == (3, 0, 1, 2)
    assert [error["line"] for error in tally.errors] == [2, 6]
    assert Question.objects.count() == 3


def test_a_batch_that_fails_leaves_nothing_of_itself(run, monkeypatch):
    monkeypatch.setattr(imports_services, "BATCH", 2)

    def fail(**kwargs):
        raise RuntimeError

    monkeypatch.setattr(imports_services, "open_tasks", fail)
    with pytest.raises(RuntimeError):
        run(jsonl(q(1), q(2)))
    assert not Question.objects.exists()


def test_another_format_is_refused_before_anything(run):
    with pytest.raises(WrongFormat):
        run(io.BytesIO(b"[]"), format="nq-open")


def test_only_staff_import_and_not_into_a_closed_project(run, project, ann, rosa):
    with pytest.raises(Denied, match="Only researchers and admins"):
        run(jsonl(q(1)), by=ann)
    project.state = Project.State.CLOSED
    with pytest.raises(Conflict, match="project is closed"):
        run(jsonl(q(1)), by=rosa)


def test_queries_do_not_grow_with_the_batch(run):
    run(jsonl(q(0)))

    def queries(size, first):
        with CaptureQueriesContext(connection) as found:
            run(jsonl(*[q(n) for n in range(first, first + size)]))
        return len(found)

    assert queries(2, 100) == queries(400, 1000)
