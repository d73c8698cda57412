"""Who worked on what, over the API."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import (
    extend_schema_field,
)
from rest_framework import generics, serializers

from accounts.pseudonyms import derive_pseudonym, question_code
from annotation.access.projects import STAFF
from annotation.core.models.questions import Split
from annotation.core.models.work import Assignment
from annotation.core.refusals import roles_in
from annotation.rest.base import ByKey, ProjectView


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    """One person's turn at one task, under the person's pseudonym in this project.

    `question` is the id that it was imported with for the team, and its code for other people, as
    their work has it. Not `used`: paid, but left out of the data.
    """

    question = serializers.SerializerMethodField()
    split = serializers.ChoiceField(
        source="task.question.split", choices=Split.choices, read_only=True
    )
    person = serializers.SerializerMethodField()
    used = serializers.SerializerMethodField()

    class Meta:
        model = Assignment
        fields = [
            "id",
            "question",
            "split",
            "stage",
            "person",
            "state",
            "started_at",
            "lease_ends_at",
            "submitted_at",
            "ended_at",
            "active_seconds",
            "guideline_version",
            "skip_reason",
            "used",
        ]

    @extend_schema_field(serializers.CharField)
    def get_question(self, assignment: Assignment) -> str:
        """Return the name of the question for who asks."""
        question = assignment.task.question
        return question.external_id if self.context.get("staff") else question_code(question.pk)

    @extend_schema_field(serializers.BooleanField)
    def get_used(self, assignment: Assignment) -> bool:
        """Return whether it is data; a gold item of one's own looks as if it were."""
        return assignment.used or (assignment.gold and not self.context.get("staff"))

    @extend_schema_field(serializers.CharField)
    def get_person(self, assignment: Assignment) -> str:
        """Return the person's pseudonym."""
        return derive_pseudonym(assignment.user, scope=assignment.project.slug)


class AssignmentFilter(filters.FilterSet):  # type: ignore[misc]
    """Assignments by state, stage and split."""

    split = filters.ChoiceFilter(field_name="task__question__split", choices=Split.choices)

    class Meta:
        model = Assignment
        fields = ["state", "stage"]


class AssignmentList(ProjectView, generics.ListAPIView[Assignment]):
    """Who worked on what, under pseudonyms: everyone's for staff, your own otherwise."""

    check = None
    serializer_class = AssignmentSerializer
    pagination_class = ByKey
    filterset_class = AssignmentFilter
    queryset = Assignment.objects.none()
    order = ("pk",)

    def get_queryset(self) -> QuerySet[Assignment]:
        """The assignments of a project: everyone's for staff, your own otherwise.

        With a filter a page may be short, or empty: follow `next` until it is null.
        """
        project = self.get_project()
        self.staff = bool(STAFF & roles_in(self.person, project))
        turns = Assignment.objects.filter(project=project)
        # A range of one and both columns of an index in the order: with an equality, PostgreSQL may
        # walk the primary key through the work of all other projects.
        if self.staff:
            one: Any = {"project__gte": project.pk, "project__lte": project.pk}
            self.every = Assignment.objects.filter(**one), "project"
        else:
            turns = turns.filter(user=self.person)
            one = {"user__gte": self.person.pk, "user__lte": self.person.pk}
            self.every = Assignment.objects.filter(project=project, **one), "user"
        return turns.select_related("task__question", "user", "project")

    def get_serializer_context(self) -> dict[str, Any]:
        """Add whether the team asks."""
        return {**super().get_serializer_context(), "staff": getattr(self, "staff", False)}

    def keys(self, start: Sequence[int], *, back: bool) -> QuerySet[Assignment, Any]:
        """Return the ids of the assignments from there."""
        turns, by = self.every
        if start:
            turns = turns.filter(pk__lt=start[0]) if back else turns.filter(pk__gt=start[0])
        # As assignment_of_project and assignment_of_person have them, or backwards.
        return turns.order_by(*((by, "-pk") if back else (f"-{by}", "pk"))).values_list("pk")
