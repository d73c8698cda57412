"""A question is imported, answered through the services, released and scored."""

import json

import pytest
from django.utils import timezone

from annotation.models import Question
from annotation.work import assignments, tasks
from annotation.work.assignment_desk import AssignmentDesk, AssignmentTurn
from annotation.work.taking import take_next
from metrics.inputs import nq as scorer
from natural_questions.response import PageAnswerResponse
from tests import factories
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in
from tests.natural_questions.test_release import released
from tests.stages.examples import nq_project

pytestmark = pytest.mark.django_db


def answer(project, person, response):
    """Take the question and go through its steps."""
    now = timezone.now()
    taken = take_next(project=project, stage="nq", by=person, now=now)
    while (turn := AssignmentTurn(AssignmentDesk(taken, by=person, now=now))).has_next_step(
        turn.with_other_steps(response)
    ):
        turn.finish_step(turn.with_other_steps(response), taken.draft_version)
    assignments.submit_response(
        assignment=taken, response=turn.with_other_steps(response), by=person, now=now
    )


def test_what_was_answered_here_is_released_and_scored(tmp_path):
    project = nq_project()
    # The scorer counts an answer that at least two people gave.
    project.policies.filter(stage="nq").update(people=2)
    record = samples.original()
    bring_in(project, record)
    tasks.open_tasks(question_ids=[Question.objects.get().pk], now=timezone.now())
    span = samples.place(record["document_tokens"], "1902")
    box = record["long_answer_candidates"][0]
    for _ in range(2):
        answer(
            project,
            factories.make_member(project, "annotator"),
            PageAnswerResponse(
                good="yes",
                box=f"{box['start_token']}-{box['end_token']}",
                answer="words",
                short=(f"{span['start_token']}-{span['end_token']}",),
            ),
        )
    assert Question.objects.get().state == "accepted"
    gold = tmp_path / "gold.jsonl"
    gold.write_bytes(released(project, "simplified")[0])
    [[made, other]] = scorer.read_references(gold).values()
    assert made == other
    assert (made.long.start_token, made.long.end_token) == (box["start_token"], box["end_token"])
    [short] = made.short
    assert (short.start_token, short.end_token) == (span["start_token"], span["end_token"])
    for place, right in ((span, 1.0), (box, 0.0)):
        prediction = {
            "example_id": record["example_id"],
            "long_answer": box,
            "short_answers": [place],
            "yes_no_answer": "NONE",
        }
        given = tmp_path / "given.json"
        given.write_text(json.dumps({"predictions": [prediction]}))
        result = scorer.score_files(gold, given)
        scores = {each.name: result.value(each) for each in result.figures}
        assert (scores["long.f1"], scores["short.f1"]) == (1.0, right)
