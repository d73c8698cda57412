"""The figure of pages read over the API."""

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.data import check_can_export
from annotation.exports.forms import SplitForm
from annotation.figures import counts as stored_counts
from annotation.figures.counts import PAGES_READ
from annotation.reading.visits import UNITS, pages_read
from annotation.rest.answers import ABSENT, REFUSED, SPLIT
from annotation.rest.base import ProjectView, refuse_empty


class PagesReadSeriesSerializer(serializers.Serializer[Any]):
    """A number of unique pages, and how many submissions read that number."""

    as_counted = serializers.DictField(child=serializers.IntegerField())
    all = serializers.DictField(child=serializers.IntegerField())


class PagesReadSerializer(serializers.Serializer[Any]):
    """The figure of pages read, per annotation and per question."""

    per_annotation = PagesReadSeriesSerializer()
    per_question = PagesReadSeriesSerializer()
    counted_at = serializers.DateTimeField(allow_null=True)


class PagesReadFigure(ProjectView):
    """How many pages were read (AmbigQA's Figure 2a). Researchers and admins only."""

    check = staticmethod(check_can_export)

    @extend_schema(
        operation_id="pages_read_retrieve",
        parameters=[SPLIT],
        responses={
            200: PagesReadSerializer,
            400: OpenApiResponse(OpenApiTypes.OBJECT, "The split is unknown."),
            403: REFUSED,
            404: ABSENT,
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """How many pages were read, per annotation and per question.

        `as_counted` holds the pages opened from search results, as AmbigQA counted them;
        `all` holds those reached in any way. Only submissions in use count. In a large project
        the figures are counted beforehand: `counted_at` is when, otherwise null.
        """
        project, form = self.get_project(), SplitForm(request.query_params)
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError({"split": "The split is train, dev or test."})
        split = form.cleaned_data["split"] or None
        stored_counts.load_figures([project], PAGES_READ, now=timezone.now())
        figure = {f"per_{per}": pages_read(project, per=per, split=split) for per in UNITS}
        counted = {"counted_at": stored_counts.counted_at(project, PAGES_READ)}
        return Response(PagesReadSerializer(figure | counted).data)
