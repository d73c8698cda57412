"""The page of one question for its staff: decisions, origins, reasons, claims and what happened."""

import re
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment, Question
from annotation.sheets.fields import Keep
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.conftest import none, one, several
from validation.claims import services as claims_services
from validation.models import Decision
from validation.verdicts.responses import Form

PEOPLE = "When did it open to people?"
TRAINS = "When did it open to trains?"
REOPEN = "When did it reopen?"


@pytest.fixture
def shown(client_as, rosa, project):
    """shown(question): the words of its page, without tags."""

    def shown(question, query=""):
        address = reverse("question-view", args=[project.slug, question.pk])
        answer = client_as(rosa).get(address + query)
        assert answer.status_code == 200
        main = answer.content.decode().split("<main", 1)[1]
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))

    return shown


@pytest.fixture
def disagreed(project, question, ann, ben, answer):
    answer(project, ann, several((PEOPLE, "1843", "in 1843"), (TRAINS, "1869")))
    answer(project, ben, several((PEOPLE, "1843"), (REOPEN, "2010")))
    return question


@pytest.fixture
def validate(project, val, now):
    """validate(change=…): take the question, change the rows, submit."""

    def validate(change=lambda row: row, **response):
        turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
        opened, _said = factories.opened(turn)
        rows = tuple(change(row) for row in opened.rows)
        opened = replace(opened, rows=rows, **{"verdicts": (False, False)} | response)
        found = factories.report_on(turn, opened, now).findings
        keeps = tuple(Keep(f.rule, f.field, "Sure.") for f in found if f.level == "warning")
        opened = replace(opened, keeps=keeps)
        assignments.submit_response(assignment=turn, response=opened, by=val, now=now)
        return turn

    return validate


def edits(row):
    texts = {form.text for form in row.forms}
    if "1869" in texts:
        forms = tuple(replace(form, text="7 December 1869") for form in row.forms)
        return replace(row, forms=(*forms, Form("December 1869")))
    if "2010" in texts:
        return replace(row, excluded=True, why="That is no opening.")
    return row


def test_every_accepted_text_says_where_it_comes_from(disagreed, validate, shown):
    validate(edits)
    words = shown(disagreed)
    accepted = words[words.index("Accepted answers") : words.index("Validation")]
    assert re.search(r"Short answer 1843 Both , unchanged", accepted)
    assert re.search(r"Alias in 1843 Ann Archer , unchanged", accepted)
    assert "Ann Archer , edited by Val Vance. The marks show the edit." in accepted
    assert re.search(r"Alias December 1869 Val Vance , added", accepted)
    assert "2010" not in accepted


def test_verdicts_and_exclusions_have_names_and_reasons(disagreed, validate, shown):
    validate(edits)
    words = shown(disagreed)
    assert words.count("Incorrect") == 4  # on the validation and on each submission
    assert re.search(
        r"2010 · When did it reopen\?\s+Ben Baker, pair 2\s+Val Vance: That is no", words
    )
    assert "Excluded : That is no opening." in words or "Excluded: That is no opening." in words
    assert "Accepted as A" in words
    assert "Accepted as B, edited" in words


def test_an_excluded_question_says_why_at_its_head(disagreed, validate, shown):
    validate(exclude_reason="It asks for an opinion.")
    assert "Excluded by Val Vance: It asks for an opinion." in shown(disagreed)


def test_a_claim_and_its_decision_are_on_the_page(disagreed, validate, shown, ben, rosa, now):
    validate(edits)
    turn = Assignment.objects.get(user=ben)
    thread = claims_services.open_claim(
        assignment=turn, text="2010 was an opening, too.", by=ben, now=now
    )
    standing = claims_services.get_standing(disagreed.pk)
    first = replace(standing.edited.sets[0], rows=standing.edited.sets[0].rows[:1])
    claims_services.change_result(
        thread=thread,
        edited=replace(standing.edited, sets=(first,)),
        basis=standing.basis,
        reason="Only the first opening counts.",
        keep_warnings=True,
        by=rosa,
        now=now,
    )
    words = shown(disagreed)
    assert "2010 was an opening, too." in words
    assert "version 2, since" in words
    assert "compare with version 1" in words
    assert "Accepted then, not now:" in words
    assert words.count("Only the first opening counts.") >= 2  # in the claim, in the timeline
    assert "Ben Baker made a claim" in words
    assert "Rosa Reed changed the result after the claim" in words


def test_the_timeline_tells_who_did_what(project, question, ann, ben, answer, shown, now):
    turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
    assignments.skip_question(
        assignment=turn, reason="subjective", feedback="Who is to say?", by=ann, now=now
    )
    answer(project, ben, one("1843"))
    words = shown(question)
    assert "Ann Archer skipped it It depends on opinion: Who is to say?" in words
    assert "Ben Baker took it to answer" in words
    assert "Ben Baker submitted" in words


def test_answers_that_match_are_shown_as_accepted(project, question, ann, ben, answer, shown):
    answer(project, ann, one("1843"))
    answer(project, ben, one("the 1843"))
    words = shown(question)
    assert "All answers match, so they were accepted automatically." in words
    assert "Short answer 1843 Ann Archer , unchanged" in words
    assert "Accepted automatically: all answers match" in words


def test_a_question_that_nobody_found_an_answer_to(project, question, ann, ben, answer, shown):
    answer(project, ann, none("Two pages, nothing."))
    answer(project, ben, none("Nothing there."))
    words = shown(question)
    assert "No answer is accepted: the annotators found none." in words
    assert "Two pages, nothing." in words


def test_a_question_that_waits_shows_nothing_as_accepted(disagreed, shown):
    words = shown(disagreed)
    assert "Nothing is accepted yet. The question is waiting for validation." in words
    assert "Accepted as" not in words
    assert "Not accepted" not in words


def test_a_decision_of_an_import_names_the_file(project, shown, now):
    question = factories.make_question(project, state="accepted")
    decision = Decision.objects.create(
        question=question, source="import", outcome="accepted", change="none", created_at=now
    )
    pair = decision.accepted.create(position=0, kind="single").pairs.create(position=0)
    pair.answers.create(position=0, text="1843")
    words = shown(question)
    assert "Short answer 1843 The imported file" in words
    assert "Imported as finished work" in words


def test_statements_do_not_grow_with_submissions(
    project, disagreed, answer, validate, client_as, rosa, now
):
    client = client_as(rosa)

    def statements(question):
        address = reverse("question-view", args=[project.slug, question.pk])
        with CaptureQueriesContext(connection) as caught:
            assert client.get(address).status_code == 200
        return len(caught)

    validate(edits)
    two = statements(disagreed)
    policy = project.policies.get(stage="generation", split="test")
    policy.people, policy.minimum_seconds = 5, 0
    policy.save()
    project.policies.create(stage="validation", split="test", people=1, minimum_seconds=0)
    more = factories.make_question(project, split="test")
    tasks.open_tasks(question_ids=[more.pk], now=now)
    for number in range(5):
        who = factories.make_member(project, "annotator", name=f"P{number} Person")
        answer(
            project,
            who,
            several((PEOPLE, "1843"), (f"When did line {number} open?", f"19{number}0")),
        )
    validate(verdicts=(True, False, False, False, False))
    assert Question.objects.get(pk=more.pk).state == "edited"
    assert statements(more) == two <= 40
