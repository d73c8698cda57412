"""Readers for Disambig-F1: what answers each disambiguated question from a system's text.

A floor above offers readers; a file of a reader's answers can be uploaded instead. Answers are
stored with the output and count while its text and the questions are the same.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import orjson

from annotation import registration
from annotation.models import Question
from evaluation.scores.references import pairs_of
from evaluation.systems.models import Output, ReaderAnswers

LONGEST_NAME = 120


class NoReader(Exception):
    """A reader cannot run here. The sentence says what is missing and what to do."""


class AnswerReader(Protocol):
    """Something that answers questions from texts. `name` has its version and goes into signatures.

    It cannot hold `|`, which separates the parts of a signature.
    """

    @property
    def name(self) -> str: ...

    def read_answers(self, asked: Sequence[tuple[str, str]]) -> list[str]:
        """Return an answer for each question and text, "" for none. Raises NoReader."""
        ...


@dataclass(frozen=True, slots=True)
class ReaderOption:
    """A reader that can be chosen. open: makes it, or raises NoReader; task: the Celery task that
    runs a job with it.
    """

    key: str
    label: str
    open: Callable[[], AnswerReader]
    task: str


_offers: dict[str, ReaderOption] = {}


def register(offer: ReaderOption) -> None:
    """Add a reader."""
    _offers[offer.key] = offer


def list_reader_offers() -> list[ReaderOption]:
    """Return the readers there are, whether or not they can run here."""
    registration.PROTOCOLS.make()
    return list(_offers.values())


def get_reader_offer(key: str) -> ReaderOption:
    """Return a reader. Raises NoReader where there is none with this key."""
    registration.PROTOCOLS.make()
    if key not in _offers:
        known = f" Choose one of {', '.join(_offers)}." if _offers else ""
        raise NoReader(f"There is no reader “{key[:40]}”.{known}")
    return _offers[key]


def digest_of(text: str, questions: Sequence[str]) -> str:
    """Return what identifies a text with the questions that a reader answers from it."""
    return hashlib.blake2b(orjson.dumps([text, *questions]), digest_size=16).hexdigest()


def questions_of(question: Question) -> list[str]:
    """Return the disambiguated questions that a reader is asked, in order."""
    return [pair.question for pair in pairs_of(question).values()]


def answers_by_output(
    outputs: Sequence[Output], questions: Mapping[int, Question]
) -> tuple[str, dict[int, list[str]]]:
    """Return the reader that has read most of these outputs, "" if none, and its answers. One
    query.

    Answers to a text or to questions that have changed since do not count.
    """
    texts = {row.pk: row for row in outputs}
    asked = {pk: questions_of(question) for pk, question in questions.items()}
    rows = [
        row
        for row in ReaderAnswers.objects.filter(output__in=texts).order_by("pk")
        if row.digest
        == digest_of(texts[row.output_id].text, asked[texts[row.output_id].question_id])
    ]
    most = Counter(row.reader for row in rows).most_common(1)
    reader = most[0][0] if most else ""
    return reader, {row.output_id: row.answers for row in rows if row.reader == reader}
