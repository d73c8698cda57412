"""Exports over the API."""

from django.http import Http404, StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from annotation.access.data import check_can_export
from annotation.core.models.questions import Question
from annotation.exports import services as exports
from annotation.exports.downloads import ZIP, send_export, send_zip
from annotation.exports.format import CSV, JSON, JSON_LINES
from annotation.exports.forms import ExportForm
from annotation.rest.answers import ABSENT, CLASH, REFUSED, SPLIT
from annotation.rest.base import AnyType, ProjectView, refuse_empty

EXPORT_PARAMETERS = [
    OpenApiParameter("format", str, OpenApiParameter.PATH, enum=list(exports.formats_by_key())),
    SPLIT,
    OpenApiParameter(
        "state", str, enum=Question.State.values, description="Only questions in this state."
    ),
    OpenApiParameter("person", str, description="Only work of this person, by pseudonym."),
    OpenApiParameter("since", OpenApiTypes.DATE, description="First day of submission, in UTC."),
    OpenApiParameter("until", OpenApiTypes.DATE, description="Last day of submission, in UTC."),
    OpenApiParameter("study", int, description="Only this study; for judgments."),
]
EXPORT_REFUSALS = {
    400: OpenApiResponse(
        OpenApiTypes.OBJECT, "A filter has an unknown value; the message names it."
    ),
    403: REFUSED,
    404: ABSENT,
    409: CLASH,
}


class ExportView(ProjectView):
    """What was submitted, or the chosen part of it."""

    check = staticmethod(check_can_export)
    content_negotiation_class = AnyType

    def start(self, request: Request, format: str) -> exports.Export:
        """Start the export that the address asks for."""
        project = self.get_project()
        if format not in exports.formats_by_key():
            raise Http404
        form = ExportForm(request.query_params, project=project)
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError(
                {name: " ".join(map(str, sentences)) for name, sentences in form.errors.items()}
            )
        return exports.start_export(
            project=project,
            format=format,
            chosen=form.selection,
            by=self.person,
            now=timezone.now(),
        )


class ExportDownload(ExportView):
    """The data of an export."""

    @extend_schema(
        operation_id="export_retrieve",
        parameters=EXPORT_PARAMETERS,
        responses={
            (200, JSON): {"type": "array", "items": {"type": "object"}},
            (200, JSON_LINES): OpenApiTypes.STR,
            (200, CSV): OpenApiTypes.STR,
            **EXPORT_REFUSALS,
        },
    )
    def get(self, request: Request, slug: str, format: str) -> StreamingHttpResponse:
        """The exported data: an array for AmbigNQ, CSV for pages read, else JSON lines."""
        return send_export(self.start(request, format))


class ExportBundle(ExportView):
    """An export with its manifest."""

    @extend_schema(
        operation_id="export_zip_retrieve",
        parameters=EXPORT_PARAMETERS,
        responses={(200, ZIP): OpenApiTypes.BINARY, **EXPORT_REFUSALS},
    )
    def get(self, request: Request, slug: str, format: str) -> StreamingHttpResponse:
        """Data and manifest in one ZIP, both of the same moment."""
        return send_zip(self.start(request, format))
