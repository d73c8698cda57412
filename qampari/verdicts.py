"""What people said of each answer of a question, and what follows from it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from annotation.exports.rows import fetch_rows
from qampari.records import RecordAnswer, count_distinct_answers
from qampari.statements import JUDGED_ANSWERS

CHECK, TEAM = "qampari-check", "qampari-team"
CORRECT, DOUBTFUL, UNCLEAR = "correct", "doubtful", "unclear"
VERDICTS: Mapping[str, str] = {
    CORRECT: "Correct",
    DOUBTFUL: "Wrong, or cannot determine",
    UNCLEAR: "Cannot understand the question",
}


@dataclass(frozen=True)
class JudgedCandidate:
    """A candidate answer with what was said of it: by people, and by staff ("" if not asked)."""

    position: int
    text: str
    forms: tuple[str, ...] = ()
    lot: float = 1.0
    said: tuple[str, ...] = ()
    team: str = ""
    notes: tuple[str, ...] = ()

    @property
    def doubted(self) -> bool:
        """Whether anyone found it other than correct."""
        return any(verdict != CORRECT for verdict in self.said)

    @property
    def accepted(self) -> bool:
        """Whether it counts as an answer: staff have the last word."""
        if self.team:
            return self.team == CORRECT
        return bool(self.said) and not self.doubted

    def goes_to_staff(self, share: float) -> bool:
        """Whether staff check it: all that are doubted, and a share of the others."""
        return self.doubted or (bool(self.said) and self.lot < share)


@dataclass(frozen=True)
class QuestionOutcome:
    """What follows for a question: whether staff still have to look, and if it has enough."""

    waits: bool
    accepted: frozenset[int] = field(default_factory=frozenset)
    distinct: int = 0


def decide_outcome(
    rows: Sequence[JudgedCandidate], *, share: float, asked: bool
) -> QuestionOutcome:
    """Return what follows from the verdicts; `asked`: staff check answers of its split."""
    accepted = [row for row in rows if row.accepted]
    return QuestionOutcome(
        waits=asked and any(row.goes_to_staff(share) and not row.team for row in rows),
        accepted=frozenset(row.position for row in accepted),
        distinct=count_distinct_answers([RecordAnswer(row.text, row.forms) for row in accepted]),
    )


class Rows(NamedTuple):
    """The candidates of a question, and what its project has set."""

    settings: Mapping[str, object]
    rows: list[JudgedCandidate]


def read_answers_and_settings(question_ids: Iterable[int]) -> dict[int, Rows]:
    """Return every candidate of questions with what was said of it. One query."""
    values = {"questions": list(question_ids), "check": CHECK, "team": TEAM}
    found: dict[int, Rows] = {}
    for question, position, text, forms, lot, said, notes, team, settings in fetch_rows(
        JUDGED_ANSWERS, values
    ):
        if question not in found:
            found[question] = Rows(orjson.loads(settings), [])
        found[question].rows.append(
            JudgedCandidate(
                position,
                text,
                tuple(orjson.loads(forms)),
                lot,
                tuple(said or ()),
                team or "",
                tuple(notes or ()),
            )
        )
    return found


def read_judged_answers(question_ids: Iterable[int]) -> dict[int, list[JudgedCandidate]]:
    """Return the candidates alone. One query."""
    return {
        question: found.rows for question, found in read_answers_and_settings(question_ids).items()
    }


def accepted_of(rows: Sequence[JudgedCandidate]) -> Collection[int]:
    """Return the places of the answers that count: accepted ones, and those that no one checked."""
    return [row.position for row in rows if row.accepted or not (row.said or row.team)]


def known_of(rows: Sequence[JudgedCandidate]) -> list[tuple[str, ...]]:
    """Return every way to write each answer that counts, its name first."""
    kept = set(accepted_of(rows))
    return [row.forms or (row.text,) for row in rows if row.position in kept]
