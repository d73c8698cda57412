"""Scoring jobs for programs. Their figures are those of the report of systems."""

from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.refusals import Conflict
from annotation.jobs.api import JobsOfKind, accept_job
from annotation.jobs.serializers import JobSerializer
from annotation.models import Job, Split
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from evaluation.scores import reading
from evaluation.scoring import services as scoring


class ScoringSerializer(serializers.Serializer[Job]):
    """What is scored: the systems of a split, with a reader or without."""

    split = serializers.ChoiceField(choices=Split.choices)
    reader = serializers.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=40,
        help_text="Key of the reader for Disambig-F1, such as “squad”; without one there is none.",
    )


@extend_schema_view(get=extend_schema(operation_id="scoring_jobs_list"))
class ScoringJobs(JobsOfKind):
    """The jobs that score the systems of a project."""

    kind = scoring.SCORE

    @extend_schema(
        operation_id="scoring_jobs_create",
        request=ScoringSerializer,
        responses={
            202: JobSerializer,
            400: OpenApiResponse(dict, "Not such a split."),
            403: REFUSED,
            404: ABSENT,
            409: CLASH,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job, or return the same one under way.

        The figures are in the report `systems`, filtered by the split, once the job is done.
        """
        project = self.get_project()
        given = ScoringSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            job = scoring.start_scoring_job(
                project=project, **given.validated_data, by=self.person, now=timezone.now()
            )
        except reading.NoReader as problem:
            raise Conflict(str(problem)) from None
        return accept_job(job)
