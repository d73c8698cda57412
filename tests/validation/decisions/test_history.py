"""Decisions read back: the origin of every accepted text, exclusions with reasons, verdicts."""

from dataclasses import replace

import pytest

from annotation.models import Question
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.conftest import several
from validation.decisions import history
from validation.models import Decision
from validation.verdicts.responses import Form

PEOPLE = "When did it open to people?"
TRAINS = "When did it open to trains?"
REOPEN = "When did it reopen?"


@pytest.fixture
def validated(project, question, ann, ben, val, answer, now):
    """Ann and Ben agree on 1843; the validator edits 1869 and excludes 2010."""

    def validated(question=question):
        answer(project, ann, several((PEOPLE, "1843", "in 1843"), (TRAINS, "1869")))
        answer(project, ben, several((PEOPLE, "1843"), (REOPEN, "2010")))
        turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
        response, said = factories.opened(turn)
        rows = []
        for row in response.rows:
            texts = {form.text for form in row.forms}
            if "1869" in texts:
                forms = tuple(replace(form, text="7 December 1869") for form in row.forms)
                row = replace(row, forms=(*forms, Form("December 1869")))
            if "2010" in texts:
                row = replace(row, excluded=True, why="That is no opening.")
            rows.append(row)
        verdicts = tuple(any(p.forms == ("1869",) for p in each.pairs) for each in said)
        assignments.submit_response(
            assignment=turn,
            response=replace(response, rows=tuple(rows), verdicts=verdicts),
            by=val,
            now=now,
        )
        return question

    return validated


def read(question):
    [decided] = history.read_decisions(
        Decision.objects.filter(question=question).values_list("pk", flat=True)
    )
    return decided


def test_every_accepted_text_has_its_origin(validated, ann, ben):
    decided = read(validated())
    accepted = decided.sets[0]
    assert accepted.annotation is None
    people, trains = accepted.pairs
    [asked] = people.questions
    assert {asked.origin.author, *(each.author for each in asked.also)} == {ann.pk, ben.pk}
    forms = {text.text: text for text in people.answers}
    assert {forms["1843"].origin.author, forms["1843"].also[0].author} == {ann.pk, ben.pk}
    assert (forms["in 1843"].origin.author, forms["in 1843"].also) == (ann.pk, ())
    edited, added = trains.answers
    assert (edited.text, edited.original, edited.edited) == ("7 December 1869", "1869", True)
    assert (edited.origin.author, edited.origin.number) == (ann.pk, 2)
    assert (added.text, added.origin) == ("December 1869", None)


def test_what_was_excluded_and_the_verdicts_are_there(validated, ann, ben, val):
    decided = read(validated())
    [excluded] = decided.excluded
    assert (excluded.answers, excluded.reason) == (("2010",), "That is no opening.")
    assert [(place.author, place.number) for place in excluded.places] == [(ben.pk, 2)]
    assert {each.author: each.correct for each in decided.verdicts} == {ann.pk: True, ben.pk: False}
    assert (decided.by, decided.outcome, decided.change) == (val.pk, "edited", "edit")


def test_without_a_decision_the_submissions_are_what_is_accepted(
    project, question, ann, ben, answer
):
    answer(project, ann, several((PEOPLE, "1843"), (TRAINS, "1869")))
    answer(project, ben, several((TRAINS, "1869"), (PEOPLE, "1843")))
    assert Question.objects.get().state == "auto_accepted"
    first, second = history.as_submitted([question.pk])[question.pk]
    assert [text.text for pair in first.pairs for text in pair.answers] == ["1843", "1869"]
    assert {pair.places[0].author for pair in second.pairs} == {ben.pk}


def test_a_withdrawn_submission_leaves_texts_without_an_origin(validated, ben, rosa, now):
    question = validated()
    turn = assignments.Assignment.objects.get(user=ben)
    assignments.return_to_author(assignment=turn, note="Look again.", by=rosa, now=now)
    decided = read(question)
    assert not decided.in_force
    assert [each.author for each in decided.verdicts] != []
    [excluded] = decided.excluded
    assert (excluded.answers, excluded.places) == (("2010",), ())


def test_statements_do_not_grow_with_decisions(validated, project, now, django_assert_num_queries):
    validated()
    pks = list(Decision.objects.values_list("pk", flat=True))
    with django_assert_num_queries(5):
        assert len(history.read_decisions(pks)) == 1
    for _ in range(3):
        more = factories.make_question(project)
        tasks.open_tasks(question_ids=[more.pk], now=now)
        validated(more)
    pks = list(Decision.objects.values_list("pk", flat=True))
    with django_assert_num_queries(5):
        assert len(history.read_decisions(pks)) == 4
