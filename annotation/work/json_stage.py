"""A stage whose submissions are kept as JSON.

It needs no tables, migration, admin or export of its own: a response is written as one
`Submission`, and its sheet reads it back, exports it and shows it to the team. See
`docs/new_stage.md`.
"""

import datetime as dt
from abc import ABC
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

from django.utils.functional import SimpleLazyObject

from accounts import prepared_statements
from accounts.models import User
from annotation.access.turns import last_submitted
from annotation.core.models.people import Role
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Split
from annotation.core.models.submissions import Submission
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.reading.quotes import own_quotes
from annotation.sheets.report import FindingsReport
from annotation.sheets.response_quotes import quotes_in, with_quotes
from annotation.sheets.rules import HasKeeps, HasSettings
from annotation.sheets.work_context import WorkContext
from annotation.stages.choice_golds import ChoiceGolds
from annotation.stages.gold_items import Golds
from annotation.threads import queries as threads_queries
from annotation.work import leases
from annotation.work.stage import SheetStage, kept_warnings

R = TypeVar("R", bound=HasKeeps)
G = TypeVar("G", bound=HasSettings)
# The envelope of an export has its own keys for these.
_APART = {"keeps", "feedback", "suggestion"}


def given_of(assignment: Assignment, *, now: dt.datetime) -> WorkContext:
    """Return what an ordinary stage knows of an assignment.

    No query: the question's context and quotes are read when something asks for them.
    """
    question = assignment.task.question
    return WorkContext(
        prompt=question.prompt,
        context=cast("Mapping[str, Any]", SimpleLazyObject(lambda: question.context or {})),
        seconds_on_task=leases.seconds_at(assignment, now),
        minimum_seconds=assignment.policy.minimum_seconds,
        quotes=own_quotes(assignment),
        settings=assignment.project.rule_settings,
    )


class JsonStage(SheetStage[R, G], ABC):
    """A stage that needs only `key`, `label`, `sheet` and `given`.

    about: what of `beside` is shown before a response, by key, each with its label.
    """

    role = Role.ANNOTATOR.value
    about: Mapping[str, str] = {}

    @cached_property
    def golds(self) -> Golds | None:
        """Finished questions on which people chose alike, where the sheet has choices and the stage
        does not say why there are none.
        """
        golds = ChoiceGolds(self.key, self.sheet)
        return golds if golds.names and not self.no_golds else None

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """One person on each split."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=1, minimum_seconds=0)
            for split in Split
        ]

    def write_rows(
        self,
        assignment: Assignment,
        response: R,
        report: FindingsReport,
        *,
        given: G,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the response as the sheet's JSON, without quotes that are not the person's own."""
        named = quotes_in(self.sheet.form, response)
        own = own_quotes(assignment)(named) if named else {}
        submission = Submission(
            assignment=assignment,
            question_id=assignment.task.question_id,
            author=by,
            stage=self.key,
            response=self.sheet.dump(with_quotes(self.sheet.form, response, own))
            | self.values_to_store(assignment, response, given, now=now),
            keeps=kept_warnings(assignment, report, now=now),
            created_at=now,
        )
        prepared_statements.insert_rows([submission])
        if own:
            submission.quotes.set(own)
        return submission

    def values_to_store(
        self, assignment: Assignment, response: R, given: G, *, now: dt.datetime
    ) -> dict[str, Any]:
        """Return what is stored and exported with the response: what it is about, say. No query."""
        return {}

    def get_submission(self, assignment: Assignment) -> Submission:
        """Return the submission of this assignment."""
        return Submission.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the submission; the draft of the assignment still holds the response."""
        Submission.objects.filter(assignment_id=assignment.pk).delete()

    def values_for_log(self, assignment: Assignment) -> dict[str, object]:
        """Return the submitted response for the log."""
        submission = Submission.objects.filter(assignment_id=assignment.pk).first()
        if submission is None:
            raise Conflict(f"Assignment {assignment.pk} has no submission.")
        return dict(submission.response)

    def response_for_export(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored response as exports write it, without kept warnings, feedback, and
        which suggestion it began as.
        """
        return {name: value for name, value in response.items() if name not in _APART}

    def read_beside_responses(self, assignments: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
        """Return what exports have besides the responses in assignments. No query."""
        return {}

    def list_submission_texts(self, submission: Submission) -> list[tuple[str, str]]:
        """Return the submission for display: label and text of every field that has text."""
        stored = submission.response
        about = [(label, str(stored.get(key, ""))) for key, label in self.about.items()]
        texts = [*about, *self.sheet.list_field_texts(self.sheet.load(stored))]
        return [(label, text) for label, text in texts if text]

    def list_changeable(self, assignment: Assignment) -> list[Assignment]:
        """Return what the person may take back and change here, newest first.

        One query if the stage says of how many, none otherwise.
        """
        return last_submitted(assignment, most=self.revisable) if self.revisable else []

    def name_submissions(self, assignments: Sequence[Assignment]) -> list[str]:
        """Return what each submission is about, to tell a person's own from each other."""
        return [assignment.task.question.prompt for assignment in assignments]

    def page_context(
        self, assignment: Assignment, given: G, context: Mapping[str, Any], *, by: User
    ) -> dict[str, Any]:
        """Add the person's last submissions, each with its name and what they chose."""
        rows = self.list_changeable(assignment)
        said = [self.sheet.summarise_response(self.sheet.load(row.draft)) for row in rows]
        return {"last": list(zip(rows, self.name_submissions(rows), said, strict=True))}

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the submission, or else the draft, and the questions asked about it."""
        response = self.sheet.load(assignment.draft)
        return {
            "texts": [
                (label, text) for label, text in self.sheet.list_field_texts(response) if text
            ],
            "threads": threads_queries.list_threads(assignment),
            "can_change": assignment in self.list_changeable(assignment),
        }
