"""Work for other clients: take, look, save, submit, park, resume, skip and release.

These are the operations of the work page, with the same services, policies and rules behind them.
A stage's sheet says what of it leaves as JSON (`told`, `sent`) and reads what comes back
(`received`).
"""

from contextlib import suppress
from dataclasses import asdict
from typing import Any, cast

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.pseudonyms import question_code
from annotation.access.loaders import UserRequest, get_assignment
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied, ResponseRefused
from annotation.core.states import SENTENCES
from annotation.rest.answers import ABSENT_WORK, MOVED_ON, RefusalSerializer
from annotation.rest.base import OwnWorkView
from annotation.sheets.report import FindingsReport
from annotation.stages import registry as stages
from annotation.work import assignments, changing, drafts
from annotation.work.assignment_desk import AssignmentTurn, ChangeDesk, open_desk
from annotation.work.serializers import (
    FindingSerializer,
    ParkSerializer,
    ResponseSerializer,
    SavedElsewhereSerializer,
    SkipSerializer,
    StepResponseSerializer,
    StillToDoSerializer,
    WorkSerializer,
)

State = Assignment.State
ELSEWHERE = OpenApiResponse(SavedElsewhereSerializer, "It no longer fits; see `detail`.")
TOO_MUCH = OpenApiResponse(RefusalSerializer, "More was sent than a draft can hold.")
MOVED = {200: WorkSerializer, 404: ABSENT_WORK, 409: MOVED_ON, 413: TOO_MUCH}
SAVED = {200: WorkSerializer, 404: ABSENT_WORK, 409: ELSEWHERE, 413: TOO_MUCH}

CHANGED = {200: WorkSerializer, 404: ABSENT_WORK, 409: MOVED_ON}


class WorkView(OwnWorkView):
    """A view of one's own work."""

    def get_turn(self) -> AssignmentTurn:
        """Return the person's turn at the address; 404 for those of others."""
        request = cast(UserRequest, self.request)
        assignment = get_assignment(request, self.kwargs["assignment_id"])
        return AssignmentTurn(open_desk(assignment, by=self.person, now=timezone.now()))

    def respond_with_work(self) -> Response:
        """Answer with the work as it is now."""
        return Response(work_of(self.get_turn()))


def work_of(turn: AssignmentTurn) -> dict[str, Any]:
    """Return the turn as `WorkSerializer` describes it."""
    assignment, question = turn.desk.assignment, turn.desk.assignment.task.question
    given = report = None
    changing_until = turn.desk.row.ends_at if isinstance(turn.desk, ChangeDesk) else None
    is_open = turn.desk.is_in_hand or assignment.state == State.ACTIVE
    # Of a change whose time has ended, the draft is kept; what counts is what was submitted.
    row = turn.desk.row if is_open else assignment
    response = turn.with_other_steps(turn.sheet.load(row.draft))
    if is_open and turn.desk.may_look():
        response = turn.sheet.adapt_response(response, turn.given)
        given, report = turn.sheet.given_to_json(turn.given), turn.check_response(response)
    return {
        "id": assignment.pk,
        "project": assignment.project.slug,
        "stage": assignment.stage,
        "step": turn.step,
        "follows": turn.has_next_step(response),
        "can_go_back": turn.step_before is not None,
        "dropped": turn.progress.dropped,
        "state": assignment.state,
        "question": {
            "id": question_code(question.pk),
            "prompt": question.prompt,
            "split": question.split,
        },
        "given": given,
        "response": turn.sheet.response_to_json(response, assignment.pk),
        "version": row.draft_version,
        "findings": _findings(report) if report else [],
        "can_submit": bool(report and report.can_submit),
        "active_seconds": assignment.active_seconds,
        "lease_ends_at": assignment.lease_ends_at,
        "submitted_at": assignment.submitted_at,
        "changing_until": changing_until,
        "guideline_version": assignment.guideline_version,
        "newest_guideline_version": assignment.newest_guideline,
    }


def _findings(report: FindingsReport) -> list[dict[str, Any]]:
    names = FindingSerializer().fields
    return [
        {name: value for name, value in asdict(finding).items() if name in names}
        for finding in report.findings
    ]


