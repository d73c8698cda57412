"""Questions as baselines get them."""

import pytest
from django.utils import timezone

from annotation.models import ContextParagraph, Knowledge, LongAnswer
from evaluation.scores.values import identify_text
from modeling.base import ArticlePassage
from modeling.disambiguation_inputs import build_baseline_inputs
from tests import factories
from tests.annotation.long_answers import helpers as asqa

pytestmark = pytest.mark.django_db


def test_a_long_answer_question_has_its_pairs_paragraphs_and_pages():
    question = asqa.make_question(asqa.make_project(), external_id="key-1")
    ContextParagraph.objects.create(
        question=question, position=1, text="Trains ran in 1869.", title="East London line",
        path="East_London_line", score=0.5, shown=True, created_at=timezone.now(),
    )  # fmt: skip
    [row] = build_baseline_inputs([question])
    assert (row.id, row.question) == ("key-1", "When did the thames tunnel open?")
    assert row.pages == ("Thames Tunnel", "East London line")
    walkers, trains = row.disambiguations
    assert walkers.question == "When did the Thames Tunnel open to walkers?"
    assert walkers.answers[0].text == "25 March 1843"
    assert walkers.answers[0].aliases == ("March 25, 1843",)
    assert walkers.answers[0].passage.title == "Thames Tunnel"
    assert trains.answers[0].passage.path == "East_London_line"


def test_the_pages_of_ambignq_begin_with_the_one_known(project):
    context = {"viewed_doc_titles": ["East London line", 3, "Thames Tunnel"]}
    context["nq_doc_title"] = "Thames Tunnel"
    question = factories.make_question(project, context=context)
    [row] = build_baseline_inputs([question])
    assert row.pages == ("Thames Tunnel", "East London line")
    assert row.disambiguations == ()


def test_the_knowledge_is_that_of_the_longest_answer(django_assert_num_queries):
    project = asqa.make_project()
    questions = [asqa.make_question(project, external_id=f"key-{n}") for n in (1, 2)]
    for text, pieces in (("Short.", ["Brunel"]), ("The longer one.", [None, "Shaft", "Trains"])):
        answer = LongAnswer.objects.create(
            question=questions[0], text=text, created_at=timezone.now()
        )
        Knowledge.objects.bulk_create(
            Knowledge(long_answer=answer, position=position, content=content, page="Rotherhithe")
            for position, content in enumerate(pieces)
        )
    with django_assert_num_queries(3):
        first, second = build_baseline_inputs(questions)
    assert first.knowledge == (
        ArticlePassage("", "Rotherhithe", "Shaft"), ArticlePassage("", "Rotherhithe", "Trains"),
    )  # fmt: skip
    assert second.knowledge == ()
    assert first.knowledge_of == identify_text("The longer one.")
    assert second.knowledge_of == ""
