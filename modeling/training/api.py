"""Trainings, their curves, and training sets for programs."""

from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.data import check_can_export
from annotation.core.refusals import Conflict
from annotation.exports.downloads import ZIP, send_blocks, send_zip
from annotation.exports.format import JSON_LINES
from annotation.jobs.api import JobsOfKind, accept_job
from annotation.jobs.queries import find_jobs
from annotation.jobs.serializers import JobSerializer
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import AnyType, ProjectView, refuse_empty
from annotation.rest.parsers import BoundedJSON
from evaluation.systems.policies import check_can_import_outputs
from modeling.base import BadOption, MissingModel
from modeling.training.building import ExampleChoice
from modeling.training.curve_files import send_curve
from modeling.training.curves import CURVE_FORMATS
from modeling.training.forms import TrainingSetForm
from modeling.training.jobs import TRAINING, start_estimate_job, start_training_job
from modeling.training.mixing import MOST_TIMES
from modeling.training.recipe_changes import PRESETS
from modeling.training.recipes import LAYOUTS, RECIPES
from modeling.training.sets import TrainingSet, start_training_set
from modeling.training.trainings import TrainingChoice

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


class TrainingSerializer(serializers.Serializer[Any]):
    """What is trained, from what, and what it is called."""

    system = serializers.CharField(max_length=40, help_text="Key of the baseline.")
    role = serializers.ChoiceField(choices=list(RECIPES), required=False, default="")
    name = serializers.CharField(max_length=60, help_text="Small letters, digits and -.")
    base = serializers.CharField(
        max_length=120,
        required=False,
        default="",
        help_text="A model of the hub that is here, minilm, or trained:NAME.",
    )
    preset = serializers.ChoiceField(choices=list(PRESETS), default="paper")
    changes = serializers.DictField(
        child=serializers.CharField(max_length=40),
        required=False,
        help_text="Numbers of the recipe, as text, such as {“batch”: “16”}.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=1_000_000, default=0)
    keep_suggested = serializers.BooleanField(default=False)
    no_dev = serializers.BooleanField(default=False, help_text="Keep the last step.")
    also = serializers.DictField(
        child=serializers.IntegerField(min_value=1, max_value=MOST_TIMES),
        required=False,
        help_text="Other projects whose train is learnt from as well, of which you are staff, with "
        "how often in an epoch, such as {“nq”: 1}.",
    )
    estimate = serializers.BooleanField(
        default=False, help_text="Train nothing: the job says what it would take."
    )


class CurveSerializer(serializers.Serializer[Any]):
    """A curve: each point is a step and a value."""

    metric = serializers.CharField(help_text="What `dev` has, empty before the first step.")
    loss = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    dev = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))


@extend_schema_view(get=extend_schema(operation_id="trainings_list"))
class Trainings(JobsOfKind):
    """The trainings of a project."""

    parser_classes = (BoundedJSON,)
    kind = TRAINING
    check = staticmethod(check_can_import_outputs)

    @extend_schema(
        operation_id="trainings_create",
        request=TrainingSerializer,
        responses={202: JobSerializer, **_REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a training. Ask for the job until it has ended; `cancel` saves a checkpoint.

        The job's result has the curve: `loss` and `dev` as points of step and value. That of an
        `estimate` has `estimate` and the same in `sentences`.
        """
        project = self.get_project()
        given = TrainingSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        choice = TrainingChoice(
            examples=ExampleChoice(
                system=values["system"],
                role=values["role"],
                keep_suggested=values["keep_suggested"],
            ),
            key=values["name"],
            base=values["base"],
            preset=values["preset"],
            changes=values.get("changes", {}),
            seed=values["seed"],
            no_dev=values["no_dev"],
            also=values.get("also", {}),
        )
        try:
            start = start_estimate_job if values["estimate"] else start_training_job
            job = start(project=project, choice=choice, by=self.person, now=timezone.now())
        except BadOption as problem:
            raise ValidationError({"name": str(problem)}) from None
        except MissingModel as problem:
            raise Conflict(str(problem)) from None
        return accept_job(job)


class TrainingCurve(ProjectView):
    """The curve of a training."""

    check = staticmethod(check_can_import_outputs)
    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="training_curve_retrieve",
        parameters=[OpenApiParameter("form", str, OpenApiParameter.PATH, enum=list(CURVE_FORMATS))],
        responses={
            (200, "application/json"): CurveSerializer,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "image/svg+xml"): OpenApiTypes.STR,
            403: REFUSED,
            404: ABSENT,
        },
    )
    def get(self, request: Request, slug: str, job_id: int, form: str) -> HttpResponse:
        """Loss and figure of dev by step, at most 500 points, also while the training goes on.

        The first and the last point of each are among them, and the best look at dev.
        """
        project = self.get_project()
        jobs = find_jobs(self.person).filter(project=project, kind=TRAINING)
        job = get_object_or_404(jobs, pk=self.kwargs["job_id"])
        if form not in CURVE_FORMATS:
            raise Http404
        return send_curve(job, form)


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
