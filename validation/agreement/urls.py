"""URLs of the figures of agreement, for people and for scripts, and of the audit."""

from django.urls import path

from validation.agreement import views as figures
from validation.agreement.api import AgreementView

urlpatterns = [
    path("projects/<slug:slug>/agreement/", figures.agreement_view, name="project-agreement"),
    path("projects/<slug:slug>/audit/", figures.audit_view, name="project-audit"),
    path("projects/<slug:slug>/audit/<int:sample_id>/", figures.audit_sample, name="audit-sample"),
    path("api/v1/projects/<slug:slug>/agreement/", AgreementView.as_view(), name="api-agreement"),
]
