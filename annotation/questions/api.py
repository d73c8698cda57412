"""The questions of a project over the API."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db.models import BigIntegerField, F, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.functions import Cast, Extract
from django.http import QueryDict
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.models.questions import Priority, Question
from annotation.imports.records import MAX_ID
from annotation.questions import services
from annotation.questions.models import SavedView
from annotation.questions.saved_query import FILTERS, read_columns
from annotation.questions.view_queries import views_seen_by
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import ByImport, ProjectView


class QuestionSerializer(serializers.ModelSerializer[Question]):
    """A prompt question. `question` is as imported, `prompt` as people read it."""

    id = serializers.CharField(source="external_id", read_only=True)
    question = serializers.CharField(source="text", read_only=True)
    prompt = serializers.CharField(read_only=True)
    known_answers = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Question
        fields = ["id", "question", "prompt", "split", "state", "known_answers", "created_at"]


class QuestionFilter(filters.FilterSet):  # type: ignore[misc]
    """Questions by split and state."""

    class Meta:
        model = Question
        fields = ["split", "state"]


class QuestionList(ProjectView, generics.ListAPIView[Question]):
    """The questions of a project, in the order of import. Researchers and admins only."""

    serializer_class = QuestionSerializer
    pagination_class = ByImport
    filterset_class = QuestionFilter
    queryset = Question.objects.none()
    order = ("created_at", "pk")

    def get_queryset(self) -> QuerySet[Question]:
        """The questions of a project, in the order of import. Researchers and admins only.

        With a filter a page may be short, or empty: follow `next` until it is null.
        """
        self.project = self.get_project()
        return Question.objects.filter(project=self.project)

    def keys(self, start: Sequence[int], *, back: bool) -> QuerySet[Question, Any]:
        """Return the moment of import, in microseconds, and the id of the questions from there."""
        questions = Question.objects.filter(project=self.project)
        if start:
            imported = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(microseconds=start[0])
            compare = TupleLessThan if back else TupleGreaterThan
            beyond: Any = compare(Tuple(F("created_at"), F("pk")), (imported, start[1]))
            questions = questions.filter(beyond)
        micros = Cast(Extract("created_at", "epoch") * 1_000_000, BigIntegerField())
        order = [f"-{name}" for name in self.order] if back else self.order
        return questions.order_by(*order).values_list(micros, "pk")


class SavedViewSerializer(serializers.ModelSerializer[SavedView]):
    """A saved view of the list of questions: `filters` and order by name, and its columns."""

    own = serializers.SerializerMethodField(help_text="Whether you saved it.")
    filters = serializers.SerializerMethodField()
    columns = serializers.SerializerMethodField()

    class Meta:
        model = SavedView
        fields = ["id", "name", "own", "shared", "opens", "filters", "columns", "changed_at"]
        extra_kwargs = {"opens": {"help_text": "Whether your list opens with it."}}

    def get_own(self, view: SavedView) -> bool:
        """Whether the person who asks saved it."""
        return bool(view.user_id == self.context["request"].user.pk)

    def get_filters(self, view: SavedView) -> dict[str, str]:
        """The filters and the order that are set, by name as in the address of the list."""
        values = QueryDict(view.query)
        return {name: str(value) for name in FILTERS if (value := values.get(name))}

    def get_columns(self, view: SavedView) -> list[str]:
        """The keys of its columns, in their order."""
        return read_columns(QueryDict(view.query))

    def to_representation(self, instance: SavedView) -> dict[str, Any]:
        """Return the view; which of them the lists of other people open with is theirs to know."""
        shown = super().to_representation(instance)
        return shown | {"opens": shown["own"] and shown["opens"]}


class SavedViewList(ProjectView, generics.ListAPIView[SavedView]):
    """Your saved views of the list of questions and those shared with the team, by name.
    Researchers and admins only.
    """

    serializer_class = SavedViewSerializer
    pagination_class = None
    filter_backends = ()
    queryset = SavedView.objects.none()

    def get_queryset(self) -> QuerySet[SavedView]:
        """The views that the person sees."""
        return views_seen_by(self.person, self.get_project()).order_by("name", "pk")


class PrioritySerializer(serializers.Serializer[Any]):
    """When some questions are handed out among those of their split."""

    questions = serializers.ListField(
        child=serializers.CharField(max_length=MAX_ID),
        min_length=1,
        max_length=services.MOST,
        help_text="Their ids, as they were imported.",
    )
    priority = serializers.ChoiceField(
        choices=[(choice.name.lower(), choice.label) for choice in Priority],
        help_text="`first`, `last`, or `normal`: in the order of import.",
    )


class PrioritisedSerializer(serializers.Serializer[Any]):
    """How many questions have another priority than before."""

    changed = serializers.IntegerField()


class QuestionPriorities(ProjectView):
    """When questions are handed out."""

    @extend_schema(
        operation_id="question_priorities_create",
        request=PrioritySerializer,
        responses={
            200: PrioritisedSerializer,
            400: OpenApiResponse(OpenApiTypes.OBJECT, "An id or the priority is not known."),
            403: REFUSED,
            404: ABSENT,
            409: CLASH,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Hand questions out first, last or in the order of import. All of them or none."""
        project = self.get_project()
        form = PrioritySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        wanted = set(form.validated_data["questions"])
        rows = Question.objects.filter(project=project, external_id__in=wanted)
        priority = Priority[form.validated_data["priority"].upper()]
        found = {row.external_id: row for row in rows.only("external_id", "priority")}
        if missing := sorted(wanted - found.keys()):
            raise serializers.ValidationError(
                {"questions": f"The project has no question “{missing[0]}”. Nothing was changed."}
            )
        changed = [row.pk for row in found.values() if row.priority != priority]
        if changed:
            services.prioritise_questions(
                project=project,
                question_ids=changed,
                priority=priority.name,
                by=self.person,
                now=timezone.now(),
            )
        return Response(PrioritisedSerializer({"changed": len(changed)}).data)
