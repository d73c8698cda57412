"""Making questions over the API."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.data import check_can_import
from annotation.jobs.api import JobsOfKind, accept_job
from annotation.jobs.serializers import JobSerializer
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.parsers import BoundedJSON
from qampari.making.choices import BadChoice, MakingChoice, read_choice, write_choice
from qampari.making.editing.queries import list_asked_relations
from qampari.making.jobs import JUDGES, MAKING, start_making_job
from qampari.making.relations import BadRelation
from wikipedia.wikidata.extracts import GraphProblem


class MakingSerializer(serializers.Serializer[Any]):
    """What is made, from which graph."""

    graph = serializers.CharField(max_length=100, help_text="Name of a graph that is here.")
    choices = serializers.DictField(
        required=False,
        help_text="What differs from the usual, as in a file of choices: "
        f"{', '.join(write_choice(MakingChoice(relations=())))}. Relations are else those included "
        "in the project.",
    )
    judge = serializers.ChoiceField(choices=list(JUDGES), default="words")
    try_only = serializers.BooleanField(
        default=False, help_text="Add nothing: the job's result shows a sample."
    )
    sample_only = serializers.BooleanField(
        default=False,
        help_text="Add nothing, and do all that a run does: people look at 20 of its questions "
        "first.",
    )


@extend_schema_view(get=extend_schema(operation_id="makings_list"))
class Makings(JobsOfKind):
    """The runs that made questions of a project."""

    parser_classes = (BoundedJSON,)
    kind = MAKING
    check = staticmethod(check_can_import)

    @extend_schema(
        operation_id="makings_create",
        request=MakingSerializer,
        responses={
            202: JobSerializer,
            400: OpenApiResponse(description="Bad choices; each field names its problem."),
            403: REFUSED,
            404: ABSENT,
            409: CLASH,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make questions with many answers from a graph. Ask for the job until it has ended.

        The job's result has the counts of each step, and those of the import.
        """
        project = self.get_project()
        given = MakingSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        values = given.validated_data
        try:
            job = start_making_job(
                project=project,
                graph=values["graph"],
                choice=read_choice(values.get("choices", {}), list_asked_relations(project)),
                judge=values["judge"],
                try_only=values["try_only"],
                sample_only=values["sample_only"],
                by=self.person,
                now=timezone.now(),
            )
        except (BadChoice, BadRelation) as problem:
            raise ValidationError({"choices": str(problem)}) from None
        except GraphProblem as problem:
            raise ValidationError({"graph": str(problem)}) from None
        return accept_job(job)
