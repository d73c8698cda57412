"""Addresses of systems: the list, those of one system, and the one that takes files."""

from django.urls import path

from evaluation.systems import views
from evaluation.systems.api import OutputList, OutputsImport, SystemDetail, SystemList

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
    path("outputs/", OutputsImport.as_view(), name="api-outputs"),
    path("systems/", SystemList.as_view(), name="api-systems"),
    path("systems/<int:system_id>/", SystemDetail.as_view(), name="api-system"),
    path("systems/<int:system_id>/outputs/", OutputList.as_view(), name="api-system-outputs"),
]
