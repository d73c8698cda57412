"""The history of one question since its import: rows of the log as sentences."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import Assignment, AuditEntry, Question
from annotation.stages import registry as stages

MOST = 300


@dataclass(frozen=True)
class TimelineEvent:
    """One line. tone: "done" for work and decisions, "asked" for what someone has to deal with."""

    at: dt.datetime
    what: str
    more: str = ""
    tone: str = ""


# Sentences by action: {who} is the actor, {whose} the owner of the turn.
_DONE, _ASKED = "done", "asked"
_SENTENCES: Mapping[str, tuple[str, str]] = {
    "assignment_taken": ("{who} took it {to}", ""),
    "assignment_submitted": ("{who} submitted", _DONE),
    "assignment_changed": ("{who} changed what they submitted", _DONE),
    "assignment_skipped": ("{who} skipped it", _ASKED),
    "assignment_parked": ("{who} parked it", ""),
    "assignment_resumed": ("{who} resumed it", ""),
    "assignment_reopened": ("{who} took it up again", ""),
    "assignment_returned": ("{who} gave it back", ""),
    "assignment_expired": ("{whose} ran out of time", ""),
    "assignment_returned_to_author": ("{who} returned it to {whose}", _ASKED),
    "assignment_left_out": ("{who} excluded the work of {whose}", _DONE),
    "assignment_used_again": ("{who} put the work of {whose} back", _DONE),
    "thread_opened": ("{who} wrote to the team", _ASKED),
    "thread_answered": ("{who} answered", ""),
    "thread_withdrawn": ("{who} withdrew what they asked", ""),
    "thread_reopened": ("{who} reopened the thread", _ASKED),
    "claim_upheld": ("{who} kept the result after the claim", _DONE),
    "claim_changed": ("{who} changed the result after the claim", _DONE),
    "claim_ruling_undone": ("{who} took the decision on the claim back", _ASKED),
    "concern_raised": ("{who} raised a concern", _ASKED),
    "concern_changed": ("{who} changed the concern", ""),
    "concern_withdrawn": ("{who} withdrew the concern", ""),
    "concern_upheld": ("{who} excluded the question", _DONE),
    "concern_dismissed": ("{who} kept the question", _DONE),
    "concern_reopened": ("{who} reopened the concern", _ASKED),
    "question_text_changed": ("{who} imported it again with another text", ""),
    "decision_replaced": ("{who} imported its answers again", _DONE),
    "annotations_replaced": ("{who} imported its annotations again", _DONE),
    "long_answers_replaced": ("{who} imported its long answers again", _DONE),
    "question_excluded": ("{who} excluded the question", _DONE),
    "question_restored": ("{who} restored the question", _DONE),
    "question_sent_back": ("{who} sent it back to validation", _ASKED),
    "question_moved": ("{who} moved it from {before} to {after}", ""),
    "question_priority": ("{who} changed its place in the queue: {after}", ""),
}
# A change of state gets a line only if no person's action already says the same.
_STATES: Mapping[str, tuple[str, str]] = {
    Question.State.AUTO_ACCEPTED: ("Accepted automatically: all answers match", _DONE),
    Question.State.SKIPPED: ("Set aside: everyone asked has skipped it", _ASKED),
}
_NOT_TOLD = frozenset({"assignment_extended"})


def entries_of(
    question: Question, turns: Iterable[int], threads: Iterable[int], concerns: Iterable[int]
) -> list[AuditEntry]:
    """Return the rows of the log about the question, its turns, threads and concerns. One query."""
    targets = [
        f"question:{question.pk}",
        *(f"assignment:{pk}" for pk in turns),
        *(f"thread:{pk}" for pk in threads),
        *(f"concern:{pk}" for pk in concerns),
    ]
    rows = AuditEntry.objects.filter(target__in=targets).order_by("-pk")
    return list(rows[:MOST])[::-1]


def build_timeline(
    question: Question,
    entries: Sequence[AuditEntry],
    turns: Sequence[Assignment],
    names: Mapping[int, str],
    *,
    finished: bool,
) -> list[TimelineEvent]:
    """Return the lines, oldest first. `finished`: it was imported as finished work."""
    whose = {f"assignment:{turn.pk}": turn for turn in turns}
    first = "Imported as finished work" if finished else "Imported"
    lines = [TimelineEvent(question.created_at, first)]
    for entry in entries:
        told = _told(entry, whose.get(entry.target), names)
        if told is not None:
            lines.append(told)
    return lines


def _told(
    entry: AuditEntry, turn: Assignment | None, names: Mapping[int, str]
) -> TimelineEvent | None:
    if entry.action == "question_state":
        state = _STATES.get(entry.data.get("after", ""))
        return TimelineEvent(entry.at, *_apart(state)) if state else None
    if entry.action in _NOT_TOLD:
        return None
    unknown = f"{entry.action.replace('_', ' ').capitalize()}, {{who}}"
    sentence, tone = _SENTENCES.get(entry.action, (unknown, ""))
    validates = turn is not None and stages.get_stage(turn.stage).decides
    if entry.action == "assignment_submitted" and validates:
        sentence = "{who} validated it"
    if entry.action == "thread_opened" and entry.data.get("kind") == "claim":
        sentence = "{who} made a claim"
    words = sentence.format(
        who=names.get(entry.actor or 0, "The system"),
        whose=names.get(turn.user_id, "") if turn else "",
        to="to validate" if validates else "to answer",
        before=entry.data.get("before", ""),
        after=entry.data.get("after", ""),
    )
    return TimelineEvent(entry.at, words, _more(entry, turn), tone)


def _apart(state: tuple[str, str]) -> tuple[str, str, str]:
    return state[0], "", state[1]


def _more(entry: AuditEntry, turn: Assignment | None) -> str:
    """Return the reason that the person gave."""
    if entry.action == "assignment_skipped":
        reason = entry.data.get("reason", "")
        labels = dict(Assignment.SkipReason.choices)
        said = turn.feedback if turn and turn.state == Assignment.State.SKIPPED else ""
        return ": ".join(filter(None, [str(labels.get(reason, reason)), said]))
    return str(entry.data.get("note") or entry.data.get("reason") or "")
