"""Suggestions of models in other clients: which there are, and what becomes of each."""

from typing import Any

from django.http import Http404, QueryDict
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.rest.answers import ABSENT_WORK, RefusalSerializer
from annotation.suggestions.models import SuggestionUse
from annotation.suggestions.sheet import (
    ACCEPT,
    DISMISS,
    PUT_BACK,
    SuggestionLine,
    build_panel,
    is_panel_open,
    list_shown_offers,
)
from annotation.suggestions.stage import SuggestingStage
from annotation.suggestions.values import REASONS, SuggestionOffers
from annotation.text.cleaning import ResponseError
from annotation.work import drafts
from annotation.work.api import SAVED, WorkView, draft_conflict_response
from annotation.work.assignment_desk import AssignmentTurn
from annotation.work.serializers import ResponseSerializer, WorkSerializer

_PRESSES = {"accept": ACCEPT, "dismiss": DISMISS, "put-back": PUT_BACK}
USELESS = OpenApiResponse(RefusalSerializer, "Nothing came of it; see `detail`.")


class SuggestionSerializer(serializers.Serializer[Any]):
    """What a model suggests; `text`, `title` and `path` are of its passage, or of the sentence that
    a `verdict` on the first of `answers` rests on.

    `box`: of a long answer that is a box of the question's page, that box, as `given` names it.
    `state` is what the form shows, and `used` where it is used. `fate` is what is recorded, and
    `reason` why it was dismissed. `older`: the model has a newer version.
    """

    id = serializers.IntegerField()
    kind = serializers.CharField()
    question = serializers.CharField(allow_blank=True)
    answers = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField(allow_blank=True)
    title = serializers.CharField(allow_blank=True)
    path = serializers.CharField(allow_blank=True)
    box = serializers.CharField(allow_blank=True)
    verdict = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=["open", "used", "dismissed"])
    used = serializers.CharField(allow_blank=True)
    fate = serializers.ChoiceField(choices=["", *SuggestionUse.Fate.values])
    reason = serializers.CharField(allow_blank=True)
    older = serializers.BooleanField()


class SuggestionsSerializer(serializers.Serializer[Any]):
    """The suggestions for a question.

    `system` is empty where none are shown. `locked` says what the person has to write first;
    `progress` is “making” or “failed” where there are none because of that. `hidden` only repeat
    what the person wrote.
    """

    system = serializers.CharField(allow_blank=True)
    locked = serializers.CharField(allow_blank=True)
    progress = serializers.ChoiceField(choices=["", "making", "failed"])
    hidden = serializers.IntegerField()
    suggestions = SuggestionSerializer(many=True)


class DecisionSerializer(ResponseSerializer):
    """What to do with a suggestion, and the response on the form with its version."""

    decision = serializers.ChoiceField(choices=list(_PRESSES))
    reason = serializers.ChoiceField(
        choices=["", *REASONS], default="", help_text="Why it is dismissed."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a reason for anything else."""
        if attrs["reason"] and attrs["decision"] != "dismiss":
            raise serializers.ValidationError({"reason": "Give a reason only to dismiss it."})
        return attrs


class SuggestionView(WorkView):
    """A view of the suggestions in one's own work."""

    def shown_in(
        self, turn: AssignmentTurn
    ) -> tuple[SuggestingStage[Any, Any], SuggestionOffers] | None:
        """Return the stage and the suggestions of a turn, None where it shows none."""
        stage = turn.desk.stage
        if not isinstance(stage, SuggestingStage) or not turn.desk.may_look():
            return None
        offered = turn.given.suggestions
        return None if offered is None else (stage, offered)


class WorkSuggestions(SuggestionView):
    """The suggestions for a question."""

    @extend_schema(
        operation_id="work_suggestions_retrieve",
        responses={200: SuggestionsSerializer, 404: ABSENT_WORK},
    )
    def get(self, request: Request, assignment_id: int) -> Response:
        """What models suggest for the question, beside the draft as it is saved."""
        turn = self.get_turn()
        assignment = turn.desk.assignment
        content: dict[str, Any] = {
            "system": "",
            "locked": "",
            "progress": "",
            "hidden": 0,
            "suggestions": [],
        }
        is_open = turn.desk.is_in_hand or assignment.state == Assignment.State.ACTIVE
        shown = self.shown_in(turn) if is_open else None
        if shown is not None:
            stage, offered = shown
            response = turn.load_response(turn.desk.row.draft)
            prompt = assignment.task.question.prompt
            beside = build_panel(stage.taking, prompt, response, offered)
            content = {
                "system": beside.system,
                "locked": stage.taking.first if beside.locked else "",
                "progress": beside.progress,
                "hidden": beside.hidden,
                "suggestions": [_line(line) for line in beside.lines],
            }
        return Response(SuggestionsSerializer(content).data)


def _line(line: SuggestionLine) -> dict[str, Any]:
    offer = line.offer
    content = offer.content
    return {
        "id": offer.pk,
        "kind": content.kind,
        "question": content.question,
        "answers": content.answers,
        "text": content.text,
        "title": content.title,
        "path": content.path,
        "box": content.box,
        "verdict": content.verdict,
        "state": line.state,
        "used": line.used if line.state == "used" else "",
        "fate": offer.fate,
        "reason": offer.reason,
        "older": offer.older,
    }


class WorkSuggestion(SuggestionView):
    """One suggestion."""

    @extend_schema(
        operation_id="work_suggestion_decide",
        request=DecisionSerializer,
        responses=SAVED | {200: WorkSerializer, 422: USELESS},
    )
    def post(self, request: Request, assignment_id: int, suggestion_id: int) -> Response:
        """Accept or dismiss a suggestion, or put it back. The response is saved as the draft.

        An accepted one becomes a part of the response: change it there to edit it.
        """
        turn, values = self.get_turn(), self.read_values(DecisionSerializer)
        response = turn.sheet.response_from_json(values["response"], turn.given)
        turn.check_may_look(response, values["version"])
        if (newer := turn.desk.find_newer_draft(response, values["version"])) is not None:
            return draft_conflict_response(turn, newer)
        response = turn.sheet.adapt_response(response, turn.given)
        self._check_offered(turn, response, suggestion_id)
        press = f"{_PRESSES[values['decision']]} {suggestion_id} {values['reason']}".strip()
        try:
            response = turn.desk.apply_press(response, press, QueryDict())
        except ResponseError as nothing:
            return Response({"detail": str(nothing)}, status=422)
        try:
            turn.desk.save_draft(response, values["version"])
        except drafts.DraftConflict as conflict:
            return draft_conflict_response(turn, conflict)
        turn.desk.note_warnings(turn.check_response(response))
        return self.respond_with_work()

    def _check_offered(self, turn: AssignmentTurn, response: Any, suggestion_id: int) -> None:
        """Refuse suggestions that the person does not see."""
        shown = self.shown_in(turn)
        if shown is None:
            raise Http404
        stage, offered = shown
        offers = offered.rows()
        if not any(offer.pk == suggestion_id for offer in offers):
            raise Http404
        if not is_panel_open(stage.taking, response, offers):
            raise Conflict(stage.taking.first)
        if not any(
            offer.pk == suggestion_id for offer in list_shown_offers(stage.taking, response, offers)
        ):
            raise Http404
