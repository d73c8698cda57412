"""States as data: the transitions, who has to act, and the one way to move an assignment.

The diagrams in docs/states.md are written from these tables by `manage.py states_diagram`.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from accounts import prepared_statements
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict


class Owner(StrEnum):
    """Who has to act in a state."""

    ANNOTATOR = "annotator"
    VALIDATOR = "validator"
    STAFF = "staff"
    NOBODY = "nobody"


A = Assignment.State
Q = Question.State

# From each state, the next states, each with the label of its arrow in the diagram.
ASSIGNMENT_TRANSITIONS: Mapping[str, Mapping[str, str]] = {
    A.ACTIVE: {
        A.SUBMITTED: "submit, or time limit ended",
        A.PARKED: "park",
        A.SKIPPED: "skip with a reason",
        A.RETURNED: "release",
        A.EXPIRED: "time ended",
    },
    A.PARKED: {
        A.ACTIVE: "resume",
        A.SUBMITTED: "time limit ended",
        A.SKIPPED: "skip with a reason",
        A.RETURNED: "release",
        A.EXPIRED: "time ended",
    },
    A.SUBMITTED: {A.PARKED: "staff returns it"},
    A.EXPIRED: {A.ACTIVE: "reopen, seat free", A.SUBMITTED: "submit late, seat free"},
    A.RETURNED: {A.ACTIVE: "reopen, seat free"},
    A.SKIPPED: {A.ACTIVE: "reopen, seat free"},
}
ASSIGNMENT_OWNERS: Mapping[str, Owner] = {
    A.ACTIVE: Owner.ANNOTATOR,
    A.PARKED: Owner.ANNOTATOR,
    A.SUBMITTED: Owner.STAFF,
    A.EXPIRED: Owner.ANNOTATOR,
    A.RETURNED: Owner.ANNOTATOR,
    A.SKIPPED: Owner.ANNOTATOR,
}

_FEWER = "work taken back, or more people asked"
_DECIDED = "validator decides"
_RAISED = "concern raised"
_DISMISSED = "concern dismissed or withdrawn"
_RULED = "staff decides on a claim, or undoes that"
_EXCLUDED = "staff excludes it"
_RESTORED = "staff restores it"
QUESTION_TRANSITIONS: Mapping[str, Mapping[str, str]] = {
    Q.IMPORTED: {
        Q.FLAGGED: _RAISED,
        Q.EXCLUDED: _EXCLUDED,
        Q.GENERATING: "first of K submitted",
        Q.VALIDATING: "K of K, to be validated",
        Q.ACCEPTED: "K of K, no validation asked",
        Q.SKIPPED: "K people skipped",
    },
    Q.GENERATING: {
        Q.FLAGGED: _RAISED,
        Q.EXCLUDED: _EXCLUDED,
        Q.IMPORTED: "work taken back",
        Q.VALIDATING: "K of K, to be validated",
        Q.ACCEPTED: "K of K, no validation asked",
        Q.AUTO_ACCEPTED: "all answers match",
        Q.SKIPPED: "work taken back, K people skipped",
    },
    Q.VALIDATING: {
        Q.IMPORTED: _FEWER,
        Q.GENERATING: _FEWER,
        Q.SKIPPED: "work taken back, K people skipped",
        Q.AUTO_ACCEPTED: "all answers match",
        Q.ACCEPTED: _DECIDED,
        Q.EDITED: _DECIDED,
        Q.EXCLUDED: f"{_DECIDED}, or {_EXCLUDED}",
    },
    Q.AUTO_ACCEPTED: {
        Q.GENERATING: _FEWER,
        Q.VALIDATING: "decision reversed",
        Q.ACCEPTED: _RULED,
        Q.EDITED: _RULED,
        Q.EXCLUDED: f"{_RULED}, or {_EXCLUDED}",
    },
    Q.ACCEPTED: {
        Q.FLAGGED: _RAISED,
        Q.IMPORTED: _FEWER,
        Q.GENERATING: _FEWER,
        Q.SKIPPED: "work taken back, K people skipped",
        Q.VALIDATING: "decision reversed, or validation asked",
        Q.AUTO_ACCEPTED: _RULED,
        Q.EDITED: _RULED,
        Q.EXCLUDED: f"{_RULED}, or {_EXCLUDED}",
    },
    Q.EDITED: {
        Q.GENERATING: _FEWER,
        Q.VALIDATING: "decision reversed",
        Q.AUTO_ACCEPTED: _RULED,
        Q.ACCEPTED: _RULED,
        Q.EXCLUDED: f"{_RULED}, or {_EXCLUDED}",
    },
    Q.EXCLUDED: {
        Q.FLAGGED: "concern opened again",
        Q.IMPORTED: f"{_DISMISSED}, or {_RESTORED}",
        Q.SKIPPED: f"{_DISMISSED}, or {_RESTORED}",
        Q.GENERATING: f"{_FEWER}, {_DISMISSED}, or {_RESTORED}",
        Q.VALIDATING: f"decision reversed, or {_RESTORED}",
        Q.AUTO_ACCEPTED: f"{_RULED}, or {_RESTORED}",
        Q.ACCEPTED: f"{_RULED}, or {_RESTORED}",
        Q.EDITED: f"{_RULED}, or {_RESTORED}",
    },
    Q.FLAGGED: {
        Q.IMPORTED: _DISMISSED,
        Q.GENERATING: _DISMISSED,
        Q.ACCEPTED: _DISMISSED,
        Q.SKIPPED: _DISMISSED,
        Q.EXCLUDED: "concern upheld",
    },
    Q.SKIPPED: {
        Q.FLAGGED: _RAISED,
        Q.EXCLUDED: _EXCLUDED,
        Q.IMPORTED: "skip undone, or more people asked",
        Q.GENERATING: "someone answers",
        Q.VALIDATING: "someone answers",
        Q.ACCEPTED: "someone answers",
    },
}
QUESTION_OWNERS: Mapping[str, Owner] = {
    Q.IMPORTED: Owner.ANNOTATOR,
    Q.GENERATING: Owner.ANNOTATOR,
    Q.VALIDATING: Owner.VALIDATOR,
    Q.AUTO_ACCEPTED: Owner.NOBODY,
    Q.ACCEPTED: Owner.NOBODY,
    Q.EDITED: Owner.NOBODY,
    Q.EXCLUDED: Owner.NOBODY,
    Q.SKIPPED: Owner.STAFF,
    Q.FLAGGED: Owner.STAFF,
}

# Every set of question states used in code: add a new state to the right ones here.
# Questions with accepted answers.
ANY_ACCEPTED = frozenset({Q.AUTO_ACCEPTED.value, Q.ACCEPTED.value, Q.EDITED.value})
# The accepted answers are decided, even if there are none.
DECIDED = ANY_ACCEPTED | {Q.EXCLUDED.value}
# No further person is asked to answer: decided, or on hold until a concern is decided.
FINISHED = DECIDED | {Q.FLAGGED.value}
# Answers are missing.
ANSWERING = frozenset({Q.IMPORTED.value, Q.GENERATING.value, Q.SKIPPED.value})
# No one is sent to a question in one of these states: its tasks have no seats.
CLOSED = frozenset({Q.SKIPPED.value, Q.EXCLUDED.value, Q.FLAGGED.value})

# Nor can people resume a question that the team has excluded or is looking at.
SET_ASIDE: Mapping[str, str] = {
    Q.FLAGGED: "A concern was raised about this question, and the team looks at it. You can take "
    "it up again once they have kept it.",
    Q.EXCLUDED: "The team has excluded this question, so it cannot be answered any more.",
}

# Sets of assignment states: the person holds the seat; has left it and can resume while a seat is
# free; what they type is still saved. A submission stays as it was submitted.
HELD = (A.ACTIVE.value, A.PARKED.value)
LEFT = (A.EXPIRED.value, A.RETURNED.value, A.SKIPPED.value)
SAVABLE = (*HELD, *LEFT)

# Shown to a person whose assignment changed state meanwhile.
SENTENCES: Mapping[str, str] = {
    A.ACTIVE: "You are working on this question already.",
    A.PARKED: "This question is parked. Resume it first; your text is kept.",
    A.SUBMITTED: "You have submitted this question. Nothing was changed.",
    A.EXPIRED: "Your time for this question has ended. Your text is kept under Drafts.",
    A.RETURNED: "You released this question. Your text is kept under Drafts.",
    A.SKIPPED: "You skipped this question. Nothing was changed.",
}


def list_source_states(to: str) -> list[str]:
    """Return the states from which an assignment may move to `to`."""
    return [source for source, targets in ASSIGNMENT_TRANSITIONS.items() if to in targets]


def change_state(
    assignment: Assignment,
    to: str,
    *,
    now: dt.datetime,
    only_from: Iterable[str] | None = None,
    **changes: Any,
) -> None:
    """Change the state in one conditional UPDATE, so that one of two racing requests fails.

    Sets the paired columns: a lease only while held, `ended_at` only when not,
    `submitted_at` only when submitted, `returned_at` only until then, `skip_reason` only when
    skipped. The instance in hand is
    updated, too. Raises Conflict with the sentence for the state it is in instead.
    """
    allowed = (
        list_source_states(to)
        if only_from is None
        else [s for s in only_from if s in list_source_states(to)]
    )
    changes["state"] = str(to)
    changes["ended_at"] = None if to in HELD else now
    if to not in HELD:
        changes["lease_ends_at"] = None
    changes["submitted_at"] = now if to == A.SUBMITTED else None
    if to == A.SUBMITTED:
        changes["returned_at"] = None
    changes.setdefault("skip_reason", "")
    if not prepared_statements.update_row_if(assignment, changes, only="state", among=allowed):
        assignment.refresh_from_db(fields=["state", "lease_ends_at", "ended_at", "submitted_at"])
        raise Conflict(SENTENCES[assignment.state])
    for name, value in changes.items():
        setattr(assignment, name, value)


@dataclass(frozen=True)
class QuestionFacts:
    """The facts that determine the state of a question. Counts are people.

    required: how many people the first stage asks for on each unit of the question; submitted and
    skipped: for each unit, usable submissions and people whose skip still counts; then: the state
    once every unit has its people, as long as no later stage has decided; decided: the state that a
    later stage has decided, if any; ruled: the state given by concerns about the question, or by
    the team, whatever its number of answers.
    """

    required: int
    submitted: Sequence[int]
    skipped: Sequence[int]
    then: str = Question.State.ACCEPTED.value
    decided: str | None = None
    ruled: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every unit has as many people as required."""
        return all(count >= self.required for count in self.submitted)


