"""Addresses that score the systems of a project, for people and for programs."""

from django.urls import path

from evaluation.scoring import views
from evaluation.scoring.api import ScoringJobs

system_urls = [
    path("scores/", views.system_scores, name="system-scores"),
    path("answers/", views.system_answers, name="system-answers"),
]
api_urls = [path("scores/", ScoringJobs.as_view(), name="api-scores")]
