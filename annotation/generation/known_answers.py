"""Known answers to a prompt: as values, as JSON, and the grade of a response against them.

A prepared answer is complete: one answer with its forms, pairs, or that there is no answer.
Nothing here knows Django.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.generation.responses import MAX_PAIRS, GenerationResponse, WrittenPair
from annotation.sheets.answers import MAX_ANSWER, MAX_FORMS, MAX_QUESTION
from annotation.sheets.fields import list_of, object_of
from annotation.sheets.known_items import Grade, KnownItem
from annotation.text.cleaning import ResponseError, line_of
from metrics import ambigqa
from metrics.text import normalise_text, same_answer


@dataclass(frozen=True)
class PreparedPair:
    """A question and the forms of its answer; `|` separates accepted phrasings."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class PreparedAnswer:
    """One complete answer to a prompt: `answers` (one answer), `pairs`, or neither (none).

    `correct`: whether it is right, of one that was made to be judged; None of others.
    """

    answers: tuple[str, ...] = ()
    pairs: tuple[PreparedPair, ...] = ()
    correct: bool | None = None

    @property
    def none(self) -> bool:
        return not self.answers and not self.pairs


# --- JSON ----------------------------------------------------------------------------------------


def read_answers(data: object, name: str, *, judged: bool = False) -> list[PreparedAnswer]:
    """Read a list of {"answers": […]}, {"pairs": [{"question", "answers"}]} or {"none": true}.

    Those that are to be `judged` have "correct", true or false, too. Raises ResponseError with the
    name and the number of the one that cannot be read.
    """
    rows = enumerate(list_of(data, name), start=1)
    return [_read_answer(row, f"{name} {number}", judged) for number, row in rows]


def _read_answer(data: object, where: str, judged: bool) -> PreparedAnswer:
    row = object_of(data, where)
    if not judged:
        return read_answer(row, where)
    if not isinstance(row.get("correct"), bool):
        raise ResponseError(f'{where}: say whether it is "correct": true or false.')
    return replace(read_answer(row, where), correct=row["correct"] is True)


def read_answer(row: Mapping[str, object], where: str) -> PreparedAnswer:
    """Read one prepared answer. Raises ResponseError; `where` is its name in the sentence."""
    kinds = [name for name in ("answers", "pairs", "none") if row.get(name)]
    if len(kinds) != 1:
        raise ResponseError(f'{where}: give one of "answers", "pairs" and "none".')
    if kinds == ["none"]:
        return PreparedAnswer()
    if kinds == ["answers"]:
        return PreparedAnswer(answers=read_forms(row["answers"], where))
    pairs = tuple(
        _read_pair(entry, f"{where}, pair {number}")
        for number, entry in enumerate(list_of(row["pairs"], where), start=1)
    )
    if len(pairs) < 2:
        raise ResponseError(
            f"{where} has one pair. Several answers need at least two pairs; a single "
            f"pair is one clear answer."
        )
    if len(pairs) > MAX_PAIRS:
        raise ResponseError(f"{where} has {len(pairs)} pairs. The maximum is {MAX_PAIRS}.")
    return PreparedAnswer(pairs=pairs)


def _read_pair(data: object, where: str) -> PreparedPair:
    pair = object_of(data, where)
    asked = pair.get("question", "")
    phrasings = asked if isinstance(asked, list) else [asked]
    lines = (line_of(one, MAX_QUESTION, f"{where}: the question") for one in phrasings)
    if not (question := " | ".join(filter(None, lines))):
        raise ResponseError(f"{where} has no question.")
    return PreparedPair(question, read_forms(pair.get("answers", []), where))


def read_forms(data: object, where: str) -> tuple[str, ...]:
    """Read the forms of an answer, without repetitions. Raises ResponseError if there is none."""
    rows = list_of(data, where)
    forms = [line_of(form, MAX_ANSWER, f"{where}: an answer") for form in rows]
    unique = tuple(dict.fromkeys(filter(None, forms)))
    if not unique:
        raise ResponseError(f"{where} has no answer.")
    if len(unique) > MAX_FORMS:
        raise ResponseError(
            f"{where}: the answer has {len(unique)} forms. The maximum is {MAX_FORMS}."
        )
    return unique


def answers_to_json(answers: Sequence[PreparedAnswer]) -> list[dict[str, object]]:
    """Return prepared answers as `read_answers` reads them."""
    return [_answer_to_json(answer) for answer in answers]


def _answer_to_json(answer: PreparedAnswer) -> dict[str, object]:
    judged = {} if answer.correct is None else {"correct": answer.correct}
    if answer.pairs:
        rows = [{"question": pair.question, "answers": [*pair.answers]} for pair in answer.pairs]
        return {"pairs": rows, **judged}
    if answer.answers:
        return {"answers": [*answer.answers], **judged}
    return {"none": True, **judged}


# --- grading -------------------------------------------------------------------------------------


def grade_answers(
    response: GenerationResponse, item: KnownItem, unanswered: Sequence[str] = ()
) -> Grade:
    """Compare a response with what is known: "accepted" or "answers".

    Of "accepted", prepared answers, the best counts (AmbigQA's F1-answer): an answer is found when
    one of its forms is a prepared one, and "no answer" is right if it is prepared, else worth 0.
    Of "answers", forms that are each right, one that was written is enough.
    """
    pairs = _answered_pairs(response)
    if "answers" in item.expected:
        forms = [form.text for pair in pairs for form in pair.answers]
        found = any(same_answer(form, one) for form in forms for one in item.expected["answers"])
        return item.grade_score(float(found), unanswered=unanswered)
    score, edit = 0.0, None
    for answer in read_answers(item.expected.get("accepted", []), "accepted"):
        if answer.none:
            score = max(score, float(response.kind == "none"))
        elif pairs:
            worth = _score_pairs(item.prompt, answer, pairs)
            score = max(score, worth["f1_answer"])
            if answer.pairs and response.kind == "multiple":
                edit = max(edit or 0.0, worth["f1_edit"])
    return item.grade_score(score, unanswered=unanswered, edit=edit)


def _answered_pairs(response: GenerationResponse) -> list[WrittenPair]:
    if response.kind == "none":
        return []
    if response.kind == "single":
        return [WrittenPair("", response.single)] if response.single else []
    return [pair for pair in response.pairs if pair.answers]


def _score_pairs(
    prompt: str, answer: PreparedAnswer, written: Sequence[WrittenPair]
) -> dict[str, float]:
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
        for pair in written
    ]
    reference = ambigqa.Reference("item", prompt, (annotation,))
    columns = ambigqa.score_predictions([reference], {"item": predicted}).columns
    return {name: float(columns[name][0]) for name in ("f1_answer", "f1_edit")}
