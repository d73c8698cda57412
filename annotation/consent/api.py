"""Consent over the API: one's own answer, and everyone's for admins."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.pseudonyms import derive_pseudonym
from annotation.consent import queries, services
from annotation.consent.models import Consent, ConsentText
from annotation.consent.policies import check_can_publish
from annotation.consent.services import Agreement
from annotation.core.models.projects import Project
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import ById, OwnWorkView, ProjectView

ANSWERS = [(state, state) for state in ("agreed", "refused", "withdrawn", "replaced")]


class ConsentTextSerializer(serializers.ModelSerializer[ConsentText]):
    """What a project keeps about people. `minimum_age` 0 does not ask for the age."""

    class Meta:
        model = ConsentText
        fields = [
            *("version", "body", "contact", "ethics", "minimum_age", "asks_training"),
            "asks_background",
            "created_at",
        ]


class ConsentAnswerSerializer(serializers.ModelSerializer[Consent]):
    """One answer to a text, which never changes apart from when it ended.

    `may_train` is null where it was not asked.
    """

    version = serializers.IntegerField(source="text.version", read_only=True)
    state = serializers.ChoiceField(choices=ANSWERS, read_only=True)

    class Meta:
        model = Consent
        fields = [
            *("id", "version", "state", "given_at", "refused_at", "may_train"),
            *("withdrawn_at", "replaced_at"),
        ]


class PersonsAnswerSerializer(ConsentAnswerSerializer):
    """The same, with the person's pseudonym in this project."""

    person = serializers.SerializerMethodField()

    class Meta(ConsentAnswerSerializer.Meta):
        fields = ["person", *ConsentAnswerSerializer.Meta.fields]

    @extend_schema_field(serializers.CharField)
    def get_person(self, answer: Consent) -> str:
        """Return the name of the person in exports of the project."""
        return derive_pseudonym(answer.user, scope=answer.project.slug)


class OwnConsentSerializer(serializers.Serializer[Any]):
    """The text in force, your answer that counts, and whether you get no work before you agree."""

    text = ConsentTextSerializer()
    answer = ConsentAnswerSerializer(allow_null=True)
    due = serializers.BooleanField()


class AnswerSerializer(serializers.Serializer[Any]):
    """Your answer to a version of the text. With `agree` false you refuse or withdraw: your roles
    as annotator, validator, judge or expert end, and the work in your hands goes to others.
    """

    agree = serializers.BooleanField()
    version = serializers.IntegerField(min_value=1, required=False)
    of_age = serializers.BooleanField(default=False, help_text="You are as old as `minimum_age`.")
    may_train = serializers.BooleanField(
        allow_null=True, default=None, help_text="Needed where the text asks."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse to agree to a text without naming it."""
        if attrs["agree"] and "version" not in attrs:
            raise serializers.ValidationError({"version": "Name the version you have read."})
        return attrs


class OwnConsent(OwnWorkView):
    """Your consent in a project."""

    check = None

    @extend_schema(
        operation_id="consent_retrieve", responses={200: OwnConsentSerializer, 404: ABSENT}
    )
    def get(self, request: Request, slug: str) -> Response:
        """Read what the project keeps about you, and your answer."""
        return self._respond(self._asked_project())

    @extend_schema(
        operation_id="consent_answer",
        request=AnswerSerializer,
        responses={200: OwnConsentSerializer, 403: REFUSED, 404: ABSENT, 409: CLASH},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Agree, refuse or withdraw."""
        project, values = self._asked_project(), self.read_values(AnswerSerializer)
        now = timezone.now()
        if values["agree"]:
            agreement = Agreement(values["version"], values["of_age"], values["may_train"])
            services.give_consent(project=project, agreement=agreement, by=self.person, now=now)
        elif not services.withdraw_consent(project=project, by=self.person, now=now):
            services.refuse_consent(project=project, by=self.person, now=now)
        return self._respond(project)

    def _asked_project(self) -> Project:
        project = self.get_project()
        if self.person.is_participant or queries.newest_text(project) is None:
            raise Http404
        return project

    def _respond(self, project: Project) -> Response:
        shown = {
            "text": queries.newest_text(project),
            "answer": queries.consent_in_force(self.person, project),
            "due": queries.has_to_answer(self.person, project),
        }
        return Response(OwnConsentSerializer(shown).data)


class ConsentList(ProjectView, generics.ListAPIView[Consent]):
    """Every answer of a project's people, for its admins."""

    check = staticmethod(check_can_publish)
    serializer_class = PersonsAnswerSerializer
    pagination_class = ById
    filter_backends = ()
    queryset = Consent.objects.none()

    def get_queryset(self) -> QuerySet[Consent]:
        """Every answer, the oldest first."""
        rows = Consent.objects.filter(project=self.get_project())
        return rows.select_related("user", "project", "text")
