"""Addresses of systems: the list, those of one system, and the one that takes files."""

from django.urls import path

from evaluation.systems import api, views

list_urls = [
    path("", views.system_list, name="system-list"),
    path("add/", views.system_add, name="system-add"),
]
system_urls = [
    path("<int:system_id>/", views.system_view, name="system-view"),
    path("<int:system_id>/<str:form>.json", views.system_download, name="system-download"),
    path("<int:system_id>/delete/", views.system_delete, name="system-delete"),
]
api_urls = [
    path("outputs/", api.OutputsImport.as_view(), name="api-outputs"),
    path("systems/", api.SystemList.as_view(), name="api-systems"),
    path("systems/<int:system_id>/", api.SystemDetail.as_view(), name="api-system"),
    path("systems/<int:system_id>/outputs/", api.OutputList.as_view(), name="api-system-outputs"),
    path(
        "systems/<int:system_id>/outputs/<str:form>.json",
        api.OutputDownload.as_view(),
        name="api-system-file",
    ),
]