def question_state(facts: QuestionFacts) -> str:
    """Return the state of a question: one pure function of its rows.

    A question counts as skipped when no unit has an answer and as many people as required have
    skipped each unit; no one else is then sent to it. One answer reopens it.
    """
    if facts.ruled:
        return facts.ruled
    if not any(facts.submitted):
        everywhere = all(count >= facts.required for count in facts.skipped)
        return Q.SKIPPED if everywhere else Q.IMPORTED
    if not facts.complete:
        return Q.GENERATING
    return facts.decided or facts.then


def render_diagram(transitions: Mapping[str, Mapping[str, str]], start: str) -> str:
    """Return a table of transitions as a mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {start}"]
    for source, targets in transitions.items():
        lines += [f"    {source} --> {target}: {why}" for target, why in targets.items()]
    return "\n".join(lines)


def render_states_page() -> str:
    """Return the text of docs/states.md."""
    parts = [
        "# States\n",
        "Written by `manage.py states_diagram`; change `annotation/core/states.py`.\n",
    ]
    for title, table, owners, start, labels in (
        ("Assignment", ASSIGNMENT_TRANSITIONS, ASSIGNMENT_OWNERS, A.ACTIVE.value, dict(A.choices)),
        ("Question", QUESTION_TRANSITIONS, QUESTION_OWNERS, Q.IMPORTED.value, dict(Q.choices)),
    ):
        parts.append(f"## {title}\n\n```mermaid\n{render_diagram(table, start)}\n```\n")
        parts.append("| state | shown as | whose turn |\n| --- | --- | --- |")
        parts += [f"| {state} | {labels[state]} | {owners[state]} |" for state in table]
        parts.append("")
    parts.append(_NOTES)
    return "\n".join(parts)


_NOTES = """\
K is how many people the policy of the first stage asks for on the question's split; where a stage
splits a question into several tasks, each needs its K people. A question's state is one pure
function of its rows (`question_state`), run again after every submission, skip, return, soft
reject and change of K. Holding a question does not change its state.

- **Skipped**: no one answered and K people skipped, each of its tasks where it has several. Its
  seats close; an undone skip, an answer that arrives late or a larger K opens them again.
- **Concern raised**: someone doubts the disambiguations of a long-answer question. No one else
  gets it until staff exclude it or keep it; people who have it can continue, and are paid.
- **Excluded** by the team stays excluded until the team restores it, whatever is answered; people
  who have the question can continue, and are paid.
- A submission that staff exclude (soft reject) keeps its pay, and its seat opens for someone else.
"""
