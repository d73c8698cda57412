"""Import a file of questions over the API."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.data import check_can_import
from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.core.refusals import Conflict
from annotation.imports import services as imports
from annotation.imports.adapters import annotated_formats, check_closed
from annotation.imports.check_api import ImportCheckSerializer
from annotation.imports.checks import check_upload
from annotation.imports.columns import USES, changes_from_json
from annotation.imports.drawn_splits import MOST_SEED
from annotation.imports.formats import WrongFormat, all_formats
from annotation.imports.import_rules import parse_rules
from annotation.imports.opening import open_import
from annotation.imports.query_filters import FILTERS
from annotation.imports.recognition import (
    DEFAULT_SPLIT,
    recognise_file,
    remember_columns,
)
from annotation.jobs.api import JobView
from annotation.jobs.serializers import JobSerializer
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import ProjectView
from annotation.uploads.requests import takes_files, too_large, upload_refusal


class TrueOrFalse(serializers.BooleanField):
    """A switch in a form: the words true and false, nothing that may be meant otherwise."""

    TRUE_VALUES = {True, "true", "True"}
    FALSE_VALUES = {False, "false", "False"}
    NULL_VALUES = set()


class MappingField(serializers.JSONField):
    """Changes to what the columns become, as JSON in a field of the form."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Check the keys and values."""
        try:
            return changes_from_json(super().to_internal_value(data))
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None


class ImportSerializer(serializers.Serializer[Any]):
    """A file of questions to import."""

    file = serializers.FileField(
        max_length=255, error_messages={"empty": "The file is empty."}, help_text="The file itself."
    )
    format = serializers.ChoiceField(
        choices=[(key, value.label) for key, value in all_formats().items()],
        required=False,
        help_text="Without it the format is recognised from the file.",
    )
    mapping = MappingField(
        required=False,
        help_text="Where the format is recognised: what columns become, as JSON in this field, "
        '`{"uses": {"Frage": "question"}, "separator": "|", "splits": {"eval": "dev"}}`. Uses are '
        f"{', '.join(USES)}. Columns that are not named become what their names say.",
    )
    split = serializers.ChoiceField(
        choices=Split.choices,
        required=False,
        help_text="Split of the records that name none; `dev` where the format is recognised. Of "
        "the formats only `asqa` works without it.",
    )
    strict = TrueOrFalse(default=False, help_text="Import nothing if any line is rejected.")
    finished = TrueOrFalse(
        default=False,
        help_text="Import the annotations of a file as accepted work, where its format has some.",
    )
    closed = TrueOrFalse(
        default=False,
        help_text="Give the new questions to no one until they are opened: `jobs/ID/open/`.",
    )

    filters = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Leave out questions that do not fit, with commas between: "
        f"{', '.join(f'`{key}` ({each.label.lower()})' for key, each in FILTERS.items())}.",
    )
    shares = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=200,
        help_text="Draw the split of records that name none, such as `train=80,dev=10,test=10`. "
        "Equal questions come into one split.",
    )
    seed = serializers.IntegerField(
        default=0, min_value=0, max_value=MOST_SEED, help_text="Of the draw."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse to take annotations from a format that holds none; ask for a split."""
        attrs.setdefault("format", "")
        attrs.setdefault("mapping", {})
        filters = [key.strip() for key in attrs.pop("filters").split(",") if key.strip()]
        try:
            attrs["rules"] = parse_rules(filters, attrs.pop("shares"), attrs.pop("seed"))
        except ValueError as error:
            field = "filters" if "filter" in str(error) else "shares"
            raise serializers.ValidationError({field: str(error)}) from None
        attrs.setdefault("split", None if attrs["format"] else DEFAULT_SPLIT)
        _check_closed(self.context["project"], attrs)
        if not attrs["format"]:
            return attrs
        if attrs["mapping"]:
            raise serializers.ValidationError(
                {"mapping": "Leave the format out: a file of a format has no columns to map."}
            )
        format = all_formats()[attrs["format"]]
        holds = [each.key for each in annotated_formats(self.context["project"])]
        if attrs["finished"] and format.key not in holds:
            raise serializers.ValidationError(
                {"finished": f"Only the format {holds[0]} holds annotations."}
                if holds
                else {"finished": "No format holds annotations for this project."}
            )
        drawn = attrs["rules"].draw is not None
        if attrs["split"] is None and not format.parse_entry and not drawn:
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


def _check_closed(project: Project, attrs: dict[str, Any]) -> None:
    try:
        check_closed(project, closed=attrs["closed"], finished=attrs["finished"])
    except Conflict as refusal:
        raise serializers.ValidationError({"closed": str(refusal)}) from None


class OpenedSerializer(serializers.Serializer[Any]):
    """How many questions were opened."""

    opened = serializers.IntegerField()


@takes_files
class ImportCreate(ProjectView):
    """Import a file of questions."""

    check = staticmethod(check_can_import)
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="import_create",
        request=ImportSerializer,
        parameters=[
            OpenApiParameter(
                "dry_run",
                bool,
                description="Answer with what the file is and what importing it would do, and "
                "change nothing.",
            )
        ],
        responses={
            200: ImportCheckSerializer,
            202: JobSerializer,
            403: REFUSED,
            404: ABSENT,
            409: CLASH,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports the file. Ask for the job until it has ended."""
        project = self.get_project()
        form = ImportSerializer(data=request.data, context={"project": project})
        if refused := upload_refusal(request._request):
            form.fields["file"].error_messages["required"] = refused
        form.is_valid(raise_exception=True)
        values: dict[str, Any] = form.validated_data
        upload, now = values.pop("file"), timezone.now()
        format, changes = values.pop("format"), values.pop("mapping")
        dry_run = request.query_params.get("dry_run", "") in ("1", "true")
        found = None
        if dry_run or not format:
            with _explained():
                found = recognise_file(project, upload.file, format=format, changes=changes)
        if dry_run and found is not None:
            chosen = (values["split"], values["finished"], values["rules"])
            with _explained():
                check = check_upload(project, upload.file, found, *chosen)
            return Response(ImportCheckSerializer(check).data)
        reading = format if found is None else found.reading
        job = imports.start_import(
            project=project,
            file=upload,
            file_name=upload.name,
            format=reading,
            by=self.person,
            now=now,
            **values,
        )
        if found is not None and changes and found.reading.mapping is not None:
            remember_columns(project, found.detection.names, found.reading.mapping, now=now)
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class ImportOpen(JobView):
    """Open the questions of an import."""

    @extend_schema(
        operation_id="import_open",
        request=None,
        responses={200: OpenedSerializer, 403: REFUSED, 404: ABSENT, 409: CLASH},
    )
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Give the questions that an import created closed to people, from now on."""
        opened = open_import(job=self.get_job(), by=self.person, now=timezone.now())
        return Response(OpenedSerializer({"opened": opened}).data)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what is wrong with a file or a mapping into the answer for its field."""
    try:
        yield
    except ValueError as error:
        raise serializers.ValidationError({"mapping": [str(error)]}) from None
    except WrongFormat as error:
        raise serializers.ValidationError({"file": [str(error)]}) from None
