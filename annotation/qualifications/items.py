"""The content of a qualification's item as values, and the JSON for importing items.

Each prepared answer is complete: one answer with its forms, or pairs, or that there is no answer.
Seeded annotations are such answers marked as correct or incorrect. Items about
long answers have disambiguations and may have a model answer. Nothing here knows Django.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from annotation.contexts.inputs import Disambiguation, Inputs, LinkedPage, Paragraph
from annotation.generation.responses import MAX_PAIRS
from annotation.long_answers.response import MAX_TEXT
from annotation.sheets.answers import MAX_ANSWER, MAX_FORMS, MAX_QUESTION
from annotation.text.cleaning import ResponseError, line_of, passage_of

# The kinds of a qualification and the parts of one, as their models name them.
WRITING, JUDGING, LONG = "generation", "validation", "long_answer"
STUDY, EXAM = "study", "exam"

MAX_ITEMS = 50
MAX_PREPARED = 20
MAX_PAGES = 10
MAX_HINT, MAX_EXPLANATION, MAX_SECONDS = 2_000, 5_000, 3_600
MAX_CONTEXT = 10_000
HINT_SECONDS = 120


class ItemError(ValueError):
    """An item that cannot be used; the text tells its author why."""


@dataclass(frozen=True)
class PreparedPair:
    """A question and the forms of its answer; `|` separates accepted phrasings."""

    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class PreparedAnswer:
    """One complete answer to a prompt: `answers` (one answer), `pairs`, or neither (none)."""

    answers: tuple[str, ...] = ()
    pairs: tuple[PreparedPair, ...] = ()

    @property
    def none(self) -> bool:
        return not self.answers and not self.pairs


@dataclass(frozen=True)
class Seeded:
    """An annotation prepared for the exam, to be judged."""

    answer: PreparedAnswer
    correct: bool


@dataclass(frozen=True)
class Item:
    """Everything about one item."""

    prompt: str
    part: str = EXAM
    accepted: tuple[PreparedAnswer, ...] = ()
    seeded: tuple[Seeded, ...] = ()
    qa_pairs: tuple[Disambiguation, ...] = ()
    model_answer: str = ""
    threshold: float = 1.0
    hint: str = ""
    hint_seconds: int = HINT_SECONDS
    explanation: str = ""
    pages: tuple[str, ...] = ()

    @property
    def inputs(self) -> Inputs:
        """What a writer of a long answer is given."""
        return Inputs(self.prompt, self.qa_pairs, tuple(LinkedPage(title) for title in self.pages))


# --- from JSON -----------------------------------------------------------------------------------


def items_from_file(data: bytes, *, kind: str) -> list[Item]:
    """Read a file of items: a list, or an object with the list under "items".

    Raises ItemError with all problems at once, each with the number of its item.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ItemError(f"This is not JSON in UTF-8: {error}.") from None
    rows = content.get("items") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not rows:
        raise ItemError('The file should hold a list of items, or {"items": […]}.')
    if len(rows) > MAX_ITEMS:
        raise ItemError(f"The file has {len(rows):,} items. The maximum is {MAX_ITEMS}.")
    items, problems = [], []
    for number, row in enumerate(rows, start=1):
        try:
            items.append(item_from_json(row, kind=kind))
        except ItemError as error:
            problems.append(f"Item {number}: {error}")
    if problems:
        raise ItemError("\n".join(problems))
    return items


def item_from_json(data: object, *, kind: str) -> Item:
    """Read one item. Raises ItemError with what is wrong and where."""
    row = _mapping(data, "An item")
    unknown = sorted(row.keys() - set(Item.__dataclass_fields__))
    if unknown:
        raise ItemError(f'"{unknown[0]}" is not a known field. Check its spelling.')
    accepted = [
        prepared_from(answer, f"accepted {number}")
        for number, answer in enumerate(_list(row.get("accepted", []), "accepted"), start=1)
    ]
    seeded = [
        seeded_from(annotation, f"seeded {number}")
        for number, annotation in enumerate(_list(row.get("seeded", []), "seeded"), start=1)
    ]
    pages = [_line(page, "A page", 300) for page in _list(row.get("pages", []), "pages")]
    return check_item(
        Item(
            prompt=_line(row.get("prompt", ""), "The prompt", MAX_QUESTION),
            part=_part(row.get("part", EXAM)),
            accepted=tuple(accepted),
            seeded=tuple(seeded),
            qa_pairs=disambiguations_from(row.get("qa_pairs", [])),
            model_answer=_passage(row.get("model_answer", ""), "The model answer", MAX_TEXT),
            threshold=_share(row.get("threshold", 1.0)),
            hint=_passage(row.get("hint", ""), "The hint", MAX_HINT),
            hint_seconds=_seconds(row.get("hint_seconds", HINT_SECONDS)),
            explanation=_passage(row.get("explanation", ""), "The explanation", MAX_EXPLANATION),
            pages=tuple(dict.fromkeys(page for page in pages if page)),
        ),
        kind=kind,
    )


def check_item(item: Item, *, kind: str) -> Item:
    """Return the item if it can be asked and graded. Raises ItemError."""
    if not item.prompt:
        raise ItemError("It has no prompt.")
    if kind == JUDGING and not item.seeded:
        raise ItemError("It has no seeded annotations to judge.")
    if kind == WRITING and not item.accepted:
        raise ItemError("It has no prepared answer.")
    if kind == LONG and len(item.qa_pairs) < 2:
        raise ItemError("It needs at least two disambiguations, each with its short answers.")
    for what, things, most in (
        ("prepared answers", item.accepted, MAX_PREPARED),
        ("seeded annotations", item.seeded, MAX_PREPARED),
        ("disambiguations", item.qa_pairs, MAX_PAIRS),
        ("pages", item.pages, MAX_PAGES),
    ):
        if len(things) > most:
            raise ItemError(f"It has {len(things)} {what}. The maximum is {most}.")
    return item


