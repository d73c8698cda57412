"""Which short answers a long answer has: found by STR-EM, said in other words, or missing.

The scorer looks for the normalised characters of a short answer anywhere in the normalised text,
inside words too: "art" is found in "party". This module reports the places the scorer counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.contexts.inputs import Disambiguation
from annotation.long_answers.response import Wording
from metrics.asqa import first_present
from metrics.text import normalise_text, normalised_places

State = Literal["found", "said", "missing"]


@dataclass(frozen=True)
class DisambiguationCoverage:
    """The outcome of one disambiguation.

    `words` is the accepted form that was found, or the words marked instead, from `start` to `end`
    (code points of the text; None where normalising leaves nothing of the form, which the scorer
    then finds in every text). `inside_word`: the place begins or ends inside a word. `gone`: words
    that were marked and are no longer in the text.
    """

    disambiguation: Disambiguation
    state: State
    words: str = ""
    start: int | None = None
    end: int | None = None
    inside_word: bool = False
    gone: str = ""


def evaluate_coverage(
    text: str, disambiguations: Sequence[Disambiguation], said: Sequence[Wording] = ()
) -> tuple[DisambiguationCoverage, ...]:
    """Return the outcome of each disambiguation, in their order."""
    marked = {wording.disambiguation: wording for wording in said}
    present = first_present([disambiguation.pair for disambiguation in disambiguations], text)
    normal, places = normalised_places(text)
    return tuple(
        _found(disambiguation, disambiguation.answers[which], text, normal, places)
        if which is not None
        else _otherwise(disambiguation, marked, text)
        for disambiguation, which in zip(disambiguations, present, strict=True)
    )


def place_of(words: str, text: str, near: int = 0) -> tuple[int, int] | None:
    """Return start and end of words in a text, of several places the nearest to `near`."""
    starts, at = [], text.find(words)
    while words and at >= 0:
        starts.append(at)
        at = text.find(words, at + 1)
    if not starts:
        return None
    start = min(starts, key=lambda place: abs(place - near))
    return start, start + len(words)


def _found(
    disambiguation: Disambiguation, form: str, text: str, normal: str, places: Sequence[int]
) -> DisambiguationCoverage:
    wanted = normalise_text(form)
    if not wanted:
        return DisambiguationCoverage(disambiguation, "found", form)
    at = _best(normal, wanted)
    start, end = places[at], places[at + len(wanted) - 1] + 1
    inside = not _whole(normal, at, at + len(wanted))
    return DisambiguationCoverage(disambiguation, "found", form, start, end, inside)


def _best(normal: str, wanted: str) -> int:
    """Return the first place where the form is whole words, else the first at all."""
    first = at = normal.find(wanted)
    while at >= 0:
        if _whole(normal, at, at + len(wanted)):
            return at
        at = normal.find(wanted, at + 1)
    return first


def _whole(normal: str, start: int, end: int) -> bool:
    """Whether neither a letter nor a digit is directly before or after."""
    before, after = normal[max(0, start - 1) : start], normal[end : end + 1]
    return not (before.isalnum() or after.isalnum())


def _otherwise(
    disambiguation: Disambiguation, marked: Mapping[int, Wording], text: str
) -> DisambiguationCoverage:
    wording = marked.get(disambiguation.position)
    if wording is None:
        return DisambiguationCoverage(disambiguation, "missing")
    place = place_of(wording.words, text, wording.at)
    if place is None:
        return DisambiguationCoverage(disambiguation, "missing", gone=wording.words)
    return DisambiguationCoverage(disambiguation, "said", wording.words, *place)
