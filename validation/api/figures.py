"""The figures of agreement for scripts."""

from django.utils import timezone
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView, refuse_empty
from annotation.api.serializers import RefusalSerializer
from annotation.api.views import ABSENT, REFUSED, SPLIT
from annotation.forms.data import SplitForm
from validation.people import pseudonyms
from validation.reporting import named
from validation.services import agreement as service

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
STATES = ("current", "computing", "failed", "outdated")
HEADERS = [
    OpenApiParameter(
        "Last-Modified",
        str,
        OpenApiParameter.HEADER,
        response=[200],
        description="When the figures were computed.",
    ),
    OpenApiParameter(
        "Agreement-State",
        str,
        OpenApiParameter.HEADER,
        enum=STATES,
        response=[200],
        description=(
            "Whether they are `current`. If not, something has changed since, and new figures are "
            "`computing`, or that `failed`: POST to try again."
        ),
    ),
    OpenApiParameter(
        "Retry-After",
        int,
        OpenApiParameter.HEADER,
        response=[202],
        description="In how many seconds to ask again.",
    ),
]
COMPUTING = OpenApiResponse(RefusalSerializer, "There are no figures yet; they are computed now.")
BROKEN = OpenApiResponse(RefusalSerializer, "There are no figures, and computing them failed.")
_ASK_AGAIN = 2  # seconds


class AgreementView(ProjectView):
    """The figures of agreement and validation."""

    @extend_schema(
        operation_id="agreement_retrieve",
        parameters=[SPLIT, *HEADERS],
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
        agreement = service.look(project=project, by=self.person, now=timezone.now())
        report = agreement.report(form.cleaned_data["split"] or "")
        if report is not None and agreement.computed_at is not None:
            headers = {
                "Last-Modified": http_date(agreement.computed_at.timestamp()),
                "Agreement-State": agreement.state,
            }
            return Response(named(report, pseudonyms(report, project)), headers=headers)
        if agreement.problem:
            return Response({"detail": f"{agreement.problem} POST here to try again."}, status=503)
        return _computing()

    @extend_schema(
        operation_id="agreement_create",
        request=None,
        parameters=HEADERS[-1:],
        responses={202: COMPUTING, 403: REFUSED, 404: ABSENT},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Compute the figures again, for example after that failed."""
        service.start(project=self.get_project(), by=self.person, now=timezone.now())
        return _computing()


def _computing() -> Response:
    detail = f"The figures are being computed. Ask again in {_ASK_AGAIN} seconds."
    return Response({"detail": detail}, status=202, headers={"Retry-After": str(_ASK_AGAIN)})
