"""Importing questions for long answers: what they need, and how AmbigNQ records are converted.

ASQA took the questions that at least one annotator called ambiguous, with the pairs of all those
annotators, one list after the other, and dropped questions with more than six (S20).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from annotation.imports.asqa import check_pages, check_pairs
from annotation.imports.formats import LeftOut, QuestionRecord
from annotation.imports.not_taken import QUOTES, UNASKED
from annotation.imports.peer_answers import answers_in

MAX_DISAMBIGUATIONS = 6
NOT_AMBIGUOUS, TOO_MANY = "not_ambiguous", "too_many_disambiguations"
REASONS = (NOT_AMBIGUOUS, TOO_MANY)
LABELS: Mapping[str, str] = {
    NOT_AMBIGUOUS: "not ambiguous",
    TOO_MANY: f"with more than {MAX_DISAMBIGUATIONS} disambiguations",
}
# Search engines end long titles like this, and so do the titles in the released files.
_CUT_TITLE = " ..."
ANNOTATIONS = "annotations"


def from_ambignq(record: QuestionRecord, articles: str) -> QuestionRecord | LeftOut:
    """Make a long-answer question of an AmbigNQ record, or say why it is left out.

    `articles` is the base address of the wiki's articles. The pages are those that were viewed, or
    else the one of the NQ record. Raises ValueError if a pair has no answer.
    """
    pairs = [
        pair
        for annotation in _objects(record.context.get("annotations"))
        if annotation.get("type") == "multipleQAs"
        for pair in _objects(annotation.get("qaPairs"))
    ]
    if not pairs:
        return LeftOut(NOT_AMBIGUOUS)
    if len(pairs) > MAX_DISAMBIGUATIONS:
        return LeftOut(TOO_MANY)
    context: dict[str, object] = {
        "qa_pairs": [
            {
                "question": pair["question"],
                "short_answers": pair["answer"],
                "context": None,
                "wikipage": None,
            }
            for pair in pairs
        ],
        "wikipages": [
            {"title": title, "url": address_of(title, articles)} for title in _titles(record)
        ],
    }
    for number, pair in enumerate(pairs, start=1):
        if not pair["answer"]:
            raise ValueError(
                f"Pair {number} has no answer, and writers need one. Write it, or remove the pair."
            )
    return replace(record, context=context)


def drop_unasked(record: QuestionRecord) -> QuestionRecord:
    """Return a record of another tool with the pairs alone that have a question.

    What else its annotations have is counted as not taken: a long answer needs disambiguations.
    """
    annotations, not_taken = [], list(record.not_taken)
    for annotation in _objects(record.context.get(ANNOTATIONS)):
        answers = answers_in(annotation)
        pairs = [answer for answer in answers if answer.get("question")]
        not_taken += [UNASKED] * (len(answers) - len(pairs))
        not_taken += [QUOTES] * sum(len(pair.get("quotes", ())) for pair in pairs)
        if pairs:
            annotations.append({"type": "multipleQAs", "qaPairs": pairs})
    context = {key: value for key, value in record.context.items() if key != ANNOTATIONS}
    if annotations:
        context[ANNOTATIONS] = annotations
    return replace(record, context=context, not_taken=tuple(not_taken))


def address_of(title: str, articles: str) -> str:
    """Return the address of an article, percent-encoded as in the released files."""
    return articles + quote(title.removesuffix(_CUT_TITLE))


def problem_of(record: QuestionRecord, split: str, *, question_only: bool) -> str:
    """Return why a record cannot be a long-answer question of the split, "" if it can.

    `question_only`: writers are given the question alone (S9), so it needs nothing else.
    """
    if "qa_pairs" not in record.context and not question_only:
        return without_disambiguations(split)
    try:
        if "qa_pairs" in record.context:
            check_pairs(record.context)
        check_pages(record.context)
    except ValueError as error:
        return str(error)
    return ""


def without_disambiguations(split: str) -> str:
    """Return the sentence for records without disambiguations, where writers are given them."""
    where = f" on {split}" if split else ""
    return (
        f"It has no disambiguations (“qa_pairs”), and writers{where} are given them. Import ASQA "
        "or AmbigNQ, or let the policy of the split give writers only the question."
    )


def _titles(record: QuestionRecord) -> list[str]:
    viewed = record.context.get("viewed_doc_titles")
    titles = (
        [title for title in viewed if isinstance(title, str)] if isinstance(viewed, list) else []
    )
    document = record.context.get("nq_doc_title")
    if not titles and isinstance(document, str):
        titles = [document]
    return list(dict.fromkeys(title for title in titles if title.strip()))


def _objects(value: object) -> Sequence[Mapping[str, Any]]:
    return value if isinstance(value, list) else []
