"""Judge models of studies for programs: add, ask, follow, and read what they said."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.figures import services as figures_services
from annotation.jobs.serializers import JobSerializer
from annotation.models import Job
from annotation.rest.answers import ABSENT, CLASH, REFUSED, RefusalSerializer
from annotation.rest.base import ProjectView
from annotation.rest.parsers import BoundedJSON
from evaluation.models import Study
from modeling.judges import queries, talkers
from modeling.judges import services as judges_services
from modeling.judges.figures import find_figures, place_figures
from modeling.judges.models import JudgeModel
from modeling.judges.queries import JudgeProgress

NOTHING = "There are no figures of this study’s judge models yet. Ask for them with POST."


class OfferSerializer(serializers.Serializer[Any]):
    """A model of this installation. `host` is empty where nothing leaves the installation."""

    talker = serializers.ChoiceField(choices=JudgeModel.Talker.choices)
    model = serializers.CharField()
    host = serializers.CharField(allow_blank=True)


class JudgeSerializer(serializers.Serializer[JudgeProgress]):
    """A judge model of a study and how far it is.

    `own`: the systems of the study that it is itself. `job`: of the newest run, null without one.
    """

    id = serializers.IntegerField(source="judge.pk")
    talker = serializers.CharField(source="judge.talker")
    model = serializers.CharField(source="judge.model")
    host = serializers.CharField(source="judge.host", allow_blank=True)
    prompt = serializers.IntegerField(source="judge.prompt")
    allowed_at = serializers.DateTimeField(source="judge.allowed_at", allow_null=True)
    asked = serializers.IntegerField()
    judged = serializers.IntegerField()
    refused = serializers.IntegerField()
    unreadable = serializers.IntegerField()
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.DecimalField(max_digits=None, decimal_places=8, allow_null=True)
    own = serializers.ListField(child=serializers.CharField())
    job = serializers.IntegerField(source="job.pk", allow_null=True, default=None)


class JudgesSerializer(serializers.Serializer[Any]):
    """The judge models of a study, and the models that this installation has."""

    judges = JudgeSerializer(many=True)
    offers = OfferSerializer(many=True)


class NewJudgeSerializer(serializers.Serializer[Any]):
    """Which model judges. `allowed`: that the items of the study are sent to it."""

    talker = serializers.ChoiceField(choices=JudgeModel.Talker.choices)
    allowed = serializers.BooleanField()
    as_json = serializers.BooleanField(default=True)
    reasons = serializers.BooleanField(default=False)


class AllowanceSerializer(serializers.Serializer[Any]):
    """Whether the items of the study may be sent to the model."""

    allowed = serializers.BooleanField()


class JudgeView(ProjectView):
    """Judge models of a study. Researchers and admins only."""

    parser_classes = (BoundedJSON,)

    def get_study(self) -> Study:
        """Return the study of the address."""
        project = self.get_project()
        study = get_object_or_404(Study, project=project, pk=self.kwargs["study_id"])
        study.project = project
        return study

    def get_judge(self) -> JudgeModel:
        """Return the judge model of the address."""
        study = self.get_study()
        judge = get_object_or_404(JudgeModel, study=study, pk=self.kwargs["judge_id"])
        judge.study = study
        return judge

    def answer_judge(self, judge: JudgeModel, status: int = 200) -> Response:
        """Return a judge model as it is now."""
        rows = queries.list_progress(judge.study)
        row = next(row for row in rows if row.judge.pk == judge.pk)
        return Response(JudgeSerializer(row).data, status=status)

    def answer_job(self, job: Job) -> Response:
        """Return a job that was started."""
        address = reverse("api-job", args=[self.kwargs["slug"], job.pk])
        return Response(JobSerializer(job).data, status=202, headers={"Location": address})


_FAULTS = {403: REFUSED, 404: ABSENT}
_STARTED = {202: JobSerializer, **_FAULTS, 409: CLASH}
_BAD = OpenApiResponse(dict, "What cannot be taken, by field.")


class JudgeList(JudgeView):
    """The judge models of a study."""

    @extend_schema(operation_id="study_judges_list", responses={200: JudgesSerializer, **_FAULTS})
    def get(self, request: Request, slug: str, study_id: int) -> Response:
        """The judge models of a study with how far they are, and the models there are."""
        rows = queries.list_progress(self.get_study())
        data = {"judges": rows, "offers": talkers.list_offers()}
        return Response(JudgesSerializer(data).data)

    @extend_schema(
        operation_id="study_judges_create",
        request=NewJudgeSerializer,
        responses={201: JudgeSerializer, 400: _BAD, **_FAULTS, 409: CLASH},
    )
    def post(self, request: Request, slug: str, study_id: int) -> Response:
        """Add a model to a study and allow that its items are sent to it. Nothing is sent yet."""
        study = self.get_study()
        given = NewJudgeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        judge = judges_services.add_judge(
            study=study, **given.validated_data, by=self.person, now=timezone.now()
        )
        return self.answer_judge(judge, 201)


class JudgeDetail(JudgeView):
    """One judge model."""

    @extend_schema(operation_id="study_judge_retrieve", responses={200: JudgeSerializer, **_FAULTS})
    def get(self, request: Request, slug: str, study_id: int, judge_id: int) -> Response:
        """A judge model and how far it is."""
        return self.answer_judge(self.get_judge())

    @extend_schema(
        operation_id="study_judge_update",
        request=AllowanceSerializer,
        responses={200: JudgeSerializer, 400: _BAD, **_FAULTS},
    )
    def patch(self, request: Request, slug: str, study_id: int, judge_id: int) -> Response:
        """Allow that the items are sent to the model, or no longer."""
        judge = self.get_judge()
        given = AllowanceSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        judges_services.change_allowance(
            judge=judge, **given.validated_data, by=self.person, now=timezone.now()
        )
        return self.answer_judge(self.get_judge())

    @extend_schema(operation_id="study_judge_delete", responses={204: None, **_FAULTS, 409: CLASH})
    def delete(self, request: Request, slug: str, study_id: int, judge_id: int) -> Response:
        """Remove a judge model and what it said, unless it is being asked."""
        judges_services.remove_judge(judge=self.get_judge(), by=self.person, now=timezone.now())
        return Response(status=204)


class JudgeRuns(JudgeView):
    """Ask a judge model."""

    @extend_schema(operation_id="study_judge_run", request=None, responses=_STARTED)
    def post(self, request: Request, slug: str, study_id: int, judge_id: int) -> Response:
        """Ask what it was not asked yet. Ask for the job until it has ended; `cancel` stops it."""
        judge = self.get_judge()
        return self.answer_job(
            judges_services.start_run(judge=judge, by=self.person, now=timezone.now())
        )


class JudgeFigures(JudgeView):
    """The figures of the judge models of a study."""

    @extend_schema(
        operation_id="study_judges_results",
        responses={
            200: OpenApiResponse(dict, "`people` and, apart from them, each of `judges`."),
            **_FAULTS,
            409: OpenApiResponse(RefusalSerializer, "The figures were never computed."),
        },
    )
    def get(self, request: Request, slug: str, study_id: int) -> Response:
        """The figures as they were computed last, as `manage.py judge_study --results` prints."""
        stored = find_figures(self.get_study())
        if stored.computed_at is None:
            return Response({"detail": NOTHING}, status=409)
        return Response({"computed_at": stored.computed_at, **stored.payload})

    @extend_schema(operation_id="study_judges_compute", request=None, responses=_STARTED)
    def post(self, request: Request, slug: str, study_id: int) -> Response:
        """Compute the figures again."""
        place = place_figures(self.get_study())
        return self.answer_job(
            figures_services.start_figures_job(place, by=self.person, now=timezone.now())
        )
