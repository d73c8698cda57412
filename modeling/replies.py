"""What a language model is asked to reply, and how its reply is read.

A reply is one object of JSON: `pairs`, a list of objects with `question`, `answers` (a list of
texts) and, where passages were given, `passage` (the number of one, or null), and `long_answer`, a
text. Where a list is asked for, it is `answers`, a list of texts, alone. Replies come from outside:
anything may be in them.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from annotation.text.cleaning import ResponseError, format_value, line_of, passage_of
from metrics.nq import YesNo
from modeling.base import (
    CORRECT,
    DOUBTFUL,
    AnsweredDisambiguation,
    AnswerVerdict,
    ArticlePassage,
    CandidateAnswer,
    ShortAnswer,
)
from modeling.outputs import (
    MOST_ANSWERS,
    MOST_CHARACTERS,
    MOST_LONG,
    locate_answers,
    merge_answers,
)

MOST_REPLY: Final = 200_000  # characters
_MOST_ALIASES: Final = 20  # answers of one pair
_MOST_SHORT: Final = 20  # on a page
_YES_NO: Final[dict[str, YesNo]] = {"yes": "yes", "no": "no", "none": "none"}
_MOST_NESTED: Final = 50  # brackets in brackets; what we ask for has four
_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_BRACKET = re.compile(r"[][{}]")

FORMAT: Final = (
    "Reply with one JSON object and nothing else: "
    '{"pairs": [{"question": "…", "answers": ["…"]}], "long_answer": "…"}'
)
FORMAT_WITH_PASSAGES: Final = (
    "Reply with one JSON object and nothing else: "
    '{"pairs": [{"question": "…", "answers": ["…"], "passage": 1}], "long_answer": "…"}'
)
FORMAT_OF_LIST: Final = 'Reply with one JSON object and nothing else: {"answers": ["…"]}'


class BadReply(ValueError):
    """A reply that cannot be used; the sentence is for the model and for people."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply says, cleaned. `others`: answers that are in no pair."""

    pairs: tuple[AnsweredDisambiguation, ...]
    long_answer: str
    others: tuple[ShortAnswer, ...] = ()

    @property
    def answers(self) -> tuple[ShortAnswer, ...]:
        """The distinct answers."""
        return merge_answers(
            [*(answer for pair in self.pairs for answer in pair.answers), *self.others]
        )


class PageReply(NamedTuple):
    """What a reply says of a page: the number of a box, None for no answer, and words in it."""

    long: int | None
    short: tuple[str, ...]
    yes_no: YesNo


def parse_reply(
    text: str, passages: Sequence[ArticlePassage] = (), redact: Callable[[str], str] = str
) -> Reply:
    """Read a reply. redact: takes secrets out of a text. Raises BadReply.

    Words or a fence around the object are allowed. passages: those that the model was given.
    """
    data = parse_object(text)
    rows = data.get("pairs", [])
    if not isinstance(rows, list):
        raise BadReply(f"“pairs” should be a list, and is {_shown(rows, redact)}.")
    if len(rows) > MOST_ANSWERS:
        raise BadReply(f"There are {len(rows):,} pairs. The maximum is {MOST_ANSWERS}.")
    try:
        pairs = [
            _pair(row, f"Pair {number}", passages, redact) for number, row in enumerate(rows, 1)
        ]
        long_answer = passage_of(
            redact(_text(data.get("long_answer", ""), "“long_answer”", redact)),
            MOST_LONG, "“long_answer”",
        )  # fmt: skip
    except ResponseError as error:
        raise BadReply(str(error)) from None
    if not (pairs or long_answer):
        raise BadReply("The reply has neither pairs nor a long answer.")
    return Reply(_distinct(pairs), long_answer)


