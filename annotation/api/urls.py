"""URLs of /api/v1/."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import IsAuthenticated

from annotation.api import views
from annotation.api.reference import api_reference, api_try
from annotation.consent import api as consent
from annotation.exports import api as exports
from annotation.imports import api as imports
from annotation.jobs import api as jobs
from annotation.projects import api as projects
from annotation.questions import api as questions
from annotation.reading import api as reading
from annotation.reading import figure_api
from annotation.suggestions import api as suggestions
from annotation.work import api as work
from annotation.work import assignment_api
from annotation.work import stage_api as stages

signed_in = {"permission_classes": [IsAuthenticated]}

project_urls = [
    path("", projects.ProjectDetail.as_view(), name="api-project"),
    path("questions/", questions.QuestionList.as_view(), name="api-questions"),
    path(
        "question-priorities/",
        questions.QuestionPriorities.as_view(),
        name="api-question-priorities",
    ),
    path("question-views/", questions.SavedViewList.as_view(), name="api-question-views"),
    path("assignments/", assignment_api.AssignmentList.as_view(), name="api-assignments"),
    path("stages/<slug:stage>/", stages.StageDetail.as_view(), name="api-stage"),
    path("work/<slug:stage>/", work.WorkTake.as_view(), name="api-work-take"),
    path("consent/", consent.OwnConsent.as_view(), name="api-consent"),
    path("consents/", consent.ConsentList.as_view(), name="api-consents"),
    path("imports/", imports.ImportCreate.as_view(), name="api-import"),
    path("jobs/<int:job_id>/", jobs.JobDetail.as_view(), name="api-job"),
    path("jobs/<int:job_id>/cancel/", jobs.JobCancel.as_view(), name="api-job-cancel"),
    path("jobs/<int:job_id>/retry/", jobs.JobRetry.as_view(), name="api-job-retry"),
    path("jobs/<int:job_id>/open/", imports.ImportOpen.as_view(), name="api-import-open"),
    path("pages-read/", figure_api.PagesReadFigure.as_view(), name="api-pages-read"),
    path("export/<str:format>/", exports.ExportDownload.as_view(), name="api-export"),
    path("export/<str:format>/zip/", exports.ExportBundle.as_view(), name="api-export-zip"),
]

work_urls = [
    path("", work.WorkDetail.as_view(), name="api-work"),
    path("draft/", work.WorkDraft.as_view(), name="api-work-draft"),
    path("step/", work.WorkStep.as_view(), name="api-work-step"),
    path("submit/", work.WorkSubmit.as_view(), name="api-work-submit"),
    path("change/", work.WorkChange.as_view(), name="api-work-change"),
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
    path("projects/", projects.ProjectList.as_view(), name="api-projects"),
    path("projects/<slug:slug>/", include(project_urls)),
    path("work/", stages.WorkList.as_view(), name="api-work-list"),
    path("work/<int:assignment_id>/", include(work_urls)),
    # Clients of the API get JSON for unknown addresses, too.
    re_path("", views.Nothing.as_view(), name="api-nothing"),
]
