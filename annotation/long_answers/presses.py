"""Buttons of the long-answer form that work without scripts: each press changes the response.

Nothing is saved here. A press is the value of the button that was used: a verb and what it is
about. Pieces count from 0 ("delete-piece 1"), disambiguations from 1 ("insert 2", "insert 2 1" for
the second accepted form of its answer, "say 2", "unsay 2").
"""

from collections.abc import Sequence
from dataclasses import replace

from annotation.contexts.inputs import Disambiguation, Inputs
from annotation.long_answers.checks import insert_answer
from annotation.long_answers.covering import place_of
from annotation.long_answers.response import (
    MAX_PIECES,
    MAX_TEXT,
    MAX_WORDS,
    LongAnswerResponse,
    Piece,
    Wording,
)
from annotation.sheets.fields import FormData
from annotation.text.cleaning import ResponseError, first_and_more, passage_of


def apply_press(
    response: LongAnswerResponse, press: str, *, inputs: Inputs, data: FormData
) -> LongAnswerResponse:
    """Return the response after the press. Unknown presses, and "save", change nothing.

    Raises ResponseError with a sentence if the press cannot do what it says.
    """
    verb, _, rest = press.partition(" ")
    numbers = [int(word) if _is_number(word) else -1 for word in rest.split()]
    if verb == "add-piece":
        return _with_pieces(response, (*response.knowledge, Piece()))
    if verb == "delete-piece" and numbers and 0 <= numbers[0] < len(response.knowledge):
        left = [*response.knowledge]
        del left[numbers[0]]
        return _without(_with_pieces(response, tuple(left)), numbers[0] + 1)
    if verb == "remove-quote" and numbers and 0 <= numbers[0] < len(response.knowledge):
        return _without_quote(response, numbers[0], rest.split()[-1])
    disambiguation = _disambiguation(inputs, numbers)
    if disambiguation is None:
        return response
    if verb == "insert":
        return _inserted(response, disambiguation, numbers[1] if len(numbers) > 1 else 0)
    if verb == "say":
        typed = [*data.getlist(f"words-{disambiguation.number}"), ""][0]
        return _said(response, disambiguation, passage_of(typed, MAX_WORDS, "What you marked"))
    if verb == "unsay":
        return replace(response, said=_others(response, disambiguation))
    return response


def anchor_after_press(response: LongAnswerResponse, press: str) -> str:
    """Return the id of the element to scroll to after the press."""
    verb, _, rest = press.partition(" ")
    number = int(rest.split()[0]) if rest and _is_number(rest.split()[0]) else -1
    if verb == "add-piece":
        return f"piece-{len(response.knowledge)}"
    if verb in ("delete-piece", "remove-quote"):
        return f"piece-{max(1, min(number + 1, len(response.knowledge)))}"
    if verb in ("insert", "say", "unsay") and number > 0:
        return f"answer-{number}"
    return "write"


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 4


def _disambiguation(inputs: Inputs, numbers: Sequence[int]) -> Disambiguation | None:
    wanted = numbers[0] if numbers else 0
    return next(
        (
            disambiguation
            for disambiguation in inputs.disambiguations
            if disambiguation.number == wanted
        ),
        None,
    )


def _with_pieces(response: LongAnswerResponse, pieces: tuple[Piece, ...]) -> LongAnswerResponse:
    if len(pieces) > MAX_PIECES:
        raise ResponseError(f"There are {len(pieces)} pieces. The maximum is {MAX_PIECES}.")
    return replace(response, knowledge=pieces)


def _without(response: LongAnswerResponse, number: int) -> LongAnswerResponse:
    """Return the response without reasons for the deleted piece; later pieces move up."""
    keeps = []
    for keep in response.keeps:
        name, _, text = keep.field.partition("-")
        if name != "piece" or not _is_number(text) or int(text) < number:
            keeps.append(keep)
        elif int(text) > number:
            keeps.append(replace(keep, field=f"piece-{int(text) - 1}"))
    return replace(response, keeps=tuple(keeps))


def _without_quote(response: LongAnswerResponse, place: int, quote: str) -> LongAnswerResponse:
    pieces = [*response.knowledge]
    first, more = first_and_more(pk for pk in pieces[place].quotes if str(pk) != quote)
    pieces[place] = replace(pieces[place], quote=first, more=more)
    return replace(response, knowledge=tuple(pieces))


def _inserted(
    response: LongAnswerResponse, disambiguation: Disambiguation, which: int
) -> LongAnswerResponse:
    """Add an accepted form at the end of the text; only a script knows where the cursor is."""
    if not 0 <= which < len(disambiguation.answers):
        return response
    text = insert_answer(response.text, disambiguation.answers[which])
    if len(text) > MAX_TEXT:
        raise ResponseError(
            f"The long answer would have {len(text):,} characters. The maximum is {MAX_TEXT:,}."
        )
    return replace(response, text=text)


def _said(
    response: LongAnswerResponse, disambiguation: Disambiguation, words: str
) -> LongAnswerResponse:
    if not words:
        raise ResponseError(
            f"Disambiguation {disambiguation.number}: write the words of your text that say it."
        )
    place = place_of(words, response.text)
    if place is None:
        shown = words if len(words) <= 60 else f"{words[:59]}…"
        raise ResponseError(
            f"Disambiguation {disambiguation.number}: “{shown}” is not in your text. Copy the "
            f"words exactly as "
            "they are there."
        )
    said = (*_others(response, disambiguation), Wording(disambiguation.position, words, place[0]))
    return replace(response, said=tuple(sorted(said, key=lambda each: each.disambiguation)))


def _others(response: LongAnswerResponse, disambiguation: Disambiguation) -> tuple[Wording, ...]:
    return tuple(
        wording for wording in response.said if wording.disambiguation != disambiguation.position
    )
