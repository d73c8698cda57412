"""Addresses that take files of judgments, for people and for programs."""

from django.urls import path

from evaluation.judgments import views
from evaluation.judgments.api import JudgmentsImport

study_urls = [path("import/", views.judgments_import, name="judgments-import")]
api_urls = [path("judgments/", JudgmentsImport.as_view(), name="api-judgments")]