class WorkTake(WorkView):
    """The next task of a stage."""

    check = None

    @extend_schema(
        operation_id="work_take",
        request=None,
        parameters=[
            OpenApiParameter("stage", str, OpenApiParameter.PATH, description="Key of a stage.")
        ],
        responses={
            200: WorkSerializer,
            204: OpenApiResponse(None, "No question is ready for you at the moment."),
            404: OpenApiResponse(RefusalSerializer, "No such project or stage of it."),
            409: MOVED_ON,
        },
    )
    def post(self, request: Request, slug: str, stage: str) -> Response:
        """Take the next task of a stage, or get the one in hand."""
        project = self.get_project()
        if stage not in {entry.key for entry in stages.of_protocol(project.protocol)}:
            raise Http404
        assignment = assignments.take_next(
            project=project, stage=stage, by=self.person, now=timezone.now()
        )
        if assignment is None:
            return Response(status=204)
        self.kwargs["assignment_id"] = assignment.pk
        return self.respond_with_work()


class WorkDetail(WorkView):
    """Work of one's own."""

    @extend_schema(
        operation_id="work_retrieve",
        responses={200: WorkSerializer, 404: ABSENT_WORK, 409: MOVED_ON},
    )
    def get(self, request: Request, assignment_id: int) -> Response:
        """Look at work of your own. Looking changes nothing."""
        return self.respond_with_work()


class WorkDraft(WorkView):
    """The draft of work."""

    @extend_schema(operation_id="work_save", request=ResponseSerializer, responses=SAVED)
    def post(self, request: Request, assignment_id: int) -> Response:
        """Save the response as the draft. It renews the time you have for the question."""
        turn, values = self.get_turn(), self.read_values(ResponseSerializer)
        response = turn.with_other_steps(
            turn.sheet.response_from_json(values["response"], turn.given)
        )
        turn.check_may_look(response, values["version"])
        response = turn.sheet.adapt_response(response, turn.given)
        try:
            turn.desk.save_draft(response, values["version"])
        except drafts.DraftConflict as conflict:
            return draft_conflict_response(turn, conflict)
        turn.desk.note_warnings(turn.check_response(response))
        return self.respond_with_work()


