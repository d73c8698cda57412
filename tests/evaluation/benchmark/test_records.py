"""What a page shows of records of each layout, and the parts that predictions must have. Pure."""

import io
import json
from types import SimpleNamespace

import pytest

from annotation.imports.arrays import split_object
from annotation.imports.records import BadLine, WrongFormat
from evaluation.benchmark import predictions
from evaluation.benchmark.records import find_reader
from evaluation.systems.output_files import GivenContent, OutputFile, OutputText
from natural_questions import release as natural_questions
from qampari import peer_release
from qampari import release as qampari
from validation.release import evidence, nq_open, peers, records

SINGLE = {"type": "singleAnswer", "answer": ["1843", "in 1843"]}
SEVERAL = {
    "type": "multipleQAs",
    "qaPairs": [
        {"question": "To walkers?", "answer": ["1843"]},
        {"question": "To trains?", "answer": ["1869", "1869"]},
    ],
}


def shown(layout, record):
    read = find_reader(layout)
    return read(record)


@pytest.mark.parametrize("layout", [records.LIGHT, records.FULL])
@pytest.mark.parametrize(
    ("annotations", "answers", "is_multiple"),
    [
        ([SINGLE], (("", ("1843", "in 1843")),), False),
        ([SEVERAL, SEVERAL], (("To walkers?", ("1843",)), ("To trains?", ("1869",))), True),
        # As the official scorer has it: several only where no annotation has a single answer.
        (
            [SINGLE, SEVERAL],
            (("", ("1843", "in 1843")), ("To walkers?", ("1843",)), ("To trains?", ("1869",))),
            False,
        ),
        ([], (), False),
    ],
)
def test_annotations(layout, annotations, answers, is_multiple):
    found = shown(layout, {"question": "When?", "annotations": annotations})
    assert (found.question, found.answers, found.is_multiple) == ("When?", answers, is_multiple)


def test_lists_of_answers():
    rows = [
        {"answer_text": "Brunel", "aliases": ["I. K. Brunel", "Brunel"]},
        {"answer_text": "Eads"},
    ]
    found = shown(qampari.OFFICIAL, {"question_text": "Who built?", "answer_list": rows})
    assert found.answers == (("", ("Brunel", "I. K. Brunel")), ("", ("Eads",)))
    assert found.is_multiple
    assert found.words == "Who built?\nBrunel\nI. K. Brunel\nEads"
    found = shown(qampari.READERS, {"question": "Who built?", "answers": [["Eads"]]})
    assert (found.answers, found.is_multiple) == ((("", ("Eads",)),), False)


@pytest.mark.parametrize(
    "layout",
    [
        *(evidence.EVIDENCE, nq_open.NQ_OPEN),
        *(natural_questions.SIMPLIFIED, natural_questions.ORIGINAL),
        *(peers.LABEL_STUDIO_TASKS, peers.DOCCANO_RECORDS),
        *(peer_release.LABEL_STUDIO_TASKS, peer_release.DOCCANO_RECORDS),
    ],
)
def test_layouts_that_a_page_cannot_show(layout):
    assert find_reader(layout) is None


# --- predictions ---------------------------------------------------------------------------------

QUESTIONS = {1: SimpleNamespace(external_id="a"), 2: SimpleNamespace(external_id="b")}


def own_file(cannot=()):
    """A file whose records are objects by id; those named cannot be rendered."""

    def parse(piece):
        ((key, value),) = json.loads(b"{" + piece.found + b"}").items()
        return key, GivenContent(value)

    def render(given):
        return {
            pk: BadLine("It is wrong.") if pk in cannot else OutputText("text", None, content)
            for pk, content in given.items()
        }

    return OutputFile(
        label="Mine",
        is_like=lambda start: True,
        cut=split_object,
        parse=parse,
        render=render,
        holds="answers",
        encode=iter,
    )


def read(data, own):
    return predictions.read_predictions(io.BytesIO(json.dumps(data).encode()), QUESTIONS, own)


def test_what_comes_with_an_answer_is_scored_with_it():
    outputs = read({"b": {"answers": ["x"]}, "a": {"answers": ["y"]}}, own_file())
    assert [(row.question_id, row.details) for row in outputs] == [
        (1, {"answers": ["y"]}),
        (2, {"answers": ["x"]}),
    ]
    assert all(row.pk is None for row in outputs)


def test_a_system_is_not_scored_only_over_what_it_is_good_at():
    with pytest.raises(WrongFormat, match="same parts"):
        read({"a": {"answers": ["x"], "passages": ["p"]}, "b": {"answers": ["y"]}}, own_file())


def test_what_cannot_be_rendered_is_counted_and_not_named():
    with pytest.raises(WrongFormat, match="1 do; 1 are") as problem:
        read({"a": {"answers": ["x"]}, "b": {"answers": ["y"]}}, own_file(cannot=[2]))
    assert "It is wrong" not in str(problem.value)
