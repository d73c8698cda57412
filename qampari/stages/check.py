"""People check every answer of a question by its evidence (Q1)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import orjson

from accounts import prepared_statements
from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.golds.queries import count_unsuggested_copies, shown_of
from annotation.models import Assignment, Project, Question, Split, StagePolicy, Submission
from annotation.sheets.choice_sheet import Chosen
from annotation.sheets.fields import FormData
from annotation.sheets.report import FindingsReport
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.queries import find_suggestions
from annotation.suggestions.sheet import suggestion_in
from annotation.suggestions.stage import SuggestingStage
from annotation.suggestions.values import Fate, SuggestionOffers
from annotation.work.json_stage import JsonStage, given_of
from qampari.golds import WrongAnswers, wrong_answer
from qampari.records import count_of
from qampari.settings import ALL
from qampari.sheets import AnswerShown, CheckContext, CheckSheet, show_evidence
from qampari.statements import ANSWERS_TO_CHECK, IN_RESERVE, NAMES_OF_ANSWERS
from qampari.suggested_verdicts import keep_offer_on
from qampari.verdicts import CHECK


def answers_of(question: int, positions: Sequence[int]) -> tuple[AnswerShown, ...]:
    """Return answers of a question with their evidence, as they are shown. One query."""
    values = {"question": question, "positions": list(positions)}
    return tuple(
        AnswerShown(
            position,
            text,
            tuple(form for form in orjson.loads(forms) if form != text),
            show_evidence(orjson.loads(evidence or "[]")),
        )
        for position, text, forms, evidence in prepared_statements.fetch_rows(
            ANSWERS_TO_CHECK, values
        )
    )


class Checking(SuggestingStage[Chosen, CheckContext], JsonStage[Chosen, CheckContext]):
    """One answer of a question, by everyone who is asked. A question has a task for each."""

    key = CHECK
    label = "Answer check"
    counted = "answer"
    every_question = False
    to_do = "to check"
    expects = "You see one answer at a time, with all the evidence that you need."
    enough = "has been checked by as many people as it needs"
    sheet = CheckSheet(source="Q1", settings=ALL)
    taking = sheet.taking
    suggested: Sequence[str] = ("verdict",)
    golds = WrongAnswers(CHECK, sheet)
    about: Mapping[str, str] = {"answer": "Answer"}
    revisable: int | None = 5
    # Set aside while it waits in the reserve.
    ruled = IN_RESERVE

    def tasks_for(self, question: Question) -> Sequence[str]:
        """Return one task for each answer that the question came with."""
        return [str(position) for position in range(count_of(question.context))]

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """One person for each answer of dev and test; train is not checked (Q5)."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=1, minimum_seconds=0)
            for split in (Split.DEV, Split.TEST)
        ]

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> CheckContext:
        """One query, for the answer and its evidence; also where a wrong answer takes its place,
        so that nothing sets its page apart.
        """
        gold = shown_of(assignment.task)
        answers = answers_of(assignment.task.question_id, [int(gold.unit)])
        if not answers:
            raise Conflict("This answer is gone, so it cannot be checked any more.")
        if gold.content:
            answers = (wrong_answer(gold),)
        given = vars(given_of(assignment, now=now))
        offered = self._find_verdict(assignment, answers[0].text)
        return CheckContext(**given | {"answers": answers, "suggestions": offered})

    def _find_verdict(self, assignment: Assignment, text: str) -> SuggestionOffers | None:
        """Return what a model says of the answer that is shown, whatever it is. No query.

        Whoever had chosen before there was anything to show is shown nothing: that was their look.
        """
        looked = bool(self.sheet.load(assignment.draft).verdict)

        @cache
        def _is_ready() -> bool:
            policy = assignment.policy
            return not looked and not count_unsuggested_copies(policy, policy.suggestions)

        offered = find_suggestions(assignment, self.suggested)
        return keep_offer_on(offered, text, assignment.pk, _is_ready)

    def apply_press(
        self,
        assignment: Assignment,
        response: Chosen,
        press: str,
        given: CheckContext,
        post: FormData,
        *,
        by: User,
        now: dt.datetime,
    ) -> Chosen:
        """Record the first own verdict before anything is made of a model's."""
        if suggestion_in(press) is not None:
            self.record_saved_draft(assignment, response, given, by=by, now=now)
        return super().apply_press(assignment, response, press, given, post, by=by, now=now)

    def record_saved_draft(
        self,
        assignment: Assignment,
        response: Chosen,
        given: CheckContext,
        *,
        by: User,
        now: dt.datetime,
    ) -> None:
        """Record that a model's verdict was shown after this one, or who follows it since then."""
        if given.suggestions is None or not self.taking.has_begun(response):
            return
        offers = given.suggestions.rows()
        fates: dict[int, Fate] = {
            offer.pk: "accepted"
            for offer in offers
            if offer.before and offer.before != response.verdict == offer.content.verdict
        }
        if suggestions_services.record_seen_suggestions(
            assignment=assignment,
            seen=offers,
            fates=fates,
            by=by,
            now=now,
            before=response.verdict,
        ):
            given.suggestions.forget()

    def write_rows(
        self,
        assignment: Assignment,
        response: Chosen,
        report: FindingsReport,
        *,
        given: CheckContext,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the response, and whether the person followed a model's verdict that they saw."""
        if given.suggestions and any(offer.shown for offer in given.suggestions.rows()):
            self.record_saved_draft(assignment, response, given, by=by, now=now)
        return super().write_rows(assignment, response, report, given=given, by=by, now=now)

    def values_to_store(
        self, assignment: Assignment, response: Chosen, given: CheckContext, *, now: dt.datetime
    ) -> dict[str, Any]:
        """Return the answer that was shown."""
        return {"answer": given.answers[0].text}

    def name_submissions(self, assignments: Sequence[Assignment]) -> list[str]:
        """Return the answers that were checked. One query."""
        pks = [assignment.pk for assignment in assignments]
        found = dict(
            prepared_statements.fetch_rows(NAMES_OF_ANSWERS, {"assignments": pks}) if pks else ()
        )
        return [found.get(pk) or "(no text)" for pk in pks]

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the answer with what was said of it."""
        context = super().ended_page_context(assignment)
        [name] = self.name_submissions([assignment])
        return context | {"texts": [("Answer", name), *context["texts"]]}
