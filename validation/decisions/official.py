"""The AmbigNQ layout: accepted sets from a record, or why it has none that could be accepted.

Pure functions. annotation.imports.ambignq has already checked the types of annotations.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.imports.formats import QuestionRecord
from validation.verdicts.comparing import AnswerSet, Texts

MOST = 1_000
MULTIPLE, SINGLE, NO_ANSWER = "multipleQAs", "singleAnswer", "noAnswer"
_KINDS = {MULTIPLE: "multiple", SINGLE: "single"}


def problem_of(record: QuestionRecord) -> str:
    """Say why the record holds nothing that could be accepted as it is, "" where it does."""
    annotations = _list(record.context.get("annotations"))
    if not annotations:
        return (
            "It has no annotations, so there is nothing to accept. "
            "Import it without “finished” to have it answered here."
        )
    if all(annotation["type"] == NO_ANSWER for annotation in annotations):
        return (
            "Its annotations only say that no answer was found, so there is nothing to "
            "accept. Import it without “finished” to have it answered here."
        )
    for number, annotation in enumerate(annotations, start=1):
        if problem := _problem(annotation):
            return f"Annotation {number}{problem}"
    return _context_problem(record.context)


def sets_in(record: QuestionRecord) -> tuple[AnswerSet, ...]:
    """Return the accepted sets of a record. An annotation without an answer gives no set."""
    return tuple(
        AnswerSet(_KINDS[annotation["type"]], _pairs_in(annotation))
        for annotation in _list(record.context.get("annotations"))
        if annotation["type"] in _KINDS
    )


def split_phrasings(question: str) -> tuple[str, ...]:
    """Split a question into its phrasings at “|”; joined again they give the same string."""
    parts = tuple(question.split("|"))
    return parts if all(parts) else (question,)


def _pairs_in(annotation: Mapping[str, Any]) -> tuple[Texts, ...]:
    if annotation["type"] == SINGLE:
        return (Texts((), tuple(annotation["answer"])),)
    return tuple(
        Texts(split_phrasings(pair["question"]), tuple(pair["answer"]))
        for pair in annotation["qaPairs"]
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _problem(annotation: Mapping[str, Any]) -> str:
    """Return what is wrong with an annotation, as the words after its number, or ""."""
    if annotation["type"] == NO_ANSWER:
        return ""
    if annotation["type"] == SINGLE:
        return _answer_problem(annotation["answer"])
    pairs = _list(annotation.get("qaPairs"))
    if not pairs:
        return " has no pairs. Give at least one question with its answer, or remove it."
    if len(pairs) > MOST:
        return f" has {len(pairs):,} pairs. The maximum is {MOST:,}."
    for number, pair in enumerate(pairs, start=1):
        if not pair["question"]:
            return f", pair {number} has an empty question. Write it, or remove the pair."
        if pair["question"].count("|") >= MOST:
            return f", pair {number} has more than {MOST:,} phrasings."
        if problem := _answer_problem(pair["answer"]):
            return f", pair {number}{problem}"
    return ""


def _answer_problem(answers: Sequence[str]) -> str:
    if not answers:
        return " has no answer. Write one, or remove it."
    if len(answers) > MOST:
        return f" has {len(answers):,} answers. The maximum is {MOST:,}."
    if not all(answers):
        return f" has an empty answer at place {list(answers).index('') + 1}. Remove it."
    return ""


def _context_problem(context: Mapping[str, object]) -> str:
    """Say which field of the full layout a release could not write like this, or ""."""
    if not are_texts(context.get("viewed_doc_titles", [])):
        return "“viewed_doc_titles” should be a list of texts."
    if not are_queries(context.get("used_queries", [])):
        return (
            "“used_queries” should be a list of objects, each with “query” and “results”, "
            "and each result with “title” and “snippet”."
        )
    title = context.get("nq_doc_title")
    if title is not None and not isinstance(title, str):
        return "“nq_doc_title” should be text in quotes."
    return ""


def are_texts(value: object) -> bool:
    """Whether the value is a list of texts, as in "viewed_doc_titles"."""
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def are_queries(value: object) -> bool:
    """Whether the value is a list of queries with results, as in "used_queries"."""
    return isinstance(value, list) and all(map(_is_query, value))


def _is_query(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("query"), str):
        return False
    results = value.get("results")
    return isinstance(results, list) and all(
        isinstance(result, dict)
        and isinstance(result.get("title"), str)
        and isinstance(result.get("snippet"), str)
        for result in results
    )
