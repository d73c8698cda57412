"""Steps in succession: what a sheet asks for one after the other, and how far somebody is.

A sheet with `steps` asks for the fields of one step at a time. Once a step is finished its answers
stay as they are, unless the person goes back to it, and only then does the next one begin: a
stage's `given` asks `StepProgress.at` what may be shown so far. `annotation.work.succession` keeps
the progress, finishes steps and goes back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeVar

from annotation.sheets.report import FindingsReport

R = TypeVar("R")


@dataclass(frozen=True)
class Step:
    """One step of a sheet.

    fields: the attributes of the response that it asks for; rules: the keys of the rules that hold
    from this step on; press: the button that finishes it while another step follows; again: whether
    one may go back to it once it is finished.
    """

    key: str
    label: str
    fields: tuple[str, ...]
    rules: tuple[str, ...] = ()
    press: str = "Next step"
    again: bool = False


@dataclass(frozen=True)
class StepProgress:
    """How far somebody is: the place of the step in hand, counted from 0.

    answers: the draft as it was when the last step was finished or gone back from; seconds: active
    seconds of each step so far, by its key; since: the version of the draft at which the step in
    hand began; dropped: a sentence about answers that no longer fitted then, "" if all did.
    """

    at: int = 0
    answers: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, int] = field(default_factory=dict)
    since: int = 0
    dropped: str = ""

    def with_step_changed(
        self, by: int, answers: Mapping[str, Any], since: int, dropped: str
    ) -> "StepProgress":
        """Return the progress in the next step (1) or the one before (-1), with these answers."""
        return replace(self, at=self.at + by, answers=answers, since=since, dropped=dropped)

    def with_step_time(self, key: str, active_seconds: int) -> "StepProgress":
        """Return the progress with the seconds of the step in hand: what no other step took."""
        others = sum(seconds for step, seconds in self.seconds.items() if step != key)
        return replace(self, seconds={**self.seconds, key: max(0, active_seconds - others)})


def load_progress(stored: Mapping[str, Any]) -> StepProgress:
    """Return the progress that `dump_progress` stored; nothing stored is the beginning."""
    return StepProgress(**stored)


def dump_progress(progress: StepProgress) -> dict[str, Any]:
    """Return the progress as JSON."""
    return asdict(progress)


def replace_answers(steps: Sequence[Step], response: R, answers: R) -> R:
    """Return the response with the `answers` of these steps in place of its own."""
    names = [name for step in steps for name in step.fields]
    return replace(response, **{name: getattr(answers, name) for name in names})  # type: ignore[type-var]


def find_previous_step(steps: Sequence[Step], at: int) -> Step | None:
    """Return the step that one may go back to from this place, None if there is none."""
    return steps[at - 1] if at and steps[at - 1].again else None


def list_fixed_steps(steps: Sequence[Step], at: int) -> list[str]:
    """Return the labels of the finished steps that one cannot go back to."""
    return [step.label for step in steps[:at] if not step.again]


def drop_later_rules(steps: Sequence[Step], report: FindingsReport, at: int) -> FindingsReport:
    """Return the report without the rules of later steps."""
    later = {rule for step in steps[at + 1 :] for rule in step.rules}
    return FindingsReport(
        findings=tuple(finding for finding in report.findings if finding.rule not in later),
        blocking=tuple(finding for finding in report.blocking if finding.rule not in later),
        checklist=tuple(item for item in report.checklist if item.key not in later),
    )


@dataclass(frozen=True)
class StepShown:
    """A step as a page lists it; `state` is "done", "now" or "later"."""

    key: str
    label: str
    number: int
    state: str


def list_steps(steps: Sequence[Step], at: int) -> list[StepShown]:
    """Return every step for its line on the page."""
    return [
        StepShown(
            step.key,
            step.label,
            place + 1,
            "done" if place < at else "now" if place == at else "later",
        )
        for place, step in enumerate(steps)
    ]
