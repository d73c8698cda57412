"""Answers that people check as models are asked about them, and which have a verdict of a model.

What is shown in place of an answer as a gold item is asked about like the others, and found by what
is shown, so that no suggestion tells one from the other.
"""

from collections.abc import Sequence
from typing import Any

import orjson
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from annotation.exports.rows import fetch_rows
from annotation.models import Question
from modeling.base import ArticlePassage, CandidateAnswer
from qampari.sheets import page_of
from qampari.statements import SHOWN_TO_CHECK, UNJUDGED
from qampari.verdicts import CHECK


def read_candidates(questions: Sequence[Question]) -> dict[int, tuple[CandidateAnswer, ...]]:
    """Return what can be shown to people who check the answers of questions, each text once.

    One query.
    """
    values = {"questions": [question.pk for question in questions], "stage": CHECK}
    shown: dict[int, dict[str, CandidateAnswer]] = {}
    for question, text, forms, evidence in fetch_rows(SHOWN_TO_CHECK, values):
        known = shown.setdefault(question, {})
        if text and text not in known:
            known[text] = CandidateAnswer(
                text,
                tuple(form for form in _json(forms) if form != text),
                tuple(ArticlePassage("", page_of(url), proof) for proof, url in _json(evidence)),
            )
    return {pk: tuple(found.values()) for pk, found in shown.items()}


def _json(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str | bytes) else value or []


def find_unjudged(questions: QuerySet[Question], system: str, version: str) -> QuerySet[Question]:
    """Return those of some questions with something to check on which this version says nothing."""
    lacks = RawSQL(  # noqa: S611 - a constant of this module
        UNJUDGED, (system, version), output_field=BooleanField()
    )
    return questions.alias(unjudged=lacks).filter(unjudged=True)
