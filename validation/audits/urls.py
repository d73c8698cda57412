"""Addresses of the audit."""

from django.urls import path

from validation.audits import views

urlpatterns = [
    path("projects/<slug:slug>/audit/", views.audit_view, name="project-audit"),
    path("projects/<slug:slug>/audit/<int:sample_id>/", views.audit_sample, name="audit-sample"),
]