def parse_list_reply(
    text: str, passages: Sequence[ArticlePassage] = (), redact: Callable[[str], str] = str
) -> Reply:
    """Read a reply that is a list of answers; each has the first passage with its words.

    redact: takes secrets out of a text. Raises BadReply.
    """
    texts = parse_object(text).get("answers")
    if not isinstance(texts, list):
        raise BadReply(f"“answers” should be a list, and is {_shown(texts, redact)}.")
    if len(texts) > MOST_ANSWERS:
        raise BadReply(f"There are {len(texts):,} answers. The maximum is {MOST_ANSWERS}.")
    try:
        lines = [_line(row, f"Answer {number}", redact) for number, row in enumerate(texts, 1)]
    except ResponseError as error:
        raise BadReply(str(error)) from None
    answers = merge_answers(ShortAnswer(line) for line in lines)
    if not answers:
        raise BadReply("The reply has no answer.")
    return Reply((), "", locate_answers(answers, passages))


def parse_page_reply(text: str, boxes: int, redact: Callable[[str], str] = str) -> PageReply:
    """Read a reply that names one of the boxes, which count from 1, and words in it.

    redact: takes secrets out of a text. Raises BadReply.
    """
    data = parse_object(text)
    if not {"long", "short", "yes_no"} <= data.keys():
        raise BadReply("The reply should have “long”, “short” and “yes_no”.")
    long, short, said = data["long"], data["short"], data["yes_no"]
    yes_no = _YES_NO.get(said) if isinstance(said, str) else None
    if yes_no is None:
        raise BadReply(f"“yes_no” should be yes, no or none, and is {_shown(said, redact)}.")
    if not isinstance(short, list):
        raise BadReply(f"“short” should be a list, and is {_shown(short, redact)}.")
    if len(short) > _MOST_SHORT:
        raise BadReply(f"There are {len(short):,} short answers. The maximum is {_MOST_SHORT}.")
    try:
        lines = [
            _line(row, f"Short answer {number}", redact) for number, row in enumerate(short, 1)
        ]
    except ResponseError as error:
        raise BadReply(str(error)) from None
    if not all(lines):
        raise BadReply("A short answer is empty.")
    if long is None:
        if lines or yes_no != "none":
            raise BadReply("There is a short answer and no box.")
        return PageReply(None, (), "none")
    if isinstance(long, bool) or not isinstance(long, int) or not 1 <= long <= boxes:
        raise BadReply(
            f"“long” should be null or the number of a box, 1 to {boxes}, "
            f"and is {_shown(long, redact)}."
        )
    if lines and yes_no != "none":
        raise BadReply(f"The reply has short answers and says {yes_no}. Keep one of the two.")
    return PageReply(long, tuple(lines), yes_no)


def parse_verdict_reply(
    text: str, asked: Sequence[CandidateAnswer], redact: Callable[[str], str] = str
) -> AnswerVerdict:
    """Read a reply that is a verdict on the one answer asked, with the sentence that it rests on.

    The sentence has to be in the evidence, but for white space, and is left out where the verdict
    needs none. redact: takes secrets out of a text. Raises BadReply.
    """
    [answer] = asked
    data = parse_object(text)
    verdict = data.get("verdict")
    if verdict not in (CORRECT, DOUBTFUL):
        raise BadReply(f"“verdict” is {_shown(verdict, redact)}. Use “{CORRECT}” or “{DOUBTFUL}”.")
    try:
        sentence = line_of(
            redact(_text(data.get("sentence", ""), "“sentence”", redact)), MOST_LONG, "“sentence”"
        )
    except ResponseError as error:
        raise BadReply(str(error)) from None
    source = next(
        (each for each in answer.evidence if sentence in " ".join(each.text.split())), None
    )
    if sentence and source is None:
        raise BadReply("The sentence is not in the evidence.")
    if verdict == CORRECT and not sentence:
        raise BadReply("There is no sentence that shows it.")
    title = source.title if source and sentence else ""
    return AnswerVerdict(answer.text, verdict, sentence, title)


