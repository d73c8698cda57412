"""What somebody says of a question of Natural Questions: read from a form, stored as a draft."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.generation.responses import Origin
from annotation.sheets.fields import (
    Choice,
    Field,
    Form,
    FormData,
    Keep,
    LineField,
    PassageField,
    list_of,
)
from annotation.sheets.many import Keeps
from annotation.text.cleaning import ResponseError, check_count, format_value
from natural_questions.annotation import REASONS

NO_BOX = "none"
MOST_SHORT = 25
_PLACE = re.compile(r"(\d{1,7})-(\d{1,7})", re.ASCII)


@dataclass(frozen=True)
class PageAnswerResponse:
    """What somebody says. `box` is the key of a box, "none" if no box answers; `short` has places
    of words, as first and last token: "12-14" is two words; `suggestion` is the id of the
    suggestion that the box began as.
    """

    good: str = ""
    reason: str = ""
    box: str = ""
    answer: str = ""
    short: tuple[str, ...] = ()
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()
    suggestion: int | None = None


@dataclass(frozen=True)
class Places(Field):
    """Places of words. Without scripts each word is ticked, and words in a row are one place."""

    most: int

    @property
    def empty(self) -> object:
        return ()

    def read(self, value: object, where: str) -> tuple[str, ...]:
        places = list_of(value, "The short answers")
        check_count(
            len(places), self.most, "There are {count} short answers. The maximum is {most}."
        )
        found = []
        for place in places:
            match = _PLACE.fullmatch(place) if isinstance(place, str) else None
            if match is None or int(match[1]) >= int(match[2]):
                raise ResponseError(
                    f"A short answer is a place such as 12-14, not {format_value(place)}."
                )
            found.append(f"{int(match[1])}-{int(match[2])}")
        return tuple(dict.fromkeys(found))

    def from_post(self, data: FormData, name: str, where: str) -> tuple[str, ...]:
        # A page without scripts sends a tick for every word, so places it was made with are stale.
        places = [] if data.getlist("ticks") else data.getlist(name)
        words = (str(word) for word in data.getlist("word"))
        ticked = sorted({int(word) for word in words if re.fullmatch(r"[0-9]{1,7}", word)})
        runs: list[list[int]] = []
        for token in ticked:
            if runs and runs[-1][1] == token:
                runs[-1][1] = token + 1
            else:
                runs.append([token, token + 1])
        return self.read([*places, *(f"{a}-{b}" for a, b in runs)], where)

    def value_to_json(self, value: Iterable[str]) -> object:
        return list(value)

    def schema(self) -> dict[str, Any]:
        item = {"type": "string", "pattern": r"^\d{1,7}-\d{1,7}$"}
        return {"type": "array", "items": item, "maxItems": self.most}


FORM = Form(
    PageAnswerResponse,
    {
        "good": Choice(("", "yes", "no"), "{value} is neither yes nor no."),
        "reason": Choice(("", *REASONS), "{value} is not one of the reasons."),
        "box": LineField(20, "The box"),
        "answer": Choice(("", "words", "yes", "no", "none"), "{value} is not a kind of answer."),
        "short": Places(MOST_SHORT),
        "feedback": PassageField(5_000, "The feedback"),
        "keeps": Keeps(),
        "suggestion": Origin(),
    },
)


def list_short_answer_spans(response: PageAnswerResponse) -> list[tuple[int, int]]:
    """Return first token and end of each short answer, in the order of the page."""
    places = (place.split("-") for place in response.short)
    return sorted((int(start), int(end)) for start, end in places)


def says_the_same(response: PageAnswerResponse, expected: Mapping[str, Any]) -> bool:
    """Whether a response says what is expected: "good", and of a good question the "long" places,
    and its "answer", or the places of its "short" ones.
    """
    same = bool(response.good == expected["good"])
    if not same or response.good == "no":
        return same
    if response.box == NO_BOX or not _nested(response.box, expected["long"]):
        return False
    if "answer" in expected:
        return bool(response.answer == expected["answer"])
    chosen = list_short_answer_spans(response)
    return "short" not in expected or any(
        first < end and start < last for first, last in chosen for start, end in expected["short"]
    )


def _nested(box: str, places: Sequence[Sequence[int]]) -> bool:
    """Whether a box, named by its tokens, is one of the places, around one, or in one."""
    return any(are_nested(box, f"{start}-{end}") for start, end in places)


def are_nested(box: str, other: str) -> bool:
    """Whether of two places of tokens, named as boxes are, one is the other or around it."""
    (first, last), (start, end) = (map(int, each.split("-")) for each in (box, other))
    return (first <= start and end <= last) or (start <= first and last <= end)
