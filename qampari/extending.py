"""The form of the extended set: more answers to a question, each with the page it was found in."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.sheets.fields import FormData
from annotation.sheets.report import FindingsReport, rules_on
from annotation.sheets.rules import Check, KeepWords, RuleFinding, format_count, shorten_text
from annotation.sheets.sheet import Sheet
from annotation.suggestions.sheet import (
    build_panel,
    keep_only_offered,
    made_of,
    origins_shown,
    suggestion_anchor,
)
from annotation.suggestions.values import SuggestionOffers
from metrics.text import answer_key
from qampari.added_answers import FORM, MOST, UNDONE, AddedAnswer, ExtendResponse
from qampari.suggested_answers import MoreAnswers

FIELDS = {"new": "the new answer", "added": "your answers"}


@dataclass(frozen=True)
class ExtendContext:
    """What is given: the answers known before, each as its ways to write it, its name first.

    `suggestions` are those of a model, None where none are shown.
    """

    known: Sequence[Sequence[str]] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    suggestions: SuggestionOffers | None = None

    @property
    def names(self) -> list[str]:
        return [forms[0] for forms in self.known if forms]

    @property
    def keys(self) -> dict[str, str]:
        """The name of each known answer by the key of every way to write it."""
        return {answer_key(form): forms[0] for forms in self.known for form in forms}


def drop_empty_answers(rows: Iterable[AddedAnswer]) -> tuple[AddedAnswer, ...]:
    """Return the answers that have text."""
    return tuple(row for row in rows if row.text)


def list_repeated_answers(response: ExtendResponse, given: ExtendContext) -> list[tuple[str, str]]:
    """Return the answers that are there already, each with the one that it is the same as."""
    found: list[tuple[str, str]] = []
    seen = given.keys
    for row in reversed(response.added):
        key = answer_key(row.text)
        if key in seen:
            found.append((row.text, seen[key]))
        seen.setdefault(key, row.text)
    return found


def _twice(response: ExtendResponse, given: ExtendContext) -> list[RuleFinding]:
    return [
        RuleFinding(
            "added",
            f"“{shorten_text(text)}” is the same answer as “{shorten_text(other)}”. Remove it.",
            f"Remove “{shorten_text(text)}”",
        )
        for text, other in list_repeated_answers(response, given)
    ]


def _same_as(response: ExtendResponse, given: ExtendContext) -> str:
    known = given.keys | {answer_key(row.text): row.text for row in response.added}
    return known.get(answer_key(response.new), "") if response.new else ""


def _new_twice(response: ExtendResponse, given: ExtendContext) -> list[RuleFinding]:
    if not (other := _same_as(response, given)):
        return []
    sentence = f"There is “{shorten_text(other)}” already, which is the same answer."
    return [RuleFinding("new", sentence, "Write another answer")]


def _nowhere(response: ExtendResponse, given: ExtendContext) -> list[RuleFinding]:
    missing = [row.text for row in response.added if not row.page]
    if not missing:
        return []
    shown = ", ".join(f"“{shorten_text(text, 40)}”" for text in missing[:3])
    more = f" and {len(missing) - 3} more" if missing[3:] else ""
    return [RuleFinding("added", f"Which page names {shown}{more}?", "An answer has no page")]


def _none(response: ExtendResponse, given: ExtendContext) -> list[RuleFinding]:
    if response.added or response.new:
        return []
    sentence = "You have added no answer. Add one, or say that you can’t find more."
    return [RuleFinding("added", sentence, "Add an answer, or say that you can’t find more")]


RULES = rules_on(
    FIELDS,
    Check("same-answer", "error", "Every answer is new", "An answer is there twice.", "Q7", _twice),
    Check("new-same", "error", "The new answer is new", "It is there already.", "Q7", _new_twice),
    Check("nowhere", "warning", "Every answer has its page", "A page is missing.", "Q7", _nowhere),
    Check(
        "none-added",
        "warning",
        "You added an answer, or said why not",
        "Nothing was added.",
        "Q7",
        _none,
        keep=KeepWords("I can’t find more", "Where did you look?", "Save", "I can’t find more"),
    ),
)


class ExtendingSheet(Sheet[ExtendResponse, ExtendContext]):
    """Add as many answers as possible."""

    page = "qampari/extend.html"
    reply = "qampari/_extend_reply.html"
    script = "qampari/qampari-extend.js"
    fields = FIELDS
    form = FORM
    rules = RULES
    blank = ExtendResponse()
    taking = MoreAnswers()

    def adapt_response(self, response: ExtendResponse, given: ExtendContext) -> ExtendResponse:
        """Return the response without empty rows, and with suggestions that are on offer only."""
        response = replace(
            response,
            added=drop_empty_answers(response.added),
            removed=drop_empty_answers(response.removed)[:UNDONE],
        )
        return keep_only_offered(self.taking, response, given.suggestions)

    def submitted_part(self, response: ExtendResponse) -> ExtendResponse:
        """Return what is submitted: an answer still in its field counts, too."""
        rows = drop_empty_answers(response.added)
        there = {"", *(answer_key(row.text) for row in rows)}
        if answer_key(response.new) not in there and len(rows) < MOST:
            rows = (AddedAnswer(response.new, response.source), *rows)
        return replace(response, added=rows, removed=(), new="", source="")

    def given_to_json(self, given: ExtendContext) -> dict[str, object]:
        return {"known": given.names}

    def apply_press(
        self, response: ExtendResponse, press: str, given: ExtendContext, post: FormData
    ) -> ExtendResponse:
        """Add the new answer, remove one, or put the last one that was removed back.

        Without scripts, Enter in the field presses "save".
        """
        verb, _, which = press.partition(" ")
        if verb in ("add", "save") and response.new and not _same_as(response, given):
            if len(response.added) >= MOST:
                return response
            row = AddedAnswer(response.new, response.source)
            return replace(response, added=(row, *response.added), new="")
        if verb == "remove" and which.isascii() and which.isdigit():
            at = int(which[:6])
            if at < len(response.added):
                rows = response.added[:at] + response.added[at + 1 :]
                removed = (response.added[at], *response.removed)[:UNDONE]
                return replace(response, added=rows, removed=removed)
        if verb == "undo" and response.removed and len(response.added) < MOST:
            row, *others = response.removed
            return replace(response, added=(row, *response.added), removed=tuple(others))
        return response

    def press_anchor(self, response: ExtendResponse, press: str, before: ExtendResponse) -> str:
        if anchor := suggestion_anchor(self.taking, response, press):
            return anchor
        return "added" if press.startswith("remove") and response.added else "new"

    def press_effect(
        self, response: ExtendResponse, press: str, before: ExtendResponse, *, renewed: bool
    ) -> dict[str, Any]:
        """Return the place of the answer that was made of a suggestion."""
        place = made_of(self.taking, response, press)
        if place is None or made_of(self.taking, before, press) is not None:
            return {}
        return {"made_at": place}

    def list_filled_fields(self, response: ExtendResponse) -> list[str]:
        said = {keep.field for keep in response.keeps if keep.reason}
        return [name for name in FIELDS if getattr(response, name) or name in said]

    def field_anchor(self, field: str, response: ExtendResponse) -> str:
        """Return the field for an answer where there is none yet: that is what is asked for."""
        return "new" if field == "added" and not response.added else field

    def list_field_texts(self, response: ExtendResponse) -> Iterable[tuple[str, str]]:
        for number, row in enumerate(reversed(response.added), start=1):
            yield f"Answer {number}", f"{row.text} ({row.page})" if row.page else row.text
        yield "Not added yet", response.new
        yield "Feedback", response.feedback

    def summarise_response(self, response: ExtendResponse) -> str:
        if not response.added:
            return response.new
        names = ", ".join(row.text for row in response.added[:3])
        return f"{format_count(len(response.added), 'answer')}: {names}"

    def form_context(
        self, response: ExtendResponse, report: FindingsReport, given: ExtendContext, post: FormData
    ) -> dict[str, Any]:
        return super().form_context(response, report, given, post) | {
            "known": given.names,
            "known_keys": given.keys,
            "suggestions": given.suggestions
            and build_panel(self.taking, "", response, given.suggestions),
            "origins": origins_shown(self.taking, response, given.suggestions),
        }