def parse_object(text: str) -> dict[str, Any]:
    """Return the object in a reply: from the first brace on, or else what is fenced."""
    if len(text) > MOST_REPLY:
        raise BadReply(f"The reply has {len(text):,} characters. The maximum is {MOST_REPLY:,}.")
    fenced = _FENCE.search(text)
    try:
        return _first_object(text)
    except BadReply:
        if not fenced:
            raise
    return _first_object(fenced[1])


def _first_object(text: str) -> dict[str, Any]:
    start = text.find("{")
    if start < 0:
        raise BadReply("The reply holds no JSON object.")
    if count_nested_brackets(text) > _MOST_NESTED:
        raise BadReply("The reply is not JSON that can be read: its brackets are nested too deep.")
    try:
        data, _ = json.JSONDecoder(strict=False).raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise BadReply(
            f"The reply is not JSON: {error.msg} at character {error.pos + 1}."
        ) from None
    except ValueError:  # a number of thousands of digits
        raise BadReply("The reply is not JSON that can be read.") from None
    return dict(data)


def count_nested_brackets(text: str) -> int:
    """Return how deep brackets are nested, those in texts included.

    Asked before the reply is parsed: the parser calls itself for each bracket, and objects that
    happen to be collected at the limit of the stack cannot clean up after themselves.
    """
    depth = deepest = 0
    for bracket in _BRACKET.finditer(text):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def _pair(
    row: object, where: str, passages: Sequence[ArticlePassage], redact: Callable[[str], str]
) -> AnsweredDisambiguation:
    if not isinstance(row, dict):
        raise BadReply(f"{where} should be an object, and is {_shown(row, redact)}.")
    question = _line(row.get("question"), f"The question of {where.lower()}", redact)
    texts = row.get("answers")
    if not isinstance(texts, list):
        raise BadReply(
            f"The answers of {where.lower()} should be a list, and are {_shown(texts, redact)}."
        )
    if len(texts) > _MOST_ALIASES:
        raise BadReply(f"{where} has {len(texts):,} answers. The maximum is {_MOST_ALIASES}.")
    passage = _passage(row.get("passage"), where, passages, redact)
    answers = [_line(text, f"An answer of {where.lower()}", redact) for text in texts]
    distinct = merge_answers(ShortAnswer(text, passage=passage) for text in answers)
    if not question or not distinct:
        raise BadReply(f"{where} has no {'answer' if question else 'question'}.")
    return AnsweredDisambiguation(question, distinct)


def _passage(
    number: object, where: str, passages: Sequence[ArticlePassage], redact: Callable[[str], str]
) -> ArticlePassage | None:
    """Return the passage with this number, which counts from 1; None where none was given."""
    if number is None or not passages:
        return None
    if isinstance(number, bool) or not isinstance(number, int):
        raise BadReply(
            f"The passage of {where.lower()} should be a number or null, "
            f"and is {_shown(number, redact)}."
        )
    if not 1 <= number <= len(passages):
        raise BadReply(
            f"The passage of {where.lower()} is {_shown(number, redact)}. "
            f"There are passages 1 to {len(passages)}."
        )
    return passages[number - 1]


def _distinct(pairs: Sequence[AnsweredDisambiguation]) -> tuple[AnsweredDisambiguation, ...]:
    """Return the pairs, those with the same question as one."""
    together: dict[str, AnsweredDisambiguation] = {}
    for pair in pairs:
        have = together.get(pair.question)
        answers = merge_answers((*have.answers, *pair.answers)) if have else pair.answers
        together[pair.question] = replace(pair, answers=answers)
    return tuple(together.values())


def _line(value: object, what: str, redact: Callable[[str], str]) -> str:
    return line_of(redact(_text(value, what, redact)), MOST_CHARACTERS, what)


def _text(value: object, what: str, redact: Callable[[str], str]) -> str:
    if not isinstance(value, str):
        raise BadReply(f"{what} should be text, and is {_shown(value, redact)}.")
    return value


def _shown(value: object, redact: Callable[[str], str]) -> str:
    """Return a value for a sentence. What is large is not written out first."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, str):
        return format_value(redact(value)[:60])
    return format_value(value)
