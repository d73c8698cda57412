"""The views of /api/v1/."""

import datetime as dt
from collections.abc import Sequence
from typing import Any, cast

from django.db.models import BigIntegerField, F, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan
from django.db.models.functions import Cast, Extract
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import generics, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from annotation.access.data import check_can_export, check_can_import
from annotation.access.projects import STAFF
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question, Split
from annotation.core.models.work import Assignment
from annotation.core.refusals import roles_in
from annotation.exports import services as exports
from annotation.exports.format import CSV, JSON, JSON_LINES
from annotation.figures import services as figures
from annotation.figures.services import PAGES_READ
from annotation.imports import services as imports
from annotation.imports.forms import ExportForm, SplitForm
from annotation.imports.views import ZIP, download, zipped
from annotation.jobs import retrying
from annotation.jobs import services as jobs
from annotation.projects.queries import projects_of
from annotation.reading.visits import UNITS, pages_read
from annotation.rest.base import AnyType, ById, ByImport, ByKey, ProjectView, refuse_empty
from annotation.rest.serializers import (
    AssignmentSerializer,
    ImportSerializer,
    JobSerializer,
    PagesReadSerializer,
    ProjectSerializer,
    QuestionSerializer,
    RefusalSerializer,
)
from annotation.uploads.requests import refusal, takes_files

REFUSED = OpenApiResponse(RefusalSerializer, "Forbidden; see `detail`.")
ABSENT = OpenApiResponse(RefusalSerializer, "Not found, or you do not have access to it.")
CLASH = OpenApiResponse(RefusalSerializer, "Conflict; see `detail`.")
SPLIT = OpenApiParameter("split", str, enum=Split.values, description="Only this split.")
EXPORT_PARAMETERS = [
    OpenApiParameter("format", str, OpenApiParameter.PATH, enum=list(exports.every())),
    SPLIT,
    OpenApiParameter(
        "state", str, enum=Question.State.values, description="Only questions in this state."
    ),
    OpenApiParameter("person", str, description="Only work of this person, by pseudonym."),
    OpenApiParameter("since", OpenApiTypes.DATE, description="First day of submission, in UTC."),
    OpenApiParameter("until", OpenApiTypes.DATE, description="Last day of submission, in UTC."),
    OpenApiParameter("study", int, description="Only this study; for judgments."),
]
EXPORT_REFUSALS = {
    400: OpenApiResponse(
        OpenApiTypes.OBJECT, "A filter has an unknown value; the message names it."
    ),
    403: REFUSED,
    404: ABSENT,
    409: CLASH,
}


class QuestionFilter(filters.FilterSet):  # type: ignore[misc]
    """Questions by split and state."""

    class Meta:
        model = Question
        fields = ["split", "state"]


class AssignmentFilter(filters.FilterSet):  # type: ignore[misc]
    """Assignments by state, stage and split."""

    split = filters.ChoiceFilter(field_name="task__question__split", choices=Split.choices)

    class Meta:
        model = Assignment
        fields = ["state", "stage"]


class ProjectList(generics.ListAPIView[Project]):
    """The projects you work in."""

    serializer_class = ProjectSerializer
    pagination_class = ById
    filter_backends = ()
    queryset = Project.objects.none()

    def get_queryset(self) -> QuerySet[Project]:
        """The projects you work in."""
        return projects_of(cast(User, self.request.user)).prefetch_related("policies")


class ProjectDetail(ProjectView, generics.RetrieveAPIView[Project]):
    """One project."""

    check = None
    serializer_class = ProjectSerializer
    queryset = Project.objects.none()

    def get_object(self) -> Project:
        """One project."""
        return self.get_project()


class QuestionList(ProjectView, generics.ListAPIView[Question]):
    """The questions of a project, in the order of import. Researchers and admins only."""

    serializer_class = QuestionSerializer
    pagination_class = ByImport
    filterset_class = QuestionFilter
    queryset = Question.objects.none()
    order = ("created_at", "pk")

    def get_queryset(self) -> QuerySet[Question]:
        """The questions of a project, in the order of import. Researchers and admins only.

        With a filter a page may be short, or empty: follow `next` until it is null.
        """
        self.project = self.get_project()
        return Question.objects.filter(project=self.project)

    def keys(self, start: Sequence[int], *, back: bool) -> QuerySet[Question, Any]:
        """Return the moment of import, in microseconds, and the id of the questions from there."""
        questions = Question.objects.filter(project=self.project)
        if start:
            imported = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(microseconds=start[0])
            compare = TupleLessThan if back else TupleGreaterThan
            beyond: Any = compare(Tuple(F("created_at"), F("pk")), (imported, start[1]))
            questions = questions.filter(beyond)
        micros = Cast(Extract("created_at", "epoch") * 1_000_000, BigIntegerField())
        order = [f"-{name}" for name in self.order] if back else self.order
        return questions.order_by(*order).values_list(micros, "pk")


