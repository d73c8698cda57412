"""Runs of baselines for programs: which can run, start one; its job says how far it is."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.refusals import Conflict
from annotation.imports.queries import splits_of
from annotation.jobs.api import JobsOfKind, accept_job
from annotation.jobs.serializers import JobSerializer
from annotation.models import Job, Split
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import ProjectView
from annotation.rest.parsers import BoundedJSON
from evaluation.systems.policies import check_can_import_outputs
from modeling.base import BadOption, MissingModel
from modeling.forms import find_option_problem
from modeling.offers import list_baseline_offers
from modeling.services import running
from modeling.services.running import Choice


class BaselineSerializer(serializers.Serializer[Any]):
    """A baseline. `problem` says what it lacks here, empty where it can run."""

    key = serializers.CharField(source="entry.key")
    name = serializers.CharField(source="entry.label")
    problem = serializers.CharField(allow_blank=True)


class BaselinesSerializer(serializers.Serializer[Any]):
    """The baselines of this installation, in the order in which they are offered."""

    baselines = BaselineSerializer(many=True)


class RunSerializer(serializers.Serializer[Any]):
    """Which baseline answers which questions."""

    baseline = serializers.CharField(max_length=40, help_text="Its key, such as “bm25”.")
    split = serializers.ChoiceField(choices=Split.choices)
    options = serializers.DictField(
        child=serializers.CharField(max_length=200),
        required=False,
        help_text="Those of the baseline, as text, such as {“top”: “20”}. Files and folders of the "
        "server cannot be named.",
    )
    missing = serializers.BooleanField(
        default=False, help_text="Only questions that this version has not answered yet."
    )


class BaselineList(ProjectView):
    """The baselines."""

    check = staticmethod(check_can_import_outputs)

    @extend_schema(
        operation_id="baselines_retrieve",
        responses={200: BaselinesSerializer, 403: REFUSED, 404: ABSENT},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Which baselines can answer the questions of the project, and what the others lack."""
        offers = list_baseline_offers(self.get_project(), running.PREDICT)
        return Response(BaselinesSerializer({"baselines": offers}).data)


_STARTED = {
    202: JobSerializer,
    400: OpenApiResponse(dict, "What cannot be taken, by field."),
    403: REFUSED,
    404: ABSENT,
    409: CLASH,
}


class RunList(JobsOfKind):
    """The runs of baselines of one kind in a project."""

    parser_classes = (BoundedJSON,)
    start: Callable[..., Job]

    def start_run(self, request: Request) -> Response:
        """Start the job that was asked for, or return the same one under way."""
        project = self.get_project()
        given = RunSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        choice = Choice(**given.validated_data)
        if problem := find_option_problem(choice.options, splits_of(project)):
            raise ValidationError({"options": problem})
        try:
            job = type(self).start(
                project=project, choice=choice, by=self.person, now=timezone.now()
            )
        except BadOption as error:
            raise ValidationError({"options": str(error)}) from None
        except MissingModel as error:
            raise Conflict(str(error)) from None
        return accept_job(job)


@extend_schema_view(get=extend_schema(operation_id="predictions_list"))
class PredictionRuns(RunList):
    """Runs that store answers of a system."""

    kind = running.PREDICT
    start = staticmethod(running.start_prediction_job)

    @extend_schema(operation_id="predictions_create", request=RunSerializer, responses=_STARTED)
    def post(self, request: Request, slug: str) -> Response:
        """Start a baseline. Ask for the job until it has ended; `cancel` stops it.

        Its answers are those of a system with the baseline's key as its name; the job's result
        counts them and names questions without one.
        """
        return self.start_run(request)


@extend_schema_view(get=extend_schema(operation_id="suggestion_runs_list"))
class SuggestionRuns(RunList):
    """Runs that store suggestions to people."""

    kind = running.SUGGEST
    start = staticmethod(running.start_suggestion_job)

    @extend_schema(operation_id="suggestion_runs_create", request=RunSerializer, responses=_STARTED)
    def post(self, request: Request, slug: str) -> Response:
        """Start a baseline whose answers are suggested to people, where a policy names it."""
        return self.start_run(request)
