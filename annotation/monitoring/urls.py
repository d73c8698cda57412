"""Addresses of the pages on how each person's writing goes."""

from django.urls import path

from annotation.monitoring import views

urlpatterns = [
    path("projects/<slug:slug>/monitoring/", views.project_monitoring, name="project-monitoring"),
    path(
        "projects/<slug:slug>/monitoring/<int:user_id>/",
        views.monitoring_person,
        name="monitoring-person",
    ),
]
