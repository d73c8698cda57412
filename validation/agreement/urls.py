"""Addresses of the figures of agreement, for people and for scripts."""

from django.urls import path

from validation.agreement import views
from validation.agreement.api import AgreementView

page_urls = [
    path("projects/<slug:slug>/agreement/", views.agreement_view, name="project-agreement"),
]
api_urls = [
    path("api/v1/projects/<slug:slug>/agreement/", AgreementView.as_view(), name="api-agreement"),
]
