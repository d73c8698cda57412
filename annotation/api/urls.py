"""URLs of /api/v1/."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import IsAuthenticated

from annotation.api import views
from annotation.api.reference import api_reference

signed_in = {"permission_classes": [IsAuthenticated]}

project_urls = [
    path("", views.ProjectDetail.as_view(), name="api-project"),
    path("questions/", views.QuestionList.as_view(), name="api-questions"),
    path("assignments/", views.AssignmentList.as_view(), name="api-assignments"),
    path("imports/", views.ImportCreate.as_view(), name="api-import"),
    path("jobs/<int:job_id>/", views.JobDetail.as_view(), name="api-job"),
    path("jobs/<int:job_id>/cancel/", views.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<int:job_id>/retry/", views.JobRetry.as_view(), name="api-job-retry"),
    path("pages-read/", views.PagesReadFigure.as_view(), name="api-pages-read"),
    path("export/<str:format>/", views.ExportDownload.as_view(), name="api-export"),
    path("export/<str:format>/zip/", views.ExportBundle.as_view(), name="api-export-zip"),
]

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(**signed_in), name="api-schema"),
    # A page for people: anyone not signed in goes to the sign-in page and returns afterwards.
    path("docs/", api_reference, name="api-docs"),
    path("projects/", views.ProjectList.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", include(project_urls)),
    # Clients of the API get JSON for unknown addresses, too.
    re_path("", views.Nothing.as_view(), name="api-nothing"),
]
