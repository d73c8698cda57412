"""The figures of agreement for scripts."""

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.exports.forms import SplitForm
from annotation.figures import services as figures_services
from annotation.figures.computed_api import (
    BROKEN,
    COMPUTING,
    RETRY_AFTER,
    build_computed_response,
    headers_described,
    not_yet,
)
from annotation.rest.answers import ABSENT, REFUSED, SPLIT
from annotation.rest.base import ProjectView, refuse_empty
from validation.agreement.people import pseudonymise_people
from validation.agreement.reporting import name_figures
from validation.agreement.stored import find_agreement

NUMBER = {"type": "number", "nullable": True}
FIGURE = {
    "type": "object",
    "description": "A figure with its 95 % interval, or why it has none; null where nothing is "
    "behind it.",
    "properties": {
        "value": NUMBER,
        "n": {"type": "integer", "description": "Questions behind it."},
        "low": NUMBER,
        "high": NUMBER,
        "note": {"type": "string", "description": "Why there is no interval; else not there."},
    },
    "required": ["value", "n", "low", "high"],
}
STATE = "Agreement-State"


class AgreementView(ProjectView):
    """The figures of agreement and validation."""

    @extend_schema(
        operation_id="agreement_retrieve",
        parameters=[SPLIT, *headers_described(STATE)],
        responses={
            200: {"type": "object", "additionalProperties": FIGURE},
            202: COMPUTING,
            400: OpenApiResponse(dict, "The split is not known."),
            403: REFUSED,
            404: ABSENT,
            503: BROKEN,
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """Every figure under its name, as `manage.py agreement --json` does.

        People appear under their pseudonyms within the project. Figures are computed in the
        background: what has been computed last is given at once, and new ones are started where
        something has changed since.
        """
        project = self.get_project()
        form = SplitForm(request.query_params)
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError({"split": "The split is train, dev or test."})
        agreement = figures_services.open_figures(
            find_agreement(project), by=self.person, now=timezone.now()
        )
        report = agreement.report(form.cleaned_data["split"] or "")
        content = (
            name_figures(report, pseudonymise_people(report, project))
            if report is not None
            else None
        )
        return build_computed_response(agreement, content, name=STATE)

    @extend_schema(
        operation_id="agreement_create",
        request=None,
        parameters=[RETRY_AFTER],
        responses={202: COMPUTING, 403: REFUSED, 404: ABSENT},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Compute the figures again, for example after that failed."""
        place = find_agreement(self.get_project()).place
        figures_services.start_figures_job(place, by=self.person, now=timezone.now())
        return not_yet()