class AssignmentList(ProjectView, generics.ListAPIView[Assignment]):
    """Who worked on what, under pseudonyms: everyone's for staff, your own otherwise."""

    check = None
    serializer_class = AssignmentSerializer
    pagination_class = ByKey
    filterset_class = AssignmentFilter
    queryset = Assignment.objects.none()
    order = ("pk",)

    def get_queryset(self) -> QuerySet[Assignment]:
        """The assignments of a project: everyone's for staff, your own otherwise.

        With a filter a page may be short, or empty: follow `next` until it is null.
        """
        project = self.get_project()
        self.staff = bool(STAFF & roles_in(self.person, project))
        turns = Assignment.objects.filter(project=project)
        # A range of one and both columns of an index in the order: with an equality, PostgreSQL may
        # walk the primary key through the work of all other projects.
        if self.staff:
            one: Any = {"project__gte": project.pk, "project__lte": project.pk}
            self.every = Assignment.objects.filter(**one), "project"
        else:
            turns = turns.filter(user=self.person)
            one = {"user__gte": self.person.pk, "user__lte": self.person.pk}
            self.every = Assignment.objects.filter(project=project, **one), "user"
        return turns.select_related("task__question", "user", "project")

    def get_serializer_context(self) -> dict[str, Any]:
        """Add whether the team asks."""
        return {**super().get_serializer_context(), "staff": getattr(self, "staff", False)}

    def keys(self, start: Sequence[int], *, back: bool) -> QuerySet[Assignment, Any]:
        """Return the ids of the assignments from there."""
        turns, by = self.every
        if start:
            turns = turns.filter(pk__lt=start[0]) if back else turns.filter(pk__gt=start[0])
        # As assignment_of_project and assignment_of_person have them, or backwards.
        return turns.order_by(*((by, "-pk") if back else (f"-{by}", "pk"))).values_list("pk")


@takes_files
class ImportCreate(ProjectView):
    """Import a file of questions."""

    check = staticmethod(check_can_import)
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="import_create",
        request=ImportSerializer,
        responses={202: JobSerializer, 403: REFUSED, 404: ABSENT, 409: CLASH},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports the file. Ask for the job until it has ended."""
        project = self.get_project()
        form = ImportSerializer(data=request.data, context={"project": project})
        if refused := refusal(request._request):
            form.fields["file"].error_messages["required"] = refused
        form.is_valid(raise_exception=True)
        values: dict[str, Any] = form.validated_data
        job = imports.start_import(
            project=project,
            file_name=values["file"].name,
            by=self.person,
            now=timezone.now(),
            **values,
        )
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class JobView(ProjectView):
    """A job of a project."""

    def get_job(self) -> Job:
        """Return the job of the address."""
        jobs = Job.objects.select_related("project")
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
        job = jobs.cancel(job=self.get_job(), by=self.person, now=timezone.now())
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
        job = retrying.retry(job=self.get_job(), by=self.person, now=timezone.now())
        headers = {"Location": reverse("api-job", args=[slug, job.pk])}
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED, headers=headers)


class ExportView(ProjectView):
    """What was submitted, or the chosen part of it."""

    check = staticmethod(check_can_export)
    content_negotiation_class = AnyType

    def start(self, request: Request, format: str) -> exports.Export:
        """Start the export that the address asks for."""
        project = self.get_project()
        if format not in exports.every():
            raise Http404
        form = ExportForm(request.query_params, project=project)
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError(
                {name: " ".join(map(str, sentences)) for name, sentences in form.errors.items()}
            )
        return exports.start_export(
            project=project,
            format=format,
            chosen=form.selection,
            by=self.person,
            now=timezone.now(),
        )


class ExportDownload(ExportView):
    """The data of an export."""

    @extend_schema(
        operation_id="export_retrieve",
        parameters=EXPORT_PARAMETERS,
        responses={
            (200, JSON): {"type": "array", "items": {"type": "object"}},
            (200, JSON_LINES): OpenApiTypes.STR,
            (200, CSV): OpenApiTypes.STR,
            **EXPORT_REFUSALS,
        },
    )
    def get(self, request: Request, slug: str, format: str) -> StreamingHttpResponse:
        """The exported data: an array for AmbigNQ, CSV for pages read, else JSON lines."""
        return download(self.start(request, format))


class ExportBundle(ExportView):
    """An export with its manifest."""

    @extend_schema(
        operation_id="export_zip_retrieve",
        parameters=EXPORT_PARAMETERS,
        responses={(200, ZIP): OpenApiTypes.BINARY, **EXPORT_REFUSALS},
    )
    def get(self, request: Request, slug: str, format: str) -> StreamingHttpResponse:
        """Data and manifest in one ZIP, both of the same moment."""
        return zipped(self.start(request, format))


class PagesReadFigure(ProjectView):
    """How many pages were read (AmbigQA's Figure 2a). Researchers and admins only."""

    check = staticmethod(check_can_export)

    @extend_schema(
        operation_id="pages_read_retrieve",
        parameters=[SPLIT],
        responses={
            200: PagesReadSerializer,
            400: OpenApiResponse(OpenApiTypes.OBJECT, "The split is unknown."),
            403: REFUSED,
            404: ABSENT,
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """How many pages were read, per annotation and per question.

        `as_counted` holds the pages opened from search results, as AmbigQA counted them;
        `all` holds those reached in any way. Only submissions in use count. In a large project
        the figures are counted beforehand: `counted_at` is when, otherwise null.
        """
        project, form = self.get_project(), SplitForm(request.query_params)
        refuse_empty(request, form.fields)
        if not form.is_valid():
            raise ValidationError({"split": "The split is train, dev or test."})
        split = form.cleaned_data["split"] or None
        figures.look([project], PAGES_READ, now=timezone.now())
        figure = {f"per_{per}": pages_read(project, per=per, split=split) for per in UNITS}
        counted = {"counted_at": figures.counted_at(project, PAGES_READ)}
        return Response(PagesReadSerializer(figure | counted).data)


class Nothing(APIView):
    """Any address under /api/v1/ that is not one of these."""

    @extend_schema(exclude=True)
    def handle(self, request: Request) -> Response:
        """Answer 404 to every method."""
        raise NotFound

    get = post = put = patch = delete = handle
