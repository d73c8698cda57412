"""What an item of a qualification holds, as values: read from JSON or from a text, and graded.

Prepared answers are readings, each right by itself: one answer with its forms, pairs, or that
there is no answer. Seeded annotations are such readings with whether they are correct. Nothing
here knows Django.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from annotation.responses import (
    MAX_ANSWER,
    MAX_FORMS,
    MAX_PAIRS,
    MAX_QUESTION,
    Pair,
    Response,
    ResponseError,
    line_of,
    passage_of,
)
from metrics import ambigqa
from metrics.text import normalise

MAX_ITEMS = 50
MAX_READINGS = 20
MAX_PAGES = 10
MAX_HINT, MAX_EXPLANATION, MAX_SECONDS = 2_000, 5_000, 3_600
HINT_SECONDS = 120
_EPSILON = 1e-9


class ItemError(ValueError):
    """Something about an item that cannot be used; the text is the sentence for its author."""


@dataclass(frozen=True)
class PreparedPair:
    """A question and the forms of its answer; `|` separates accepted phrasings."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """One complete answer to a prompt: `answers` (one answer), `pairs`, or neither (none)."""

    answers: tuple[str, ...] = ()
    pairs: tuple[PreparedPair, ...] = ()

    @property
    def none(self) -> bool:
        return not self.answers and not self.pairs


@dataclass(frozen=True)
class Seeded:
    """An annotation made for the exam, to be judged."""

    reading: Reading
    correct: bool


@dataclass(frozen=True)
class Item:
    """Everything about one item."""

    prompt: str
    accepted: tuple[Reading, ...] = ()
    seeded: tuple[Seeded, ...] = ()
    threshold: float = 1.0
    hint: str = ""
    hint_seconds: int = HINT_SECONDS
    explanation: str = ""
    pages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Grade:
    """What an answer is worth: `score` is F1-answer, or the share of right verdicts.

    `edit` is EDIT-F1, None where there is nothing to compare; `open` says what the rules still
    ask for. An item passes when the score reaches its threshold and nothing is open.
    """

    score: float
    passed: bool
    edit: float | None = None
    open: tuple[str, ...] = field(default=())


# --- from JSON -----------------------------------------------------------------------------------


def items_from_file(data: bytes, *, judging: bool) -> list[Item]:
    """Read a file of items: a list, or an object with the list under "items".

    All problems are named at once, each with the number of its item. Raises ItemError.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ItemError(f"This is not JSON in UTF-8: {error}.") from None
    rows = found.get("items") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not rows:
        raise ItemError('The file should hold a list of items, or {"items": […]}.')
    if len(rows) > MAX_ITEMS:
        raise ItemError(f"The file has {len(rows):,} items. The most is {MAX_ITEMS}.")
    items, problems = [], []
    for number, row in enumerate(rows, start=1):
        try:
            items.append(item_from_json(row, judging=judging))
        except ItemError as error:
            problems.append(f"Item {number}: {error}")
    if problems:
        raise ItemError("\n".join(problems))
    return items


def item_from_json(data: object, *, judging: bool) -> Item:
    """Read one item. Raises ItemError with what is wrong and where."""
    row = _mapping(data, "An item")
    unknown = sorted(row.keys() - set(Item.__dataclass_fields__))
    if unknown:
        raise ItemError(f'There is nothing called "{unknown[0]}". Check its spelling.')
    accepted = [
        reading_from(each, f"accepted {number}")
        for number, each in enumerate(_list(row.get("accepted", []), "accepted"), start=1)
    ]
    seeded = [
        seeded_from(each, f"seeded {number}")
        for number, each in enumerate(_list(row.get("seeded", []), "seeded"), start=1)
    ]
    pages = [_line(each, "A page", 300) for each in _list(row.get("pages", []), "pages")]
    return checked(
        Item(
            prompt=_line(row.get("prompt", ""), "The prompt", MAX_QUESTION),
            accepted=tuple(accepted),
            seeded=tuple(seeded),
            threshold=_share(row.get("threshold", 1.0)),
            hint=_passage(row.get("hint", ""), "The hint", MAX_HINT),
            hint_seconds=_seconds(row.get("hint_seconds", HINT_SECONDS)),
            explanation=_passage(row.get("explanation", ""), "The explanation", MAX_EXPLANATION),
            pages=tuple(dict.fromkeys(page for page in pages if page)),
        ),
        judging=judging,
    )


