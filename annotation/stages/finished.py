"""Questions imported as finished work: a floor above takes what a file says of them as accepted.

This floor reads the file and keeps the questions; the protocol names who decides what is accepted.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from accounts.models import User
from annotation.formats import QuestionRecord
from annotation.models import Question


class Standing(NamedTuple):
    """What a file's accepted work meets on a question that is there: a problem, or a change."""

    problem: str = ""
    changed: bool = False


class Finisher(Protocol):
    """Takes the annotations of a file as accepted work.

    `formats`: those it takes, by key. `in_rows`: the keys of a record's context that it keeps in
    rows of its own, and nowhere else.
    """

    formats: Sequence[str]
    in_rows: Sequence[str]

    def problem(self, record: QuestionRecord) -> str:
        """Say why the record holds no work that could be accepted, "" where it does."""
        ...

    def standing(self, known: Sequence[tuple[Question, QuestionRecord]]) -> Mapping[int, Standing]:
        """Compare records with the finished work of these questions; keys are their ids."""
        ...

    def write(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write what the records say as accepted. The caller holds the questions' locks."""
        ...
