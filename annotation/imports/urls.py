"""Addresses of imports and of the pages of jobs, under that of a project."""

from django.urls import path

from annotation.imports import views

project_urls = [
    path("import/", views.import_create, name="import-create"),
    path("jobs/<int:job_id>/", views.job_detail, name="job-detail"),
    path("import/example/<slug:format>/", views.import_example, name="import-example"),
    path("jobs/<int:job_id>/undo/", views.import_undo, name="import-undo"),
    path("jobs/<int:job_id>/cancel/", views.job_cancel, name="job-cancel"),
    path("jobs/<int:job_id>/retry/", views.job_retry, name="job-retry"),
    path("jobs/<int:job_id>/rest/", views.import_rest, name="import-rest"),
]
