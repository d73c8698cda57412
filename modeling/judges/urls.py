"""Addresses of judge models, for people and for programs."""

from django.urls import path

from modeling.judges import api, views

_STUDY = "projects/<slug:slug>/studies/<int:study_id>/judges"
_API = f"api/v1/{_STUDY}"

urlpatterns = [
    path(f"{_STUDY}/", views.judge_add, name="judge-add"),
    path(f"{_STUDY}/figures/", views.judge_figures, name="judge-figures"),
    path(f"{_STUDY}/<int:judge_id>/run/", views.judge_run, name="judge-run"),
    path(f"{_STUDY}/<int:judge_id>/allow/", views.judge_allow, name="judge-allow"),
    path(f"{_STUDY}/<int:judge_id>/remove/", views.judge_remove, name="judge-remove"),
    path(f"{_API}/", api.JudgeList.as_view(), name="api-study-judges"),
    path(f"{_API}/results/", api.JudgeFigures.as_view(), name="api-study-judge-results"),
    path(f"{_API}/<int:judge_id>/", api.JudgeDetail.as_view(), name="api-study-judge"),
    path(f"{_API}/<int:judge_id>/run/", api.JudgeRuns.as_view(), name="api-study-judge-run"),
]