class WorkSubmit(WorkView):
    """The submission of work."""

    @extend_schema(
        operation_id="work_submit",
        request=ResponseSerializer,
        responses=SAVED
        | {422: OpenApiResponse(StillToDoSerializer, "Rules still find something.")},
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Submit the response. Submitting twice changes nothing.

        While you change what you submitted, this puts the response in its place.
        """
        turn, values = self.get_turn(), self.read_values(ResponseSerializer)
        changes = isinstance(turn.desk, ChangeDesk)
        if turn.desk.assignment.state == State.SUBMITTED and not changes:
            return self.respond_with_work()
        turn.check_step(turn.step, values["version"])
        response = turn.with_other_steps(
            turn.sheet.response_from_json(values["response"], turn.given)
        )
        if (conflict := turn.desk.find_newer_draft(response, values["version"])) is not None:
            return draft_conflict_response(turn, conflict)
        try:
            turn.desk.submit(response)
        except ResponseRefused as refused:
            return still_to_do(turn, response, values["version"], refused)
        except Denied:
            # The latest text is saved all the same, as the sentence promises.
            with suppress(Denied):
                turn.desk.save_draft(response, values["version"])
            raise
        return self.respond_with_work()


class WorkStep(WorkView):
    """The step in hand, where a stage asks for one thing after the other."""

    @extend_schema(
        operation_id="work_step",
        request=StepResponseSerializer,
        responses=SAVED
        | {422: OpenApiResponse(StillToDoSerializer, "Rules still find something.")},
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Finish a step, so that the next one is shown, or go back to the one before."""
        turn, values = self.get_turn(), self.read_values(StepResponseSerializer)
        if not turn.sheet.steps:
            raise Http404
        if turn.desk.assignment.state != State.ACTIVE:
            raise Conflict(SENTENCES[turn.desk.assignment.state])
        turn.check_step(values["step"], values["version"])
        response = turn.with_other_steps(
            turn.sheet.response_from_json(values["response"], turn.given)
        )
        try:
            move = turn.go_back if values["back"] else turn.finish_step
            move(response, values["version"])
        except ResponseRefused as refused:
            return still_to_do(turn, response, values["version"], refused)
        except drafts.DraftConflict as conflict:
            return draft_conflict_response(turn, conflict)
        return self.respond_with_work()


def still_to_do(
    turn: AssignmentTurn, response: Any, version: int, refused: ResponseRefused
) -> Response:
    """Save the response, and answer with everything that is still to do."""
    try:
        turn.desk.save_draft(response, version)
    except drafts.DraftConflict as conflict:
        return draft_conflict_response(turn, conflict)
    turn.desk.note_warnings(refused.report)
    answer = {
        "detail": str(refused),
        "findings": _findings(refused.report),
        "version": turn.desk.row.draft_version,
    }
    return Response(answer, status=refused.status)


def draft_conflict_response(turn: AssignmentTurn, conflict: drafts.DraftConflict) -> Response:
    """Answer with the draft that was saved in another window, or with the sentence alone."""
    theirs = turn.sheet.response_to_json(
        turn.load_response(conflict.theirs), turn.desk.assignment.pk
    )
    answer = {"detail": str(conflict), "version": conflict.version, "response": theirs}
    return Response(answer, status=conflict.status)


class WorkPark(WorkView):
    """Parking work."""

    @extend_schema(operation_id="work_park", request=ParkSerializer, responses=MOVED)
    def post(self, request: Request, assignment_id: int) -> Response:
        """Park the question with a reason. You keep your place and can resume it."""
        turn = self.get_turn()
        assignments.park_assignment(
            assignment=turn.desk.assignment,
            by=self.person,
            now=turn.desk.now,
            **self.read_values(ParkSerializer),
        )
        return self.respond_with_work()


class WorkResume(WorkView):
    """Resuming work."""

    @extend_schema(
        operation_id="work_resume",
        request=None,
        responses={200: WorkSerializer, 404: ABSENT_WORK, 409: MOVED_ON},
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Resume a question that was parked, released or skipped, or whose time ended."""
        turn = self.get_turn()
        state = turn.desk.assignment.state
        take_up = (
            assignments.resume_assignment
            if state == State.PARKED
            else assignments.reopen_assignment
        )
        if state != State.ACTIVE:
            take_up(assignment=turn.desk.assignment, by=self.person, now=turn.desk.now)
        return self.respond_with_work()


class WorkSkip(WorkView):
    """Skipping work."""

    @extend_schema(operation_id="work_skip", request=SkipSerializer, responses=MOVED)
    def post(self, request: Request, assignment_id: int) -> Response:
        """Give the question up, with a reason."""
        turn = self.get_turn()
        assignments.skip_question(
            assignment=turn.desk.assignment,
            by=self.person,
            now=turn.desk.now,
            **self.read_values(SkipSerializer),
        )
        return self.respond_with_work()


class WorkChange(WorkView):
    """Changing what was submitted."""

    @extend_schema(operation_id="work_change", request=None, responses=CHANGED)
    def post(self, request: Request, assignment_id: int) -> Response:
        """Begin to change what you submitted. It stays valid until you submit the change, for which
        you have until `changing_until`; after that it stays as it is. It can be changed until
        somebody works with it.
        """
        turn = self.get_turn()
        changing.begin_change(assignment=turn.desk.assignment, by=self.person, now=turn.desk.now)
        return self.respond_with_work()

    @extend_schema(operation_id="work_change_leave", request=None, responses=CHANGED)
    def delete(self, request: Request, assignment_id: int) -> Response:
        """Leave what you submitted as it was. What you typed is kept for the next change; once
        more, and it is discarded.
        """
        turn = self.get_turn()
        changing.leave_change(assignment=turn.desk.assignment, by=self.person, now=turn.desk.now)
        return self.respond_with_work()


class WorkRelease(WorkView):
    """Releasing work."""

    @extend_schema(
        operation_id="work_release",
        request=None,
        responses={200: WorkSerializer, 404: ABSENT_WORK, 409: MOVED_ON},
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Release the question for someone else. Your draft is kept."""
        turn = self.get_turn()
        assignments.give_back(assignment=turn.desk.assignment, by=self.person, now=turn.desk.now)
        return self.respond_with_work()
