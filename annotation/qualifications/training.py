"""A person's progress through a training: self-study, walk-through, exam, accepted.

Nothing here knows Django or the database.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Literal

Where = Literal["study", "walk-through", "exam", "grading", "accepted"]


@dataclass(frozen=True)
class Step:
    """One step as shown to the person."""

    key: str
    title: str
    text: str
    state: Literal["done", "now", "later"]


@dataclass(frozen=True)
class TrainingFacts:
    """The facts about one person and one qualification.

    `samples` and `items` count the items of self-study and exam, `handed_in` the samples that the
    person has submitted. `study` and `exam` are the states of the latest attempt at each.
    """

    samples: int
    items: int
    walk_through: bool
    handed_in: int = 0
    study_done: bool = False
    held_on: dt.date | None = None
    exam: str | None = None
    qualified: bool = False

    @property
    def trains(self) -> bool:
        """Whether the qualification has any training before the exam."""
        return bool(self.samples) or self.walk_through

    @property
    def where(self) -> Where:
        """The person's next step; `grading` is up to the team."""
        if self.qualified:
            return "accepted"
        if self.samples and not self.study_done:
            return "study"
        if self.walk_through and self.held_on is None:
            return "walk-through"
        return "grading" if self.exam == "in_review" else "exam"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the training before the exam in their order, empty if it has none."""
        return _list_steps(self)


def format_count(number: int, thing: str) -> str:
    """Return “1 sample question”, “3 sample questions”."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def next_step_sentence(facts: TrainingFacts) -> str:
    """Return the next step, for the home page of a person who is waiting for work."""
    if facts.where == "study":
        if facts.handed_in:
            return f"Continue your self-study: {_progress(facts)}."
        return f"Begin with self-study: {format_count(facts.samples, 'sample question')}."
    if facts.where == "walk-through":
        return "Next is your walk-through. The team arranges it with you."
    if facts.where == "grading":
        return "The team is reading your exam. Work appears here once you are accepted."
    if facts.exam == "in_progress":
        return "Continue your exam."
    if facts.exam in ("submitted", "failed"):
        return "See the result of your exam."
    return f"Take the exam: {format_count(facts.items, 'question')}."


def exam_refusal(facts: TrainingFacts) -> str:
    """Return why the exam cannot begin yet, "" if training does not prevent it."""
    if facts.where == "study":
        return f"Self-study comes first: {_progress(facts)}."
    if facts.where == "walk-through":
        return "The walk-through comes first. The team marks it here once it has been held."
    return ""


def _list_steps(facts: TrainingFacts) -> tuple[Step, ...]:
    if not facts.trains:
        return ()
    parts = []
    if facts.samples:
        parts.append(("study", "Self-study", _study(facts)))
    if facts.walk_through:
        parts.append(("walk-through", "Walk-through", _walk_through(facts)))
    parts.append(("exam", "Exam", _exam(facts)))
    parts.append(("accepted", "Accepted", "Then work appears under My work."))
    now = "exam" if facts.where == "grading" else facts.where
    at = [key for key, _, _ in parts].index(now)
    at = len(parts) if now == "accepted" else at
    return tuple(
        Step(key, title, text, "done" if place < at else "now" if place == at else "later")
        for place, (key, title, text) in enumerate(parts)
    )


def _progress(facts: TrainingFacts) -> str:
    return f"{facts.handed_in} of {format_count(facts.samples, 'sample')} submitted"


def _study(facts: TrainingFacts) -> str:
    if facts.study_done:
        return "You have answered the samples."
    if facts.handed_in:
        return f"{_progress(facts)}."
    samples = format_count(facts.samples, "sample question")
    return f"{samples}. Answer each on your own; then you will see what the team prepared."


def _walk_through(facts: TrainingFacts) -> str:
    if facts.held_on:
        return f"Held on {facts.held_on.day} {facts.held_on:%B %Y}."
    return "The team goes through the full instructions with you, and through your samples."


def _exam(facts: TrainingFacts) -> str:
    asked = format_count(facts.items, "question")
    if facts.qualified:
        return f"{asked}."
    if facts.exam == "in_review":
        return "Submitted. The team will review it and write to you about each answer."
    if facts.exam == "in_progress":
        return f"{asked}, begun."
    if facts.exam in ("submitted", "failed"):
        return f"{asked}, not passed."
    return f"{asked}. The team will review your answers and write to you about each."
