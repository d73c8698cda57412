"""Import a file of questions over the API."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.data import check_can_import
from annotation.core.models.questions import Split
from annotation.imports import services as imports
from annotation.imports.adapters import annotated_formats
from annotation.imports.formats import FORMATS
from annotation.jobs.serializers import JobSerializer
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import ProjectView
from annotation.uploads.requests import takes_files, too_large, upload_refusal


class TrueOrFalse(serializers.BooleanField):
    """A switch in a form: the words true and false, nothing that may be meant otherwise."""

    TRUE_VALUES = {True, "true", "True"}
    FALSE_VALUES = {False, "false", "False"}
    NULL_VALUES = set()


class ImportSerializer(serializers.Serializer[Any]):
    """A file of questions to import."""

    file = serializers.FileField(
        max_length=255, error_messages={"empty": "The file is empty."}, help_text="The file itself."
    )
    format = serializers.ChoiceField(choices=[(key, value.label) for key, value in FORMATS.items()])
    split = serializers.ChoiceField(
        choices=Split.choices,
        required=False,
        help_text="Split of the records that name none. Only `asqa` works without it.",
    )
    strict = TrueOrFalse(default=False, help_text="Import nothing if any line is rejected.")
    finished = TrueOrFalse(
        default=False,
        help_text="Import the annotations of an AmbigNQ or ASQA file as accepted work.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse to take annotations from a format that holds none; ask for a split."""
        format = FORMATS[attrs["format"]]
        holds = [each.key for each in annotated_formats(self.context["project"])]
        if attrs["finished"] and format.key not in holds:
            raise serializers.ValidationError(
                {"finished": f"Only the format {holds[0]} holds annotations."}
                if holds
                else {"finished": "No format holds annotations for this project."}
            )
        if attrs.setdefault("split", None) is None and not format.parse_entry:
            raise serializers.ValidationError(
                {
                    "split": f"Records of {format.key} may name no split. Give the split they go "
                    f"into."
                }
            )
        return attrs

    def validate_file(self, file: Any) -> Any:
        """Refuse a file over IMPORT_MAX_BYTES."""
        if file.size > settings.IMPORT_MAX_BYTES:
            raise serializers.ValidationError(too_large(file.size))
        return file


@takes_files
class ImportCreate(ProjectView):
    """Import a file of questions."""

    check = staticmethod(check_can_import)
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="import_create",
        request=ImportSerializer,
        responses={202: JobSerializer, 403: REFUSED, 404: ABSENT, 409: CLASH},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports the file. Ask for the job until it has ended."""
        project = self.get_project()
        form = ImportSerializer(data=request.data, context={"project": project})
        if refused := upload_refusal(request._request):
            form.fields["file"].error_messages["required"] = refused
        form.is_valid(raise_exception=True)
        values: dict[str, Any] = form.validated_data
        job = imports.start_import(
            project=project,
            file_name=values["file"].name,
            by=self.person,
            now=timezone.now(),
            **values,
        )
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)
