"""Imports of answers for programs: a file in, a job out."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.uploads.requests import takes_files
from evaluation.imports.api import ANSWERS, TEXT, FileImport, body_of
from evaluation.systems.forms import OutputsForm
from evaluation.systems.import_jobs import start_outputs
from evaluation.systems.models import System


@takes_files
class OutputsImport(FileImport):
    """Import what a system answered."""

    form, named_by = OutputsForm, "name"
    start = staticmethod(start_outputs)

    @extend_schema(
        operation_id="outputs_import",
        request=body_of(
            name=TEXT | {"maxLength": 80},
            version=TEXT | {"maxLength": 40},
            kind=TEXT | {"enum": System.Kind.values},
            annotation={"type": "integer", "minimum": 1, "maximum": 100},
            options=TEXT | {"description": "How it was run, as a JSON object."},
        ),
        responses=ANSWERS,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports a file of answers. Ask for the job until it has ended.

        Its result names the system (`system_id`), counts the answers, and names the lines that were
        not taken.
        """
        return super().post(request, slug)
