"""The content of a qualification's item as a value, and the JSON for importing items.

Nothing here knows Django.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.contexts.inputs import Inputs, inputs_of
from annotation.generation.known_answers import answers_to_json, read_answers, read_forms
from annotation.generation.responses import MAX_PAIRS
from annotation.long_answers.response import MAX_TEXT
from annotation.sheets.answers import MAX_QUESTION
from annotation.sheets.fields import list_of, object_of
from annotation.sheets.known_items import KnownItem
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


@dataclass(frozen=True)
class Item(KnownItem):
    """Everything about one item.

    What is expected, without what is empty: "accepted", alternative answers, each of them right;
    "seeded", for judging, answers made for the exam, each with whether it is correct; for long
    answers "qa_pairs", the disambiguations as ASQA's files have them, and a "model_answer"; where
    people choose, "shown", the text that they judge, and "verdict", the choice that is right.
    """

    part: str = EXAM
    hint: str = ""
    hint_seconds: int = HINT_SECONDS
    explanation: str = ""
    pages: tuple[str, ...] = ()

    @property
    def inputs(self) -> Inputs:
        """What a writer of a long answer is given."""
        pages = [{"title": title} for title in self.pages]
        return inputs_of(self.prompt, {**self.expected, "wikipages": pages}, {})


# --- from JSON -----------------------------------------------------------------------------------


def items_from_file(data: bytes, *, kind: str, options: Collection[str] = ()) -> list[Item]:
    """Read a file of items: a list, or an object with the list under "items".

    Raises ResponseError with all problems at once, each with the number of its item.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ResponseError(f"This is not JSON in UTF-8: {error}.") from None
    rows = content.get("items") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not rows:
        raise ResponseError('The file should hold a list of items, or {"items": […]}.')
    if len(rows) > MAX_ITEMS:
        raise ResponseError(f"The file has {len(rows):,} items. The maximum is {MAX_ITEMS}.")
    items, problems = [], []
    for number, row in enumerate(rows, start=1):
        try:
            items.append(item_from_json(row, kind=kind, options=options))
        except ResponseError as error:
            problems.append(f"Item {number}: {error}")
    if problems:
        raise ResponseError("\n".join(problems))
    return items


def item_from_json(data: object, *, kind: str, options: Collection[str] = ()) -> Item:
    """Read one item. Raises ResponseError with what is wrong and where."""
    row = object_of(data, "An item")
    unknown = sorted(row.keys() - item_json(Item()).keys())
    if unknown:
        raise ResponseError(f'"{unknown[0]}" is not a known field. Check its spelling.')
    pages = [line_of(page, 300, "A page") for page in list_of(row.get("pages", []), "pages")]
    return check_item(
        Item(
            prompt=line_of(row.get("prompt", ""), MAX_QUESTION, "The prompt"),
            part=_part(row.get("part", EXAM)),
            expected=read_expected(row),
            threshold=_share(row.get("threshold", 1.0)),
            hint=passage_of(row.get("hint", ""), MAX_HINT, "The hint"),
            hint_seconds=_seconds(row.get("hint_seconds", HINT_SECONDS)),
            explanation=passage_of(row.get("explanation", ""), MAX_EXPLANATION, "The explanation"),
            pages=tuple(dict.fromkeys(filter(None, pages))),
        ),
        kind=kind,
        options=options,
    )


def check_item(item: Item, *, kind: str, options: Collection[str] = ()) -> Item:
    """Return the item if it can be asked and graded; options: the verdicts of its kind, if any.

    Raises ResponseError.
    """
    known = {**_EMPTY, **item.expected}
    if not item.prompt:
        raise ResponseError("It has no prompt.")
    if kind == JUDGING and not known["seeded"]:
        raise ResponseError("It has no seeded annotations to judge.")
    if kind == WRITING and not known["accepted"]:
        raise ResponseError("It has no prepared answer.")
    if kind == LONG and len(known["qa_pairs"]) < 2:
        raise ResponseError("It needs at least two disambiguations, each with its short answers.")
    if options and known["verdict"] not in options:
        raise ResponseError(f"Its verdict is one of: {', '.join(options)}.")
    for what, things, most in (
        ("prepared answers", known["accepted"], MAX_PREPARED),
        ("seeded annotations", known["seeded"], MAX_PREPARED),
        ("disambiguations", known["qa_pairs"], MAX_PAIRS),
        ("pages", item.pages, MAX_PAGES),
    ):
        if len(things) > most:
            raise ResponseError(f"It has {len(things)} {what}. The maximum is {most}.")
    return item


def read_expected(row: Mapping[str, object]) -> dict[str, object]:
    """Read what is expected of an item. Raises ResponseError with what is wrong and where."""
    found = {name: read(row.get(name, _EMPTY[name])) for name, read in _READERS.items()}
    return {name: value for name, value in found.items() if value}


def read_disambiguations(data: object) -> list[dict[str, object]]:
    """Read a list of {"question", "short_answers", "context", "wikipage"}, as in ASQA's files."""
    return [
        _disambiguation(object_of(entry, f"qa_pairs {number}"), f"qa_pairs {number}")
        for number, entry in enumerate(list_of(data, "qa_pairs"), start=1)
    ]


def _disambiguation(row: Mapping[str, object], place: str) -> dict[str, object]:
    question = line_of(row.get("question", ""), MAX_QUESTION, f"{place}: the question")
    if not question:
        raise ResponseError(f"{place} has no question.")
    text = passage_of(row.get("context") or "", MAX_CONTEXT, f"{place}: the context")
    title = line_of(row.get("wikipage") or "", 300, f"{place}: the page")
    return {
        "question": question,
        "short_answers": [*read_forms(row.get("short_answers", []), place)],
        "context": text or None,
        "wikipage": (text and title) or None,
    }


_EMPTY: Mapping[str, Any] = {
    **{"accepted": [], "seeded": [], "qa_pairs": []},
    **{"model_answer": "", "shown": "", "verdict": ""},
}
_READERS: Mapping[str, Callable[[object], object]] = {
    "accepted": lambda data: answers_to_json(read_answers(data, "accepted")),
    "seeded": lambda data: answers_to_json(read_answers(data, "seeded", judged=True)),
    "qa_pairs": read_disambiguations,
    "model_answer": lambda data: passage_of(data, MAX_TEXT, "The model answer"),
    "shown": lambda data: passage_of(data, MAX_CONTEXT, "The text to judge"),
    "verdict": lambda data: line_of(data, 20, "The verdict"),
}


def item_json(item: Item) -> dict[str, object]:
    """Return the JSON of an item, as `item_from_json` reads it."""
    return {
        "prompt": item.prompt,
        "part": item.part,
        **_EMPTY,
        **item.expected,
        "threshold": item.threshold,
        "hint": item.hint,
        "hint_seconds": item.hint_seconds,
        "explanation": item.explanation,
        "pages": [*item.pages],
    }


def _share(data: object) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not 0 < data <= 1:
        raise ResponseError("The threshold is a number above 0, at most 1.")
    return float(data)


def _part(data: object) -> str:
    if data not in (STUDY, EXAM):
        raise ResponseError(f'part is "{STUDY}" (a sample to learn from) or "{EXAM}".')
    return str(data)


def _seconds(data: object) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data <= MAX_SECONDS:
        raise ResponseError(f"hint_seconds is a whole number from 0 to {MAX_SECONDS:,}.")
    return data