def prepared_from(data: object, where: str) -> PreparedAnswer:
    """Read {"answers": […]}, {"pairs": [{"question", "answers"}]} or {"none": true}."""
    row = _mapping(data, where)
    kinds = [name for name in ("answers", "pairs", "none") if row.get(name)]
    if len(kinds) != 1:
        raise ItemError(f'{where}: give one of "answers", "pairs" and "none".')
    if kinds == ["none"]:
        return PreparedAnswer()
    if kinds == ["answers"]:
        return PreparedAnswer(answers=_forms(row["answers"], where))
    pairs = []
    for number, entry in enumerate(_list(row["pairs"], where), start=1):
        place = f"{where}, pair {number}"
        pair = _mapping(entry, place)
        asked = pair.get("question", "")
        phrasings = asked if isinstance(asked, list) else [asked]
        question = " | ".join(
            words for one in phrasings if (words := _line(one, f"{place}: the question"))
        )
        if not question:
            raise ItemError(f"{place} has no question.")
        pairs.append(PreparedPair(question, _forms(pair.get("answers", []), place)))
    return _with_pairs(pairs, where)


def _with_pairs(pairs: Sequence[PreparedPair], where: str) -> PreparedAnswer:
    if len(pairs) < 2:
        raise ItemError(
            f"{where} has one pair. Several answers need at least two pairs; a single "
            f"pair is one clear answer."
        )
    if len(pairs) > MAX_PAIRS:
        raise ItemError(f"{where} has {len(pairs)} pairs. The maximum is {MAX_PAIRS}.")
    return PreparedAnswer(pairs=tuple(pairs))


def seeded_from(data: object, where: str) -> Seeded:
    """Read a prepared answer that also has "correct": true or false."""
    row = _mapping(data, where)
    if not isinstance(row.get("correct"), bool):
        raise ItemError(f'{where}: say whether it is "correct": true or false.')
    return Seeded(prepared_from(row, where), row["correct"] is True)


def disambiguations_from(data: object) -> tuple[Disambiguation, ...]:
    """Read a list of {"question", "short_answers", "context", "wikipage"}, as in ASQA's files."""
    disambiguations = []
    for position, entry in enumerate(_list(data, "qa_pairs")):
        place = f"qa_pairs {position + 1}"
        row = _mapping(entry, place)
        question = _line(row.get("question", ""), f"{place}: the question")
        if not question:
            raise ItemError(f"{place} has no question.")
        text = _passage(row.get("context") or "", f"{place}: the context", MAX_CONTEXT)
        title = _line(row.get("wikipage") or "", f"{place}: the page", 300)
        disambiguations.append(
            Disambiguation(
                position=position,
                question=question,
                answers=_forms(row.get("short_answers", []), place),
                context=Paragraph(text, title) if text else None,
            )
        )
    return tuple(disambiguations)


def disambiguation_json(one: Disambiguation) -> dict[str, object]:
    """Return the JSON of a disambiguation, as `disambiguations_from` reads it."""
    return {
        "question": one.question,
        "short_answers": [*one.answers],
        "context": one.context.text if one.context else None,
        "wikipage": (one.context.title or None) if one.context else None,
    }


def prepared_json(answer: PreparedAnswer) -> dict[str, object]:
    """Return the JSON of a prepared answer, as `prepared_from` reads it."""
    if answer.pairs:
        return {"pairs": [{**asdict(pair), "answers": [*pair.answers]} for pair in answer.pairs]}
    return {"answers": [*answer.answers]} if answer.answers else {"none": True}


def seeded_json(seeded: Seeded) -> dict[str, object]:
    """Return the JSON of a seeded annotation, as `seeded_from` reads it."""
    return {**prepared_json(seeded.answer), "correct": seeded.correct}


def item_json(item: Item) -> dict[str, object]:
    """Return the JSON of an item, as `item_from_json` reads it."""
    return {
        "prompt": item.prompt,
        "part": item.part,
        "accepted": [prepared_json(answer) for answer in item.accepted],
        "seeded": [seeded_json(annotation) for annotation in item.seeded],
        "qa_pairs": [disambiguation_json(disambiguation) for disambiguation in item.qa_pairs],
        "model_answer": item.model_answer,
        "threshold": item.threshold,
        "hint": item.hint,
        "hint_seconds": item.hint_seconds,
        "explanation": item.explanation,
        "pages": [*item.pages],
    }


def _forms(data: object, where: str) -> tuple[str, ...]:
    forms = [_line(form, f"{where}: an answer", MAX_ANSWER) for form in _list(data, where)]
    unique = tuple(dict.fromkeys(form for form in forms if form))
    if not unique:
        raise ItemError(f"{where} has no answer.")
    if len(unique) > MAX_FORMS:
        raise ItemError(f"{where}: the answer has {len(unique)} forms. The maximum is {MAX_FORMS}.")
    return unique


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


def _part(data: object) -> str:
    if data not in (STUDY, EXAM):
        raise ItemError(f'part is "{STUDY}" (a sample to learn from) or "{EXAM}".')
    return str(data)


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
