"""The layout of ASQA (S33): {split: {id: record}}, of the accepted long answers.

Where writers were shown a paragraph for a disambiguation imported without one, that paragraph is
its context. A question imported as finished work keeps its imported text; all others are in their
display form, as in the published files.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.contexts.inputs import given_context
from annotation.core.models.questions import display_form
from annotation.exports.arrangements import SPLITS_OBJECT
from annotation.exports.layouts import Column, Layout, Record
from validation.decisions.accepted_long_answers import LongAnsweredQuestion, read_question_chunks
from validation.release.asqa_counts import AsqaCounts

FIELDS = (
    ("ambiguous_question", "the question, which can be read in several ways"),
    (
        "qa_pairs",
        "its disambiguations: `question`, `short_answers` (every accepted form), `context` (a "
        "paragraph with a short answer, or null) and `wikipage` (the title of its page, or null)",
    ),
    ("wikipages", "pages that say more, each with `title` and `url` (or null)"),
    (
        "annotations",
        "one for each writer: `long_answer`, and `knowledge`, the evidence for what the long "
        "answer brings in: `content` and `wikipage`",
    ),
)
COLUMNS = (
    Column("id", "the question's id"),
    Column("ambiguous_question", "the question, which can be read in several ways"),
    Column(
        "qa_pairs",
        "its disambiguations",
        parts=(
            Column("question", "the disambiguated question"),
            Column("short_answers", "every accepted form of its answer", lists=1),
            Column("context", "a paragraph with a short answer, or null"),
            Column("wikipage", "the title of the paragraph's page, or null"),
        ),
    ),
    Column(
        "wikipages",
        "pages that say more",
        parts=(Column("title", "the page's title"), Column("url", "its address, or null")),
    ),
    Column(
        "annotations",
        "one for each writer",
        parts=(
            Column("long_answer", "the long answer"),
            Column("knowledge", "the content of each piece of knowledge", lists=1),
            Column("knowledge_wikipages", "the page of each piece, in the same order", lists=1),
        ),
    ),
)


def build_records(questions: Iterable[LongAnsweredQuestion]) -> Iterator[Record]:
    """Give the record of each question."""
    return map(record_of, questions)


def record_of(question: LongAnsweredQuestion) -> dict[str, Any]:
    """Return the record of a question, with the keys of the published files in their order."""
    text = question.text if question.imported else display_form(question.text)
    return {
        "ambiguous_question": text,
        "qa_pairs": [
            _pair(pair, None if question.imported else question.shown.get(position))
            for position, pair in enumerate(question.context.get("qa_pairs", []))
        ],
        "wikipages": [
            {"title": page["title"], "url": page.get("url")}
            for page in question.context.get("wikipages", [])
        ],
        "annotations": [
            {
                "long_answer": answer.text,
                "knowledge": [
                    {"content": content, "wikipage": page} for content, page in answer.knowledge
                ],
            }
            for answer in question.answers
        ],
    }


def _pair(pair: Mapping[str, Any], shown: tuple[str, str] | None) -> dict[str, Any]:
    context, page = pair.get("context"), pair.get("wikipage")
    if shown is not None and given_context(pair) is None:
        context, page = shown
    return {
        "question": pair["question"],
        "short_answers": pair["short_answers"],
        "context": context,
        "wikipage": page,
    }


def build_row(external_id: str, record: Record) -> dict[str, Any]:
    """Return a record's values for `COLUMNS`."""
    annotations = [
        {
            "long_answer": annotation["long_answer"],
            "knowledge": [piece["content"] for piece in annotation["knowledge"]],
            "knowledge_wikipages": [piece["wikipage"] for piece in annotation["knowledge"]],
        }
        for annotation in record["annotations"]
    ]
    return {"id": external_id, **record, "annotations": annotations}


ASQA = Layout(
    key="asqa",
    label="ASQA",
    hint="Questions with their disambiguations, contexts, pages and accepted long answers",
    fields=FIELDS,
    questions=read_question_chunks,
    records=build_records,
    arrangement=SPLITS_OBJECT,
    counts=AsqaCounts,
    card="validation/release/asqa_card.md",
    columns=COLUMNS,
    row=build_row,
)
