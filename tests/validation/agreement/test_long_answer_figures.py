"""The figures of an ASQA project against numbers counted by hand; on the page, in the API."""

import io
import json

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from knox.models import AuthToken

from annotation.imports.services import import_questions
from annotation.models import Question
from metrics import asqa
from tests.annotation.long_answers import helpers
from tests.figures import bring_agreement_up_to_date
from validation.agreement import reporting
from validation.agreement.long_answer_figures import (
    WrittenAnswers,
    measure_long_answers,
    score_attributability,
    score_writers,
)
from validation.agreement.project_report import build_long_answer_report, report_project

PAIRS = (
    asqa.AsqaPair("Who ran it?", ["Ann", "Anna"], "Ann ran it."),
    asqa.AsqaPair("Who sold it?", ["Ben"]),
)


def written(key, *answers, split="dev", overrides=(), pairs=PAIRS):
    annotations = [
        each if isinstance(each, asqa.AsqaAnnotation) else asqa.AsqaAnnotation(each)
        for each in answers
    ]
    return WrittenAnswers(key, split, asqa.Question(pairs, annotations), overrides)


def values(evaluation):
    return {name: score.value for name, score in evaluation.scores().items()}


def test_per_long_answer_by_hand():
    rows = [
        # Four words, one of two answers there; "Ben" is said in other words.
        written(
            "a",
            asqa.AsqaAnnotation("Ann ran it once.", ["k1", "k2"]),
            "Anna, then Ben.",  # three words, both there
            overrides=[frozenset({1}), frozenset()],
        ),
        written("b", "Nobody knows.", overrides=[frozenset()]),  # two words, none there
    ]
    found = measure_long_answers(rows)
    assert list(found.ids) == ["a_0", "a_1", "b_0"]
    assert values(found) == pytest.approx(
        {"words": 9 / 3, "knowledge": 2 / 3, "found": 1.5 / 3, "overrides": 0.5 / 3}
    )


def test_agreement_is_over_questions_with_two():
    rows = [
        written("a", "one two three four", "one two three four"),
        written("b", "one two three four", "five six seven eight"),
        written("c", "alone"),
    ]
    found = score_writers(rows)
    assert (list(found.ids), values(found)) == (["a", "b"], {"rouge_lsum": 0.5, "rouge_l": 0.5})
    assert score_writers(rows[2:]) is None


def test_attributability_by_hand():
    # "ann sold it quickly": ann, sold, it are in the disambiguations or the context; quickly not.
    found = score_attributability([written("a", "Ann sold it quickly")])
    shares = values(found)
    assert shares["with_disambiguations"] == 0.75
    assert shares["without_disambiguations"] == 0.5  # the context has "Ann" and "it"
    assert shares["support_length_without_disambiguations"] == 3
    known = asqa.AsqaAnnotation("Ann sold it quickly", ["quickly done"])
    assert values(score_attributability([written("a", known)]))["with_disambiguations"] == 1


def test_nothing_is_null_and_questions_without_pairs_do_no_harm():
    empty = reporting.name_figures(build_long_answer_report([], None), {})
    assert empty["answers.words"] == {"value": None, "n": 0, "low": None, "high": None}
    assert empty["counts.dev.questions"]["value"] == 0
    plain = reporting.name_figures(
        build_long_answer_report([written("a", "Yes.", pairs=())], "dev"), {}
    )
    assert plain["answers.words"]["value"] == 1
    assert [name for name in plain if name.startswith("counts.")] == [
        "counts.dev.questions",
        "counts.dev.annotations",
    ]


# --- of a project --------------------------------------------------------------------------------


@pytest.fixture
def project(db):
    return helpers.make_project()


def record(*answers):
    return {
        "ambiguous_question": "Who?",
        "qa_pairs": [{"question": "Who ran it?", "short_answers": ["Ann"], "context": None}],
        "annotations": [{"long_answer": text, "knowledge": []} for text in answers],
    }


@pytest.fixture
def filled(project, now):
    splits = {
        "train": {"a": record("Ann did.")},
        "dev": {"b": record("Ann ran it.", "Ann ran it."), "c": record("Yes.", "Never at all.")},
    }
    file = io.BytesIO(json.dumps(splits).encode())
    import_questions(
        project=project, file=file, format="asqa", split=None, finished=True, by=None, now=now
    )
    return project


@pytest.mark.django_db
def test_a_project_by_hand(filled, project, now, ann, ben):
    helpers.make_question(project, external_id="waiting")
    found = reporting.name_figures(report_project(project, None), {})
    assert found["agreement.rouge_lsum"]["value"] == 0.5
    assert found["agreement.rouge_lsum"]["n"] == 2
    assert found["answers.words"]["value"] == pytest.approx((2 + 3 + 3 + 1 + 3) / 5)
    assert found["answers.found"] | {"low": 0, "high": 0} == {
        "value": 0.6,
        "n": 5,
        "low": 0,
        "high": 0,
    }
    table = {name: each["value"] for name, each in found.items() if name.startswith("counts")}
    assert list(table.values()) == [1, 1, 2, 4, 0, 0]
    dev = reporting.name_figures(report_project(project, "dev"), {})
    assert dev["counts.dev.annotations"] == {"value": 4, "n": 2, "low": None, "high": None}
    Question.objects.filter(external_id="b").update(state="excluded")
    assert (
        reporting.name_figures(report_project(project, None), {})["agreement.rouge_lsum"]["value"]
        == 0
    )


@pytest.mark.django_db
def test_overrides_of_writers_count(project, now, ann, ben):
    helpers.open_question(project, now)
    text = helpers.TEXT.replace("7 December 1869", "the end of 1869")
    for person in (ann, ben):
        said = (helpers.said(1, "the end of 1869"),)
        helpers.answer(project, person, now, helpers.response(text=text, said=said))
    found = reporting.name_figures(report_project(project, None), {})
    assert (found["answers.overrides"]["value"], found["answers.found"]["value"]) == (0.5, 0.5)


@pytest.mark.django_db
def test_statements_do_not_grow(filled):
    with CaptureQueriesContext(connection) as few:
        report_project(filled, "train")
    with CaptureQueriesContext(connection) as more:
        report_project(filled, None)
    assert len(more) == len(few) <= 10


@pytest.mark.django_db
def test_the_page_shows_them_instead(client_as, rosa, filled, now):
    bring_agreement_up_to_date(filled, now)
    address = reverse("project-agreement", args=[filled.slug])
    page = client_as(rosa).get(address).content.decode()
    for words in (
        "Writers against each other",
        "ROUGE-L of two long answers",
        "Attributability",
        "5 long answers",
        "Questions in dev",
    ):
        assert words in page, words
    assert "generators" not in page.lower()
    assert "Audit by experts" not in page
    assert (
        "Questions in train" not in client_as(rosa).get(address, {"split": "dev"}).content.decode()
    )


@pytest.mark.django_db
def test_the_command_and_the_api_say_the_same(client, rosa, filled):
    out = io.StringIO()
    call_command("agreement", filled.slug, "--json", stdout=out)
    found = json.loads(out.getvalue())
    assert found["counts.dev.questions"] == {"value": 2, "n": 2, "low": None, "high": None}
    _, token = AuthToken.objects.create(rosa)
    headers = {"Authorization": f"Token {token}"}
    answer = client.get(reverse("api-agreement", args=[filled.slug]), headers=headers)
    assert answer.json() == found
    out = io.StringIO()
    call_command("agreement", filled.slug, stdout=out)
    assert "Long answers in dev" in out.getvalue()
