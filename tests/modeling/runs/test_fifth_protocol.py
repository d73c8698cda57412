"""A protocol that this project does not have, from a prediction to the leaderboard."""

import json
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.registry import Request, find_report
from annotation.models import Question
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.models import Output
from evaluation.scores import registry as scores
from evaluation.scores.registry import MeasuredColumns, Scoring
from evaluation.scores.values import Details, Kind
from evaluation.scoring import services as scoring_services
from modeling import for_models, registry
from modeling.base import ANSWERS, BaselineQuestion, Prediction, ShortAnswer
from modeling.examples import Example
from modeling.for_models import ForModels
from modeling.registry import BaselineEntry
from tests import factories

pytestmark = pytest.mark.django_db
HERE = "tests.modeling.runs.test_fifth_protocol"


class Guesser:
    """Says what the question's only page is called."""

    key, label, version = "guesser", "Guesser", "1"
    gives = frozenset({ANSWERS})

    def __init__(self, corpus, options):
        pass

    def predict(self, asked):
        for question in asked:
            yield Prediction(question.id, answers=(ShortAnswer(question.pages[0]),))


class Talker(Guesser):
    """Gives what no output of the protocol is made of."""

    key, label = "talker", "Talker"
    gives = frozenset({"long_answer"})


class RiddleScorer:
    """Right or wrong, by the solution in the question's record."""

    def __init__(self, project, split, questions):
        self.questions = questions
        self.facts = [project.slug, split]

    def read_more(self, outputs):
        return None

    def measure_outputs(self, outputs, more):
        questions = [(self.questions[row.question_id], row) for row in outputs]
        solved = {
            question.external_id: 100.0
            * (question.context["solution"] in Details.from_stored(row.details).answers)
            for question, row in questions
        }
        return MeasuredColumns({"solved": solved}, {"solved": {"case": "kept"}})


def build_riddles(questions, *, references=True):
    return [
        BaselineQuestion(row.external_id, row.text, pages=(row.context["hint"],))
        for row in questions
    ]


def read_solved(project, split):
    for row in Question.objects.filter(project=project, split=split).order_by("pk"):
        solved = (row.context["solution"],)
        yield Example(row.context["hint"], row.text, "", solved, row.external_id)


RIDDLES = ForModels(
    build_inputs=build_riddles,
    outputs=frozenset({ANSWERS}),
    scoring=Scoring(
        kinds={"solved": Kind("Solved", ("solved",))},
        ranked_by=("solved",),
        open_split=RiddleScorer,
    ),
    read_examples=read_solved,
)


@pytest.fixture
def riddles(monkeypatch):
    """A project of riddles: two on dev, one of which its hint solves, and one on train."""
    for module, name in ((protocols, "_protocols"), (scores, "_scorings")):
        monkeypatch.setattr(module, name, dict(getattr(module, name)))
    monkeypatch.setattr(for_models, "_registered", dict(for_models._registered))
    features = frozenset({Feature.SCORES, Feature.STUDIES})
    made_up = replace(
        protocols.get_protocol("nq"), key="riddles", label="Riddles", features=features
    )
    protocols.register(made_up)
    for_models.register("riddles", RIDDLES)
    entries = [
        BaselineEntry(row.key, row.label, f"{HERE}:{row.__name__}") for row in (Guesser, Talker)
    ]
    copying = registry.get_baseline("closest-question")
    monkeypatch.setattr(registry, "_entries", {row.key: row for row in (*entries, copying)})
    project = factories.make_project(protocol="riddles", policies=False)
    for number, (split, hint, solution) in enumerate(
        [("dev", "Bridge", "Bridge"), ("dev", "Tunnel", "Shadow"), ("train", "Tunnel", "Shadow")]
    ):
        factories.make_question(
            project, text=f"what crosses river {number}", external_id=f"r{number}", split=split,
            context={"hint": hint, "solution": solution},
        )  # fmt: skip
    return project


def test_it_goes_from_predict_to_the_leaderboard(riddles, run, client_as, capsys):
    for arguments in (["guesser"], ["closest-question", "--option", "train=train"]):
        call_command("predict", riddles.slug, "--split=dev", "--system", *arguments)
    capsys.readouterr()
    call_command("system_scores", riddles.slug, split="dev", json=True)
    printed = json.loads(capsys.readouterr().out)
    assert [(row["system"], row["figures"]["solved"]["value"]) for row in printed] == [
        ("closest-question", 100.0),
        ("guesser", 50.0),
    ]
    assert "|case:kept|" in printed[0]["figures"]["solved"]["signature"]

    staff = factories.make_member(riddles, "admin")
    job = scoring_services.start_scoring_job(
        project=riddles, split="dev", by=staff, now=timezone.now()
    )
    assert run(job).state == "done"
    [board, tests, signatures] = find_report(riddles, "systems").entries(riddles)
    asked = Request(riddles, Filters(split="dev"), timezone.now())
    panel = board.panel(asked)
    assert [column.label for column in panel.columns] == ["System", "Split", "Answers", "Solved"]
    assert [row[3].value for row in panel.rows] == [100.0, 50.0]
    assert [row[0] for row in tests.panel(asked).rows] == ["Solved"]
    assert len(signatures.panel(asked).rows) == 2

    pages = client_as(staff)
    listed = pages.get(reverse("system-list", args=[riddles.slug])).content.decode()
    assert "Scores" in listed
    assert "Suggest answers" not in listed
    shown = pages.get(reverse("system-scores", args=[riddles.slug])).content.decode()
    assert "Reader" not in shown


def test_a_baseline_that_gives_nothing_of_it_is_refused(riddles, client_as):
    with pytest.raises(CommandError, match="gives no answers, so there is nothing to store"):
        call_command("predict", riddles.slug, "--split=dev", "--system=talker")
    pages = client_as(factories.make_member(riddles, "admin"))
    shown = pages.get(reverse("system-run", args=[riddles.slug])).content.decode()
    assert "Guesser" in shown
    assert "Talker" not in shown
    refused = pages.post(
        reverse("system-scores", args=[riddles.slug]), {"split": "dev", "source": "file"}
    )
    assert refused.status_code == 422
    assert not Output.objects.exists()


def test_a_question_is_not_copied_to_itself(riddles, capsys):
    Question.objects.filter(external_id="r0").update(split="train")
    call_command(
        "predict",
        riddles.slug,
        "--split=train",
        "--system=closest-question",
        "--option=train=train",
    )
    rows = Output.objects.values_list("question__external_id", "text").order_by("question_id")
    # r0 is the only question with its hint, so the one example left for r2 is none of its page.
    assert list(rows) == []
    assert "None of the question's pages is in the training set." in capsys.readouterr().err


def test_where_models_know_nothing_of_a_protocol_they_say_so(riddles):
    for_models._registered.pop("riddles")
    with pytest.raises(CommandError, match="Models cannot answer the questions of a project"):
        call_command("predict", riddles.slug, "--split=dev", "--system=guesser")


@pytest.mark.parametrize("protocol", [each.key for each in protocols.list_protocols()])
def test_features_say_what_models_can_do(protocol):
    project, of = factories.make_project(protocol=protocol), protocols.get_protocol(protocol)
    known = for_models.get_for_models(project)
    assert of.has_feature(Feature.SCORES) == (known.scoring is not None)
    assert of.has_feature(Feature.SUGGESTIONS) == bool(known.suggestions)
