"""Grading answers to an item. Nothing here knows Django."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.long_answers import checks as long_checks
from annotation.long_answers.response import LongAnswerResponse
from annotation.qualifications.items import Item, PreparedAnswer
from metrics import ambigqa
from metrics.text import normalise_text

_EPSILON = 1e-9


@dataclass(frozen=True)
class Grade:
    """The grade of an answer: F1-answer, the share of correct verdicts, or STR-EM.

    `edit` is EDIT-F1, None if there is nothing to compare; `open` lists what the rules still
    ask for. An item passes when the score reaches its threshold and nothing is open; `passed` is
    None for a long answer, which people grade; `figures` are shown to them.
    """

    score: float
    passed: bool | None
    edit: float | None = None
    open: tuple[str, ...] = field(default=())
    figures: Mapping[str, object] = field(default_factory=dict)


def answer_fingerprint(data: object) -> str:
    """Return a SHA-256 (hex) to tell whether an answer has changed since it was checked."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def grade_response(
    item: Item, response: GenerationResponse, *, unanswered: Sequence[str] = ()
) -> Grade:
    """Compare a response with each prepared answer and keep the best (AmbigQA's F1-answer).

    An answer counts as found when one of its forms is a prepared one. "No answer" is right if it is
    prepared, and otherwise scores 0. `unanswered`: what the rules still ask for.
    """
    score, edit = 0.0, None
    pairs = _pairs_of(response)
    for answer in item.accepted:
        if answer.none:
            score = max(score, float(response.kind == "none"))
        elif pairs:
            worth = _against(item.prompt, answer, pairs)
            score = max(score, worth["f1_answer"])
            if answer.pairs and response.kind == "multiple":
                edit = max(edit or 0.0, worth["f1_edit"])
    enough = score >= item.threshold - _EPSILON
    return Grade(score, enough and not unanswered, edit, tuple(unanswered))


def _pairs_of(response: GenerationResponse) -> list[WrittenPair]:
    if response.kind == "none":
        return []
    if response.kind == "single":
        return [WrittenPair("", response.single)] if response.single else []
    return [pair for pair in response.pairs if pair.answers]


def _against(prompt: str, answer: PreparedAnswer, given: Sequence[WrittenPair]) -> dict[str, float]:
    annotation = ambigqa.AmbigqaAnnotation(
        answer=answer.answers,
        pairs=tuple(ambigqa.GoldPair(pair.question, pair.answers) for pair in answer.pairs),
    )
    accepted = {normalise_text(form) for forms in annotation.gold for form in forms}
    predicted = [
        ambigqa.PredictedPair(
            pair.question,
            # The form that matches a prepared one, if any.
            next(
                (f.text for f in pair.answers if normalise_text(f.text) in accepted),
                pair.answers[0].text,
            ),
        )
        for pair in given
    ]
    reference = ambigqa.Reference("item", prompt, (annotation,))
    columns = ambigqa.score_predictions([reference], {"item": predicted}).columns
    return {name: float(columns[name][0]) for name in ("f1_answer", "f1_edit")}


def grade_verdicts(item: Item, verdicts: Sequence[bool | None]) -> Grade:
    """Return the share of verdicts that match the seeded annotations, in their order."""
    padded = [*verdicts, *[None] * len(item.seeded)]
    right = sum(
        annotation.correct is verdict
        for annotation, verdict in zip(item.seeded, padded, strict=False)
    )
    score = right / len(item.seeded) if item.seeded else 0.0
    missing = sum(verdict is None for verdict in padded[: len(item.seeded)])
    unanswered = (f"{missing} without a verdict.",) if missing else ()
    enough = score >= item.threshold - _EPSILON
    return Grade(score, enough and not unanswered, None, unanswered)


def grade_long_answer(
    item: Item, response: LongAnswerResponse, *, unanswered: Sequence[str] = ()
) -> Grade:
    """Return the figures of a long answer, for information to the person who grades it.

    The score is the share of disambiguations with an accepted form in the text, as STR-EM counts
    it. `support`: the share of the text's words that its inputs and evidence have (S42).
    """
    context = long_checks.Context(inputs=item.inputs)
    covered = long_checks.response_coverage(response, context)
    present = sum(outcome.state == "found" for outcome in covered)
    figures = {
        "present": present,
        "total": len(covered),
        "said": sum(outcome.state == "said" for outcome in covered),
        "words": len(response.text.split()),
        "pieces": sum(not piece.empty for piece in response.knowledge),
        "support": long_checks.supported_share(response, context),
    }
    score = present / len(covered) if covered else 0.0
    return Grade(score, None, None, tuple(unanswered), figures)
