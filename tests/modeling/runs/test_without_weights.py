"""Baselines without weights of their own, from a question to what is stored, through a job."""

import json

import pytest

from annotation.models import Suggestion
from evaluation.models import Output
from modeling import registry
from modeling.services import running
from modeling.services.running import Choice
from tests import factories
from tests.annotation.long_answers.helpers import TUNNEL
from tests.modeling import corpora

pytestmark = pytest.mark.django_db

# What is stored of each: kinds of suggestions.
STORED = {
    "question-x8": {"long_answer"},
    "bm25": {"passage"},  # the best passage itself is no draft of an answer
    "first-paragraph": {"passage"},
    "most-frequent": {"answer"},
    "closest-question": {"answer"},
    "llm": {"pair", "long_answer"},
    "llm-reader": {"pair", "long_answer", "passage"},
    "llm-plain": {"answer", "long_answer", "passage"},
    "smollm2": {"answer", "long_answer", "passage"},
}
TRAIN = {"page": "Thames Tunnel", "question": "who opened the tunnel", "answers": ["Brunel"]}


@pytest.fixture
def questions(project, monkeypatch):
    """Two questions on dev about a page, and a corpus for them."""
    monkeypatch.setattr("modeling.corpus.corpus_of", lambda snapshot: corpora.Corpus())
    context = TUNNEL | {"viewed_doc_titles": ["Thames Tunnel"]}
    texts = ("when did the thames tunnel open", "when did trains run through the tunnel in 1869")
    return [
        factories.make_question(project, text=text, external_id=f"q{n}", context=context)
        for n, text in enumerate(texts)
    ]


@pytest.fixture
def options(tmp_path, chat, models):
    """The options that a baseline needs. A language model on loopback replies, or a stand-in."""
    train = tmp_path / "train.jsonl"
    train.write_text(json.dumps(TRAIN) + "\n")
    return {
        "most-frequent": {"train": str(train)},
        "closest-question": {"train": str(train)},
        "smollm2": {"model": "./llama"},
    }


def test_all_without_weights_are_here():
    modules = ("naive:", "copying:", "llm:", "plain:", "local:", "passages:BestPassage",
               "passages:FirstParagraph")  # fmt: skip
    keys = {
        row.key for row in registry.list_baselines() if row.path.split(".")[-1].startswith(modules)
    }
    assert keys == set(STORED)


@pytest.mark.parametrize("key", STORED)
def test_a_question_becomes_an_output_and_suggestions(
    key, project, questions, rosa, now, run, woken, options, chat, naps
):
    if key == "llm-plain":
        chat.replies = [chat.replies[0].__class__("It opened in 1843.\n1843\n1869")]
    choice = Choice(key, "dev", options.get(key, {}))
    job = run(running.start_prediction_job(project=project, choice=choice, by=rosa, now=now))
    assert (job.state, job.problem, job.result["errors"]) == ("done", "", [])
    outputs = Output.objects.order_by("question")
    assert [row.question_id for row in outputs] == [row.pk for row in questions]
    assert all(row.text.strip() for row in outputs)

    job = run(running.start_suggestion_job(project=project, choice=choice, by=rosa, now=now))
    assert (job.state, job.problem, job.result["created"]) == ("done", "", 2)
    for question in questions:
        rows = Suggestion.objects.filter(question=question)
        assert set(rows.values_list("kind", flat=True)) == STORED[key]
