"""Addresses of this app. Search and reading pages belong to the work that is done with them."""

from django.urls import path

from wikipedia.snapshots import views

app_name = "wikipedia"
urlpatterns = [
    path("", views.snapshot_list, name="snapshot-list"),
    path("<slug:name>/files/<path:path>", views.snapshot_asset, name="asset"),
]
