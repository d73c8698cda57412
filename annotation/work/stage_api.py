"""What a client has to know of a stage: its form as a JSON Schema, and what is in hand."""

from typing import Any, cast

from django.db.models import QuerySet
from django.http import Http404
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from annotation.core.models.people import Role
from annotation.core.models.work import Assignment
from annotation.core.states import HELD
from annotation.rest.answers import ABSENT
from annotation.rest.base import ById, ProjectView
from annotation.stages import registry as stages
from annotation.work.serializers import AskedSerializer, CodeField


class StageSerializer(serializers.Serializer[Any]):
    """A stage of a project.

    `role` is who does its work, and `expects` what the person has to know. `reads`: Wikipedia is
    shown beside it; `suggests`: it can show suggestions of models; `steps`: the keys of what it
    asks for one after the other. `response` is the JSON Schema of the response of its work.
    """

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    role = serializers.ChoiceField(choices=Role.choices)
    expects = serializers.CharField(allow_blank=True)
    reads = serializers.BooleanField()
    suggests = serializers.BooleanField()
    steps = serializers.ListField(child=serializers.CharField())
    response = serializers.DictField()


class StageDetail(ProjectView):
    """A stage of a project."""

    check = None

    @extend_schema(
        operation_id="stage_retrieve",
        parameters=[
            OpenApiParameter("stage", str, OpenApiParameter.PATH, description="Key of a stage.")
        ],
        responses={200: StageSerializer, 404: ABSENT},
    )
    def get(self, request: Request, slug: str, stage: str) -> Response:
        """What a stage asks for, with the JSON Schema of its response."""
        project = self.get_project()
        entries = {entry.key: entry for entry in stages.of_protocol(project.protocol)}
        if stage not in entries:
            raise Http404
        entry = entries[stage]
        content = {
            "key": entry.key,
            "label": entry.label,
            "role": entry.role,
            "expects": entry.expects,
            "reads": entry.sheet.reads,
            "suggests": isinstance(entry, stages.TakesSuggestions),
            "steps": [step.key for step in entry.sheet.steps],
            "response": entry.sheet.schema(),
        }
        return Response(StageSerializer(content).data)


class HeldQuestionSerializer(AskedSerializer):
    """The question of work in hand."""

    id = CodeField(source="pk")


class HeldSerializer(serializers.ModelSerializer[Assignment]):
    """Work in hand or parked. `version` counts its saved drafts."""

    project = serializers.CharField(source="project.slug", read_only=True)
    question = HeldQuestionSerializer(source="task.question", read_only=True)
    version = serializers.IntegerField(source="draft_version", read_only=True)

    class Meta:
        model = Assignment
        fields = [
            *("id", "project", "stage", "state", "question", "version", "started_at"),
            *("lease_ends_at", "active_seconds", "park_reason"),
        ]


class HeldFilter(filters.FilterSet):  # type: ignore[misc]
    """One's own work by project, stage and state."""

    project = filters.CharFilter(field_name="project__slug", label="Slug of a project.")
    stage = filters.CharFilter(field_name="stage", label="Key of a stage.")
    state = filters.ChoiceFilter(choices=[(state, state) for state in HELD])


class WorkList(generics.ListAPIView[Assignment]):
    """Your own work in hand or parked, in every project."""

    serializer_class = HeldSerializer
    pagination_class = ById
    filterset_class = HeldFilter
    queryset = Assignment.objects.none()

    def get_queryset(self) -> QuerySet[Assignment]:
        """Your own work in hand or parked, in every project, oldest first."""
        person = cast(User, self.request.user)
        held = Assignment.objects.filter(user=person, state__in=HELD)
        return held.select_related("task__question", "project")
