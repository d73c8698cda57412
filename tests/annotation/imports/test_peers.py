"""Exports of Label Studio and doccano: what becomes of each part, and that nothing goes unsaid."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.imports.formats import BadLine, read_records
from annotation.imports.label_studio import code_point_at
from annotation.imports.not_taken import PARTS, describe_not_taken
from annotation.imports.peer_answers import find_question, widen_to_sentences
from qampari.peers import list_peer_answers
from qampari.records import of_context
from tests.annotation.imports.peer_files import CONTEXT, annotation, labelled, mark, task, write

FIRST = "It opened to walkers on 25 March 1843."


def tasks(*rows):
    """The records of a file of tasks."""
    file = io.BytesIO(json.dumps(rows).encode())
    return [each.found for each in read_records(file, "label-studio")]


def records(*rows):
    """The records of a file of doccano."""
    file = io.BytesIO("\n".join(map(json.dumps, rows)).encode())
    return [each.found for each in read_records(file, "doccano")]


def listed(record):
    """The answers of a record as QAMPARI has them: forms and evidence."""
    found = list_peer_answers(record)
    answers = of_context(found.external_id, found.text, found.context).answers
    return [(each.forms, [proof.text for proof in each.proofs]) for each in answers]


def test_texts_of_an_area_named_answer_are_answers_and_its_spans_their_evidence():
    written = write("answer", "25 March 1843", "7 December 1869")
    [record] = tasks(task(1, annotation(written, mark(24, 37), mark(54, 69))))
    assert record.known_answers == ("25 March 1843", "7 December 1869")
    assert listed(record) == [
        (("25 March 1843",), [FIRST]),
        (("7 December 1869",), ["Trains came on 7 December 1869."]),
    ]
    assert record.not_taken == ()
    assert record.context["context"] == CONTEXT


def test_a_span_without_an_answer_among_its_words_is_kept_and_counted():
    [record] = tasks(task(1, annotation(write("answer", "March"), mark(0, 2))))
    assert listed(record) == [(("March",), [])]
    assert record.not_taken == ("spans",)
    assert record.context["spans"] == [
        {"start": 0, "end": 2, "text": "It", "name": "e", "labels": ["Evidence"]}
    ]


def test_an_answer_is_whole_words_of_a_span():
    assert listed(tasks(task(1, annotation(write("answer", "184"), mark(24, 37))))[0]) == [
        (("184",), [])
    ]


def test_a_span_whose_text_is_not_in_the_task_is_taken_as_it_says():
    elsewhere = mark(3, 9, text="opened in 1843")
    [record] = tasks(task(1, annotation(write("answer", "1843"), elsewhere)))
    assert listed(record) == [(("1843",), ["opened in 1843"])]


def test_numbered_fields_are_the_forms_of_an_answer_and_its_question():
    apart = annotation(
        write("answer_2", "7 December 1869"),
        write("answer_1", "25 March 1843", "March 1843"),
        write("question_1", "When to walkers?", "When on foot?"),
        mark(54, 69, meta={"answer": "answer_2", "url": "https://t.example/", "pid": "p"}),
    )
    [record] = tasks(task(1, apart))
    assert record.context["annotations"] == [
        {
            "type": "multipleQAs",
            "qaPairs": [
                {
                    "question": "When to walkers?|When on foot?",
                    "answer": ["25 March 1843", "March 1843"],
                },
                {
                    "question": "",
                    "answer": ["7 December 1869"],
                    "quotes": [
                        {"text": "7 December 1869", "url": "https://t.example/", "pid": "p"}
                    ],
                },
            ],
        }
    ]


def test_what_people_wrote_apart_is_one_list_and_keeps_its_own_answers_apart():
    one = annotation(write("answer_1", "Kelso", "K"), write("answer_2", "Ely", "K"))
    other = annotation(write("answer", "ely", "Bath"))
    assert listed(tasks(task(1, one, other))[0]) == [
        (("Kelso", "K"), []),
        (("Ely", "K", "ely"), []),
        (("Bath",), []),
    ]


def test_every_part_that_is_not_taken_is_counted():
    parts = annotation(
        write("answer", "1843"),
        write("notes", "unsure"),
        write("kind", "single", kind="choices"),
        {"from_name": "box", "type": "rectanglelabels", "value": {"x": 1}},
    )
    cancelled = annotation(write("answer", "never"), was_cancelled=True)
    row = task(1, parts, cancelled, annotation(), predictions=[{}, {}], drafts=[{}])
    [record] = tasks(row)
    assert sorted(record.not_taken) == [
        *("cancelled", "drafts", "empty", "predictions", "predictions", "results", "results")
    ]
    assert record.known_answers == ("1843",)
    assert record.context["notes"] == ["unsure"]
    assert record.context["kind"] == ["single"]
    counts = {key: record.not_taken.count(key) for key in record.not_taken}
    assert describe_not_taken(counts) == (
        "1 cancelled annotations, 1 annotations without an answer, 1 drafts, "
        "2 predictions of models, 2 results that are not answers"
    )
    assert set(record.not_taken) <= PARTS.keys()


def test_a_question_without_its_answer_and_a_span_without_its_text_are_counted():
    alone = annotation(write("answer_1", "1843"), write("question_2", "When?"), mark(0, 2, text=""))
    [record] = tasks(task(1, alone))
    assert record.known_answers == ("1843",)
    assert sorted(record.not_taken) == ["results", "spans"]


def test_a_choice_under_the_name_of_shown_data_is_beside_it():
    [record] = tasks(task(1, annotation(write("context", "good", kind="choices"))))
    assert record.context["context"] == CONTEXT
    assert record.context["context (annotated)"] == ["good"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"frage": "x", "prompt": "y"}, "prompt"),
        ({"satz": "Wer?", "note": "a"}, "satz"),
        ({"one": "Who?", "two": "When?"}, ""),
        ({"question": 3, "q": "Who"}, "q"),
        ({}, ""),
    ],
)
def test_which_field_holds_the_question(data, name):
    assert find_question(data) == name


def test_ids_and_splits_of_the_data_come_first():
    rows = [
        task(1, data={"question_id": "a-1", "split": "validation"}),
        task(2, data={"id": 17, "split": "left"}),
        task(3),
    ]
    found = tasks(*rows)
    assert [each.external_id for each in found] == ["a-1", "17", "3"]
    assert [each.split for each in found] == ["dev", None, None]
    assert found[1].context["split"] == "left"


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.integers(0, 30))
def test_places_are_counted_as_browsers_count_them(text, at):
    at = min(at, len(text))
    assert code_point_at(text, len(text[:at].encode("utf-16-le")) // 2) == at


@given(st.text(st.sampled_from("ab .?!\n\u2003é"), min_size=1, max_size=40), st.data())
def test_sentences_hold_the_words_of_the_span(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert text[start:end].strip() in widen_to_sentences(text, start, end)


def test_labels_of_doccano_are_answers_and_spans_over_a_question_are_counted():
    found = records(
        labelled(1, "25 March 1843", "March 1843", Comments=["sure?"], source_id="x0"),
        labelled(2, [0, 4, "Wh"], "1843"),
        {"id": 3, "text": "Who?", "entities": [{"id": 1, "label": "Wh"}], "relations": []},
        {"id": 4, "text": "Who?", "labels": ["Telford"], "meta": {}, "question_id": "w"},
    )
    assert [each.known_answers for each in found] == [
        ("25 March 1843", "March 1843"),
        ("1843",),
        (),
        ("Telford",),
    ]
    assert [each.not_taken for each in found] == [("comments",), ("spans",), ("spans",), ()]
    assert [each.external_id for each in found] == ["1", "2", "3", "w"]
    assert found[0].context["source_id"] == "x0"
    assert found[1].context["spans"] == [[0, 4, "Wh"]]


def test_a_passage_with_spans_is_no_question_and_says_so():
    [found] = records(labelled(1, [0, 2, "Evidence"], text="It opened."))
    assert isinstance(found, BadLine)
    assert "does not end with a question mark" in found.reason


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["data", "annotations", "result", "value", "text", "question", "type",
            "textarea", "from_name", "answer_1", "labels", "start", "end", "meta", "id", "label",
            "predictions", "choices", "answer"]), inner, max_size=5), max_leaves=25))  # fmt: skip
def test_no_task_however_odd_stops_the_file(value):
    [found] = tasks(value)
    assert found is not None
    rows = records(value) if isinstance(value, dict) else []
    assert all(each is not None for each in rows)
