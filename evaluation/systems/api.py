"""Systems and what they answered, for programs: list, read, import, delete."""

from django.db.models import Count, QuerySet
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.exports.downloads import send_blocks
from annotation.exports.format import JSON
from annotation.models import Split
from annotation.rest.answers import ABSENT, CLASH, REFUSED, SPLIT
from annotation.rest.base import AnyType, ById, NewestFirst, ProjectView, refuse_empty
from annotation.uploads.requests import takes_files
from evaluation.imports.api import ANSWERS, TEXT, FileImport, body_of
from evaluation.systems import downloads
from evaluation.systems.forms import OutputsForm
from evaluation.systems.import_jobs import start_outputs
from evaluation.systems.models import Output, System
from evaluation.systems.services import delete_system


@takes_files
class OutputsImport(FileImport):
    """Import what a system answered."""

    form, named_by = OutputsForm, "name"
    start = staticmethod(start_outputs)

    @extend_schema(
        operation_id="outputs_import",
        request=body_of(
            name=TEXT | {"maxLength": 80},
            version=TEXT | {"maxLength": 40},
            kind=TEXT | {"enum": System.Kind.values},
            annotation={"type": "integer", "minimum": 1, "maximum": 100},
            options=TEXT | {"description": "How it was run, as a JSON object."},
        ),
        responses=ANSWERS,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a job that imports a file of answers. Ask for the job until it has ended.

        Its result names the system (`system_id`), counts the answers, and names the lines that were
        not taken.
        """
        return super().post(request, slug)


class SystemSerializer(serializers.ModelSerializer[System]):
    """A system: its name and version, how it was run, and how many questions it answered."""

    options = serializers.DictField(read_only=True, help_text="How it was run.")
    answers = serializers.IntegerField(read_only=True)

    class Meta:
        model = System
        fields = ("id", "name", "version", "kind", "options", "answers", "created_at")


class OutputSerializer(serializers.ModelSerializer[Output]):
    """What a system answered to a question: the text that people judge, and what is scored."""

    question = serializers.CharField(
        source="question.external_id", read_only=True, help_text="The id of its record."
    )
    split = serializers.CharField(source="question.split", read_only=True)
    details = serializers.DictField(
        read_only=True,
        help_text="What a baseline gave besides: answers, pairs, passages and the like.",
    )

    class Meta:
        model = Output
        fields = ("id", "question", "split", "text", "details")


class SystemRows(ProjectView):
    """Systems of a project."""

    def get_systems(self) -> QuerySet[System]:
        """Return the systems of the project. Researchers and admins only."""
        return System.objects.filter(project=self.get_project()).annotate(answers=Count("outputs"))

    def get_system(self) -> System:
        """Return the system of the address."""
        return get_object_or_404(
            self.get_systems().select_related("project"), pk=self.kwargs["system_id"]
        )


@extend_schema_view(get=extend_schema(operation_id="systems_list"))
class SystemList(SystemRows, generics.ListAPIView[System]):
    """The systems of a project."""

    serializer_class = SystemSerializer
    pagination_class = NewestFirst
    filter_backends = ()
    queryset = System.objects.none()

    def get_queryset(self) -> QuerySet[System]:
        """The systems of the project, newest first. Researchers and admins only."""
        return self.get_systems()


class SystemDetail(SystemRows):
    """One system."""

    @extend_schema(
        operation_id="system_retrieve",
        responses={200: SystemSerializer, 403: REFUSED, 404: ABSENT},
    )
    def get(self, request: Request, slug: str, system_id: int) -> Response:
        """A system."""
        return Response(SystemSerializer(self.get_system()).data)

    @extend_schema(
        operation_id="system_delete",
        responses={204: None, 403: REFUSED, 404: ABSENT, 409: CLASH},
    )
    def delete(self, request: Request, slug: str, system_id: int) -> Response:
        """Delete a system with its answers, unless a study uses it."""
        delete_system(system=self.get_system(), by=self.person, now=timezone.now())
        return Response(status=204)


@extend_schema_view(get=extend_schema(operation_id="outputs_list"))
class OutputList(SystemRows, generics.ListAPIView[Output]):
    """What a system answered."""

    serializer_class = OutputSerializer
    pagination_class = ById
    filter_backends = ()
    queryset = Output.objects.none()

    def get_queryset(self) -> QuerySet[Output]:
        """The answers of the system, in the order in which they were stored."""
        rows = Output.objects.filter(system=self.get_system()).select_related("question")
        return rows.only("text", "details", "question__external_id", "question__split")


_FORM = OpenApiParameter(
    "form", str, OpenApiParameter.PATH, enum=[downloads.TEXTS, downloads.OFFICIAL]
)


class OutputDownload(SystemRows):
    """What a system answered, as a file."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="outputs_download",
        parameters=[_FORM, SPLIT],
        responses={
            (200, JSON): {"type": "object"},
            400: OpenApiResponse(dict, "The split is not known."),
            403: REFUSED,
            404: ABSENT,
        },
    )
    def get(self, request: Request, slug: str, system_id: int, form: str) -> StreamingHttpResponse:
        """The answers in a file that an import reads again: a text for each question, or, where
        the data set's own scorer takes another file, that one (`official`).
        """
        system = self.get_system()
        if form not in downloads.list_forms(system):
            raise Http404
        refuse_empty(request, ["split"])
        split = request.query_params.get("split", "")
        if split not in ("", *Split.values):
            raise ValidationError({"split": "The split is train, dev or test."})
        blocks = downloads.stream_answers(system, form, split)
        return send_blocks(blocks, downloads.name_file(system, form, split), "application/json")
