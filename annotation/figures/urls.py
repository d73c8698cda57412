"""Addresses of reports, for people and for programs."""

from django.urls import path

from annotation.figures import views
from annotation.figures.api import ReportList, ReportPanel, ReportPanels

_REPORTS = "projects/<slug:slug>/reports"

urlpatterns = [
    path(f"{_REPORTS}/", views.project_reports, name="project-reports"),
    path(f"{_REPORTS}/<slug:report>/", views.project_report, name="project-report"),
    path(f"{_REPORTS}/<slug:report>/<slug:panel>/", views.report_rows, name="report-rows"),
    path(
        f"{_REPORTS}/<slug:report>/<slug:panel>.<slug:format>",
        views.report_file,
        name="report-file",
    ),
    path(f"api/v1/{_REPORTS}/", ReportList.as_view(), name="api-reports"),
    path(f"api/v1/{_REPORTS}/<slug:report>/", ReportPanels.as_view(), name="api-report"),
    path(
        f"api/v1/{_REPORTS}/<slug:report>/<slug:panel>/",
        ReportPanel.as_view(),
        name="api-report-panel",
    ),
]
