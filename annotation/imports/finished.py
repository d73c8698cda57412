"""Questions imported as finished work: a floor above accepts the annotations in the file.

This floor reads the file and stores the questions; the protocol names the part that accepts.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from accounts.models import User
from annotation.core.models.questions import Question
from annotation.imports.formats import QuestionRecord


class AcceptedWorkEffect(NamedTuple):
    """The effect of a file's accepted work on an existing question: a problem, or a change."""

    problem: str = ""
    changed: bool = False


class Finisher(Protocol):
    """Stores the annotations of a file as accepted work.

    `formats`: the keys of the formats it takes. `in_rows`: the keys of a record's context that it
    stores in rows of its own, and nowhere else.
    """

    formats: Sequence[str]
    in_rows: Sequence[str]

    def find_problem(self, record: QuestionRecord) -> str:
        """Return why the record has no work that could be accepted, "" if it has."""
        ...

    def compare_with_finished(
        self, known: Sequence[tuple[Question, QuestionRecord]]
    ) -> Mapping[int, AcceptedWorkEffect]:
        """Compare records with the finished work of these questions; keys are their ids."""
        ...

    def write_accepted_work(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Write the work in the records as accepted. The caller holds the questions' locks."""
        ...
