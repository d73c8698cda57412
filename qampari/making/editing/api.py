"""The relations of a project over the API."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.data import check_can_import
from annotation.access.loaders import parse_number
from annotation.rest.answers import ABSENT, CLASH, REFUSED
from annotation.rest.base import ProjectView
from annotation.rest.parsers import BoundedJSON
from qampari.making.editing import queries, services
from qampari.making.relations import (
    BadRelation,
    find_wording_problems,
    parse_relation_key,
    read_relation,
)


class WordingSerializer(serializers.Serializer[Any]):
    """The words of a relation, as in a file of choices, and whether it is included."""

    question = serializers.CharField(help_text="With {subject}, ending in a question mark.")
    statement = serializers.CharField(help_text="With {answer} and {subject}, a full stop.")
    noun = serializers.CharField(help_text="What the answers are, in the plural.")
    phrase = serializers.CharField(help_text="What is said of them, with {subject}.")
    values = serializers.CharField(help_text="What its values are to the answers, in the plural.")
    cues = serializers.ListField(child=serializers.CharField(), required=False, default=list)
    time = serializers.CharField(required=False, default="any", help_text="any or day.")
    included = serializers.BooleanField(default=True)
    version = serializers.IntegerField(
        min_value=0, default=0, help_text="The version that you began from; 0 for none."
    )


class ListedRelationSerializer(serializers.Serializer[Any]):
    """A relation of a project; an added one may have no wording yet."""

    property = serializers.CharField(help_text="As P177.")
    type = serializers.CharField(allow_null=True, help_text="As Q12280; null for any.")
    question = serializers.CharField(allow_blank=True)
    statement = serializers.CharField(allow_blank=True)
    noun = serializers.CharField(allow_blank=True)
    phrase = serializers.CharField(allow_blank=True)
    values = serializers.CharField(allow_blank=True)
    cues = serializers.ListField(child=serializers.CharField())
    time = serializers.CharField()
    included = serializers.BooleanField()
    version = serializers.IntegerField(help_text="How often the project saved it.")
    origin = serializers.ChoiceField(choices=[queries.SHIPPED, queries.CHANGED, queries.ADDED])


class ProjectRelationsView(ProjectView):
    """A view of the relations of a project of lists."""

    check = staticmethod(check_can_import)
    parser_classes = (BoundedJSON,)

    def get_ids(self) -> queries.RelationIds:
        """Return the numbers in the address, as P177 or P177-Q12280."""
        try:
            return parse_relation_key(self.kwargs["place"].replace("-", "/"))
        except BadRelation:
            raise Http404 from None


class RelationList(ProjectRelationsView):
    """The relations that a project asks about."""

    @extend_schema(
        operation_id="made_relations_list",
        responses={200: ListedRelationSerializer(many=True), 403: REFUSED, 404: ABSENT},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List all: those that come with Ambit, as the project words them, then its own."""
        relations = queries.list_project_relations(self.get_project())
        return Response(list(map(queries.describe_relation, relations)))


class RelationDetail(ProjectRelationsView):
    """One relation, by its ids: P177, or P177-Q12280 with the type of the answers."""

    @extend_schema(
        operation_id="made_relations_retrieve",
        responses={200: ListedRelationSerializer, 403: REFUSED, 404: ABSENT},
    )
    def get(self, request: Request, slug: str, place: str) -> Response:
        """Look at a relation."""
        found = queries.find_project_relation(self.get_project(), self.get_ids())
        if found is None:
            raise Http404
        return Response(queries.describe_relation(found))

    @extend_schema(
        operation_id="made_relations_update",
        request=WordingSerializer,
        responses={
            200: ListedRelationSerializer,
            400: OpenApiResponse(description="Bad words; each field names its problem."),
            403: REFUSED,
            404: ABSENT,
            409: CLASH,
        },
    )
    def put(self, request: Request, slug: str, place: str) -> Response:
        """Word a relation, or add one. Say from which version you began.

        Where somebody else has saved it meanwhile, nothing changes (409).
        """
        project, (prop, type_id) = self.get_project(), self.get_ids()
        given = WordingSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        values = dict(given.validated_data)
        included, seen = values.pop("included"), values.pop("version")
        ids = {"property": f"P{prop}", "type": f"Q{type_id}" if type_id else None}
        try:
            asked = read_relation(ids | values, check=False)
        except BadRelation as problem:
            raise ValidationError({"cues": str(problem)}) from None
        if problems := find_wording_problems(asked):
            raise ValidationError(problems)
        saved = services.save_relation(
            project=project,
            asked=asked,
            included=included,
            seen=seen,
            by=self.person,
            now=timezone.now(),
        )
        return Response(queries.describe_relation(saved))

    @extend_schema(
        operation_id="made_relations_destroy",
        responses={204: None, 403: REFUSED, 404: ABSENT, 409: CLASH},
        parameters=[
            OpenApiParameter(
                "version", int, required=True, description="The version that you began from."
            )
        ],
    )
    def delete(self, request: Request, slug: str, place: str) -> Response:
        """Go back to the relation that comes with Ambit, or remove one that was added."""
        project, ids = self.get_project(), self.get_ids()
        services.restore_relation(
            project=project,
            ids=ids,
            seen=parse_number(request.query_params.get("version", "")),
            by=self.person,
            now=timezone.now(),
        )
        return Response(status=204)
