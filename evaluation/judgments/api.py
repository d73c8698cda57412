"""Imports of judgments for programs: a file in, a job out."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.uploads.requests import takes_files
from evaluation.imports.api import ANSWERS, TEXT, FileImport, body_of
from evaluation.judgments.forms import JudgmentsForm
from evaluation.judgments.import_jobs import start_judgments
from evaluation.judgments.setups import MOST_RATERS

RATERS = {"type": "integer", "minimum": 1, "maximum": MOST_RATERS}


@takes_files
class JudgmentsImport(FileImport):
    """Import judgments made elsewhere."""

    form, named_by = JudgmentsForm, "title"
    start = staticmethod(start_judgments)

    @extend_schema(
        operation_id="judgments_import",
        request=body_of(title=TEXT | {"maxLength": 120}, raters=RATERS),
        responses=ANSWERS,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports a file of judgments. Ask for the job until it has ended.

        Its result names the study (`study_id`); `again` says that the judgments were there already.
        A set-up file (key, model 1, model 2, answer 1, answer 2) begins a study of its pairs, each
        for `raters` people.
        """
        return super().post(request, slug)
