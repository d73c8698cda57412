"""URLs of models."""

from django.urls import path

from modeling import api, suggestion_views, vector_views, views
from modeling.judges import urls as judges
from modeling.training import urls as training

_API = "api/v1/projects/<slug:slug>"
urlpatterns = [
    path(f"{_API}/baselines/", api.BaselineList.as_view(), name="api-baselines"),
    path(f"{_API}/predictions/", api.PredictionRuns.as_view(), name="api-predictions"),
    path(f"{_API}/suggestions/", api.SuggestionRuns.as_view(), name="api-suggestion-runs"),
    path("projects/<slug:slug>/systems/run/", views.system_run, name="system-run"),
    path(
        "projects/<slug:slug>/systems/vectors/<slug:encoder>/",
        vector_views.vectors_make,
        name="vectors-make",
    ),
    path(
        "projects/<slug:slug>/suggestions/",
        suggestion_views.show_uptake_report,
        name="suggestion-report",
    ),
    path("projects/<slug:slug>/suggestions/run/", views.suggestion_run, name="suggestion-run"),
    path(
        "projects/<slug:slug>/suggestions/report.<str:format>",
        suggestion_views.download_uptake,
        name="suggestion-download",
    ),
    *judges.urlpatterns,
    *training.urlpatterns,
]
