"""Training sets for programs."""

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from annotation.access.data import check_can_export
from annotation.core.refusals import Conflict
from annotation.exports.downloads import ZIP, send_blocks, send_zip
from annotation.exports.format import JSON_LINES
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import AnyType, ProjectView, refuse_empty
from modeling.base import MissingModel
from modeling.training.forms import TrainingSetForm
from modeling.training.recipes import LAYOUTS, RECIPES
from modeling.training.sets import TrainingSet, start_training_set

_PARAMETERS = [
    OpenApiParameter("system", str, required=True, description="Key of the baseline."),
    OpenApiParameter(
        "role", str, enum=list(RECIPES), description="Its part, the first if it is left out."
    ),
    OpenApiParameter(
        "layout", str, enum=list(LAYOUTS), description="The role's own if it is left out."
    ),
    OpenApiParameter("split", str, enum=["train", "dev"], description="train if it is left out."),
    OpenApiParameter(
        "keep_suggested",
        bool,
        description="Also questions whose people saw suggestions of these weights.",
    ),
]
_REFUSALS = {
    400: OpenApiResponse(OpenApiTypes.OBJECT, "What cannot be taken, by field."),
    403: REFUSED,
    404: ABSENT,
    409: CLASH,
}


class TrainingSetView(ProjectView):
    """What weights are trained on."""

    check = staticmethod(check_can_export)
    content_negotiation_class = AnyType

    def start(self, request: Request) -> TrainingSet:
        """Start the training set that the address asks for."""
        project = self.get_project()
        form = TrainingSetForm(request.query_params)
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError(
                {name: " ".join(map(str, sentences)) for name, sentences in form.errors.items()}
            )
        try:
            return start_training_set(
                project=project,
                choice=form.get_choice(),
                layout=form.cleaned_data["layout"],
                by=self.person,
                now=timezone.now(),
            )
        except MissingModel as problem:
            raise Conflict(str(problem)) from None


class TrainingSetDownload(TrainingSetView):
    """The lines of a training set."""

    @extend_schema(
        operation_id="training_set_retrieve",
        parameters=_PARAMETERS,
        responses={(200, JSON_LINES): OpenApiTypes.STR, **_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """What is accepted in the project, as weights are trained on it: JSON lines."""
        made = self.start(request)
        return send_blocks(made.blocks(), made.file_name, made.content_type)


class TrainingSetBundle(TrainingSetView):
    """A training set with its manifest."""

    @extend_schema(
        operation_id="training_set_zip_retrieve",
        parameters=_PARAMETERS,
        responses={(200, ZIP): OpenApiTypes.BINARY, **_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Lines and manifest in one ZIP: counts, what was left out and why, digest, recipe."""
        return send_zip(self.start(request))
