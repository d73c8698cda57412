"""From the accepted answers of a project to a trained reader of pages, and its scores."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.core.refusals import Conflict
from annotation.models import Question
from evaluation.models import Output
from metrics import nq
from modeling import engines
from modeling.base import BadOption
from modeling.offers import list_baseline_offers
from modeling.services.running import PREDICT, Choice, Run
from modeling.training import runs
from modeling.training.building import ExampleBuilder, ExampleChoice
from natural_questions.scores import AnnotationScorer
from tests import factories
from tests.modeling import tiny
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in

pytestmark = pytest.mark.django_db
READER = ExampleChoice(system="nq-reader")


@pytest.fixture
def project():
    """Eight questions on train and on dev; of each eight, one without an answer."""
    project = factories.make_project(protocol="nq", slug="lanes")
    for split, first in (("train", 100), ("dev", 200)):
        for number in range(8):
            record = samples.original(first + number, f"{split} question {number} of the lane")
            given = [(0, ["1902"]), (3, ["seven"]), (6, []), (None, [])][number % 4]
            record["annotations"] = [
                samples.answer(record, 10 * (first + number) + each, *given) for each in range(5)
            ]
            bring_in(project, record, finished=True, split=split)
    return project


def lines_of(tmp_path, *words):
    target = tmp_path / "train.jsonl"
    call_command("training_set", "lanes", "--system", "nq-reader", "-o", str(target), *words)
    return [json.loads(line) for line in target.read_bytes().splitlines()], target


def test_a_training_set_has_pages_with_boxes_and_what_each_annotator_found(
    project, tmp_path, monkeypatch
):
    lines, target = lines_of(tmp_path)
    assert len(lines) == 8
    assert {tuple(line) for line in lines} == {tuple(lines[0])}
    first, *_, last = lines[:4]
    assert first["question"] == "Train question 0 of the lane?"
    assert len(first["words"]) == len(first["tokens"]) == len(first["start_bytes"])
    [[short]] = [each["short_answers"] for each in first["annotations"][:1]]
    assert first["words"][first["tokens"].index(short["start_token"])] == "1902"
    assert first["annotations"][0]["long_answer"] == {
        name: value
        for name, value in first["boxes"][0].items()
        if name not in ("kind", "top_level")
    }
    assert [each["long_answer"]["start_token"] for each in last["annotations"]] == [-1] * 5
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    read = datasets.load_dataset(
        "json", data_files=str(target), cache_dir=str(tmp_path / "cache"), split="train"
    )
    assert list(read) == lines


def test_what_is_held_out_anywhere_is_in_no_training_set(project):
    other = factories.make_project()
    factories.make_question(other, text="Train QUESTION 3 of the lane", split="test")
    Question.objects.filter(external_id="100").update(state="flagged")
    builder = ExampleBuilder(project, READER)
    used = [labelled.asked.id for labelled, _ in builder.iterate_examples()]
    assert used == ["101", "102", "104", "105", "106", "107"]
    assert builder.counts.left_out == {"concern_open": 1, "also_in_dev": 1}


def test_questions_without_pages_of_their_own_are_refused_with_a_sentence(monkeypatch, tmp_path):
    project = factories.make_project(slug="lanes")
    sentence = "“nq-reader” answers questions on pages of their own, and the questions of this"
    with pytest.raises(BadOption, match=sentence):
        ExampleBuilder(project, READER)
    with pytest.raises(CommandError, match=sentence) as refused:
        lines_of(tmp_path)
    assert refused.value.returncode == 2
    with pytest.raises(Conflict, match="answers questions on pages of their own"):
        Run(project, PREDICT, Choice("nq-reader", "dev", {}))
    keys = {offer.entry.key for offer in list_baseline_offers(project, PREDICT)}
    assert "nq-reader" not in keys


def test_it_is_offered_where_questions_have_pages(project):
    offers = {offer.entry.key: offer.problem for offer in list_baseline_offers(project, PREDICT)}
    assert "nq-reader" in offers


@pytest.mark.models
@pytest.mark.xdist_group("models")
def test_weights_trained_on_a_project_answer_on_its_pages_and_are_scored(
    project, settings, tmp_path, monkeypatch, capsys
):
    settings.AMBIT_DATA, settings.MODELS_ENGINE = tmp_path, "reference"
    monkeypatch.setattr(runs, "FEWEST_DEV", 8)
    base = tiny.build_plain("plain-bert", tmp_path / "base")
    engines.unload_engines()
    call_command(
        *("train", "lanes", "--system", "nq-reader", "--from", str(base), "--name", "lanes-reader"),
        *("--set", "learning_rate=0.003", "--set", "null_windows=1", "--set", "epochs=8"),
        *("--set", "batch=4", "--device", "cpu"),
    )
    said = capsys.readouterr().out
    assert "--option model=trained:lanes-reader" in said
    call_command(
        *("predict", "lanes", "--system", "nq-reader", "--split", "dev"),
        *("--option", "model=trained:lanes-reader"),
    )
    outputs = list(Output.objects.all())
    questions = {row.pk: row for row in Question.objects.filter(project=project, split="dev")}
    assert len(outputs) == 8
    assert all(row.details["spans"]["long_score"] is not None for row in outputs)
    scorer = AnnotationScorer(project, "dev", questions)
    columns = scorer.measure_outputs(outputs, None).columns
    by_hand = nq.score_predictions(
        scorer.golds,
        {
            questions[row.question_id].external_id: nq.Prediction(
                nq.NqSpan(*row.details["spans"]["long"]),
                tuple(nq.NqSpan(*span) for span in row.details["spans"]["short"]),
                "none",
                row.details["spans"]["long_score"],
                row.details["spans"]["short_score"],
            )
            for row in outputs
        },
    ).scores()
    training = json.loads((tmp_path / "models/trained/lanes-reader/training.json").read_text())
    assert training["data"]["questions"] == 8
    for name in ("long", "short"):
        assert training["dev"][f"{name} F1"] == pytest.approx(by_hand[f"{name}.f1"].value, abs=1e-9)
    assert sum(columns["long_gold"].values()) == 6
    engines.unload_engines()
