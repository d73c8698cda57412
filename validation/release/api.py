"""Releases for scripts: the data alone, or with its manifest and card."""

from django.http import Http404, StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from annotation.access.data import check_can_export
from annotation.exports.downloads import ZIP, send_blocks, send_zip
from annotation.exports.format import JSON, JSON_LINES
from annotation.rest.answers import ABSENT, CLASH, REFUSED, SPLIT
from annotation.rest.base import AnyType, ProjectView, refuse_empty
from validation.release.form import ReleaseForm
from validation.release.services import Release, layouts_by_key, start_release
from validation.release.tables import KINDS

_PARAMETERS = [
    OpenApiParameter("format", str, OpenApiParameter.PATH, enum=list(layouts_by_key())),
    SPLIT,
]
_TABLES = OpenApiParameter("tables", str, enum=list(KINDS), description="json if not given")
_DATA = {
    "oneOf": [
        {"type": "array", "items": {"type": "object"}},
        {"type": "object", "additionalProperties": {"type": "object"}},
    ]
}
_WORDS = {
    "split": "The split is train, dev or test.",
    "tables": f"The tables are {' or '.join(KINDS)}.",
}
_REFUSALS = {
    400: OpenApiResponse(OpenApiTypes.OBJECT, "The split or the kind of tables is not known."),
    403: REFUSED,
    404: ABSENT,
    409: CLASH,
}


class ReleaseView(ProjectView):
    """Accepted work of a project, in an official layout."""

    check = staticmethod(check_can_export)
    content_negotiation_class = AnyType
    with_tables = False

    def start(self, request: Request, format: str) -> Release:
        """Start the release that the address asks for."""
        project = self.get_project()
        if format not in layouts_by_key():
            raise Http404
        form = ReleaseForm(request.query_params)
        if not self.with_tables:
            del form.fields["tables"]
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError({field: _WORDS[field] for field in form.errors})
        return start_release(
            project=project,
            format=format,
            split=form.cleaned_data["split"] or None,
            by=self.person,
            now=timezone.now(),
            tables=form.cleaned_data.get("tables"),
        )


class ReleaseDownload(ReleaseView):
    """The data of a release."""

    @extend_schema(
        operation_id="release_retrieve",
        parameters=_PARAMETERS,
        responses={(200, JSON): _DATA, (200, JSON_LINES): OpenApiTypes.STR, **_REFUSALS},
    )
    def get(self, request: Request, slug: str, format: str) -> StreamingHttpResponse:
        """The accepted answers: records in an array or in lines, or an object of parts by split."""
        release = self.start(request, format)
        return send_blocks(release.blocks(), release.file_name, release.content_type)


class ReleaseBundle(ReleaseView):
    """A release with its manifest, dataset card, description and tables."""

    with_tables = True

    @extend_schema(
        operation_id="release_zip_retrieve",
        parameters=[*_PARAMETERS, _TABLES],
        responses={(200, ZIP): OpenApiTypes.BINARY, **_REFUSALS},
    )
    def get(self, request: Request, slug: str, format: str) -> StreamingHttpResponse:
        """Data, manifest, card, Croissant description and tables in one ZIP, of one moment."""
        return send_zip(self.start(request, format))
