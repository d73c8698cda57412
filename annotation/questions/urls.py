"""Addresses of the saved views of the list of questions."""

from django.urls import path

from annotation.questions import views

urlpatterns = [
    path("projects/<slug:slug>/questions/views/", views.save_view, name="saved-view-save"),
    path(
        "projects/<slug:slug>/questions/views/<int:view_id>/delete/",
        views.delete_view,
        name="saved-view-delete",
    ),
]
