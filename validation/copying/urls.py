"""The address that copies accepted work into another project."""

from django.urls import path

from validation.copying import views

urlpatterns = [
    path("projects/<slug:slug>/bring/", views.copy_project_questions, name="project-bring"),
]
