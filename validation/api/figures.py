"""The figures of agreement for scripts."""

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView, refuse_empty
from annotation.api.views import ABSENT, REFUSED, SPLIT
from annotation.forms.data import SplitForm
from validation.people import pseudonyms
from validation.project_report import report_of
from validation.reporting import named

NUMBER = {"type": "number", "nullable": True}
FIGURE = {
    "type": "object",
    "description": "A figure with its 95 % interval; null where nothing is behind it.",
    "properties": {
        "value": NUMBER,
        "n": {"type": "integer", "description": "Questions behind it."},
        "low": NUMBER,
        "high": NUMBER,
    },
    "required": ["value", "n", "low", "high"],
}


class AgreementView(ProjectView):
    """The figures of agreement and validation."""

    @extend_schema(
        operation_id="agreement_retrieve",
        parameters=[SPLIT],
        responses={
            200: {"type": "object", "additionalProperties": FIGURE},
            400: OpenApiResponse(dict, "The split is not known."),
            403: REFUSED,
            404: ABSENT,
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """Every figure under its name, as `manage.py agreement --json` does.

        People appear under their pseudonyms within the project.
        """
        project = self.get_project()
        form = SplitForm(request.query_params)
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError({"split": "The split is train, dev or test."})
        found = report_of(project, form.cleaned_data["split"] or None)
        return Response(named(found, pseudonyms(found, project)))
