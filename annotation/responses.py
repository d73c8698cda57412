"""What an annotator answers, as values: read from a form, kept as a draft, compared, switched.

Nothing here knows Django: ``from_post`` reads any mapping with ``getlist``, ``to_json`` gives what
a JSON column holds. Values are immutable and always clean: no control characters, no lone
surrogates, no surrounding white space, questions and answers on one line.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, Protocol, TypeGuard

from annotation.cleaning import (
    Quotes,
    drafted_quotes,
    first_and_more,
    more_of,
    quotes_of,
    shown,
)
from annotation.cleaning import ResponseError as ResponseError
from annotation.cleaning import check_count as check_count
from annotation.cleaning import line_of as line_of
from annotation.cleaning import passage_of as passage_of
from metrics.text import comparison_form

Kind = Literal["multiple", "single", "none"]
KINDS: tuple[Kind, ...] = ("multiple", "single", "none")

MAX_PAIRS = 50
MAX_FORMS = 50
MAX_KEEPS = 500
MAX_QUESTION = 2_000
MAX_ANSWER = 1_000
MAX_FEEDBACK = 5_000
MAX_REASON = 1_000

_FIELD_OF_PAIR = re.compile(r"pair-(\d{1,6})-(?:question|answer|quote)", re.ASCII)
_NUMBERED_FIELD = re.compile(r"(question|answer)-(\d{1,7})", re.ASCII)
_FIELD_ID = re.compile(r"[a-z][a-z0-9_-]{0,63}", re.ASCII)


class FormData(Protocol):
    """What ``from_post`` needs of a QueryDict."""

    def keys(self) -> Iterable[str]: ...

    def getlist(self, key: str, /) -> Sequence[object]: ...


@dataclass(frozen=True)
class AnswerForm:
    """One accepted form of an answer, with the id of the quote it was taken from, if any.

    `more` are the ids of further quotes that support it; without a first one there are none.
    """

    text: str
    quote: int | None = None
    more: tuple[int, ...] = ()

    @property
    def quotes(self) -> tuple[int, ...]:
        """The ids of all its quotes, the first one first."""
        return () if self.quote is None else (self.quote, *self.more)


@dataclass(frozen=True)
class Pair:
    """A disambiguated question and every accepted form of its answer."""

    question: str = ""
    answers: tuple[AnswerForm, ...] = ()


@dataclass(frozen=True)
class Keep:
    """A warning that was read and kept: which rule, at which field, and why."""

    rule: str
    field: str
    reason: str


@dataclass(frozen=True)
class Response:
    """Everything on the answer form, also what belongs to a kind that is not chosen now."""

    kind: Kind = "multiple"
    pairs: tuple[Pair, ...] = ()
    single: tuple[AnswerForm, ...] = ()
    none_reason: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()

    def fingerprint(self) -> str:
        """Return a SHA-256 (hex) that two responses share exactly when they are equal."""
        text = json.dumps(to_json(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


# --- from a form -------------------------------------------------------------------------------


def from_post(data: FormData) -> Response:
    """Read the answer form.

    Fields: ``kind``; ``pair-<i>-question``, ``pair-<i>-answer`` (once per form) and
    ``pair-<i>-quote`` beside each, the ids of its quotes with spaces between; ``single-answer``
    and ``single-quote`` likewise;
    ``none_reason``; ``feedback``; ``keep-rule``, ``keep-field``, ``keep-reason`` side by side.
    Indexes may have holes: pairs are ordered by index and numbered anew, and the fields of kept
    warnings follow. Empty forms are dropped, and of forms that differ only in case, punctuation
    or spaces the first stays. Raises ResponseError when something cannot be read or is too long.
    """
    indexes = sorted(
        {int(match[1]) for key in data.keys() if (match := _FIELD_OF_PAIR.fullmatch(key))}  # noqa: SIM118
    )
    check_count(len(indexes), MAX_PAIRS, "There are {count} pairs. The maximum is {most}.")
    return Response(
        kind=_kind(_only(data, "kind") or "multiple"),
        pairs=tuple(
            Pair(
                question=_question(_only(data, f"pair-{index}-question"), f"Pair {number}"),
                answers=_forms_of(data, f"pair-{index}", f"Pair {number}"),
            )
            for number, index in enumerate(indexes, start=1)
        ),
        single=_forms_of(data, "single", "Answer"),
        none_reason=passage_of(_only(data, "none_reason"), MAX_REASON, "The reason"),
        feedback=passage_of(_only(data, "feedback"), MAX_FEEDBACK, "The feedback"),
        keeps=_keeps_of(data, indexes),
    )


def _only(data: FormData, key: str) -> object:
    values = data.getlist(key)
    return values[-1] if values else ""


def _forms_of(data: FormData, prefix: str, where: str) -> tuple[AnswerForm, ...]:
    texts, quotes = data.getlist(f"{prefix}-answer"), data.getlist(f"{prefix}-quote")
    if quotes and len(quotes) != len(texts):
        raise ResponseError(
            f"{where}: {len(texts)} forms of the answer came with {len(quotes)} quotes. "
            "Reload the page; your last saved text is there."
        )
    padded = quotes or [""] * len(texts)
    return _forms(zip(texts, (quotes_of(quote, where) for quote in padded), strict=True), where)


def _forms(forms: Iterable[tuple[object, Quotes]], where: str) -> tuple[AnswerForm, ...]:
    read = [
        AnswerForm(line_of(text, MAX_ANSWER, f"{where}: this form of the answer"), *quotes)
        for text, quotes in forms
    ]
    distinct = merged(read)
    check_count(
        len(distinct), MAX_FORMS, where + ": the answer has {count} forms. The maximum is {most}."
    )
    return distinct


def _keeps_of(data: FormData, indexes: list[int]) -> tuple[Keep, ...]:
    columns = [data.getlist(f"keep-{name}") for name in ("rule", "field", "reason")]
    if len({len(column) for column in columns}) != 1:
        raise ResponseError(
            "The reasons for kept warnings do not line up. "
            "Reload the page; your last saved text is there."
        )
    numbers = {index + 1: number for number, index in enumerate(indexes, start=1)}
    rows: list[tuple[object, object, object]] = []
    for rule, field, reason in zip(*columns, strict=True):
        match = _NUMBERED_FIELD.fullmatch(str(field))
        if match and int(match[2]) not in numbers:
            continue  # its pair was deleted
        renamed = f"{match[1]}-{numbers[int(match[2])]}" if match else field
        rows.append((rule, renamed, reason))
    return keeps_from(rows)


def keeps_from(rows: Iterable[tuple[object, object, object]]) -> tuple[Keep, ...]:
    """The last reason for a rule at a field counts; an empty one takes the keep back."""
    found: dict[tuple[str, str], Keep] = {}
    for rule, field, reason in rows:
        for name in (rule, field):
            if not (isinstance(name, str) and _FIELD_ID.fullmatch(name)):
                raise ResponseError(f"{shown(name)} is not the name of a rule or a field.")
        key = (str(rule), str(field))
        found.pop(key, None)
        if text := passage_of(reason, MAX_REASON, "The reason for keeping it"):
            found[key] = Keep(*key, reason=text)
    check_count(len(found), MAX_KEEPS, "There are {count} kept warnings. The maximum is {most}.")
    return tuple(found.values())


# --- cleaning ----------------------------------------------------------------------------------


def _kind(value: object) -> Kind:
    for kind in KINDS:
        if value == kind:
            return kind
    raise ResponseError(f"{shown(value)} is not a kind of answer. Choose multiple, single or none.")


def _question(value: object, where: str) -> str:
    return line_of(value, MAX_QUESTION, f"{where}: the question")


# --- drafts ------------------------------------------------------------------------------------


def to_json(response: Response) -> dict[str, object]:
    """Return the response as plain lists and dicts, for a JSON column."""
    return {
        "kind": response.kind,
        "pairs": [
            {"question": pair.question, "answers": [_form(form) for form in pair.answers]}
            for pair in response.pairs
        ],
        "single": [_form(form) for form in response.single],
        "none_reason": response.none_reason,
        "feedback": response.feedback,
        "keeps": [asdict(keep) for keep in response.keeps],
    }


def _form(form: AnswerForm) -> dict[str, object]:
    return {"text": form.text, "quote": form.quote, **more_of(form.more)}


def from_json(data: object) -> Response:
    """Read what ``to_json`` wrote. Unknown keys are passed over, missing ones are empty.

    Raises ResponseError when a value has the wrong shape, naming where.
    """
    top = _object(data, "The draft")
    pairs = _list(top.get("pairs", []), "pairs")
    check_count(len(pairs), MAX_PAIRS, "There are {count} pairs. The maximum is {most}.")
    return Response(
        kind=_kind(top.get("kind", "multiple")),
        pairs=tuple(_pair(pair, f"Pair {number}") for number, pair in enumerate(pairs, start=1)),
        single=_forms_in(top.get("single", []), "Answer"),
        none_reason=passage_of(top.get("none_reason", ""), MAX_REASON, "The reason"),
        feedback=passage_of(top.get("feedback", ""), MAX_FEEDBACK, "The feedback"),
        keeps=keeps_from(_keep_rows(top.get("keeps", []))),
    )


def _pair(data: object, where: str) -> Pair:
    pair = _object(data, where)
    return Pair(
        question=_question(pair.get("question", ""), where),
        answers=_forms_in(pair.get("answers", []), where),
    )


def _forms_in(data: object, where: str) -> tuple[AnswerForm, ...]:
    forms = [_object(form, f"{where}: a form of the answer") for form in _list(data, where)]
    return _forms(((form.get("text", ""), drafted_quotes(form, where)) for form in forms), where)


def _keep_rows(data: object) -> Iterator[tuple[object, object, object]]:
    for item in _list(data, "keeps"):
        keep = _object(item, "A kept warning")
        yield keep.get("rule"), keep.get("field"), keep.get("reason", "")


def _object(data: object, what: str) -> Mapping[str, object]:
    if not _is_mapping(data):
        raise ResponseError(f"{what} should be an object, and is {shown(data)}.")
    return data


def _is_mapping(data: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(data, Mapping)


def _list(data: object, what: str) -> Sequence[object]:
    if not isinstance(data, list | tuple):
        raise ResponseError(f"{what} should be a list, and is {shown(data)}.")
    return data


# --- switching ---------------------------------------------------------------------------------


def merged(forms: Iterable[AnswerForm]) -> tuple[AnswerForm, ...]:
    """Drop empty forms and those that repeat an earlier one in case, punctuation or spaces.

    The first spelling stays, and gets the quotes of the later ones.
    """
    found: dict[str, AnswerForm] = {}
    for form in forms:
        key = comparison_form(form.text)
        if key and key not in found:
            found[key] = form
        elif key:
            found[key] = with_quotes(found[key], (*found[key].quotes, *form.quotes))
    return tuple(found.values())


def with_quotes(form: AnswerForm, quotes: Iterable[int]) -> AnswerForm:
    """Return the form with these quotes instead of its own."""
    quote, more = first_and_more(quotes)
    return replace(form, quote=quote, more=more)


def as_single(response: Response) -> Response:
    """Choose one clear answer; what was typed as answers of pairs becomes its forms.

    The pairs stay in the response, so that ``as_multiple`` gives them back.
    """
    if response.kind == "single":
        return response
    typed = [form for pair in response.pairs for form in pair.answers]
    single = merged([*response.single, *typed])[:MAX_FORMS]
    return replace(response, kind="single", single=single)


def as_multiple(response: Response) -> Response:
    """Choose several answers: the pairs as they were, or two empty ones to begin with."""
    return replace(response, kind="multiple", pairs=response.pairs or (Pair(), Pair()))


def as_none(response: Response) -> Response:
    """Choose that no answer was found; everything typed stays in the response."""
    return replace(response, kind="none")


SWITCHES: Mapping[Kind, Callable[[Response], Response]] = {
    "multiple": as_multiple,
    "single": as_single,
    "none": as_none,
}


def settled(response: Response) -> Response:
    """Return what is submitted: only the part of the chosen kind, and keeps of its fields."""
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
