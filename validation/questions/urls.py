"""Addresses of the questions of a project."""

from django.urls import include, path

from validation.questions import list_views, view

# /projects/<slug>/questions/…
question_urls = [
    path("", list_views.project_questions, name="project-questions"),
    path("change/", list_views.questions_change, name="questions-change"),
    path("<int:question_id>/", view.question_view, name="question-view"),
    path("<int:question_id>/change/", view.question_change, name="question-change"),
]

urlpatterns = [path("projects/<slug:slug>/questions/", include(question_urls))]
