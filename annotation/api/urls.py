"""URLs of /api/v1/."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import IsAuthenticated

from annotation.api import views
from annotation.api.reference import api_reference, api_try
from annotation.reading import api as reading
from annotation.suggestions import api as suggestions
from annotation.work import api as work
from annotation.work import stage_api as stages

signed_in = {"permission_classes": [IsAuthenticated]}

project_urls = [
    path("", views.ProjectDetail.as_view(), name="api-project"),
    path("questions/", views.QuestionList.as_view(), name="api-questions"),
    path("assignments/", views.AssignmentList.as_view(), name="api-assignments"),
    path("stages/<slug:stage>/", stages.StageDetail.as_view(), name="api-stage"),
    path("work/<slug:stage>/", work.WorkTake.as_view(), name="api-work-take"),
    path("imports/", views.ImportCreate.as_view(), name="api-import"),
    path("jobs/<int:job_id>/", views.JobDetail.as_view(), name="api-job"),
    path("jobs/<int:job_id>/cancel/", views.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<int:job_id>/retry/", views.JobRetry.as_view(), name="api-job-retry"),
    path("pages-read/", views.PagesReadFigure.as_view(), name="api-pages-read"),
    path("export/<str:format>/", views.ExportDownload.as_view(), name="api-export"),
    path("export/<str:format>/zip/", views.ExportBundle.as_view(), name="api-export-zip"),
]

work_urls = [
    path("", work.WorkDetail.as_view(), name="api-work"),
    path("draft/", work.WorkDraft.as_view(), name="api-work-draft"),
    path("step/", work.WorkStep.as_view(), name="api-work-step"),
    path("submit/", work.WorkSubmit.as_view(), name="api-work-submit"),
    path("park/", work.WorkPark.as_view(), name="api-work-park"),
    path("resume/", work.WorkResume.as_view(), name="api-work-resume"),
    path("skip/", work.WorkSkip.as_view(), name="api-work-skip"),
    path("release/", work.WorkRelease.as_view(), name="api-work-release"),
    path("reading/", reading.WorkReading.as_view(), name="api-work-reading"),
    path("search/", reading.WorkSearch.as_view(), name="api-work-search"),
    path("read/", reading.WorkRead.as_view(), name="api-work-read"),
    path("quotes/", reading.WorkQuotes.as_view(), name="api-work-quotes"),
    path("events/", reading.WorkEvents.as_view(), name="api-work-events"),
    path("suggestions/", suggestions.WorkSuggestions.as_view(), name="api-work-suggestions"),
    path(
        "suggestions/<int:suggestion_id>/",
        suggestions.WorkSuggestion.as_view(),
        name="api-work-suggestion",
    ),
]

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(**signed_in), name="api-schema"),
    # A page for people: anyone not signed in goes to the sign-in page and returns afterwards.
    path("docs/", api_reference, name="api-docs"),
    path("docs/try/", api_try, name="api-try"),
    path("projects/", views.ProjectList.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", include(project_urls)),
    path("work/", stages.WorkList.as_view(), name="api-work-list"),
    path("work/<int:assignment_id>/", include(work_urls)),
    # Clients of the API get JSON for unknown addresses, too.
    re_path("", views.Nothing.as_view(), name="api-nothing"),
]
