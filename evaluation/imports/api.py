"""Imports for programs: a file in, a job out. Each room has the view of its own files."""

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.data import check_can_import
from annotation.core.refusals import Conflict
from annotation.imports.records import WrongFormat
from annotation.jobs.serializers import JobSerializer
from annotation.models import Job
from annotation.rest.answers import ABSENT, REFUSED
from annotation.rest.base import ProjectView
from annotation.uploads.requests import upload_refusal
from evaluation.imports.forms import UploadForm

TEXT = {"type": "string"}
_FILE = {"type": "string", "format": "binary"}
ANSWERS = {
    202: JobSerializer,
    400: OpenApiResponse(dict, "What cannot be taken, by field."),
    403: REFUSED,
    404: ABSENT,
}


def body_of(**fields: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a request with a file and these fields."""
    required = ["file", *(["name", "kind"] if "kind" in fields else [])]
    properties = {"file": _FILE, **fields}
    return {
        "multipart/form-data": {"type": "object", "properties": properties, "required": required}
    }


class FileImport(ProjectView):
    """A file that a job imports."""

    check = staticmethod(check_can_import)
    parser_classes = (MultiPartParser,)
    form: type[UploadForm]
    named_by: str  # the field that names what is made
    start: Any

    def post(self, request: Request, slug: str) -> Response:
        """Start the job."""
        project = self.get_project()
        form = self.form(request.data, request.FILES, refused=upload_refusal(request._request))
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
