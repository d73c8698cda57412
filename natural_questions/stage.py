"""One person takes three steps on a question: it, its long answer, and its short answer."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.golds import queries as golds_queries
from annotation.models import Assignment, Project, Question, Split, StagePolicy, Submission
from annotation.sheets.report import FindingsReport
from annotation.suggestions.queries import find_suggestions
from annotation.suggestions.stage import SuggestingStage
from annotation.work import leases
from annotation.work import succession as steps
from annotation.work.json_stage import JsonStage
from natural_questions.annotation import PageAnnotation, from_json, to_json
from natural_questions.golds import AgreedAnswers
from natural_questions.parsed_pages import parsed_of
from natural_questions.response import PageAnswerResponse
from natural_questions.sheet import (
    STEPS,
    NaturalQuestionsSheet,
    PageWorkContext,
    annotation_of,
    words_at,
)

MISSING = "This question has no page, so its long answer cannot be chosen. Skip it."


class NaturalQuestions(
    SuggestingStage[PageAnswerResponse, PageWorkContext],
    JsonStage[PageAnswerResponse, PageWorkContext],
):
    """Good or bad question, long answer, short answer."""

    key = "nq"
    label = "Question and answers"
    sheet = NaturalQuestionsSheet()
    golds = AgreedAnswers(key)
    taking = sheet.taking
    suggested: Sequence[str] = ("long_answer",)
    suggested_on: Collection[str] = (Split.TRAIN.value,)
    no_suggestions = (
        "Systems are scored by the answers on dev and test, so the people who give these see no "
        "suggestion of one. Suggestions can be shown on train."
    )

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """One person on train, five on dev and test, as in the paper. No minimum time."""
        policies = super().default_policies(project)
        for policy in policies:
            policy.people = 1 if policy.split == Split.TRAIN else 5
        return policies

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> PageWorkContext:
        """Return what the step in hand shows: nothing of the page before the question is judged,
        and only the chosen box after that. Suggestions name boxes, so only the second step has any.
        """
        progress = steps.progress_of(assignment)
        question = assignment.task.question
        nothing = PageWorkContext(
            question.prompt, progress.at, settings=assignment.project.rule_settings
        )
        if progress.at == 0:
            return nothing
        whole = page_given(question, progress.at, nothing.settings)
        if whole is None:
            return nothing
        if progress.at == 1:
            shown = self.suggested if question.split in self.suggested_on else ()
            return replace(whole, suggestions=find_suggestions(assignment, shown))
        chosen = whole.find_box(self.sheet.load(progress.answers).box)
        return replace(whole, boxes=[chosen] if chosen else [])

    def record_saved_draft(
        self,
        assignment: Assignment,
        response: PageAnswerResponse,
        given: PageWorkContext,
        *,
        by: User,
        now: dt.datetime,
    ) -> None:
        """Record the suggestions that are shown now; of a step that is left, those that were."""
        left = steps.progress_of(assignment).at != given.at
        super().record_saved_draft(
            assignment, response, _as_seen(given) if left else given, by=by, now=now
        )

    def write_rows(
        self,
        assignment: Assignment,
        response: PageAnswerResponse,
        report: FindingsReport,
        *,
        given: PageWorkContext,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the response; the second step can be the last one, with suggestions."""
        self.record_saved_draft(assignment, response, _as_seen(given), by=by, now=now)
        return super().write_rows(assignment, response, report, given=given, by=by, now=now)

    def values_to_store(
        self,
        assignment: Assignment,
        response: PageAnswerResponse,
        given: PageWorkContext,
        *,
        now: dt.datetime,
    ) -> dict[str, Any]:
        """Return the annotation in the words of Natural Questions, and the words of its answers."""
        progress = steps.progress_of(assignment)
        timed = progress.with_step_time(STEPS[progress.at].key, leases.seconds_at(assignment, now))
        annotation = annotation_of(response, given, timed.seconds)
        said = {"long": words_at(given, annotation.long)}
        said["short"] = ", ".join(words_at(given, span) for span in annotation.short)
        return {"annotation": to_json(annotation), "said": said}

    def list_submission_texts(self, submission: Submission) -> list[tuple[str, str]]:
        """Return the submission for display, with the words of its answers."""
        said = submission.response.get("said", {})
        words = {"Long answer": said.get("long"), "Words": said.get("short")}
        return [
            (label, words.get(label) or text)
            for label, text in super().list_submission_texts(submission)
        ]

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show what was submitted in words, where it was submitted."""
        context = super().ended_page_context(assignment)
        submission = Submission.objects.filter(assignment_id=assignment.pk).first()
        return context | ({"texts": self.list_submission_texts(submission)} if submission else {})

    def check_fits(
        self, assignment: Assignment, response: PageAnswerResponse, given: PageWorkContext
    ) -> None:
        """Refuse an answer to a question whose page has gone."""
        if given.at and not given.tokens:
            raise Conflict(MISSING)


def _as_seen(given: PageWorkContext) -> PageWorkContext:
    """Return it with only the suggestions that the person has seen: a step that ends shows none."""
    return replace(given, suggestions=given.suggestions and given.suggestions.keep_shown())


def page_given(
    question: Question, at: int, settings: Mapping[str, object]
) -> PageWorkContext | None:
    """Return the page of a question, None if it has none. One query."""
    page = parsed_of(question.pk)
    if page is None:
        return None
    return PageWorkContext(
        prompt=question.prompt,
        at=at,
        title=page.title,
        address=page.address,
        tokens=page.tokens,
        boxes=page.boxes,
        html=lambda: page.html,
        settings=settings,
    )


def annotation_in(response: Mapping[str, Any]) -> PageAnnotation:
    """Return the annotation in the stored response of a submission."""
    return from_json(response["annotation"])


def submissions_on(question_ids: Sequence[int]) -> QuerySet[Submission]:
    """Return the submissions on these questions whose answers count, oldest first."""
    rows = Submission.objects.filter(question_id__in=list(question_ids), stage=NaturalQuestions.key)
    used = rows.filter(assignment__state=Assignment.State.SUBMITTED, assignment__used=True)
    return used.order_by("pk")


def list_credited_assignments(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose answers count. One query."""
    return golds_queries.list_credited_assignments(question_ids, [NaturalQuestions.key])
