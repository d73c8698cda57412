"""The form of Natural Questions: the question, then its long answer, then the short one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.safestring import SafeString

from annotation.sheets.fields import FormData
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.report import FindingsReport, rules_on
from annotation.sheets.rules import Check, RuleFinding
from annotation.sheets.sheet import Sheet
from annotation.sheets.steps import Step
from annotation.suggestions.sheet import (
    build_panel,
    keep_only_offered,
    made_of,
    origins_shown,
    suggestion_anchor,
)
from annotation.suggestions.values import SuggestionOffers
from natural_questions.annotation import NOWHERE, REASONS, PageAnnotation, PageSpan
from natural_questions.boxes import Box, span_of
from natural_questions.page_html import chosen_in
from natural_questions.response import (
    FORM,
    NO_BOX,
    PageAnswerResponse,
    list_short_answer_spans,
    says_the_same,
)
from natural_questions.suggestions import Boxes
from natural_questions.tokens import Token, has_space_between, words_of

FIELDS = {
    "good": "the question",
    "reason": "the reason",
    "box": "the long answer",
    "answer": "the kind of short answer",
    "short": "the short answers",
}
STEPS = (
    Step("question", "The question", ("good", "reason"), press="Show the page"),
    Step(
        *("long", "The long answer", ("box", "suggestion"), ("no-box", "wrong-box")),
        press="Use this box",
        again=True,
    ),
    Step(
        *("short", "The short answer", ("answer", "short")),
        rules=("no-answer", "no-words", "words-outside"),
    ),
)


@dataclass(frozen=True)
class PageWorkContext:
    """The question, and as much of its page as the step in hand shows: before the long answer
    nothing, after it only the tokens of that box. `suggestions` are those of a model for the long
    answer, None where none are shown.
    """

    prompt: str
    at: int = 0
    title: str = ""
    address: str = ""
    tokens: Sequence[Token] = ()
    boxes: Sequence[Box] = ()
    html: Callable[[], SafeString] = SafeString
    settings: Mapping[str, object] = field(default_factory=dict)
    suggestions: SuggestionOffers | None = None

    def find_box(self, key: str) -> Box | None:
        """Return the box with a key, None if the page has none."""
        return next((box for box in self.boxes if box.key == key), None)


def no_judgement(response: PageAnswerResponse, given: PageWorkContext) -> list[RuleFinding]:
    if response.good:
        return []
    return [
        RuleFinding(
            "good", "Choose whether this is a good question.", "Choose good or bad question"
        )
    ]


def no_reason(response: PageAnswerResponse, given: PageWorkContext) -> list[RuleFinding]:
    if response.good != "no" or response.reason:
        return []
    return [RuleFinding("reason", "Choose what is wrong with it.", "Choose what is wrong")]


def no_box(response: PageAnswerResponse, given: PageWorkContext) -> list[RuleFinding]:
    if response.box:
        return []
    sentence = "Choose a box, or say that no box answers the question."
    return [RuleFinding("box", sentence, "Choose a box, or none")]


def wrong_box(response: PageAnswerResponse, given: PageWorkContext) -> list[RuleFinding]:
    if response.box in ("", NO_BOX) or given.find_box(response.box):
        return []
    return [
        RuleFinding("box", "This box is not on the page. Choose another one.", "Choose another box")
    ]


def no_answer(response: PageAnswerResponse, given: PageWorkContext) -> list[RuleFinding]:
    if response.answer:
        return []
    sentence = "Select words, or choose yes, no or none."
    return [RuleFinding("answer", sentence, "Choose a short answer, or none")]


def no_words(response: PageAnswerResponse, given: PageWorkContext) -> list[RuleFinding]:
    if response.answer != "words" or response.short:
        return []
    sentence = "Select the words that answer, or choose None."
    return [RuleFinding("short", sentence, "Select the words that answer")]


def words_outside(response: PageAnswerResponse, given: PageWorkContext) -> list[RuleFinding]:
    box = given.find_box(response.box)
    if response.answer != "words" or not response.short:
        return []
    held = box and all(
        box.span.start_token <= start and end <= box.span.end_token
        for start, end in list_short_answer_spans(response)
    )
    if held and all(_text(given, start, end) for start, end in list_short_answer_spans(response)):
        return []
    return [RuleFinding("short", "These words are not in the box.", "Select words in the box")]


RULES = rules_on(
    FIELDS,
    Check(
        "undecided", "error", "The question is judged", "Neither good nor bad.", "N3", no_judgement
    ),
    Check("no-reason", "error", "A bad question has a reason", "One without why.", "N3", no_reason),
    Check("no-box", "error", "The long answer is chosen", "No box and not none.", "N4", no_box),
    Check("wrong-box", "error", "", "A box that the page does not have.", "N4", wrong_box),
    Check(
        "no-answer", "error", "The short answer is chosen", "Nothing is chosen.", "N5", no_answer
    ),
    Check("no-words", "error", "", "Words, but none selected.", "N5", no_words),
    Check("words-outside", "error", "", "Words outside the long answer.", "N5", words_outside),
)


class NaturalQuestionsSheet(Sheet[PageAnswerResponse, PageWorkContext]):
    """Is it a good question? Which box answers it, and which words in it?"""

    page = "natural_questions/page.html"
    reply = "natural_questions/reply.html"
    reads = False
    script = "natural_questions/natural-questions.js"
    steps = STEPS
    fields = FIELDS
    form = FORM
    rules = RULES
    blank = PageAnswerResponse()
    taking = Boxes()

    def read(self, post: FormData, given: PageWorkContext) -> PageAnswerResponse:
        """Return the response; ticked words answer, also where no kind of answer is chosen."""
        response = super().read(post, given)
        ticked = response.short and not response.answer
        return replace(response, answer="words") if ticked else response

    def adapt_response(
        self, response: PageAnswerResponse, given: PageWorkContext
    ) -> PageAnswerResponse:
        """In the other steps the long answer stays as it was, with what it began as."""
        if given.at != 1:
            return response
        return keep_only_offered(self.taking, response, given.suggestions)

    def press_anchor(
        self, response: PageAnswerResponse, press: str, before: PageAnswerResponse
    ) -> str:
        return suggestion_anchor(self.taking, response, press) or super().press_anchor(
            response, press, before
        )

    def press_effect(
        self, response: PageAnswerResponse, press: str, before: PageAnswerResponse, *, renewed: bool
    ) -> dict[str, Any]:
        """Return whether the press chose the box of a suggestion."""
        return {"made": made_of(self.taking, response, press) is not None}

    def drop_misfit_answers(
        self, response: PageAnswerResponse, given: PageWorkContext
    ) -> tuple[PageAnswerResponse, str]:
        """Drop short answers that are not in the box that was chosen."""
        box = given.find_box(response.box)
        if box is None or not response.short:
            return response, ""
        inside = tuple(
            f"{start}-{end}"
            for start, end in list_short_answer_spans(response)
            if box.span.start_token <= start and end <= box.span.end_token
        )
        gone = [at for at in list_short_answer_spans(response) if f"{at[0]}-{at[1]}" not in inside]
        if not gone:
            return response, ""
        words = ", ".join(f"“{_text(given, *at)}”" for at in gone)
        answer = response.answer if inside or response.answer != "words" else ""
        removed = "It was" if len(gone) == 1 else "They were"
        said = f"The new box does not hold {words}. {removed} removed from the short answers."
        return replace(response, short=inside, answer=answer), said

    def has_next_step(self, response: PageAnswerResponse, at: int) -> bool:
        """A bad question ends with the first step, one without a long answer with the second."""
        ended = response.good == "no" if at == 0 else response.box == NO_BOX
        return super().has_next_step(response, at) and not ended

    def submitted_part(self, response: PageAnswerResponse) -> PageAnswerResponse:
        """Return it without what is not asked for: a reason of a good question, words of a yes."""
        reason = response.reason if response.good == "no" else ""
        short = response.short if response.answer == "words" else ()
        return replace(response, reason=reason, short=short)

    def grade_response(
        self, response: PageAnswerResponse, item: KnownItem, unanswered: Sequence[str] = ()
    ) -> Grade:
        """Boxes within each other are the same answer, and so are words that share one."""
        said = says_the_same(response, item.expected)
        return item.grade_score(float(said), unanswered=unanswered)

    def list_filled_fields(self, response: PageAnswerResponse) -> list[str]:
        return []

    def list_field_texts(self, response: PageAnswerResponse) -> Iterable[tuple[str, str]]:
        yield "Question", {"yes": "Good question", "no": "Bad question"}.get(response.good, "")
        yield "Reason", REASONS.get(response.reason, "")
        yield "Long answer", _named(response.box, "No box answers it", "Tokens")
        yield "Short answer", "" if response.answer == "words" else response.answer.capitalize()
        yield "Words", ", ".join(f"Tokens {place}" for place in response.short)
        yield "Feedback", response.feedback

    def summarise_response(self, response: PageAnswerResponse) -> str:
        return next((text for _, text in self.list_field_texts(response) if text), "")

    def given_to_json(self, given: PageWorkContext) -> dict[str, Any]:
        """Return the boxes of the page, or the words of the long answer."""
        if given.at == 1:
            return {
                "title": given.title,
                "boxes": [
                    {
                        "box": box.key,
                        "kind": box.kind,
                        "inside": box.inside,
                        "text": _of(given, box),
                    }
                    for box in given.boxes
                ],
            }
        return {"words": [{"token": at, "text": token.text} for at, token in _words(given)]}

    def form_context(
        self,
        response: PageAnswerResponse,
        report: FindingsReport,
        given: PageWorkContext,
        post: FormData,
    ) -> dict[str, Any]:
        """Return what the step in hand shows, and no more of the page."""
        own: dict[str, Any] = {"response": response, "reasons": REASONS, "title": given.title}
        own |= {"address": given.address, "suggestions": None}
        if given.at == 1:
            own["boxes"] = len(given.boxes)
            own["article"] = lambda: chosen_in(given.html(), response.box)
            own |= self._suggested(response, given)
        if given.at == 2:
            chosen = {
                at for start, end in list_short_answer_spans(response) for at in range(start, end)
            }
            own["words"] = [
                (at, token.text, at in chosen, has_space_between(given.tokens[at - 1], token))
                for at, token in _words(given)
            ]
        return self.common_context(response, report) | own

    def _suggested(self, response: PageAnswerResponse, given: PageWorkContext) -> dict[str, Any]:
        """Return the panel of suggestions, and what the long answer began as. One query at most."""
        offered = given.suggestions
        return {
            "suggestions": offered and build_panel(self.taking, given.prompt, response, offered),
            "origin": origins_shown(self.taking, response, offered).get(0),
        }


def annotation_of(
    response: PageAnswerResponse, given: PageWorkContext, seconds: Mapping[str, float]
) -> PageAnnotation:
    """Return a response as Natural Questions records it."""
    box = given.find_box(response.box)
    return PageAnnotation(
        good=response.good == "yes",
        reason=response.reason,
        long=box.span if box else NOWHERE,
        candidate=box.candidate if box else -1,
        yes_no=response.answer.upper() if response.answer in ("yes", "no") else "NONE",
        short=tuple(_span(given, start, end) for start, end in list_short_answer_spans(response))
        if box
        else (),
        seconds=seconds,
    )


def words_at(given: PageWorkContext, span: PageSpan) -> str:
    """Return the words of a stretch of the page, "" if it is nowhere."""
    return _text(given, span.start_token, span.end_token) if span else ""


def _words(given: PageWorkContext) -> list[tuple[int, Token]]:
    """Return the words of the long answer with their tokens, when the step shows them."""
    if given.at != 2 or not given.boxes:
        return []
    span = given.boxes[0].span
    tokens = enumerate(given.tokens[span.start_token : span.end_token], start=span.start_token)
    return [(at, token) for at, token in tokens if not token.tag]


def _span(given: PageWorkContext, start: int, end: int) -> PageSpan:
    return span_of(given.tokens, start, end)


def _text(given: PageWorkContext, start: int, end: int) -> str:
    return words_of(given.tokens[start:end])


def _of(given: PageWorkContext, box: Box) -> str:
    return _text(given, box.span.start_token, box.span.end_token)


def _named(key: str, none: str, name: str) -> str:
    return none if key == NO_BOX else f"{name} {key}" if key else ""
