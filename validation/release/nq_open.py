"""The layout of NQ-open: a question on each line with every accepted form of its answers (A69).

The file knows one question with one list of answers, so the answers of an ambiguous question stand
in one list, whichever of its pairs they belong to. The published file has no ids; scorers leave
those that are here aside.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from annotation.exports.arrangements import LINES
from annotation.exports.format import JSON_LINES
from annotation.exports.layouts import Column, Layout, Record
from validation.decisions.accepted_answers import DecidedQuestion, read_question_chunks
from validation.release.counts import Counts
from validation.release.records import build_light_records


def build_records(questions: Sequence[DecidedQuestion]) -> Iterator[Record]:
    """Give the records of some questions; each answer once, in the order of the pairs."""
    for question, light in zip(questions, build_light_records(questions), strict=True):
        answers = list_answers(question)
        yield {"id": light["id"], "question": light["question"], "answer": answers}


def list_answers(question: DecidedQuestion) -> list[str]:
    """Return every accepted form of a question's answers, each once."""
    pairs = (pair for accepted in question.sets for pair in accepted.pairs)
    return list(dict.fromkeys(form for pair in pairs for form in pair.forms))


def build_row(external_id: str, record: Record) -> dict[str, Any]:
    """Return a record's values for the columns."""
    return dict(record)


NQ_OPEN = Layout(
    key="nq-open",
    label="NQ-open",
    hint="A line for each question with all accepted forms of its answers in one list",
    fields=(
        ("id", "the question's id, as it was imported"),
        ("question", "the prompt question"),
        ("answer", "every accepted form of every answer"),
    ),
    questions=read_question_chunks,
    records=build_records,
    arrangement=LINES,
    counts=Counts,
    card="validation/release/nq_open_card.md",
    columns=(
        Column("id", "the question's id"),
        Column("question", "the prompt question"),
        Column("answer", "every accepted form of every answer", lists=1),
    ),
    row=build_row,
    content_type=JSON_LINES,
)
