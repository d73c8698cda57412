"""Imports of answers and of judgments for programs: a file in, a job out."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.refusals import Conflict
from annotation.imports.records import WrongFormat
from annotation.jobs.serializers import JobSerializer
from annotation.models import Job
from annotation.rest.answers import ABSENT, REFUSED
from annotation.rest.base import ProjectView
from annotation.uploads.requests import refusal, takes_files
from evaluation.imports import services as importing
from evaluation.imports.forms import JudgmentsForm, OutputsForm, UploadForm
from evaluation.systems.models import System
from evaluation.systems.policies import check_can_import_outputs

_TEXT = {"type": "string"}
_FILE = {"type": "string", "format": "binary"}
_ANSWERS = {
    202: JobSerializer,
    400: OpenApiResponse(dict, "What cannot be taken, by field."),
    403: REFUSED,
    404: ABSENT,
}


def _request(**fields: dict[str, Any]) -> dict[str, Any]:
    required = ["file", *(["name", "kind"] if "kind" in fields else [])]
    properties = {"file": _FILE, **fields}
    return {
        "multipart/form-data": {"type": "object", "properties": properties, "required": required}
    }


class _Import(ProjectView):
    """A file that a job imports."""

    check = staticmethod(check_can_import_outputs)
    parser_classes = (MultiPartParser,)
    form: type[UploadForm]
    named_by: str  # the field that names what is made
    start: Any

    def post(self, request: Request, slug: str) -> Response:
        """Start the job."""
        project = self.get_project()
        form = self.form(request.data, request.FILES, refused=refusal(request._request))
        if not form.is_valid():
            raise ValidationError(
                {name: " ".join(map(str, errors)) for name, errors in form.errors.items()}
            )
        values, now = form.cleaned_data, timezone.now()
        name = values["file"].name
        try:
            job: Job = type(self).start(
                project=project, file_name=name, **values, by=self.person, now=now
            )
        except WrongFormat as error:
            raise ValidationError({"file": str(error)}) from None
        except Conflict as error:
            raise ValidationError({self.named_by: str(error)}) from None
        headers = {"Location": reverse("api-job", args=[slug, job.pk])}
        return Response(JobSerializer(job).data, status=202, headers=headers)


@takes_files
class OutputsImport(_Import):
    """Import what a system answered."""

    form, named_by = OutputsForm, "name"
    start = staticmethod(importing.start_outputs)

    @extend_schema(
        operation_id="outputs_import",
        request=_request(
            name=_TEXT | {"maxLength": 80},
            version=_TEXT | {"maxLength": 40},
            kind=_TEXT | {"enum": System.Kind.values},
            annotation={"type": "integer", "minimum": 1, "maximum": 100},
            options=_TEXT | {"description": "How it was run, as a JSON object."},
        ),
        responses=_ANSWERS,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports a file of answers. Ask for the job until it has ended.

        Its result names the system (`system_id`), counts the answers, and names the lines that were
        not taken.
        """
        return super().post(request, slug)


@takes_files
class JudgmentsImport(_Import):
    """Import judgments made elsewhere."""

    form, named_by = JudgmentsForm, "title"
    start = staticmethod(importing.start_judgments)

    @extend_schema(
        operation_id="judgments_import",
        request=_request(title=_TEXT | {"maxLength": 120}),
        responses=_ANSWERS,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports a file of judgments. Ask for the job until it has ended.

        Its result names the study (`study_id`); `again` says that the judgments were there already.
        """
        return super().post(request, slug)
