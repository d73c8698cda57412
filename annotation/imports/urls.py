"""Addresses of imports and of the pages of jobs, under that of a project."""

from django.urls import path

from annotation.imports import check_views, views

project_urls = [
    path("import/", views.import_create, name="import-create"),
    path("import/<int:upload_id>/", check_views.import_check, name="import-check"),
    path("import/<int:upload_id>/problems/", check_views.import_problems, name="import-problems"),
    path("jobs/<int:job_id>/problems/", views.job_problems, name="job-problems"),
    path("jobs/<int:job_id>/", views.job_detail, name="job-detail"),
    path("import/example/<slug:format>/", views.import_example, name="import-example"),
    path("jobs/<int:job_id>/undo/", views.import_undo, name="import-undo"),
    path("jobs/<int:job_id>/open/", views.import_open, name="import-open"),
    path("jobs/<int:job_id>/cancel/", views.job_cancel, name="job-cancel"),
    path("jobs/<int:job_id>/retry/", views.job_retry, name="job-retry"),
    path("jobs/<int:job_id>/rest/", views.import_rest, name="import-rest"),
]
