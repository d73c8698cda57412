"""An annotator's response as values: read from a form, stored as a draft, compared, switched.

Nothing here knows Django. Values are immutable and always clean: no control characters, no lone
surrogates, no surrounding white space, questions and answers on one line.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from annotation.sheets.answers import (
    MAX_ANSWER,
    MAX_FORMS,
    MAX_QUESTION,
    AnswerForm,
    merge_repeated_forms,
)
from annotation.sheets.fields import (
    Choice,
    Field,
    Form,
    FormData,
    Keep,
    LineField,
    PassageField,
    TickField,
    list_of,
    object_of,
)
from annotation.sheets.keeps import MAX_REASON
from annotation.sheets.many import Keeps, PartsField
from annotation.sheets.schemas import ID, QUOTES, object_list_schema, text_schema
from annotation.text.cleaning import (
    Quotes,
    ResponseError,
    check_count,
    drafted_quotes,
    format_value,
    line_of,
    more_of,
    quote_of,
    quotes_of,
)

Kind = Literal["multiple", "single", "none"]
KINDS: tuple[Kind, ...] = ("multiple", "single", "none")

MAX_PAIRS = 50
MAX_FEEDBACK = 5_000


@dataclass(frozen=True)
class WrittenPair:
    """A disambiguated question and every accepted form of its answer."""

    question: str = ""
    answers: tuple[AnswerForm, ...] = ()
    suggestion: int | None = None  # the id of the suggestion it began as


@dataclass(frozen=True)
class GenerationResponse:
    """Everything on the answer form, including parts of kinds that are not chosen now."""

    kind: Kind = "multiple"
    pairs: tuple[WrittenPair, ...] = ()
    single: tuple[AnswerForm, ...] = ()
    none_reason: str = ""
    no_conflict: bool = False  # says to have no conflict of interest (A15)
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()

    def fingerprint(self) -> str:
        """Return a SHA-256 (hex) that is the same exactly for equal responses."""
        text = json.dumps(to_json(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forms(Field):
    """Every accepted form of an answer: `…answer` once per form, and with each `…quote`, the ids of
    its quotes separated by spaces. Empty forms are dropped, and of forms that differ only in
    case, punctuation or spaces the first stays.
    """

    what: str = ""

    @property
    def empty(self) -> object:
        return ()

    def names_in_post(self, name: str) -> tuple[str, ...]:
        return name, _quote_beside(name)

    def from_post(self, data: FormData, name: str, where: str) -> tuple[AnswerForm, ...]:
        where = where or self.what
        texts, quotes = data.getlist(name), data.getlist(_quote_beside(name))
        if quotes and len(quotes) != len(texts):
            raise ResponseError(
                f"{where}: {len(texts)} forms of the answer came with {len(quotes)} quotes. "
                "Reload the page; your last saved text is there."
            )
        padded = quotes or [""] * len(texts)
        rows = zip(texts, (quotes_of(quote, where) for quote in padded), strict=True)
        return _forms(rows, where)

    def read(self, value: object, where: str) -> tuple[AnswerForm, ...]:
        where = where or self.what
        rows = [object_of(form, f"{where}: a form of the answer") for form in list_of(value, where)]
        return _forms(((row.get("text", ""), drafted_quotes(row, where)) for row in rows), where)

    def value_to_json(self, value: Iterable[AnswerForm]) -> object:
        return [{"text": form.text, "quote": form.quote, **more_of(form.more)} for form in value]

    def schema(self) -> dict[str, Any]:
        return object_list_schema({"text": text_schema(MAX_ANSWER), **QUOTES}, MAX_FORMS)


@dataclass(frozen=True)
class Origin(Field):
    """The id of the suggestion that a pair began as, None for a pair of one's own."""

    @property
    def empty(self) -> object:
        return None

    def read(self, value: object, where: str) -> int | None:
        try:
            return quote_of(value, where)
        except ResponseError:
            raise ResponseError(
                f"{where}: {format_value(value)} is not the number of a suggestion."
            ) from None

    def to_json(self, record: Any, name: str) -> dict[str, object]:
        number = getattr(record, name)
        return {} if number is None else {name: number}

    def schema(self) -> dict[str, Any]:
        return ID


def _quote_beside(name: str) -> str:
    return name.removesuffix("answer") + "quote"


def _forms(rows: Iterable[tuple[object, Quotes]], where: str) -> tuple[AnswerForm, ...]:
    forms = [
        AnswerForm(line_of(text, MAX_ANSWER, f"{where}: this form of the answer"), *quotes)
        for text, quotes in rows
    ]
    distinct = merge_repeated_forms(forms)
    check_count(
        len(distinct), MAX_FORMS, where + ": the answer has {count} forms. The maximum is {most}."
    )
    return distinct


PAIRS = PartsField(
    WrittenPair,
    "pair",
    "Pair",
    MAX_PAIRS,
    {
        "question": LineField(MAX_QUESTION, "the question"),
        "answers": Forms(key="answer"),
        "suggestion": Origin(),
    },
)
FORM = Form(
    GenerationResponse,
    {
        "kind": Choice(KINDS, "{value} is not a kind of answer. Choose multiple, single or none."),
        "pairs": PAIRS,
        "single": Forms("Answer", key="single-answer"),
        "none_reason": PassageField(MAX_REASON, "The reason"),
        "no_conflict": TickField(),
        "feedback": PassageField(MAX_FEEDBACK, "The feedback"),
        "keeps": Keeps(PAIRS, ("question", "answer")),
    },
)
from_post, from_json, to_json = FORM.from_post, FORM.from_json, FORM.to_json


def quotes_in(response: GenerationResponse) -> list[int]:
    """Return the ids of the quotes that are named anywhere on the form."""
    forms = [*response.single, *(form for pair in response.pairs for form in pair.answers)]
    return [quote for form in forms for quote in form.quotes]


# --- switching ---------------------------------------------------------------------------------


def as_single(response: GenerationResponse) -> GenerationResponse:
    """Choose one clear answer; the answers typed for pairs become its forms.

    The pairs stay in the response, so that ``as_multiple`` gives them back.
    """
    if response.kind == "single":
        return response
    typed = [form for pair in response.pairs for form in pair.answers]
    single = merge_repeated_forms([*response.single, *typed])[:MAX_FORMS]
    return replace(response, kind="single", single=single)


def as_multiple(response: GenerationResponse) -> GenerationResponse:
    """Choose several answers: the pairs as they were, or two empty ones at first."""
    return replace(
        response, kind="multiple", pairs=response.pairs or (WrittenPair(), WrittenPair())
    )


def as_none(response: GenerationResponse) -> GenerationResponse:
    """Choose "Not found"; everything typed stays in the response."""
    return replace(response, kind="none")


SWITCHES: Mapping[Kind, Callable[[GenerationResponse], GenerationResponse]] = {
    "multiple": as_multiple,
    "single": as_single,
    "none": as_none,
}


def keep_submitted_parts(response: GenerationResponse) -> GenerationResponse:
    """Return the response as submitted: only the chosen kind, with its kept warnings."""
    kind = response.kind
    pairs = response.pairs if kind == "multiple" else ()
    ours = {f"{name}-{n}" for n in range(1, len(pairs) + 1) for name in ("question", "answer")}
    ours |= {"single": {"single-answer"}, "none": {"none-reason"}, "multiple": set()}[kind]
    return replace(
        response,
        pairs=pairs,
        single=response.single if kind == "single" else (),
        none_reason=response.none_reason if kind == "none" else "",
        keeps=tuple(
            keep for keep in response.keeps if keep.field in ours | {"kind", "pages", "time"}
        ),
    )
