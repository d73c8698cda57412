"""Jobs over the API: those of a kind, how far one is, stop it, try it again."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core.models.jobs import Job
from annotation.jobs import retrying
from annotation.jobs import services as jobs
from annotation.jobs.queries import find_jobs
from annotation.jobs.serializers import JobSerializer
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import NewestFirst, ProjectView


class JobsOfKind(ProjectView, generics.ListAPIView[Job]):
    """The jobs of one kind in a project, newest first. Views of a kind add what starts one."""

    serializer_class = JobSerializer
    pagination_class = NewestFirst
    filter_backends = ()
    queryset = Job.objects.none()
    kind: str

    def get_queryset(self) -> QuerySet[Job]:
        """Return the jobs that one may know of."""
        return Job.objects.filter(project=self.get_project(), kind=self.kind)


def accept_job(job: Job) -> Response:
    """Return the answer to whoever has started a job: it, and its address."""
    headers = {"Location": reverse("api-job", args=[job.project.slug, job.pk])}
    return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED, headers=headers)


class JobView(ProjectView):
    """A job of a project."""

    def get_job(self) -> Job:
        """Return the job of the address."""
        jobs = find_jobs(self.person)
        return get_object_or_404(jobs, project=self.get_project(), pk=self.kwargs["job_id"])


class JobDetail(JobView):
    """A job: state, progress, result."""

    @extend_schema(
        operation_id="job_retrieve", responses={200: JobSerializer, 403: REFUSED, 404: ABSENT}
    )
    def get(self, request: Request, slug: str, job_id: int) -> Response:
        """Job progress."""
        return Response(JobSerializer(self.get_job()).data)


class JobCancel(JobView):
    """Stop a job."""

    @extend_schema(
        operation_id="job_cancel",
        request=None,
        responses={200: JobSerializer, 403: REFUSED, 404: ABSENT, 409: CLASH},
    )
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Stop the job after its current batch. Questions already imported are kept."""
        job = jobs.cancel_job(job=self.get_job(), by=self.person, now=timezone.now())
        return Response(JobSerializer(job).data)


class JobRetry(JobView):
    """Try a job again."""

    @extend_schema(
        operation_id="job_retry",
        request=None,
        responses={202: JobSerializer, 403: REFUSED, 404: ABSENT, 409: CLASH},
    )
    def post(self, request: Request, slug: str, job_id: int) -> Response:
        """Start a job like one that failed or was stopped; what that stored is passed over."""
        job = retrying.retry_job(job=self.get_job(), by=self.person, now=timezone.now())
        return accept_job(job)