def checked(item: Item, *, judging: bool) -> Item:
    """Return the item if it can be asked and graded. Raises ItemError."""
    if not item.prompt:
        raise ItemError("It has no prompt.")
    if judging and not item.seeded:
        raise ItemError("It has no seeded annotations to judge.")
    if not judging and not item.accepted:
        raise ItemError("It has no prepared answer.")
    for what, found, most in (
        ("prepared answers", item.accepted, MAX_READINGS),
        ("seeded annotations", item.seeded, MAX_READINGS),
        ("pages", item.pages, MAX_PAGES),
    ):
        if len(found) > most:
            raise ItemError(f"It has {len(found)} {what}. The most is {most}.")
    return item


def reading_from(data: object, where: str) -> Reading:
    """Read {"answers": […]}, {"pairs": [{"question", "answers"}]} or {"none": true}."""
    row = _mapping(data, where)
    kinds = [name for name in ("answers", "pairs", "none") if row.get(name)]
    if len(kinds) != 1:
        raise ItemError(f'{where}: give one of "answers", "pairs" and "none".')
    if kinds == ["none"]:
        return Reading()
    if kinds == ["answers"]:
        return Reading(answers=_forms(row["answers"], where))
    pairs = []
    for number, each in enumerate(_list(row["pairs"], where), start=1):
        place = f"{where}, pair {number}"
        pair = _mapping(each, place)
        asked = pair.get("question", "")
        phrasings = asked if isinstance(asked, list) else [asked]
        question = " | ".join(
            words for one in phrasings if (words := _line(one, f"{place}: the question"))
        )
        if not question:
            raise ItemError(f"{place} has no question.")
        pairs.append(PreparedPair(question, _forms(pair.get("answers", []), place)))
    return _with_pairs(pairs, where)


def _with_pairs(pairs: Sequence[PreparedPair], where: str) -> Reading:
    if len(pairs) < 2:
        raise ItemError(f"{where} has one pair. Several answers are at least two; else it is one.")
    if len(pairs) > MAX_PAIRS:
        raise ItemError(f"{where} has {len(pairs)} pairs. The most is {MAX_PAIRS}.")
    return Reading(pairs=tuple(pairs))


def seeded_from(data: object, where: str) -> Seeded:
    """Read a reading with "correct": true or false beside it."""
    row = _mapping(data, where)
    if not isinstance(row.get("correct"), bool):
        raise ItemError(f'{where}: say whether it is "correct": true or false.')
    return Seeded(reading_from(row, where), row["correct"] is True)


def reading_json(reading: Reading) -> dict[str, object]:
    """Return what `reading_from` reads."""
    if reading.pairs:
        return {"pairs": [{**asdict(pair), "answers": [*pair.answers]} for pair in reading.pairs]}
    return {"answers": [*reading.answers]} if reading.answers else {"none": True}


def seeded_json(seeded: Seeded) -> dict[str, object]:
    """Return what `seeded_from` reads."""
    return {**reading_json(seeded.reading), "correct": seeded.correct}


def item_json(item: Item) -> dict[str, object]:
    """Return what `item_from_json` reads."""
    return {
        "prompt": item.prompt,
        "accepted": [reading_json(each) for each in item.accepted],
        "seeded": [seeded_json(each) for each in item.seeded],
        "threshold": item.threshold,
        "hint": item.hint,
        "hint_seconds": item.hint_seconds,
        "explanation": item.explanation,
        "pages": [*item.pages],
    }


