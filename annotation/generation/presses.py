"""Buttons of the answer form that work without scripts: each press changes the response.

Nothing is saved here. A press is the value of the button that was used: a verb and what it is
about, such as "delete-pair 1" (pairs count from 0) or "fix question-mark question-2".
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from annotation.generation.responses import (
    KINDS,
    MAX_PAIRS,
    SWITCHES,
    GenerationResponse,
    Kind,
    WrittenPair,
)
from annotation.sheets.answers import AnswerForm, merge_repeated_forms, with_quotes
from annotation.sheets.rules import Finding, Fix
from annotation.text.cleaning import ResponseError

_FIELD = re.compile(r"[a-z]+(?:-[a-z0-9]+)*", re.ASCII)


def apply_press(
    response: GenerationResponse, press: str, *, prompt: str, findings: Iterable[Finding] = ()
) -> GenerationResponse:
    """Return the response after the press. Unknown presses, and "save", change nothing."""
    verb, _, rest = press.partition(" ")
    if verb == "switch":
        return SWITCHES[response.kind](replace(response, kind=_other(response)))
    if verb == "fix":
        rule, _, field = rest.partition(" ")
        return _fixed(response, rule, field, findings)
    if verb == "remove-form":
        prefix, _, text = rest.partition(" ")
        return _without_form(response, prefix, text)
    if verb == "remove-quote":
        prefix, _, quote = rest.partition(" ")
        return _without_quote(response, prefix, quote)
    if verb == "add-pair":
        return _with_pairs(response, (*response.pairs, WrittenPair()))
    place = _number(rest)
    if verb in _ON_PAIRS and place is not None and place < len(response.pairs):
        return _with_pairs(response, _ON_PAIRS[verb](response.pairs, place, prompt))
    return response


def anchor_after_press(response: GenerationResponse, press: str) -> str:
    """Return the id of the element to scroll to after the press."""
    verb, _, rest = press.partition(" ")
    if verb == "add-pair":
        return f"pair-{len(response.pairs)}"
    if verb == "fix" and _FIELD.fullmatch(field := rest.partition(" ")[2]):
        return field
    place = _number(rest)
    if verb in _ON_PAIRS and place is not None:
        step = {"move-up": 0, "move-down": 2}.get(verb, 1)
        return f"pair-{max(1, min(place + step, len(response.pairs)))}"
    if verb in ("remove-form", "remove-quote"):
        place = _number(rest.partition(" ")[0].removeprefix("pair-"))
        return "single-answer" if place is None else f"answer-{place + 1}"
    return "write"


def _number(text: str) -> int | None:
    """Read the place of a pair."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None


def _other(response: GenerationResponse) -> Kind:
    """Return a kind other than the chosen one: a switch to the chosen kind does nothing."""
    return next(kind for kind in KINDS if kind != response.kind)


def _with_pairs(response: GenerationResponse, pairs: tuple[WrittenPair, ...]) -> GenerationResponse:
    if len(pairs) > MAX_PAIRS:
        raise ResponseError(f"There are {len(pairs)} pairs. The maximum is {MAX_PAIRS}.")
    return replace(response, pairs=pairs)


def _deleted(pairs: tuple[WrittenPair, ...], place: int, prompt: str) -> tuple[WrittenPair, ...]:
    return pairs[:place] + pairs[place + 1 :]


def _up(pairs: tuple[WrittenPair, ...], place: int, prompt: str) -> tuple[WrittenPair, ...]:
    if place == 0:
        return pairs
    return (*pairs[: place - 1], pairs[place], pairs[place - 1], *pairs[place + 1 :])


def _down(pairs: tuple[WrittenPair, ...], place: int, prompt: str) -> tuple[WrittenPair, ...]:
    return _up(pairs, place + 1, prompt) if place + 1 < len(pairs) else pairs


def _started(pairs: tuple[WrittenPair, ...], place: int, prompt: str) -> tuple[WrittenPair, ...]:
    begun = replace(pairs[place], question=pairs[place].question or prompt)
    return (*pairs[:place], begun, *pairs[place + 1 :])


_ON_PAIRS: Mapping[str, Callable[[tuple[WrittenPair, ...], int, str], tuple[WrittenPair, ...]]] = {
    "delete-pair": _deleted,
    "move-up": _up,
    "move-down": _down,
    "start": _started,
}


def _without_form(response: GenerationResponse, prefix: str, text: str) -> GenerationResponse:
    return _with_forms(
        response, prefix, lambda forms: tuple(form for form in forms if form.text != text)
    )


def _without_quote(response: GenerationResponse, prefix: str, quote: str) -> GenerationResponse:
    return _with_forms(
        response,
        prefix,
        lambda forms: tuple(
            with_quotes(form, (pk for pk in form.quotes if str(pk) != quote)) for form in forms
        ),
    )


def _with_forms(
    response: GenerationResponse,
    prefix: str,
    change: Callable[[tuple[AnswerForm, ...]], tuple[AnswerForm, ...]],
) -> GenerationResponse:
    """Change the forms of one answer, given by the prefix of its fields."""
    if prefix == "single":
        return replace(response, single=change(response.single))
    place = _number(prefix.removeprefix("pair-"))
    if place is None or place >= len(response.pairs):
        return response
    pair = response.pairs[place]
    pairs = list(response.pairs)
    pairs[place] = replace(pair, answers=change(pair.answers))
    return replace(response, pairs=tuple(pairs))


def _fixed(
    response: GenerationResponse, rule: str, field: str, findings: Iterable[Finding]
) -> GenerationResponse:
    for finding in findings:
        if finding.rule == rule and finding.field == field and finding.fix:
            return _apply(response, finding.fix)
    return response


def _apply(response: GenerationResponse, fix: Fix) -> GenerationResponse:
    if fix.field == "kind":
        return next((SWITCHES[kind](response) for kind in KINDS if kind == fix.value), response)
    if fix.field == "single-answer":
        return replace(response, single=_replaced(response.single, fix))
    name, _, number = fix.field.partition("-")
    if not number.isdigit() or not 0 < int(number) <= len(response.pairs):
        return response
    place = int(number) - 1
    pair = response.pairs[place]
    if name == "question":
        pair = replace(pair, question=fix.value)
    else:
        pair = replace(pair, answers=_replaced(pair.answers, fix))
    return replace(response, pairs=(*response.pairs[:place], pair, *response.pairs[place + 1 :]))


def _replaced(forms: tuple[AnswerForm, ...], fix: Fix) -> tuple[AnswerForm, ...]:
    """Replace a form by the fix; a value of several lines becomes several forms."""
    lines = fix.value.split("\n")
    replaced: list[AnswerForm] = []
    for form in forms:
        if form.text != fix.replaces:
            replaced.append(form)
        elif len(lines) == 1:
            replaced.append(replace(form, text=lines[0]))
        else:
            replaced += [AnswerForm(line) for line in lines]
    return merge_repeated_forms(replaced)
