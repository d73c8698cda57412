"""Addresses of the results of studies, for people and for scripts."""

from django.urls import path

from evaluation.results import study_api, views
from evaluation.results.api import StudyResults

_STUDY = "projects/<slug:slug>/studies/<int:study_id>"

urlpatterns = [
    path(f"{_STUDY}/results/", views.study_results, name="study-results"),
    path(f"{_STUDY}/results/<str:format>/", views.study_file, name="study-results-file"),
    path(f"{_STUDY}/judgments/", views.study_judgments, name="study-judgments"),
    path("api/v1/projects/<slug:slug>/studies/", study_api.StudyList.as_view(), name="api-studies"),
    path(f"api/v1/{_STUDY}/", study_api.StudyDetail.as_view(), name="api-study"),
    path(f"api/v1/{_STUDY}/start/", study_api.StudyStart.as_view(), name="api-study-start"),
    path(f"api/v1/{_STUDY}/close/", study_api.StudyClose.as_view(), name="api-study-close"),
    path(f"api/v1/{_STUDY}/results/", StudyResults.as_view(), name="api-study-results"),
]
