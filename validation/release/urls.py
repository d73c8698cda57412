"""Addresses that export accepted work."""

from django.urls import path

from validation.release import views
from validation.release.api import ReleaseBundle, ReleaseDownload

urlpatterns = [
    path(
        "projects/<slug:slug>/release/<slug:format>/",
        views.release_download,
        name="release-download",
    ),
    path(
        "api/v1/projects/<slug:slug>/release/<str:format>/",
        ReleaseDownload.as_view(),
        name="api-release",
    ),
    path(
        "api/v1/projects/<slug:slug>/release/<str:format>/zip/",
        ReleaseBundle.as_view(),
        name="api-release-zip",
    ),
]
