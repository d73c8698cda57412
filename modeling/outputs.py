"""From what a model wrote to answers, pairs and a vote over several models.

Whether two answers are the same is asked of `metrics.text.answer_key`. What models write is from
outside: it is cleaned, bounded, and never trusted to be what it was asked to be.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from annotation.text.cleaning import ResponseError, line_of, passage_of
from metrics import nq
from metrics.text import answer_key, normalise_text
from modeling.base import (
    AnsweredDisambiguation,
    ArticlePassage,
    Prediction,
    QuestionPage,
    ShortAnswer,
)
from modeling.engines.base import AnswerSpan
from modeling.inputs import BETWEEN_ANSWERS, MARKS, NOT_RELEVANT

MOST_ANSWERS: Final = 200  # of one question; an answer of QAMPARI is a list
MOST_CHARACTERS: Final = 500  # of an answer or a question
MOST_LONG: Final = 10_000  # of a long answer
_MOST_READ: Final = 200_000
_SEPARATORS = re.compile(r"\[SEP\]|<SEP>", re.IGNORECASE)
_PLACE = re.compile(r"[0-9]{1,4}")


def parse_separated_answers(text: str) -> tuple[ShortAnswer, ...]:
    """Return the distinct answers of SpanSeqGen: between separators, in the order written."""
    return distinct_answers(_SEPARATORS.split(_bounded(text)))


def parse_fid_answers(text: str) -> tuple[ShortAnswer, ...]:
    """Return the distinct answers of FiD, between number signs.

    The sign has no spaces around it in the training data, so one inside an answer ("C#") is lost.
    """
    return distinct_answers(_bounded(text).split(BETWEEN_ANSWERS))


def parse_pig_answers(
    texts: Sequence[str], passages: Sequence[ArticlePassage]
) -> tuple[ShortAnswer, ...]:
    """Return the distinct answers of PIG: one text for each passage, in the order of passages.

    An answer has the first passage that it was read from.
    """
    answers: dict[str, ShortAnswer] = {}
    for text, passage in zip(texts, passages, strict=True):
        answer = clean_short_answer(text)
        if answer and answer_key(answer) != answer_key(NOT_RELEVANT):
            answers.setdefault(answer_key(answer), ShortAnswer(answer, passage=passage))
    return tuple(answers.values())[:MOST_ANSWERS]


def parse_jpr_places(text: str, count: int) -> tuple[int, ...]:
    """Return the distinct places that JPR wrote, in its order: numbers from 1 to `count`."""
    numbers = (int(word) for word in _bounded(text).split() if _PLACE.fullmatch(word))
    return tuple(dict.fromkeys(number for number in numbers if 1 <= number <= count))


def parse_questions(text: str) -> tuple[str, ...]:
    """Return the distinct questions of Disambig-first, which separators are between."""
    asked = (clean_short_answer(part) for part in _SEPARATORS.split(_bounded(text)))
    first: dict[str, str] = {}
    for question in filter(None, asked):
        first.setdefault(answer_key(question), question)
    return tuple(first.values())[:MOST_ANSWERS]


def build_pairs(
    asked: Sequence[str], answers: Sequence[ShortAnswer]
) -> tuple[AnsweredDisambiguation, ...]:
    """Return each answer with the question that was written for it, as scorers count them.

    Pairs without a question are left out; one that was written for two answers is in two pairs.
    """
    return tuple(
        AnsweredDisambiguation(question, (answer,))
        for text, answer in zip(asked, answers, strict=True)
        if (question := clean_short_answer(text))
    )


def merge_questions(
    pairs: Iterable[AnsweredDisambiguation],
) -> tuple[AnsweredDisambiguation, ...]:
    """Return pairs for people to read: a question that comes again has all its answers."""
    together: dict[str, AnsweredDisambiguation] = {}
    for pair in pairs:
        key = answer_key(pair.question)
        if have := together.get(key):
            pair = replace(have, answers=merge_answers((*have.answers, *pair.answers)))
        together[key] = pair
    return tuple(together.values())


def build_span_answers(
    spans: Iterable[AnswerSpan], passages: Sequence[ArticlePassage]
) -> tuple[ShortAnswer, ...]:
    """Return spans as answers: with their passages, and their likelihoods as scores."""
    return tuple(
        ShortAnswer(text, passage=passages[span.passage], score=span.likelihood)
        for span in spans
        if (text := clean_short_answer(span.text))
    )


def locate_answers(
    answers: Iterable[ShortAnswer], passages: Sequence[ArticlePassage]
) -> tuple[ShortAnswer, ...]:
    """Return the answers, each with the first of the passages that has its words, if one has.

    A model that writes does not say where it has an answer from; this is where it can be read.
    """
    texts = [(f" {normalise_text(passage.text)} ", passage) for passage in passages]
    return tuple(
        replace(answer, passage=next((p for text, p in texts if words in text), None))
        if (words := f" {normalise_text(answer.text)} ").strip()
        else answer
        for answer in answers
    )


def filter_by_likelihood(
    answers: Iterable[ShortAnswer], threshold: float, *, least: int = 0, most: int = MOST_ANSWERS
) -> tuple[ShortAnswer, ...]:
    """Return the distinct answers whose likelihood is larger than γ, the likeliest first (A92).

    A text that is found in several places has the likelihood of the best of them. least, most: how
    many are given whatever their likelihood, as far as there are enough.
    """
    distinct = merge_answers(sorted(answers, key=lambda answer: -answer.score))
    likely = sum(answer.score > threshold for answer in distinct)
    return distinct[: min(max(likely, least), most)]


def distinct_answers(texts: Iterable[str]) -> tuple[ShortAnswer, ...]:
    """Return an answer for each text that says something and is not the same as one before."""
    return merge_answers(ShortAnswer(text) for text in map(clean_short_answer, texts) if text)


def merge_answers(answers: Iterable[ShortAnswer]) -> tuple[ShortAnswer, ...]:
    """Return the answers of which none is the same as one before, by text or alias."""
    kept: list[ShortAnswer] = []
    keys: set[str] = set()
    for answer in answers:
        key = answer_key(answer.text)
        if key and key not in keys and len(kept) < MOST_ANSWERS:
            kept.append(answer)
            keys.update((key, *map(answer_key, answer.aliases)))
    return tuple(kept)


def vote_on_answers(
    predictions: Sequence[Prediction], *, majority: bool = False
) -> tuple[ShortAnswer, ...]:
    """Return the answers that most models predict (A93), in the order they first came in.

    A model has one vote for an answer, however often it gives it. The score of an answer is the
    share of models that predict it. Ties are all kept. majority: keep every answer that more than
    half of the models predict, as Algorithm 1 does; where none has that number, those that most do.
    """
    votes: Counter[str] = Counter()
    first: dict[str, ShortAnswer] = {}
    for prediction in predictions:
        for answer in merge_answers(prediction.answers):
            votes[answer_key(answer.text)] += 1
            first.setdefault(answer_key(answer.text), answer)
    most = max(votes.values(), default=0)
    enough = min(most, len(predictions) // 2 + 1) if majority else most
    return tuple(
        replace(answer, score=votes[key] / len(predictions))
        for key, answer in first.items()
        if votes[key] >= enough
    )


def build_span_prediction(name: str, spans: nq.Prediction, page: QuestionPage) -> Prediction:
    """Return what was answered on a question's page, with its words there.

    An answer that is not on the page is a problem.
    """
    long = page.words_at(spans.long) if spans.long else ""
    short = [page.words_at(span) for span in spans.short]
    if (spans.long and not long) or not all(short):
        return Prediction(name, problem="The question's page has no words at this answer.")
    said = [spans.yes_no.capitalize()] if spans.yes_no != "none" else short
    return Prediction(
        name, answers=distinct_answers(said), long_answer=clean_long_answer(long), spans=spans
    )


def clean_short_answer(text: str) -> str:
    """Return a short answer or a question on one line, "" where it says nothing or is too long."""
    try:
        return line_of(MARKS.sub(" ", text[:_MOST_READ]), MOST_CHARACTERS, "An answer")
    except ResponseError:
        return ""


def clean_long_answer(text: str) -> str:
    """Return a long answer without control characters; what is too long is cut after a word."""
    cleaned = passage_of(MARKS.sub(" ", text[:_MOST_READ]), _MOST_READ, "A long answer")
    if len(cleaned) <= MOST_LONG:
        return cleaned
    return cleaned[:MOST_LONG].rsplit(None, 1)[0] + " …"


def _bounded(text: str) -> str:
    return text[:_MOST_READ]
