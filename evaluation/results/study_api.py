"""Studies for programs: list, make, start, close, delete."""

from typing import Any

from django.db.models import CharField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Split, StoredFigures
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import NewestFirst, ProjectView
from annotation.rest.parsers import BoundedJSON
from evaluation.studies import services as studies_services
from evaluation.studies.form import MOST_CRITERIA
from evaluation.studies.models import MOST_SEED, Study
from evaluation.studies.posted_design import complete_design
from evaluation.studies.preview import check_raters
from evaluation.studies.results_job import RESULTS_KIND


class CriterionSerializer(serializers.Serializer[Any]):
    """What raters compare two answers by."""

    key = serializers.RegexField(r"[a-z][a-z0-9_]{0,19}\Z", required=False)
    label = serializers.CharField(max_length=40)  # type: ignore[assignment]
    wording = serializers.CharField(max_length=500)


class DesignSerializer(serializers.Serializer[Any]):
    """The design of a study. Everything can be left out."""

    title = serializers.CharField(max_length=120, required=False)
    systems = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Ids of systems."
    )
    split = serializers.ChoiceField(choices=Split.choices, required=False)
    size = serializers.IntegerField(
        min_value=1, max_value=5_000, required=False, help_text="The number of questions."
    )
    seed = serializers.IntegerField(min_value=0, max_value=MOST_SEED, required=False)
    stratified = serializers.BooleanField(required=False)
    pairing = serializers.ChoiceField(choices=Study.Pairing.choices, required=False)
    reference = serializers.IntegerField(required=False, help_text="The id of a system.")
    raters = serializers.IntegerField(min_value=1, max_value=25, required=False)
    repeats = serializers.IntegerField(min_value=0, max_value=100, required=False)
    minutes = serializers.FloatField(min_value=0.1, max_value=120, required=False)
    criteria = serializers.ListField(
        child=CriterionSerializer(), required=False, max_length=MOST_CRITERIA
    )
    steps = serializers.ChoiceField(choices=[3, 5], required=False)
    accuracy = serializers.BooleanField(required=False)
    shown = serializers.ChoiceField(choices=Study.Shown.choices, required=False)


class StudySerializer(serializers.ModelSerializer[Study]):
    """A study, and when its figures were computed last; null if they never were."""

    systems = serializers.ListField(
        child=serializers.CharField(), source="systems.all", read_only=True
    )
    computed_at = serializers.DateTimeField(read_only=True, allow_null=True)

    class Meta:
        model = Study
        fields = [
            *("id", "title", "state", "split", "systems", "size", "seed", "pairing", "raters"),
            *("repeats", "criteria", "steps", "accuracy", "shown", "created_at", "started_at"),
            *("closed_at", "computed_at"),
        ]


class StudyRows(ProjectView):
    """Studies of a project."""

    parser_classes = (BoundedJSON,)

    def get_studies(self) -> QuerySet[Study]:
        """Return the studies of the project. Researchers and admins only."""
        stored = StoredFigures.objects.filter(
            project=OuterRef("project"),
            report=RESULTS_KIND.key,
            subject=Cast(OuterRef("pk"), CharField()),
        )
        studies = Study.objects.filter(project=self.get_project()).select_related("project")
        return studies.annotate(computed_at=Subquery(stored.values("counted_at"))).prefetch_related(
            "systems"
        )

    def get_study(self) -> Study:
        """Return the study of the address."""
        return get_object_or_404(self.get_studies(), pk=self.kwargs["study_id"])

    def answer_study(self, study: Study, status: int = 200) -> Response:
        """Return a study as it is now."""
        found = self.get_studies().get(pk=study.pk)
        return Response(StudySerializer(found).data, status=status)


@extend_schema_view(get=extend_schema(operation_id="studies_list"))
class StudyList(StudyRows, generics.ListAPIView[Study]):
    """The studies of a project."""

    serializer_class = StudySerializer
    pagination_class = NewestFirst
    filter_backends = ()
    queryset = Study.objects.none()

    def get_queryset(self) -> QuerySet[Study]:
        """The studies of the project, newest first. Researchers and admins only."""
        return self.get_studies()

    @extend_schema(
        operation_id="studies_create",
        request=DesignSerializer,
        responses={
            201: StudySerializer,
            400: OpenApiResponse(dict, "What cannot be taken, by field."),
            403: REFUSED,
            404: ABSENT,
            409: CLASH,
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make the draft of a study. What is left out is as the page of a new study proposes it."""
        project = self.get_project()
        given = DesignSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        form = complete_design(project, given.validated_data)
        if not form.is_valid():
            raise ValidationError(
                {name: " ".join(map(str, errors)) for name, errors in form.errors.items()}
            )
        study = studies_services.make_study(
            project=project, changes=form.design, systems=form.chosen, by=self.person,
            now=timezone.now(),
        )  # fmt: skip
        return self.answer_study(study, 201)


class StudyDetail(StudyRows):
    """One study."""

    @extend_schema(
        operation_id="study_retrieve", responses={200: StudySerializer, 403: REFUSED, 404: ABSENT}
    )
    def get(self, request: Request, slug: str, study_id: int) -> Response:
        """A study with its design."""
        return Response(StudySerializer(self.get_study()).data)

    @extend_schema(
        operation_id="study_delete", responses={204: None, 403: REFUSED, 404: ABSENT, 409: CLASH}
    )
    def delete(self, request: Request, slug: str, study_id: int) -> Response:
        """Delete a draft; the list of studies can bring it back for 30 days."""
        studies_services.delete_study(study=self.get_study(), by=self.person, now=timezone.now())
        return Response(status=204)


_CHANGED = {200: StudySerializer, 403: REFUSED, 404: ABSENT, 409: CLASH}


class StudyStart(StudyRows):
    """Start a study."""

    @extend_schema(operation_id="study_start", request=None, responses=_CHANGED)
    def post(self, request: Request, slug: str, study_id: int) -> Response:
        """Draw the questions and hand out the items; from now on the design stays as it is."""
        study = self.get_study()
        check_raters(study)
        studies_services.start_study(study=study, by=self.person, now=timezone.now())
        return self.answer_study(study)


class StudyClose(StudyRows):
    """Close a study."""

    @extend_schema(operation_id="study_close", request=None, responses=_CHANGED)
    def post(self, request: Request, slug: str, study_id: int) -> Response:
        """Ask for no more judgments, and compute the results."""
        study = self.get_study()
        studies_services.close_study(study=study, by=self.person, now=timezone.now())
        return self.answer_study(study)
