"""Algorithm 1 on a made-up task: second answers that are hidden from half of the questions.

Tiny models learn from 512 questions whose passages name one thing or two, and label 64 others of
which one answer is known. Twelve trainings take minutes, so it runs only when it is asked for.
"""

import io
import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.imports.services import import_questions
from modeling import corpus as corpora
from modeling import engines
from modeling.base import ArticlePassage
from tests import factories
from tests.modeling.training.learning import FACTS
from tests.validation.release.conftest import ambignq, pairs, record, single

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.models,
    pytest.mark.slow,
    pytest.mark.xdist_group("models"),
]
KINDS = 2 * len(FACTS)  # each fact with its second answer, and without it
# Numbers of three digits, so that words stand at the same places in all questions.
TRAIN, DEV = range(112, 112 + 32 * KINDS), range(912, 912 + 2 * KINDS)
PARTIAL = range(800, 800 + 4 * KINDS)


def answers_of(number):
    _, first, second, _ = FACTS[number % len(FACTS)]
    return (first, second) if number % KINDS < len(FACTS) else (first,)


class Crossings:
    """Finds one passage for each question, which names its answers."""

    name, version = "crossings", "1"

    def search(self, query, top):
        number = int(query.split()[3])
        text = f"It was {' and '.join(answers_of(number))}."
        return [ArticlePassage(f"p{number}", "Bridge", text)]


def annotation_of(number):
    answers = answers_of(number)
    if len(answers) == 1:
        return single(*answers)
    return pairs(("When did the bridge open?", answers[0]), ("How long is it?", answers[1]))


@pytest.fixture
def project(tmp_path, settings, monkeypatch):
    """512 questions with all answers, 64 with the first one alone, 32 on dev."""
    settings.AMBIT_DATA, settings.MODELS_ENGINE = tmp_path / "data", "reference"
    monkeypatch.setattr(corpora, "corpus_for", lambda wiki, label: Crossings())
    project = factories.make_project(slug="crossings")
    for split, numbers in (("train", TRAIN), ("dev", DEV)):
        records = [record(n, annotation_of(n)) for n in numbers]
        options = {"format": "ambignq", "split": split, "finished": True, "by": None}
        import_questions(project=project, file=ambignq(*records), **options, now=timezone.now())
    for number in PARTIAL:
        factories.make_question(
            project,
            text=f"When was bridge {number} built?",
            split="train",
            external_id=f"r{number}",
            known_answers=list(answers_of(number)[:1]),
        )
    engines.unload_engines()
    yield project
    engines.unload_engines()


@pytest.mark.patience(20)
def test_hidden_answers_are_found_again(project, plain_model, settings):
    words = ["--name", "ours", "--from", str(plain_model("plain-bart")), "--device", "cpu"]
    numbers = (
        "batch=32",
        "tokens_in=60",
        "tokens_out=12",
        "learning_rate=0.003",
        "warm_up=0.1",
        "epochs=30",
        "patience=0",
    )
    for number in numbers:
        words += ["--set", number]
    words += ["--models", "6", "--rounds", "1", "--json"]
    call_command("co_train", "crossings", *words, stdout=io.StringIO(), stderr=io.StringIO())

    folder = settings.AMBIT_DATA / "training" / "ours-cotraining" / "ours-2-0"
    lines = map(json.loads, (folder / "examples.jsonl").read_text().splitlines())
    found = {
        line["id"]: {forms[0] for forms in line["answers"]}
        for line in lines
        if line["split"] == "train" and int(line["id"][1:]) in PARTIAL
    }
    hidden = {f"r{n}": answers_of(n)[1:] for n in PARTIAL}
    added = {
        (name, answer)
        for name, answers in found.items()
        for answer in answers - {answers_of(int(name[1:]))[0]}
    }
    right = {(name, answer) for name, answers in hidden.items() for answer in answers}
    votes = json.loads((folder.parent / "report.json").read_text())["votes"]
    recall, precision = len(added & right) / len(right), len(added & right) / max(len(added), 1)
    assert recall >= 0.6
    assert precision >= 0.9

    assert len(votes["single"]) == 6
    assert votes["majority"] >= max(votes["single"].values())
