"""An import changes disambiguations: drafts about them lose no more than that."""

import io
import json
import threading

import pytest
from django.db import connection
from django.utils import timezone

from annotation.imports import sorting
from annotation.imports.services import import_questions
from annotation.long_answers.response import from_json, to_json
from annotation.models import Question
from annotation.sheets.fields import Keep
from annotation.work import assignments, drafts
from tests import factories
from tests.annotation.imports.asqa_files import answer, counts, record
from tests.annotation.long_answers import helpers

TEXT = "It opened in eighteen forty-three, and for trains in sixty-nine."


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def ann(project):
    return factories.make_member(project, "annotator", name="Ann Archer")


def run(project, data, **options):
    file = io.BytesIO(json.dumps({"dev": {"a": data}}).encode())
    defaults = {"format": "asqa", "split": None, "by": None, "now": timezone.now()}
    return import_questions(project=project, file=file, **defaults | options)


def marked():
    return helpers.response(
        TEXT,
        said=(helpers.said(0, "eighteen forty-three"), helpers.said(1, "sixty-nine")),
        keeps=(
            Keep("missing-answer", "answer-1", "It is there."),
            Keep("missing-answer", "answer-2", "It is there, too."),
            Keep("text-too-short", "long-answer", "Enough."),
        ),
    )


@pytest.fixture
def left(project, ann, now):
    """leave(how): Ann marked both disambiguations, and left the question."""

    def leave(how="give_back"):
        run(project, record())
        turn = helpers.take(project, ann, now)
        drafts.save_draft(assignment=turn, draft=to_json(marked()), version=0, by=ann, now=now)
        more = {"reason": "subjective"} if how == "skip_question" else {}
        getattr(assignments, how)(assignment=turn, by=ann, now=now, **more)
        return turn

    return leave


@pytest.mark.parametrize("how", ["give_back", "skip_question"])
def test_marks_of_a_reading_that_was_replaced_go(project, left, ann, how):
    turn = left(how)
    new = record()
    new["qa_pairs"][1] = {"question": "For cars?", "short_answers": ["never"]}
    assert counts(run(project, new)) == (0, 1, 0, 0)
    turn.refresh_from_db()
    found = from_json(turn.draft)
    assert found.said == marked().said[:1]
    assert [keep.field for keep in found.keeps] == ["answer-1", "long-answer"]
    assert (found.text, found.knowledge) == (TEXT, marked().knowledge)
    # A window from before is shown that something changed.
    with pytest.raises(drafts.DraftConflict):
        drafts.save_draft(
            assignment=turn, draft=to_json(helpers.response("Else.")), version=1, by=ann,
            now=timezone.now(),
        )  # fmt: skip


def test_one_that_is_gone_takes_its_marks_with_it(project, left):
    turn = left()
    new = record()
    del new["qa_pairs"][1]
    run(project, new)
    turn.refresh_from_db()
    assert from_json(turn.draft).said == marked().said[:1]


def test_where_the_readings_stay_everything_stays(project, left):
    turn = left()
    new = record(wikipages=[])
    new["qa_pairs"][0]["context"] = "It opened in 1843."
    new["qa_pairs"].append({"question": "For cars?", "short_answers": ["never"]})
    assert counts(run(project, new)) == (0, 1, 0, 0)
    turn.refresh_from_db()
    assert (from_json(turn.draft), turn.draft_version) == (marked(), 1)


def test_finished_work_that_a_concern_is_about_is_unchanged_by_a_plain_import(project, now):
    run(project, record("When?", answer()), finished=True)
    for state in ("flagged", "excluded"):
        Question.objects.update(state=state)
        assert counts(run(project, record("When?", answer()))) == (0, 0, 1, 0)
        assert "annotations" not in Question.objects.get().context


@pytest.mark.django_db(transaction=True)
def test_who_takes_a_question_meanwhile_keeps_its_readings(project, ann, now, monkeypatch):
    run(project, record())
    held, taken = sorting.tasks.lock_tasks, []

    def take():
        try:
            taken.append(helpers.take(project, ann, timezone.now()))
        finally:
            connection.close()

    def taken_just_before(ids):
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        held(ids)

    monkeypatch.setattr(sorting.tasks, "lock_tasks", taken_just_before)
    new = record()
    new["qa_pairs"].reverse()
    tally = run(project, new)
    assert taken[0] is not None
    assert counts(tally) == (0, 0, 0, 1)
    assert "Someone is working on" in tally.errors[0]["reason"]
