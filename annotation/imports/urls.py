"""URLs of jobs, import and export."""

from django.urls import URLPattern, URLResolver, include, path

from annotation.imports import views as data

# /projects/<slug>/...
project_urls = [
    path("import/", data.import_create, name="import-create"),
    path("jobs/<int:job_id>/", data.job_detail, name="job-detail"),
    path("import/example/<slug:format>/", data.import_example, name="import-example"),
    path("jobs/<int:job_id>/undo/", data.import_undo, name="import-undo"),
    path("jobs/<int:job_id>/cancel/", data.job_cancel, name="job-cancel"),
    path("jobs/<int:job_id>/retry/", data.job_retry, name="job-retry"),
    path("jobs/<int:job_id>/rest/", data.import_rest, name="import-rest"),
    path("export/", data.export_page, name="export-page"),
    path("export/<slug:format>/", data.export_download, name="export-download"),
    path("export/<slug:format>/zip/", data.export_bundle, name="export-bundle"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("projects/<slug:slug>/", include(project_urls)),
    path("api/v1/", include("annotation.api.urls")),
]
