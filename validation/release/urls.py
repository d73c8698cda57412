"""URLs that export accepted work, or copy it into another project."""

from django.urls import path

from validation.decisions import copy_views as bringing
from validation.release import views as release
from validation.release.api import ReleaseBundle, ReleaseDownload

urlpatterns = [
    path("projects/<slug:slug>/bring/", bringing.bring, name="project-bring"),
    path(
        "projects/<slug:slug>/release/<slug:format>/",
        release.release_download,
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
