"""The stages of judges: one answer alone (`Accuracy`), or two side by side (`Comparison`).

Nothing that reaches a page tells which system wrote which text: the sheet gets the texts in the
order of the sides, and the rest stays here.
"""

import datetime as dt
from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from accounts import prepared_statements
from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.models import Assignment, Project, Question, Role, StagePolicy, Submission
from annotation.sheets.report import FindingsReport
from annotation.threads import queries as threads_queries
from annotation.work.json_stage import JsonStage
from evaluation.judging.expert import EXPERT
from evaluation.judging.sheet import JudgingContext, JudgingResponse, JudgingSheet
from evaluation.judging.shown import show_texts
from evaluation.judging.statements import PLACE_IN_STUDY, SEEN_ITEM
from evaluation.studies.models import Judgment, Study

LAST = 5  # submissions that a judge can change
PACE_FROM = 3  # submissions that tell how long a judge takes


@dataclass(frozen=True, kw_only=True)
class ItemJudgingContext(JudgingContext):
    """What a judge is shown, and what only the judgment records.

    swapped: the second system is on the left; authors: of the first and the second text.
    """

    item: int
    swapped: bool
    authors: tuple[int | None, int | None]


class Judging(JsonStage[JudgingResponse, JudgingContext], ABC):
    """What judges do on the items of a study, which opens their tasks."""

    role = Role.JUDGE.value
    first = False
    every_question = False
    meets_others = True
    revisable: int | None = LAST
    measured = ("For a study", "Your judgment is part of a blind study. It shows you no result.")
    expects = "You never see who or what wrote an answer."
    none_ready = ("Nothing to judge", "Answers appear here once a study has a place for you.")
    enough = "has as many judgments as it needs"
    no_golds = (
        "A study plans which answers are judged by how many people, and those that it repeats show "
        "who is careless."
    )
    sheet = JudgingSheet()

    def tasks_for(self, question: Question) -> Sequence[str]:
        """No tasks: a study makes them."""
        return []

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """No policies: the first study of a split makes its policy."""
        return []

    def build_sheet_context(
        self, assignment: Assignment, *, now: dt.datetime
    ) -> ItemJudgingContext:
        """One query."""
        study, position = map(int, assignment.task.unit.split("-"))
        values = {"assignment": assignment.pk, "study": study, "position": position}
        rows = prepared_statements.fetch_rows(SEEN_ITEM, values)
        if not rows:
            raise Conflict("An answer of this question is gone, so it cannot be judged any more.")
        [(item, repeats, base, earlier, criteria, steps, accuracy, how, pairs, *outputs)] = rows
        one, author, two, other = outputs
        swapped = two is not None and (base + earlier + repeats) % 2 == 1
        shown = show_texts(
            assignment.task.question.prompt,
            [text for text in (one, two) if text is not None],
            how=how,
            swapped=swapped,
            pairs=orjson.loads(pairs or "[]"),
            accuracy=accuracy,
            criteria=orjson.loads(criteria),
            steps=steps,
        )
        return ItemJudgingContext(
            **vars(shown), item=item, swapped=swapped, authors=(author, other)
        )

    def check_fits(
        self, assignment: Assignment, response: JudgingResponse, given: JudgingContext
    ) -> None:
        """Refuse the person's own text: they may have become its author meanwhile."""
        assert isinstance(given, ItemJudgingContext)
        if assignment.user_id in given.authors:
            raise Conflict(
                "You wrote one of these answers, so you cannot judge it. Release this question."
            )

    def write_rows(
        self,
        assignment: Assignment,
        response: JudgingResponse,
        report: FindingsReport,
        *,
        given: JudgingContext,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the submission, and the judgment that says which side was whose."""
        assert isinstance(given, ItemJudgingContext)
        response = self.sheet.adapt_response(response, given)
        submission = super().write_rows(assignment, response, report, given=given, by=by, now=now)
        first, second = given.authors
        Judgment.objects.create(
            item_id=given.item,
            judge=by,
            swapped=given.swapped,
            first_author_id=first,
            second_author_id=second,
            submission=submission,
            created_at=now,
        )
        return submission

    def check_may_change(self, assignment: Assignment) -> None:
        """Refuse once the study is closed."""
        if not _running([assignment]):
            raise Conflict("This study is closed, so its judgments stay as they are.")

    def list_readers(self, protocol: str) -> Sequence[str]:
        """None: what a study finds is read when it is closed."""
        return ()

    def page_context(
        self, assignment: Assignment, given: JudgingContext, context: Mapping[str, Any], *, by: User
    ) -> dict[str, Any]:
        """Add the person's place in the study, and their last judgments. Two or three queries."""
        place = {"user": by.pk, "policy": assignment.policy_id, "assignment": assignment.pk}
        units = f"{_study(assignment)}-%"
        [(done, seconds, left)] = prepared_statements.fetch_rows(
            PLACE_IN_STUDY, {**place, "units": units}
        )
        minutes = round(float(seconds) * (left + 1) / 60) if done >= PACE_FROM else 0
        place = {"number": done + 1, "of": done + 1 + left, "minutes_left": minutes}
        return super().page_context(assignment, given, context, by=by) | place

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the texts with what was chosen."""
        response = self.sheet.load(assignment.draft)
        given = self.build_sheet_context(assignment, now=assignment.seen_at)
        return {
            "sides": list(zip(given.names, given.texts, strict=True)),
            "texts": self.sheet.list_labelled_texts(response, given),
            "threads": threads_queries.list_threads(assignment),
            "can_change": assignment in self.list_changeable(assignment),
        }

    def list_changeable(self, assignment: Assignment) -> list[Assignment]:
        """Return the person's last judgments in studies that run, newest first."""
        last = super().list_changeable(assignment)
        running = _running(last)
        return [row for row in last if _study(row) in running]


def _study(assignment: Assignment) -> int:
    return int(assignment.task.unit.partition("-")[0])


def _running(assignments: Sequence[Assignment]) -> set[int]:
    """Return the studies of these assignments that run."""
    studies = {_study(assignment) for assignment in assignments}
    running = Study.objects.filter(pk__in=studies, state=Study.State.RUNNING) if studies else ()
    return {study.pk for study in running}


class Accuracy(Judging):
    """What one answer says, without comparing it (S25)."""

    key = "accuracy"
    label = "Accuracy"
    counted = "answer"


class Comparison(Judging):
    """What each of two answers says, and which is better (S24-S28)."""

    key = "comparison"
    label = "Comparison"
    counted = "pair of answers"


STUDIES = (Accuracy.key, Comparison.key, EXPERT)
