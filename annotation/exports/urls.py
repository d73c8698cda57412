"""Addresses of exports, under that of a project."""

from django.urls import path

from annotation.exports import views

project_urls = [
    path("export/", views.export_page, name="export-page"),
    path("export/<slug:format>/", views.export_download, name="export-download"),
    path("export/<slug:format>/zip/", views.export_bundle, name="export-bundle"),
]
