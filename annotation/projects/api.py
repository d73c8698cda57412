"""The projects of a person over the API."""

from typing import cast

from django.db.models import QuerySet
from rest_framework import generics

from accounts.models import User
from annotation.core.models.projects import Project
from annotation.projects.queries import projects_of
from annotation.projects.serializers import ProjectSerializer
from annotation.rest.base import ById, ProjectView


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
