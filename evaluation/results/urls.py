"""Addresses of the results of studies, for people and for scripts."""

from django.urls import path

from evaluation.results import views
from evaluation.results.api import StudyList, StudyResults

_STUDY = "projects/<slug:slug>/studies/<int:study_id>"

urlpatterns = [
    path(f"{_STUDY}/results/", views.study_results, name="study-results"),
    path(f"{_STUDY}/results/<str:format>/", views.study_file, name="study-results-file"),
    path(f"{_STUDY}/judgments/", views.study_judgments, name="study-judgments"),
    path("api/v1/projects/<slug:slug>/studies/", StudyList.as_view(), name="api-studies"),
    path(f"api/v1/{_STUDY}/results/", StudyResults.as_view(), name="api-study-results"),
]
