"""Staff check all doubted answers and a share of the others, then the question is decided (Q4)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation.core.refusals import Conflict
from annotation.models import Assignment, Project, Question, Role, Split, StagePolicy
from annotation.work import seats
from annotation.work.json_stage import JsonStage, given_of
from qampari import settings
from qampari.sheets import CheckContext, TeamResponse, TeamSheet
from qampari.stages.check import answers_of
from qampari.verdicts import TEAM, decide_outcome, read_answers_and_settings, read_judged_answers

_AGAIN = "The answers were checked again."


class TeamChecking(JsonStage[TeamResponse, CheckContext]):
    """The answers of one question that staff look at, on one page."""

    key = TEAM
    label = "Team check"
    role = Role.RESEARCHER.value
    first = False
    every_question = False
    opens_in = Question.State.VALIDATING.value
    decides = True
    people_max = 1
    to_do = "to check as staff"
    expects = "You see the answers that someone doubted, and some that no one did."
    none_ready = (
        "No question is ready for the team",
        "Questions appear here when every answer has been checked and one of them was doubted or "
        "drawn.",
    )
    no_golds = "Staff decide here which answers are correct, and no one checks them by known ones."
    sheet = TeamSheet()

    def tasks_for(self, question: Question) -> Sequence[str]:
        """Return one task if the question waits for staff."""
        return [""] if question.state == Question.State.VALIDATING else []

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """One member of staff on dev and test."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=1, minimum_seconds=0)
            for split in (Split.DEV, Split.TEST)
        ]

    def decide_states(self, questions: Mapping[int, bool]) -> Mapping[int, str]:
        """Accept questions with enough distinct answers; the others drop out. One query."""
        decided = {}
        for pk, (values, rows) in read_answers_and_settings(questions).items():
            found = decide_outcome(
                rows, share=settings.get_checked_share(values), asked=questions[pk]
            )
            if not found.waits:
                enough = found.distinct >= settings.get_least_answers(values)
                state = Question.State.ACCEPTED if enough else Question.State.EXCLUDED
                decided[pk] = state.value
        return decided

    def reopen_questions(self, question_ids: Sequence[int], *, now: dt.datetime) -> None:
        """Leave out what staff said of answers that are being checked again; it stays paid."""
        held = Assignment.objects.filter(
            task__question__in=question_ids, stage=self.key, state="submitted", used=True
        )
        rows = list(held.order_by("pk").values_list("pk", "project_id"))
        held.update(used=False, staff_note=_AGAIN)
        for pk, project in rows:
            entry = seats.PendingAuditRow(
                "assignment_left_out", f"assignment:{pk}", {"note": _AGAIN}
            )
            seats.write_entries([entry], by=None, now=now, project=project)

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> CheckContext:
        """Two queries: what was said of the answers, and those to check with their evidence."""
        question = assignment.task.question_id
        share = settings.get_checked_share(assignment.project.rule_settings)
        rows = read_judged_answers([question]).get(question, [])
        wanted = {row.position: row.notes for row in rows if row.goes_to_staff(share) or row.team}
        answers = tuple(
            replace(answer, notes=wanted[answer.position])
            for answer in answers_of(question, list(wanted))
        )
        return CheckContext(**vars(given_of(assignment, now=now)) | {"answers": answers})

    def check_fits(
        self, assignment: Assignment, response: TeamResponse, given: CheckContext
    ) -> None:
        """Refuse verdicts on a question that no longer waits for them."""
        if assignment.task.question.state != Question.State.VALIDATING:
            raise Conflict(
                "This question no longer waits for the team: its answers are being checked again, "
                "or it is decided. What you chose is kept."
            )
