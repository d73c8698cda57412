"""The questions of a project over the API."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.db.models import BigIntegerField, F, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.functions import Cast, Extract
from django_filters import rest_framework as filters
from rest_framework import generics, serializers

from annotation.core.models.questions import Question
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