def _forms(data: object, where: str) -> tuple[str, ...]:
    forms = [_line(each, f"{where}: an answer", MAX_ANSWER) for each in _list(data, where)]
    found = tuple(dict.fromkeys(form for form in forms if form))
    if not found:
        raise ItemError(f"{where} has no answer.")
    if len(found) > MAX_FORMS:
        raise ItemError(f"{where}: the answer has {len(found)} forms. The most is {MAX_FORMS}.")
    return found


def _line(data: object, what: str, most: int = MAX_QUESTION) -> str:
    try:
        return line_of(data, most, what)
    except ResponseError as error:
        raise ItemError(str(error)) from None


def _passage(data: object, what: str, most: int) -> str:
    try:
        return passage_of(data, most, what)
    except ResponseError as error:
        raise ItemError(str(error)) from None


def _share(data: object) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not 0 < data <= 1:
        raise ItemError("The threshold is a number above 0, at most 1.")
    return float(data)


def _seconds(data: object) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= MAX_SECONDS:
        raise ItemError(f"hint_seconds is a whole number from 0 to {MAX_SECONDS:,}.")
    return data


def _mapping(data: object, what: str) -> Mapping[str, object]:
    if not isinstance(data, dict):
        raise ItemError(f"{what} should be an object.")
    return data


def _list(data: object, what: str) -> Sequence[object]:
    if not isinstance(data, list):
        raise ItemError(f"{what} should be a list.")
    return data


# --- grading -------------------------------------------------------------------------------------


def fingerprint(data: object) -> str:
    """Return a SHA-256 (hex) that tells whether an answer is still the one that was checked."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def grade_response(item: Item, response: Response, *, unanswered: Sequence[str] = ()) -> Grade:
    """Compare a response with each prepared answer and keep the best (AmbigQA's F1-answer).

    An answer counts as found when one of its forms is a prepared one. "No answer" is right where
    it is prepared, and worth nothing elsewhere. `unanswered`: what the rules still ask for.
    """
    score, edit = 0.0, None
    given = _pairs_of(response)
    for reading in item.accepted:
        if reading.none:
            score = max(score, float(response.kind == "none"))
        elif given:
            worth = _against(item.prompt, reading, given)
            score = max(score, worth["f1_answer"])
            if reading.pairs and response.kind == "multiple":
                edit = max(edit or 0.0, worth["f1_edit"])
    enough = score >= item.threshold - _EPSILON
    return Grade(score, enough and not unanswered, edit, tuple(unanswered))


def _pairs_of(response: Response) -> list[Pair]:
    if response.kind == "none":
        return []
    if response.kind == "single":
        return [Pair("", response.single)] if response.single else []
    return [pair for pair in response.pairs if pair.answers]


def _against(prompt: str, reading: Reading, given: Sequence[Pair]) -> dict[str, float]:
    annotation = ambigqa.Annotation(
        answer=reading.answers,
        pairs=tuple(ambigqa.GoldPair(pair.question, pair.answers) for pair in reading.pairs),
    )
    known = {normalise(form) for forms in annotation.gold for form in forms}
    predicted = [
        ambigqa.Pair(
            pair.question,
            # The form that is a prepared one, where there is one.
            next(
                (f.text for f in pair.answers if normalise(f.text) in known), pair.answers[0].text
            ),
        )
        for pair in given
    ]
    reference = ambigqa.Reference("item", prompt, (annotation,))
    columns = ambigqa.evaluate([reference], {"item": predicted}).columns
    return {name: float(columns[name][0]) for name in ("f1_answer", "f1_edit")}


def grade_verdicts(item: Item, verdicts: Sequence[bool | None]) -> Grade:
    """Compare verdicts with the seeded annotations, in their order: the share that is right."""
    padded = [*verdicts, *[None] * len(item.seeded)]
    right = sum(each.correct is said for each, said in zip(item.seeded, padded, strict=False))
    score = right / len(item.seeded) if item.seeded else 0.0
    missing = sum(said is None for said in padded[: len(item.seeded)])
    unanswered = (f"{missing} without a verdict.",) if missing else ()
    enough = score >= item.threshold - _EPSILON
    return Grade(score, enough and not unanswered, None, unanswered)
