"""The AmbigNQ layouts, light and full, of accepted answers (A65, A66).

A question first imported as finished work keeps its imported text; all others are in their display
form, as in the published files.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from annotation.core.models.questions import display_form
from annotation.exports.arrangements import ARRAY
from annotation.exports.layouts import Column, Layout, Record
from annotation.exports.rows import Row, fetch_rows
from annotation.generation.export import read_and_searched
from validation.decisions.accepted_answers import DecidedQuestion, read_question_chunks
from validation.decisions.official import MULTIPLE, SINGLE, are_queries, are_texts
from validation.release.counts import Counts
from validation.release.statements import KNOWN_OF_QUESTIONS, SEARCHES_AND_PAGES
from validation.verdicts.comparing import AnswerSet

LIGHT_FIELDS = (
    ("id", "the question's id, as it was imported"),
    ("question", "the prompt question"),
    (
        "annotations",
        "the accepted answers, one or several: `singleAnswer` with its `answer` list, or "
        "`multipleQAs` with `qaPairs`, each a `question` and its `answer` list",
    ),
)
FULL_FIELDS = (
    *LIGHT_FIELDS,
    ("viewed_doc_titles", "titles of the pages opened, in the order of first appearance"),
    ("used_queries", "searches in the order of first appearance, each with `query` and `results`"),
    ("nq_answer", "the answers known before, as they were imported"),
    ("nq_doc_title", "the page known before; null where none was given"),
)
LIGHT_COLUMNS = (
    Column("id", "the question's id"),
    Column("question", "the prompt question"),
    Column(
        "annotations",
        "the accepted answers",
        parts=(
            Column("type", "singleAnswer or multipleQAs"),
            Column("answer", "singleAnswer: every accepted form of the answer", lists=1),
            Column("questions", "multipleQAs: the question of each pair", lists=1),
            Column("answers", "multipleQAs: the forms of each pair's answer", lists=2),
        ),
    ),
)
FULL_COLUMNS = (
    *LIGHT_COLUMNS,
    Column("viewed_doc_titles", "titles of the pages opened", lists=1),
    Column(
        "used_queries",
        "searches",
        parts=(
            Column("query", "the words searched for"),
            Column("titles", "the title of each result", lists=1),
            Column("snippets", "the snippet of each result, in the same order", lists=1),
        ),
    ),
    Column("nq_answer", "the answers known before", lists=1),
    Column("nq_doc_title", "the page known before, or null"),
)


def build_light_records(questions: Sequence[DecidedQuestion]) -> Iterator[dict[str, Any]]:
    """Give records with id, question and annotations."""
    for question in questions:
        yield _record(question)


def build_full_records(questions: Sequence[DecidedQuestion]) -> Iterator[dict[str, Any]]:
    """Give the light records with pages, searches and answers known before. Two queries."""
    ids = [question.pk for question in questions]
    if not ids:
        return
    known = {row[0]: row[1:] for row in fetch_rows(KNOWN_OF_QUESTIONS, [ids])}
    events = {
        pk: list(rows) for pk, rows in groupby(fetch_rows(SEARCHES_AND_PAGES, [ids]), itemgetter(0))
    }
    for question in questions:
        yield _full(question, known[question.pk], events.get(question.pk, []))


def _full(question: DecidedQuestion, known: Row, events: Sequence[Row]) -> dict[str, Any]:
    answers, title, titles, queries = known
    came_with = ((), ())
    if question.imported:
        came_with = (_loaded(titles, are_texts), _loaded(queries, are_queries))
    read, searched = read_and_searched(events, *came_with)
    return {
        **_record(question),
        "viewed_doc_titles": read,
        "used_queries": searched,
        "nq_answer": orjson.loads(answers),
        "nq_doc_title": title,
    }


def _loaded(text: str | None, fits: Any) -> Any:
    """Return a part of the context; empty if another kind of file put it there."""
    value = orjson.loads(text) if text is not None else []
    return value if fits(value) else []


def _record(question: DecidedQuestion) -> dict[str, Any]:
    return {
        "id": question.external_id,
        "question": question.text if question.imported else display_form(question.text),
        "annotations": [_annotation(each) for each in question.sets],
    }


def _annotation(accepted: AnswerSet) -> dict[str, Any]:
    if accepted.kind == "single":
        forms = (form for pair in accepted.pairs for form in pair.forms)
        return {"type": SINGLE, "answer": list(forms)}
    return {
        "type": MULTIPLE,
        "qaPairs": [
            {"question": "|".join(pair.questions), "answer": list(pair.forms)}
            for pair in accepted.pairs
        ],
    }


def light_row(external_id: str, record: Record) -> dict[str, Any]:
    """Return a record's values for `LIGHT_COLUMNS`; its annotations all have the same keys."""
    return {**record, "annotations": [_flat(one) for one in record["annotations"]]}


def full_row(external_id: str, record: Record) -> dict[str, Any]:
    """Return a record's values for `FULL_COLUMNS`."""
    queries = [
        {
            "query": query["query"],
            "titles": [result["title"] for result in query["results"]],
            "snippets": [result["snippet"] for result in query["results"]],
        }
        for query in record["used_queries"]
    ]
    return {**light_row(external_id, record), "used_queries": queries}


def _flat(annotation: Record) -> dict[str, Any]:
    pairs = annotation.get("qaPairs", [])
    return {
        "type": annotation["type"],
        "answer": annotation.get("answer", []),
        "questions": [pair["question"] for pair in pairs],
        "answers": [pair["answer"] for pair in pairs],
    }


LIGHT = Layout(
    key="ambignq-light",
    label="AmbigNQ, light",
    hint="Questions with their accepted answers, in the released layout",
    fields=LIGHT_FIELDS,
    questions=read_question_chunks,
    records=build_light_records,
    arrangement=ARRAY,
    counts=Counts,
    card="validation/release/ambignq_card.md",
    columns=LIGHT_COLUMNS,
    row=light_row,
)
FULL = Layout(
    key="ambignq",
    label="AmbigNQ, full",
    hint="With searches, results and pages read by all who worked on a question",
    fields=FULL_FIELDS,
    questions=read_question_chunks,
    records=build_full_records,
    arrangement=ARRAY,
    counts=Counts,
    card="validation/release/ambignq_card.md",
    columns=FULL_COLUMNS,
    row=full_row,
)
