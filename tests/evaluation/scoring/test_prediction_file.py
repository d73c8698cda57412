"""Answers and pairs of systems come in by AmbigQA's file of predictions, and are scored (A95)."""

import io
import json

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.imports.records import WrongFormat
from evaluation.scores.measuring import score_systems
from evaluation.scores.prediction_file import is_answer_file
from evaluation.systems.services import import_outputs
from metrics import ambigqa
from metrics.inputs.ambigqa import read_predictions
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.scoring.test_scoring import CONTEXT

pytestmark = pytest.mark.django_db
WALKERS, TRAINS = (pair["question"] for pair in CONTEXT["qa_pairs"])
PAIRS = {
    "q1": [
        {"question": WALKERS, "answer": "in 1843"},
        {"question": "When  did it close?", "answer": "1900"},
    ],
    "q2": [{"question": TRAINS, "answer": "1869"}, {"question": WALKERS, "answer": "1843"}],
}
TEXTS = {
    "q1": f"{WALKERS} in 1843\nWhen did it close? 1900",
    "q2": f"{TRAINS} 1869\n{WALKERS} 1843",
}
DETAILS = {
    "q1": {"pairs": [[WALKERS, "in 1843"], ["When  did it close?", "1900"]]},
    "q2": {"pairs": [[TRAINS, "1869"], [WALKERS, "1843"]]},
}


@pytest.fixture
def project():
    project = asqa.make_project()
    for name in ("q1", "q2"):
        asqa.make_question(project, context=CONTEXT, external_id=name)
    return project


def take(project, content, name="Reader"):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return import_outputs(
        project=project, file=io.BytesIO(data), name=name, by=None, now=timezone.now()
    )


def stored(system):
    rows = system.outputs.values_list("question__external_id", "text", "details")
    return {name: (text, details) for name, text, details in rows}


def test_every_form_of_the_file_is_read(project):
    records = [{"id": name, "predictions": rows} for name, rows in PAIRS.items()]
    forms = {
        "object": json.dumps(PAIRS, indent=1),
        "array": "\ufeff" + json.dumps(records),
        "lines": "".join(json.dumps(row) + "\n" for row in records),
    }
    for name, content in forms.items():
        system, report = take(project, content.encode(), name)
        assert (report.created, report.refused) == (2, 0), name
        assert stored(system) == {key: (TEXTS[key], DETAILS[key]) for key in PAIRS}, name


def test_a_record_has_the_text_that_people_judge_beside_its_predictions(project):
    rows = [
        {"id": "q1", "answer": "It {opened}. " * 900, "predictions": PAIRS["q1"]},
        {"id": "q2", "answer": "In 1869.", "predictions": []},
    ]
    system, _ = take(project, "\n".join(map(json.dumps, rows)).encode())
    assert stored(system) == {
        "q1": ("It {opened}. " * 900, DETAILS["q1"]),
        "q2": ("In 1869.", {}),
    }


def test_of_the_forms_of_an_answer_all_are_shown_and_the_first_is_scored(project):
    system, _ = take(project, {"q1": [{"question": WALKERS, "answer": ["1843", "in 1843"]}]})
    assert stored(system)["q1"] == (f"{WALKERS} 1843; in 1843", {"pairs": [[WALKERS, "1843"]]})


def test_answers_alone_are_a_line_each(project):
    system, report = take(project, {"q1": ["1843", "1869"], "q2": [], "q3": ["1"]})
    assert stored(system) == {"q1": ("1843\n1869", {"answers": ["1843", "1869"]})}
    assert (report.empty.first, report.unknown.first) == (["q2"], ["q3"])


def test_what_was_uploaded_has_the_figures_of_the_scorer(project, tmp_path):
    """A81, A82, A83, A84, A86, A95: the project's figures are those of `score ambigqa`."""
    system, _ = take(project, PAIRS)
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(PAIRS))
    gold = ambigqa.AmbigqaAnnotation(
        pairs=tuple(
            ambigqa.GoldPair(pair["question"], tuple(pair["short_answers"]))
            for pair in CONTEXT["qa_pairs"]
        )
    )
    [question, _] = project.questions.order_by("pk")
    wanted = ambigqa.score_predictions(
        [ambigqa.Reference(name, question.prompt, (gold,)) for name in PAIRS],
        read_predictions(path),
    ).scores()
    [row] = score_systems(project, "dev", [system])
    for name in ("f1_answer", "precision_answer", "recall_answer"):
        for ours, theirs in ((name, f"{name}.all"), (f"{name}.multi", f"{name}.multi")):
            assert row.figures[ours].value == pytest.approx(100 * wanted[theirs].value)
    for name in ambigqa.QUESTION_MEASURES:
        assert row.figures[name].value == pytest.approx(100 * wanted[f"{name}.multi"].value)
    for name in ("answers", "gold_answers", "answer_words", "gold_answer_words"):
        assert row.figures[name].value == wanted[f"{name}.all"].value


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (3, "“answer” should be text in quotes, and is the number 3."),
        ([1], "and holds the number 1."),
        (["1843", PAIRS["q1"][0]], "and holds “1843”."),
        ([{"question": "When?"}], "“q1”: “answer” is missing."),
        ([{"question": "When?", "answer": []}], "“answer” of a pair is an empty list."),
        ([{"answer": "1843"}], "“question” is missing."),
        (["a\0"], "NUL"),
        (["\u200b"], "no text"),
        (["x"] * 201, "It has 201 answers. The maximum is 200."),
        (["x" * 50_001], "Its answer has 50,001 characters. The maximum is 50,000."),
    ],
)
def test_predictions_that_cannot_be_taken_are_named(project, value, why):
    _, report = take(project, {"q1": value, "q2": ["1869"]})
    assert (report.created, report.refused) == (1, 1)
    assert why in report.lines[0]["reason"]


def test_pairs_and_answers_alone_are_not_mixed(project):
    with pytest.raises(WrongFormat, match="1 have pairs and 1 answers alone"):
        take(project, {"q1": PAIRS["q1"], "q2": ["1869"]})
    assert not project.systems.exists()


@pytest.mark.parametrize("beginning", [b"", b"\x1f\x8b", b"<html>", b'{"dev": {', b"When?", b"{1"])
def test_other_files_are_left_to_what_reads_texts(beginning):
    assert not is_answer_file(beginning)


def test_the_page_says_what_a_file_can_hold(project, client_as):
    staff = client_as(factories.make_member(project, "researcher"))
    page = staff.get(reverse("system-add", args=[project.slug])).content.decode()
    assert "or of pairs with “question” and “answer”, takes the place of a text" in page
